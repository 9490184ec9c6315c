//! Effects of made-up observations.

use super::*;
use domain::observation::{Constraints, OpenRequest, Request, RequestKind, SelectOption, States, Tab};

const FIELD: ElementId = ElementId(0);

fn page(nodes: Vec<Node>) -> Observation {
    Observation { url: "http://a.org/".to_owned(), nodes: nodes.into(), ..Observation::default() }
}

fn field(value: &str) -> Node {
    Node { role: "textbox".into(), tag: "input".into(), value: Some(value.to_owned()), ..Node::default() }
}

fn effect(action: &Action, before: &Observation, after: &Observation, typed: Option<&str>) -> Effect {
    effect_beside(action, before, after, typed, &Background::default())
}

fn effect_beside(
    action: &Action,
    before: &Observation,
    after: &Observation,
    typed: Option<&str>,
    background: &Background,
) -> Effect {
    let difference = &difference(before, after, Some(FIELD), &Ticking::default());
    effect_of(ActionContext {
        action,
        before,
        after,
        target: Some(FIELD),
        typed,
        refused: None,
        background,
        difference,
    })
}

/// A page on which something was sent, and that says something afterwards.
fn answered(method: &str, path: &str, status: Option<u16>, said: &str) -> (Observation, Observation) {
    let text = |text: &str| Node { role: "paragraph".into(), tag: "p".into(), text: text.into(), ..Node::default() };
    let before = page(vec![field("x")]);
    let mut after = page(vec![field("x")]);
    after.nodes.extend((!said.is_empty()).then(|| text(said)));
    let url = format!("http://a.org{path}");
    after.requests = vec![Request {
        method: method.into(),
        url,
        status,
        number: 7,
        kind: RequestKind::Script,
        ..Request::default()
    }];
    (before, after)
}

fn typing(text: &str) -> Action {
    Action::Type { element: FIELD, text: text.to_owned(), submit: false }
}

fn changed(what: &str) -> Effect {
    Effect::Changed { what: vec![what.to_owned()] }
}

#[test]
fn an_unchanged_page_is_no_change() {
    let same = page(vec![field("")]);
    assert_eq!(effect(&Action::click(FIELD), &same, &same, None), Effect::NoChange);
}

#[test]
fn text_that_stuck_changed_the_value() {
    assert_eq!(effect(&typing("x"), &page(vec![field("")]), &page(vec![field("x")]), Some("x")), changed("value"));
}

#[test]
fn text_that_the_page_formats_counts_as_taken() {
    let effect = effect(&typing("1234"), &page(vec![field("")]), &page(vec![field("12-34")]), Some("1234"));
    assert_eq!(effect, changed("value"));
}

#[test]
fn text_that_did_not_stick_failed() {
    let effect = effect(&typing("x"), &page(vec![field("")]), &page(vec![field("")]), Some("x"));
    assert!(matches!(effect, Effect::Failed { .. }), "{effect:?}");
}

#[test]
fn an_invalid_field_after_submitting_is_a_rejection_with_the_browsers_message() {
    let mut refused = field("");
    refused.states = States { invalid: true, ..States::default() };
    refused.constraints = Some(Box::new(Constraints {
        validation_message: Some("Please fill out this field.".into()),
        ..Constraints::default()
    }));
    let effect = effect(&Action::click(ElementId(1)), &page(vec![field("")]), &page(vec![refused]), None);
    assert_eq!(effect, Effect::Rejected { message: "Please fill out this field.".to_owned() });
}

#[test]
fn what_the_server_answers_with_an_error_of_its_own_is_sent_and_not_confirmed() {
    let (before, after) = answered("POST", "/save", Some(503), "");
    let effect = effect(&Action::click(FIELD), &before, &after, None);
    assert_eq!(effect, Effect::Unconfirmed { cause: "POST /save was answered 503".to_owned() });
}

#[test]
fn what_has_no_answer_is_not_confirmed_unless_it_is_still_awaited_or_left_behind() {
    let (before, mut after) = answered("POST", "/save", None, "");
    let lost = Effect::Unconfirmed { cause: "POST /save had no answer".to_owned() };
    assert_eq!(effect(&Action::click(FIELD), &before, &after, None), lost);
    after.open_requests = vec![OpenRequest { request: after.requests[0].clone(), age_ms: 5 }];
    assert_eq!(effect(&Action::click(FIELD), &before, &after, None), changed("request"));
    after.open_requests.clear();
    after.url = "http://a.org/next".into();
    assert!(effect(&Action::click(FIELD), &before, &after, None).is_change());
}

#[test]
fn a_refusal_says_what_the_site_said() {
    let refusal = |said: &str| {
        let (before, after) = answered("POST", "/save", Some(422), said);
        effect(&Action::click(FIELD), &before, &after, None)
    };
    let message = "POST /save was answered 422";
    assert_eq!(refusal(""), Effect::Rejected { message: message.into() });
    assert_eq!(refusal("The name is taken"), Effect::Rejected { message: format!("The name is taken ({message})") });
}

#[test]
fn of_what_a_script_reads_only_a_refusal_that_is_told_is_one() {
    let (before, after) = answered("GET", "/avatar", Some(404), "");
    assert_eq!(effect(&Action::click(FIELD), &before, &after, None), Effect::NoChange);
    let (before, after) = answered("GET", "/customer", Some(404), "No such customer");
    let effect = effect(&Action::click(FIELD), &before, &after, None);
    assert!(matches!(&effect, Effect::Rejected { message } if message.contains("No such customer")), "{effect:?}");
}

#[test]
fn what_fails_by_itself_is_not_the_actions() {
    let (before, after) = answered("POST", "/beat", Some(503), "");
    let background = Background::from([("POST".to_owned(), "/beat".to_owned())]);
    let effect = effect_beside(&Action::click(FIELD), &before, &after, None, &background);
    assert_eq!(effect, changed("request"));
}

#[test]
fn another_value_than_was_meant_is_said() {
    let mut number = field("15");
    number.role = "spinbutton".into();
    let taken = effect(&typing("1,5"), &page(vec![field("")]), &page(vec![number]), Some("1,5"));
    assert_eq!(taken, Effect::Failed { cause: "the field holds \"15\" instead of \"1,5\"".to_owned() });
    let mut cut = field("12345");
    cut.constraints = Some(Box::new(Constraints { max_length: Some(5), ..Constraints::default() }));
    let Effect::Failed { cause } =
        effect(&typing("12345678"), &page(vec![field("")]), &page(vec![cut]), Some("12345678"))
    else {
        panic!("taken")
    };
    assert!(cause.contains("it takes 5 characters"), "{cause}");
}

#[test]
fn a_secret_that_is_cut_is_not_told() {
    let Effect::Failed { cause } =
        effect(&typing("${secret:pw}"), &page(vec![field("")]), &page(vec![field("hunt")]), Some("hunter2"))
    else {
        panic!("taken")
    };
    assert!(!cause.contains("hunt"), "{cause}");
}

#[test]
fn boxes_may_hold_a_code_between_them_and_a_field_may_make_a_tag_of_it() {
    let box_of = |value: &str| Node { operations: vec![domain::action::ActionKind::Type], ..field(value) };
    let (before, after) = (["", "", ""].map(box_of), ["4", "2", "7"].map(box_of));
    assert!(effect(&typing("427"), &page(before.to_vec()), &page(after.to_vec()), Some("427")).is_change());
    let tag = Node { role: "listitem".into(), tag: "li".into(), text: "green".into(), ..Node::default() };
    assert!(effect(&typing("green,"), &page(vec![field("")]), &page(vec![field(""), tag]), Some("green,")).is_change());
}

#[test]
fn a_toggle_that_is_as_it_was_went_back() {
    let toggle = |on: bool, focused: bool| Node {
        role: "switch".into(),
        name: "Alerts".into(),
        states: States { checked: Some(on), focused, ..States::default() },
        ..Node::default()
    };
    let (before, after) = (page(vec![toggle(false, false)]), page(vec![toggle(false, true)]));
    let back = effect(&Action::click(FIELD), &before, &after, None);
    assert_eq!(back, Effect::Failed { cause: "the switch is off as before".to_owned() });
    assert!(effect(&Action::click(FIELD), &before, &page(vec![toggle(true, true)]), None).is_change());
    let question = Node { role: "dialog".into(), name: "Sure?".into(), ..Node::default() };
    let asked = page(vec![toggle(false, true), question]);
    assert!(effect(&Action::click(FIELD), &before, &asked, None).is_change(), "a question comes first");
}

#[test]
fn a_clock_that_goes_on_is_no_change() {
    let clock = |time: &str| Node { role: "text".into(), text: time.into(), ..Node::default() };
    let (before, after) = (page(vec![field(""), clock("12:00:01")]), page(vec![field(""), clock("12:00:02")]));
    assert_eq!(effect(&Action::click(FIELD), &before, &after, None), Effect::NoChange);
}

#[test]
fn a_missing_picture_is_not_a_failure() {
    let mut after = page(vec![field("")]);
    after.requests = vec![Request {
        method: "GET".into(),
        url: "http://a.org/x.png".into(),
        status: Some(404),
        ..Request::default()
    }];
    assert_eq!(effect(&Action::click(FIELD), &page(vec![field("")]), &after, None), Effect::NoChange);
}

#[test]
fn an_option_that_is_not_selected_afterwards_failed() {
    let mut select = field("a");
    select.options = vec![SelectOption { label: "A".into(), value: "a".into(), selected: true }];
    let action = Action::Select { element: FIELD, options: vec!["B".into()] };
    let effect = effect(&action, &page(vec![select.clone()]), &page(vec![select]), None);
    assert!(matches!(effect, Effect::Failed { .. }), "{effect:?}");
}

#[test]
fn leaving_the_scope_outweighs_everything_else() {
    let same = page(vec![]);
    let action = Action::click(FIELD);
    let context = ActionContext {
        action: &action,
        before: &same,
        after: &same,
        target: None,
        typed: None,
        refused: Some("http://b.org/"),
        background: &Background::default(),
        difference: &PageDifference::default(),
    };
    assert_eq!(effect_of(context), Effect::LeftScope { url: "http://b.org/".to_owned() });
}

#[test]
fn a_new_tab_is_a_change_of_tabs() {
    let before = page(vec![]);
    let mut after = page(vec![]);
    after.tabs = vec![Tab::default()];
    assert_eq!(effect(&Action::click(FIELD), &before, &after, None), changed("tabs"));
}

#[test]
fn what_another_control_took_is_a_failure_that_says_so() {
    let at = |path: &str, name: &str, value: &str| Node {
        xpath: path.into(),
        name: name.into(),
        operations: vec![domain::action::ActionKind::Type],
        ..field(value)
    };
    let before = page(vec![at("/a", "Name", ""), at("/b", "Search", "")]);
    let after = page(vec![at("/a", "Name", "Ines"), at("/b", "Search", "nes")]);
    let Effect::Failed { cause } = effect(&typing("Ines"), &before, &after, Some("Ines")) else { panic!() };
    assert!(cause.starts_with("another control took it") && cause.contains("Search"), "{cause}");
    let again = page(vec![at("/a", "Name", "Ines"), at("/b", "Search", "Inesneses")]);
    let Effect::Failed { cause } = effect(&typing("Ines"), &before, &again, Some("Ines")) else { panic!() };
    assert!(cause.contains("Inesneses"), "{cause}");
    let whole = page(vec![at("/a", "Name", ""), at("/b", "Search", "Ines")]);
    let Effect::Failed { cause } = effect(&typing("Ines"), &before, &whole, Some("Ines")) else { panic!() };
    assert!(cause.starts_with("another control took it"), "{cause}");
    // A field that the page fills in from the first is no such thing.
    let mirrored = page(vec![at("/a", "Name", "Ines"), at("/b", "Short name", "Ines")]);
    let named = page(vec![at("/a", "Name", ""), at("/b", "Short name", "")]);
    assert!(matches!(effect(&typing("Ines"), &named, &mirrored, Some("Ines")), Effect::Changed { .. }));

    let tick = |name: &str, checked: bool| Node {
        role: "checkbox".into(),
        name: name.into(),
        states: States { checked: Some(checked), ..States::default() },
        ..Node::default()
    };
    let check = Action::Check { element: FIELD, checked: true };
    let before = page(vec![tick("Anna", false), tick("Hanna", false)]);
    let shifted = page(vec![tick("Anna", false), tick("Hanna", true)]);
    let Effect::Failed { cause } = effect(&check, &before, &shifted, None) else { panic!() };
    assert!(cause.contains("another control took it: checkbox \"Hanna\""), "{cause}");
    let all = page(vec![tick("Anna", true), tick("Hanna", true)]);
    assert!(matches!(effect(&check, &before, &all, None), Effect::Changed { .. }));
}
