//! Finding elements again on pages that changed.

use super::*;
use crate::action::ActionKind;

fn button(name: &str, attributes: &[(&str, &str)]) -> Node {
    Node {
        role: "button".into(),
        tag: "button".into(),
        name: name.to_owned(),
        attributes: attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        operations: vec![ActionKind::Click],
        ..Node::default()
    }
}

fn at(path: &str, node: Node) -> Node {
    Node { xpath: path.to_owned(), ..node }
}

fn page(nodes: Vec<Node>) -> Observation {
    Observation { url: "http://a.org/".into(), nodes: nodes.into_iter().collect(), ..Observation::default() }
}

/// A page with buttons in a form, which has the id 0.
fn form(id: &str, buttons: Vec<Node>) -> Observation {
    let form = Node {
        tag: "form".into(),
        role: "form".into(),
        attributes: [("id".to_owned(), id.to_owned())].into_iter().collect(),
        ..Node::default()
    };
    page(
        std::iter::once(form)
            .chain(buttons.into_iter().map(|node| Node { parent: Some(ElementId(0)), ..node }))
            .collect(),
    )
}

/// A list of items, each with a button of one name: item, button, item, button.
fn list(items: &[&str]) -> Observation {
    let item = |(index, text): (usize, &&str)| {
        let item = Node { role: "listitem".into(), text: (*text).to_owned(), is_item: true, ..Node::default() };
        [item, Node { parent: Some(ElementId(2 * index as u32)), ..button("Remove", &[]) }]
    };
    page(items.iter().enumerate().flat_map(item).collect())
}

fn described(page: &Observation, element: u32) -> Descriptor {
    Descriptor::of(page, ElementId(element)).expect("a node")
}

#[test]
fn what_was_described_is_found_on_the_same_page() {
    let node = |tag: &str, context: &str, operations: &[ActionKind]| Node {
        tag: tag.to_owned(),
        role: tag.to_owned(),
        context: context.to_owned(),
        text: "same".to_owned(),
        operations: operations.to_vec(),
        ..Node::default()
    };
    let page =
        page(vec![node("p", "Amount", &[]), node("input", "Amount", &[ActionKind::Type]), node("p", "Total", &[])]);
    for (id, _) in page.elements() {
        let described = Descriptor::of(&page, id).expect("a node");
        assert_eq!(described.locate(&page), LocateOutcome::Found(id), "{described:?}");
    }
}

#[test]
fn a_place_in_the_document_finds_nothing_again() {
    let before = described(&page(vec![at("/html/body/button", button("Clear", &[]))]), 0);
    assert_eq!(before.locate(&page(vec![at("/html/body/button", button("Publish", &[]))])), LocateOutcome::Missing);
}

#[test]
fn what_never_had_a_name_is_found_where_it_stood_unless_it_got_one() {
    let before = described(&page(vec![at("/html/body/canvas", button("", &[]))]), 0);
    assert_eq!(
        before.locate(&page(vec![at("/html/body/canvas", button("", &[]))])),
        LocateOutcome::Found(ElementId(0))
    );
    assert_eq!(before.locate(&page(vec![at("/html/body/canvas", button("Wipe", &[]))])), LocateOutcome::Missing);
}

#[test]
fn a_test_id_alone_heals_another_name_unless_it_is_that_of_a_destructive_command() {
    let action = |name: &str| button(name, &[("data-testid", "row-action")]);
    let before = described(&form("team", vec![action("Open")]), 1);
    assert_eq!(before.locate(&page(vec![action("Cancel for everybody")])), LocateOutcome::Missing);
    assert_eq!(before.locate(&page(vec![action("Open")])), LocateOutcome::Found(ElementId(0)));
    assert_eq!(before.locate(&page(vec![action("Ouvrir")])), LocateOutcome::Healed { element: ElementId(0), rank: 0 });
    let twice = page(vec![action("Ouvrir"), action("Voir")]);
    assert_eq!(before.locate(&twice), LocateOutcome::Missing);
    assert!(before.missing(&twice).contains("ambiguous: 2"));
    let renamed = before.locate(&form("team", vec![action("Open it")]));
    assert!(!matches!(renamed, LocateOutcome::Missing), "the form agrees as well: {renamed:?}");
}

#[test]
fn an_id_heals_another_name_only_where_an_article_is_the_difference() {
    let before = described(&page(vec![button("Save invoice", &[("id", "save")])]), 0);
    let now = |name: &str| before.locate(&page(vec![button(name, &[("id", "save")])]));
    assert_eq!(now("Save the invoice"), LocateOutcome::Healed { element: ElementId(0), rank: 1 });
    for name in ["Save and send invoice", "Save all invoices", "Save invoice 2", "Void the invoice"] {
        assert_eq!(now(name), LocateOutcome::Missing, "{name}");
    }
    let plus = described(&page(vec![button("+", &[("id", "one-more")])]), 0);
    assert_eq!(plus.locate(&page(vec![button("\u{2212}", &[("id", "one-more")])])), LocateOutcome::Missing);
    let numbered = described(&page(vec![button("Save invoice", &[("id", "save-2")])]), 0);
    assert_eq!(numbered.locate(&page(vec![button("Save the invoice", &[("id", "save-2")])])), LocateOutcome::Missing);
}

#[test]
fn an_id_that_was_given_to_another_control_finds_nothing_whatever_stands_first_in_the_test() {
    let before = |name: &str| Descriptor {
        locators: vec![
            Locator::Css { selector: "#opt-1".into() },
            Locator::Role { role: "button".into(), name: name.into() },
        ],
        ..described(&page(vec![button(name, &[("id", "opt-1")])]), 0)
    };
    let given = page(vec![button("Delete my messages", &[("id", "opt-1")]), button("Newsletter", &[("id", "opt-2")])]);
    assert_eq!(before("Newsletter").locate(&given), LocateOutcome::Found(ElementId(1)));
    assert_eq!(before("Receipts").locate(&given), LocateOutcome::Missing);
}

#[test]
fn one_thing_alone_heals_nothing_and_two_do() {
    let before = described(&form("order", vec![button("Add", &[("id", "add")])]), 1);
    let renamed = button("Put into basket", &[("id", "add")]);
    assert_eq!(before.locate(&page(vec![renamed.clone()])), LocateOutcome::Missing, "an id alone");
    let healed = before.locate(&form("order", vec![button("Help", &[]), renamed]));
    assert_eq!(healed, LocateOutcome::Healed { element: ElementId(2), rank: 1 }, "an id in the same form");
    let by_test_id = described(&page(vec![button("Add", &[("data-testid", "add"), ("id", "add")])]), 0);
    let now = page(vec![button("Put into basket", &[("id", "add")]), button("Add", &[("id", "add")])]);
    assert_eq!(by_test_id.locate(&now), LocateOutcome::Healed { element: ElementId(1), rank: 1 }, "a name with an id");
}

#[test]
fn numbered_ids_are_places_and_names_of_fields_are_not() {
    let field = |name: &str, id: &str, sent_as: &str| Node {
        role: "textbox".into(),
        tag: "input".into(),
        operations: vec![ActionKind::Type],
        ..button(name, &[("id", id), ("name", sent_as)])
    };
    let before = described(&form("address", vec![field("Town", "f2", "town")]), 1);
    let shifted = form("address", vec![field("Street", "f2", "street")]);
    assert_eq!(before.locate(&shifted), LocateOutcome::Missing);
    let renamed = form("address", vec![field("Street", "f2", "street"), field("City", "f3", "town")]);
    assert!(matches!(before.locate(&renamed), LocateOutcome::Healed { element: ElementId(2), .. }));
}

#[test]
fn what_was_one_and_is_two_is_ambiguous_unless_more_agrees() {
    let before = described(&page(vec![button("Save", &[("id", "save")])]), 0);
    let two = page(vec![button("Save", &[]), button("Save", &[])]);
    assert_eq!(before.locate(&two), LocateOutcome::Missing);
    assert!(before.missing(&two).contains("ambiguous: 2"), "{}", before.missing(&two));
    let known = page(vec![button("Save", &[]), button("Save", &[("id", "save")])]);
    assert_eq!(before.locate(&known), LocateOutcome::Found(ElementId(1)));
}

#[test]
fn one_of_several_is_found_by_its_item_and_never_in_another() {
    let before = described(&list(&["Pear 2 EUR", "Plum 3 EUR", "Fig 1 EUR"]), 3);
    assert_eq!(before.locate(&list(&["Plum 3 EUR", "Fig 1 EUR", "Pear 2 EUR"])), LocateOutcome::Found(ElementId(1)));
    assert_eq!(before.locate(&list(&["Pear 2 EUR", "Plum 4 EUR", "Fig 1 EUR"])), LocateOutcome::Found(ElementId(3)));
    assert_eq!(before.locate(&list(&["Pear 2 EUR", "Kiwi 3 EUR", "Fig 1 EUR"])), LocateOutcome::Missing);
    assert_eq!(before.locate(&list(&["Pear 2 EUR"])), LocateOutcome::Missing);
}

#[test]
fn a_recording_by_hand_may_tell_the_item_by_what_stands_beside_the_control() {
    let shown = list(&["Pear Remove", "Plum Remove"]);
    let mut before = described(&shown, 3);
    (before.place, before.context) = (String::new(), "Plum".to_owned());
    assert_eq!(before.locate(&shown), LocateOutcome::Found(ElementId(3)));
    assert_eq!(before.locate(&list(&["Plum Remove", "Pear Remove"])), LocateOutcome::Missing);
}

#[test]
fn items_that_differ_by_their_numbers_alone_are_told_apart_by_them() {
    let before = described(&list(&["Order 12, 5 min ago", "Order 13, 7 min ago", "Order 14, 9 min ago"]), 3);
    let later = list(&["Order 12, 6 min ago", "Order 13, 8 min ago", "Order 14, 10 min ago"]);
    assert_eq!(before.locate(&later), LocateOutcome::Found(ElementId(3)));
    let without = list(&["Order 12, 6 min ago", "Order 14, 10 min ago", "Order 15, 1 min ago"]);
    assert_eq!(before.locate(&without), LocateOutcome::Missing);
}

#[test]
fn a_position_finds_nothing_in_another_item() {
    let shown = |text: &str| {
        let item = Node { role: "listitem".into(), text: text.to_owned(), is_item: true, ..Node::default() };
        let remove = Node { parent: Some(ElementId(0)), ..at("/html/body/ul/li/button", button("Remove", &[])) };
        page(vec![item, remove])
    };
    let mut before = described(&shown("Order 12"), 1);
    before.locators = vec![Locator::XPath { path: "/html/body/ul/li/button".into() }];
    before.matches.clear();
    assert_eq!(before.locate(&shown("Order 12")), LocateOutcome::Found(ElementId(1)));
    assert_eq!(before.locate(&shown("Order 13")), LocateOutcome::Missing);
    assert_eq!(before.locate(&shown("Invoice 12")), LocateOutcome::Missing);
}

#[test]
fn one_of_several_without_items_is_found_by_its_number_while_their_count_is_the_same() {
    let three = page(vec![button("Next", &[]), button("Next", &[]), button("Next", &[])]);
    let before = described(&three, 1);
    assert_eq!(before.locate(&three), LocateOutcome::Found(ElementId(1)));
    assert_eq!(before.locate(&page(vec![button("Next", &[]), button("Next", &[])])), LocateOutcome::Missing);
}

#[test]
fn a_label_of_another_tool_is_the_name_of_a_field_and_of_nothing_else() {
    let by_label = Descriptor {
        locators: vec![Locator::Label { text: "Scan".into() }],
        role: "textbox".into(),
        ..described(&page(vec![button("Scan", &[])]), 0)
    };
    let field = Node { role: "textbox".into(), operations: vec![ActionKind::Upload], ..button("Scan", &[]) };
    assert_eq!(by_label.locate(&page(vec![button("Scan", &[]), field])), LocateOutcome::Found(ElementId(1)));
    assert_eq!(by_label.locate(&page(vec![button("Scan", &[])])), LocateOutcome::Missing);
}
