//! Converts a browser's reports into faults: console messages, exceptions, failed requests. Pure.

use crate::probe::Violation;
use domain::Fault;
use domain::fault::FaultCategory;
use serde_json::Value;
use url::Url;

/// Longest message or address kept, in characters.
const KEPT: usize = 2_000;

/// Converts a BiDi log entry; none below level `error`.
pub(crate) fn of_log(entry: &Value, page: &str) -> Option<Fault> {
    if entry["level"] != "error" {
        return None;
    }
    let message = entry["text"].as_str().unwrap_or_default();
    // A stack frame without an address is the probe, which stands between a page and its console.
    let source_of = |frame: &'_ Value| frame["url"].as_str().filter(|url| !url.is_empty()).map(str::to_owned);
    let mut frames = entry["stackTrace"]["callFrames"].as_array().into_iter().flatten();
    let frame = frames.find_map(|frame| Some((source_of(frame)?, frame["lineNumber"].as_u64())));
    let (source, line) = frame.unwrap_or_default();
    let line = line.map(|line| line as u32 + 1);
    let thrown = entry["type"] == "javascript";
    Some(fault(message, &source, line, thrown, page))
}

/// An error of the console or an exception as a fault.
pub(crate) fn fault(message: &str, source: &str, line: Option<u32>, thrown: bool, page: &str) -> Fault {
    Fault {
        category: category(message, thrown),
        message: message.chars().take(KEPT).collect(),
        source: source.chars().take(KEPT).collect(),
        line,
        first_party: first_party(source, page),
    }
}

/// Status of the gate's refusals, which no server uses. Such a response is our doing and no fault of the site.
pub(crate) const REFUSED: u16 = 995;

/// Rewrites a browser's error for an unreachable site. The browser blames its proxy, which is our gate.
pub(crate) fn in_words(cause: &str) -> String {
    let known = [
        ("net::ERR_TUNNEL_CONNECTION_FAILED", "the site takes no connection"),
        ("net::ERR_ABORTED", "no page came: an empty answer, a download, or an address that is kept closed"),
        ("net::ERR_EMPTY_RESPONSE", "the site gave no answer, or takes no connection"),
    ];
    match known.iter().find(|(code, _)| cause.contains(code)) {
        Some((code, words)) => format!("{words} ({code})"),
        None => cause.to_owned(),
    }
}

/// Whether the connection to the gate itself failed, e.g. because the profile is closing.
fn is_of_gate(cause: &str) -> bool {
    ["ERR_PROXY_CONNECTION_FAILED", "ERR_PROXY_AUTH"].iter().any(|mark| cause.contains(mark))
}

/// A response of 4xx or 5xx as a fault.
pub(crate) fn of_response(url: &str, status: Option<u16>, page: &str) -> Option<Fault> {
    let status = status.filter(|status| *status >= 400 && *status != REFUSED)?;
    Some(network(format!("the server answered {status}"), url, page))
}

/// Converts a request without a response; none when the page cancelled it.
pub(crate) fn of_failure(url: &str, cause: &str, page: &str) -> Option<Fault> {
    if cause.contains("ERR_ABORTED") || cause.is_empty() || is_of_gate(cause) {
        return None; // without a cause it was blocked by the content security policy, which is told as a violation
    }
    // This is all that Chromium reports about a response blocked by CORS.
    let withheld = cause == "net::ERR_FAILED" && !first_party(url, page);
    let cause = if withheld { "net::ERR_FAILED: most likely withheld by CORS" } else { cause };
    let mut fault = network(in_words(cause), url, page);
    if withheld || ["CSP", "CORS", "BLOCKED_BY_RESPONSE", "BLOCKED_BY_ORB"].iter().any(|mark| cause.contains(mark)) {
        fault.category = FaultCategory::ContentSecurity;
    }
    Some(fault)
}

/// Something that the content security policy blocked.
pub(crate) fn of_violation(violation: &Violation, page: &str) -> Fault {
    let Violation { directive, blocked, source, line } = violation;
    let message = format!("Content Security Policy: `{directive}` blocked {blocked}");
    Fault { line: Some(*line).filter(|line| *line > 0), ..fault(&message, source, None, false, page) }
}

/// A page that opened more windows than are kept open.
pub(crate) fn of_windows(page: &str, kept: usize) -> Fault {
    fault(&format!("the page opens windows without end: those beyond {kept} tabs are closed"), page, None, false, page)
}

fn network(message: String, url: &str, page: &str) -> Fault {
    Fault {
        category: FaultCategory::Network,
        message,
        source: url.to_owned(),
        line: None,
        first_party: first_party(url, page),
    }
}

fn category(message: &str, thrown: bool) -> FaultCategory {
    let text = message.to_lowercase();
    if text.contains("content security policy") || text.contains("cors") || text.contains("access-control-allow") {
        FaultCategory::ContentSecurity
    } else if thrown {
        FaultCategory::JavaScript
    } else if text.contains("failed to load resource") || text.contains("net::err_") {
        FaultCategory::Network
    } else {
        FaultCategory::Other
    }
}

/// Whether an address belongs to the page's site: same host, or one is a subdomain of the other. An unknown source
/// counts as the page's own.
fn first_party(source: &str, page: &str) -> bool {
    let (Ok(source), Ok(page)) = (Url::parse(source), Url::parse(page)) else { return true };
    let (Some(source), Some(page)) = (source.host_str(), page.host_str()) else { return true };
    let within = |inner: &str, outer: &str| inner == outer || inner.ends_with(&format!(".{outer}"));
    within(source, page) || within(page, source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_uncaught_exception_is_a_javascript_fault_with_its_line() {
        let entry = json!({"level": "error", "type": "javascript", "text": "Error: x",
            "stackTrace": {"callFrames": [{"url": "http://cdn.example.org/a.js", "lineNumber": 4}]}});
        let fault = of_log(&entry, "http://example.org/").unwrap();
        assert_eq!((fault.category, fault.line, fault.first_party), (FaultCategory::JavaScript, Some(5), true));
    }

    #[test]
    fn a_complaint_to_the_console_comes_from_the_script_that_complained() {
        let entry = json!({"level": "error", "type": "console", "text": "no wind",
            "stackTrace": {"callFrames": [{"url": "", "lineNumber": 698}, {"url": "http://cdn.net/wind.js", "lineNumber": 0}]}});
        let fault = of_log(&entry, "http://example.org/").unwrap();
        assert_eq!((fault.source.as_str(), fault.line, fault.first_party), ("http://cdn.net/wind.js", Some(1), false));
    }

    #[test]
    fn a_csp_message_of_the_console_is_a_content_security_fault() {
        let found = fault(
            "Refused to load because of Content Security Policy",
            "http://other.net/",
            None,
            false,
            "http://a.org/",
        );
        assert_eq!((found.category, found.first_party), (FaultCategory::ContentSecurity, false));
    }

    #[test]
    fn what_the_gate_refuses_is_no_fault_and_what_it_cannot_reach_is_the_sites() {
        let page = "http://a.org/";
        assert!(of_response("http://a.org/x", Some(REFUSED), page).is_none());
        assert!(of_failure("http://a.org/x", "net::ERR_PROXY_CONNECTION_FAILED", page).is_none());
        let fault = of_failure("https://a.org/x", "net::ERR_TUNNEL_CONNECTION_FAILED", page).unwrap();
        assert!(fault.message.starts_with("the site takes no connection"), "{}", fault.message);
        assert_eq!(in_words("net::ERR_NAME_NOT_RESOLVED"), "net::ERR_NAME_NOT_RESOLVED");
    }

    #[test]
    fn only_answers_of_4xx_and_5xx_are_faults() {
        assert!(of_response("http://a.org/x", Some(304), "http://a.org/").is_none());
        assert!(of_response("http://a.org/x", Some(404), "http://a.org/").is_some());
    }
}
