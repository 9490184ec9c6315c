//! Forms that save although their method only asks, and fields whose text a server carries out.

use super::*;

/// A form that is sent as a question, with a field and a button.
fn asked(shown: &str, button: &str) -> Option<Rule> {
    let form = node("form", "", &[("method", "get"), ("action", "/lists/7/options")], None);
    let submit = node("button", button, &[("type", "submit")], Some(0));
    clicked(vec![form, field("input", "Footer", shown, &[]), submit], &Guards::default())
}

#[test]
fn a_form_that_says_it_saves_what_it_shows_is_not_sent_whatever_its_method() {
    for button in ["Submit your changes", "Appliquer les r\u{e9}glages", "Update settings", "Save"] {
        assert!(asked("Lantern Ltd", button).is_some(), "{button}");
    }
    for button in ["Search", "Show", "Apply filters", "Go"] {
        assert_eq!(asked("Lantern Ltd", button), None, "{button}");
    }
}

#[test]
fn the_key_that_sends_a_form_does_what_its_button_does() {
    let entered = |button: &str| {
        let form = node("form", "", &[("method", "get"), ("action", "/settings")], None);
        let submit = node("button", button, &[("type", "submit")], Some(0));
        let nodes = vec![form, field("input", "Temp", "145", &[]), submit];
        let page = Observation { nodes: nodes.into(), url: "http://shop.test/".into(), ..Observation::default() };
        let action = Action::Type { element: ElementId(1), text: "7".into(), submit: true };
        refusal(&action, &page, &Guards::default(), &Memory::default()).map(|refusal| refusal.rule)
    };
    assert!(entered("Appliquer les r\u{e9}glages").is_some() && entered("Set").is_some());
    assert_eq!(entered("Search"), None);
}

#[test]
fn a_line_of_commands_is_left_to_administrators() {
    let written = |field: Node| {
        let form = node("form", "", &[("method", "post")], None);
        clicked(vec![form, field, node("button", "Run", &[("type", "submit")], Some(0))], &Guards::default())
    };
    assert_eq!(written(field("textarea", "SQL", "", &[("name", "q")])), Some(Rule::Administration));
    let line = |label: &str| {
        let form = node("form", "", &[], None);
        let submit = node("button", "Run", &[("type", "submit")], Some(0));
        clicked(vec![form, field("input", label, "", &[]), submit], &Guards::default())
    };
    assert_eq!(line("Server command"), Some(Rule::Administration));
    assert_eq!(line("SQL"), Some(Rule::Administration));
    assert_eq!(line("Type a command or search"), None);
}

#[test]
fn what_such_a_form_shows_is_not_typed_over() {
    let typed = |button: &str| {
        let form = node("form", "", &[("method", "get"), ("action", "/stock")], None);
        let submit = node("button", button, &[("type", "submit")], Some(0));
        let nodes = vec![form, field("input", "Counted", "47 pieces", &[]), submit];
        let page = Observation { nodes: nodes.into(), url: "http://shop.test/".into(), ..Observation::default() };
        let action = Action::Type { element: ElementId(1), text: "7".into(), submit: false };
        refusal(&action, &page, &Guards::default(), &Memory::default()).map(|refusal| refusal.rule)
    };
    assert_eq!(typed("Save count"), Some(Rule::ExistingRecord));
    assert_eq!(typed("Find"), None);
}

#[test]
fn what_is_put_to_a_record_says_whose_it_is() {
    let sent = |button: &str, shown: &str| {
        let form = node("form", "", &[("method", "post"), ("action", "/issues/512/entries")], None);
        let submit = node("button", button, &[("type", "submit")], Some(0));
        let nodes = vec![form, field("input", "Hours", shown, &[]), submit];
        let page =
            Observation { nodes: nodes.into(), url: "http://shop.test/issues/512".into(), ..Observation::default() };
        refusal(&Action::click(ElementId(2)), &page, &Guards::default(), &Memory::default()).map(|refusal| refusal.rule)
    };
    assert_eq!(sent("Log time", "Rutter Lovelace"), None);
    assert_eq!(sent("Log time", "1.5"), Some(Rule::ExistingRecord));
}

#[test]
fn nobody_is_let_in() {
    for label in ["Add SSH key", "New webhook", "Add collaborator", "Create access key"] {
        assert_eq!(
            clicked(vec![node("button", label, &[], None)], &Guards::default()),
            Some(Rule::Administration),
            "{label}"
        );
    }
    for label in ["Add key date", "New key word", "Add boat"] {
        assert_eq!(clicked(vec![node("button", label, &[], None)], &Guards::default()), None, "{label}");
    }
}

#[test]
fn what_is_done_for_a_price_is_paid_for_whatever_else_it_is_called() {
    let pressed = |label: &str| clicked(vec![node("button", label, &[], None)], &Guards::default());
    assert_eq!(pressed("Add a bag for \u{20ac}35"), Some(Rule::Pays));
    assert_eq!(pressed("Add to cart"), None);
    assert_eq!(pressed("Add lamp, \u{20ac}35, to cart"), None);
}
