//! Cookies between DevTools' form and BiDi's (`storage.Cookie`), which is what a saved log-in state holds. Pure.

use serde_json::{Value, json};

/// A cookie of DevTools as BiDi writes it.
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

/// A cookie of BiDi as DevTools takes it.
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

/// A cookie as BiDi takes it. What the driver adds of its own is left out, and so is `SameSite=None` of a cookie that is not
/// secure: it is how the driver reports a cookie without the attribute, and a browser refuses it.
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
