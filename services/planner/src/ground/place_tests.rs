//! Where a thing is and where it goes: an instruction and a small page, and what is done first or why nothing is.

use super::GroundOptions;
use super::tests::{ask, ask_after, changed, clicked, gives_up, page};
use crate::test_request;
use domain::action::Action;
use domain::decision::Choice;
use domain::observation::Observation;
use serde_json::Value;

fn linked(lines: &str) -> Observation {
    let page = page(lines);
    let mut nodes: Vec<domain::Node> = page.nodes.iter().cloned().collect();
    for (at, node) in nodes.iter_mut().enumerate().filter(|(_, node)| node.role == "link") {
        node.attributes.insert("href".to_owned(), format!("/to/{at}"));
    }
    Observation { nodes: nodes.into(), ..page }
}

fn checked(action: &Choice) -> Option<u32> {
    match action {
        Choice::Act(Action::Check { element, checked: true }) => Some(element.0),
        _ => None,
    }
}

#[tokio::test]
async fn a_row_is_opened_by_its_only_way_whichever_cell_names_it() {
    let row = |number: &str, title: &str| {
        format!("row {number} {title}\n  cell {number}\n    text {number}\n  cell {title}\n    link {title}\n")
    };
    let rows = linked(&format!("{}{}", row("#11", "Slow page"), row("#12", "Dark mode")));
    assert_eq!(clicked("Rename issue #12 to \"Night mode\".", &rows).await.0, "Dark mode");
    let two = linked("row #12 Dark mode\n  cell #12\n    text #12\n  link Dark mode\n  link Greta");
    let first = ask("Rename issue #12 to \"Night mode\".", &two, Value::Null).await;
    assert!(!matches!(first.choice, Choice::Act(Action::Click { element, .. }) if element.0 > 2), "{first:?}");
}

#[tokio::test]
async fn what_another_row_only_mentions_is_looked_for_among_its_own_kind() {
    let lines = "link Lists\nheading Readers\nrow ann@x.test Press\n  cell ann@x.test\n    text ann@x.test\n  cell Press\n    text Press\n  cell Edit\n    link Edit";
    let mut shown = linked(lines);
    shown.title = "Readers".into();
    assert_eq!(clicked("Rename the list Press to \"Daily press\".", &shown).await.0, "Lists");
}

#[tokio::test]
async fn a_tab_of_the_list_is_turned_to_before_another_place_is_looked_at() {
    let shown = linked("navigation Site\n  link Board\ntab Open\ntab Closed\nlistitem Slow page\n  link Slow page");
    let first = clicked("Reopen the issue \"Old logo\".", &shown).await.0;
    assert_eq!(first, "Open", "a tab that is not marked as the one that is shown");
    let making = linked("navigation Site\n  link New issue\n  link Board\nlistitem Slow page\n  link Slow page");
    assert_eq!(clicked("Reopen the issue \"Old logo\".", &making).await.0, "Board");
}

#[tokio::test]
async fn where_things_are_kept_that_were_taken_away_is_a_place() {
    let shown = linked("navigation Site\n  link Albums\n  link Trash\n  link Empty trash");
    assert_eq!(clicked("Restore Blurry cat from the trash.", &shown).await.0, "Trash");
}

#[tokio::test]
async fn behind_a_preposition_a_command_says_where_it_puts_the_thing() {
    let shown = page("listitem Fire drill\n  text Fire drill\n  button Pin to channel");
    assert_eq!(clicked("Pin the message \"Fire drill\".", &shown).await.1, 2);
    let album = page("listitem Fire drill\n  text Fire drill\n  button Delete album");
    gives_up("Delete the photo \"Fire drill\".", &album).await;
}

#[tokio::test]
async fn a_thing_is_put_where_it_belongs_by_the_choice_that_its_page_offers() {
    let mut shown = page("heading Meike Tamm\nform Groups\n  checkbox Arbeit\n  checkbox Verein\n  button Save");
    shown.title = "Meike Tamm".into();
    let instruction = "Put Meike Tamm into the group Verein.";
    let first = ask(instruction, &shown, Value::Null).await;
    assert_eq!(checked(&first.choice), Some(3), "{first:?}");
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    nodes.iter_mut().filter(|node| node.text == "Verein").for_each(|node| node.states.checked = Some(true));
    let chosen = Observation { nodes: nodes.into(), ..shown.clone() };
    let handed_in = ask(instruction, &chosen, first.memory).await;
    assert_eq!(handed_in.choice, Choice::Act(Action::click(domain::ElementId(4))), "{handed_in:?}");
    // Where it is in already, nothing is handed in.
    let looked = ask(instruction, &chosen, Value::Null).await;
    assert!(matches!(looked.choice, Choice::Act(Action::Wait { .. })), "{looked:?}");
    let held = ask(instruction, &chosen, looked.memory).await;
    assert_eq!(held.choice, Choice::Act(Action::done()), "{held:?}");
    let mut closed = page("heading Meike Tamm\nbutton Delete\nbutton Groups\u{2026}");
    closed.title = "Meike Tamm".into();
    assert_eq!(clicked(instruction, &closed).await.1, 2);
    let mut other = page("heading Meike Tamm\nform Groups\n  checkbox Arbeit\n  button Save");
    other.title = "Meike Tamm".into();
    gives_up(instruction, &other).await;
}

#[tokio::test]
async fn stars_are_given_to_the_thing_that_is_named_and_to_no_other() {
    let mut shown = page("heading Lentil soup\ngroup Rating\n  button 3 stars\n  button 4 stars\n  button 5 stars");
    shown.title = "Lentil soup".into();
    assert_eq!(clicked("Give the lentil soup four stars.", &shown).await.0, "4 stars");
    let list = page(
        "listitem Pea soup\n  text Pea soup\n  button 4 stars\nlistitem Lentil soup\n  text Lentil soup\n  button 4 stars",
    );
    assert_eq!(clicked("Rate the lentil soup 4 stars.", &list).await.1, 5);
    gives_up("Give the bean soup four stars.", &list).await;
}

#[tokio::test]
async fn a_form_that_came_of_what_was_pressed_is_filled_though_nothing_marks_it_as_a_dialog() {
    let before = page("listitem Iceland\n  text Iceland\n  button Share\nlistitem Coast\n  text Coast\n  button Share");
    let instruction = "Share the album Coast with lea@x.test.";
    let first = ask(instruction, &before, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(domain::ElementId(5))), "{first:?}");
    let lines = "listitem Iceland\n  text Iceland\n  button Share\nlistitem Coast\n  text Coast\n  button Share\ngeneric\n  heading Share Coast\n  textbox E-mail\n  button Send";
    let step = test_request::step(1, Action::Goto { url: "http://x.test/".into() });
    let then = ask_after(GroundOptions::default(), instruction, page(lines), first.memory, vec![step]).await;
    assert!(matches!(then.choice, Choice::Act(Action::Type { ref text, .. }) if text == "lea@x.test"), "{then:?}");
}

#[tokio::test]
async fn a_box_that_only_selects_its_row_marks_nothing() {
    let row = "row Invoice 7\n    cell Invoice 7\n      text Invoice 7\n    checkbox Select";
    // It may show a command for what is chosen; without one nothing is done.
    let invoice = page(&format!("table\n  {row}"));
    let chosen = changed(invoice.clone(), "checkbox", |node| node.states.checked = Some(true));
    let first = ask("Mark invoice 7 as paid.", &invoice, Value::Null).await;
    assert_eq!(checked(&first.choice), Some(4), "{first:?}");
    gives_up("Mark invoice 7 as paid.", &chosen).await;
    let bare = page("listitem Tomatoes\n  text Tomatoes\n  checkbox  ");
    let first = ask("Mark the tomatoes as bought.", &bare, Value::Null).await;
    assert_eq!(checked(&first.choice), Some(2), "{first:?}");
}

#[tokio::test]
async fn the_only_link_of_a_row_is_no_way_to_its_thing_where_it_is_a_command_or_another_thing() {
    let row = |link: &str| {
        linked(&format!("row Invoice 7\n  cell Invoice 7\n    text Invoice 7\n  cell {link}\n    link {link}"))
    };
    for command in ["Approve", "Archive", "Duplicate", "Renew"] {
        gives_up("Rename the invoice 7 to \"A\".", &row(command)).await;
    }
    // What the only link leads to has to say that it is the thing.
    let first = ask("Archive the invoice 7.", &row("Nordwind"), Value::Null).await;
    let mut customer = page("heading Nordwind\nbutton Archive");
    (customer.title, customer.url) = ("Nordwind".into(), "http://x.test/to/4".into());
    let then = ask("Archive the invoice 7.", &customer, first.memory).await;
    assert!(!matches!(then.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 1), "{then:?}");
}

#[tokio::test]
async fn a_trash_of_a_row_is_a_command_and_no_place() {
    let rows =
        linked("navigation Site\n  link Notes\nrow Slow page\n  cell Slow page\n    text Slow page\n  link Trash");
    let first = ask("Restore Blurry cat from the trash.", &rows, Value::Null).await;
    assert!(!matches!(first.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 5), "{first:?}");
    let first = ask("Rename the note Slow page to \"Fast page\".", &rows, Value::Null).await;
    assert!(!matches!(first.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 5), "{first:?}");
}

#[tokio::test]
async fn a_form_for_what_is_made_is_not_handed_in_for_the_place_that_it_names() {
    let mut shown =
        page("heading New task\nform New task\n  textbox Title\n  combobox List\n  button Create\nbutton New list");
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    for node in nodes.iter_mut().filter(|node| node.role == "combobox") {
        node.operations = vec![domain::action::ActionKind::Select];
        node.name = "List".into();
        node.options = ["Home", "Work"]
            .map(|label| domain::observation::SelectOption {
                value: label.into(),
                label: label.into(),
                selected: label == "Home",
            })
            .to_vec();
    }
    shown = Observation { nodes: nodes.into(), ..shown };
    let first = ask("Add the task \"Buy milk\" to the list \"Home\".", &shown, Value::Null).await;
    assert!(!matches!(first.choice, Choice::Act(Action::Click { .. } | Action::Select { .. })), "{first:?}");
}

#[tokio::test]
async fn a_filter_of_the_same_name_puts_nothing_anywhere() {
    let mut shown = page("heading Lamp\ngroup Filter .filters\n  checkbox Home\nbutton Delete");
    shown.title = "Lamp".into();
    gives_up("Add the Lamp to the collection Home.", &shown).await;
    let mut making = page("heading Meike Tamm\nbutton New group\nbutton Delete");
    making.title = "Meike Tamm".into();
    gives_up("Put Meike Tamm into the group Verein.", &making).await;
}

#[tokio::test]
async fn what_leaves_a_group_is_not_deleted_by_it() {
    let shown = page("listitem Ann\n  text Ann\n  button Remove from group");
    gives_up("Delete the contact Ann.", &shown).await;
    let counted = page("heading Lentil soup\nlink 4 stars (12)\nlink 5 stars (3)");
    gives_up("Give the lentil soup four stars.", &counted).await;
}

#[tokio::test]
async fn controls_of_a_list_that_differ_by_their_numbers_are_not_pressed_in_search_of_another() {
    let berths = page("button Open berth 1\nbutton Open berth 2\nbutton Open berth 3\nbutton Open berth 14");
    gives_up("Click \"Open berth 140\".", &berths).await;
    assert_eq!(clicked("Click \"Open berth 2\".", &berths).await.1, 1);
}

#[tokio::test]
async fn an_icon_is_named_by_plain_words_and_its_entry_by_the_quote() {
    let row = |name: &str| {
        format!("row {name}\n  cell {name}\n    text {name}\n  button  .icon-copy\n  button  .icon-pencil\n")
    };
    let shown = page(&format!("{}{}", row("Kiln 3"), row("Kiln 30")));
    assert_eq!(clicked("Click the pencil icon for \"Kiln 3\".", &shown).await.1, 4);
    let first = ask("Click the star icon for \"Kiln 3\".", &shown, Value::Null).await;
    assert!(!matches!(first.choice, Choice::Act(Action::Click { .. })), "{first:?}");
}

#[tokio::test]
async fn the_entry_of_a_control_that_is_not_shown_is_hovered_once() {
    let shown = page("listitem Linen shirt\n  text Linen shirt\nlistitem Wool shirt\n  text Wool shirt");
    let instruction = "Click \"Quick view\" for \"Linen shirt\".";
    let first = ask(instruction, &shown, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::Hover { element: domain::ElementId(1) }), "{first:?}");
    let then = ask(instruction, &shown, first.memory).await;
    assert!(!matches!(then.choice, Choice::Act(Action::Hover { .. })), "{then:?}");
}

#[tokio::test]
async fn an_entry_of_a_name_and_a_button_is_no_longer_name() {
    let shown = page("listitem Harrow East Delete\n  button Delete\nlistitem Harrow Delete\n  button Delete");
    assert_eq!(clicked("Click \"Delete\" for \"Harrow\".", &shown).await.1, 3);
}

#[tokio::test]
async fn a_form_that_was_filled_is_saved_by_the_button_that_hands_it_in() {
    let shown = page("heading Trip\nform Trip\n  textbox Title\n  button Submit\nbutton Delete");
    let instruction = "Change the title to \"Journey\" and save it.";
    let first = ask(instruction, &shown, Value::Null).await;
    assert!(matches!(first.choice, Choice::Act(Action::Type { .. })), "{first:?}");
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    nodes[2].value = Some("Journey".into());
    let filled = Observation { nodes: nodes.into(), ..shown.clone() };
    let then = ask(instruction, &filled, first.memory).await;
    assert_eq!(then.choice, Choice::Act(Action::click(domain::ElementId(3))), "{then:?}");
    gives_up("Click \"Save\".", &shown).await;
}

#[tokio::test]
async fn a_label_is_never_written_into_a_comment() {
    let mut shown = page("heading Search ignores umlauts\nform Comments\n  textbox Leave a comment\n  button Comment");
    shown.title = "Search ignores umlauts".into();
    gives_up("Add the label design to the issue \"Search ignores umlauts\".", &shown).await;
}

#[tokio::test]
async fn what_a_row_leads_to_is_not_taken_for_its_thing() {
    let rows = linked(
        "heading My tasks\nrow Water plants\n  cell Water plants\n    text Water plants\n  cell Garden\n    link Garden",
    );
    let first = ask("Archive the task Water plants.", &rows, Value::Null).await;
    let mut project =
        linked("heading Garden\nbutton Archive\nrow Water plants\n  cell Water plants\n    text Water plants");
    (project.title, project.url) = ("Garden".into(), "http://x.test/to/5".into());
    let then = ask("Archive the task Water plants.", &project, first.memory).await;
    assert!(!matches!(then.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 1), "{then:?}");
}

#[tokio::test]
async fn what_is_saved_is_not_paid() {
    let shown = page("heading Checkout\nform Address\n  textbox Street\n  button Pay now");
    let instruction = "Change the street to \"Elm Road 5\" and save it.";
    let first = ask(instruction, &shown, Value::Null).await;
    let then = ask(instruction, &shown, first.memory).await;
    assert!(!matches!(then.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 3), "{then:?}");
}

#[tokio::test]
async fn another_field_that_holds_the_name_is_not_renamed() {
    let mut shown = page("heading Photo\nform Photo\n  textbox Title\n  textbox Location\n  button Save");
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    nodes[3].value = Some("Coast".into());
    shown = Observation { nodes: nodes.into(), ..shown };
    gives_up("Rename the album Coast to \"Beach\".", &shown).await;
}

#[tokio::test]
async fn what_counts_up_is_not_pressed_in_search_of_something() {
    gives_up("Click \"Notify me\".", &page("generic Blue lamp\n  button \u{2212}\n  text 1\n  button +")).await;
    gives_up("Click \"Notify me\".", &page("generic Blue lamp\n  text 1\n  button One more")).await;
}

#[tokio::test]
async fn boxes_beside_a_command_for_those_that_are_chosen_choose_the_thing_alone() {
    let row = |name: &str| format!("listitem INV-{name}\n  text {name}\n  checkbox  \n");
    let rows = |command: &str| page(&format!("button {command}\n{}{}", row("Pellow"), row("Penrose")));
    let instruction = "Mark the invoice Pellow as paid.";
    let first = ask(instruction, &rows("Mark paid"), Value::Null).await;
    assert_eq!(checked(&first.choice), Some(3), "{first:?}");
    let with = |chosen: u32| {
        let mut nodes: Vec<domain::Node> = rows("Mark paid").nodes.iter().cloned().collect();
        nodes[chosen as usize].states.checked = Some(true);
        Observation { nodes: nodes.into(), ..Observation::default() }
    };
    assert_eq!(clicked(instruction, &with(3)).await, ("Mark paid".into(), 0));
    let reason = gives_up(instruction, &with(6)).await;
    assert!(reason.contains("other entries are chosen"), "{reason}");
    gives_up("Archive the invoice Pellow.", &rows("Archive all")).await;
    gives_up("Archive the invoice Pellow.", &rows("Archive list")).await;
    // A box that has a name may say that the entry is done.
    let named = "listitem INV-2018 Pellow\n  text Pellow\n  checkbox INV-2018";
    gives_up(instruction, &page(&format!("button Mark paid\n{named}"))).await;
}

#[tokio::test]
async fn a_weekday_is_a_date_of_what_can_still_be_changed() {
    let entry =
        |day: &str, buttons: &str| format!("listitem {day} 19:00\n  text {day}, 19:00\n  text Court 2\n{buttons}");
    let buttons = "  button Change time\n  button Cancel\n";
    let bookings = |last: &str| {
        let rows =
            [entry("Tuesday 4 May", buttons), entry("Thursday 6 May", buttons), entry("Thursday 29 April", last)];
        Observation { title: "My bookings".into(), ..page(&rows.concat()) }
    };
    assert_eq!(clicked("Cancel my Thursday booking.", &bookings("")).await, ("Cancel".into(), 9));
    gives_up("Cancel my Thursday booking.", &bookings(buttons)).await;
    gives_up("Cancel my Friday booking.", &bookings("")).await;
}
