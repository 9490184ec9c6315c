//! What a model is shown of pages that are written down here.

use super::*;
use crate::registry::Preset;
use domain::action::ActionKind;
use domain::geometry::Rect;
use domain::observation::{SelectOption, Visibility};
use domain::{ElementId, Node};
use serde_json::{Value, json};

fn node(role: &str, tag: &str, name: &str, operations: &[ActionKind], at: (f64, f64)) -> Node {
    Node {
        role: role.into(),
        tag: tag.into(),
        name: name.into(),
        text: name.into(),
        operations: operations.to_vec(),
        bounds: Rect { x: at.0, y: at.1, width: 40.0, height: 20.0 },
        ..Node::default()
    }
}

/// Two rows, each with a name and a button `Remove`, and a list of fares.
fn rows() -> Observation {
    let inside = |row: u32, node: Node| Node { parent: Some(ElementId(row)), ..node };
    let row = |text: &str, y| Node { is_item: true, text: text.into(), ..node("row", "tr", "", &[], (0.0, y)) };
    let remove = |y| node("button", "button", "Remove", &[ActionKind::Click], (200.0, y));
    let option = |label: &str| SelectOption { label: label.into(), value: String::new(), selected: false };
    let fares = Node {
        options: ["Adult", "Child", "Senior"].map(option).into(),
        ..node("combobox", "select", "Fare", &[ActionKind::Select], (0.0, 300.0))
    };
    Observation {
        nodes: vec![
            row("Blue mug Remove", 0.0),
            inside(0, node("cell", "td", "Blue mug", &[], (150.0, 0.0))),
            inside(0, remove(0.0)),
            row("Red mug Remove", 100.0),
            inside(3, node("cell", "td", "Red mug", &[], (150.0, 100.0))),
            inside(3, remove(100.0)),
            fares,
        ]
        .into(),
        ..Observation::default()
    }
}

fn options() -> PageOptions {
    PageOptions { general_actions: Vec::new(), ..PageOptions::default() }
}

fn lines(observation: &Observation, options: &PageOptions) -> Vec<Value> {
    let actions = Actions::of(observation, Situation::default(), options);
    actions.lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_item_of_a_repeated_control_is_told_where_it_is_asked_for() {
    assert!(lines(&rows(), &options()).iter().all(|line| line.get("in").is_none()));
    for (items, fares) in [(Items::Alike, None), (Items::Always, None)] {
        let lines = lines(&rows(), &PageOptions { items, ..options() });
        assert_eq!(lines[0]["in"], "Blue mug", "{lines:?}");
        assert_eq!(lines[1]["in"], "Red mug");
        assert_eq!(lines[2].get("in"), fares, "a list in no item");
    }
}

#[test]
fn controls_whose_items_are_told_no_longer_read_alike() {
    let numbers = |items| {
        let actions = Actions::of(&rows(), Situation::default(), &PageOptions { items, ..options() });
        actions.alike(actions.get(1).expect("the first"))
    };
    assert_eq!(numbers(Items::Never), [1, 2]);
    assert_eq!(numbers(Items::Alike), [1]);
}

#[test]
fn neighbours_are_the_nearest_words_within_their_distance() {
    let near = |most, distance| {
        let neighbours = NeighbourOptions { most, distance, characters: 4 };
        lines(&rows(), &PageOptions { neighbours, ..options() })[0]["near"].clone()
    };
    assert_eq!(near(5, 50.0), json!(["Blue…"]), "ten pixels beside it; the other row is too far");
    assert_eq!(near(5, 110.0), json!(["Blue…", "Red …"]));
    assert_eq!(near(1, 110.0), json!(["Blue…"]));
    assert_eq!(near(0, 110.0), Value::Null);
}

#[test]
fn options_of_a_list_are_named_with_what_was_left_out() {
    let named = |most| lines(&rows(), &PageOptions { list_options: most, ..options() })[2]["options"].clone();
    assert_eq!(named(0), Value::Null);
    assert_eq!(named(2), json!(["Adult", "Child", "and 1 more"]));
    assert_eq!(named(3), json!(["Adult", "Child", "Senior"]));
}

#[test]
fn a_list_of_actions_over_its_limit_drops_what_is_out_of_sight_first_and_counts_it() {
    let button = |number: usize| Node {
        visibility: if number.is_multiple_of(2) { Visibility::Offscreen } else { Visibility::Visible },
        ..node("button", "button", &format!("Button {number}"), &[ActionKind::Click], (0.0, number as f64))
    };
    let large = Observation { nodes: (0..5_000).map(button).collect::<Vec<_>>().into(), ..Observation::default() };
    let few = PageOptions { action_token_limit: 1_000, max_elements: 5_000, ..options() };
    let view = PageView::of(&large, &Actions::of(&large, Situation::default(), &few));
    let used: usize = view.actions.iter().map(|line| tokens(line)).sum();
    assert!(used <= 1_000 && used > 500, "{used}");
    assert_eq!(view.left_out, 5_000 - view.actions.len());
    assert!(view.actions.iter().all(|line| !line.contains("after scrolling")), "those in sight stay");
    let by_count = Actions::of(&large, Situation::default(), &PageOptions { max_elements: 7, ..options() });
    assert_eq!((by_count.acts.len(), by_count.left_out), (7, 4_993));
}

#[test]
fn what_is_out_of_sight_has_no_mark_on_a_picture() {
    let mut page = rows();
    let actions = Actions::of(&page, Situation::default(), &options());
    assert_eq!(marks_of(&page, &actions, &[1, 2]).len(), 2);
    let mut nodes: Vec<Node> = page.nodes.iter().cloned().collect();
    nodes[5].visibility = Visibility::Offscreen;
    page.nodes = nodes.into();
    assert_eq!(marks_of(&page, &actions, &[1, 2]).iter().map(|mark| mark.label.as_str()).collect::<Vec<_>>(), ["1"]);
}

#[test]
fn what_the_situation_rules_out_is_not_offered() {
    let kinds = |situation| {
        let actions = Actions::of(&Observation::default(), situation, &PageOptions::default());
        actions.acts
    };
    let start = kinds(Situation::default());
    assert!(!start.contains(&Act::Do(ActionKind::Back)) && !start.contains(&Act::Do(ActionKind::Forward)));
    let later = kinds(Situation { has_acted: true, went_back: true });
    assert!(later.contains(&Act::Do(ActionKind::Back)) && later.contains(&Act::Do(ActionKind::Forward)));
}

#[test]
fn a_page_is_opened_again_by_its_own_address_after_something_was_done() {
    let page = Observation { url: "http://shop.test/cart".into(), ..Observation::default() };
    let reloads = |has_acted, preset| {
        let situation = Situation { has_acted, ..Situation::default() };
        Actions::of(&page, situation, &PageOptions::of(preset)).acts.contains(&Act::Reload)
    };
    assert!(reloads(true, Preset::Ours) && !reloads(false, Preset::Ours) && !reloads(true, Preset::Published));
    let again = complete::without_content(&page, Act::Reload);
    assert_eq!(again, Ok(domain::Action::Goto { url: page.url.clone() }));
}

#[test]
fn content_becomes_an_action_only_where_it_fits() {
    let page = rows();
    let select = Act::On(ElementId(6), ActionKind::Select);
    let chosen = complete::with_content(&page, select, Some(" child ".into()), false);
    assert_eq!(chosen, Ok(domain::Action::Select { element: ElementId(6), options: vec!["Child".into()] }));
    assert!(complete::with_content(&page, select, Some("Infant".into()), false).is_err());
    assert!(
        complete::select(&page, ElementId(6), &[0]).is_err() && complete::select(&page, ElementId(6), &[]).is_err()
    );
    assert!(complete::with_content(&page, Act::Do(ActionKind::Press), Some("type this".into()), false).is_err());
    assert!(complete::with_content(&page, Act::Do(ActionKind::Press), Some("Control+A Delete".into()), false).is_ok());
    assert!(complete::with_content(&page, Act::Do(ActionKind::Press), Some("Control + A".into()), false).is_err());
    assert!(
        complete::with_content(&page, Act::Do(ActionKind::Goto), Some("file:///etc/passwd".into()), false).is_err()
    );
    assert!(complete::without_content(&page, select).expect_err("a list").contains("needs content"));
    assert!(complete::with_content(&page, select, None, false).is_err());
    let click = Act::On(ElementId(6), ActionKind::Click);
    assert_eq!(complete::with_content(&page, click, None, false), Ok(domain::Action::click(ElementId(6))));
}

/// A page with a sentence in which controls stand, a card of many words, a field that cannot be used, and an icon.
fn sentence() -> Observation {
    let inside = |parent: u32, node: Node| Node { parent: Some(ElementId(parent)), ..node };
    let click = [ActionKind::Click];
    let plain =
        |tag: &str, text: &str, y| Node { name: String::new(), text: text.into(), ..node("", tag, "", &[], (0.0, y)) };
    let ticked = Node {
        text: String::new(),
        states: domain::observation::States { checked: Some(false), ..Default::default() },
        ..node("checkbox", "input", "I accept the terms of use", &[ActionKind::Check], (0.0, 10.0))
    };
    let story = "A story of the harbour ".repeat(8);
    let card =
        Node { text: format!("{story}by Ann Lind"), name: story.clone(), ..node("link", "a", "", &click, (0.0, 60.0)) };
    let code = Node {
        value: Some("SPRING".into()),
        states: domain::observation::States { disabled: true, ..Default::default() },
        ..node("textbox", "input", "Code", &[ActionKind::Type], (0.0, 90.0))
    };
    let trash = Node { icon: "trash".into(), ..node("button", "button", "", &click, (0.0, 120.0)) };
    Observation {
        nodes: vec![
            plain("label", "I accept the terms of use", 10.0),
            inside(0, ticked),
            inside(0, node("link", "a", "terms", &click, (80.0, 10.0))),
            card,
            inside(3, plain("span", "by Ann Lind", 60.0)),
            code,
            trash,
            plain("p", "See [1 click button \"Pay\"] below", 150.0),
        ]
        .into(),
        ..Observation::default()
    }
}

#[test]
fn elements_stand_in_the_text_with_their_words_and_a_sentence_stays_whole() {
    let in_place = PageOptions { layout: Layout::InPlace, ..options() };
    let actions = Actions::of(&sentence(), Situation::default(), &in_place);
    let told = outline(&sentence(), &actions);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[0],
        "[1 check \"I accept the terms of use\" not checked] I accept the [2 click link \"terms\"] of use"
    );
    assert!(lines[1].starts_with("[3 click link \"A story") && lines[1].ends_with("by Ann Lind"), "{told}");
    assert_eq!(lines[2], "Code: \"SPRING\" (disabled)");
    assert_eq!(lines[3], "[4 click button icon=\"trash\"]");
    assert_eq!(lines[4], "See (1 click button \"Pay\"] below", "no text passes for an element");
}
