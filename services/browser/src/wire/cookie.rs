//! Converts cookies between DevTools' form and BiDi's (`storage.Cookie`), in which log-in states are saved. Pure.

use serde_json::{Value, json};

/// Converts a DevTools cookie to BiDi's form.
pub(crate) fn from_devtools(cookie: &Value) -> Value {
    let mut own = json!({
        "name": cookie["name"],
        "value": {"type": "string", "value": cookie["value"]},
        "domain": cookie["domain"],
        "path": cookie["path"],
        "httpOnly": cookie["httpOnly"],
        "secure": cookie["secure"],
        "sameSite": cookie["sameSite"].as_str().unwrap_or("none").to_lowercase(),
    });
    if let Some(expiry) = cookie["expires"].as_f64().filter(|expiry| *expiry > 0.0) {
        own["expiry"] = json!(expiry as u64);
    }
    own
}

/// Converts a BiDi cookie to DevTools' form.
pub(crate) fn to_devtools(cookie: &Value) -> Value {
    let mut own = json!({
        "name": cookie["name"],
        "value": cookie["value"]["value"],
        "domain": cookie["domain"],
        "path": cookie["path"],
        "httpOnly": cookie["httpOnly"].as_bool().unwrap_or(false),
        "secure": cookie["secure"].as_bool().unwrap_or(false),
    });
    match cookie["sameSite"].as_str() {
        Some("strict") => own["sameSite"] = json!("Strict"),
        Some("lax") => own["sameSite"] = json!("Lax"),
        _ => {}
    }
    if let Some(expiry) = cookie["expiry"].as_u64() {
        own["expires"] = json!(expiry);
    }
    own
}

/// A cookie in the form that BiDi accepts. Drops the driver's extensions, and `SameSite=None` of an insecure cookie:
/// the driver reports it for a cookie without the attribute, and browsers reject it.
pub(crate) fn to_partial(cookie: &Value) -> Value {
    let mut own = json!({});
    for name in ["name", "value", "domain", "path", "httpOnly", "secure", "sameSite", "expiry"] {
        if !cookie[name].is_null() {
            own[name] = cookie[name].clone();
        }
    }
    if own["sameSite"] == "none"
        && own["secure"] != true
        && let Some(fields) = own.as_object_mut()
    {
        fields.remove("sameSite");
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_comes_back_as_it_went() {
        let bidi = json!({"name": "sid", "value": {"type": "string", "value": "1"}, "domain": "a.org", "path": "/",
            "httpOnly": true, "secure": false, "sameSite": "lax", "expiry": 2_000_000_000_u64});
        assert_eq!(from_devtools(&to_devtools(&bidi)), bidi);
    }
}
