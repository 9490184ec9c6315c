//! What may be sent by which control, and what may be pressed since nothing is sent.

use super::*;

#[test]
fn whoever_creates_something_says_what_or_has_filled_something_in() {
    let memory = Memory::default();
    let reading = |rule| Some(Licence::Reading(rule));
    assert_eq!(licensed(vec![node("button", "🔥", &[], None)], &memory), reading(Rule::ExistingRecord));
    assert_eq!(licensed(vec![node("button", "New boat", &[], None)], &memory), Some(Licence::Adding));
    assert_eq!(licensed(posted("/m/db", Vec::new(), "Go"), &memory), reading(Rule::ExistingRecord));
    assert_eq!(licensed(posted("/cart/add", Vec::new(), "Go"), &memory), Some(Licence::Creating));
    assert_eq!(
        licensed(posted("/boats", vec![field("input", "title", "", &[])], "Go"), &memory),
        Some(Licence::Creating)
    );
    let around = |value: &str| {
        let mut all = vec![node("div", "", &[], None), field("input", "title", value, &[])];
        all[1].parent = Some(ElementId(0));
        all.push(node("button", "Go", &[], Some(0)));
        licensed(all, &memory)
    };
    assert_eq!(around("Rutter Lovelace"), Some(Licence::Adding));
    assert_eq!(around(""), reading(Rule::ExistingRecord));
    let link = node("a", "Go", &[("href", "/p/5"), ("data-method", "post")], None);
    assert_eq!(licensed(vec![link], &memory), reading(Rule::ExistingRecord));
    assert_eq!(licensed(vec![node("a", "Go", &[("href", "/p/5")], None)], &memory), Some(Licence::Creating));
}

#[test]
fn what_belongs_to_the_page_is_taken_away_where_nothing_can_be_sent() {
    let careful = Guards::default();
    for label in [
        "Stop clock",
        "Erase sketch",
        "Discard changes",
        "Quitar selección",
        "Remove comparison of plans",
        "Clear selection",
        "Reset text size",
        "Disable animations on this page",
        "Stop auto-scroll",
        "Clear text",
        "Stop reading aloud",
        "Selectie wissen",
        "Seçimi kaldır",
        "Remove filter brass",
    ] {
        let button = || vec![node("button", label, &[("type", "button")], None)];
        assert_eq!(clicked(button(), &careful), None, "{label}");
        assert_eq!(licensed(button(), &Memory::default()), Some(Licence::Reading(Rule::Deletes)), "{label}");
    }
    assert!(clicked(posted("/x", Vec::new(), "Erase sketch"), &careful).is_some());
    let sends = ("onclick", "fetch('/sketch', {method: 'POST'})");
    assert!(clicked(vec![node("button", "Erase sketch", &[sends], None)], &careful).is_some());
    assert!(clicked(vec![node("button", "Delete", &[("type", "button")], None)], &careful).is_some());
    // What its code takes off the page, what asks first by its dots, and what gives fields back what they held.
    for (tag, label, attributes) in [
        ("button", "Delete row", [("type", "button"), ("onclick", "this.closest('tr').remove()")]),
        ("button", "Delete web-2\u{2026}", [("type", "button"), ("data-shows", "#sure")]),
        ("input", "Effacer", [("type", "reset"), ("onclick", "count(3)")]),
        ("button", "Copy", [("type", "button"), ("onclick", "navigator.clipboard.writeText('curl -X DELETE /a')")]),
    ] {
        assert_eq!(clicked(vec![node(tag, label, &attributes, None)], &careful), None, "{label}");
    }
    let cross = ("onclick", "this.parentElement.remove(); count(4)");
    assert_eq!(clicked(vec![node("button", "Dismiss this hint", &[cross], None)], &careful), None);
}

#[test]
fn a_link_to_a_text_or_a_place_or_another_view_is_followed() {
    let link = |label: &str, href: &str| clicked(vec![node("a", label, &[("href", href)], None)], &Guards::default());
    for (label, href) in [
        ("Delete a file", "/docs/delete-a-file"),
        ("Restart a machine", "/docs/restarting"),
        ("Trash", "/talk?box=trash"),
        ("Effacer les filtres", "/brest?v=1"),
        ("Borrar filtros", "/cadiz?v=1"),
        ("Rimuovi filtri", "/bari?v=1"),
        ("Filters wissen", "/delft?v=1"),
        ("Clear filters", "/orders?reset=1"),
    ] {
        assert_eq!(link(label, href), None, "{label}");
    }
    for (label, href) in [("Delete", "/people/2/delete"), ("Trash", "/x?trash=3"), ("Delete", "/news/3")] {
        assert!(link(label, href).is_some(), "{label}");
    }
    assert_eq!(link("Newsletter", "/mailing/s%65nd"), Some(Rule::Sends));
}

#[test]
fn what_asks_first_does_something() {
    let careful = Guards::default();
    let link = |code: &str| node("a", "Sell", &[("href", "/lots/top"), ("onclick", code)], None);
    assert_eq!(clicked(vec![link("return confirm('Sell it?')")], &careful), Some(Rule::Unclear));
    assert_eq!(clicked(vec![link("count(1)")], &careful), None);
    let dialog = |message: &str| {
        let dialog = Some(Dialog { kind: "confirm".into(), message: message.into() });
        let page = Observation { dialog, url: "http://shop.test/".into(), ..Observation::default() };
        refusal(&Action::AcceptDialog { text: None }, &page, &careful, &Memory::default()).map(|refusal| refusal.rule)
    };
    assert_eq!(dialog("Paint lot 4 now?"), Some(Rule::Unclear));
    assert_eq!(dialog("Clear all filters?"), None);
}

#[test]
fn a_form_that_is_a_button_alone_does_something_with_the_thing_that_it_names() {
    let careful = Guards::default();
    let form = |address: &str| {
        vec![node("form", "", &[("action", address)], None), node("button", "To the carrier", &[], Some(0))]
    };
    assert_eq!(clicked(form("/parcels/12/on"), &careful), Some(Rule::Unclear));
    assert_eq!(clicked(form("/parcels"), &careful), None);
}

#[test]
fn numbers_that_hold_are_not_saved_again() {
    let careful = Guards::default();
    let rules = |label: &str, value: &str| {
        posted("/shifts/pauses", vec![field("input", "h", value, &[("type", "text")])], label)
    };
    assert_eq!(clicked(rules("OK", "6"), &careful), Some(Rule::ExistingRecord));
    assert_eq!(clicked(rules("Create", "6"), &careful), None);
    assert_eq!(clicked(rules("OK", "1"), &careful), None);
}

#[test]
fn what_says_that_it_only_tries_is_pressed_and_sends_nothing_else() {
    let careful = Guards::default();
    for label in ["Preview", "Check accounts (no transfer)", "Vorschau, nichts wird versendet"] {
        let form = || posted("/payroll/runs/6", vec![field("input", "title", "June", &[])], label);
        assert_eq!(clicked(form(), &careful), None, "{label}");
        assert_eq!(licensed(form(), &Memory::default()), Some(Licence::Trying(Rule::Unclear)), "{label}");
    }
    assert!(clicked(posted("/payroll/runs/6", vec![field("input", "title", "June", &[])], "Save"), &careful).is_some());
    let tab = |name: &str| vec![Node { role: "tab".into(), ..node("button", name, &[], None) }];
    assert_eq!(clicked(tab("Deleted branches"), &careful), None);
    assert!(clicked(tab("Delete"), &careful).is_some());
    let close = Node { icon: "remove".into(), ..node("button", "Close calendar", &[("type", "button")], None) };
    assert_eq!(clicked(vec![close], &careful), None);
}
