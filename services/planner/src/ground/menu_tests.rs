//! Menus that are drawn of plain parts, and what is nearly what was asked for.

use super::aside_tests::then;
use super::tests::{ask, changed, clicked, gives_up, page};
use crate::test_request::element;
use domain::action::ActionKind;
use domain::decision::{Choice, Decision};
use domain::observation::{Observation, SelectOption};
use domain::{Action, Node};
use serde_json::Value;

/// A board of cards, each with its control for more, and this below it.
fn board(below: &str) -> Observation {
    let card = |name: &str| format!("article {name}\n  heading {name}\n  button More [closed]\n");
    page(&format!("{}{}{below}", card("Draft budget"), card("Order chairs")))
}

/// What a decision presses.
fn pressed(decision: &Decision) -> Option<u32> {
    match &decision.choice {
        Choice::Act(Action::Click { element, .. }) => Some(element.0),
        _ => None,
    }
}

/// What is pressed once the menu of the first thing is open, which the page draws below everything else.
async fn in_menu(instruction: &str, entries: &[&str]) -> Option<u32> {
    let below: String = entries.iter().map(|entry| format!("button {entry}\n")).collect();
    let appeared: Vec<String> = entries.iter().map(|entry| format!("button \"{entry}\"")).collect();
    let appeared: Vec<&str> = appeared.iter().map(String::as_str).collect();
    pressed(&then(instruction, &board(""), &appeared, Vec::new(), board(&below)).await)
}

#[tokio::test]
async fn what_came_with_a_menu_is_of_it_whatever_it_is_made_of() {
    let entries = ["Rename", "Move to…", "Move to Done", "Make a copy", "Delete…"];
    assert_eq!(in_menu("Delete the card \"Draft budget\".", &entries).await, Some(10));
    assert_eq!(in_menu("Make a copy of \"Draft budget\".", &entries).await, Some(9));
    assert_eq!(in_menu("Move \"Draft budget\" to Done.", &entries).await, Some(8));
    assert_eq!(in_menu("Move \"Draft budget\" to the column Later.", &entries).await, Some(7));
}

#[tokio::test]
async fn renaming_moves_nothing() {
    assert_ne!(in_menu("Move \"Draft budget\" to Done.", &["Rename", "Duplicate"]).await, Some(6));
}

#[tokio::test]
async fn of_two_options_that_hold_a_value_neither_is_meant() {
    let option = |label: &str| SelectOption { label: label.into(), value: label.to_lowercase(), selected: false };
    let form = |options: &[&str]| {
        let select = Node {
            options: options.iter().map(|label| option(label)).collect(),
            ..element("combobox", "select", "Language", &[ActionKind::Select], 30.0)
        };
        let save = element("button", "button", "Save changes", &[ActionKind::Click], 60.0);
        Observation { nodes: vec![select, save].into(), ..Observation::default() }
    };
    let chosen = async |options: &[&str]| {
        let decision = ask("Set the language to Portuguese.", &form(options), Value::Null).await;
        match decision.choice {
            Choice::Act(Action::Select { options, .. }) => options,
            _ => Vec::new(),
        }
    };
    assert_eq!(chosen(&["German", "Portuguese (Brazil)", "Portuguese (Portugal)"]).await, [""; 0]);
    assert_eq!(chosen(&["German", "Portuguese (Brazil)"]).await, ["Portuguese (Brazil)"]);
    assert_eq!(chosen(&["Portuguese", "Portuguese (Brazil)"]).await, ["Portuguese"]);
}

#[tokio::test]
async fn what_puts_a_thing_into_the_cart_changes_nothing_of_one_that_is_in_it() {
    let product = "heading Linen apron\nform\n  textbox Quantity\n  button Add to cart\nlink Cart (2)";
    let product = changed(page(product), "textbox", |node| node.name = "Quantity".into());
    let decision = ask("Change the quantity of \"Linen apron\" in the cart to 9.", &product, Value::Null).await;
    assert!(!matches!(decision.choice, Choice::Act(Action::Type { .. })), "{}", decision.reason);
}

#[tokio::test]
async fn what_is_one_of_something_else_has_no_name_of_its_own() {
    let list = page("heading Files\nbutton New file\nlist\n  listitem Rota\n    text Rota\n    button Duplicate");
    assert_eq!(clicked("Make a copy of \"Rota\".", &list).await.1, 5);
    gives_up("Create a new version of the page Home.", &list).await;
    gives_up("Make a reservation for Court 2.", &list).await;
}

#[tokio::test]
async fn a_column_is_known_by_its_caption_with_the_number_of_its_entries() {
    let card = |name: &str| format!("  listitem {name}\n    text {name}\n    button Archive\n");
    let column = |caption: &str, cards: &[&str]| {
        format!("generic\n  text {caption}\n{}", cards.iter().map(|name| card(name)).collect::<String>())
    };
    let columns = |review: &str| {
        let columns = [column("Doing 1", &["Call printer"]), column(review, &["Call printer", "Poster"])];
        changed(page(&columns.concat()), "listitem", |node| node.is_item = true)
    };
    assert_eq!(clicked("Archive the card \"Call printer\" in Review.", &columns("Review 2")).await.1, 9);
    gives_up("Archive the card \"Call printer\" in Review.", &columns("Review 3")).await;
}
