//! What is left alone, and what is not.

mod leading;
mod licences;
mod saving;

use super::*;
use domain::exploration::Exceptions;
use domain::observation::{Dialog, Request, RequestKind, SelectOption};

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

fn free() -> Guards {
    Guards { mode: Mode::Free, ..Guards::default() }
}

fn clicked(nodes: Vec<Node>, guards: &Guards) -> Option<Rule> {
    let last = ElementId(nodes.len() as u32 - 1);
    let page = Observation { nodes: nodes.into(), url: "http://shop.test/".into(), ..Observation::default() };
    refusal(&Action::click(last), &page, guards, &Memory::default()).map(|refusal| refusal.rule)
}

fn is_left_alone(nodes: Vec<Node>) -> bool {
    clicked(nodes, &free()).is_some()
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
        refusal(&accept, &observation, &free(), &Memory::default()).is_some()
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
    assert!(refusal(&typed, &Observation::default(), &guards, &Memory::default()).is_some());
}

#[test]
fn who_allows_it_gets_everything_pressed() {
    let guards = Guards { mode: Mode::Destructive, ..Guards::default() };
    assert_eq!(clicked(vec![node("button", "Delete", &[], None)], &guards), None);
}

#[test]
fn a_plain_link_is_followed_whatever_its_words_unless_it_is_called_like_the_deed() {
    let link = |name: &str, href: &str| is_left_alone(vec![node("a", name, &[("href", href)], None)]);
    for (name, href) in [
        ("Remove stains", "/articles/stains"),
        ("Send feedback", "/feedback"),
        ("Pay by invoice", "/ways-to-order"),
        ("Delete your account: how it works", "/help/4"),
        ("Invite friends", "/team/members"),
        ("Block view", "/gallery"),
        ("Publishing", "/guides/publishing"),
    ] {
        assert!(!link(name, href), "{name}");
    }
    for (name, href) in [
        ("Delete", "/harm/17"),
        ("Delete account", "/steps/last"),
        ("Abmelden", "/welcome"),
        ("Publish now", "/x/17"),
        ("x", "/items/3/delete"),
        ("Clear filters", "/items?action=purge"),
    ] {
        assert!(link(name, href), "{name}");
    }
}

#[test]
fn signs_and_the_order_of_words_do_not_matter() {
    for name in ["🗑", "Order: cancel", "Konto schließen", "Papierkorb leeren", "Account - delete", "Cache leeren"] {
        let careful = clicked(vec![node("button", name, &[], None)], &Guards::default());
        assert!(careful.is_some(), "{name}");
    }
    for name in ["Remove filter", "Clear filters", "Discard search", "Drop-down", "Block view", "Reset zoom"] {
        let careful = clicked(vec![node("button", name, &[], None)], &Guards::default());
        assert_eq!(careful, None, "{name}");
    }
}

#[test]
fn what_stands_around_a_button_counts() {
    let careful = |nodes| clicked(nodes, &Guards::default());
    let question = |text: &str| vec![node("p", text, &[], None), node("button", "Yes", &[], None)];
    assert_eq!(careful(question("Are you sure? All boats will be deleted.")), Some(Rule::Deletes));
    assert_eq!(careful(question("Delete this order?")), Some(Rule::Deletes));
    assert_eq!(careful(question("Use this address?")), None);
    let heading = |text: &str| Node { role: "heading".into(), ..node("h2", text, &[], None) };
    assert_eq!(careful(vec![heading("Danger zone"), node("button", "Carry on", &[], None)]), Some(Rule::Deletes));
    assert_eq!(careful(vec![heading("Boats"), node("button", "Carry on", &[], None)]), None);
    assert_eq!(careful(vec![node("button", "Get it for 12 €", &[], None)]), Some(Rule::Pays));
    let priced = |button: &str| {
        let form = node("form", "", &[("action", "/berths"), ("method", "post")], None);
        vec![form, node("p", "Total: 12,00 €", &[], Some(0)), node("button", button, &[], Some(0))]
    };
    assert_eq!(careful(priced("Confirm")), Some(Rule::Pays));
    assert_eq!(careful(priced("Add to cart")), None);
}

/// A field of a form, as a page shows it.
fn field(tag: &str, name: &str, value: &str, attributes: &[(&str, &str)]) -> Node {
    let kind = if tag == "select" { ActionKind::Select } else { ActionKind::Type };
    let role = if tag == "select" { "combobox" } else { "textbox" };
    let value = Some(value.to_owned());
    Node { role: role.into(), value, operations: vec![ActionKind::Click, kind], ..node(tag, name, attributes, Some(0)) }
}

/// A form that is posted, with a button.
fn posted(action: &str, fields: Vec<Node>, button: &str) -> Vec<Node> {
    let form = node("form", "", &[("action", action), ("method", "post")], None);
    [vec![form], fields, vec![node("button", button, &[], Some(0))]].concat()
}

#[test]
fn forms_that_show_what_was_there_before_are_not_sent() {
    let careful = |nodes| clicked(nodes, &Guards::default());
    let name = |value: &str| field("input", "Name", value, &[("name", "name")]);
    assert_eq!(careful(posted("/boats", vec![name("Old boat")], "Go")), Some(Rule::ExistingRecord));
    assert_eq!(careful(posted("/boats/3", vec![name("")], "Go")), Some(Rule::ExistingRecord));
    assert_eq!(careful(posted("/boats", vec![name("")], "Create boat")), None);
    assert_eq!(careful(posted("/boats", vec![name("Rutter Lovelace")], "Save")), None);
    let mail = |value: &str| field("input", "E-mail", value, &[("name", "email")]);
    let language = field("select", "Language", "en", &[("name", "language")]);
    assert_eq!(careful(posted("/me", vec![mail("ann@shop.test"), language.clone()], "Save")), Some(Rule::Settings));
    assert_eq!(careful(posted("/me", vec![language], "Save")), Some(Rule::Settings));
    let secret = |name: &str| field("input", name, "", &[("type", "password"), ("name", "p")]);
    assert_eq!(careful(posted("/me", vec![secret("Old"), secret("New")], "Go")), Some(Rule::Password));
    assert_eq!(careful(posted("/join", vec![mail(""), secret("Password"), secret("Again")], "Join")), None);
    assert_eq!(careful(posted("/in", vec![mail("ann@shop.test"), secret("Password")], "Log in")), None);
    let card = field("input", "Card number", "", &[("name", "cardnumber")]);
    assert_eq!(careful(posted("/berths", vec![card], "Go on")), Some(Rule::Pays));
    let text = field("textarea", "Your message", "", &[("name", "message")]);
    assert_eq!(careful(posted("/x", vec![mail(""), text], "Submit")), Some(Rule::Sends));
    assert_eq!(careful(posted("/x", vec![field("textarea", "Text", "", &[])], "Post")), Some(Rule::Sends));
    let free = free();
    assert_eq!(clicked(posted("/boats/3", vec![name("Old boat")], "Go"), &free), None);
}

#[test]
fn a_form_is_sent_where_its_button_says_that_it_creates_keeps_or_hands_in() {
    let careful = |button: &str, action: &str| {
        let empty = field("input", "Subject", "", &[("name", "subject")]);
        clicked(posted(action, vec![empty], button), &Guards::default())
    };
    for button in ["Create boat", "Submit", "Register", "Zapisz", "Weiter", "提交"] {
        assert_eq!(careful(button, "/boats"), None, "{button}");
    }
    for button in ["Mail the whole crew", "Hoist", "Hissen", "出航"] {
        assert_eq!(careful(button, "/boats"), Some(Rule::Unclear), "{button}");
    }
    assert_eq!(careful("Hoist", "/boats/new"), None, "its address says that it creates");
    let replacing = field("input", "File that replaces the crew list", "", &[("name", "crew")]);
    assert_eq!(clicked(posted("/crew", vec![replacing], "Submit"), &Guards::default()), Some(Rule::ExistingRecord));
}

#[test]
fn a_link_with_a_token_against_forgery_does_something() {
    let link = |href: &str| vec![node("a", "Subscribe", &[("href", href)], None)];
    assert_eq!(clicked(link("/boats?_wpnonce=77ab"), &Guards::default()), Some(Rule::ExistingRecord));
    assert_eq!(clicked(link("/boats?page=2"), &Guards::default()), None);
    assert_eq!(clicked(link("/boats?_wpnonce=77ab"), &free()), None);
}

#[test]
fn controls_of_administration_are_left_alone() {
    let careful = |name: &str| clicked(vec![node("button", name, &[], None)], &Guards::default());
    for name in
        ["Enable maintenance mode", "Flush cache", "Rotate token", "Stop worker", "Run backup", "Generate API key"]
    {
        assert!(careful(name).is_some(), "{name}");
    }
    for name in ["Dark mode", "Token list", "About this server", "Next"] {
        assert_eq!(careful(name), None, "{name}");
    }
}

fn licensed(nodes: Vec<Node>, memory: &Memory) -> Option<Licence> {
    let last = ElementId(nodes.len() as u32 - 1);
    let page = Observation { nodes: nodes.into(), url: "http://shop.test/".into(), ..Observation::default() };
    licence(&Action::click(last), &page, &Guards::default(), memory)
}

#[test]
fn a_control_of_an_existing_item_may_read_and_one_of_our_own_may_change() {
    let memory = Memory::default();
    let row = |text: &str, button: &str| {
        let row = Node { is_item: true, role: "row".into(), ..node("tr", "", &[], None) };
        vec![row, node("p", text, &[], Some(0)), node("button", button, &[], Some(0))]
    };
    assert_eq!(licensed(row("Old boat", "Star"), &memory), Some(Licence::Reading(Rule::ExistingRecord)));
    assert_eq!(licensed(row("Old boat", "Add to cart"), &memory), Some(Licence::Adding));
    assert_eq!(licensed(row("Rutter Lovelace", "Star"), &memory), Some(Licence::Own));
    assert_eq!(clicked(row("Old boat", "Delete"), &Guards::default()), Some(Rule::Deletes));
    assert_eq!(clicked(row("Rutter Lovelace", "Delete"), &Guards::default()), None);
    assert_eq!(clicked(row("Rutter Lovelace", "Delete"), &free()), Some(Rule::Deletes));
    let switch = Node { role: "switch".into(), ..node("button", "Backup", &[], None) };
    assert_eq!(licensed(vec![switch], &memory), Some(Licence::Reading(Rule::SavesAtOnce)));
}

/// What an exploration remembers after it pressed the last control of a page, with what came of it.
fn remembered(nodes: Vec<Node>, sent: Request, led_to: &str) -> Memory {
    let mut memory = Memory::default();
    let last = ElementId(nodes.len() as u32 - 1);
    let page = Observation { nodes: nodes.into(), url: "http://shop.test/list".into(), ..Observation::default() };
    memory.saw(&page);
    memory.begins(&Action::click(last), &page);
    memory.saw(&Observation { url: led_to.into(), requests: vec![sent], ..Observation::default() });
    memory
}

fn request(path: &str, status: u16, kind: RequestKind) -> Request {
    let url = format!("http://shop.test{path}");
    Request { method: "POST".into(), url, status: Some(status), kind, ..Request::default() }
}

#[test]
fn the_address_that_a_creation_leads_to_is_our_own_and_one_of_a_kind_is_created() {
    let form = || posted("/boats", vec![field("input", "Name", "", &[("name", "name")])], "Create");
    let press = |memory: &Memory, url: &str, nodes: Vec<Node>| {
        let last = ElementId(nodes.len() as u32 - 1);
        let page = Observation { nodes: nodes.into(), url: url.into(), ..Observation::default() };
        refusal(&Action::click(last), &page, &Guards::default(), memory).map(|refusal| refusal.rule)
    };
    let created = remembered(form(), request("/boats", 303, RequestKind::Document), "http://shop.test/boats/17");
    assert_eq!(press(&created, "http://shop.test/list", form()), Some(Rule::OncePerKind));
    let edit = || posted("/boats/17", vec![field("input", "Name", "Anything", &[("name", "name")])], "Save");
    assert_eq!(press(&created, "http://shop.test/boats/17/edit", edit()), None);
    assert_eq!(press(&created, "http://shop.test/boats/3/edit", edit()), Some(Rule::ExistingRecord));
    // What the page linked to before is not what was created.
    let linked = [vec![node("a", "Boat 17", &[("href", "/boats/17")], None)], Vec::new()].concat();
    let mut nodes = linked;
    nodes.extend(form().into_iter().map(|node| Node { parent: node.parent.map(|_| ElementId(1)), ..node }));
    let there = remembered(nodes, request("/boats", 303, RequestKind::Document), "http://shop.test/boats/17");
    assert_eq!(press(&there, "http://shop.test/boats/17/edit", edit()), Some(Rule::ExistingRecord));
    // A form that was refused is sent again.
    let refused = remembered(form(), request("/boats", 200, RequestKind::Document), "http://shop.test/boats");
    assert_eq!(press(&refused, "http://shop.test/list", form()), None);
}

#[test]
fn what_was_put_into_a_cart_is_taken_out_again() {
    let row = |text: &str, button: &str| {
        let row = Node { is_item: true, role: "row".into(), ..node("tr", "", &[], None) };
        vec![row, node("p", text, &[], Some(0)), node("button", button, &[], Some(0))]
    };
    let memory =
        remembered(row("Lamp", "Add to comparison"), request("/x", 200, RequestKind::Script), "http://shop.test/list");
    let press = |text: &str, button: &str| {
        let page = Observation {
            nodes: row(text, button).into(),
            url: "http://shop.test/list".into(),
            ..Observation::default()
        };
        refusal(&Action::click(ElementId(2)), &page, &Guards::default(), &memory).map(|refusal| refusal.rule)
    };
    assert_eq!(press("Lamp", "Remove from comparison"), None);
    assert_eq!(press("Chair", "Remove from comparison"), Some(Rule::Deletes));
    assert_eq!(press("Lamp", "Delete"), Some(Rule::Deletes));
    let keyed = |to: &str, hidden: &str, button: &str| {
        let form = node("form", "", &[("action", to), ("method", "post")], Some(0));
        let button = node("button", button, &[("form-hidden", hidden)], Some(1));
        vec![Node { is_item: true, role: "row".into(), ..node("tr", "", &[], None) }, form, button]
    };
    let put = keyed("/compare/add", "id=14&_token=a", "Add to comparison");
    let memory = remembered(put, request("/compare/add", 303, RequestKind::Document), "http://shop.test/compare");
    let press = |to: &str, hidden: &str| {
        let nodes = keyed(to, hidden, "Remove from comparison").into();
        let page = Observation { nodes, url: "http://shop.test/compare".into(), ..Observation::default() };
        refusal(&Action::click(ElementId(2)), &page, &Guards::default(), &memory).map(|refusal| refusal.rule)
    };
    assert_eq!(press("/compare/remove", "id=14&_token=b"), None);
    assert_eq!(press("/compare/remove", "id=15&_token=b"), Some(Rule::Deletes));
}

#[test]
fn what_is_shown_in_a_field_is_not_typed_over_where_that_may_be_saved_at_once() {
    let typed = |value: &str, form: &[(&str, &str)]| {
        let form = node("form", "", form, None);
        let nodes = vec![form, field("input", "Club", value, &[])];
        let page = Observation { nodes: nodes.into(), ..Observation::default() };
        may_not_try(&page, ElementId(1), ActionKind::Type, &Guards::default(), &Memory::default()).map(|it| it.rule)
    };
    assert_eq!(typed("Harbour club", &[("method", "post")]), Some(Rule::ExistingRecord));
    assert_eq!(typed("", &[("method", "post")]), None);
    assert_eq!(typed("Harbour club", &[("method", "get"), ("action", "/search")]), None);
    assert_eq!(typed("Rutter Lovelace", &[("method", "post")]), None);
}

#[test]
fn people_allow_and_forbid_controls_by_name_and_a_dry_run_sends_nothing() {
    let named = |control: &str| Exceptions { controls: vec![control.to_owned()], ..Exceptions::default() };
    let button = |name: &str| vec![node("button", name, &[], None)];
    let guards = Guards { allow: named("delete *"), deny: named("approve"), ..Guards::default() };
    assert_eq!(clicked(button("Delete draft"), &guards), None);
    assert_eq!(clicked(button("Approve"), &guards), Some(Rule::Denied));
    let guards = Guards { allow: named("*"), deny: named("delete *"), ..Guards::default() };
    assert_eq!(clicked(button("Delete draft"), &guards), Some(Rule::Denied));
    let guards = Guards { dry_run: true, ..Guards::default() };
    let create = || posted("/boats", vec![field("input", "Name", "", &[])], "Create");
    assert_eq!(clicked(create(), &guards), Some(Rule::DryRun));
    assert_eq!(clicked(button("Delete"), &guards), Some(Rule::Deletes));
    assert_eq!(clicked(button("More"), &guards), None);
}

#[test]
fn the_answer_to_a_form_is_no_page_that_can_be_asked_for() {
    let page = |requests| Observation { url: "http://shop.test/letters".into(), requests, ..Observation::default() };
    let sent = || request("/letters", 200, RequestKind::Document);
    let mut memory = Memory::default();
    memory.saw(&page(vec![sent()]));
    assert!(!memory.knows_path("/letters"));
    memory.saw(&page(Vec::new()));
    assert!(!memory.knows_path("/letters"), "something was typed there, and it is still that answer");
    memory.saw(&page(vec![sent(), Request { method: "GET".into(), ..sent() }]));
    assert!(memory.knows_path("/letters"), "it led on to a page at the same address");
}
