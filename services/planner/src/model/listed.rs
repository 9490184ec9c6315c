//! The models that an endpoint offers.

use super::{ModelOptions, OptionsError, Provider};
use serde_json::Value;
use std::time::Duration;

/// Pages of a list that are read at most.
const PAGES: usize = 20;

/// Why an endpoint's models cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The settings of the model cannot be meant.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The endpoint does not answer, or not with a list.
    #[error("list the models of {endpoint}: {cause}")]
    Endpoint {
        /// The endpoint.
        endpoint: String,
        /// What happened.
        cause: String,
    },
}

impl ModelOptions {
    /// The names of the models at the endpoint, in its order.
    ///
    /// # Errors
    /// [`ListError`].
    pub async fn listed(&self) -> Result<Vec<String>, ListError> {
        let endpoint = self.endpoint();
        let failed = |cause: String| ListError::Endpoint { endpoint: endpoint.clone(), cause };
        let key = self.key()?;
        // The request carries the key: a redirect could take it to another host.
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(self.timeout_seconds.min(30)))
            .build()
            .map_err(|error| failed(chain(&error)))?;
        let (mut names, mut after) = (Vec::new(), None::<String>);
        for _ in 0..PAGES {
            let address = format!("{}/models", endpoint.trim_end_matches('/'));
            let mut address = reqwest::Url::parse(&address).map_err(|error| failed(error.to_string()))?;
            if let Some(after) = &after {
                let parameter = if self.provider == Provider::Gemini { "pageToken" } else { "after_id" };
                address.query_pairs_mut().append_pair(parameter, after);
            }
            let mut request = client.get(address);
            for (name, value) in &self.headers {
                request = request.header(name, value);
            }
            request = match self.provider {
                Provider::OpenAi => request.bearer_auth(&key),
                Provider::Anthropic => request.header("x-api-key", &key).header("anthropic-version", "2023-06-01"),
                Provider::Gemini => request.header("x-goog-api-key", &key),
            };
            // The key stands in a header, so that no error can show it.
            let response = request.send().await.map_err(|error| failed(chain(&error)))?;
            if !response.status().is_success() {
                return Err(failed(response.status().to_string()));
            }
            let page: Value = response.json().await.map_err(|error| failed(chain(&error)))?;
            names.extend(names_of(&page).ok_or_else(|| failed("the answer is no list of models".to_owned()))?);
            after = next_of(&page);
            if after.is_none() {
                break;
            }
        }
        Ok(names)
    }
}

/// The names on a page of the list, in the dialect of any provider.
fn names_of(page: &Value) -> Option<Vec<String>> {
    let entries = page["data"].as_array().or_else(|| page["models"].as_array())?;
    let name = |entry: &Value| {
        let name = entry["id"].as_str().or_else(|| entry["name"].as_str())?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Some(entries.iter().filter_map(name).collect())
}

/// What asks for the next page; none after the last.
fn next_of(page: &Value) -> Option<String> {
    let token = page["nextPageToken"].as_str().filter(|token| !token.is_empty());
    let last = page["last_id"].as_str().filter(|_| page["has_more"] == true);
    token.or(last).map(str::to_owned)
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_read_in_every_dialect() {
        let open_ai = json!({"object": "list", "data": [{"id": "small"}, {"id": "large"}]});
        assert_eq!(names_of(&open_ai), Some(vec!["small".to_owned(), "large".to_owned()]));
        assert_eq!(next_of(&open_ai), None);
        let anthropic = json!({"data": [{"id": "a", "display_name": "A"}], "has_more": true, "last_id": "a"});
        assert_eq!((names_of(&anthropic), next_of(&anthropic)), (Some(vec!["a".to_owned()]), Some("a".to_owned())));
        let gemini = json!({"models": [{"name": "models/g"}], "nextPageToken": "p2"});
        assert_eq!((names_of(&gemini), next_of(&gemini)), (Some(vec!["g".to_owned()]), Some("p2".to_owned())));
        assert_eq!(names_of(&json!({"error": "no"})), None);
    }
}
