//! Differences of made-up observations.

use super::*;
use domain::action::ActionKind;
use domain::observation::{Dialog, SelectOption, States};

fn page(nodes: Vec<Node>) -> Observation {
    Observation { url: "http://a.org/".to_owned(), nodes: nodes.into(), ..Observation::default() }
}

fn text(text: &str) -> Node {
    Node { role: "paragraph".into(), tag: "p".into(), text: text.to_owned(), ..Node::default() }
}

fn button(name: &str) -> Node {
    Node {
        role: "button".into(),
        tag: "button".into(),
        name: name.to_owned(),
        text: name.to_owned(),
        operations: vec![ActionKind::Click],
        ..Node::default()
    }
}

fn within(parent: u32, node: Node) -> Node {
    Node { parent: Some(ElementId(parent)), ..node }
}

fn between(before: &Observation, after: &Observation) -> PageDifference {
    difference(before, after, None, &Ticking::default())
}

fn change(of: &str, from: &str, to: &str) -> ElementChange {
    ElementChange { of: of.to_owned(), from: from.to_owned(), to: to.to_owned() }
}

#[test]
fn what_appears_and_goes_is_told_by_role_and_name_or_by_its_text() {
    let before = page(vec![text("Orders"), button("Add"), text("No order yet"), button("Help")]);
    let after =
        page(vec![text("Orders"), button("Add"), button("Remove order"), text("Order 17 was made"), button("Help")]);
    let found = between(&before, &after);
    assert_eq!(found.appeared, ["button \"Remove order\""]);
    assert_eq!(found.changed, [change("paragraph", "No order yet", "Order 17 was made")]);
    assert!(found.went.is_empty() && found.more == 0);
}

#[test]
fn values_states_and_choices_are_told_of_their_control() {
    let control = |value: Option<&str>, checked: Option<bool>, chosen: usize, disabled: bool| Node {
        role: "combobox".into(),
        name: "Size".into(),
        value: value.map(str::to_owned),
        states: States { checked, disabled, ..States::default() },
        options: ["Small", "Large"]
            .into_iter()
            .enumerate()
            .map(|(index, label)| SelectOption { label: label.into(), value: label.into(), selected: index == chosen })
            .collect(),
        ..Node::default()
    };
    let cases = [
        (control(Some("a"), None, 0, false), change("combobox \"Size\"", "", "a")),
        (control(Some(""), Some(true), 0, false), change("combobox \"Size\"", "unchecked", "checked")),
        (control(Some(""), Some(false), 1, false), change("combobox \"Size\"", "Small", "Large")),
        (control(Some(""), Some(false), 0, true), change("combobox \"Size\"", "enabled", "disabled")),
    ];
    for (node, expected) in cases {
        let before = page(vec![control(Some(""), node.states.checked.map(|_| false), 0, false)]);
        assert_eq!(between(&before, &page(vec![node])).changed, [expected]);
    }
}

#[test]
fn a_container_is_not_told_for_what_stands_in_it_and_is_for_its_own_words() {
    let list = |own: &str, first: &str| {
        let whole =
            Node { role: "list".into(), tag: "ul".into(), text: format!("{own} {first} Help"), ..Node::default() };
        page(vec![whole, within(0, text(first)), within(0, button("Help"))])
    };
    assert_eq!(
        between(&list("Basket", "empty"), &list("Basket", "one pear")).changed,
        [change("paragraph", "empty", "one pear")]
    );
    assert_eq!(between(&list("Basket", "empty"), &list("Cart", "empty")).changed, [change("list", "Basket", "Cart")]);
}

#[test]
fn what_only_moves_is_no_difference() {
    let rows: Vec<Node> = ["a", "b", "c", "d"].map(button).to_vec();
    let turned: Vec<Node> = rows.iter().rev().cloned().collect();
    assert!(between(&page(rows.clone()), &page(turned.clone())).is_empty());
    let with_news = [turned, vec![text("Sorted")]].concat();
    assert_eq!(between(&page(rows), &page(with_news)).appeared, ["Sorted"]);
}

#[test]
fn ticking_text_is_left_out_and_an_amount_is_told() {
    let seen = |clock: &str, visitors: &str, basket: &str| {
        page(vec![text(clock), text(visitors), text(basket), button("Add")])
    };
    let before = seen("12:00:01", "17 visitors", "Basket (1)");
    let after = seen("12:00:02", "18 visitors", "Basket (2)");
    let mut ticking = Ticking::default();
    ticking.learn(changed_texts(
        &seen("11:59:59", "15 visitors", "Basket (1)"),
        &seen("12:00:00", "16 visitors", "Basket (1)"),
    ));
    let found = difference(&before, &after, None, &ticking);
    assert_eq!(found.changed, [change("paragraph", "Basket (1)", "Basket (2)")]);
}

#[test]
fn of_a_clock_that_was_acted_upon_its_change_is_told() {
    let row =
        |time: &str| page(vec![Node { is_item: true, ..text("") }, within(0, text(time)), within(0, button("Later"))]);
    let found = difference(&row("12:00"), &row("12:15"), Some(ElementId(2)), &Ticking::default());
    assert_eq!(found.changed, [change("paragraph", "12:00", "12:15")]);
}

#[test]
fn of_another_page_the_address_title_headings_and_messages_are_told() {
    let heading = Node {
        role: "heading".into(),
        tag: "h1".into(),
        name: "Orders".into(),
        text: "Orders".into(),
        ..Node::default()
    };
    let message = Node { role: "alert".into(), text: "Saved".into(), ..Node::default() };
    let mut after = page(vec![heading, message, text("A lot of text"), text("and more of it")]);
    (after.url, after.title) = ("http://a.org/orders".into(), "Orders".into());
    let found = between(&page(vec![button("Go")]), &after);
    assert_eq!(
        found.changed,
        [change("address", "http://a.org/", "http://a.org/orders"), change("title", "", "Orders")]
    );
    assert_eq!(found.appeared, ["heading \"Orders\"", "alert \"Saved\""]);
}

#[test]
fn a_dialog_of_the_browser_is_told() {
    let mut after = page(vec![button("Go")]);
    after.dialog = Some(Dialog { kind: "confirm".into(), message: "Delete it?".into() });
    assert_eq!(between(&page(vec![button("Go")]), &after).appeared, ["dialog \"Delete it?\""]);
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let rows: Vec<Node> =
        (0..PageDifference::MOST + 5).map(|row| text(&format!("row {row} {}", "x".repeat(300)))).collect();
    let found = between(&page(vec![]), &page(rows));
    assert_eq!((found.appeared.len(), found.more), (PageDifference::MOST, 5));
    assert!(found.appeared.iter().all(|entry| entry.chars().count() == LONGEST + 1 && entry.ends_with('…')));
}
