//! Refuses what an exploration must leave alone: what deletes, pays, sends or logs out, and in a careful exploration what was
//! there before. A deterministic policy over what the page shows, enforced below every decider. What is sent is judged once more by
//! the gate, under the licence that the action has here.
//!
//! In doubt it refuses. It never widens the scope, which the gate enforces.

mod control;
mod existing;
mod guard;
mod leading;
mod licence;
mod memory;
mod surroundings;

pub use guard::DestructiveGuard;
pub(crate) use memory::is_answer;
pub use memory::{Book, Books, Memory};

use domain::action::ActionKind;
use domain::destructive::{spaced, words};
use domain::exploration::{Guards, Mode};
use domain::harm::{Licence, Opens, Rule, Sent, is_price, refused};
use domain::{Action, ElementId, Node, Observation};
use std::fmt;
use url::Url;

/// Parameters that protect what a link does from being done by other sites (cross-site request forgery), or that allow it.
const PROOFS: [&str; 13] = [
    "token",
    "csrf",
    "csrf_token",
    "csrftoken",
    "csrfmiddlewaretoken",
    "authenticity_token",
    "_token",
    "_wpnonce",
    "_csrf",
    "xsrf",
    "sesskey",
    "crumb",
    "form_key",
];

/// Why an action is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule.
    pub rule: Rule,
    /// What it was read from: a word, a label, an address.
    pub said: String,
}

impl Refusal {
    fn new(rule: Rule, said: impl Into<String>) -> Self {
        Self { rule, said: said.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.said.is_empty() {
            true => f.write_str(self.rule.meaning()),
            false => write!(f, "{} (`{}`)", self.rule.meaning(), self.said),
        }
    }
}

/// Why an action is refused; `None` if it is allowed.
pub fn refusal(action: &Action, page: &Observation, guards: &Guards, memory: &Memory) -> Option<Refusal> {
    let called = action.element().and_then(|element| page.node(*element)).map(label).unwrap_or_default();
    let is_named = !called.is_empty();
    if is_named && guards.deny.names_control(&called) {
        return Some(Refusal::new(Rule::Denied, called));
    }
    let sends = sends_form(action, page);
    if guards.mode == Mode::ReadOnly && sends {
        return Some(Refusal::new(Rule::ReadOnly, called));
    }
    let is_allowed = is_named && guards.allow.names_control(&called);
    let rule = if is_allowed { None } else { of_mode(action, page, guards, memory) };
    let logs_in = action.element().is_some_and(|element| existing::is_log_in(page, *element));
    rule.or_else(|| (guards.dry_run && sends && !logs_in).then(|| Refusal::new(Rule::DryRun, called)))
}

/// What the requests of an action may do; `None` when it goes on with what the action before it may.
pub(crate) fn licence(action: &Action, page: &Observation, guards: &Guards, memory: &Memory) -> Option<Licence> {
    if matches!(action, Action::AcceptDialog { .. } | Action::DismissDialog | Action::Wait { .. }) {
        return None;
    }
    if action.element().is_some_and(|element| existing::is_log_in(page, *element)) {
        return Some(Licence::All);
    }
    let called = action.element().and_then(|element| page.node(*element)).map(label).unwrap_or_default();
    if !called.is_empty() && guards.allow.names_control(&called) {
        return Some(Licence::All);
    }
    Some(if guards.mode == Mode::Careful { licence::of_action(action, page, memory) } else { Licence::Creating })
}

/// The rule of the mode that an action breaks.
fn of_mode(action: &Action, page: &Observation, guards: &Guards, memory: &Memory) -> Option<Refusal> {
    let is_own_link = |refusal: &Refusal| {
        refusal.rule == Rule::UnknownCommand
            && action.element().is_some_and(|element| memory.may_delete(page, *element))
    };
    if let Some(refusal) = of_address_opened(action, page, guards).filter(|refusal| !is_own_link(refusal)) {
        return Some(refusal);
    }
    if guards.mode == Mode::Destructive {
        return None;
    }
    let is_careful = guards.mode == Mode::Careful;
    let word = match action {
        Action::AcceptDialog { .. } => of_dialog(page),
        Action::Click { element, .. } | Action::Check { element, .. } => control::of_control(page, *element, guards),
        Action::Type { element, submit: true, .. } => match submit_button(page, *element) {
            Some(button) => control::of_control(page, button, guards),
            None => control::of_sending(page, *element),
        },
        _ => None,
    };
    let is_own = |refusal: &Refusal| {
        is_careful
            && refusal.rule == Rule::Deletes
            && action.element().is_some_and(|element| memory.may_delete(page, *element))
    };
    let word = word.filter(|refusal| !is_own(refusal));
    let doubtful = || match action {
        Action::Click { element, .. } => {
            leading::of_doubtful_link(page, *element, guards).filter(|refusal| !is_own_link(refusal))
        }
        _ => None,
    };
    let careful = || existing::refusal(action, page, memory).or_else(doubtful);
    word.or_else(|| if is_careful { careful() } else { None })
}

/// The rule that opening an address breaks, by a link or by itself.
fn of_address_opened(action: &Action, page: &Observation, guards: &Guards) -> Option<Refusal> {
    let url = match action {
        Action::Goto { url } => Url::parse(url).ok()?,
        Action::Click { element, .. } => led_to(page, page.node(*element)?)?,
        _ => return None,
    };
    // A link that only leads somewhere needs no proof of who follows it.
    let proves = |name: &str| PROOFS.contains(&name.to_lowercase().as_str());
    if guards.mode == Mode::Careful && url.query_pairs().any(|(name, _)| proves(&name)) {
        return Some(Refusal::new(Rule::ExistingRecord, url.path()));
    }
    of_address(&url, guards).map(|rule| Refusal::new(rule, url.path()))
}

/// The rule that opening an address breaks by what it says.
fn of_address(url: &Url, guards: &Guards) -> Option<Rule> {
    let sent = Sent { method: "GET", url, instead: None, fields: Vec::new(), opens: Opens::Page };
    refused(&sent, Licence::Creating, guards)
}

/// The rule that agreeing to a question of the browser breaks.
fn of_dialog(page: &Observation) -> Option<Refusal> {
    let dialog = page.dialog.as_ref().filter(|dialog| dialog.kind != "beforeunload")?;
    let asks = dialog.kind == "confirm" || dialog.kind == "prompt";
    let pays = || (asks && is_price(&dialog.message)).then(|| Refusal::new(Rule::Pays, "a price"));
    control::told(&dialog.message, asks).or_else(pays)
}

/// Whether an action submits a form.
fn sends_form(action: &Action, page: &Observation) -> bool {
    match action {
        Action::Click { element, .. } => page.node(*element).is_some_and(is_submit) && form(page, *element).is_some(),
        Action::Type { submit, .. } => *submit,
        _ => false,
    }
}

/// Whether a control submits its form.
pub(crate) fn is_submit(node: &Node) -> bool {
    match (node.tag.as_str(), node.attribute("type")) {
        ("button", kind) => !matches!(kind, "button" | "reset"),
        ("input", kind) => matches!(kind, "submit" | "image"),
        _ => false,
    }
}

/// Whether a control sends nothing by its markup: it belongs to no form that it submits, and names no method or address. What its
/// code sends is known to the gate alone.
fn is_bare(page: &Observation, element: ElementId) -> bool {
    page.node(element).is_some_and(|node| {
        let code = node.attribute("onclick");
        let sends = ["fetch(", "submit(", "send(", "confirm(", "ajax("].iter().any(|call| code.contains(call));
        let submits = is_submit(node) && form(page, element).is_some();
        !(sends || submits || leads_somewhere(node) || posts_itself(node))
    })
}

/// Whether a control names what it sends, whatever it looks like.
fn posts_itself(node: &Node) -> bool {
    let names = ["data-method", "data-turbo-method", "hx-post", "hx-put", "hx-delete", "formaction", "form-hidden"];
    names.iter().any(|name| !node.attribute(name).is_empty())
}

/// The form that contains an element.
pub(crate) fn form(page: &Observation, element: ElementId) -> Option<ElementId> {
    page.ancestors(element).find(|(_, node)| node.tag == "form").map(|(id, _)| id)
}

/// The submit button of an element's form.
pub(crate) fn submit_button(page: &Observation, element: ElementId) -> Option<ElementId> {
    let form = form(page, element)?;
    let is_it = |(id, node): &(ElementId, &Node)| is_submit(node) && self::form(page, *id) == Some(form);
    page.interactive().find(is_it).map(|(id, _)| id)
}

/// Whether a form only asks: what it sends stands in an address.
fn only_asks(form: &Node) -> bool {
    !form.attribute("method").eq_ignore_ascii_case("post")
}

/// Whether a control is a link to another page.
fn leads_somewhere(node: &Node) -> bool {
    let href = node.attribute("href").trim_start();
    !href.is_empty() && !href.starts_with('#') && !href.to_ascii_lowercase().starts_with("javascript:")
}

/// Where a link leads.
fn led_to(page: &Observation, node: &Node) -> Option<Url> {
    let href = Some(node.attribute("href")).filter(|_| leads_somewhere(node))?;
    Url::parse(&page.url).ok()?.join(href).ok()
}

/// What a control is called, in its words.
fn label(node: &Node) -> String {
    let text = if node.label().is_empty() { node.attribute("value") } else { node.label() };
    words(text).join(" ")
}

/// Path and query of an address.
fn path_of(address: &str) -> &str {
    let path = address.split('#').next().unwrap_or_default();
    path.split_once("//").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path))
}

/// The words of an address, without its query.
fn words_of_path(address: &str) -> String {
    spaced(path_of(address).split('?').next().unwrap_or_default())
}

fn is_dialog(node: &Node) -> bool {
    matches!(node.role.as_str(), "dialog" | "alertdialog") || node.tag == "dialog"
}

/// Why an exploration may not try a control at all.
pub(crate) fn may_not_try(
    page: &Observation,
    element: ElementId,
    kind: ActionKind,
    guards: &Guards,
    memory: &Memory,
) -> Option<Refusal> {
    let action = match kind {
        ActionKind::Check => Action::Check { element, checked: true },
        ActionKind::Click => Action::click(element),
        ActionKind::Type => Action::Type { element, text: String::new(), submit: false },
        ActionKind::Upload => Action::Upload { element, files: Vec::new() },
        ActionKind::Select => Action::Select { element, options: Vec::new() },
        _ => return None,
    };
    refusal(&action, page, guards, memory)
}

#[cfg(test)]
mod tests;
