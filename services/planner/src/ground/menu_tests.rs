//! Menus that are drawn of plain parts, and what is nearly what was asked for.

use super::GroundOptions;
use super::aside_tests::{taken, then};
use super::tests::{ask, ask_after, changed, clicked, gives_up, page};
use crate::test_request::element;
use domain::action::ActionKind;
use domain::action::Claim;
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
pub(super) fn pressed(decision: &Decision) -> Option<u32> {
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

/// What is pressed after the first step, when this came of it.
async fn after(instruction: &str, before: &str, came: &[&str]) -> Decision {
    let appeared: Vec<String> = came
        .iter()
        .map(|line| match line.split_once(' ') {
            Some(("text", text)) => text.to_owned(),
            Some((role, label)) => format!("{role} \"{label}\""),
            None => (*line).to_owned(),
        })
        .collect();
    let appeared: Vec<&str> = appeared.iter().map(String::as_str).collect();
    let second = page(&format!("{before}\n{}", came.join("\n")));
    then(instruction, &page(before), &appeared, Vec::new(), second).await
}

const CARDS: &str = "listitem Order chairs
  text Order chairs
  button Delete
  button Archive
  button Move to Done
  button Move to trash
listitem Rent hall
  text Rent hall
  button Delete";

#[tokio::test]
async fn a_question_of_plain_parts_is_answered_as_the_deed_was_asked_for() {
    let deletes = "Delete the card \"Order chairs\".";
    let asks = ["text Delete Order chairs for good?", "button Keep it", "button Delete"];
    assert_eq!(pressed(&after(deletes, CARDS, &asks).await), Some(11));
    let names = ["heading Delete card", "text Order chairs", "button Cancel", "button Delete"];
    assert_eq!(pressed(&after(deletes, CARDS, &names).await), Some(12));
    let other = ["text Delete Order chairs for good?", "button Keep it", "button Archive instead"];
    let decision = after(deletes, CARDS, &other).await;
    assert_eq!(pressed(&decision), None, "{decision:?}");
    let form = ["text Delete Order chairs?", "textbox Reason", "button Cancel", "button Delete"];
    assert_eq!(pressed(&after(deletes, CARDS, &form).await), None);
}

#[tokio::test]
async fn a_deed_about_which_the_page_asks_is_not_done_yet() {
    let asks = ["text Archive Order chairs?", "button Cancel", "button Send to all"];
    let decision = after("Archive the card \"Order chairs\".", CARDS, &asks).await;
    assert!(!matches!(decision.choice, Choice::Act(Action::Stop { claim: Claim::Done, .. })), "{decision:?}");
    let told = ["text Order chairs is in the archive", "button Undo", "button Close"];
    let decision = after("Archive the card \"Order chairs\".", CARDS, &told).await;
    assert!(matches!(decision.choice, Choice::Act(Action::Stop { claim: Claim::Done, .. })), "{decision:?}");
}

#[tokio::test]
async fn a_control_that_names_where_it_moves_to_is_pressed_for_that_place_alone() {
    assert_eq!(clicked("Move \"Order chairs\" to Done.", &page(CARDS)).await.1, 4);
    gives_up("Move \"Order chairs\" to the column Later.", &page(CARDS)).await;
}

#[tokio::test]
async fn a_part_of_a_board_has_its_own_control_for_what_is_new_in_it() {
    let column = |name: &str| format!("listitem {name}\n  heading {name}\n  button + Add a card\n");
    let columns = page(&format!("list\n{}{}", column("Backlog"), column("Review")).replace('\n', "\n  "));
    assert_eq!(clicked("Add a card \"Book the band\" to the Review column.", &columns).await.1, 6);
}

#[tokio::test]
async fn a_word_for_it_comes_before_a_cross_and_before_the_same_word_for_a_part() {
    let note =
        "article Taxes\n  heading Taxes\n  button Remove tag\n  button Remove tag\n  button \u{d7}\n  button Delete";
    assert_eq!(clicked("Delete the note \"Taxes\".", &page(note)).await, ("Delete".into(), 5));
}

#[tokio::test]
async fn the_first_words_of_a_name_may_be_what_the_part_of_the_page_is_headed_by() {
    let keys = "region Keys\n  heading API keys\n  listitem staging\n    text staging\n    button Revoke\n  listitem staging 2\n    text staging 2\n    button Revoke";
    assert_eq!(clicked("Revoke the API key staging.", &page(keys)).await.1, 4);
    gives_up("Revoke the API key production.", &page(keys)).await;
}

#[tokio::test]
async fn what_is_done_to_a_part_of_somebody_is_a_command_of_theirs() {
    let row = |name: &str| format!("  row {name}\n    cell {name}\n    button Reset password\n    button Remove\n");
    let members = page(&format!("table\n{}{}", row("eva@north.example"), row("ada@north.example")));
    assert_eq!(clicked("Reset the password of ada@north.example.", &members).await.1, 7);
}

#[tokio::test]
async fn what_is_called_otherwise_opens_no_thing_whatever_it_is_made_of() {
    let request = |name: &str| format!("listitem {name}\n  text {name}\n  generic Approve\n  generic Decline\n");
    let requests = page(&format!("{}{}", request("Ruth Adler"), request("Rune Adler")));
    let requests = changed(requests, "generic", |node| node.operations = vec![ActionKind::Click]);
    gives_up("Decline Ruth Adler's request with the reason \"Stocktaking week\".", &requests).await;
    gives_up("Rename \"Ruth Adler\" to \"Ruth A.\".", &requests).await;
}

#[tokio::test]
async fn what_a_page_offers_after_a_deed_is_no_question_about_it() {
    let follows = "listitem Ann\n  text Ann\n  button Follow\nlistitem Bea\n  text Bea\n  button Follow";
    let offered = ["text Suggested: Cleo", "button Follow", "button Dismiss"];
    assert_eq!(pressed(&after("Follow Ann.", follows, &offered).await), None);
    let undo = ["text Order chairs was archived. Undo?", "button Undo", "button Close"];
    assert_ne!(pressed(&after("Archive the card \"Order chairs\".", CARDS, &undo).await), Some(10));
    let resets = "listitem Ada\n  text Ada\n  button Reset password";
    let asks = ["text Reset the password of Ada?", "button Cancel", "button Reset password"];
    let decision = after("Reset the password of Ada.", resets, &asks).await;
    assert_eq!(pressed(&decision), Some(5), "{decision:?}");
}

#[tokio::test]
async fn an_entry_whose_name_is_a_link_is_no_row_of_commands() {
    let photos = "heading Sunset\nlist\n  listitem Beach\n    link Beach\n    button Delete";
    let shown = Observation { title: "Sunset".into(), ..page(photos) };
    gives_up("Delete the photo Sunset.", &shown).await;
}

#[tokio::test]
async fn a_command_of_an_open_menu_is_not_pressed_in_search_of_another() {
    let menu = "button Download all\nmenu\n  menuitem Open\n  menuitem Move to bin";
    let page = changed(page(menu), "menuitem", |node| node.operations = vec![ActionKind::Click]);
    gives_up("Click \"Download\".", &page).await;
}

#[tokio::test]
async fn what_hovering_shows_within_its_place_is_of_that_place() {
    let place = |menu: &str| page(&format!("listitem Account\n{menu}heading Tours\n"));
    let before = place("");
    let open = place("  link Sign out\n  link Preferences\n");
    let of_place = |node: &mut Node| {
        node.text = "Account Sign out Preferences".to_owned();
        node.operations = vec![ActionKind::Hover];
    };
    let open = changed(open, "listitem", of_place);
    let decision =
        then("Hover over \"Account\" and click \"Preferences\".", &before, &["link \"Preferences\""], Vec::new(), open)
            .await;
    assert_eq!(pressed(&decision), Some(2));
}

#[tokio::test]
async fn a_command_in_quotes_that_a_menu_of_the_thing_holds_is_pressed_there() {
    let instruction = "Click \"Rename\" for \"Order chairs\".";
    let closed = board("");
    let begun = ask(instruction, &closed, Value::Null).await;
    let pointed = taken(&begun, &closed, &[]);
    let opens =
        ask_after(GroundOptions::default(), instruction, closed.clone(), begun.memory, vec![pointed.clone()]).await;
    assert_eq!(pressed(&opens), Some(5), "the menu of the thing");
    for (entry, below, expected) in [
        ("Rename", "button Rename\nbutton Delete\n", Some(6)),
        ("Rename all", "button Rename all\nbutton Delete\n", None),
        ("Rename all", "button Rename\nbutton Rename all\n", None),
    ] {
        let told = format!("button \"{entry}\"");
        let open = board(below);
        let steps = vec![pointed.clone(), taken(&opens, &closed, &[&told, "button \"Delete\""])];
        let chosen = ask_after(GroundOptions::default(), instruction, open, opens.memory.clone(), steps).await;
        assert_eq!(pressed(&chosen), expected, "{entry}");
    }
}

#[tokio::test]
async fn what_shows_only_an_icon_is_called_what_the_icon_shows() {
    let rows = |icons: [&'static str; 2]| {
        let row = |name: &str| format!("row {name}\n  text {name}\n  button\n  button\n");
        let page = page(&format!("{}{}", row("Ada Brook"), row("Ben Cole")));
        let nodes = page.nodes.iter().cloned().enumerate().map(|(at, mut node)| {
            if node.role == "button" {
                node.icon = icons[usize::from(at % 4 == 3)].to_owned();
            }
            node
        });
        Observation { nodes: nodes.collect::<Vec<_>>().into(), ..page }
    };
    let click = async |name: &str, icons| {
        pressed(&ask(&format!("Click \"{name}\" for \"Ben Cole\"."), &rows(icons), Value::Null).await)
    };
    assert_eq!(click("Delete", ["pencil", "trash can"]).await, Some(7));
    assert_eq!(click("Edit", ["pen to square", "trash"]).await, Some(6));
    assert_eq!(click("Edit", ["clock", "trash"]).await, None);
    assert_eq!(click("Delete", ["trash", "trash"]).await, None, "either may be meant");
}
