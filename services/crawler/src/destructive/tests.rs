//! What is left alone, and what is not.

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
    Node { tag: tag.into(), role: role.into(), name: name.into(), attributes, operations, parent, ..Node::default() }
}

fn clicked(nodes: Vec<Node>, guards: &Guards) -> Option<String> {
    let last = ElementId(nodes.len() as u32 - 1);
    refusal(&Action::click(last), &Observation { nodes: nodes.into(), ..Observation::default() }, guards)
}

fn is_left_alone(nodes: Vec<Node>) -> bool {
    clicked(nodes, &Guards::default()).is_some()
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
fn a_control_is_judged_by_its_icon_its_title_its_handler_and_what_it_sends_along() {
    let icon = |icon: &str| Node { icon: icon.into(), ..node("button", "", &[], None) };
    assert!(is_left_alone(vec![icon("trash alt")]) && is_left_alone(vec![icon("bin")]));
    assert!(!is_left_alone(vec![icon("pencil")]) && !is_left_alone(vec![icon("close")]));
    for (name, value) in [
        ("title", "Delete boat"),
        ("data-action", "destroy"),
        ("data-method", "delete"),
        ("form-hidden", "commit=Go&_method=delete"),
        ("hx-delete", "/boats/3"),
        ("data-confirm", "This cannot be undone"),
        ("onclick", "fetch('/boats/3', {method: 'DELETE'})"),
        ("onclick", "removeBoat(3)"),
    ] {
        assert!(is_left_alone(vec![node("button", "Go", &[(name, value)], None)]), "{name}={value}");
        assert!(is_left_alone(vec![node("a", "Go", &[(name, value), ("href", "/boats/3")], None)]), "{name}={value}");
    }
    for (name, value) in
        [("onclick", "this.classList.remove('new')"), ("title", "Next boat"), ("form-hidden", "lang=en")]
    {
        assert!(!is_left_alone(vec![node("button", "Go", &[(name, value)], None)]), "{name}={value}");
    }
}

#[test]
fn on_an_item_a_cross_and_a_control_without_a_name_are_left_alone() {
    let within = |role: &str, icon: &str| {
        let item = Node { is_item: true, role: role.into(), ..node("div", "", &[], None) };
        vec![item, Node { icon: icon.into(), ..node("button", "", &[], Some(0)) }]
    };
    assert!(is_left_alone(within("row", "x lg")) && is_left_alone(within("generic", "")));
    assert!(!is_left_alone(within("dialog", "close")) && !is_left_alone(within("row", "down")));
    assert!(!is_left_alone(vec![node("button", "", &[], None)]));
}

#[test]
fn an_address_may_name_the_thing_before_the_command_and_a_form_may_bind() {
    assert!(is_left_alone(vec![node("a", "Enough", &[("href", "/session/end")], None)]));
    assert!(is_left_alone(vec![node("a", "Bye", &[("href", "/x")], None)]));
    let form = |action: &str, method: &str| {
        vec![node("form", "", &[("action", action), ("method", method)], None), node("button", "Next", &[], Some(0))]
    };
    assert!(is_left_alone(form("/account/close", "post")) && is_left_alone(form("/subscribe", "post")));
    assert!(!is_left_alone(form("/subscribe", "get")) && !is_left_alone(form("/profile", "post")));
    let charged = vec![
        node("form", "", &[("action", "/plan"), ("method", "post")], None),
        node("p", "Your card is charged at once.", &[], Some(0)),
        node("button", "OK", &[], Some(0)),
    ];
    assert!(is_left_alone(charged));
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
    for name in
        ["Projekt löschen", "Supprimer", "Cerrar sesión", "Project verwijderen", "Удалить", "删除项目", "ログアウト"]
    {
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
        refusal(&accept, &observation, &Guards::default()).is_some()
    };
    assert!(refused("Really delete everything?"));
    assert!(!refused("Leave the tour?"));
}

#[test]
fn read_only_means_that_no_form_is_sent() {
    let guards = Guards { mode: Mode::ReadOnly, ..Guards::default() };
    let form = |button: Node| vec![node("form", "", &[], None), button];
    assert!(clicked(form(node("button", "Search", &[], Some(0))), &guards).is_some());
    assert!(clicked(form(node("button", "More", &[("type", "button")], Some(0))), &guards).is_none());
    let typed = Action::Type { element: ElementId(0), text: "x".into(), submit: true };
    assert!(refusal(&typed, &Observation::default(), &guards).is_some());
}

#[test]
fn who_allows_it_gets_everything_pressed() {
    let guards = Guards { mode: Mode::Destructive, ..Guards::default() };
    assert_eq!(clicked(vec![node("button", "Delete", &[], None)], &guards), None);
}
