//! Resolves secrets when they are typed, and redacts them from everything that leaves this room: observations, values
//! of expressions, errors. Pure.

mod forms;

use crate::options::SecretSource;
use domain::observation::Constraints;
use domain::page::PageError;
use domain::scope::Refused;
use domain::{Effect, Fault, Node, Observation};
use forms::Forms;
use serde_json::Value;
use std::ops::Range;

/// Replaces every `${secret:NAME}` of a text by its value, and answers which pairs of name and value were used.
///
/// # Errors
/// [`PageError::Secret`] when one has no value; nothing was typed.
pub(crate) fn reveal(text: &str, source: &dyn SecretSource) -> Result<(String, Vec<(String, String)>), PageError> {
    let mut typed = String::new();
    let mut used = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${secret:") {
        let Some((name, behind)) = after.split_once('}') else { break };
        let value = source.secret(name).map_err(|cause| PageError::Secret { name: name.to_owned(), cause })?;
        typed.push_str(before);
        typed.push_str(&value);
        used.push((name.to_owned(), value));
        rest = behind;
    }
    typed.push_str(rest);
    Ok((typed, used))
}

/// Replaces secret values by their references wherever a page shows, sends or reports them.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    known: Vec<KnownSecret>,
}

/// A secret with the patterns of its encoded forms.
struct KnownSecret {
    name: String,
    value: String,
    forms: Forms,
}

impl std::fmt::Debug for KnownSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Redactor {
    /// Loads all readable secrets of a source, since a page may know them from an earlier attempt.
    pub(crate) fn of(source: &dyn SecretSource) -> Redactor {
        let mut redactor = Redactor::default();
        for name in source.names() {
            if let Ok(value) = source.secret(&name) {
                redactor.learn(&name, &value);
            }
        }
        redactor
    }

    /// Redacts a value from now on.
    pub(crate) fn learn(&mut self, name: &str, value: &str) {
        if value.trim().is_empty() || self.known.iter().any(|known| known.name == name && known.value == value) {
            return;
        }
        self.known.push(KnownSecret { name: name.to_owned(), value: value.to_owned(), forms: Forms::of(value) });
    }

    /// Whether no secret is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Where secrets stand in a text that has no white space, forwards or backwards, in bytes.
    pub(crate) fn spelled(&self, text: &str) -> Vec<Range<usize>> {
        let bare = |value: &str| -> String { value.split_whitespace().collect() };
        let values = self.known.iter().map(|known| bare(&known.value));
        let both = values.flat_map(|value| [value.chars().rev().collect::<String>(), value]);
        let found = |value: String| -> Vec<Range<usize>> {
            text.match_indices(&value).map(|(start, found)| start..start + found.len()).collect()
        };
        both.filter(|value| !value.is_empty()).flat_map(found).collect()
    }

    /// Redacts a text.
    pub(crate) fn clean(&self, text: &mut String) {
        for known in &self.known {
            known.forms.replace(text, &domain::secret::placeholder(&known.name));
        }
    }

    /// Redacts an observation.
    pub(crate) fn observation(&self, observation: &mut Observation) {
        if self.known.is_empty() {
            return;
        }
        // Destructured in full, so that a new field cannot be forgotten.
        let Observation {
            stamp: _,
            url,
            title,
            description,
            language,
            nodes,
            frames,
            viewport: _,
            dialog,
            tabs,
            faults,
            requests,
            downloads,
            settled: _,
            truncated: _,
            unread,
            open_requests,
        } = observation;
        [url, title, description, language].into_iter().for_each(|text| self.clean(text));
        nodes.iter_mut().for_each(|node| self.node(node));
        for frame in frames {
            self.clean(&mut frame.url);
            self.clean(&mut frame.xpath);
        }
        tabs.iter_mut().for_each(|tab| self.clean(&mut tab.url));
        dialog.iter_mut().for_each(|dialog| self.clean(&mut dialog.message));
        let open = open_requests.iter_mut().map(|open| &mut open.request);
        requests.iter_mut().chain(open).for_each(|request| self.clean(&mut request.url));
        unread.iter_mut().for_each(|part| self.clean(&mut part.at));
        downloads.iter_mut().for_each(|download| self.clean(download));
        for Fault { category: _, message, source, line: _, first_party: _ } in faults {
            self.clean(message);
            self.clean(source);
        }
    }

    fn node(&self, node: &mut Node) {
        let Node {
            parent: _,
            frame: _,
            role,
            tag,
            name,
            text,
            value,
            attributes,
            states: _,
            bounds: _,
            visibility: _,
            operations: _,
            interactive_by: _,
            options,
            constraints,
            context,
            xpath,
            in_shadow: _,
            color: _,
            is_item: _,
            icon,
        } = node;
        self.clean(icon);
        [role, tag, name, text, context, xpath].into_iter().for_each(|text| self.clean(text));
        value.iter_mut().for_each(|text| self.clean(text));
        attributes.iter_mut().for_each(|(_, text)| self.clean(text));
        for option in options {
            self.clean(&mut option.label);
            self.clean(&mut option.value);
        }
        if let Some(constraints) = constraints {
            let Constraints {
                required: _,
                pattern,
                min,
                max,
                step,
                min_length: _,
                max_length: _,
                autocomplete,
                accept,
                validation_message,
            } = constraints.as_mut();
            let texts = [pattern, min, max, step, autocomplete, accept, validation_message];
            texts.into_iter().flatten().for_each(|text| self.clean(text));
        }
    }

    /// Redacts an effect.
    pub(crate) fn effect(&self, mut effect: Effect) -> Effect {
        match &mut effect {
            Effect::Changed { .. } | Effect::NoChange => {}
            Effect::Rejected { message: text }
            | Effect::Failed { cause: text }
            | Effect::Unconfirmed { cause: text }
            | Effect::LeftScope { url: text } => {
                self.clean(text);
            }
        }
        effect
    }

    /// Redacts a JSON value, field names included.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(mut text) => {
                self.clean(&mut text);
                Value::String(text)
            }
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let field = |(mut name, value): (String, Value)| {
                    self.clean(&mut name);
                    (name, self.value(value))
                };
                Value::Object(fields.into_iter().map(field).collect())
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    /// Redacts an error.
    pub(crate) fn error(&self, mut error: PageError) -> PageError {
        match &mut error {
            PageError::OutOfScope(Refused::Scheme { url: text, .. } | Refused::Host { url: text })
            | PageError::Secret { cause: text, .. }
            | PageError::Script(text)
            | PageError::NoSlot(text)
            | PageError::SessionLost(text)
            | PageError::BrowserCrashed(text)
            | PageError::Driver(text) => self.clean(text),
            PageError::Unreachable { url, cause } => {
                self.clean(url);
                self.clean(cause);
            }
            PageError::Stale { .. } | PageError::DialogLoop(_) => {}
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn source() -> BTreeMap<String, String> {
        BTreeMap::from([("pw".to_owned(), "hun&ter2".to_owned())])
    }

    #[test]
    fn a_reference_becomes_its_value_only_here() {
        let (typed, used) = reveal("my ${secret:pw}!", &source()).unwrap();
        assert_eq!(typed, "my hun&ter2!");
        assert_eq!(used, [("pw".to_owned(), "hun&ter2".to_owned())]);
    }

    #[test]
    fn an_unknown_secret_is_refused_by_name() {
        let error = reveal("${secret:other}", &source()).unwrap_err();
        assert!(error.to_string().contains("`other`"), "{error}");
    }

    #[test]
    fn a_page_that_shows_the_secret_is_observed_with_the_reference() {
        let constraints = Some(Box::new(Constraints {
            validation_message: Some("not hun&ter2".to_owned()),
            ..Constraints::default()
        }));
        let node = Node { text: "welcome hun&ter2".to_owned(), constraints, ..Node::default() };
        let mut observation = Observation {
            url: "http://a.org/?p=hun%26ter2".to_owned(),
            nodes: vec![node].into(),
            ..Observation::default()
        };
        Redactor::of(&source()).observation(&mut observation);
        assert_eq!(observation.nodes[0].text, "welcome ${secret:pw}");
        assert_eq!(observation.url, "http://a.org/?p=${secret:pw}");
        let message = observation.nodes[0].constraints.as_ref().and_then(|found| found.validation_message.as_deref());
        assert_eq!(message, Some("not ${secret:pw}"));
    }

    #[test]
    fn values_effects_and_errors_are_told_with_the_reference() {
        let redactor = Redactor::of(&source());
        let value = json!({"hun&ter2": ["hun&ter2", 1, null], "url": "?hun%26ter2"});
        assert_eq!(redactor.value(value), json!({"${secret:pw}": ["${secret:pw}", 1, null], "url": "?${secret:pw}"}));
        let left = redactor.effect(Effect::LeftScope { url: "http://b.org/hun&ter2".to_owned() });
        assert_eq!(left, Effect::LeftScope { url: "http://b.org/${secret:pw}".to_owned() });
        let error = redactor.error(PageError::Script("Error: hun&ter2".to_owned()));
        assert_eq!(error.to_string(), "evaluate: Error: ${secret:pw}");
    }
}
