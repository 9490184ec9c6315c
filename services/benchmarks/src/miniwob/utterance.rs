//! What a page says is to be done, in words. Pure.

use serde_json::{Map, Value};

/// What stands before fields that come without a sentence of their own.
const LEAD: &str = "Fill in the form with these values and submit it:";

/// The instruction in words of what `core.getUtterance()` returned; `None` when it is neither text nor fields.
///
/// Most pages give a sentence. Some give the sentence with the answers to it as `fields`: only the sentence counts, the
/// fields are for scripted agents. The flight pages give a JSON object of fields: each becomes a line `key: value`.
pub fn in_words(utterance: &Value) -> Option<String> {
    match utterance {
        Value::String(text) => Some(match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => lines(&fields),
            _ => text.trim().to_owned(),
        }),
        Value::Object(fields) => Some(match fields.get("utterance") {
            Some(Value::String(text)) => text.trim().to_owned(),
            _ => lines(fields),
        }),
        _ => None,
    }
}

fn lines(fields: &Map<String, Value>) -> String {
    let mut text = LEAD.to_owned();
    for (key, value) in fields {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("\n{key}: {value}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sentence_stays_as_it_is() {
        assert_eq!(in_words(&json!("Click the \"ok\" button.")).as_deref(), Some("Click the \"ok\" button."));
    }

    #[test]
    fn the_answers_beside_a_sentence_are_left_out() {
        let utterance = json!({ "utterance": "Forward Bo's mail to Al.", "fields": { "by": "Bo", "to": "Al" } });
        assert_eq!(in_words(&utterance).as_deref(), Some("Forward Bo's mail to Al."));
    }

    #[test]
    fn fields_become_lines_in_their_order_whether_they_come_as_text_or_as_an_object() {
        let text = r#"{"Departure City":"New York","Departure Day":6,"Ticket Type":"One-way"}"#;
        let words = "Fill in the form with these values and submit it:\n\
                     Departure City: New York\nDeparture Day: 6\nTicket Type: One-way";
        assert_eq!(in_words(&json!(text)).as_deref(), Some(words));
        let object: Value = serde_json::from_str(text).unwrap();
        assert_eq!(in_words(&object).as_deref(), Some(words));
    }

    #[test]
    fn a_sentence_that_happens_to_be_a_json_number_is_a_sentence() {
        assert_eq!(in_words(&json!("42")).as_deref(), Some("42"));
    }

    #[test]
    fn anything_else_is_no_instruction() {
        assert_eq!(in_words(&Value::Null), None);
        assert_eq!(in_words(&json!([1, 2])), None);
    }
}
