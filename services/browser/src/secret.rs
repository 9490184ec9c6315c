//! Resolves secrets when they are typed, and redacts them from everything that leaves this room: observations, values
//! of expressions, errors. Pure.

mod echo;
mod entities;
mod escaped;
mod forms;
mod memory;
mod spelled;

use crate::options::SecretSource;
use domain::page::PageError;
use domain::scope::Refused;
use domain::{Effect, Node, Observation, Verdict};
use echo::Echo;
use forms::Forms;
use memory::Memory;
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

/// Begins what stands for a secret, in tasks and in observations.
pub(crate) const SECRET: &str = "${secret:";

/// Replaces every `${secret:NAME}` of a text by its value, and answers which pairs of name and value were used.
///
/// # Errors
/// [`PageError::Secret`] when one has no value; nothing was typed.
pub(crate) fn reveal(text: &str, source: &dyn SecretSource) -> Result<(String, Vec<(String, String)>), PageError> {
    let mut typed = String::new();
    let mut used = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SECRET) {
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
    /// While a field has the focus into which a secret was typed: the texts of the page before.
    held: Option<HashSet<String>>,
    /// Texts that came while a secret was typed and held a beginning of it.
    echoes: HashSet<String>,
    /// What texts said before they were redacted.
    said: Memory,
}

/// A secret with the patterns of its encoded forms.
struct KnownSecret {
    name: String,
    value: String,
    forms: Forms,
    /// Its beginnings, once it was typed.
    echo: Option<Box<Echo>>,
}

impl std::fmt::Debug for KnownSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// A part of a text that is replaced.
type Replaced = (Range<usize>, String);

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
        let (name, value, forms) = (name.to_owned(), value.to_owned(), Forms::of(value));
        self.known.push(KnownSecret { name, value, forms, echo: None });
    }

    /// A secret is about to be typed into a field of this page: from now on its beginnings are redacted, too.
    pub(crate) fn hold(&mut self, name: &str, value: &str, page: &Observation) {
        self.learn(name, value);
        for known in self.known.iter_mut().filter(|known| known.name == name && known.echo.is_none()) {
            known.echo = Echo::of(&known.value).map(Box::new);
        }
        let mut texts = HashSet::from([page.url.clone(), page.title.clone()]);
        for node in &page.nodes {
            texts.extend([&node.text, &node.name].into_iter().chain(&node.value).cloned());
        }
        self.held = Some(texts);
    }

    /// The field was left.
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// Whether no secret is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Redacts a text.
    pub(crate) fn clean(&self, text: &mut String) {
        for known in &self.known {
            known.forms.replace(text, &domain::secret::placeholder(&known.name));
        }
    }

    /// Which of texts that follow each other show a secret, or a part of one.
    pub(crate) fn shows(&self, texts: &[&str]) -> Vec<bool> {
        let parts = self.parts(texts, true, false);
        let is_shown = |(text, parts): (&&str, Vec<Replaced>)| {
            let mut clean = (*text).to_owned();
            self.clean(&mut clean);
            clean != *text || !parts.is_empty()
        };
        texts.iter().zip(parts).map(is_shown).collect()
    }

    /// What a redacted text said; none where nothing in it was redacted.
    pub(crate) fn said(&self, text: &str) -> Option<String> {
        if let Some(said) = self.said.get(text) {
            return Some(said);
        }
        // What the actor says is made of what it was shown.
        let mut said = text.to_owned();
        for known in self.known.iter().filter(|_| text.contains(SECRET)) {
            said = said.replace(&domain::secret::placeholder(&known.name), &known.value);
        }
        (said != text).then_some(said)
    }

    /// The parts of texts that follow each other which belong to a secret, for each text. `spelled`: a secret may be spelled over them;
    /// `keys`: they may be told key by key.
    fn parts(&self, texts: &[&str], spelled: bool, keys: bool) -> Vec<Vec<Replaced>> {
        let mut parts = vec![Vec::new(); texts.len()];
        for KnownSecret { name, value, echo, .. } in &self.known {
            let reference = domain::secret::placeholder(name);
            for piece in spelled.then(|| spelled::pieces(value, texts)).into_iter().flatten() {
                let by = if piece.is_first { reference.clone() } else { String::new() };
                parts[piece.text].push((piece.range, by));
            }
            let Some(echo) = echo else { continue };
            let is_new = |text: &str| {
                self.held.as_ref().is_some_and(|before| !before.contains(text)) || self.echoes.contains(text)
            };
            let told = if keys { echo.keys(texts) } else { Vec::new() };
            for (text, range) in echo.beginnings(texts, &is_new).into_iter().chain(told) {
                parts[text].push((range, reference.clone()));
            }
        }
        // A reference that stands there already is left whole.
        for (text, parts) in texts.iter().zip(&mut parts).filter(|(text, _)| text.contains(SECRET)) {
            let begin = text.match_indices(SECRET).map(|(start, _)| start);
            let references: Vec<Range<usize>> =
                begin.filter_map(|start| Some(start..start + text[start..].find('}')? + 1)).collect();
            parts.retain(|(part, _)| !references.iter().any(|known| part.start < known.end && known.start < part.end));
        }
        parts
    }

    /// Redacts the pieces of secrets in texts that follow each other.
    fn sequence(&mut self, texts: Vec<&mut String>, spelled: bool, keys: bool) {
        let shown: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
        let parts = self.parts(&shown, spelled, keys);
        for (text, mut parts) in texts.into_iter().zip(parts).filter(|(_, parts)| !parts.is_empty()) {
            if self.held.is_some() {
                self.echoes.insert(text.clone());
            }
            parts.sort_by_key(|(range, _)| range.start);
            let (mut clean, mut end) = (String::new(), 0);
            for (range, by) in parts.into_iter() {
                if range.start >= end {
                    clean.push_str(&text[end..range.start]);
                    clean.push_str(&by);
                    end = range.end;
                }
            }
            clean.push_str(&text[end..]);
            *text = clean;
        }
    }

    /// Redacts a text and remembers what it said.
    fn clean_and_remember(&mut self, text: &mut String) {
        if !text.is_empty() && self.known.iter().any(|known| known.forms.are_in(text)) {
            let said = text.clone();
            self.clean(text);
            self.said.remember(text, said);
        }
    }

    /// Redacts texts that follow each other.
    pub(crate) fn texts(&mut self, mut texts: Vec<&mut String>) {
        if self.known.is_empty() {
            return;
        }
        texts.iter_mut().for_each(|text| self.clean_and_remember(text));
        self.sequence(texts, true, false);
    }

    /// Redacts an observation.
    pub(crate) fn observation(&mut self, observation: &mut Observation) {
        if self.known.is_empty() {
            return;
        }
        observation.each_text(&mut |text| self.clean_and_remember(text));
        let heights = heights(observation);
        let highest = heights.iter().copied().max().unwrap_or_default();
        let is_typed = self.known.iter().any(|known| known.echo.is_some());
        for height in 0..=if is_typed { highest } else { highest.min(SPELLED - 1) } {
            let of_height = observation.nodes.iter_mut().zip(&heights).filter(|(_, own)| **own == height);
            let shown = of_height.map(|(node, _)| match &mut node.value {
                Some(value) if node.text.is_empty() => value,
                _ => &mut node.text,
            });
            self.sequence(shown.collect(), height < SPELLED, false);
        }
        self.sequence(observation.nodes.iter_mut().map(|node| &mut node.name).collect(), true, false);
        let attributes = observation.nodes.iter_mut().flat_map(|node| node.attributes.iter_mut());
        self.sequence(attributes.map(|(_, text)| text).collect(), true, false);
        let options = observation.nodes.iter_mut().flat_map(|node| &mut node.options);
        let (labels, values) = options.map(|option| (&mut option.label, &mut option.value)).unzip();
        self.sequence(labels, true, false);
        self.sequence(values, true, false);
        let open = observation.open_requests.iter_mut().map(|open| &mut open.request);
        self.sequence(
            observation.requests.iter_mut().chain(open).map(|request| &mut request.url).collect(),
            false,
            true,
        );
        let (messages, sources) =
            observation.faults.iter_mut().map(|fault| (&mut fault.message, &mut fault.source)).unzip();
        self.sequence(messages, false, true);
        self.sequence(sources, false, true);
        self.sequence(observation.downloads.iter_mut().collect(), false, true);
        let addresses = observation.tabs.iter_mut().map(|tab| &mut tab.url);
        let addresses = addresses.chain(observation.frames.iter_mut().map(|frame| &mut frame.url));
        self.sequence(addresses.collect(), false, false);
        let alone = [&mut observation.url, &mut observation.title, &mut observation.description].into_iter();
        let dialog = observation.dialog.iter_mut().map(|dialog| &mut dialog.message);
        self.sequence(alone.chain(dialog).collect(), false, false);
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
    pub(crate) fn value(&mut self, value: Value) -> Value {
        let mut value = self.renamed(value);
        let mut texts = Vec::new();
        collect(&mut value, &mut texts);
        self.texts(texts);
        value
    }

    /// A value whose field names are redacted.
    fn renamed(&self, value: Value) -> Value {
        match value {
            Value::Array(items) => items.into_iter().map(|item| self.renamed(item)).collect(),
            Value::Object(fields) => {
                let field = |(mut name, value): (String, Value)| {
                    self.clean(&mut name);
                    (name, self.renamed(value))
                };
                Value::Object(fields.into_iter().map(field).collect())
            }
            plain => plain,
        }
    }

    /// Redacts what was found, in the words of the judge.
    pub(crate) fn verdict(&self, mut verdict: Verdict) -> Verdict {
        self.clean(&mut verdict.reason);
        verdict.evidence.iter_mut().for_each(|evidence| self.clean(&mut evidence.observed));
        verdict
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

/// How far above the innermost nodes secrets are looked for that are spelled over several.
const SPELLED: usize = 4;

/// How far each node is above the innermost of those within it.
fn heights(observation: &Observation) -> Vec<usize> {
    let mut heights = vec![0; observation.nodes.len()];
    let nodes: Vec<&Node> = observation.nodes.iter().collect();
    for (index, node) in nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent.and_then(|parent| heights.get(parent.index()).map(|_| parent.index())) {
            heights[parent] = heights[parent].max(heights[index] + 1);
        }
    }
    heights
}

/// The texts in a value.
fn collect<'v>(value: &'v mut Value, texts: &mut Vec<&'v mut String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values_mut().for_each(|field| collect(field, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ElementId;
    use domain::observation::{Constraints, Request};
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
        let mut redactor = Redactor::of(&source());
        let value = json!({"hun&ter2": ["hun&ter2", 1, null], "url": "?hun%26ter2"});
        assert_eq!(redactor.value(value), json!({"${secret:pw}": ["${secret:pw}", 1, null], "url": "?${secret:pw}"}));
        let left = redactor.effect(Effect::LeftScope { url: "http://b.org/hun&ter2".to_owned() });
        assert_eq!(left, Effect::LeftScope { url: "http://b.org/${secret:pw}".to_owned() });
        let error = redactor.error(PageError::Script("Error: hun&ter2".to_owned()));
        assert_eq!(error.to_string(), "evaluate: Error: ${secret:pw}");
    }

    fn node(parent: Option<u32>, text: &str) -> Node {
        Node { parent: parent.map(ElementId), text: text.into(), ..Node::default() }
    }

    #[test]
    fn a_secret_that_is_spelled_over_nodes_is_taken_out_of_each() {
        let mut nodes = vec![node(None, "h u n & t e r 2 now")];
        for letter in ["h", "u", "n&", "ter", "2"] {
            nodes.push(node(Some(0), letter));
            let parent = nodes.len() as u32 - 1;
            nodes.push(node(Some(parent), letter));
        }
        let mut observation = Observation { nodes: nodes.into(), ..Observation::default() };
        Redactor::of(&source()).observation(&mut observation);
        let texts: Vec<&str> = observation.nodes.iter().map(|node| node.text.as_str()).collect();
        assert_eq!(texts[..5], ["${secret:pw} now", "${secret:pw}", "${secret:pw}", "", ""]);
        assert!(texts[5..].iter().all(|text| text.is_empty()), "{texts:?}");
    }

    #[test]
    fn what_grows_with_each_key_is_redacted_until_the_field_is_left_and_wherever_it_stays() {
        let mut redactor = Redactor::of(&source());
        let label = || node(None, "hunt for a bargain");
        redactor.hold("pw", "hun&ter2", &Observation { nodes: vec![label()].into(), ..Observation::default() });
        let request = |url: &str| Request { url: url.into(), ..Request::default() };
        let seen = || Observation {
            title: "hun&".into(),
            nodes: vec![label(), node(None, "you typed hun&te"), node(None, "h"), node(None, "hu"), node(None, "hun")]
                .into(),
            requests: ["/?q=h", "/?q=hu", "/?q=hun", "/k?=h", "/k?=u", "/k?=n", "/k?=%26", "/k?=t", "/k?=e"]
                .map(request)
                .into(),
            ..Observation::default()
        };
        let mut now = seen();
        redactor.observation(&mut now);
        let texts = |seen: &Observation| seen.nodes.iter().map(|node| node.text.clone()).collect::<Vec<_>>();
        let reference = "${secret:pw}";
        let expected = ["hunt for a bargain", "you typed ${secret:pw}", reference, reference, reference];
        assert_eq!(texts(&now), expected);
        assert_eq!(now.title, reference);
        assert!(now.requests[..3].iter().all(|request| request.url == "/?q=${secret:pw}"), "{:?}", now.requests);
        assert!(now.requests[3..].iter().all(|request| request.url == "/k?=${secret:pw}"), "{:?}", now.requests);
        redactor.release();
        let mut later = seen();
        later.nodes.push(node(None, "hun"));
        later.nodes.push(node(None, "gone hun&ting"));
        redactor.observation(&mut later);
        assert_eq!(texts(&later)[..5], expected);
        assert_eq!(texts(&later)[5..], [reference, "gone hun&ting"]);
    }

    #[test]
    fn what_a_text_said_is_known_to_the_judge() {
        let mut redactor = Redactor::of(&source());
        let mut said = "it is hun%26ter2, twice: hun&ter2".to_owned();
        let told = said.clone();
        redactor.texts(vec![&mut said]);
        assert_eq!(said, "it is ${secret:pw}, twice: ${secret:pw}");
        assert_eq!(redactor.said(&said), Some(told));
        assert_eq!(redactor.said("the answer is ${secret:pw}"), Some("the answer is hun&ter2".to_owned()));
        assert_eq!(redactor.said("nothing of it"), None);
    }
}
