//! Everyday sentences on small pages: things that are told by some of their words, menus and dialogs that lie over the page, lists of people.

use super::aside_tests::then;
use super::tests::{ask, changed, clicked, gives_up, page};
use domain::action::ActionKind;
use domain::decision::{Choice, Decision};
use domain::observation::Observation;
use domain::{Action, ElementId};
use serde_json::Value;

/// The element that is acted upon.
fn acted(decision: &Decision) -> Option<u32> {
    match &decision.choice {
        Choice::Act(action) => action.element().map(|element: &ElementId| element.0),
        _ => None,
    }
}

/// A page on which generic parts of a class are pressed.
fn pressed_parts(lines: &str) -> Observation {
    changed(page(lines), "generic", |node| node.operations = vec![ActionKind::Click])
}

#[tokio::test]
async fn a_card_of_plain_parts_is_told_by_some_of_its_words_and_by_what_it_is() {
    let board = pressed_parts(
        "text Doing\ngeneric MS Fix login bug .card\n  text MS\n  text Fix login bug\ngeneric JW Update price list .card\n  text JW\n  text Update price list",
    );
    assert_eq!(clicked("Set the login bug to high priority.", &board).await.1, 1);
    assert_eq!(clicked("Move the price list card to Done.", &board).await.1, 4);
    gives_up("Move the newsletter card to Done.", &board).await;
    let twice = pressed_parts("generic Prepare team meeting .card\ngeneric Prepare team meeting .card");
    gives_up("Move the team meeting card to Done.", &twice).await;
}

#[tokio::test]
async fn a_letter_is_told_by_words_of_who_wrote_it() {
    let row = |who: &str, what: &str| {
        format!("  listitem {who} {what}\n    text {who}\n    text {what}\n    button Archive\n")
    };
    let inbox = page(&format!(
        "heading Inbox\nlist\n{}{}",
        row("City Library", "Your books are due"),
        row("Bike Shop North", "Your bike is ready")
    ));
    assert_eq!(clicked("Archive the mail from the library.", &inbox).await.1, 5);
    assert_eq!(clicked("Archive the mail from the bike shop.", &inbox).await.1, 9);
    gives_up("Archive the mail from the garage.", &inbox).await;
    // What is said in a letter is not who wrote it, and what its button is called is not said.
    let other = page(&format!(
        "heading Inbox\nlist\n{}{}",
        row("Tom", "Meet us at the library on Monday"),
        row("Ann", "The archive")
    ));
    gives_up("Archive the mail from the library.", &other).await;
    gives_up("Delete the archive mail.", &inbox).await;
}

#[tokio::test]
async fn in_a_list_of_people_a_first_name_is_enough_where_one_has_it() {
    let row = |name: &str| format!("  row {name}\n    cell {name}\n    button Mark as absent\n");
    let list = |of: &str, names: &[&str]| {
        page(&format!(
            "table\n  row\n    columnheader {of}\n{}",
            names.iter().map(|name| row(name)).collect::<String>()
        ))
    };
    let class = list("Pupil", &["Anna Holm", "Ben Arslan", "Leon Fuchs", "Leon Kramer", "Maja Petrov"]);
    assert_eq!(clicked("Mark Ben as absent.", &class).await.1, 8);
    gives_up("Mark Leon as absent.", &class).await;
    gives_up("Mark Oliver as absent.", &class).await;
    gives_up("Mark \"Ben\" as absent.", &class).await;
    gives_up("Mark Arslan as absent.", &class).await;
    gives_up("Mark Cedar as absent.", &list("Product", &["Cedar Table", "Oak Chair", "Pine Shelf", "Walnut Desk"]))
        .await;
}

#[tokio::test]
async fn an_entry_of_a_menu_that_lies_open_is_a_command_and_shows_nothing() {
    let stock = page("table\n  row Roller\n    cell Roller\n    button More [closed]");
    let open =
        page("table\n  row Roller\n    cell Roller\n    button More\n    listitem\n      link Reorder .dropdown-item");
    let decision =
        then("Delete the roller from the shed list.", &stock, &["link \"Reorder\""], Vec::new(), open.clone()).await;
    assert_ne!(acted(&decision), Some(5), "{}", decision.reason);
    assert_ne!(acted(&ask("Open the history of the roller.", &open, Value::Null).await), Some(5));
}

#[tokio::test]
async fn beside_a_dialog_that_lies_over_the_page_nothing_is_searched() {
    let week = "button Dentist [closed]\nbutton Physio [closed]\n";
    assert_eq!(clicked("Click \"Floor plan\".", &page(week)).await.1, 0);
    let covered =
        changed(page(&format!("{week}dialog Appointment\n  textbox Title\n  button Save")), "dialog", |node| {
            node.attributes.insert("aria-modal".into(), "true".into());
        });
    gives_up("Click \"Floor plan\".", &covered).await;
}

#[tokio::test]
async fn what_unfolds_the_places_to_put_a_thing_into_puts_it_nowhere_yet() {
    let song = |more: &str| {
        page(&format!(
            "button Dinner\nlist\n  listitem Copper Sky\n    text Copper Sky\n    button Add to playlist [closed]\n{more}"
        ))
    };
    let unfolded = song("    button Running\n    button Dinner\n");
    let instruction = "Put Copper Sky on the dinner playlist.";
    assert_eq!(clicked(instruction, &song("")).await.1, 4);
    let decision =
        then(instruction, &song(""), &["button \"Running\"", "button \"Dinner\""], Vec::new(), unfolded).await;
    assert_eq!(acted(&decision), Some(6), "{}", decision.reason);
}

#[tokio::test]
async fn what_is_a_part_of_something_else_is_not_made_by_its_words() {
    let list = page("heading Shopping list\ntextbox New item\nbutton Add");
    gives_up("Add the ingredients of the pancakes to my shopping list.", &list).await;
    let decision = ask("Put milk on the shopping list.", &list, Value::Null).await;
    assert!(matches!(decision.choice, Choice::Act(Action::Type { .. })), "{}", decision.reason);
}

#[tokio::test]
async fn a_cross_that_closes_takes_nothing_away_and_cancelling_what_was_agreed_upon_does() {
    let open =
        |more: &str| page(&format!("button Haircut\ndialog Appointment\n  heading Haircut\n  button Close\n{more}"));
    let named = |page: Observation| {
        changed(page, "button", |node| {
            if node.name == "Close" {
                node.text = "\u{d7}".into()
            }
        })
    };
    assert_eq!(clicked("Cancel the haircut.", &named(open("  button Cancel appointment\n"))).await.1, 4);
    assert_ne!(acted(&ask("Cancel the haircut.", &named(open("")), Value::Null).await), Some(3));
}

#[tokio::test]
async fn an_address_book_is_the_whole_of_the_application() {
    let row = |name: &str| format!("  row {name}\n    cell {name}\n    button Delete\n");
    let contacts = page(&format!("heading Contacts\ntable\n{}{}", row("Oskar Brandt"), row("Nora Lind")));
    assert_eq!(clicked("Delete Oskar Brandt from my address book.", &contacts).await.1, 4);
    gives_up("Delete Karl Richter from my address book.", &contacts).await;
}

#[tokio::test]
async fn things_that_are_counted_are_listed_in_the_singular() {
    let row = |name: &str| format!("  row {name}\n    cell {name}\n    button Reserve\n");
    let stock = page(&format!("heading Tools\ntable\n{}{}", row("Hammer"), row("Ladder")));
    assert_eq!(clicked("Reserve the hammers.", &stock).await.1, 4);
    gives_up("Reserve the buckets.", &stock).await;
}

#[tokio::test]
async fn a_list_of_plain_parts_is_known_by_its_arrow_and_by_the_text_before_it() {
    let board = pressed_parts("generic Fix login bug .card\ngeneric Update price list .card");
    let panel = |more: &str| {
        pressed_parts(&format!(
            "generic Fix login bug .card\ngeneric Update price list .card\nregion\n  listitem Column Doing\n    text Column\n    generic Doing \u{25be}\n  \
             listitem Priority Low\n    text Priority\n    generic Low \u{25be}\n{more}"
        ))
    };
    let appeared = ["Column", "div \"Doing \u{25be}\"", "Priority", "div \"Low \u{25be}\""];
    for (instruction, expected) in [
        ("Move the price list card to Done.", Some(5)),
        ("Set the login bug to high priority.", Some(8)),
        ("Set the owner of the login bug to Ann.", None),
    ] {
        let decision = then(instruction, &board, &appeared, Vec::new(), panel("")).await;
        assert_eq!(acted(&decision), expected, "{instruction}: {}", decision.reason);
    }
}

#[tokio::test]
async fn a_field_of_a_table_takes_the_value_of_its_row_and_column() {
    let row = |name: &str| format!("  row {name}\n    cell {name}\n    cell\n      textbox\n    cell\n      textbox\n");
    let heads = "  row\n    columnheader Pupil\n    columnheader Test 1\n    columnheader Test 2\n";
    let points = page(&format!("table\n{heads}{}{}button Save points", row("Tim Seidel"), row("Maja Petrov")));
    let mut nodes: Vec<domain::Node> = points.nodes.iter().cloned().collect();
    for (at, column) in
        [(2, 0), (3, 1), (4, 2), (6, 0), (7, 1), (8, 1), (9, 2), (10, 2), (12, 0), (13, 1), (14, 1), (15, 2), (16, 2)]
    {
        nodes[at].bounds.x = 200.0 * f64::from(column);
    }
    let points = Observation { nodes: nodes.into(), ..points };
    assert_eq!(acted(&ask("Give Tim Seidel 17 points in the second test.", &points, Value::Null).await), Some(10));
    assert_eq!(acted(&ask("Give Maja Petrov 12 points in Test 1.", &points, Value::Null).await), Some(14));
    assert_eq!(acted(&ask("Give Maja Petrov 12 points in the third test.", &points, Value::Null).await), None);
    assert_eq!(acted(&ask("Set Test 2 to 12 and save.", &points, Value::Null).await), None);
}

#[tokio::test]
async fn a_value_of_another_kind_goes_into_no_column_that_is_named_as_its_place() {
    let heads = "  row\n    columnheader Item\n    columnheader Stock\n    columnheader Price\n";
    let stock = page(&format!(
        "table\n{heads}  row Lamp\n    cell Lamp\n    cell\n      textbox\n    cell\n      textbox\nbutton Save changes"
    ));
    for instruction in
        ["Change the supplier of the lamp in stock to Bosch.", "Set the note of Lamp in Price to fragile."]
    {
        let decision = ask(instruction, &stock, Value::Null).await;
        assert!(!matches!(decision.choice, Choice::Act(Action::Type { .. })), "{instruction}: {}", decision.reason);
    }
}

#[tokio::test]
async fn a_button_is_the_way_to_a_place_only_below_a_heading_that_says_so() {
    let bar = |heading: &str| {
        page(&format!(
            "heading Tunes\nheading {heading}\nbutton Running\nbutton Dinner\nheading All songs\nlistitem Home\n  text Home\n  button Remove"
        ))
    };
    let instruction = "Take Northern Train out of the Running playlist.";
    assert_eq!(clicked(instruction, &bar("Playlists")).await.1, 2);
    gives_up(instruction, &bar("Share with")).await;
}

#[tokio::test]
async fn a_name_goes_on_behind_to_unless_the_page_calls_both_parts_something() {
    let songs =
        |title: &str| page(&format!("heading Road trip\nlist\n  listitem {title}\n    text {title}\n    button Add"));
    assert_eq!(clicked("Add Lights Out to Road trip.", &songs("Lights Out")).await.1, 4);
    gives_up("Add Lights Up to Road trip.", &songs("Lights Out")).await;
    gives_up("Add Lights Out to Road trip 2.", &songs("Lights Out")).await;
}

#[tokio::test]
async fn a_name_that_stands_in_two_lists_is_taken_in_the_one_that_is_named() {
    let flat = page(
        "heading Owners\nlist\n  listitem Ada Brook\n    button Remove\nheading Editors\nlist\n  listitem Maria Costa\n    button Remove\n  listitem Ines Prado\n    button Remove\nheading Guests\nlist\n  listitem Jon Hart\n    button Remove\n  listitem Maria Costa\n    button Remove",
    );
    assert_eq!(clicked("Click \"Remove\" next to \"Maria Costa\" in the list \"Guests\".", &flat).await.1, 15);
    let lists = page(
        "generic .panel\n  heading Editors\n  list\n    listitem Maria Costa\n      button Remove\n    listitem Ines Prado\n      button Remove\ngeneric .panel\n  heading Guests\n  list\n    listitem Jon Hart\n      button Remove\n    listitem Maria Costa\n      button Remove",
    );
    assert_eq!(clicked("Click \"Remove\" next to \"Maria Costa\" in the list \"Guests\".", &lists).await.1, 13);
    let other = ask("Click \"Remove\" next to \"Ines Prado\" in the list \"Guests\".", &lists, Value::Null).await;
    assert!(!matches!(other.choice, Choice::Act(Action::Click { .. })), "{}", other.reason);
}
