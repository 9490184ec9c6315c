//! What is put into the fields of forms, and what else after a form was refused. By type, autocomplete token, name and label,
//! constraints, and the message that the browser or the page shows.
//!
//! The same field gets the same value at the same attempt, so that a way through the map can be walked again; only what is
//! taken already is varied anew each time, and days are reckoned from today.

mod day;
mod refusal;
#[cfg(test)]
mod tests;
mod value;

use chrono::NaiveDate;
use domain::action::ActionKind;
use domain::destructive::deletion;
use domain::observation::SelectOption;
use domain::upload;
use domain::{Action, ElementId, Node, Observation};

pub(crate) use value::is_usual as is_usual_value;

/// How often a refused form is mended.
pub(crate) const REPAIRS: u32 = 2;

/// Words by which a box says that who does not tick it gets no further.
const TERMS: [&str; 8] = ["terms", "agree", "accept", "conditions", "consent", "privacy", "i have read", "policy"];
/// Words by which a field says that it repeats another.
const REPEATING: [&str; 7] = ["confirm", "repeat", "again", "retype", "re-enter", "verify", "password2"];

/// What to do to a field at an attempt, from 0; `None` when it is left as it is.
pub(crate) fn fill(observation: &Observation, element: ElementId, attempt: u32, today: NaiveDate) -> Option<Action> {
    let node = observation.node(element)?;
    if node.states.disabled || node.states.readonly {
        return None;
    }
    if node.allows(ActionKind::Select) {
        return option(&node.options, attempt).map(|label| Action::Select { element, options: vec![label] });
    }
    if node.allows(ActionKind::Upload) {
        let accept = node.constraints.as_ref().and_then(|constraints| constraints.accept.as_deref());
        return Some(Action::Upload { element, files: vec![upload::accepted(accept.unwrap_or_default()).to_owned()] });
    }
    if node.allows(ActionKind::Type) {
        return Some(Action::Type { element, text: text(observation, element, attempt, today), submit: false });
    }
    node.allows(ActionKind::Check).then_some(Action::Check { element, checked: true })
}

/// The fields of a form that want something before it is sent: those that are empty, and after a refusal those that it names.
pub(crate) fn wanting(
    observation: &Observation,
    form: ElementId,
    after_refusal: bool,
    today: NaiveDate,
) -> Vec<ElementId> {
    let mut radios: Vec<&str> = Vec::new();
    let mut wanting = Vec::new();
    let refuses_pair = after_refusal
        && fields(observation, form).any(|(id, node)| is_password(node) && !said_about(observation, id).is_empty());
    let is_filled = |node: &Node| node.value.as_deref().is_some_and(|value| !value.is_empty());
    // A form that shows what is known already changes it: who leaves its password empty keeps the one they log in with. What was
    // typed while exploring was not known.
    let is_known = |(id, node): &(ElementId, &Node)| {
        node.allows(ActionKind::Type)
            && is_filled(node)
            && node.value.as_deref() != Some(&*text(observation, *id, 0, today))
    };
    let edits = fields(observation, form).any(|field| is_known(&field));
    for (id, node) in fields(observation, form) {
        let constraints = node.constraints.clone().unwrap_or_default();
        let is_refused = is_refused(node) || !said_about(observation, id).is_empty();
        let is_wanting = if node.role == "radio" {
            let group = node.attribute("name");
            let is_first = !radios.contains(&group);
            radios.push(group);
            let is_chosen = |(_, other): (ElementId, &Node)| {
                other.role == "radio" && other.attribute("name") == group && other.states.checked == Some(true)
            };
            is_first && !observation.elements().any(is_chosen)
        } else if node.allows(ActionKind::Select) {
            let chosen = node.options.iter().find(|option| option.selected);
            chosen.is_none_or(|option| option.value.is_empty()) || (after_refusal && is_refused)
        } else if node.allows(ActionKind::Upload) {
            !is_filled(node)
        } else if node.allows(ActionKind::Type) {
            let is_kept = edits && is_password(node) && !constraints.required && !after_refusal;
            let is_empty = !is_filled(node) && !is_kept;
            // Of two fields that are to hold the same, both are filled in again.
            is_empty || (after_refusal && is_refused) || (refuses_pair && is_password(node))
        } else {
            let is_asked = is_required(node) || is_terms(node) || (after_refusal && is_refused);
            node.allows(ActionKind::Check) && is_asked && node.states.checked == Some(false)
        };
        if is_wanting {
            wanting.push(id);
        }
    }
    wanting
}

/// The fields of a form that are given something other than before, by the number of the variation: other choices each time; what
/// is optional is filled in and left empty in turn.
pub(crate) fn varied(observation: &Observation, form: ElementId, variation: u32) -> Vec<ElementId> {
    let fills_all = variation % 2 == 1;
    let mut varied = Vec::new();
    for (id, node) in fields(observation, form) {
        let is_asked = is_required(node) || is_terms(node);
        let is_empty = node.value.as_deref().is_none_or(str::is_empty);
        let is_wanted = if node.role == "radio" {
            let group = node.attribute("name");
            let alike: Vec<ElementId> = fields(observation, form)
                .filter(|(_, other)| other.role == "radio" && other.attribute("name") == group)
                .map(|(id, _)| id)
                .collect();
            alike.get(variation as usize % alike.len().max(1)) == Some(&id)
        } else if node.allows(ActionKind::Select) {
            node.options.len() > 1
        } else if node.allows(ActionKind::Check) {
            node.states.checked == Some(false) && (is_asked || fills_all)
        } else {
            is_empty && (is_asked || fills_all)
        };
        if is_wanted {
            varied.push(id);
        }
    }
    varied
}

/// The names of a form's fields, where there is something to choose; `None` where it is always sent alike.
pub(crate) fn choices(observation: &Observation, form: ElementId) -> Option<String> {
    let all: Vec<&Node> = fields(observation, form).map(|(_, node)| node).filter(|node| node.is_field()).collect();
    let is_choice = |node: &&Node| node.options.len() > 1 || node.allows(ActionKind::Check);
    let is_optional = |node: &&Node| node.allows(ActionKind::Type) && !is_required(node);
    let varies = all.iter().any(is_choice) || (all.len() > 1 && all.iter().any(is_optional));
    varies.then(|| all.iter().map(|node| node.attribute("name")).collect::<Vec<_>>().join(","))
}

/// Whether a page refuses what stands in some field, and says so.
pub(crate) fn refuses(observation: &Observation, form: ElementId) -> bool {
    fields(observation, form).any(|(id, node)| is_refused(node) || !said_about(observation, id).is_empty())
}

fn fields(observation: &Observation, form: ElementId) -> impl Iterator<Item = (ElementId, &Node)> {
    observation.interactive().filter(move |(id, _)| observation.ancestors(*id).any(|(above, _)| above == form))
}

fn is_refused(node: &Node) -> bool {
    node.attribute("aria-invalid") == "true"
        || (node.states.invalid
            && node.constraints.as_ref().is_some_and(|constraints| constraints.validation_message.is_some()))
}

fn is_password(node: &Node) -> bool {
    node.attribute("type") == "password"
}

/// Whether a field says that it must be filled in.
fn is_required(node: &Node) -> bool {
    let label = node.label().trim_end_matches([':', ' ']);
    node.constraints.as_ref().is_some_and(|constraints| constraints.required)
        || label.ends_with('*')
        || label.to_lowercase().ends_with("(required)")
}

fn is_terms(node: &Node) -> bool {
    let words = [node.label(), &node.context, node.attribute("name")].join(" ").to_lowercase();
    TERMS.iter().any(|word| words.contains(word))
}

/// What the page says against a field: the browser's message, a text that the field itself refers to, one right behind the
/// field that looks like a refusal, or one anywhere in such a list that begins with the field's name.
fn said_about(observation: &Observation, element: ElementId) -> String {
    let Some(node) = observation.node(element) else { return String::new() };
    let mut said: Vec<&str> = Vec::new();
    if is_refused(node) {
        said.extend(node.constraints.as_ref().and_then(|constraints| constraints.validation_message.as_deref()));
    }
    let refers = [node.attribute("aria-errormessage"), node.attribute("aria-describedby")];
    let refers: Vec<&str> = refers.iter().flat_map(|ids| ids.split_whitespace()).collect();
    let is_named = |other: &Node| refers.contains(&other.attribute("id")) && !other.attribute("id").is_empty();
    if is_refused(node) && !refers.is_empty() {
        said.extend(observation.nodes.iter().filter(|other| is_named(other)).map(Node::label));
    }
    let behind = observation.elements().skip(element.index() + 1);
    let (between, next): (Vec<&Node>, Option<&Node>) = {
        let mut between = Vec::new();
        let mut next = None;
        for (_, other) in behind.take(6) {
            if other.is_interactive() {
                next = Some(other);
                break;
            }
            between.push(other);
        }
        (between, next)
    };
    // A message that stands between two fields is the second one's where only that is marked.
    let is_of_next = !is_refused(node) && next.is_some_and(is_refused);
    if !is_of_next {
        said.extend(between.into_iter().take(4).filter(|other| is_refusal(other)).map(Node::label));
    }
    let name = node.label().trim_end_matches([':', '*', ' ']).to_lowercase();
    if name.chars().count() > 2 {
        said.extend(listed(observation).filter(|message| begins_with(message, &name)));
    }
    let mut told: Vec<&str> = Vec::new();
    for message in said.into_iter().filter(|message| !message.is_empty()) {
        if !told.contains(&message) {
            told.push(message);
        }
    }
    told.join(" ")
}

/// What a page says in places where refusals stand.
pub(crate) fn refusals(observation: &Observation) -> impl Iterator<Item = &str> {
    observation.nodes.iter().filter(|node| is_refusal(node)).map(Node::label).filter(|said| !said.is_empty())
}

fn is_refusal(node: &Node) -> bool {
    let class = node.attribute("class").to_lowercase();
    node.role == "alert" || ["error", "invalid", "danger"].iter().any(|word| class.contains(word))
}

/// The messages of lists that say all that is wrong with a form.
fn listed(observation: &Observation) -> impl Iterator<Item = &str> {
    let is_listed = |(id, node): &(ElementId, &Node)| {
        node.tag == "li" && observation.ancestors(*id).any(|(_, above)| is_refusal(above))
    };
    observation.elements().filter(is_listed).map(|(_, node)| node.label())
}

/// Whether a message is about a field of that name, and not about one whose name only begins so.
fn begins_with(message: &str, name: &str) -> bool {
    let message = message.to_lowercase();
    let message = message.strip_prefix("the ").unwrap_or(&message);
    let Some(rest) = message.strip_prefix(name) else { return false };
    !rest.starts_with(char::is_alphanumeric) && !rest.trim_start().starts_with("confirmation")
}

fn option(options: &[SelectOption], attempt: u32) -> Option<String> {
    let ends = |option: &SelectOption| [&option.label, &option.value].into_iter().any(|text| deletion(text).is_some());
    let real: Vec<&SelectOption> = options.iter().filter(|option| !option.value.is_empty() && !ends(option)).collect();
    let other: Vec<&&SelectOption> = real.iter().filter(|option| !option.selected).collect();
    let chosen = other.get(attempt as usize % other.len().max(1)).copied().or(real.first())?;
    Some(chosen.label.clone())
}

/// A text for a field.
fn text(observation: &Observation, element: ElementId, attempt: u32, today: NaiveDate) -> String {
    let original = original(observation, element);
    let Some(node) = observation.node(original) else { return String::new() };
    let plain = value::plain(node, today);
    let said = said_about_all(observation, original);
    if attempt == 0 || said.is_empty() || refusal::wants_the_same(&said) {
        return plain;
    }
    let none = domain::observation::Constraints::default();
    let constraints = node.constraints.as_deref().unwrap_or(&none);
    // What stands there now was refused; what would be typed anyway may not have been.
    let before = node.value.as_deref().filter(|before| !before.is_empty() && value::obeys(before, constraints));
    let before = before.unwrap_or(&plain);
    match refusal::mended(node, &said, before, attempt, fresh(observation), today) {
        Some(mended) => value::fitted(mended, constraints),
        None => plain,
    }
}

/// What the page says against a field and those that repeat it.
fn said_about_all(observation: &Observation, original: ElementId) -> String {
    let same = observation.interactive().map(|(id, _)| id).filter(|id| self::original(observation, *id) == original);
    let said: Vec<String> = same.map(|id| said_about(observation, id)).filter(|said| !said.is_empty()).collect();
    said.join(" ")
}

/// The field that another one repeats: of its kind, before it in its form. Any other field is its own.
fn original(observation: &Observation, element: ElementId) -> ElementId {
    let Some(node) = observation.node(element) else { return element };
    let repeats = value::words(node).iter().any(|words| {
        let words = words.to_lowercase();
        REPEATING.iter().any(|word| words.contains(word))
    });
    let form = |element| observation.ancestors(element).find(|(_, above)| above.role == "form").map(|(id, _)| id);
    let own = form(element);
    let is_it = |(id, other): &(ElementId, &Node)| {
        id.index() < element.index()
            && other.allows(ActionKind::Type)
            && other.attribute("type") == node.attribute("type")
            && form(*id) == own
    };
    let before = observation.interactive().filter(is_it).last();
    before.filter(|_| repeats).map_or(element, |(id, _)| id)
}

/// A number of three digits that is another one on every page that is seen.
fn fresh(observation: &Observation) -> u32 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(observation.stamp.session.as_bytes()).update(&observation.stamp.number.to_le_bytes());
    let bytes = hasher.finalize();
    100 + u32::from(u16::from_le_bytes([bytes.as_bytes()[0], bytes.as_bytes()[1]])) % 900
}
