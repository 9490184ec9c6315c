//! From the messages of the parser to sentences for people.

use serde_json::Value;

/// A message and what to do about it.
pub(super) struct Advice {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Names the nearest of the known words, if one is near, and lists them all otherwise.
pub(super) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)?;
    let near = nearest.0 <= 1 + word.chars().count() / 4;
    Some(if near { format!("did you mean `{}`?", nearest.1) } else { format!("known here: {}", known.join(", ")) })
}

/// Explains why a part of a task file could not be read.
pub(super) fn explain(message: &str, pointer: &str, part: Option<&Value>) -> Advice {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown variant") {
        let what = if pointer.contains("/check") && !pointer.ends_with("/action") { "check" } else { "value" };
        let unknown = words.first().copied().unwrap_or_default();
        return Advice {
            message: format!("unknown {what} `{unknown}`"),
            hint: did_you_mean(unknown, words.iter().skip(1).copied()),
        };
    }
    if message.starts_with("unknown field") {
        let unknown = words.first().copied().unwrap_or_default();
        return Advice {
            message: format!("unknown field `{unknown}`"),
            hint: did_you_mean(unknown, words.iter().skip(1).copied()),
        };
    }
    if message.starts_with("missing field") {
        let missing = words.first().copied().unwrap_or_default();
        return Advice { message: format!("the field `{missing}` is missing"), hint: purpose(missing) };
    }
    if message.contains("untagged enum Parameter") {
        return parameter(part);
    }
    if message.starts_with("invalid type") && message.ends_with("expected a string") {
        return Advice { message: message.to_owned(), hint: Some("put the value in quotes to make it text".into()) };
    }
    if message.contains("Check") {
        let hint = "a check is a mapping with one key, e.g. `text: {contains: Thank you}`".to_owned();
        return Advice { message: message.to_owned(), hint: Some(hint) };
    }
    if message.contains("TextMatch") {
        let hint = "a comparison is a mapping with one key: `equals`, `contains` or `matches`".to_owned();
        return Advice { message: message.to_owned(), hint: Some(hint) };
    }
    Advice { message: message.to_owned(), hint: None }
}

fn purpose(field: &str) -> Option<String> {
    let text = match field {
        "id" => "give the task an id that is unique among all tasks of the run",
        "start_url" => "say where the task starts, e.g. `start_url: https://shop.example/`",
        "instruction" => "say in words what is to be done, e.g. `instruction: Put the cheapest lamp into the cart`",
        _ => return None,
    };
    Some(text.to_owned())
}

/// A parameter that is neither text nor a reference to a secret. Its value is not repeated: it may be a secret.
fn parameter(part: Option<&Value>) -> Advice {
    let literal = part.and_then(|value| value.get("secret")).is_some_and(Value::is_string);
    let message = if literal {
        "a secret is given as its value; only references are accepted"
    } else {
        "a parameter is a text or a reference to a secret"
    };
    let hint = "write `{secret: {env: NAME}}`, `{secret: {file: PATH}}` or the name of a secret that the machine keeps, such as \
                `{secret: shop-password}`; put numbers in quotes to make them text";
    Advice { message: message.into(), hint: Some(hint.into()) }
}
