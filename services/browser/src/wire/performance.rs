//! Parses chromedriver's logs: DevTools events of its `performance` log, messages of its `browser` log. Pure.

use super::network_log::NetworkLog;
use crate::fault;
use domain::observation::Dialog;
use serde_json::Value;

/// What the log reports besides requests.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LogFindings {
    /// The latest dialog that opened.
    pub(crate) dialog: Option<Dialog>,
    /// A window was opened.
    pub(crate) window: bool,
    /// A document was requested.
    pub(crate) document: bool,
    /// A response was blocked; the console says why.
    pub(crate) withheld: bool,
}

/// Applies the entries of the `performance` log.
pub(crate) fn take_performance(entries: &Value, network: &mut NetworkLog, page: &str) -> LogFindings {
    let mut found = LogFindings::default();
    for entry in entries.as_array().into_iter().flatten() {
        let Some(event) = entry["message"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
            continue;
        };
        let message = &event["message"];
        let params = &message["params"];
        let id = params["requestId"].as_str().unwrap_or_default();
        match message["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                if params["redirectResponse"].is_object() {
                    network.answered(id, params["redirectResponse"]["status"].as_u64(), "", page);
                }
                let request = &params["request"];
                let text = |name: &str| request[name].as_str().unwrap_or_default();
                let document = params["type"] == "Document";
                found.document |= document;
                network.began(id, text("method"), text("url"), document, params["type"].as_str().unwrap_or_default());
            }
            "Network.responseReceived" => {
                let response = &params["response"];
                let content_type = response["mimeType"].as_str().unwrap_or_default();
                network.answered(id, response["status"].as_u64(), content_type, page);
            }
            "Network.loadingFailed" => {
                found.withheld |= params["corsErrorStatus"].is_object();
                let cause = params["errorText"].as_str().unwrap_or_default();
                let url = network.url_of(id).unwrap_or_default();
                network.failed(id, &url, cause, page);
            }
            "Page.downloadWillBegin" => {
                let said = |name: &str| params[name].as_str().unwrap_or_default();
                network.download(said("suggestedFilename"), said("url"));
            }
            "Page.javascriptDialogOpening" => {
                let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
                found.dialog = Some(Dialog { kind: text("type"), message: text("message") });
            }
            "Page.windowOpen" => found.window = true,
            _ => {}
        }
    }
    found
}

/// Applies the entries of the `browser` log, except network errors, which the `performance` log reports with their
/// status, and violations of the content security policy, which the probe reports.
pub(crate) fn take_console(entries: &Value, network: &mut NetworkLog, page: &str) {
    for entry in entries.as_array().into_iter().flatten() {
        if entry["level"] != "SEVERE" || entry["source"] == "network" || entry["source"] == "security" {
            continue;
        }
        let text = entry["message"].as_str().unwrap_or_default();
        let (source, line, message) = parts(text);
        network.fault(Some(fault::fault(message, source, line, entry["source"] == "javascript", page)));
    }
}

/// Splits `http://a.org/x.js 12:7 Uncaught Error: …` into source, line and message.
fn parts(text: &str) -> (&str, Option<u32>, &str) {
    let mut words = text.splitn(3, ' ');
    if let (Some(source), Some(position), Some(message)) = (words.next(), words.next(), words.next())
        && let Some((line, _)) = position.split_once(':')
        && let Ok(line) = line.parse::<u32>()
    {
        return (source, Some(line + 1), message);
    }
    ("", None, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::scope::Scope;
    use serde_json::json;

    #[test]
    fn a_console_line_is_taken_apart_into_source_line_and_message() {
        assert_eq!(
            parts("http://a.org/x.js 12:7 Uncaught Error: no"),
            ("http://a.org/x.js", Some(13), "Uncaught Error: no")
        );
        assert_eq!(parts("something else entirely"), ("", None, "something else entirely"));
    }

    #[test]
    fn a_request_and_its_answer_are_put_together() {
        let entry = |method: &str, params: Value| json!({"message": json!({"message": {"method": method, "params": params}}).to_string()});
        let log = json!([
            entry(
                "Network.requestWillBeSent",
                json!({"requestId": "7", "type": "XHR", "request": {"method": "POST", "url": "http://a.org/s"}})
            ),
            entry("Network.responseReceived", json!({"requestId": "7", "response": {"status": 201}})),
        ]);
        let mut network = NetworkLog::of(Scope { hosts: vec!["a.org".into()] }, std::sync::Arc::default());
        assert_eq!(take_performance(&log, &mut network, "http://a.org/"), LogFindings::default());
        assert_eq!(network.take().requests[0].status, Some(201));
    }
}
