//! Checks short enough to type: `url~/thanks`, `text=Thank you`, `element[button]=Log out`, `!text~error`.

use super::hint;
use domain::task::{Check, ElementCheck, RequestCheck, TextMatch, ValueCheck};

const KNOWN: [&str; 6] = ["url", "text", "answer", "element", "value", "request"];

pub(super) fn parse(text: &str) -> Result<Check, String> {
    if let Some(rest) = text.strip_prefix('!') {
        return Ok(Check::Not(Box::new(parse(rest)?)));
    }
    let head_end = text
        .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .ok_or_else(|| format!("`{text}` compares nothing; write e.g. `url~/thanks` or `text~Thank you`"))?;
    let (what, rest) = text.split_at(head_end);
    if !KNOWN.contains(&what) {
        let hint = hint::did_you_mean(what, KNOWN).unwrap_or_default();
        return Err(format!("unknown check `{what}`; {hint}"));
    }
    let (argument, rest) = match rest.strip_prefix('[') {
        Some(inner) => {
            let (argument, rest) =
                inner.split_once(']').ok_or_else(|| format!("`{text}`: the bracket is not closed"))?;
            (Some(argument), rest)
        }
        None => (None, rest),
    };
    let matcher = matcher(rest).ok_or_else(|| {
        format!("`{text}`: after `{what}` comes `=` (equals), `~` (contains) or `=~` (regular expression)")
    })?;
    build(what, argument, matcher).map_err(|cause| format!("`{text}`: {cause}"))
}

fn matcher(rest: &str) -> Option<TextMatch> {
    if let Some(pattern) = rest.strip_prefix("=~") {
        return Some(TextMatch::Matches(pattern.to_owned()));
    }
    if let Some(text) = rest.strip_prefix('=') {
        return Some(TextMatch::Equals(text.to_owned()));
    }
    rest.strip_prefix('~').map(|text| TextMatch::Contains(text.to_owned()))
}

fn build(what: &str, argument: Option<&str>, matcher: TextMatch) -> Result<Check, String> {
    Ok(match (what, argument) {
        ("url", None) => Check::Url(matcher),
        ("answer", None) => Check::Answer(matcher),
        // The whole page seldom is just one text: an element that is will do.
        ("text", None) if matches!(matcher, TextMatch::Equals(_)) => {
            let element = ElementCheck { text: Some(matcher.clone()), ..ElementCheck::default() };
            Check::Any(vec![Check::Element(element), Check::Text(matcher)])
        }
        ("text", None) => Check::Text(matcher),
        ("element", role) => Check::Element(ElementCheck {
            role: role.map(str::to_owned),
            name: Some(matcher),
            ..ElementCheck::default()
        }),
        ("value", Some(field)) => Check::Value(ValueCheck {
            of: ElementCheck { name: Some(TextMatch::Equals(field.to_owned())), ..ElementCheck::default() },
            is: matcher,
        }),
        ("value", None) => return Err("say which field: `value[Label of the field]=text`".into()),
        ("request", method) => {
            Check::Request(RequestCheck { method: method.map(str::to_uppercase), url: matcher, status: None })
        }
        (_, Some(_)) => return Err(format!("`{what}` takes no argument in brackets")),
        (_, None) => return Err(format!("unknown check `{what}`")),
    })
}
