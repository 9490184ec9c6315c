//! What plain words may and may not bring about: an instruction, a page, and what is done first or why nothing is.

use super::GroundOptions;
use super::tests::{ask, ask_after, ask_with, changed, clicked, gives_up, page, with_names};
use crate::guide::{KnownPage, KnownStep, SiteGuide};
use crate::test_request;
use domain::action::{Action, ActionKind, Claim};
use domain::decision::Choice;
use domain::observation::Observation;
use serde_json::Value;

fn with_box(lines: &str, checked: bool) -> Observation {
    changed(page(lines), "checkbox", |node| node.states.checked = Some(checked))
}

fn with_labels(page: Observation, role: &str) -> Observation {
    changed(page, role, |node| node.tag = "label".into())
}

#[tokio::test]
async fn a_verb_alone_chooses_no_control() {
    for (instruction, shown) in [
        ("Remove Berlin.", "listitem Oslo\n  text Oslo\n  button Remove"),
        ("Delete the event \"Trip\".", "button Delete\nlistitem Party\n  text Party\n  button Delete"),
        ("Mark \"Eggs\" as done.", "listitem Milk\n  text Milk\n  checkbox done"),
        ("Archive the note \"Ideas\".", "button Archive\nlistitem Plans\n  text Plans\n  button Archive"),
        ("Close the issue \"Crash\".", "button Close\nlistitem Noise\n  text Noise\n  button Close issue"),
    ] {
        gives_up(instruction, &page(shown)).await;
    }
}

#[tokio::test]
async fn a_name_is_not_replaced_by_one_that_shares_a_word() {
    for (instruction, shown) in [
        ("Open \"Calendar\".", "link Calendars"),
        ("Open the user settings.", "button User groups\nbutton Settings of the printer"),
        ("Open the shopping list.", "button To-do list"),
        ("Remove \"Buy milk\".", "listitem Buy oat milk\n  text Buy oat milk\n  button Remove"),
        ("Turn on dark mode.", "checkbox Light mode"),
    ] {
        gives_up(instruction, &page(shown)).await;
    }
}

#[tokio::test]
async fn a_thing_is_taken_from_the_place_that_is_named_and_from_no_other() {
    let lists = page(
        "heading Cart\nlist Cart\n  listitem Lamp\n    text Lamp\n    button Remove\nheading Wishlist\nlist Wishlist\n  listitem Lamp\n    text Lamp\n    button Remove",
    );
    let named = with_names(lists, "list");
    assert_eq!(clicked("Remove the lamp from my wishlist.", &named).await.1, 9);
    assert_eq!(clicked("Remove the lamp from the cart.", &named).await.1, 4);
    assert!(gives_up("Remove the lamp.", &named).await.starts_with("ambiguous"));
    gives_up("Remove the lamp from my favourite songs.", &named).await;
}

#[tokio::test]
async fn what_holds_already_is_said_and_nothing_is_pressed() {
    let done = with_box("listitem Eggs\n  text Eggs\n  checkbox done", true);
    let decision = ask("Mark \"Eggs\" as done.", &done, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::Wait { milliseconds: 1500 }), "it may only seem so at first");
    let decision = ask("Mark \"Eggs\" as done.", &done, decision.memory).await;
    assert_eq!(decision.choice, Choice::Act(Action::done()));
    assert!(decision.reason.contains("already"), "{}", decision.reason);
    let open = with_box("listitem Eggs\n  text Eggs\n  checkbox done", false);
    let decision = ask("Mark \"Eggs\" as done.", &open, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::Check { element: domain::ElementId(2), checked: true }));
}

#[tokio::test]
async fn a_clause_that_is_not_understood_ends_the_claim_and_not_the_reading() {
    let shown = page("button A");
    let first = ask("Click \"A\" and frobnicate the widgets.", &shown, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(domain::ElementId(0))));
    let then = ask("Click \"A\" and frobnicate the widgets.", &shown, first.memory).await;
    let Choice::Act(Action::Stop { claim: Claim::GaveUp { reason }, .. }) = then.choice else { panic!("{then:?}") };
    assert!(reason.contains("not understood") && reason.contains("frobnicate"), "{reason}");
}

#[tokio::test]
async fn what_is_still_shown_was_not_removed() {
    let shown = page("listitem Trip\n  text Trip\n  button Delete");
    let pressed = ask("Delete the event \"Trip\".", &shown, Value::Null).await;
    assert_eq!(pressed.choice, Choice::Act(Action::click(domain::ElementId(2))));
    let mut memory = pressed.memory;
    for _ in 0..6 {
        let decision = ask("Delete the event \"Trip\".", &shown, memory).await;
        memory = decision.memory;
        match decision.choice {
            Choice::Act(Action::Wait { .. }) => {}
            Choice::Act(Action::Stop { claim: Claim::GaveUp { reason }, .. }) => {
                assert!(reason.contains("still shown"), "{reason}");
                return;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("waits for ever");
}

#[tokio::test]
async fn only_ways_that_change_nothing_are_followed_in_search_of_a_thing() {
    let office = "navigation Office\n  button Delete all tasks\n  link Log out\n  link Calendar\n  link Clear tasks\nbutton Save";
    assert_eq!(clicked("Delete the event \"Trip\".", &page(office)).await.0, "Calendar");
    let nothing = "navigation Office\n  button Delete all events\n  link Log out\n  link Clear calendar\nbutton Save";
    gives_up("Delete the event \"Trip\".", &page(nothing)).await;
}

#[tokio::test]
async fn a_form_takes_nothing_where_a_value_has_no_field() {
    let form = "form New event\n  textbox Title\n  button Create";
    let decision = ask("Create an event called \"Trip\".", &page(form), Value::Null).await;
    assert!(matches!(decision.choice, Choice::Act(Action::Type { ref text, .. }) if text == "Trip"), "{decision:?}");
    gives_up("Create an event called \"Trip\" with the colour \"red\".", &page(form)).await;
}

#[tokio::test]
async fn the_menu_of_another_entry_is_not_opened_in_search_of_a_thing() {
    let shown =
        page("listitem Plans\n  text Plans\n  button \u{22EF}\nlistitem Notes\n  text Notes\n  button \u{22EF}");
    gives_up("Rename \"Budget\" to \"Budget 2031\".", &shown).await;
    assert_eq!(clicked("Rename \"Notes\" to \"Ideas\".", &shown).await.1, 5);
}

#[tokio::test]
async fn what_is_put_into_a_cart_at_once_is_no_way_to_a_form() {
    gives_up("Add two adult tickets for Saturday to the basket.", &page("text Sunday\nbutton Add to basket")).await;
    let card = "listitem Blue mug\n  text Blue mug\n  button Add to cart";
    gives_up("Add two blue mugs to the cart.", &page(card)).await;
    assert_eq!(clicked("Add the blue mug to the cart.", &page(card)).await.1, 2);
}

#[tokio::test]
async fn what_was_changed_is_saved_by_the_control_that_says_so() {
    let shown = page("button Mark as shipped\nbutton Save\ntext Order 12");
    assert_eq!(clicked("Click \"Save\".", &shown).await.1, 1);
    let goals = super::understand::explain("Rename \"Trip\" to \"Journey\" and save it.");
    assert_eq!(goals.len(), 2, "{goals:?}");
}

#[tokio::test]
async fn of_several_entries_the_one_that_says_the_place_is_meant() {
    let basket = "heading Sunday\nlistitem 2 adult, Friday\n  text 2 adult, Friday\n  button Remove\nlistitem 1 adult, Sunday\n  text 1 adult, Sunday\n  button Remove";
    assert_eq!(clicked("Remove the adult ticket for Sunday.", &page(basket)).await.1, 6);
}

#[tokio::test]
async fn where_a_dialog_names_its_deed_the_one_that_does_not_decline_is_the_yes() {
    let asks = "dialog Is order 12 shipped?\n  text Is order 12 shipped?\n  button Go back\n  button It has left";
    assert_eq!(clicked("Accept the dialog.", &page(asks)).await.1, 3);
    let three = "dialog Is order 12 shipped?\n  text Is order 12 shipped?\n  button Go back\n  button Today\n  button Yesterday";
    gives_up("Accept the dialog.", &page(three)).await;
}

#[tokio::test]
async fn a_list_that_turns_its_pages_by_numbers_is_turned_to_the_next() {
    let shown = page(
        "listitem Party\n  text Party\n  button Delete\nlist Pages .pagination\n  link 1\n  link 2 .active\n  link 3\n  link 4\nlink 3",
    );
    assert_eq!(clicked("Delete the event \"Trip\".", &shown).await, ("3".to_owned(), 6));
    let marks = page("listitem Party\n  text Party\nlist Rating\n  button 1\n  button 2 .active\n  button 3");
    gives_up("Delete the event \"Trip\".", &marks).await;
}

#[tokio::test]
async fn a_box_of_a_matrix_is_known_by_its_row_and_its_column() {
    let row = |role: &str| {
        format!("row {role}\n  rowheader {role}\n  checkbox {role} Read\n  checkbox {role} Delete posts\n")
    };
    let shown = with_box(&format!("{}{}", row("Guest"), row("Moderator")), false);
    let decision = ask("Tick \"Delete posts\" for the role \"Moderator\".", &shown, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::Check { element: domain::ElementId(7), checked: true }));
}

#[tokio::test]
async fn what_is_done_with_values_is_filled_in_before_it_is_pressed() {
    let shown = page("heading Ticket B-2\nform Close\n  textbox Resolution\n  button Close ticket");
    let first = ask("Close the ticket \"B-2\" with the resolution \"Not a bug\".", &shown, Value::Null).await;
    assert!(matches!(first.choice, Choice::Act(Action::Type { ref text, .. }) if text == "Not a bug"), "{first:?}");
}

#[tokio::test]
async fn what_may_be_done_at_once_is_not_pressed_without_its_values() {
    let rows = "listitem Bob\n  text Bob\n  textbox Reason\n  button Reject\nlistitem Ann Lee\n  text Ann Lee\n  textbox Reason\n  button Reject";
    let first = ask("Reject the request of Ann Lee with the reason \"Too short\".", &page(rows), Value::Null).await;
    assert!(matches!(first.choice, Choice::Act(Action::Type { element, .. }) if element.0 == 6), "{first:?}");
    let bare = page("listitem Order 12\n  text Order 12\n  button Refund");
    gives_up("Refund \"Order 12\" with the amount \"5\".", &bare).await;
    let opens = page("listitem Order 12\n  text Order 12\n  button Refund\u{2026}");
    assert_eq!(clicked("Refund \"Order 12\" with the amount \"5\".", &opens).await.1, 2);
}

#[tokio::test]
async fn cancel_leaves_a_form_and_ends_what_was_agreed_upon() {
    let entry = "listitem Trip\n  text Trip\n  button Cancel\nlistitem Party\n  text Party\n  button Cancel";
    assert_eq!(clicked("Cancel the booking \"Party\".", &page(entry)).await.1, 5);
    let form = "listitem Trip\n  text Trip\n  form Trip\n    textbox Note\n    button Cancel";
    gives_up("Cancel the booking \"Trip\".", &page(form)).await;
}

#[tokio::test]
async fn a_calendar_is_turned_towards_the_month_that_is_asked_for() {
    let page = page("text March 2025\nbutton Previous month\nbutton Next month\nbutton Next page");
    assert_eq!(clicked("Go to April 2025.", &page).await.0, "Next month");
    assert_eq!(clicked("Go to December 2024.", &page).await.0, "Previous month");
    let reason = gives_up("Go to April 2025.", &super::tests::page("text March 2025\nlink Imprint")).await;
    assert!(reason.contains("April 2025"), "{reason}");
}

#[tokio::test]
async fn a_field_that_cannot_be_typed_into_opens_the_calendar_that_fills_it() {
    let page = changed(page("textbox Arrival\ntextbox Return\nbutton Search"), "textbox", |node| {
        node.tag = "input".into();
        node.states.readonly = true;
        node.operations = vec![ActionKind::Click];
    });
    assert_eq!(clicked("Choose 18 March 2026 as \"Arrival\".", &page).await.0, "Arrival");
}

#[tokio::test]
async fn what_stands_behind_a_tab_of_its_kind_is_added_there() {
    let page = page("tab Public comment\ntab Internal note\nform\n  textbox Comment\n  button Send comment");
    assert_eq!(clicked("Add an internal note \"Customer is on plan B\".", &page).await.0, "Internal note");
}

#[tokio::test]
async fn a_seat_is_taken_by_being_pressed_where_pressing_is_all_there_is() {
    let pressed = |lines| changed(page(lines), "button", |node| node.states.pressed = Some(false));
    assert_eq!(clicked("Reserve seat 12A.", &pressed("button 12A\nbutton 12B")).await.0, "12A");
    let reason = gives_up("Reserve seat 12A.", &page("button 12B\nbutton 12C")).await;
    assert!(reason.contains("12A"), "{reason}");
}

#[tokio::test]
async fn a_label_and_its_box_are_one_thing_and_a_list_of_its_own_holds_entries() {
    let shown = with_box("checkbox Cycle paths\ntext Cycle paths\ncheckbox Bus stops\ntext Bus stops", false);
    let shown = with_labels(shown, "text");
    let decision = ask("Show the layer \"Bus stops\".", &shown, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::Check { element: domain::ElementId(2), checked: true }));
    let wrapped = with_box("label Milk\n  checkbox Milk\nlabel Eggs\n  checkbox Eggs", false);
    let wrapped = with_labels(wrapped, "label");
    let decision = ask("Show the layer \"Eggs\".", &wrapped, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::Check { element: domain::ElementId(3), checked: true }));
    let files = "listbox Files\n  option notes.txt\n  option plan.txt\nbutton Delete";
    let files = page(files);
    let files = with_names(files, "listbox");
    assert_eq!(clicked("Delete the file \"plan.txt\".", &files).await.1, 2);
}

#[tokio::test]
async fn what_is_not_on_the_page_is_looked_for_by_the_map() {
    let known = |state: u64, title: &str, address: &str, step: Option<KnownStep>| KnownPage {
        state,
        title: title.into(),
        address: address.into(),
        step,
        ..KnownPage::default()
    };
    let step = KnownStep { from: 2, role: "tab".into(), name: "Archive".into() };
    let pages = vec![
        known(1, "Desk", "/", None),
        known(2, "Invoices", "/money/invoices?all", None),
        known(3, "Orders", "/money/invoices?all", Some(step)),
    ];
    let map = SiteGuide { of: "desk".into(), origin: "http://desk.test".into(), pages };
    let options = GroundOptions { map, ..GroundOptions::default() };
    let at = |url: &str, lines: &str| Observation { url: url.into(), ..page(lines) };
    let desk = at("http://desk.test/", "link Reports");
    let ways = |instruction: &'static str| ask_with(options.clone(), instruction, &desk, Value::Null);
    for instruction in ["Delete the invoice \"R-7\".", "Open the invoices."] {
        let Choice::Act(Action::Goto { url }) = ways(instruction).await.choice else { panic!("{instruction}") };
        assert_eq!(url, "http://desk.test/money/invoices?all");
    }
    // What no address shows is reached by the control that led there, which is pressed once, right after the address was opened.
    let first = ways("Delete the order \"B-9\".").await;
    assert!(matches!(first.choice, Choice::Act(Action::Goto { .. })), "{first:?}");
    let opened = test_request::step(1, Action::Goto { url: "http://desk.test/money/invoices?all".into() });
    let then = |lines: &'static str, memory: Value| {
        let page = at("http://desk.test/money/invoices?all", lines);
        ask_after(options.clone(), "Delete the order \"B-9\".", page, memory, vec![opened.clone()])
    };
    let pressed = then("tab Archive\nlink Home", first.memory.clone()).await;
    assert_eq!(pressed.choice, Choice::Act(Action::click(domain::ElementId(0))), "{}", pressed.reason);
    // Where the map is wrong, nothing is pressed by it.
    for wrong in ["link Archive of the press", "tab Archive\ntab Archive", "button Archive"] {
        let lost = then(wrong, first.memory.clone()).await;
        assert!(!lost.reason.contains("as the map knows"), "{wrong}: {lost:?}");
    }
    // A page says itself that it is there: nothing is open because the map said so.
    let orders = ways("Open the orders.").await;
    let log_in = at("http://desk.test/log-in", "textbox Name\nbutton Log in");
    let after = ask_after(options.clone(), "Open the orders.", log_in, orders.memory, vec![opened.clone()]).await;
    assert_ne!(after.choice, Choice::Act(Action::done()), "{}", after.reason);
    // What is known of one site says nothing of another.
    let elsewhere = at("http://other.test/", "link Reports");
    let other = ask_with(options.clone(), "Open the invoices.", &elsewhere, Value::Null).await;
    assert!(!matches!(other.choice, Choice::Act(Action::Goto { .. })), "{other:?}");
}
