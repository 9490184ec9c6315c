//! What two looks say together, and what cannot be seen in either.

use crate::checks::{finding, is_at_rest};
use crate::facts::{Facts, PageLook};
use domain::observation::{Dialog, Frame, Unread, UnreadCause, Visibility};
use domain::page::VisibleText;
use domain::task::{Check, ElementCheck, TextMatch, ValueCheck};
use domain::verdict::Finding::{Confirmed, Refuted, Undecided};
use domain::{Node, Observation};

fn text(words: &str) -> Check {
    Check::Text(TextMatch::Contains(words.into()))
}

fn element(role: &str, words: &str) -> Check {
    let text = Some(TextMatch::Contains(words.into()));
    Check::Element(ElementCheck { role: Some(role.into()), text, ..ElementCheck::default() })
}

fn absent(check: Check) -> Check {
    Check::Not(Box::new(check))
}

fn node(role: &str, text: &str) -> Node {
    Node { role: role.into(), tag: "p".into(), text: text.into(), ..Node::default() }
}

fn look(nodes: Vec<Node>) -> PageLook {
    let text = nodes.iter().map(|node| format!("{}\n", node.text)).collect();
    let observation = Observation { nodes: nodes.into(), ..Observation::default() };
    PageLook {
        observation: observation.into(),
        texts: Some(vec![VisibleText { frame: 0, text }]),
        ..PageLook::default()
    }
}

fn looks(first: Vec<Node>, second: Vec<Node>) -> Facts {
    Facts { looks: vec![look(first), look(second)], ..Facts::default() }
}

/// A page with a notice, of which something is known to be unread.
fn partly(change: impl Fn(&mut Observation)) -> Facts {
    let mut facts = looks(vec![node("alert", "Saved")], vec![node("alert", "Saved")]);
    for look in &mut facts.looks {
        change(std::sync::Arc::make_mut(&mut look.observation));
    }
    facts
}

#[test]
fn what_only_one_look_shows_decides_nothing() {
    for (first, second) in [(true, false), (false, true)] {
        let shown = |there: bool| if there { vec![node("status", "Order placed")] } else { vec![node("status", "")] };
        let facts = looks(shown(first), shown(second));
        for check in [text("Order placed"), element("status", "Order placed")] {
            assert_eq!(finding(&check, &facts), Undecided, "{check:?}");
            assert_eq!(finding(&absent(check.clone()), &facts), Undecided, "not {check:?}");
            assert!(!is_at_rest(&check, &facts));
        }
    }
}

#[test]
fn another_element_or_another_number_in_the_second_look_is_not_the_same() {
    let other = looks(vec![node("status", "3 items")], vec![node("status", "13 items")]);
    assert_eq!(finding(&text("3 items"), &other), Undecided);
    let moved = looks(vec![node("alert", "Saved")], vec![node("status", "Saved")]);
    let any = Check::Element(ElementCheck { text: Some(TextMatch::Equals("Saved".into())), ..ElementCheck::default() });
    assert_eq!(finding(&any, &moved), Undecided);
}

#[test]
fn what_ticks_beside_it_does_not_matter() {
    let page = |time: &str| vec![node("timer", time), node("status", &format!("Order placed at {time}"))];
    let facts = looks(page("12:01"), page("12:02"));
    assert_eq!(finding(&text("Order placed"), &facts), Confirmed);
    assert!(is_at_rest(&text("Order placed"), &facts));
    assert_eq!(finding(&text("Cancelled"), &facts), Refuted);
}

#[test]
fn whatever_could_not_be_read_leaves_absence_undecided_and_presence_seen() {
    let unread = |why| move |page: &mut Observation| page.unread = vec![Unread { why, at: "/html/body/x-box".into() }];
    let pages = [
        partly(unread(UnreadCause::ClosedShadowRoot)),
        partly(unread(UnreadCause::Frame)),
        partly(unread(UnreadCause::TooLarge)),
        partly(|page| page.truncated = true),
    ];
    let field = ElementCheck { name: Some(TextMatch::Equals("Amount".into())), ..ElementCheck::default() };
    let value = Check::Value(ValueCheck { of: field, is: TextMatch::Equals("2".into()) });
    for facts in &pages {
        assert_eq!(finding(&text("Saved"), facts), Confirmed);
        assert_eq!(finding(&element("alert", "Saved"), facts), Confirmed);
        for check in [text("declined"), element("alert", "declined"), value.clone()] {
            assert_eq!(finding(&check, facts), Undecided, "{check:?}");
            assert_eq!(finding(&absent(check.clone()), facts), Undecided, "not {check:?}");
        }
    }
}

#[test]
fn what_is_known_of_a_page_behind_a_dialog_or_of_one_that_did_not_load_decides_nothing() {
    let dialog = partly(|page| page.dialog = Some(Dialog { kind: "alert".into(), message: "Hello".into() }));
    let at = "chrome-error://chromewebdata/";
    let not_loaded = partly(|page| {
        page.url = at.into();
        page.unread = vec![Unread { why: UnreadCause::Document, at: at.into() }];
    });
    let url = Check::Url(TextMatch::Contains("/login".into()));
    for check in [element("alert", "Saved"), element("alert", "declined"), url] {
        for facts in [&dialog, &not_loaded] {
            assert_eq!(finding(&check, facts), Undecided, "{check:?}");
            assert_eq!(finding(&absent(check.clone()), facts), Undecided, "not {check:?}");
        }
    }
    assert_eq!(finding(&text("Saved"), &dialog), Undecided, "it may be gone");
    assert_eq!(finding(&text("Hello"), &dialog), Confirmed, "a person reads the dialog");
}

#[test]
fn words_may_stand_on_a_canvas_and_elements_may_not() {
    let facts = partly(|page| page.unread = vec![Unread { why: UnreadCause::Drawing, at: "/html/body/canvas".into() }]);
    assert_eq!(finding(&text("Saved"), &facts), Confirmed);
    assert_eq!(finding(&absent(text("declined")), &facts), Undecided);
    assert_eq!(finding(&absent(element("alert", "declined")), &facts), Confirmed);
}

#[test]
fn nothing_is_absent_while_something_is_under_way() {
    let mut facts = partly(|_| {});
    assert_eq!(finding(&absent(text("declined")), &facts), Confirmed);
    facts.in_flight = vec!["POST /pay has no answer".into()];
    assert_eq!(finding(&absent(text("declined")), &facts), Undecided);
    assert_eq!(finding(&text("Saved"), &facts), Confirmed, "what is there is there");
}

#[test]
fn a_text_that_was_cut_decides_only_what_its_beginning_decides() {
    let cut = || vec![node("alert", &"long ".repeat(40))];
    let facts = looks(cut(), cut());
    assert_eq!(finding(&element("alert", "long long"), &facts), Confirmed);
    assert_eq!(finding(&absent(element("alert", "declined")), &facts), Undecided);
    let field = |value: String| vec![Node { value: Some(value), name: "Story".into(), ..node("textbox", "") }];
    let long = || field("x".repeat(10_000));
    let is = |wanted: TextMatch| {
        let of = ElementCheck { role: Some("textbox".into()), ..ElementCheck::default() };
        Check::Value(ValueCheck { of, is: wanted })
    };
    let facts = looks(long(), long());
    assert_eq!(finding(&absent(is(TextMatch::Contains("declined".into()))), &facts), Undecided);
    assert_eq!(finding(&is(TextMatch::Equals("y".into())), &facts), Refuted, "it begins with something else");
    assert_eq!(finding(&is(TextMatch::Matches("x$".into())), &facts), Undecided);
}

#[test]
fn what_shows_only_under_the_pointer_decides_nothing() {
    let hover = || vec![Node { visibility: Visibility::OnHover, ..node("button", "Delete") }];
    let facts = looks(hover(), hover());
    assert_eq!(finding(&element("button", "Delete"), &facts), Undecided);
}

#[test]
fn characters_that_nobody_sees_do_not_count_and_case_does() {
    let shown = || vec![node("status", "Ge\u{ad}spei\u{200b}chert\u{200e} am  Montag")];
    let facts = looks(shown(), shown());
    assert_eq!(finding(&text("Gespeichert am Montag"), &facts), Confirmed);
    assert_eq!(finding(&text("gespeichert"), &facts), Refuted);
    assert_eq!(finding(&element("Status", "Gespeichert"), &facts), Confirmed, "roles have no case");
}

#[test]
fn documents_are_read_one_by_one_and_evidence_names_the_frame() {
    let mut facts = looks(Vec::new(), Vec::new());
    for look in &mut facts.looks {
        let frame = Frame { url: "http://a.test/inner".into(), ..Frame::default() };
        std::sync::Arc::make_mut(&mut look.observation).frames = vec![Frame::default(), frame];
        let text = |frame, text: &str| VisibleText { frame, text: text.into() };
        look.texts = Some(vec![text(0, "Your order"), text(1, "was placed")]);
    }
    assert_eq!(finding(&text("order was"), &facts), Refuted, "no sentence goes from one document to the next");
    let evidence = crate::checks::evaluate(&text("was placed"), &facts);
    assert_eq!(evidence[0].observed, "the page shows \"was placed\" in frame http://a.test/inner");
}
