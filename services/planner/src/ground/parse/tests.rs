//! Instructions and the goals that are read of them.

use super::*;
use crate::ground::understand::understand;

fn goals(instruction: &str) -> Vec<Goal> {
    understand(instruction).goals
}

fn submit() -> Goal {
    Goal::Activate(Target::labelled("Submit"))
}

#[test]
fn a_list_of_choices_is_one_goal_and_sending_it_another() {
    let target = Target { kind: Some(Kind::Select), ..Target::default() };
    let values = "Korea and Peru, Chad".into();
    let choose = Goal::Choose { values, names: Vec::new(), manner: Manner::Named, target };
    assert_eq!(goals("Select Korea and Peru, Chad from the scroll list and click Submit."), [choose, submit()]);
}

#[test]
fn each_quoted_value_is_entered_into_the_field_that_the_words_before_it_name() {
    let field = |name: &str, kind| Target { kind: Some(kind), ..Target::labelled(name) };
    let enter = |text: &str, target| Goal::Enter { value: Value::Literal(text.into()), target };
    assert_eq!(
        goals("Enter the username \"ann\" and the password \"x1\" into the text fields and press login."),
        [
            enter("ann", field("username", Kind::Field)),
            enter("x1", field("password", Kind::Password)),
            Goal::Activate(Target::labelled("login")),
        ]
    );
}

#[test]
fn a_value_without_quotes_goes_into_the_field_that_is_quoted() {
    let field = |name: &str, within: Option<&str>| {
        let within = within.map(str::to_owned);
        let around = within.as_ref().map(|within| format!("row {within}")).unwrap_or_default();
        Target { quoted: true, within, around, ..Target::labelled(name) }
    };
    let enter = |text: &str, target| Goal::Enter { value: Value::Literal(text.into()), target };
    assert_eq!(
        goals("Enter 12 into \"Remind before (minutes)\"."),
        [enter("12", field("Remind before (minutes)", None))]
    );
    assert_eq!(goals("Enter 60 into \"TTL\" in the row of mail2."), [enter("60", field("TTL", Some("mail2")))]);
    let code = goals("Type the code of \"Ann\" into \"Code\".");
    assert!(matches!(&code[..], [Goal::Enter { target, .. }] if target.text() == "Code"), "{code:?}");
}

#[test]
fn the_record_and_the_number_of_elements_are_read_from_the_words_behind_them() {
    let target = Target {
        quoted: true,
        kind: Some(Kind::Button),
        count: Count::Exactly(2),
        within: Some("@dis".into()),
        around: "2 posts @dis".into(),
        ..Target::labelled("Reply")
    };
    assert_eq!(
        goals("Click the \"Reply\" button on 2 posts by @dis and then click Submit."),
        [Goal::Activate(target), submit()]
    );
}

#[test]
fn where_to_look_is_not_a_goal() {
    let target = Target { quoted: true, kind: Some(Kind::Link), ..Target::labelled("est.") };
    assert_eq!(goals("Switch between the tabs to find and click on the link \"est.\"."), [Goal::Activate(target)]);
}

#[test]
fn the_way_to_close_a_dialog_counts_more_than_that_it_is_closed() {
    let target = Target { quoted: true, in_dialog: true, ..Target::labelled("x") };
    assert_eq!(goals("Close the dialog box by clicking the \"x\"."), [Goal::Activate(target)]);
}

#[test]
fn a_key_is_pressed_whether_or_not_it_is_called_a_key() {
    for text in ["Press Enter.", "Hit enter", "press Return", "Press the Enter key."] {
        assert_eq!(goals(text), [Goal::Press("Enter".into())], "{text}");
    }
    assert_eq!(goals("Type \"x\" into \"Fare\" and press Enter.")[1..], [Goal::Press("Enter".into())]);
    assert_eq!(goals("Click \"Enter\"."), goals("Press \"Enter\"."));
    assert!(matches!(goals("Click Enter.")[..], [Goal::Activate(_)]));
}

#[test]
fn one_is_a_number_of_places_too() {
    let goals = goals("Click the \"Reply\" button on 1 post by @dis and then click Submit.");
    assert!(
        matches!(&goals[0], Goal::Activate(target) if target.count == Count::Exactly(1) && target.within.as_deref() == Some("@dis")),
        "{goals:?}"
    );
}

#[test]
fn keys_are_pressed_where_they_can_be_nothing_else() {
    let press = |key: &str| vec![Goal::Press(key.to_owned())];
    assert_eq!(goals("Press Ctrl+A."), press("Control+A"));
    assert_eq!(goals("Press Ctrl+Delete"), press("Control+Delete"));
    assert_eq!(goals("Press F5."), press("F5"));
    assert_eq!(goals("Press the down arrow key."), press("ArrowDown"));
    assert_eq!(goals("Press the delete key"), press("Delete"));
    // Those are names of buttons as well.
    assert_eq!(goals("Press Delete"), [Goal::Activate(Target::labelled("Delete"))]);
    assert!(matches!(goals("Press Delete in the row of Ann").as_slice(), [Goal::Activate(_)]));
    assert!(
        matches!(goals("Press Enter in \"Name\".").as_slice(), [Goal::Focus(_), Goal::Press(key)] if key == "Enter")
    );
}
