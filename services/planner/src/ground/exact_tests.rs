//! Nothing else is taken for what an instruction names: things of another kind, places that are not there, names that go on, controls that
//! cannot be used.

use super::aside_tests::then;
use super::tests::{ask, changed, clicked, gives_up, page, with_names};
use domain::action::Action;
use domain::decision::Choice;
use domain::observation::{Observation, Request, RequestKind, SelectOption};
use serde_json::Value;

/// A page on which the nodes of a label are changed.
fn with(page: Observation, label: &str, change: impl Fn(&mut domain::Node)) -> Observation {
    let mut nodes: Vec<domain::Node> = page.nodes.iter().cloned().collect();
    nodes.iter_mut().filter(|node| node.text == label).for_each(change);
    Observation { nodes: nodes.into(), ..page }
}

#[tokio::test]
async fn entries_of_another_kind_are_not_those_that_are_named() {
    let rows = "listitem 118 Ann\n  text 118\n  text Ann\n  button Delete\nlistitem 119 Bo\n  text 119\n  text Bo\n  button Delete";
    let orders = page(&format!("heading Orders\n{rows}"));
    for instruction in ["Delete all invoices.", "Delete the first invoice.", "Delete invoice 118."] {
        gives_up(instruction, &orders).await;
    }
    assert_eq!(clicked("Delete the first order.", &orders).await.1, 4);
    assert_eq!(clicked("Delete order 119.", &orders).await.1, 8);
    let bills = page(&format!("heading Bills\n{rows}"));
    assert_eq!(clicked("Delete the first invoice.", &bills).await.1, 4);
    let of_project = page(&format!("heading Projects\nheading Apollo\n{rows}"));
    assert_eq!(clicked("Delete the first task.", &of_project).await.1, 5);
}

#[tokio::test]
async fn what_another_entry_is_headed_by_and_what_a_record_holds_tell_no_kind() {
    let day = page(
        "heading My day\narticle Prepare invoices\n  heading Prepare invoices\n  button Delete\narticle Call Bo\n  heading Call Bo\n  button Delete\narticle Water plants\n  heading Water plants\n  button Delete",
    );
    assert_eq!(clicked("Delete the second task.", &day).await.1, 6);
    let lines =
        "heading Order 118\nlistitem Lamp\n  text Lamp\n  button Remove\nlistitem Mug\n  text Mug\n  button Remove";
    let order = Observation { title: "Orders | Acme".into(), ..page(lines) };
    assert_eq!(clicked("Remove the first product.", &order).await.1, 3);
    let posts =
        page("heading Posts\nlistitem Tide\n  text Tide\n  button Delete\nlistitem Ebb\n  text Ebb\n  button Delete");
    gives_up("Delete all drafts.", &posts).await;
    let column = page(
        "heading Add a task\ntextbox Title\nheading Today\nlistitem Call\n  text Call\n  button Delete\nlistitem Write\n  text Write\n  button Delete",
    );
    assert_eq!(clicked("Delete the second task.", &column).await.1, 8);
    let panel = with_names(
        page("region Main panel\n  heading Orders\n  listitem 118 Ann\n    text 118\n    button Delete"),
        "region",
    );
    gives_up("Delete invoice 118.", &panel).await;
    let history = page(
        "heading Order history\nlistitem Ann\n  text Ann\n  button Delete\nlistitem Bo\n  text Bo\n  button Delete",
    );
    gives_up("Delete the first invoice.", &history).await;
}

#[tokio::test]
async fn beside_a_part_that_is_headed_by_a_kind_another_part_has_none_of_it() {
    let row = |number: &str, state: &str| {
        format!(
            "    row {number} {state}\n      cell {number}\n      cell {state}\n      cell Delete\n        button Delete\n"
        )
    };
    let table = |title: &str, rows: &str| {
        format!(
            "region\n  heading {title}\n  table\n    row No. Status\n      columnheader No.\n      columnheader Status\n{rows}"
        )
    };
    let invoices = table("Invoices", &format!("{}{}{}", row("118", "Sent"), row("1181", "Draft"), row("204", "Paid")));
    let billing = page(&format!("{invoices}{}", table("Estimates", &row("181", "Open"))));
    // The two parts are built alike, and so are entries of the page.
    let billing = changed(billing, "region", |node| node.is_item = true);
    gives_up("Delete the invoice \"181\".", &billing).await;
    let on = |decision: domain::decision::Decision| match decision.choice {
        Choice::Act(Action::Click { element, .. }) => {
            let row = billing.ancestors(element).find(|(_, node)| node.role == "row");
            row.map(|(_, node)| node.text.clone())
        }
        other => Some(format!("{other:?}: {}", decision.reason)),
    };
    let second = ask("Delete the second invoice.", &billing, Value::Null).await;
    assert_eq!(on(second).as_deref(), Some("1181 Draft"));
    let drafts = ask("Delete all drafts.", &billing, Value::Null).await;
    assert_eq!(on(drafts).as_deref(), Some("1181 Draft"));
    let named = ask("Delete the invoice \"118\".", &billing, Value::Null).await;
    assert_eq!(on(named).as_deref(), Some("118 Sent"));
}

#[tokio::test]
async fn what_stands_in_an_entry_belongs_to_no_text_outside_of_it() {
    let board = page(
        "article Login loop\n  heading Login loop\n  button Rename\ncomplementary\n  heading Help\n  link Login page",
    );
    // What it is called by may lead to where it is renamed.
    assert_eq!(clicked("Rename \"Login page\" to \"Sign-in page\".", &board).await.1, 5);
}

#[tokio::test]
async fn a_field_is_cleared_by_being_emptied() {
    let form = |value: &str| {
        let value = value.to_owned();
        with(page("form Consent\n  textbox Allergies\n  textbox Class\n  button Send"), "Allergies", move |node| {
            node.value = Some(value.clone());
        })
    };
    let emptied = ask("Clear \"Allergies\" and click \"Send\".", &form("nuts"), Value::Null).await;
    let empty = Action::Type { element: domain::ElementId(1), text: String::new(), submit: false };
    assert_eq!(emptied.choice, Choice::Act(empty), "{}", emptied.reason);
}

#[tokio::test]
async fn labels_and_types_of_entries_are_no_kinds() {
    let issues = page(
        "listitem How to install question\n  text How to install\n  text question\n  button Close\nlistitem Crash bug\n  text Crash\n  text bug\n  button Close",
    );
    assert_eq!(clicked("Close the issue \"How to install\".", &issues).await.1, 3);
    let contacts = page(
        "listitem Acme Vendor\n  text Acme\n  text Vendor\n  button Delete\nlistitem Bolt Customer\n  text Bolt\n  text Customer\n  button Delete",
    );
    assert_eq!(clicked("Delete the contact \"Acme\".", &contacts).await.1, 3);
}

#[tokio::test]
async fn of_two_forms_with_the_field_none_is_taken_for_the_other() {
    let one = "form Site\n  textbox Title\n  button Save";
    let two = page(&format!("{one}\nform Feed\n  textbox Title\n  button Save"));
    assert!(gives_up("Change the title to \"Low tide\".", &two).await.starts_with("ambiguous"));
    let typed = ask("Change the title to \"Low tide\".", &page(one), Value::Null).await;
    assert!(matches!(typed.choice, Choice::Act(Action::Type { .. })), "{:?}", typed.choice);
    let told = page(&format!("{one}\nform News\n  textbox Title\n  button Subscribe"));
    let typed = ask("Change the title to \"Low tide\".", &told, Value::Null).await;
    assert!(
        matches!(typed.choice, Choice::Act(Action::Type { element: domain::ElementId(1), .. })),
        "{:?}",
        typed.choice
    );
}

#[tokio::test]
async fn what_is_disabled_elsewhere_bars_nothing() {
    let shown = page("form Comment\n  textbox Comment\n  button Add\nbutton New task");
    let barred = with(shown, "Add", |node| node.states.disabled = true);
    assert_eq!(clicked("Add a task \"Milk\".", &barred).await.1, 3);
}

#[tokio::test]
async fn what_a_list_marks_as_another_kind_is_not_taken() {
    let files = "listitem Plan File\n  text Plan\n  text File\n  button Delete\nlistitem Notes Folder\n  text Notes\n  text Folder\n  button Delete";
    gives_up("Delete the folder \"Plan\".", &page(files)).await;
    assert_eq!(clicked("Delete the folder \"Notes\".", &page(files)).await.1, 7);
    assert_eq!(clicked("Delete the file \"Plan\".", &page(files)).await.1, 3);
}

#[tokio::test]
async fn a_quoted_place_that_is_not_there_holds_nothing() {
    let cart = page("heading Cart\nlistitem Blue mug\n  text Blue mug\n  button Remove");
    gives_up("Remove \"Blue mug\" from \"Wishlist\".", &cart).await;
    assert_eq!(clicked("Remove \"Blue mug\" from \"Cart\".", &cart).await.1, 3);
    let markets = Observation { title: "Markets".into(), ..page("listitem Ann\n  text Ann\n  button Remove") };
    gives_up("Remove \"Ann\" from \"Marketing\".", &markets).await;
    let marketing = Observation { title: "Marketing \u{2013} Acme".into(), ..markets };
    assert_eq!(clicked("Remove \"Ann\" from \"Marketing\".", &marketing).await.1, 2);
}

#[tokio::test]
async fn what_adds_to_one_collection_adds_to_no_other() {
    let card = "listitem Lamp\n  text Lamp\n  button Add to cart";
    gives_up("Add \"Lamp\" to \"Wishlist\".", &page(card)).await;
    gives_up("Add the lamp to my favourites.", &page(card)).await;
    let both = page(&format!("{card}\n  button Add to wishlist"));
    assert_eq!(clicked("Add \"Lamp\" to \"Wishlist\".", &both).await.1, 3);
    assert_eq!(clicked("Add the lamp to the cart.", &both).await.1, 2);
    let lists = page(&format!(
        "heading Wish list\nlistitem Lamp\n  text Lamp\n  button Remove\nheading Shop\n{card}\n  button Add to reading list"
    ));
    assert_eq!(clicked("Add \"Lamp\" to \"Reading list\".", &lists).await.0, "Add to reading list");
    let shopping = page("listitem Lamp\n  text Lamp\n  button Add to shopping cart");
    assert_eq!(clicked("Add \"Lamp\" to the cart.", &shopping).await.1, 2);
}

#[tokio::test]
async fn a_quoted_name_is_not_one_that_goes_on_with_a_number() {
    let list = "listitem Backup 2\n  text Backup 2\n  button Delete";
    gives_up("Delete \"Backup\".", &page(list)).await;
    let both = page(&format!("{list}\nlistitem Backup\n  text Backup\n  button Delete"));
    assert_eq!(clicked("Delete \"Backup\".", &both).await.1, 5);
}

#[tokio::test]
async fn what_an_entry_says_straight_is_its_whole_name() {
    let herbs = |list: &str| {
        page(&format!("listitem Thyme \u{d7}\n  button \u{d7}\nlistitem Thai basil \u{d7}\n  button \u{d7}{list}"))
    };
    gives_up("Remove \"Basil\".", &herbs("")).await;
    gives_up("Remove Basil.", &herbs("")).await;
    assert_eq!(clicked("Remove \"Basil\".", &herbs("\nlistitem Basil \u{d7}\n  button \u{d7}")).await.1, 5);
    assert_eq!(clicked("Remove \"Thai basil\".", &herbs("")).await.1, 3);
}

#[tokio::test]
async fn an_answer_that_goes_on_in_words_is_still_yes_or_no() {
    let asks = "dialog Delete project?\n  text Delete project?\n  button No, keep it\n  button Yes, delete";
    assert_eq!(clicked("Dismiss the dialog.", &page(asks)).await.1, 2);
    assert_eq!(clicked("Accept the dialog.", &page(asks)).await.1, 3);
}

#[tokio::test]
async fn a_message_goes_to_nobody_of_a_longer_name() {
    let people = page("listitem Ann-Marie Lind\n  text Ann-Marie Lind\n  button Message");
    gives_up("Send a message to \"Ann Lind\" saying \"Hello\".", &people).await;
    gives_up("Send a message to Ann Lind saying \"Hello\".", &people).await;
    let longer = page("listitem Ann Lind Berg\n  text Ann Lind Berg\n  button Message");
    gives_up("Send a message to Ann Lind saying \"Hello\".", &longer).await;
    let both = page(
        "listitem Ann-Marie Lind\n  text Ann-Marie Lind\n  button Message\nlistitem Ann Lind\n  text Ann Lind\n  button Message",
    );
    assert_eq!(clicked("Send a message to \"Ann Lind\" saying \"Hello\".", &both).await.1, 5);
}

#[tokio::test]
async fn what_fits_less_is_not_pressed_for_what_is_disabled() {
    let entry = page("listitem Lamp\n  text Lamp\n  button Remove from favourites\n  button Delete");
    let barred = with(entry, "Delete", |node| node.states.disabled = true);
    let decision = ask("Delete \"Lamp\".", &barred, Value::Null).await;
    assert!(
        !matches!(decision.choice, Choice::Act(Action::Click { element: domain::ElementId(2), .. })),
        "{:?}",
        decision.choice
    );
    let links = with(page("link Reports\nlink reports"), "Reports", |node| node.states.disabled = true);
    let decision = ask("Open \"Reports\".", &links, Value::Null).await;
    assert!(
        !matches!(decision.choice, Choice::Act(Action::Click { element: domain::ElementId(1), .. })),
        "{:?}",
        decision.choice
    );
}

#[tokio::test]
async fn each_of_several_is_pressed_though_the_next_takes_the_place_of_the_last() {
    let instruction = "Click all \"Dismiss\" buttons.";
    let two = page("button Dismiss\nbutton Dismiss");
    let first = ask(instruction, &two, Value::Null).await;
    assert_eq!(first.choice, Choice::Act(Action::click(domain::ElementId(0))));
    let second = ask(instruction, &page("button Dismiss"), first.memory).await;
    assert_eq!(second.choice, Choice::Act(Action::click(domain::ElementId(0))), "{}", second.reason);
    let posts = |ad: &str| page(&format!("article One\n  button Like\n{ad}article Two\n  button Like"));
    let all = "Click all \"Like\" buttons.";
    let one = ask(all, &posts("article Ad\n  button Like\n"), Value::Null).await;
    let two = ask(all, &posts(""), one.memory).await;
    assert_eq!(two.choice, Choice::Act(Action::click(domain::ElementId(3))), "what went was another");
    let counted = |likes: &str| {
        page(&format!(
            "article Tide, {likes}\n  text Tide\n  button Like\narticle Ebb, 0 likes\n  text Ebb\n  button Like"
        ))
    };
    let one = ask(all, &counted("0 likes"), Value::Null).await;
    let two = ask(all, &counted("1 like"), one.memory).await;
    assert_eq!(two.choice, Choice::Act(Action::click(domain::ElementId(5))), "what was pressed says so");
    let last = ask(instruction, &page("text Nothing left"), second.memory).await;
    assert_eq!(last.choice, Choice::Act(Action::Wait { milliseconds: 1500 }), "looks once more: {}", last.reason);
}

#[tokio::test]
async fn fewer_than_were_asked_for_are_not_all() {
    let instruction = "Click \"Like\" on 3 posts.";
    let two = page("article One\n  button Like\narticle Two\n  button Like");
    let mut memory = Value::Null;
    for _ in 0..2 {
        let decision = ask(instruction, &two, memory).await;
        assert!(matches!(decision.choice, Choice::Act(Action::Click { .. })), "{:?}", decision.choice);
        memory = decision.memory;
    }
    let decision = ask(instruction, &two, memory).await;
    assert_ne!(decision.choice, Choice::Act(Action::done()), "{}", decision.reason);
}

#[tokio::test]
async fn an_option_that_says_the_opposite_or_goes_on_is_not_chosen() {
    let form = |options: &[&str]| {
        let options: Vec<SelectOption> = options
            .iter()
            .map(|label| SelectOption { label: (*label).into(), value: (*label).into(), selected: false })
            .collect();
        with(page("heading Page\nform Page\n  combobox Visibility\n  button Save"), "Visibility", |node| {
            node.operations = vec![domain::action::ActionKind::Select];
            node.name = "Visibility".into();
            node.tag = "select".into();
            node.options = options.clone();
        })
    };
    let chosen = |choice: Choice| match choice {
        Choice::Act(Action::Select { options, .. }) => options.join("|"),
        other => format!("{other:?}"),
    };
    let set = "Change the visibility of the page to public.";
    let taken = ask(set, &form(&["Not public", "Team"]), Value::Null).await;
    assert_ne!(chosen(taken.choice), "Not public", "{}", taken.reason);
    let taken = ask("Set the visibility to \"public\".", &form(&["PUBLIC", "public", "Team"]), Value::Null).await;
    assert_eq!(chosen(taken.choice), "public");
}

#[tokio::test]
async fn the_form_that_takes_the_place_of_a_name_is_handed_in_and_no_other_entry_is_opened() {
    let row = |name: &str| {
        format!("  listitem {name} Rename Archive\n    text {name}\n    button Rename\n    button Archive\n")
    };
    let at = |page: Observation| Observation { url: "http://team.test/groups".into(), ..page };
    let groups = at(page(&format!("list\n{}{}", row("Design"), row("Design review"))));
    let opened =
        "list\n  listitem Save Cancel\n    form\n      textbox Group name\n      button Save\n      button Cancel\n";
    let opened = changed(page(&format!("{opened}{}", row("Design review"))), "textbox", |field| {
        field.value = Some("Product design".into());
    });
    let opened = at(opened);
    let first = ask("Rename the group \"Design\" to \"Product design\".", &groups, Value::Null).await;
    assert!(matches!(first.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 3), "{}", first.reason);
    let next = then("Rename the group \"Design\" to \"Product design\".", &groups, &[], Vec::new(), opened).await;
    assert!(matches!(next.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 4), "{}", next.reason);
}

#[tokio::test]
async fn a_plus_that_is_titled_as_a_command_shows_nothing() {
    let row = |name: &str| format!("  listitem {name} +\n    text {name}\n    button +\n");
    let titled = |node: &mut domain::Node| {
        if node.role == "button" {
            node.attributes.insert("title".to_owned(), "Add to shopping list".to_owned());
        }
    };
    let soup =
        changed(page(&format!("heading Lentil soup\nlist\n{}{}", row("Carrots"), row("Stock"))), "button", titled);
    gives_up("Add the butter of the plum cake to the shopping list.", &soup).await;
}

#[tokio::test]
async fn what_a_list_has_and_shows_opened_beside_it_is_one_thing() {
    let list =
        "list\n  listitem Weekly offers\n    link Weekly offers\n  listitem Holiday photos\n    link Holiday photos\n";
    let listed = page(&format!("heading Mail\n{list}"));
    let opened = page(&format!("heading Mail\n{list}heading Weekly offers\nbutton Reply\nbutton Delete"));
    let next =
        then("Delete the mail \"Weekly offers\".", &listed, &["heading \"Weekly offers\""], Vec::new(), opened).await;
    assert!(matches!(next.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 8), "{}", next.reason);
}

#[tokio::test]
async fn tabs_that_are_drawn_of_plain_parts_are_turned_to_and_commands_beside_them_are_not() {
    let turned = async |label: &str, told: &str| {
        let row = page(&format!("button Profile\nbutton {label}\nheading Profile\nbutton Save"));
        let row = with(row, label, |node| _ = node.attributes.insert("drawn-tab".to_owned(), told.to_owned()));
        let decision = ask("Turn off \"Share activity with partners\".", &row, Value::Null).await;
        match decision.choice {
            Choice::Act(Action::Click { element, .. }) => Some(element.0),
            _ => None,
        }
    };
    assert_eq!(turned("Privacy", "other").await, Some(1));
    assert_eq!(turned("Privacy", "shown").await, None);
    assert_eq!(turned("Privacy", "").await, None);
    assert_eq!(turned("Delete account", "other").await, None);
}

#[tokio::test]
async fn what_was_pressed_last_is_not_pressed_once_more_in_search_of_what_it_brings() {
    let berths = page("button Show berths\ntext None yet");
    let next = then("Click \"Show berths\" and click \"Berth 34\".", &berths, &[], Vec::new(), berths.clone()).await;
    assert!(!matches!(next.choice, Choice::Act(Action::Click { .. })), "{}", next.reason);
}

#[tokio::test]
async fn what_shows_under_the_pointer_is_of_what_the_pointer_was_moved_to() {
    let row = |name: &str| format!("listitem {name} Adopt\n  button {name}\n  button Adopt\n");
    let zoo = page(&format!("{}{}", row("Lynx"), row("Otter")));
    let next = then("Hover over \"Otter\" and click \"Adopt\".", &zoo, &[], Vec::new(), zoo.clone()).await;
    assert!(matches!(next.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 5), "{}", next.reason);
}

#[tokio::test]
async fn what_is_sent_once_more_with_a_new_token_was_not_refused() {
    let seats = Observation { url: "http://stage.test/".into(), ..page("button Take seat C4\nbutton Pay") };
    let sent = |number: u64, url: &str, status: u16| Request {
        method: "POST".into(),
        url: url.into(),
        status: Some(status),
        number,
        kind: RequestKind::Script,
        ..Request::default()
    };
    let after = async |last: u16| {
        let requests =
            vec![sent(1, "http://stage.test/seat?t=old", 401), sent(3, "http://stage.test/seat?t=new", last)];
        let goes_on =
            then("Click \"Take seat C4\" and click \"Pay\".", &seats, &["Seat C4 is yours"], requests, seats.clone())
                .await;
        matches!(goes_on.choice, Choice::Act(Action::Click { element, .. }) if element.0 == 1)
    };
    assert!(after(200).await);
    assert!(!after(401).await);
}
