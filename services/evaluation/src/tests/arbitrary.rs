//! Checks, facts and endings of every shape.

use crate::facts::{Facts, PageLook};
use crate::reasons::ActionSummary;
use domain::action::Claim;
use domain::observation::Request;
use domain::page::VisibleText;
use domain::task::{Check, ElementCheck, FaultCheck, PageStateCheck, RequestCheck, TextMatch, ValueCheck};
use domain::{Ending, Node, Observation};
use proptest::prelude::*;
use serde_json::json;

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "a b", "  a ", "[", ".*"]).prop_map(str::to_owned)
}

fn text_match() -> impl Strategy<Value = TextMatch> {
    prop_oneof![
        word().prop_map(TextMatch::Equals),
        word().prop_map(TextMatch::Contains),
        word().prop_map(TextMatch::Matches),
    ]
}

fn element() -> impl Strategy<Value = ElementCheck> {
    let attributes =
        prop::collection::btree_map(prop::sample::select(vec!["id".to_owned(), "data-x".to_owned()]), word(), 0..2);
    (prop::option::of(word()), prop::option::of(text_match()), attributes, prop::option::of(any::<bool>()))
        .prop_map(|(role, name, attributes, checked)| ElementCheck { role, name, text: None, attributes, checked })
}

pub(super) fn leaf() -> impl Strategy<Value = Check> {
    prop_oneof![
        text_match().prop_map(Check::Url),
        text_match().prop_map(Check::Text),
        text_match().prop_map(Check::Answer),
        element().prop_map(Check::Element),
        (element(), text_match()).prop_map(|(of, is)| Check::Value(ValueCheck { of, is })),
        (text_match(), prop::option::of(200u16..202)).prop_map(|(url, status)| Check::Request(RequestCheck {
            method: None,
            url,
            status
        })),
        (prop::option::of(text_match()), prop::option::of(text_match()))
            .prop_map(|(message, at)| Check::Fault(FaultCheck { message, at, ..FaultCheck::default() })),
        (word(), 0..2).prop_map(|(expression, equals)| {
            Check::PageState(PageStateCheck { expression, equals: json!(equals) })
        }),
    ]
}

pub(super) fn check() -> impl Strategy<Value = Check> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Check::All),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Check::Any),
            inner.prop_map(|part| Check::Not(Box::new(part))),
        ]
    })
}

fn node() -> impl Strategy<Value = Node> {
    let attributes = prop::collection::btree_map(Just("id".to_owned()), word(), 0..2);
    (word(), word(), prop::option::of(word()), attributes).prop_map(|(role, name, value, attributes)| Node {
        role,
        name,
        value,
        attributes: attributes.into_iter().collect(),
        ..Node::default()
    })
}

fn observation() -> impl Strategy<Value = Observation> {
    (word(), prop::collection::vec(node(), 0..4), any::<bool>()).prop_map(|(url, nodes, truncated)| Observation {
        url,
        nodes: nodes.into(),
        truncated,
        ..Observation::default()
    })
}

fn request() -> impl Strategy<Value = Request> {
    (word(), prop::option::of(200u16..202), any::<bool>()).prop_map(|(url, status, refused)| Request {
        method: "GET".into(),
        url,
        status,
        refused,
        ..Request::default()
    })
}

pub(super) fn facts() -> impl Strategy<Value = Facts> {
    let state = prop_oneof![(0..2).prop_map(|value| Ok(json!(value))), Just(Err("it throws".to_owned()))];
    (
        prop::option::of(observation()),
        prop::option::of(word()),
        prop::collection::btree_map(word(), state, 0..4),
        prop::collection::vec(request(), 0..3),
        prop::option::of(word()),
    )
        .prop_map(|(observation, text, page_states, requests, answer)| {
            let texts = text.map(|text| vec![VisibleText { frame: 0, text }]);
            let look = observation.map(|observation| PageLook {
                observation: observation.into(),
                texts,
                page_states,
                ..PageLook::default()
            });
            let actions = ActionSummary { carried_out: requests.len(), ..ActionSummary::default() };
            Facts { looks: look.into_iter().collect(), requests, answer, actions, ..Facts::default() }
        })
}

pub(super) fn ending() -> impl Strategy<Value = Ending> {
    let cause = || "x".to_owned();
    let stopped = |claim| Ending::Stopped { claim, answer: None };
    prop::sample::select(vec![
        stopped(Claim::Done),
        stopped(Claim::Infeasible { reason: cause() }),
        stopped(Claim::GaveUp { reason: cause() }),
        Ending::EnvironmentOver,
        Ending::StepLimit { steps: 1 },
        Ending::TimeLimit { seconds: 1 },
        Ending::RepeatedAction { times: 3 },
        Ending::InvalidDecisions { cause: cause() },
        Ending::LeftScope { url: cause() },
        Ending::PlannerFailed { cause: cause() },
        Ending::Throttled { cause: cause() },
        Ending::SiteUnreachable { cause: cause() },
        Ending::EnvironmentFailed { cause: cause() },
        Ending::BrowserFailed { cause: cause() },
        Ending::DialogLoop { dialogs: 10 },
        Ending::Drifted { step: 1, cause: cause() },
        Ending::Interrupted,
    ])
}
