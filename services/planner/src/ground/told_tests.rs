//! Things that are told by more than a name, and the lists, switches, cells and windows that act on them: an instruction and a small
//! page, and what is done or why nothing is.

use super::GroundOptions;
use super::tests::{ask, ask_after, clicked, gives_up, page};
use crate::test_request;
use domain::ElementId;
use domain::action::Action;
use domain::decision::Choice;
use serde_json::Value;

#[tokio::test]
async fn the_entry_is_meant_that_says_all_that_is_told() {
    let boats = page(
        "heading Boats\nrow Marlin Rosa Iversen\n  cell Marlin\n  cell Rosa Iversen\n  button Bill\n\
         row Marlin Jens Krog\n  cell Marlin\n  cell Jens Krog\n  button Bill\nrow Puffin Rosa Iversen\n  cell Puffin\n  cell Rosa Iversen\n  button Bill",
    );
    assert_eq!(clicked("Click \"Bill\" for the Marlin of Rosa Iversen.", &boats).await.1, 4);
    assert_eq!(clicked("Click \"Bill\" for the Marlin of Jens Krog.", &boats).await.1, 8);
    assert_eq!(clicked("Click \"Bill\" for the boat \"Marlin\" of \"Jens Krog\".", &boats).await.1, 8);
    gives_up("Click \"Bill\" for the Marlin.", &boats).await;
    gives_up("Click \"Bill\" for the Puffin of Jens Krog.", &boats).await;
    gives_up("Click \"Bill\" for the \"Puffin\" of \"Ann Lind\".", &boats).await;
    gives_up("Click Bill for the Puffin of Ann Lind.", &boats).await;
}

#[tokio::test]
async fn a_day_is_the_same_day_however_it_is_written() {
    let invoices = page(
        "heading Invoices\nrow 2031-025 2031-05-02\n  cell 2031-025\n  cell 2031-05-02\n  button Mark as paid\n\
         row 2031-026 2031-05-03\n  cell 2031-026\n  cell 2031-05-03\n  button Mark as paid",
    );
    assert_eq!(clicked("Click \"Mark as paid\" for the invoice of 3 May 2031.", &invoices).await.1, 8);
    gives_up("Click \"Mark as paid\" for the invoice of 4 May 2031.", &invoices).await;
    let open = page(
        "heading Invoices\nrow A 05/03/2031\n  cell A\n  cell 05/03/2031\n  button Mark as paid\n\
         row B 03/05/2031\n  cell B\n  cell 03/05/2031\n  button Mark as paid",
    );
    gives_up("Click \"Mark as paid\" for the invoice of 3 May 2031.", &open).await;
}

#[tokio::test]
async fn a_plain_word_tells_entries_of_one_name_apart_by_what_they_stand_under() {
    let animals = page(
        "heading Lions\nlistitem Nala\n  text Nala\n  button Fed\nheading Otters\nlistitem Nala\n  text Nala\n  button Fed",
    );
    assert_eq!(clicked("Click \"Fed\" for the otter Nala.", &animals).await.1, 7);
    assert_eq!(clicked("Click \"Fed\" for the lion Nala.", &animals).await.1, 3);
    gives_up("Click \"Fed\" for the zebra Nala.", &animals).await;
}

#[tokio::test]
async fn what_nobody_of_the_page_speaks_of_is_not_passed_over() {
    let people = page(
        "heading Customers\nrow Nord Open\n  cell Nord\n  cell Open\n  button Delete\nrow Sud Open\n  cell Sud\n  cell Open\n  button Delete",
    );
    gives_up("Delete the pump of Nord in Hall 3.", &people).await;
}

#[tokio::test]
async fn a_verb_that_no_list_has_is_a_control_of_the_thing_that_is_named() {
    let tanks = page(
        "heading North cellar\nlistitem T3\n  text T3\n  button Drain\nheading South cellar\nlistitem T3\n  text T3\n  button Drain",
    );
    assert_eq!(clicked("Drain the tank T3 in the south cellar.", &tanks).await.1, 7);
    gives_up("Drain the tank T9 in the south cellar.", &tanks).await;
}

#[tokio::test]
async fn a_cell_is_named_by_its_row_and_its_column() {
    let rota = page(
        "table Rota\n  row Shift Wed 7 May Thu 8 May\n    columnheader Shift\n    columnheader Wed 7 May\n    columnheader Thu 8 May\n  \
         row Late\n    rowheader Late\n    cell\n      button Sign up\n    cell\n      button Sign up\n  \
         row Night\n    rowheader Night\n    cell\n      button Sign up\n    cell\n      button Sign up",
    );
    let mut nodes: Vec<domain::Node> = rota.nodes.iter().cloned().collect();
    for (at, column) in
        [(2, 0), (3, 1), (4, 2), (6, 0), (7, 1), (8, 1), (9, 2), (10, 2), (12, 0), (13, 1), (14, 1), (15, 2), (16, 2)]
    {
        nodes[at].bounds.x = 200.0 * f64::from(column);
    }
    let rota = domain::Observation { nodes: nodes.into(), ..rota };
    let late = clicked("Click \"Sign up\" in the column \"Wed 7 May\", in the row \"Late\".", &rota).await.1;
    let night = clicked("Sign up for the night shift on Thursday.", &rota).await.1;
    assert_eq!((late, night), (8, 16));
}

#[tokio::test]
async fn a_value_belongs_to_the_column_that_is_called_as_its_place_and_a_box_to_the_one_that_is_called_as_a_state() {
    let row = |name: &str, points: u32| {
        format!(
            "  row {name} {points}\n    cell {name}\n    cell\n      checkbox\n    cell\n      checkbox\n    cell {points}\n      generic {points}\n"
        )
    };
    let heads = "    columnheader Pupil\n    columnheader Present\n    columnheader Absent\n    columnheader Test 2\n";
    let class = page(&format!("table\n  row Pupil\n{heads}{}{}", row("Ann Lee", 11), row("Bo Ray", 14)));
    let mut nodes: Vec<domain::Node> = class.nodes.iter().cloned().collect();
    for (at, column) in [(2, 0), (3, 1), (4, 2), (5, 3)].into_iter().chain([7, 15].into_iter().flat_map(|first| {
        [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)].map(|(behind, column)| (first + behind, column))
    })) {
        nodes[at].bounds.x = 200.0 * f64::from(column);
    }
    for at in [13, 21] {
        nodes[at].operations = vec![domain::action::ActionKind::Click];
    }
    let class = domain::Observation { nodes: nodes.into(), ..class };
    let acted = async |instruction: &str| match ask(instruction, &class, Value::Null).await.choice {
        Choice::Act(action) => action.element().map(|element| element.0),
        _ => None,
    };
    assert_eq!(acted("Mark Bo Ray as absent.").await, Some(19));
    assert_eq!(acted("Mark Bo Ray as late.").await, None);
    assert_eq!(acted("Give Bo Ray 17 points in Test 2.").await, Some(21));
    assert_eq!(acted("Change the points of Ann Lee in Test 2 to 12.").await, Some(13));
    assert_eq!(acted("Give Bo Ray 17 points in Test 3.").await, None);
}

#[tokio::test]
async fn what_stands_below_a_heading_is_an_entry_where_nothing_holds_it() {
    let animals = page(
        "heading Lions .\nheading Nala\ntext Enclosure 4\nbutton Fed\nheading Kito\ntext Enclosure 7\nbutton Fed\n\
         heading Otters .\nheading Nala\ntext Enclosure 9\nbutton Fed",
    );
    let mut nodes: Vec<domain::Node> = animals.nodes.iter().cloned().collect();
    for node in nodes.iter_mut().filter(|node| node.role == "heading") {
        node.tag = if matches!(node.text.as_str(), "Lions" | "Otters") { "h2" } else { "h3" }.to_owned();
    }
    let animals = domain::Observation { nodes: nodes.into(), ..animals };
    assert_eq!(clicked("Click \"Fed\" for the lion Nala.", &animals).await.1, 3);
    assert_eq!(clicked("Click \"Fed\" for the otter Nala.", &animals).await.1, 10);
    assert_eq!(clicked("Click \"Fed\" for Kito in enclosure 7.", &animals).await.1, 6);
    gives_up("Click \"Fed\" for Nala.", &animals).await;
}

#[tokio::test]
async fn a_name_in_quotes_is_the_whole_of_what_is_shown() {
    let desk = page(
        "heading Published\nlistitem Bridge closed until June: all detours\n  text Bridge closed until June: all detours\n  button Unpublish",
    );
    gives_up("Take \"Bridge closed until June\" offline.", &desk).await;
}

#[tokio::test]
async fn what_puts_a_thing_aside_hands_nothing_in() {
    let basket = page(
        "listitem Paper\n  text Paper\n  textbox Quantity\n  link Remove\n  link Save for later\nlistitem Stapler\n  text Stapler\n  textbox Quantity\n  link Remove\n  link Save for later",
    );
    let instruction = "Set the quantity of Paper to 5.";
    let mut decision = ask(instruction, &basket, Value::Null).await;
    for _ in 0..4 {
        match &decision.choice {
            Choice::Act(Action::Click { element, .. }) => assert_eq!(element.0, 2, "{decision:?}"),
            Choice::Act(Action::Stop { .. }) => return,
            _ => {}
        }
        let mut nodes: Vec<domain::Node> = basket.nodes.iter().cloned().collect();
        nodes[2].value = Some("5".into());
        let filled = domain::Observation { nodes: nodes.into(), ..basket.clone() };
        decision = ask(instruction, &filled, decision.memory).await;
    }
}

#[tokio::test]
async fn a_switch_of_an_entry_is_that_of_the_entry_that_is_named_by_its_number() {
    let rooms = page(
        "listitem Room 204\n  text Room 204\n  checkbox Do not disturb\n  checkbox Cleaning wanted\n\
         listitem Room 206\n  text Room 206\n  checkbox Do not disturb\n  checkbox Cleaning wanted",
    );
    let turned = ask("Turn on \"Do not disturb\" for room 206.", &rooms, Value::Null).await;
    assert_eq!(turned.choice, Choice::Act(Action::Check { element: ElementId(6), checked: true }), "{turned:?}");
    gives_up("Turn on \"Do not disturb\" for room 208.", &rooms).await;
}

#[tokio::test]
async fn a_button_of_the_thing_that_is_disabled_is_pressed_and_waited_for_there() {
    let shown = page(
        "listitem Machine 3\n  text Machine 3\n  button Start\nlistitem Machine 13\n  text Machine 13\n  button Start",
    );
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    nodes[2].states.disabled = true;
    let shown = domain::Observation { nodes: nodes.into(), ..shown };
    assert_eq!(clicked("Start machine 3.", &shown).await.1, 2);
}

#[tokio::test]
async fn of_months_beside_each_other_that_of_the_day_is_meant() {
    let shown = page("heading May 2027\nbutton 17\nbutton 18\nheading June 2027\nbutton 17\nbutton 18");
    assert_eq!(clicked("Choose 18 June 2027.", &shown).await.1, 5);
    assert_eq!(clicked("Choose 17 May 2027.", &shown).await.1, 1);
}

#[tokio::test]
async fn a_day_that_is_disabled_or_not_of_the_month_is_not_replaced_by_that_of_another_month() {
    let shown = page(
        "heading March 2026\nbutton 28\nbutton 1\nbutton 21\nbutton 28\nbutton 1\nheading April 2026\nbutton 1\nbutton 21\nbutton 28\nbutton 30",
    );
    assert_eq!(clicked("Choose \"28 March 2026\".", &shown).await.1, 4);
    assert_eq!(clicked("Choose \"21 April 2026\".", &shown).await.1, 8);
    gives_up("Choose \"30 March 2026\".", &shown).await;
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    nodes[3].states.disabled = true;
    gives_up("Choose \"21 March 2026\".", &domain::Observation { nodes: nodes.into(), ..shown }).await;
}

#[tokio::test]
async fn whose_a_thing_is_counts_letter_for_letter_where_it_is_quoted() {
    let rows = |names: [&str; 2]| {
        let row = |name: &str| format!("row {name}\n  cell {name}\n  cell TXT\n  button Delete");
        page(&names.map(row).join("\n"))
    };
    let instruction = "Delete the \"TXT\" record of \"blog\".";
    assert_eq!(clicked(instruction, &rows(["blog-old", "blog"])).await.1, 7);
    gives_up(instruction, &rows(["blog-old", "www"])).await;
    gives_up("Delete the record of \"blog\".", &rows(["blog-old", "www"])).await;
}

#[tokio::test]
async fn several_that_are_no_choices_are_pressed_one_after_the_other() {
    let shown = page("button Zone 1\nbutton Zone 2\nbutton Single\nbutton Day");
    let instruction = "Choose \"Zone 2\" and \"Day\".";
    let first = ask(instruction, &shown, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(ElementId(1))), "{first:?}");
    let second = ask(instruction, &shown, first.memory).await;
    assert_eq!(second.choice, Choice::Act(Action::click(ElementId(3))), "{second:?}");
    gives_up("Choose \"Zone 2\" and \"Week\".", &shown).await;
}

#[tokio::test]
async fn a_value_is_taken_from_the_list_that_an_arrow_shows_in_the_entry() {
    let closed = page(
        "listitem Mia\n  text Mia\n  button Standard \u{25BE}\nlistitem Noah\n  text Noah\n  button Standard \u{25BE}",
    );
    let instruction = "Select \"Vegan\" for \"Noah\".";
    let first = ask(instruction, &closed, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(ElementId(5))), "{first:?}");
}

#[tokio::test]
async fn a_list_of_values_for_several_places_is_one_choice_each() {
    let shown = page("group Smoke?\n  radio Never\n  radio Often\ngroup Floss?\n  radio Never\n  radio Often");
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    for node in nodes.iter_mut().filter(|node| node.role == "group") {
        node.name = node.text.clone();
    }
    let shown = domain::Observation { nodes: nodes.into(), ..shown };
    let instruction = "Choose \"Never\" for \"Smoke?\", and \"Often\" for \"Floss?\".";
    let first = ask(instruction, &shown, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::Check { element: ElementId(1), checked: true }), "{first:?}");
}

#[tokio::test]
async fn a_small_window_in_which_a_press_changes_nothing_is_left_for_the_page_that_opened_it() {
    let tab = |current| domain::observation::Tab { url: "http://a.test/".into(), current };
    let shown = page("heading Pick\nbutton Noor");
    let window = domain::Observation { tabs: vec![tab(false), tab(true)], ..shown.clone() };
    let first = ask("Click \"Noor\".", &window, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(ElementId(1))));
    let described = domain::Descriptor::of(&shown, ElementId(1)).expect("it is described");
    let pressed = |what: &str| {
        let effect = domain::Effect::Changed { what: vec![what.to_owned()] };
        domain::Step { effect, ..test_request::step(1, domain::Action::click(described.clone())) }
    };
    let after =
        |step| ask_after(GroundOptions::default(), "Click \"Noor\".", window.clone(), first.memory.clone(), vec![step]);
    assert_eq!(after(pressed("focus")).await.choice, Choice::Act(Action::SwitchTab { tab: 0 }));
    assert_eq!(after(pressed("content")).await.choice, Choice::Act(Action::done()));
}

#[tokio::test]
async fn a_value_is_changed_in_the_cell_that_takes_it_where_it_stands() {
    let shown = page(
        "generic Pieces\nlistitem Hex bolt M8 75\n  text Hex bolt M8\n  button 75\nlistitem Hex bolt M10 310\n  text Hex bolt M10\n  button 310",
    );
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    for at in [0, 3, 6] {
        nodes[at].bounds.x = 300.0;
    }
    for at in [3, 6] {
        nodes[at].role = "generic".into();
    }
    let shown = domain::Observation { nodes: nodes.clone().into(), ..shown };
    let instruction = "Change the pieces of \"Hex bolt M10\" from 310 to 280.";
    let first = ask(instruction, &shown, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(ElementId(6))), "{first:?}");
    nodes[6].operations = vec![domain::action::ActionKind::Type, domain::action::ActionKind::Click];
    nodes[6].role = "textbox".into();
    let opened = domain::Observation { nodes: nodes.into(), ..shown };
    let typed = ask(instruction, &opened, first.memory).await;
    let wanted = Action::Type { element: ElementId(6), text: "280".into(), submit: true };
    assert_eq!(typed.choice, Choice::Act(wanted), "{typed:?}");
}

#[tokio::test]
async fn where_any_section_may_be_opened_the_others_are_not_passed_by() {
    let sections = |opened: bool| {
        let shown =
            page("tablist Sections\n  tab Section 1 [closed]\n  tab Section 2 [closed]\n  tab Section 3 [closed]");
        let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
        nodes[1].states.expanded = Some(opened);
        domain::Observation { nodes: nodes.into(), ..shown }
    };
    let instruction = "Expand the sections below, to find and click on the link \"Nisl\".";
    let mut decision = ask(instruction, &sections(false), Value::Null).await;
    let mut pressed = Vec::new();
    for _ in 0..6 {
        if let Choice::Act(Action::Click { element, .. }) = &decision.choice {
            pressed.push(element.0);
        }
        decision = ask(instruction, &sections(true), decision.memory).await;
    }
    assert!([1, 2, 3].iter().all(|section| pressed.contains(section)), "{pressed:?}");
}

#[tokio::test]
async fn a_card_of_a_board_is_told_from_the_others_of_its_column_and_its_list_takes_the_state() {
    let card = |bike: &str, who: &str| {
        format!("  generic {bike} {who} .card\n    text {bike}\n    text {who} .who\n    combobox State\n")
    };
    let column = |name: &str, cards: &[String]| format!("listitem {name}\n  heading {name}\n{}", cards.concat());
    let waiting = column("Waiting", &[card("Gazelle", "K. Moser"), card("Gazelle", "B. Lind")]);
    let shown =
        page(&format!("{waiting}{}", column("Stand", &[card("Brompton", "K. Moser"), card("Kona", "A. Sato")])));
    let option =
        |label: &str| domain::observation::SelectOption { label: label.into(), value: label.into(), selected: false };
    let mut nodes: Vec<domain::Node> = shown.nodes.iter().cloned().collect();
    for node in nodes.iter_mut().filter(|node| node.role == "combobox") {
        node.options = vec![option("Waiting"), option("Ready")];
        node.operations = vec![domain::action::ActionKind::Select];
        node.name = "State".into();
    }
    let shown = domain::Observation { nodes: nodes.into(), ..shown };
    let ready =
        |element: u32| Choice::Act(Action::Select { element: ElementId(element), options: vec!["Ready".into()] });
    assert_eq!(ask("Set the Gazelle of B. Lind to Ready.", &shown, Value::Null).await.choice, ready(9));
    assert_eq!(ask("Set the Brompton of K. Moser to Ready.", &shown, Value::Null).await.choice, ready(15));
    gives_up("Set the Brompton of B. Lind to Ready.", &shown).await;
    gives_up("Set the Gazelle to Ready.", &shown).await;
}

#[tokio::test]
async fn a_name_of_several_words_is_meant_as_a_whole() {
    let lots = page(
        "list\n  listitem Tin robot\n    text Tin robot\n    button Bid\n  listitem Tin drum\n    text Tin drum\n    button Bid",
    );
    assert_eq!(clicked("Click Bid next to the Tin robot.", &lots).await.1, 3);
    assert_eq!(clicked("Click \"Bid\" for the Tin drum.", &lots).await.1, 6);
    gives_up("Click \"Bid\" for the Tin soldier.", &lots).await;
}

#[tokio::test]
async fn a_quantity_is_set_and_nothing_is_put_into_the_cart_that_was_not_asked_for() {
    let shop = page(
        "article Onion sets\n  heading Onion sets\n  textbox Quantity\n  button Add to basket\n\
         article Garlic\n  heading Garlic\n  textbox Quantity\n  button Add to basket",
    );
    let instruction = "Set the quantity of \"Garlic\" to 25.";
    let decision = ask(instruction, &shop, Value::Null).await;
    let Choice::Act(Action::Type { element, text, submit }) = &decision.choice else { panic!("{decision:?}") };
    assert_eq!((element.0, text.as_str(), *submit), (6, "25", false));
    let mut nodes: Vec<domain::Node> = shop.nodes.iter().cloned().collect();
    nodes[6].value = Some("25".into());
    let filled = domain::Observation { nodes: nodes.into(), ..shop };
    let both = "Set the quantity of \"Garlic\" to 25 and click \"Add to basket\" for \"Garlic\".";
    let decision = ask(both, &filled, Value::Null).await;
    assert_eq!(decision.choice, Choice::Act(Action::click(ElementId(7))));
}

#[tokio::test]
async fn a_tag_that_is_shown_by_a_table_is_opened_and_no_other() {
    let tags = page(
        "link Tags\nheading Site\ntable\n  row Rank Site Number\n    columnheader Rank\n    columnheader Site\n    columnheader Number\n  row 1 rust.test 2\n    cell 1\n    cell rust.test\n      link rust.test\n    cell 2\n\
         heading Tag\ntable\n  row Rank Tag Number\n    columnheader Rank\n    columnheader Tag\n    columnheader Number\n  row 1 programming 2\n    cell 1\n    cell programming\n      link programming\n    cell 2\n  row 2 travel 2\n    cell 2\n    cell travel\n      link travel\n    cell 2",
    );
    assert_eq!(clicked("Show everything tagged travel.", &tags).await.0, "travel");
    gives_up("Open \"tag travel\".", &tags).await;
}

#[tokio::test]
async fn a_name_that_is_shown_as_a_whole_is_meant_in_the_place_that_is_named() {
    let lists = page(
        "heading Shelf\nlistitem The Rust book\n  text The Rust book\n  button Remove\n\
         heading Basket\nlistitem The Rust book\n  text The Rust book\n  button Remove\nlink rust",
    );
    assert_eq!(clicked("Remove the Rust book from the Basket.", &lists).await.1, 7);
    let maps = page(
        "listitem Map\n  text Map\n  button Remove\nlistitem Map of the harbour\n  text Map of the harbour\n  button Remove",
    );
    assert_eq!(clicked("Remove the map of the harbour.", &maps).await.1, 5);
}

#[tokio::test]
async fn how_a_form_is_handed_in_is_left_to_the_clause_that_says_it() {
    let page = page("form Page\n  textbox Title\n  button Save draft\n  button Submit");
    let typed = ask("Change the title to \"Low tide\" and save the draft.", &page, Value::Null).await;
    assert!(matches!(typed.choice, Choice::Act(Action::Type { .. })), "{:?}", typed.choice);
    let draft = self::page("form New page\n  textbox Title\n  button Save draft\n  button Create page");
    let made = "Add a page called Low tide and save it as a draft.";
    let typed = ask(made, &draft, Value::Null).await;
    assert!(matches!(typed.choice, Choice::Act(Action::Type { .. })), "{:?}", typed.choice);
    let pressed = ask(made, &draft, typed.memory).await;
    assert!(matches!(pressed.choice, Choice::Act(Action::Click { element: ElementId(2), .. })), "{:?}", pressed.choice);
    let notes = self::page("heading Snow Bells\ngroup Piece\n  textbox New tag\n  textbox Notes\n  button Save notes");
    let tagged = ask("Add the tag advent to Snow Bells.", &notes, Value::Null).await;
    let next = ask("Add the tag advent to Snow Bells.", &notes, tagged.memory).await;
    assert!(!matches!(next.choice, Choice::Act(Action::Click { element: ElementId(5), .. })), "{:?}", next.choice);
}

#[tokio::test]
async fn nothing_of_another_day_is_removed_and_nothing_is_added_on_the_way() {
    let week = page(
        "heading The week\ntable\n  row Time Friday Saturday\n    columnheader Time\n    columnheader Friday\n    columnheader Saturday\n  row 18:00 Jazz Attic Jazz Attic\n    rowheader 18:00\n    cell Jazz Attic Lou\n      button Jazz Attic Lou\n    cell Jazz Attic Lou\n      button Jazz Attic Lou\n  row 19:00 Kitchen Talk +\n    rowheader 19:00\n    cell Kitchen Talk Ann\n      button Kitchen Talk Ann\n    cell +\n      button +",
    );
    gives_up("Remove the Kitchen Talk on Saturday at 19:00.", &week).await;
    let talk = ask("Remove the Kitchen Talk on Friday at 19:00.", &week, Value::Null).await;
    assert!(!matches!(talk.choice, Choice::Act(Action::Click { element: ElementId(17), .. })), "{:?}", talk.choice);
}

#[tokio::test]
async fn a_part_of_another_motion_is_not_voted_on() {
    let motions = page(
        "heading Motion 24\nheading Amendment A\nbutton Aye\nbutton No\nheading Motion 41\nheading Amendment C\nbutton Aye\nbutton No",
    );
    gives_up("Vote Aye on Amendment C to motion 24.", &motions).await;
    let ramp = page("heading Ferries\nheading Sandvik\nbutton Close ramp");
    gives_up("Close the ramp for the sailing to Torvik.", &ramp).await;
}

#[tokio::test]
async fn what_lies_over_the_page_and_asks_for_consent_is_declined_unless_it_is_spoken_of() {
    let layered = |kind: &str| {
        page(&format!(
            "dialog {kind}\n  button Accept all\n  button Only what is necessary\nsearchbox Search the finds\nbutton Send"
        ))
    };
    assert_eq!(clicked("Click \"Send\".", &layered("We use cookies.")).await.1, 2);
    assert_eq!(clicked("Click \"Accept all\".", &layered("We use cookies.")).await.1, 1);
    assert_eq!(clicked("Click \"Send\".", &layered("We sell lamps.")).await.1, 4);
}
