//! The wanted, not the nearest: an instruction and a small page, and what is done or why nothing is.

use super::GroundOptions;
use super::tests::{ask, ask_after, clicked, gives_up, page};
use crate::test_request;
use domain::Descriptor;
use domain::action::{Action, ActionKind, Direction};
use domain::decision::Choice;
use domain::effect::{Effect, ElementChange, PageDifference};
use domain::observation::{Dialog, Tab};
use domain::trajectory::Step;
use serde_json::Value;

#[tokio::test]
async fn nothing_is_pressed_where_only_something_like_the_wanted_is_shown() {
    for (instruction, shown) in [
        ("Click \"Cancel parcel 17\".", "button Cancel parcel 71\nbutton Cancel parcel 170"),
        ("Click \"Cancel\".", "button Cancel all\nlink Cancelled parcels"),
        ("Click \"Heating on\".", "button Heating off"),
        ("Click \"Enable tracking\".", "button Disable tracking"),
        ("Select \"Gate 4\" in \"Gate\".", "group Gate\n  radio Gate 14\n  radio Gate 40"),
        ("Type \"Ann\" into \"Receiver\".", "textbox Sender\ntextbox Remarks"),
        (
            "Remove \"Ann Lind\".",
            "row Hann Lind\n  text Hann Lind\n  button Remove\nrow Anne Lind\n  text Anne Lind\n  button Remove",
        ),
        ("Remove Ann Lind.", "row Bea Moe\n  text Bea Moe\n  button Remove"),
        ("Click \"Remove\" for \"Ann Lind\".", "row Bea Moe\n  text Bea Moe\n  button Remove"),
    ] {
        gives_up(instruction, &page(shown)).await;
    }
}

#[tokio::test]
async fn what_fits_more_than_once_is_ambiguous_unless_the_instruction_tells_which() {
    let rows = page("row Ann\n  text Ann\n  button Edit\nrow Bea\n  text Bea\n  button Edit");
    let reason = gives_up("Click \"Edit\".", &rows).await;
    assert!(reason.starts_with("ambiguous: 2") && reason.contains("Ann") && reason.contains("Bea"), "{reason}");
    for (instruction, element) in [
        ("Click \"Edit\" for \"Bea\".", 5),
        ("Click the first \"Edit\" button.", 2),
        ("Click the last \"Edit\" button.", 5),
        ("Click any \"Edit\" button.", 2),
    ] {
        assert_eq!(clicked(instruction, &rows).await.1, element, "{instruction}");
    }
}

#[tokio::test]
async fn a_label_is_no_repetition_of_the_instruction_however_long_it_is() {
    let shown = page(
        "text I accept the rules of the house and the price list\n  checkbox I accept the rules of the house and the price list",
    );
    let decision = ask("Check \"I accept the rules of the house and the price list\".", &shown, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::Check { element: domain::ElementId(1), checked: true }));
}

#[tokio::test]
async fn a_choice_stays_in_the_group_that_is_named() {
    let groups = page(
        "group Breakfast?\n  text Breakfast?\n  radio Yes\n  radio No\ngroup Late arrival?\n  text Late arrival?\n  radio Yes\n  radio No",
    );
    for (instruction, element) in [
        ("Select \"No\" for \"Breakfast?\".", 3),
        ("Select \"No\" in \"Late arrival?\".", 7),
        ("Choose \"Yes\" under \"Late arrival?\".", 6),
    ] {
        assert_eq!(clicked(instruction, &groups).await.1, element, "{instruction}");
    }
    assert!(gives_up("Select \"No\".", &groups).await.starts_with("ambiguous"));
}

#[tokio::test]
async fn a_control_is_taken_from_the_item_of_the_words() {
    let rows = page("row Ann\n  text Ann\n  button Remove\nrow Bea\n  text Bea\n  button Remove");
    assert_eq!(clicked("Remove \"Bea\".", &rows).await.1, 5);
    assert_eq!(clicked("Remove Bea.", &rows).await.1, 5);
}

#[tokio::test]
async fn an_item_that_holds_items_has_controls_of_its_own() {
    let house = page(
        "listitem Kitchen\n  text Kitchen\n  button Remove\n  listitem Kettle\n    text Kettle\n    button Remove\n\
         listitem Garage\n  text Garage\n  button Remove",
    );
    assert_eq!(clicked("Press \"Remove\" for \"Kitchen\".", &house).await.1, 2);
    assert_eq!(clicked("Press \"Remove\" for \"Kettle\".", &house).await.1, 5);
}

#[tokio::test]
async fn nothing_is_opened_in_search_of_one_thing_that_a_later_clause_names_or_that_empties() {
    for shown in ["button Show all", "button Empty folder", "button Open gate"] {
        let label = shown.trim_start_matches("button ");
        gives_up(&format!("Click \"Spam\" and press \"{label}\"."), &page(shown)).await;
    }
    gives_up("Click \"Spam\".", &page("button Empty folder\nbutton Clear options")).await;
    assert_eq!(clicked("Click \"Spam\".", &page("button Empty folder\nbutton More folders")).await.1, 1);
}

#[tokio::test]
async fn a_confirmation_of_something_destructive_is_dismissed_without_a_word_about_it() {
    let mut asked = page("button Erase");
    asked.dialog = Some(Dialog { kind: "confirm".into(), message: "Erase all maps?".into() });
    let decision = ask("Click \"Erase\".", &asked, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::DismissDialog));
    asked.dialog = None;
    let after = ask("Click \"Erase\".", &asked, decision.memory).await;
    assert!(after.reason.contains("Erase all maps?"), "{after:?}");
}

#[tokio::test]
async fn a_command_is_not_pressed_to_see_what_it_hides() {
    for command in ["button Silence Ann .menu-entry", "button Share .open-share", "button Hide post .post-options"] {
        gives_up("Click \"Report\".", &page(command)).await;
    }
    for opener in ["button Filters .dropdown-switch", "button .post-options", "button More"] {
        assert_eq!(clicked("Click \"Report\".", &page(opener)).await.1, 0, "{opener}");
    }
}

#[tokio::test]
async fn the_entries_of_a_list_are_not_opened_one_by_one_to_look_for_another() {
    let list = page(
        "listitem Parcel 4\n  text Parcel 4\n  button Open\nlistitem Parcel 5\n  text Parcel 5\n  button Show details",
    );
    gives_up("Click \"Open\" for \"Parcel 47\".", &list).await;
    gives_up("Click \"Hand over\".", &list).await;
}

#[tokio::test]
async fn a_suggestion_that_the_next_clause_names_is_left_to_that_clause() {
    let typed = ask("Type \"york\" into \"Town\" and click \"New York\".", &page("textbox Town"), Value::Null).await;
    let suggested = page("textbox Town\noption York\noption New York");
    let chosen = ask("Type \"york\" into \"Town\" and click \"New York\".", &suggested, typed.memory).await;
    assert_eq!(chosen.choice, Choice::Act(Action::click(domain::ElementId(2))));
}

#[tokio::test]
async fn what_is_to_be_rejected_is_never_accepted() {
    let mut wall =
        page("button Read on\ndialog Cookies\n  text We value your privacy\n  button Accept all\n  button Reject all");
    wall.nodes = wall.nodes.iter().cloned().map(named_if_dialog).collect::<Vec<_>>().into();
    assert_eq!(clicked("Reject all cookies.", &wall).await.0, "Reject all");
    let mut only = page("button Read on\ndialog Cookies\n  text We value your privacy\n  button Accept all");
    only.nodes = only.nodes.iter().cloned().map(named_if_dialog).collect::<Vec<_>>().into();
    gives_up("Reject all cookies.", &only).await;
}

fn named_if_dialog(mut node: domain::Node) -> domain::Node {
    if node.role == "dialog" {
        node.name = node.text.clone();
    }
    node
}

#[tokio::test]
async fn a_button_of_another_command_does_not_open_the_thing_that_it_stands_in() {
    gives_up("Archive \"Trip\".", &page("listitem Trip\n  text Trip\n  button Book")).await;
}

#[tokio::test]
async fn of_two_equal_days_that_of_the_month_is_pressed() {
    let calendar =
        page("grid June\n  button 30\n  button 31\n  button 1\n  button 2\n  button 30\n  button 1\n  button 2");
    assert_eq!(clicked("Click \"2\".", &calendar).await.1, 4);
    assert_eq!(clicked("Click \"30\".", &calendar).await.1, 5);
}

#[tokio::test]
async fn a_list_is_scrolled_on_as_long_as_that_shows_more() {
    let list = |names: &str| {
        let mut shown = page(&format!("list Guests\n{names}"));
        let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
        nodes.iter_mut().filter(|node| node.role == "list").for_each(|node| node.operations.push(ActionKind::Scroll));
        shown.nodes = nodes.into();
        shown
    };
    let scrolls = Choice::Act(Action::Scroll { element: Some(domain::ElementId(0)), direction: Direction::Down });
    let instruction = "Click \"Invite Cleo\".";
    let first = ask(instruction, &list("  button Invite Ada\n  button Invite Ben"), Value::Null).await;
    assert_eq!(first.choice, scrolls);
    let further = ask(instruction, &list("  button Invite Ben\n  button Invite Bo"), first.memory.clone()).await;
    assert_eq!(further.choice, scrolls);
    let found = ask(instruction, &list("  button Invite Bo\n  button Invite Cleo"), further.memory).await;
    assert_eq!(found.choice, Choice::Act(Action::click(domain::ElementId(2))));
    // Nothing new came, twice: it is the end of the list.
    let unchanged = list("  button Invite Ada\n  button Invite Ben");
    let again = ask(instruction, &unchanged, first.memory).await;
    assert_eq!(again.choice, scrolls);
    assert_ne!(ask(instruction, &unchanged, again.memory).await.choice, scrolls);
}

#[tokio::test]
async fn of_two_buttons_that_of_the_form_that_was_filled_in_is_meant_though_it_is_disabled() {
    let mut forms =
        page("form Letter\n  textbox Letter\n  button Send\nform Feedback\n  textbox Feedback\n  button Send");
    let mut nodes: Vec<domain::Node> = forms.nodes.iter().cloned().collect();
    for (at, path) in ["", "/label[1]/input[1]", "/button[1]"].iter().enumerate() {
        nodes[at].xpath = format!("/html[1]/body[1]/section[1]{path}");
        nodes[at + 3].xpath = format!("/html[1]/body[1]/section[2]{path}");
    }
    nodes[2].states.disabled = true;
    nodes[2].operations.clear();
    forms.nodes = nodes.into();
    let typed = ask("Type \"Hello\" into \"Letter\" and click \"Send\".", &forms, Value::Null).await;
    assert!(matches!(typed.choice, Choice::Act(Action::Type { element: domain::ElementId(1), .. })), "{typed:?}");
    let mut filled = forms.clone();
    let mut nodes: Vec<domain::Node> = filled.nodes.iter().cloned().collect();
    nodes[1].value = Some("Hello".into());
    filled.nodes = nodes.into();
    let sent = ask("Type \"Hello\" into \"Letter\" and click \"Send\".", &filled, typed.memory).await;
    assert!(matches!(sent.choice, Choice::Act(Action::Wait { .. })), "{sent:?}");
    assert!(sent.reason.contains("disabled"), "{}", sent.reason);
}

#[tokio::test]
async fn what_the_instruction_turned_to_is_not_left_in_search_of_something() {
    let days = |role: &str| {
        format!(
            "navigation Days\n  {role} Today\n  {role} Tomorrow\nlist\n  listitem Ann\n    text Ann\n    button Hand over"
        )
    };
    for (instruction, shown) in [
        ("Click the tab \"Today\" and click \"Hand over\" for \"Bea\".", days("tab")),
        ("Click the link \"Today\". Hand over the parcel of Bea.", days("link")),
        ("Open \"Today\", then click \"Hand over\" for \"Bea\".", days("tab")),
    ] {
        let shown = page(&shown);
        let mut decision = ask(instruction, &shown, Value::Null).await;
        let Choice::Act(Action::Click { element, .. }) = &decision.choice else {
            panic!("{instruction}: {decision:?}")
        };
        assert_eq!(element.0, 1, "{instruction}");
        for _ in 0..6 {
            decision = ask(instruction, &shown, decision.memory).await;
            match &decision.choice {
                Choice::Act(Action::Stop { .. }) => break,
                Choice::Act(Action::Click { element, .. }) => assert_eq!(element.0, 1, "{instruction}"),
                _ => {}
            }
        }
        assert!(matches!(decision.choice, Choice::Act(Action::Stop { .. })), "{instruction}: waits for ever");
    }
}

#[tokio::test]
async fn what_is_said_to_stand_on_a_tab_is_sought_on_that_tab() {
    let shown = |name: &str| {
        let mut shown =
            page("tablist Days\n  tab Today\n  tab Tomorrow\nlist\n  listitem Ann\n    text Ann\n    button Hand over");
        let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
        for node in nodes.iter_mut().filter(|node| node.role == "tab") {
            node.states.selected = Some(node.text == name);
        }
        shown.nodes = nodes.into();
        shown
    };
    for instruction in [
        "Click \"Hand over\" for \"Ann\" on the \"Tomorrow\" tab.",
        "In the tab \"Tomorrow\" click \"Hand over\" for \"Ann\".",
        "On the Tomorrow tab, click \"Hand over\" for Ann.",
        "On the Tomorrow tab click \"Hand over\" for \"Ann\".",
        "Click \"Hand over\" for Ann on the Tomorrow tab.",
        "Under \"Tomorrow\", click \"Hand over\" for \"Ann\".",
    ] {
        assert_eq!(clicked(instruction, &shown("Today")).await.0, "Tomorrow", "{instruction}");
        assert_eq!(clicked(instruction, &shown("Tomorrow")).await.0, "Hand over", "{instruction}");
    }
}

#[tokio::test]
async fn what_does_the_opposite_is_not_pressed_in_search_of_a_control() {
    let plots = "article Plot 3\n  heading Plot 3\n  text Water off\n  button Open water\n  button Assign\narticle Plot 33\n  heading Plot 33\n  text Water on\n  button Close water\n  button Assign";
    gives_up("Close the water of plot 3.", &page(plots)).await;
    assert_eq!(clicked("Close the water of plot 33.", &page(plots)).await.0, "Close water");
}

#[tokio::test]
async fn somebody_of_a_like_name_is_somebody_else() {
    for (instruction, shown) in [
        (
            "Cancel the appointment of Samir Haddad.",
            "row Samira Haddad Check-up\n  text Samira Haddad\n  button Cancel appointment",
        ),
        ("Select Wanda Sikora.", "radio Wanda Sikorski\nradio Jana Pohl"),
        ("Click \"Arrived\" for Mara Lindt.", "row Mara Lindtner\n  text Mara Lindtner\n  button Arrived"),
    ] {
        gives_up(instruction, &page(shown)).await;
    }
}

fn press(role: &str) -> Action<Descriptor> {
    let shown = page(&format!("{role} Go"));
    Action::Click { element: Descriptor::of(&shown, domain::ElementId(0)).unwrap(), at: None, count: 1 }
}

#[tokio::test]
async fn what_is_being_loaded_anew_is_waited_for_and_not_pressed() {
    let list = |busy: bool, status: &str| {
        let mut shown = page(&format!(
            "button Search\nstatus {status}\nlist Found\n  listitem Tent peg\n    text Tent peg\n    button Buy"
        ));
        let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
        if busy {
            nodes[2].attributes.insert("aria-busy".into(), "true".into());
        }
        shown.nodes = nodes.into();
        shown
    };
    let instruction = "Click \"Buy\" for the first result.";
    assert_eq!(clicked(instruction, &list(false, "1 found")).await.0, "Buy");
    let reason = gives_up(instruction, &list(true, "1 found")).await;
    assert!(reason.contains("being loaded") && reason.contains("10 s"), "{reason}");
    // What the press before set going is awaited as well, and a word that stood there before it is not.
    let pressed = |said: &str| {
        let change = ElementChange { of: "status".into(), from: "Popular now".into(), to: said.into() };
        let difference = PageDifference { changed: vec![change], ..PageDifference::default() };
        vec![Step { difference, ..test_request::step(1, press("button")) }]
    };
    for (said, waits) in [("Searching\u{2026}", true), ("3 found", false)] {
        let page = list(false, "Searching\u{2026}");
        let decision = ask_after(GroundOptions::default(), instruction, page, Value::Null, pressed(said)).await;
        assert_eq!(matches!(decision.choice, Choice::Act(Action::Wait { .. })), waits, "{said}: {decision:?}");
    }
}

#[tokio::test]
async fn what_a_link_opened_in_a_tab_is_not_left_for_a_control_of_the_page_before() {
    let mut shown = page("heading Expense 72\ntext Withdrawn");
    let tab = |current: bool| Tab { current, ..Tab::default() };
    shown.tabs = vec![tab(false), tab(true)];
    let followed = |role: &str| {
        let effect = Effect::Changed { what: vec!["tabs".into()] };
        vec![Step { effect, ..test_request::step(1, press(role)) }]
    };
    for (role, leaves) in [("link", false), ("button", true)] {
        let mut memory = Value::Null;
        let mut left = false;
        for _ in 0..6 {
            let instruction = "Click \"Approve\".";
            let decision =
                ask_after(GroundOptions::default(), instruction, shown.clone(), memory, followed(role)).await;
            memory = decision.memory;
            left |= matches!(decision.choice, Choice::Act(Action::SwitchTab { .. }));
        }
        assert_eq!(left, leaves, "{role}");
    }
}

#[tokio::test]
async fn what_is_to_be_waited_for_is_seen_before_it_goes_on() {
    let waits = |decision: &domain::decision::Decision| matches!(decision.choice, Choice::Act(Action::Wait { .. }));
    let until = "Wait until the backup is stored, then click \"Close\".";
    for (status, goes_on) in [
        ("Backup is waiting", false),
        ("Backup is not stored", false),
        ("Report is stored", false),
        ("Backup is stored", true),
        ("The backup was stored today", true),
    ] {
        let shown = page(&format!("status {status}\nbutton Close"));
        let decision = ask(until, &shown, Value::Null).await;
        assert_eq!(waits(&decision), !goes_on, "{status}: {decision:?}");
    }
    let quoted = "Click \"Start\" and wait until \"Ready\" is shown.";
    let pressed = ask(quoted, &page("button Start\nstatus Idle"), Value::Null).await;
    assert_eq!(pressed.choice, Choice::Act(Action::click(domain::ElementId(0))));
    let mut memory = pressed.memory;
    let mut looks = 0;
    let reason = loop {
        let idle = page("button Start\nstatus Working");
        let decision = ask_after(GroundOptions::default(), quoted, idle, memory, pressed_before()).await;
        memory = decision.memory.clone();
        match decision.choice {
            Choice::Act(Action::Wait { .. }) => looks += 1,
            Choice::Act(Action::Stop { claim: domain::action::Claim::GaveUp { reason }, .. }) => break reason,
            other => panic!("{other:?}"),
        }
    };
    assert!(looks > 5 && reason.contains("waited in vain"), "{looks} {reason}");
}

fn pressed_before() -> Vec<Step> {
    vec![test_request::step(1, press("button"))]
}
