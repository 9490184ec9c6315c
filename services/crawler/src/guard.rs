//! What an exploration leaves alone: buttons that delete, pay, send or log out, and in a read-only one every form. A
//! deterministic policy over what the page shows, below whoever decides (DESIGN section 10).
//!
//! Errs on the side of leaving alone. It never widens the scope: that is enforced at the network.

mod words;

pub(crate) use words::deletion;

use async_trait::async_trait;
use domain::action::ActionKind;
use domain::decision::Screenshot;
use domain::exploration::Guards;
use domain::page::{Acted, Examination, Page, PageError};
use domain::{Action, Effect, ElementId, Node, Observation};
use serde_json::Value;
use url::Url;
use words::{AGREEING, ASKING, command, irrevocable, is_foreign, spaced, words};

/// The longest text of a dialog or form that is read for what its button agrees to, in characters.
const READ: usize = 400;

/// Why an action is left alone; `None` when it may be done.
pub fn refusal(action: &Action, observation: &Observation, guards: Guards) -> Option<String> {
    let sends = sends_form(action, observation);
    if guards.read_only && sends {
        return Some("it would send a form, and this exploration is read-only".to_owned());
    }
    if guards.allow_destructive {
        return None;
    }
    let word = match action {
        Action::AcceptDialog { .. } => observation
            .dialog
            .as_ref()
            .filter(|dialog| dialog.kind != "beforeunload")
            .and_then(|dialog| command(&dialog.message)),
        Action::Click { element, .. } | Action::Check { element, .. } => of_control(observation, *element),
        Action::Type { element, submit: true, .. } => {
            submit_button(observation, *element).and_then(|button| of_control(observation, button))
        }
        Action::Goto { url } => of_address(url),
        _ => None,
    };
    word.map(|word| format!("it may be destructive (`{word}`)"))
}

/// Whether an action sends a form.
fn sends_form(action: &Action, observation: &Observation) -> bool {
    match action {
        Action::Click { element, .. } => {
            observation.node(*element).is_some_and(is_submit) && form(observation, *element).is_some()
        }
        Action::Type { submit, .. } => *submit,
        _ => false,
    }
}

/// Whether a control sends the form that it stands in.
pub(crate) fn is_submit(node: &Node) -> bool {
    match (node.tag.as_str(), node.attribute("type")) {
        ("button", kind) => !matches!(kind, "button" | "reset"),
        ("input", kind) => matches!(kind, "submit" | "image"),
        _ => false,
    }
}

/// The form that an element stands in.
pub(crate) fn form(observation: &Observation, element: ElementId) -> Option<ElementId> {
    observation.ancestors(element).find(|(_, node)| node.tag == "form").map(|(id, _)| id)
}

/// The button that sends the form of an element.
pub(crate) fn submit_button(observation: &Observation, element: ElementId) -> Option<ElementId> {
    let form = form(observation, element)?;
    let is_it = |(id, node): &(ElementId, &Node)| is_submit(node) && self::form(observation, *id) == Some(form);
    observation.interactive().find(is_it).map(|(id, _)| id)
}

/// The destructive word that a control stands for.
fn of_control(observation: &Observation, element: ElementId) -> Option<String> {
    let node = observation.node(element)?;
    let label = label(node);
    let href = node.attribute("href");
    let leads_somewhere = !href.is_empty() && !href.starts_with('#') && !href.starts_with("javascript:");
    if leads_somewhere {
        // A link to a page about sending is a page; one that is a command says so in two or three words.
        let is_short = label.split_whitespace().count() <= 3;
        let is_command = |word: &String| is_short && (label.starts_with(word.as_str()) || is_foreign(word));
        return of_address(href).or_else(|| command(&label).filter(is_command));
    }
    if is_submit(node)
        && let Some(word) = of_address(&sent_to(observation, element)).or_else(|| chosen(observation, element))
    {
        return Some(word);
    }
    // A question is no command: it opens its answer.
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

/// The address to which a button sends its form.
fn sent_to(observation: &Observation, button: ElementId) -> String {
    let own = observation.node(button).map(|node| node.attribute("formaction")).filter(|own| !own.is_empty());
    let of_form = || Some(observation.node(form(observation, button)?)?.attribute("action"));
    own.or_else(of_form).unwrap_or_default().to_owned()
}

/// The deletion that is chosen in the form of a button: a box that is ticked, an option of a list.
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

/// What the dialog or form around a button is about.
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
    let path = address.split('#').next().unwrap_or_default();
    let path = path.split_once("//").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    command(&spaced(path))
}

fn is_dialog(node: &Node) -> bool {
    matches!(node.role.as_str(), "dialog" | "alertdialog") || node.tag == "dialog"
}

/// A page on which nothing happens that is to be left alone. What is refused is an [`Effect::Failed`] that says why.
pub struct Guarded<'a> {
    page: &'a mut dyn Page,
    guards: Option<Guards>,
}

impl<'a> Guarded<'a> {
    /// Puts guards before a page; without any, it is the page itself.
    pub fn new(page: &'a mut dyn Page, guards: Option<Guards>) -> Self {
        Self { page, guards }
    }
}

#[async_trait]
impl Page for Guarded<'_> {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.page.open(url).await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        self.page.observe().await
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        match self.guards.and_then(|guards| refusal(action, before, guards)) {
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

/// Whether a control can be tried at all without doing what is to be left alone.
pub(crate) fn may_try(observation: &Observation, element: ElementId, kind: ActionKind, guards: Guards) -> bool {
    let action = match kind {
        ActionKind::Check => Action::Check { element, checked: true },
        ActionKind::Click => Action::click(element),
        _ => return true,
    };
    refusal(&action, observation, guards).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::observation::{Dialog, SelectOption};

    fn node(tag: &str, name: &str, attributes: &[(&str, &str)], parent: Option<u32>) -> Node {
        let attributes = attributes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let role = match tag {
            "a" => "link",
            "form" => "form",
            "dialog" => "dialog",
            "p" => "paragraph",
            _ => "button",
        };
        let operations = if matches!(tag, "a" | "button" | "input") { vec![ActionKind::Click] } else { Vec::new() };
        let parent = parent.map(ElementId);
        Node {
            tag: tag.into(),
            role: role.into(),
            name: name.into(),
            attributes,
            operations,
            parent,
            ..Node::default()
        }
    }

    fn clicked(nodes: Vec<Node>, guards: Guards) -> Option<String> {
        let last = ElementId(nodes.len() as u32 - 1);
        refusal(&Action::click(last), &Observation { nodes: nodes.into(), ..Observation::default() }, guards)
    }

    fn is_left_alone(nodes: Vec<Node>) -> bool {
        clicked(nodes, Guards::default()).is_some()
    }

    #[test]
    fn commands_that_cannot_be_taken_back_are_left_alone() {
        for name in [
            "Delete",
            "Pay now",
            "Log out",
            "Send message",
            "Yes, delete it",
            "Place the order",
            "REMOVE",
            "Close my account",
        ] {
            assert!(is_left_alone(vec![node("button", name, &[], None)]), "{name}");
        }
        for name in [
            "Save",
            "Search",
            "Add to cart",
            "Edit",
            "Delivery options",
            "Payment methods",
            "Sender",
            "Checkout",
            "What we pay",
            "Can I pay later?",
        ] {
            assert!(!is_left_alone(vec![node("button", name, &[], None)]), "{name}");
        }
    }

    #[test]
    fn a_button_without_a_word_is_judged_by_what_its_author_calls_it() {
        assert!(is_left_alone(vec![node("button", "", &[("class", "icon btn-delete")], None)]));
        assert!(is_left_alone(vec![node("button", "", &[("id", "rowRemove")], None)]));
        assert!(!is_left_alone(vec![node("button", "", &[("class", "icon chevron")], None)]));
    }

    #[test]
    fn a_link_is_judged_by_where_it_leads_and_a_page_about_a_command_may_be_read() {
        assert!(is_left_alone(vec![node("a", "x", &[("href", "/orders/3/delete")], None)]));
        assert!(is_left_alone(vec![node("a", "Account", &[("href", "/session?do=logout")], None)]));
        assert!(is_left_alone(vec![node("a", "Log out", &[("href", "/bye")], None)]));
        assert!(!is_left_alone(vec![node(
            "a",
            "How to delete your account and all of its data",
            &[("href", "/help/4")],
            None
        )]));
        assert!(!is_left_alone(vec![node("a", "Payments", &[("href", "/payments")], None)]));
    }

    #[test]
    fn a_button_is_judged_by_where_it_sends_its_form_in_any_language() {
        let form = |action: &str, button: &[(&str, &str)]| {
            let form = node("form", "", &[("action", action)], None);
            vec![form, node("button", "Indsend", button, Some(0))]
        };
        assert!(is_left_alone(form("/projects/3/delete", &[])));
        assert!(is_left_alone(form("/projects/3", &[("formaction", "/projects/3/remove")])));
        assert!(!is_left_alone(form("/projects/3/edit", &[])));
        assert!(!is_left_alone(form("/projects/3/delete", &[("type", "button")])));
    }

    #[test]
    fn a_form_in_which_a_deletion_is_chosen_is_left_alone() {
        let form = |option: &str, ticked: &str| {
            let option = SelectOption { label: option.into(), value: "1".into(), selected: true };
            let select = Node { options: vec![option], ..node("select", "With all", &[], Some(0)) };
            let mut ticked = node("input", ticked, &[("type", "checkbox")], Some(0));
            ticked.states.checked = Some(true);
            let form = node("form", "", &[], None);
            let operable = |mut node: Node| {
                node.operations = vec![ActionKind::Click];
                node
            };
            vec![form, operable(select), operable(ticked), node("button", "Apply to all", &[], Some(0))]
        };
        assert!(is_left_alone(form("Delete selected", "Remember")));
        assert!(is_left_alone(form("Archive", "Remove my picture")));
        assert!(!is_left_alone(form("Pay by card", "Send me news")));
    }

    #[test]
    fn commands_in_other_languages_are_left_alone() {
        for name in [
            "Projekt löschen",
            "Supprimer",
            "Cerrar sesión",
            "Project verwijderen",
            "Удалить",
            "删除项目",
            "ログアウト",
        ] {
            assert!(is_left_alone(vec![node("button", name, &[], None)]), "{name}");
            assert!(is_left_alone(vec![node("a", name, &[("href", "/x")], None)]), "{name}");
        }
        for name in ["Speichern", "Ajouter", "Guardar", "保存"] {
            assert!(!is_left_alone(vec![node("button", name, &[], None)]), "{name}");
        }
    }

    #[test]
    fn a_button_that_only_agrees_is_judged_by_its_dialog_or_form() {
        let asking = |text: &str, button: &str| {
            vec![node("dialog", "", &[], None), node("p", text, &[], Some(0)), node("button", button, &[], Some(0))]
        };
        assert!(is_left_alone(asking("Delete this order?", "Confirm")));
        assert!(is_left_alone(asking("Cancel the order? Nothing brings it back.", "Confirm")));
        assert!(is_left_alone(asking("This cannot be undone.", "OK")));
        assert!(!is_left_alone(asking("Use this address?", "Confirm")));
        assert!(!is_left_alone(asking("Delete this order?", "Keep it")));
    }

    #[test]
    fn a_confirmation_of_the_browser_is_judged_by_its_message() {
        let dialog = |message: &str| Some(Dialog { kind: "confirm".into(), message: message.into() });
        let accept = Action::AcceptDialog { text: None };
        let refused = |message| {
            let observation = Observation { dialog: dialog(message), ..Observation::default() };
            refusal(&accept, &observation, Guards::default()).is_some()
        };
        assert!(refused("Really delete everything?"));
        assert!(!refused("Leave the tour?"));
    }

    #[test]
    fn read_only_means_that_no_form_is_sent() {
        let guards = Guards { read_only: true, ..Guards::default() };
        let form = |button: Node| vec![node("form", "", &[], None), button];
        assert!(clicked(form(node("button", "Search", &[], Some(0))), guards).is_some());
        assert!(clicked(form(node("button", "More", &[("type", "button")], Some(0))), guards).is_none());
        let typed = Action::Type { element: ElementId(0), text: "x".into(), submit: true };
        assert!(refusal(&typed, &Observation::default(), guards).is_some());
    }

    #[test]
    fn who_allows_it_gets_everything_pressed() {
        let guards = Guards { allow_destructive: true, ..Guards::default() };
        assert_eq!(clicked(vec![node("button", "Delete", &[], None)], guards), None);
    }
}
