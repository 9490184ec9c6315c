//! What stands beside the thing that is meant: what is put aside on the same page, buttons of the next entry, forms of the page, and dialogs
//! that ask in their own words.

use super::GroundOptions;
use super::tests::{ask, ask_after, changed, clicked, gives_up, page, with_names};
use crate::test_request::step;
use domain::decision::{Choice, Decision};
use domain::effect::{Effect, PageDifference};
use domain::observation::{Node, Observation, Request, RequestKind};
use domain::{Action, Descriptor, Step};
use serde_json::Value;

/// An action as the history tells it.
fn named(action: &Action, on: &Observation) -> Action<Descriptor> {
    action.try_map(|element| Descriptor::of(on, *element).ok_or(())).expect("an element")
}

/// What an instruction does on a second page, after the first step on a first one that changed this and sent what is given.
pub(super) async fn then(
    instruction: &str,
    first: &Observation,
    appeared: &[&str],
    requests: Vec<Request>,
    second: Observation,
) -> Decision {
    let begun = ask(instruction, first, Value::Null).await;
    let taken = Step { requests, ..taken(&begun, first, appeared) };
    ask_after(GroundOptions::default(), instruction, second, begun.memory, vec![taken]).await
}

/// The step that was decided on a page, by which this appeared.
pub(super) fn taken(decision: &Decision, page: &Observation, appeared: &[&str]) -> Step {
    let Choice::Act(action) = &decision.choice else { panic!("{:?}", decision.choice) };
    let difference = PageDifference {
        appeared: appeared.iter().map(|text| (*text).to_owned()).collect(),
        ..PageDifference::default()
    };
    let effect = Effect::Changed { what: vec!["content".to_owned()] };
    Step { difference, effect, ..step(1, named(action, page)) }
}

#[tokio::test]
async fn what_is_put_aside_on_the_page_of_a_place_is_not_in_the_place() {
    let rows = "table\n  row Mug\n    text Mug\n    button Remove\n  row Towel\n    text Towel\n    button Remove";
    let later = "region later\n  heading Saved for later\n  listitem Teapot\n    text Teapot\n    button Remove";
    let cart = Observation { title: "Your cart".into(), ..page(&format!("{rows}\n{later}")) };
    gives_up("Remove the teapot from the cart.", &cart).await;
    assert_eq!(clicked("Remove the mug from the cart.", &cart).await.1, 3);
    assert_eq!(clicked("Remove the teapot from \"Saved for later\".", &cart).await.1, 11);
}

#[tokio::test]
async fn the_button_of_the_next_entry_hands_nothing_in() {
    let card = |name: &str, button: &str| {
        format!("article {name}\n  heading {name}\n  textbox Add a tag\n  button {button}\n  button Delete\n")
    };
    let cards = page(&format!("{}{}", card("Bulbs", "Unpublish"), card("Barrels", "Publish")));
    let decision =
        then("Add the tag \"garden\" to the article \"Bulbs\".", &cards, &[], Vec::new(), cards.clone()).await;
    let pressed = match &decision.choice {
        Choice::Act(Action::Click { element, .. }) => Some(element.0),
        _ => None,
    };
    assert_ne!(pressed, Some(8), "{}", decision.reason);
}

#[tokio::test]
async fn a_post_is_answered_where_it_stands_and_not_by_the_form_of_the_page() {
    let post = |by: &str, text: &str| {
        format!("article {by} {text}\n  heading {by}\n  text {text}\n  button Reply\n  button Report\n")
    };
    let thread = page(&format!(
        "{}{}form New post\n  textbox New post\n  button Post",
        post("Ebba", "Which pads fit?"),
        post("Torben", "Ask at the shop.")
    ));
    assert_eq!(clicked("Reply to Ebba with \"Use resin.\"", &thread).await.1, 3);
    assert_eq!(clicked("Reply to Torben with \"Use resin.\"", &thread).await.1, 8);
}

#[tokio::test]
async fn what_stands_where_it_is_to_go_is_not_moved_again() {
    let lane = |name: &str, card: &str| {
        format!("region {name}\n  heading {name}\n  listitem {card}\n    text {card}\n    button Move\n")
    };
    let board =
        with_names(page(&format!("{}{}", lane("To do", "Buy paint"), lane("Done", "Order stickers"))), "region");
    // Cards may be groups that are called as they are.
    let cards = "region Done\n  group Order stickers\n    text Order stickers\n    button Move\nregion Doing\n  group Call\n    text Call\n    button Move";
    let cards = with_names(with_names(page(cards), "region"), "group");
    let decision = ask("Move the card \"Order stickers\" to Done.", &cards, Value::Null).await;
    assert!(!matches!(decision.choice, Choice::Act(Action::Click { .. })), "{}", decision.reason);
    let decision = ask("Move the card \"Order stickers\" to Done.", &board, Value::Null).await;
    assert!(!matches!(decision.choice, Choice::Act(Action::Click { .. })), "{}", decision.reason);
    assert_eq!(clicked("Move the card \"Buy paint\" to Done.", &board).await.1, 4);
}

#[tokio::test]
async fn people_are_known_by_one_of_their_names_where_only_one_has_it() {
    let row = |name: &str| format!("listitem {name}\n  text {name}\n  text Keys\n  button Archive\n");
    let mails = page(&["Dana Ortiz", "Daniel Ortiz", "Lee Marsh", "Lee Okafor"].map(row).concat());
    assert_eq!(clicked("Archive the conversation with Dana.", &mails).await.1, 3);
    for unclear in [
        "Archive the conversation with Lee.",
        "Archive the conversation with Ortiz.",
        "Archive the conversation with Dan.",
    ] {
        gives_up(unclear, &mails).await;
    }
    gives_up("Archive the conversation with \"Dana\".", &mails).await;
}

#[tokio::test]
async fn a_dialog_that_asks_in_the_words_of_the_deed_is_answered() {
    let channel = page("heading #design\nbutton Leave channel");
    let asks = "alertdialog Leave #design?\n  text Leave #design?\n  button Stay\n  button Leave";
    let asked = with_names(page(&format!("heading #design\n{asks}")), "alertdialog");
    let decision =
        then("Leave the channel #design.", &channel, &["alertdialog \"Leave #design?\""], Vec::new(), asked).await;
    let Choice::Act(Action::Click { element, .. }) = decision.choice else { panic!("{}", decision.reason) };
    assert_eq!(element.0, 4);
}

#[tokio::test]
async fn of_a_series_the_one_that_is_named_is_removed() {
    let event = page("heading Standup\nbutton Delete");
    let asks = "alertdialog What should go?\n  text This event is repeated. What should go?\n  button All events\n  button This event\n  button Cancel";
    let asked = with_names(page(&format!("heading Standup\n{asks}")), "alertdialog");
    let decision =
        then("Delete the event \"Standup\".", &event, &["alertdialog \"What should go?\""], Vec::new(), asked).await;
    let Choice::Act(Action::Click { element, .. }) = decision.choice else { panic!("{}", decision.reason) };
    assert_eq!(element.0, 4);
}

#[tokio::test]
async fn a_deed_of_which_the_page_shows_nothing_is_not_claimed() {
    let dock = page("row SH-2033\n  text SH-2033\n  button Release\nrow SH-2050\n  text SH-2050\n  button Release");
    let sent = Request { method: "POST".into(), status: Some(200), kind: RequestKind::Script, ..Request::default() };
    let begun = ask("Release the shipment SH-2033.", &dock, Value::Null).await;
    let Choice::Act(action) = &begun.choice else { panic!("{:?}", begun.choice) };
    let named = named(action, &dock);
    let claims = |what: &str| {
        let effect = Effect::Changed { what: vec![what.to_owned()] };
        let taken = Step { requests: vec![sent.clone()], effect, ..step(1, named.clone()) };
        ask_after(
            GroundOptions::default(),
            "Release the shipment SH-2033.",
            dock.clone(),
            begun.memory.clone(),
            vec![taken],
        )
    };
    let is_done = |decision: &Decision| matches!(&decision.choice, Choice::Act(Action::Stop { .. }));
    assert!(!is_done(&claims("request").await));
    assert!(is_done(&claims("content").await));
}

#[tokio::test]
async fn a_number_of_which_the_site_kept_another_is_not_claimed() {
    let of = |held: &str| {
        let table = page("row Oak tray\n  text Oak tray\n  textbox Quantity\nbutton Update cart");
        changed(table, "textbox", |node: &mut Node| node.value = Some(held.to_owned()))
    };
    let instruction = "Set the quantity of the oak tray to 12 and click \"Update cart\".";
    let typed = ask(instruction, &of("1"), Value::Null).await;
    assert!(matches!(&typed.choice, Choice::Act(Action::Type { text, .. }) if text == "12"), "{}", typed.reason);
    let pressed = ask(instruction, &of("12"), typed.memory).await;
    assert!(matches!(&pressed.choice, Choice::Act(Action::Click { .. })), "{}", pressed.reason);
    let kept = ask(instruction, &of("5"), pressed.memory.clone()).await;
    assert!(kept.reason.contains("was given 12 and shows 5"), "{}", kept.reason);
    // As before: the field is there for the next one.
    let again = ask(instruction, &of("1"), pressed.memory).await;
    assert!(!again.reason.contains("was given"), "{}", again.reason);
}

#[tokio::test]
async fn a_name_that_goes_on_without_a_blank_is_another_one() {
    let row = |name: &str| format!("listitem {name}\n  text {name}\n  button Delete\n");
    for other in ["backup-2023", "backup_2", "backup.2", "my-backup", "2-backup"] {
        let files = page(&format!("{}{}", row(other), row("photos")));
        gives_up("Delete \"backup\".", &files).await;
        assert_eq!(clicked(&format!("Delete \"{other}\"."), &files).await.1, 2);
    }
}
