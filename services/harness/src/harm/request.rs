//! What arrived, as far as controls are told apart by it: method, path and fields.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde_json::Value;
use std::collections::BTreeMap;
use url::form_urlencoded::parse;

/// A request without what does not tell controls apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// The method, upper case.
    pub(super) method: String,
    /// The path, percent-decoded.
    pub(super) path: String,
    /// The fields of query and body; of equal names the last.
    pub(super) fields: BTreeMap<String, String>,
}

impl Sent {
    /// Reads a request.
    pub(super) fn read(method: &str, uri: &axum::http::Uri, headers: &HeaderMap, body: &Bytes) -> Sent {
        let mut fields = BTreeMap::new();
        fields.extend(parse(uri.query().unwrap_or_default().as_bytes()).into_owned());
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            if let Ok(Value::Object(all)) = serde_json::from_slice(body) {
                fields.extend(all.into_iter().map(|(name, value)| (name, plain(&value))));
            }
        } else if kind.starts_with("multipart/form-data") {
            fields.extend(parts(&String::from_utf8_lossy(body)));
        } else {
            fields.extend(parse(body).into_owned());
        }
        Sent { method: method.to_uppercase(), path: decoded(uri.path()), fields }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A percent-decoded path. A plus sign stands for itself.
fn decoded(path: &str) -> String {
    let query = format!("p={}", path.replace('+', "%2B").replace('&', "%26"));
    parse(query.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// The fields of a multipart body that are no files.
fn parts(body: &str) -> Vec<(String, String)> {
    let field = |part: &str| {
        let (head, value) = part.split_once("\r\n\r\n")?;
        let (_, name) = head.split_once("name=\"")?;
        let (name, _) = name.split_once('"')?;
        let value = value.split("\r\n--").next()?;
        (!head.contains("filename=")).then(|| (name.to_owned(), value.to_owned()))
    };
    body.split("Content-Disposition: form-data;").filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &str, kind: &'static str, body: &'static str) -> Sent {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().expect("a header"))]);
        Sent::read("post", &uri.parse().expect("an address"), &headers, &Bytes::from_static(body.as_bytes()))
    }

    #[test]
    fn fields_are_read_from_queries_forms_json_and_parts() {
        let form = read("/%64elete/a%2Fb?id=3", "application/x-www-form-urlencoded", "do=drop+it");
        assert_eq!((form.method.as_str(), form.path.as_str()), ("POST", "/delete/a/b"));
        assert_eq!(form.fields, BTreeMap::from([("id".into(), "3".into()), ("do".into(), "drop it".into())]));
        assert_eq!(read("/", "application/json", r#"{"on":false,"n":"x"}"#).fields["on"], "false");
        let parted = "--b\r\nContent-Disposition: form-data; name=\"do\"\r\n\r\nsave\r\n--b--\r\n";
        assert_eq!(read("/", "multipart/form-data; boundary=b", parted).fields["do"], "save");
    }
}
