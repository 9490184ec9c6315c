//! The scripts that `browser` sends, recognised by what they call; none is run.

use super::tab::Tab;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::text::shorten;
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::Value;
use std::io::Cursor;

/// What a script asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    /// To describe the page, to whoever holds this observation.
    Step(String),
    /// Where an element is.
    Locate(u64),
    /// The value of an expression, as the author of a task or a check wrote it.
    Value(String),
    /// The tab's local storage.
    Storage,
    /// Nothing, but that it is answered.
    Nothing,
}

/// Where the author's expression stands within what `browser` sends.
const BEFORE: &str = "const value = await (\n";
const AFTER: &str = "\n); return value";

/// Recognises a script.
pub(super) fn recognise(expression: &str) -> Asked {
    if let Some((_, rest)) = expression.split_once(BEFORE)
        && let Some((own, _)) = rest.rsplit_once(AFTER)
    {
        return Asked::Value(own.to_owned());
    }
    let argument = |index: usize| arguments(expression).get(index).cloned().unwrap_or_default();
    if expression.contains("probe.step(") {
        Asked::Step(argument(3).as_str().unwrap_or_default().to_owned())
    } else if expression.contains("probe.locate(") {
        Asked::Locate(argument(0).as_u64().unwrap_or_default())
    } else if expression.contains("...localStorage") {
        Asked::Storage
    } else {
        Asked::Nothing
    }
}

/// The arguments at the end of `(FUNCTION)(ARGUMENTS)`.
fn arguments(expression: &str) -> Vec<Value> {
    let list = expression.rsplit_once("})(").and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
    serde_json::from_str(&format!("[{list}]")).unwrap_or_default()
}

/// Answers with the result of `script.evaluate`.
pub(super) fn answer(asked: Asked, tab: &mut Tab) -> String {
    match asked {
        Asked::Step(have) => string(&tab.observe(&have)),
        Asked::Locate(key) => string(&crate::wizard::within_string(&tab.locate(key))),
        Asked::Value(expression) => match value(&expression, tab) {
            Some(value) => string(&crate::wizard::within_string(&value.to_string())),
            None => {
                exception(&format!("ReferenceError: a simulated browser does not know `{}`", shorten(&expression, 80)))
            }
        },
        Asked::Storage => string("{}"),
        Asked::Nothing => string(""),
    }
}

/// The expressions that a simulated browser knows.
fn value(expression: &str, tab: &Tab) -> Option<Value> {
    match expression.trim() {
        "wizard.stage" => tab.stage().map(Value::from),
        "location.href" => Some(tab.url.clone().into()),
        text if text.contains("innerText") => Some(tab.text().into()),
        _ => None,
    }
}

fn string(inside: &str) -> String {
    format!("{{\"type\":\"success\",\"realm\":\"-1\",\"result\":{{\"type\":\"string\",\"value\":\"{inside}\"}}}}")
}

fn exception(text: &str) -> String {
    serde_json::json!({"type": "exception", "realm": "-1", "exceptionDetails": {"text": text, "columnNumber": 0,
        "lineNumber": 0, "exception": {"type": "error"}, "stackTrace": {"callFrames": []}}})
    .to_string()
}

/// What every page looks like: a PNG of a viewport's size with about as much in it as a page of text, as base64.
///
/// # Errors
/// When it cannot be encoded.
pub(super) fn picture() -> Result<String, String> {
    let shade = |x: u32, y: u32| if (x / 3 * 31 + y / 9 * 17).is_multiple_of(7) && y % 24 < 12 { 40 } else { 250 };
    let image = RgbImage::from_fn(1280, 900, |x, y| Rgb([shade(x, y); 3]));
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png).map_err(|error| format!("encode the picture: {error}"))?;
    Ok(BASE64_STANDARD.encode(png.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_apart() {
        let step =
            "((deadline, horizon, frame, have, limit) => { return probe.step(deadline); })(5000,1000,false,\"1:2\",20)";
        assert_eq!(recognise(step), Asked::Step("1:2".into()));
        assert_eq!(recognise("((key) => { return probe.locate(key); })(17,null,\"\")"), Asked::Locate(17));
        let value = "(async () => { const value = await (\nwizard.stage\n); return value === undefined ? 1 : 2; })()";
        assert_eq!(recognise(value), Asked::Value("wizard.stage".into()));
        assert_eq!(recognise("(() => '')()"), Asked::Nothing);
    }

    #[test]
    fn what_it_does_not_know_throws() {
        let answer = answer(Asked::Value("document.cookie".into()), &mut Tab::new("profile"));
        assert!(answer.contains("exception") && answer.contains("document.cookie"), "{answer}");
    }
}
