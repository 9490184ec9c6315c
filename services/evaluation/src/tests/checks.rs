//! What checks find.

use super::arbitrary::{check, facts};
use crate::checks::{all, any, evaluate, finding, has_part, not};
use crate::facts::{Facts, Needs, PageLook};
use domain::action::ActionKind;
use domain::fault::FaultCategory;
use domain::observation::{Request, States};
use domain::page::VisibleText;
use domain::task::{Check, ElementCheck, FaultCheck, PageStateCheck, RequestCheck, TextMatch, ValueCheck};
use domain::verdict::Finding::{self, Confirmed, Refuted, Undecided};
use domain::{Fault, Node, Observation};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn contains(text: &str) -> TextMatch {
    TextMatch::Contains(text.into())
}

fn equals(text: &str) -> TextMatch {
    TextMatch::Equals(text.into())
}

/// A shop's page: a field, a ticked box, a heading, and what was sent for it.
fn shop() -> Facts {
    let node = |role: &str, name: &str| Node { role: role.into(), name: name.into(), ..Node::default() };
    let field = Node {
        value: Some("2".into()),
        attributes: [("id".into(), "amount".into())].into_iter().collect(),
        ..node("textbox", "Amount")
    };
    let ticked = Node { states: States { checked: Some(true), ..States::default() }, ..node("checkbox", "Gift wrap") };
    let password =
        Node { attributes: [("type".into(), "password".into())].into_iter().collect(), ..node("textbox", "Password") };
    let heading = Node { text: "Your basket".into(), ..node("heading", "Your basket") };
    let observation = Observation {
        url: "http://shop.test/basket?id=7".into(),
        nodes: vec![heading, field, ticked, password].into(),
        ..Observation::default()
    };
    let request = |method: &str, url: &str, status| Request {
        method: method.into(),
        url: url.into(),
        status,
        ..Request::default()
    };
    let look = PageLook {
        observation: observation.into(),
        texts: Some(vec![VisibleText { frame: 0, text: "Your   basket\n2 apples".into() }]),
        page_states: BTreeMap::from([
            ("reward".to_owned(), Ok(json!(1.0))),
            ("broken".to_owned(), Err("ReferenceError".to_owned())),
        ]),
        ..PageLook::default()
    };
    Facts {
        looks: vec![look],
        requests: vec![
            request("GET", "http://shop.test/basket", Some(200)),
            request("POST", "http://shop.test/order", Some(500)),
            request("POST", "http://shop.test/log", None),
            Request { refused: true, ..request("GET", "http://tracker.test/", None) },
        ],
        answer: Some(" 2  apples ".into()),
        ..Facts::default()
    }
}

fn change(change: impl FnOnce(&mut Observation)) -> Facts {
    let mut facts = shop();
    change(Arc::make_mut(&mut facts.looks[0].observation));
    facts
}

fn named(role: &str, name: &str) -> ElementCheck {
    ElementCheck { role: Some(role.into()), name: Some(equals(name)), ..ElementCheck::default() }
}

fn request(method: Option<&str>, url: &str, status: Option<u16>) -> Check {
    Check::Request(RequestCheck { method: method.map(str::to_owned), url: contains(url), status })
}

fn state(expression: &str, equals: Value) -> Check {
    Check::PageState(PageStateCheck { expression: expression.into(), equals })
}

#[test]
fn addresses_texts_and_answers_are_compared_with_white_space_folded_and_case_kept() {
    for (check, expected) in [
        (Check::Url(contains("/basket")), Confirmed),
        (Check::Url(equals("http://shop.test/basket?id=7")), Confirmed),
        (Check::Url(TextMatch::Matches(r"id=\d+$".into())), Confirmed),
        (Check::Url(contains("/BASKET")), Refuted),
        (Check::Text(contains("basket 2\n apples")), Confirmed),
        (Check::Text(equals("Your basket 2 apples")), Confirmed),
        (Check::Text(contains("3 apples")), Refuted),
        (Check::Answer(equals("2 apples")), Confirmed),
        (Check::Answer(equals("apples")), Refuted),
    ] {
        assert_eq!(finding(&check, &shop()), expected, "{check:?}");
    }
}

#[test]
fn what_a_field_holds_is_no_text_of_the_page_unless_nobody_can_type_there_which_leaves_it_undecided() {
    let two = Check::Text(contains("positive"));
    let held = |is_open: bool| {
        let states = States { readonly: !is_open, ..States::default() };
        let field =
            Node { value: Some("Positive, positive".into()), states, role: "textbox".into(), ..Node::default() };
        change(|seen| seen.nodes = vec![field].into())
    };
    let absent = Check::Not(Box::new(two.clone()));
    assert_eq!((finding(&two, &held(true)), finding(&absent, &held(true))), (Refuted, Confirmed));
    assert_eq!((finding(&two, &held(false)), finding(&absent, &held(false))), (Undecided, Undecided));
}

#[test]
fn the_address_of_a_page_that_was_refused_decides_nothing() {
    let basket = Check::Url(contains("/basket"));
    let answered = |status| {
        let address = "http://shop.test/basket?id=7".to_owned();
        let request =
            Request { url: address, method: "GET".into(), status: Some(status), number: 9, ..Request::default() };
        Facts { requests: vec![request], ..change(|seen| seen.nodes = Vec::<Node>::new().into()) }
    };
    assert_eq!(finding(&basket, &answered(200)), Confirmed);
    assert_eq!(finding(&basket, &answered(401)), Undecided);
    let field = Node { role: "textbox".into(), operations: vec![ActionKind::Type], ..Node::default() };
    let with_fields = Facts { looks: change(|seen| seen.nodes = vec![field].into()).looks, ..answered(401) };
    assert_eq!(finding(&basket, &with_fields), Confirmed, "a page to log in on");
    let always = Facts { start: Some(Box::new(shop())), ..answered(404) };
    assert_eq!(finding(&basket, &always), Confirmed, "a site that answers its start page so");
}

fn fault(wanted: FaultCheck) -> Check {
    Check::Fault(wanted)
}

/// The shop, in which a script has thrown.
fn thrown() -> Facts {
    let fault = Fault {
        category: FaultCategory::JavaScript,
        message: "TypeError: item 17 is not sold".into(),
        source: "http://shop.test/script.js?v=8".into(),
        line: Some(3),
        first_party: true,
    };
    Facts { faults: vec![fault], ..shop() }
}

#[test]
fn a_fault_is_told_by_whatever_is_said_of_it_and_not_by_its_numbers() {
    let of = |message: TextMatch| FaultCheck { message: Some(message), ..FaultCheck::default() };
    let from = |source: TextMatch| FaultCheck { source: Some(source), ..FaultCheck::default() };
    for (wanted, expected) in [
        (FaultCheck::default(), Confirmed),
        (of(equals("TypeError: item 4 is not sold")), Confirmed),
        (of(contains("is not sold")), Confirmed),
        (of(contains("item 4")), Confirmed),
        (of(TextMatch::Matches("item 17".into())), Confirmed),
        (of(TextMatch::Matches("item 4".into())), Refuted),
        (of(contains("is not here")), Refuted),
        (of(contains("")), Undecided),
        (from(equals("http://shop.test/script.js?v=9")), Confirmed),
        (from(equals("http://shop.test/other.js")), Refuted),
        (FaultCheck { category: Some(FaultCategory::JavaScript), ..FaultCheck::default() }, Confirmed),
        (FaultCheck { category: Some(FaultCategory::Network), ..FaultCheck::default() }, Refuted),
        (FaultCheck { first_party: Some(false), ..FaultCheck::default() }, Refuted),
    ] {
        assert_eq!(finding(&fault(wanted.clone()), &thrown()), expected, "{wanted:?}");
    }
}

/// A test that wants no such fault must not pass because the way to it has changed.
#[test]
fn that_there_is_no_fault_says_something_only_where_it_is_looked_for() {
    let none = |at: &str| {
        let at = Some(equals(at));
        Check::Not(Box::new(fault(FaultCheck { at, ..FaultCheck::default() })))
    };
    assert_eq!(finding(&none("http://shop.test/basket?id=8"), &shop()), Confirmed);
    assert_eq!(finding(&none("http://shop.test/help"), &shop()), Undecided);
    assert_eq!(finding(&none("http://shop.test/help"), &thrown()), Refuted, "it is there, wherever");
    let blind = Facts { requests: Vec::new(), ..shop() };
    assert_eq!(finding(&none("http://shop.test/basket"), &blind), Undecided, "such a browser reports nothing");
    assert_eq!(finding(&none("http://shop.test/basket"), &Facts::default()), Undecided);
}

#[test]
fn no_answer_refutes_and_is_no_empty_answer() {
    let silent = Facts { answer: None, ..shop() };
    assert_eq!(finding(&Check::Answer(equals("")), &silent), Refuted);
}

#[test]
fn what_would_fit_anything_and_what_is_no_pattern_decides_nothing() {
    for wanted in [contains(""), contains("  "), TextMatch::Matches(String::new()), TextMatch::Matches("(".into())] {
        assert_eq!(finding(&Check::Url(wanted.clone()), &shop()), Undecided, "{wanted:?}");
        assert_eq!(finding(&Check::Not(Box::new(Check::Url(wanted.clone()))), &shop()), Undecided, "not {wanted:?}");
    }
    assert_eq!(finding(&Check::Element(ElementCheck::default()), &shop()), Undecided);
    assert_eq!(finding(&Check::All(Vec::new()), &shop()), Undecided);
    assert_eq!(finding(&Check::Any(Vec::new()), &shop()), Undecided);
}

#[test]
fn without_the_whole_text_nodes_may_confirm_a_text_but_never_refute_it() {
    let mut cut = shop();
    cut.looks[0].texts = None;
    assert_eq!(finding(&Check::Text(contains("Your basket")), &cut), Confirmed);
    assert_eq!(finding(&Check::Text(contains("apples")), &cut), Undecided);
    assert_eq!(finding(&Check::Not(Box::new(Check::Text(contains("apples")))), &cut), Undecided);
}

#[test]
fn an_element_fits_by_all_that_is_asked_of_it() {
    let gift = |checked| Check::Element(ElementCheck { checked: Some(checked), ..named("checkbox", "Gift wrap") });
    assert_eq!(finding(&gift(true), &shop()), Confirmed);
    assert_eq!(finding(&gift(false), &shop()), Refuted);
    let by_id = |id: &str| {
        let attributes = BTreeMap::from([("id".to_owned(), id.to_owned())]);
        Check::Element(ElementCheck { attributes, ..ElementCheck::default() })
    };
    assert_eq!(finding(&by_id("amount"), &shop()), Confirmed);
    assert_eq!(finding(&by_id("price"), &shop()), Refuted);
}

#[test]
fn an_attribute_that_observations_do_not_hold_decides_nothing() {
    let attributes = BTreeMap::from([("data-stock".to_owned(), "0".to_owned())]);
    let check = Check::Element(ElementCheck { attributes, ..named("textbox", "Amount") });
    assert_eq!(finding(&check, &shop()), Undecided);
    assert!(evaluate(&check, &shop())[0].observed.contains("page_state"));
}

#[test]
fn an_element_that_is_not_among_the_first_nodes_of_a_cut_page_may_still_be_there() {
    let absent = Check::Element(named("button", "Buy"));
    assert_eq!(finding(&absent, &shop()), Refuted);
    assert_eq!(finding(&absent, &change(|page| page.truncated = true)), Undecided);
    let gone = Check::Not(Box::new(absent));
    assert_eq!(finding(&gone, &shop()), Confirmed);
    assert_eq!(finding(&gone, &change(|page| page.truncated = true)), Undecided);
}

#[test]
fn values_are_compared_and_those_of_passwords_are_never_known() {
    let value = |of: ElementCheck, is: &str| Check::Value(ValueCheck { of, is: equals(is) });
    assert_eq!(finding(&value(named("textbox", "Amount"), "2"), &shop()), Confirmed);
    assert_eq!(finding(&value(named("textbox", "Amount"), "3"), &shop()), Refuted);
    assert_eq!(finding(&value(named("textbox", "Price"), "3"), &shop()), Refuted);
    assert_eq!(finding(&value(named("textbox", "Password"), "x"), &shop()), Undecided);
}

#[test]
fn several_fields_that_disagree_decide_nothing() {
    let twice = |value: &str| {
        let value = value.to_owned();
        change(move |page| {
            let other = Node { value: Some(value), ..page.nodes[1].clone() };
            page.nodes.push(other);
        })
    };
    let check = Check::Value(ValueCheck { of: named("textbox", "Amount"), is: equals("2") });
    assert_eq!(finding(&check, &twice("2")), Confirmed);
    assert_eq!(finding(&check, &twice("9")), Undecided);
}

#[test]
fn requests_count_when_they_were_made_and_answered_as_asked() {
    for (check, expected) in [
        (request(None, "/basket", None), Confirmed),
        (request(Some("post"), "/order", None), Confirmed),
        (request(Some("GET"), "/order", None), Refuted),
        (request(None, "/order", Some(500)), Confirmed),
        (request(None, "/order", Some(200)), Refuted),
        (request(None, "/log", Some(200)), Undecided),
        (request(None, "tracker.test", None), Refuted),
    ] {
        assert_eq!(finding(&check, &shop()), expected, "{check:?}");
    }
}

#[test]
fn a_browser_that_reports_no_requests_refutes_none() {
    let blind = Facts { requests: Vec::new(), ..shop() };
    assert_eq!(finding(&request(None, "/basket", None), &blind), Undecided);
    assert_eq!(finding(&Check::Not(Box::new(request(None, "/delete", None))), &blind), Undecided);
}

#[test]
fn page_states_are_equal_as_numbers_are_and_undecided_when_the_expression_throws() {
    assert_eq!(finding(&state("reward", json!(1)), &shop()), Confirmed);
    assert_eq!(finding(&state("reward", json!(0)), &shop()), Refuted);
    assert_eq!(finding(&state("reward", json!("1")), &shop()), Refuted);
    assert_eq!(finding(&state("broken", json!(1)), &shop()), Undecided);
    assert_eq!(finding(&state("never evaluated", json!(1)), &shop()), Undecided);
}

#[test]
fn a_page_state_that_is_undefined_or_another_type_is_no_success() {
    for value in [Value::Null, json!(true), json!([1]), json!({"reward": 1}), json!(-1), json!(0.999)] {
        let page_states = BTreeMap::from([("reward".into(), Ok(value.clone()))]);
        let facts = Facts::of_look(PageLook { page_states, ..PageLook::default() });
        assert_eq!(finding(&state("reward", json!(1)), &facts), Refuted, "{value}");
    }
}

#[test]
fn the_tables_of_three_valued_logic_are_kleenes() {
    let values = [Confirmed, Refuted, Undecided];
    let rank = |finding: Finding| match finding {
        Refuted => 0,
        Undecided => 1,
        Confirmed => 2,
    };
    for a in values {
        assert_eq!(not(not(a)), a);
        for b in values {
            assert_eq!(rank(all(&[a, b])), rank(a).min(rank(b)));
            assert_eq!(rank(any(&[a, b])), rank(a).max(rank(b)));
        }
    }
}

#[test]
fn the_first_evidence_is_that_of_the_whole_and_every_part_has_its_own() {
    let check = Check::All(vec![Check::Url(contains("/basket")), Check::Not(Box::new(Check::Text(contains("pears"))))]);
    let evidence = evaluate(&check, &shop());
    assert_eq!(evidence.len(), 4);
    assert_eq!((&evidence[0].check, evidence[0].finding), (&check, Confirmed));
    assert_eq!(evidence[1].observed, "the address is http://shop.test/basket?id=7");
    assert_eq!(evidence[3].finding, Refuted);
}

#[test]
fn needs_name_each_expression_once_and_nothing_that_no_part_asks_for() {
    let check =
        Check::All(vec![state("a", json!(1)), Check::Not(Box::new(state("a", json!(2)))), Check::Answer(equals("x"))]);
    assert_eq!(Needs::of(&check), Needs { page: true, expressions: vec!["a".into()] });
    assert!(Needs::of(&Check::Text(equals("x"))).page);
    assert!(Needs::of(&Check::Answer(equals("x"))).is_nothing());
}

proptest! {
    #[test]
    fn the_opposite_of_a_check_finds_the_opposite(check in check(), facts in facts()) {
        let answers = has_part(&check, &|part| matches!(part, Check::Answer(_)));
        let opposite = finding(&Check::Not(Box::new(check.clone())), &facts);
        // Where nothing was answered, that is neither right nor wrong.
        if facts.answer.is_some() || !answers {
            prop_assert_eq!(opposite, not(finding(&check, &facts)));
        } else {
            prop_assert!(opposite == Undecided || opposite == not(finding(&check, &facts)));
        }
    }

    #[test]
    fn without_any_fact_nothing_is_confirmed(check in check()) {
        // An answer that was not given is a fact of its own, so checks that hold an answer are left out.
        prop_assume!(!format!("{check:?}").contains("Answer"));
        prop_assert_eq!(finding(&check, &Facts::default()), Undecided);
    }

    #[test]
    fn undecided_parts_never_confirm_all_nor_refute_any(check in check(), facts in facts()) {
        let unknown = state("never evaluated", json!(1));
        let both = Check::All(vec![check.clone(), unknown.clone()]);
        prop_assert_ne!(finding(&both, &facts), Confirmed);
        let either = Check::Any(vec![check, unknown]);
        prop_assert_ne!(finding(&either, &facts), Refuted);
    }
}
