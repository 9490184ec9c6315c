//! What can befall a call, sorted by what to do about it. Pure: reads genai's errors, calls nobody.

use domain::text::{fold, shorten};
use serde_json::Value;
use std::time::Duration;

/// A call that gave no reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trouble {
    /// What to do about it.
    pub(super) class: Class,
    /// What happened, in a few words; never with the request.
    pub(super) cause: String,
}

/// Troubles by remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Wait as long as the provider says, or back off; not a failure.
    Throttled {
        /// The provider's `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// The endpoint failed: try again a few times.
    Transient,
    /// The same request will fail again: key, model name, request.
    Permanent,
    /// The model declines to answer.
    Refused,
    /// No call was made: the limits of all processes together left no room for it.
    NotMade,
}

impl Trouble {
    pub(super) fn refused(reason: &str) -> Self {
        Trouble { class: Class::Refused, cause: format!("the model refused to answer: {}", brief(reason)) }
    }

    pub(super) fn of(error: &genai::Error, timeout: Duration) -> Self {
        if let Some(status) = error.status() {
            return of_status(status.as_u16(), body(error), retry_after(error));
        }
        let (class, cause) = match error {
            genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
                of_transport(webc_error, timeout)
            }
            genai::Error::ChatResponseGeneration { response_body, cause, .. } => {
                match response_body.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
                    Some(reason) => return Trouble::refused(reason),
                    None => (Class::Transient, format!("the answer is not of the provider's form: {}", brief(cause))),
                }
            }
            other => (Class::Permanent, brief(&other.to_string())),
        };
        Trouble { class, cause }
    }
}

fn of_status(status: u16, body: &str, retry_after: Option<Duration>) -> Trouble {
    let class = match status {
        429 => Class::Throttled { retry_after },
        408 | 409 | 425 | 500.. => Class::Transient,
        _ => Class::Permanent,
    };
    let message = match status {
        300..400 => "the endpoint redirects, and keys follow no redirect; set its address to where it leads".to_owned(),
        _ => provider_message(body),
    };
    let cause = if message.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {message}") };
    Trouble { class, cause }
}

fn of_transport(error: &genai::webc::Error, timeout: Duration) -> (Class, String) {
    match error {
        genai::webc::Error::Reqwest(error) if error.is_timeout() => {
            (Class::Transient, format!("no answer within {} s", timeout.as_secs()))
        }
        genai::webc::Error::Reqwest(error) if error.is_connect() => {
            (Class::Transient, format!("cannot connect: {}", root_cause(error)))
        }
        genai::webc::Error::Reqwest(error) => (Class::Transient, format!("connection lost: {}", root_cause(error))),
        genai::webc::Error::ResponseFailedInvalidJson { cause, .. } => {
            (Class::Transient, format!("the answer's body is cut off or no JSON: {}", brief(cause)))
        }
        genai::webc::Error::ResponseFailedNotJson { content_type, .. } => {
            (Class::Transient, format!("the answer is `{}`, not JSON", brief(content_type)))
        }
        other => (Class::Transient, brief(&other.to_string())),
    }
}

fn body(error: &genai::Error) -> &str {
    match error {
        genai::Error::WebModelCall { webc_error: genai::webc::Error::ResponseFailedStatus { body, .. }, .. }
        | genai::Error::WebAdapterCall { webc_error: genai::webc::Error::ResponseFailedStatus { body, .. }, .. }
        | genai::Error::HttpError { body, .. } => body,
        _ => "",
    }
}

fn retry_after(error: &genai::Error) -> Option<Duration> {
    let headers = error.headers()?;
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// All three providers answer errors with `{"error": {"message": …}}`.
fn provider_message(body: &str) -> String {
    let parsed = serde_json::from_str::<Value>(body).ok();
    let message = parsed.as_ref().and_then(|json| json.pointer("/error/message")).and_then(Value::as_str);
    brief(message.unwrap_or(body))
}

fn root_cause(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    brief(&last.to_string())
}

fn brief(text: &str) -> String {
    shorten(&fold(text), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_sorted_by_remedy() {
        let class = |status| of_status(status, "", None).class;
        assert_eq!(class(429), Class::Throttled { retry_after: None });
        for status in [408, 500, 502, 503, 529] {
            assert_eq!(class(status), Class::Transient, "{status}");
        }
        for status in [400, 401, 403, 404, 422] {
            assert_eq!(class(status), Class::Permanent, "{status}");
        }
    }

    #[test]
    fn the_providers_own_message_is_kept_and_long_ones_are_cut() {
        let trouble = of_status(401, r#"{"error": {"message": "Incorrect API key", "type": "x"}}"#, None);
        assert_eq!(trouble.cause, "HTTP 401: Incorrect API key");
        let long = of_status(500, &"x".repeat(10_000), None).cause;
        assert!(long.chars().count() < 330, "{} characters", long.len());
    }
}
