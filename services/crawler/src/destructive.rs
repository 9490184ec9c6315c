//! Refuses destructive actions of an exploration: buttons that delete, pay, send or log out, and in a read-only
//! exploration every form. A deterministic policy over what the page shows, enforced below every decider.
//!
//! In doubt it refuses. It never widens the scope, which the gate enforces.

use async_trait::async_trait;
use domain::action::ActionKind;
use domain::decision::Screenshot;
use domain::destructive::{
    AGREEING, ASKING, LEAVING, binding, command, command_in_path, deletion, handled, irrevocable, is_foreign, picture,
    spaced, words,
};
use domain::exploration::{Guards, Mode};
use domain::page::{Acted, Examination, Page, PageError};
use domain::{Action, Effect, ElementId, Node, Observation};
use serde_json::Value;
use url::Url;

/// Longest text of a dialog or form, in characters, that is searched for what its button confirms.
const READ: usize = 400;

/// Why an action is refused; `None` if it is allowed.
pub fn refusal(action: &Action, observation: &Observation, guards: &Guards) -> Option<String> {
    let sends = sends_form(action, observation);
    if guards.only_reads() && sends {
        return Some("it would send a form, and this exploration is read-only".to_owned());
    }
    if guards.mode == Mode::Destructive {
        return None;
    }
    let word = match action {
        Action::AcceptDialog { .. } => observation
            .dialog
            .as_ref()
            .filter(|dialog| dialog.kind != "beforeunload")
            .and_then(|dialog| command(&dialog.message)),
        Action::Click { element, .. } | Action::Check { element, .. } => of_control(observation, *element),
        Action::Type { element, submit: true, .. } => match submit_button(observation, *element) {
            Some(button) => of_control(observation, button),
            None => of_sending(observation, *element),
        },
        Action::Goto { url } => of_address(url),
        _ => None,
    };
    word.map(|word| format!("it may be destructive (`{word}`)"))
}

/// Whether an action submits a form.
fn sends_form(action: &Action, observation: &Observation) -> bool {
    match action {
        Action::Click { element, .. } => {
            observation.node(*element).is_some_and(is_submit) && form(observation, *element).is_some()
        }
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

/// The form that contains an element.
pub(crate) fn form(observation: &Observation, element: ElementId) -> Option<ElementId> {
    observation.ancestors(element).find(|(_, node)| node.tag == "form").map(|(id, _)| id)
}

/// The submit button of an element's form.
pub(crate) fn submit_button(observation: &Observation, element: ElementId) -> Option<ElementId> {
    let form = form(observation, element)?;
    let is_it = |(id, node): &(ElementId, &Node)| is_submit(node) && self::form(observation, *id) == Some(form);
    observation.interactive().find(is_it).map(|(id, _)| id)
}

/// The destructive word of a control, if any.
fn of_control(observation: &Observation, element: ElementId) -> Option<String> {
    let node = observation.node(element)?;
    let label = label(node);
    if let Some(word) = of_author(node).or_else(|| of_picture(observation, element, node)) {
        return Some(word);
    }
    if LEAVING.contains(&label.as_str()) {
        return Some(label);
    }
    let href = node.attribute("href");
    let leads_somewhere = !href.is_empty() && !href.starts_with('#') && !href.starts_with("javascript:");
    if leads_somewhere {
        // A link to a page about sending is harmless; a command has two or three words.
        let is_short = label.split_whitespace().count() <= 3;
        let is_command = |word: &String| is_short && (label.starts_with(word.as_str()) || is_foreign(word));
        return of_address(href).or_else(|| command(&label).filter(is_command));
    }
    if is_submit(node)
        && let Some(word) = of_sending(observation, element).or_else(|| chosen(observation, element))
    {
        return Some(word);
    }
    // A question is no command: clicking it opens the answer.
    let is_question =
        node.label().trim_end().ends_with('?') || ASKING.iter().any(|word| label.split(' ').next() == Some(*word));
    if is_question {
        return None;
    }
    let named = command(&label).or_else(|| {
        let words =
            ["id", "name", "class", "title", "value", "data-testid", "data-action"].map(|name| node.attribute(name));
        if label.is_empty() { words.into_iter().find_map(|text| command(&spaced(text))) } else { None }
    });
    named.or_else(|| if AGREEING.contains(&label.as_str()) { of_surroundings(observation, element) } else { None })
}

/// The destructive word in a control's markup: a title, a method, a handler, hidden fields.
fn of_author(node: &Node) -> Option<String> {
    const METHODS: [&str; 3] = ["data-method", "data-turbo-method", "form-hidden"];
    let method = METHODS.into_iter().find_map(|name| deletion(&spaced(node.attribute(name))));
    let posts = ["hx-post", "hx-put"].into_iter().find_map(|name| of_address(node.attribute(name)));
    let asked = ["data-confirm", "data-turbo-confirm", "hx-confirm"].into_iter().find_map(|name| {
        let question = node.attribute(name);
        command(question).or_else(|| irrevocable(question))
    });
    let told =
        ["title", "data-action", "data-command"].into_iter().find_map(|name| command(&spaced(node.attribute(name))));
    let deletes = node.attributes.contains_key("hx-delete").then(|| "delete".to_owned());
    deletes.or(method).or(told).or(asked).or(posts).or_else(|| handled(node.attribute("onclick")))
}

/// The destructive word of an icon. On a list item a cross removes the item, and an unlabelled control may do so.
fn of_picture(observation: &Observation, element: ElementId, node: &Node) -> Option<String> {
    if let Some(word) = picture(&node.icon) {
        return Some(word);
    }
    let is_of_an_item =
        || observation.item(element).and_then(|item| observation.node(item)).is_some_and(|item| !is_dialog(item));
    let is_field = matches!(node.tag.as_str(), "input" | "select" | "textarea")
        || matches!(node.role.as_str(), "checkbox" | "radio" | "switch" | "textbox" | "combobox" | "slider" | "tab");
    if is_field || !node.attribute("href").is_empty() || !label(node).is_empty() || !is_of_an_item() {
        return None;
    }
    match node.icon.as_str() {
        "" => Some("a control without a name".to_owned()),
        cross
            if words(cross).iter().any(|word| matches!(word.as_str(), "close" | "x" | "times" | "cross" | "xmark")) =>
        {
            Some("a cross".to_owned())
        }
        _ => None,
    }
}

/// The destructive word in the submit address of an element's form.
fn of_sending(observation: &Observation, element: ElementId) -> Option<String> {
    let address = sent_to(observation, element);
    let form = form(observation, element).and_then(|form| observation.node(form));
    let is_post = form.is_some_and(|form| form.attribute("method").eq_ignore_ascii_case("post"));
    of_address(&address).or_else(|| if is_post { binding(&spaced(path_of(&address))) } else { None })
}

/// The address that a button submits its form to.
fn sent_to(observation: &Observation, button: ElementId) -> String {
    let own = observation.node(button).map(|node| node.attribute("formaction")).filter(|own| !own.is_empty());
    let of_form = || Some(observation.node(form(observation, button)?)?.attribute("action"));
    own.or_else(of_form).unwrap_or_default().to_owned()
}

/// The deletion selected in a button's form: a ticked box or a list option.
fn chosen(observation: &Observation, button: ElementId) -> Option<String> {
    let form = form(observation, button)?;
    let within = observation.interactive().filter(|(id, _)| self::form(observation, *id) == Some(form));
    within
        .flat_map(|(_, node)| {
            let ticked = (node.states.checked == Some(true)).then(|| node.label());
            let options = node
                .options
                .iter()
                .filter(|option| option.selected)
                .flat_map(|option| [&*option.label, &*option.value]);
            ticked.into_iter().chain(options).filter_map(deletion).collect::<Vec<_>>()
        })
        .next()
}

fn label(node: &Node) -> String {
    let text = if node.label().is_empty() { node.attribute("value") } else { node.label() };
    words(text).join(" ")
}

/// The destructive word in the dialog or form around a button.
fn of_surroundings(observation: &Observation, element: ElementId) -> Option<String> {
    let is_around = |node: &Node| is_dialog(node) || node.role == "form" || node.tag == "form";
    let around: Vec<ElementId> =
        observation.ancestors(element).filter(|(_, node)| is_around(node)).map(|(id, _)| id).collect();
    around.into_iter().find_map(|around| {
        let node = observation.node(around)?;
        let mut said =
            format!("{} {} ", node.name, spaced(&format!("{} {}", node.attribute("id"), node.attribute("name"))));
        let within = |(id, _): &(ElementId, &Node)| observation.ancestors(*id).any(|(above, _)| above == around);
        for (_, inner) in observation.elements().filter(within).filter(|(_, inner)| !inner.is_interactive()) {
            said.push_str(inner.label());
            said.push(' ');
        }
        let said: String = said.chars().take(READ).collect();
        command(&said).or_else(|| if is_dialog(node) { irrevocable(&said) } else { None })
    })
}

/// The destructive word in an address.
fn of_address(address: &str) -> Option<String> {
    command_in_path(&spaced(path_of(address)))
}

/// Path and query of an address.
fn path_of(address: &str) -> &str {
    let path = address.split('#').next().unwrap_or_default();
    path.split_once("//").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path))
}

fn is_dialog(node: &Node) -> bool {
    matches!(node.role.as_str(), "dialog" | "alertdialog") || node.tag == "dialog"
}

/// Decorator over `Page` that refuses destructive actions. A refused action is an [`Effect::Failed`] with the reason.
pub struct DestructiveGuard<'a> {
    page: &'a mut dyn Page,
    guards: Option<Guards>,
}

impl<'a> DestructiveGuard<'a> {
    /// Decorates a page; without guards every action passes.
    pub fn new(page: &'a mut dyn Page, guards: Option<Guards>) -> Self {
        Self { page, guards }
    }
}

#[async_trait]
impl Page for DestructiveGuard<'_> {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.page.open(url).await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        self.page.observe().await
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        match self.guards.as_ref().and_then(|guards| refusal(action, before, guards)) {
            None => self.page.act(action, before).await,
            Some(cause) => {
                let observation = self.page.observe().await?;
                Ok(Acted::of(Effect::Failed { cause: format!("left alone: {cause}") }, observation))
            }
        }
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.page.examine().await
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.page.screenshot().await
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.page.evaluate(expression).await
    }
}

/// Whether an exploration may try a control at all.
pub(crate) fn may_try(observation: &Observation, element: ElementId, kind: ActionKind, guards: &Guards) -> bool {
    let action = match kind {
        ActionKind::Check => Action::Check { element, checked: true },
        ActionKind::Click => Action::click(element),
        _ => return true,
    };
    refusal(&action, observation, guards).is_none()
}

#[cfg(test)]
mod tests;
