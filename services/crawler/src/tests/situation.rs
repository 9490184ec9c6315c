//! What counts as the same moment of a page.

use super::fakes::{MORE, counter};
use crate::situation::{situation, summary};
use domain::action::Direction;
use domain::observation::Dialog;
use domain::{Action, Observation};

fn changed(change: impl FnOnce(&mut Observation)) -> Observation {
    let mut observation = counter(1, 1);
    change(&mut observation);
    observation
}

/// The situation of an action that any page allows.
fn moment(page: &Observation) -> u64 {
    situation(page, &Action::Back)
}

#[test]
fn focus_boxes_and_the_observations_number_are_noise() {
    let same = changed(|page| {
        page.stamp.number = 9;
        page.nodes[0].states.focused = true;
        page.nodes[1].bounds.x = 40.0;
        page.requests.clear();
    });
    assert_eq!(moment(&counter(1, 1)), moment(&same));
}

#[test]
fn names_values_states_text_address_and_dialogs_are_content() {
    let before = moment(&counter(1, 1));
    let changes: [fn(&mut Observation); 6] = [
        |page| page.nodes[0].name = "Less".into(),
        |page| page.nodes[0].value = Some("x".into()),
        |page| page.nodes[0].states.checked = Some(true),
        |page| page.nodes[2].text = "count 2".into(),
        |page| page.url = "http://counter.test/next".into(),
        |page| page.dialog = Some(Dialog { kind: "alert".into(), message: "hello".into() }),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert_ne!(before, moment(&changed(change)), "change {index}");
    }
}

#[test]
fn the_same_key_on_another_focus_is_another_situation_and_the_same_click_is_not() {
    let focused = changed(|page| page.nodes[0].states.focused = true);
    let key = Action::Press { keys: "Tab".into() };
    assert_ne!(situation(&counter(1, 1), &key), situation(&focused, &key));
    let click = Action::click(MORE);
    assert_eq!(situation(&counter(1, 1), &click), situation(&focused, &click));
}

#[test]
fn scrolling_on_is_another_situation_each_time_and_scrolling_against_the_end_is_not() {
    let down = Action::Scroll { element: None, direction: Direction::Down };
    let scrolled = changed(|page| page.viewport.scroll_y = 500.0);
    assert_ne!(situation(&counter(1, 1), &down), situation(&scrolled, &down));
    assert_eq!(situation(&scrolled, &down), situation(&scrolled.clone(), &down));
}

#[test]
fn a_summary_names_the_innermost_nodes_and_ends_at_400_characters() {
    assert_eq!(summary(&counter(3, 1)), "More · Stuck · count 3");
    let long = changed(|page| page.nodes[2].text = "é".repeat(1000));
    assert_eq!(summary(&long).chars().count(), 400);
    let nested = changed(|page| page.nodes[1].parent = Some(MORE));
    assert_eq!(summary(&nested), "Stuck · count 1");
}
