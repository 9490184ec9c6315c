//! The judge against a reference that knows the whole truth: ten thousand pages of which parts are unread, cut, or changing.
//!
//! The model of a page says what really stands on it at three moments: in the first look, in the second, and after what is
//! under way has arrived. From it follows what a browser tells of it, and, by other code than the judge's, what is true.

use crate::facts::{Facts, PageLook};
use crate::judge::{Actor, judge};
use crate::reasons::ActionSummary;
use domain::action::Claim;
use domain::observation::{Frame, Request, Unread, UnreadCause};
use domain::page::VisibleText;
use domain::task::{Check, ElementCheck, RequestCheck, TextMatch, ValueCheck};
use domain::verdict::VerdictKind;
use domain::{Ending, Node, Observation};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Pages that are judged.
const PAGES: usize = 10_000;
const WORDS: [&str; 8] = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath"];
const ROLES: [&str; 3] = ["alert", "status", "button"];
const MOMENTS: usize = 3;

/// How a part of the page can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Read,
    /// In a frame that is read.
    Framed,
    /// In a frame, a closed root or behind the limit, of which only that it is there is told.
    Unread,
    /// An element beyond the limit of nodes, whose text is read all the same.
    LeftOut,
    /// Its element's text is cut before the words.
    Cut,
}

/// A line of the page: an element with a text.
#[derive(Clone, Debug)]
struct Part {
    sort: Sort,
    role: &'static str,
    words: Vec<&'static str>,
    /// In which moments it is there.
    there: [bool; MOMENTS],
}

#[derive(Clone, Debug)]
struct Field {
    name: &'static str,
    /// Its value in each moment.
    value: [&'static str; MOMENTS],
    /// Whether it stands in what is not read.
    unread: bool,
}

#[derive(Clone, Debug)]
struct Sent {
    path: &'static str,
    status: u16,
    /// Whether its answer is yet to come.
    open: bool,
    refused: bool,
}

#[derive(Clone, Debug)]
struct World {
    parts: Vec<Part>,
    fields: Vec<Field>,
    sent: Vec<Sent>,
    /// Whether something is under way that may change the page.
    in_flight: bool,
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS.to_vec())
}

fn part(in_flight: bool) -> impl Strategy<Value = Part> {
    let sort = prop_oneof![
        12 => Just(Sort::Read), 3 => Just(Sort::Framed), 1 => Just(Sort::Unread), 1 => Just(Sort::LeftOut),
        1 => Just(Sort::Cut)
    ];
    let there = prop_oneof![
        8 => Just([true, true]), 1 => Just([true, false]), 1 => Just([false, true])
    ];
    let later = prop_oneof![4 => Just(true), 1 => Just(false)];
    (sort, prop::sample::select(ROLES.to_vec()), prop::collection::vec(word(), 1..3), there, later).prop_map(
        move |(sort, role, words, [first, second], stays)| {
            // Nothing changes later where nothing is under way; what holds in both looks is held to stay.
            let appears_later = in_flight && !stays;
            let there = if appears_later { [false, false, true] } else { [first, second, second] };
            Part { sort, role, words, there }
        },
    )
}

fn world() -> impl Strategy<Value = World> {
    prop_oneof![5 => Just(false), 1 => Just(true)].prop_flat_map(|in_flight| {
        let field = (
            word(),
            word(),
            word(),
            prop_oneof![6 => Just(true), 1 => Just(false)],
            prop_oneof![9 => Just(false), 1 => Just(true)],
        )
            .prop_map(|(name, value, other, stays, unread)| {
                let first = if stays { value } else { other };
                Field { name, value: [first, value, value], unread }
            });
        let sent = (
            word(),
            prop::sample::select(vec![200, 500]),
            prop_oneof![4 => Just(false), 1 => Just(true)],
            prop_oneof![5 => Just(false), 1 => Just(true)],
        )
            .prop_map(move |(path, status, open, refused)| Sent {
                path,
                status,
                open: open && in_flight,
                refused,
            });
        (
            prop::collection::vec(part(in_flight), 1..5),
            prop::collection::vec(field, 0..2),
            prop::collection::vec(sent, 0..3),
        )
            .prop_map(move |(parts, fields, sent)| World { parts, fields, sent, in_flight })
    })
}

fn contains(word: &str) -> TextMatch {
    TextMatch::Contains(word.to_owned())
}

fn check() -> impl Strategy<Value = Check> {
    let element = (prop::option::of(prop::sample::select(ROLES.to_vec())), word()).prop_map(|(role, word)| {
        Check::Element(ElementCheck {
            role: role.map(str::to_owned),
            text: Some(contains(word)),
            ..ElementCheck::default()
        })
    });
    let value = (word(), word()).prop_map(|(name, is)| {
        let of = ElementCheck { name: Some(TextMatch::Equals(name.into())), ..ElementCheck::default() };
        Check::Value(ValueCheck { of, is: TextMatch::Equals(is.into()) })
    });
    let request = (word(), prop::option::of(prop::sample::select(vec![200, 500])))
        .prop_map(|(path, status)| Check::Request(RequestCheck { method: None, url: contains(path), status }));
    let leaf =
        prop_oneof![3 => word().prop_map(|word| Check::Text(contains(word))), 3 => element, 1 => value, 1 => request];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(|part| Check::Not(Box::new(part))),
            1 => prop::collection::vec(inner.clone(), 1..3).prop_map(Check::All),
            1 => prop::collection::vec(inner, 1..3).prop_map(Check::Any),
        ]
    })
}

/// What a browser tells of the page in one look.
fn look(world: &World, moment: usize) -> PageLook {
    let mut nodes = Vec::new();
    let mut lines = [String::new(), String::new()];
    let mut observation = Observation {
        url: "http://a.test/".into(),
        frames: vec![Frame::default(), Frame { url: "http://a.test/inner".into(), ..Frame::default() }],
        ..Observation::default()
    };
    let unread = Unread { why: UnreadCause::ClosedShadowRoot, at: "/html/body/div[1]".into() };
    for part in &world.parts {
        // That something cannot be read is told whether it holds anything at the moment or not.
        match part.sort {
            Sort::Unread => observation.unread = vec![unread.clone()],
            Sort::LeftOut => observation.truncated = true,
            _ => {}
        }
        if !part.there[moment] || part.sort == Sort::Unread {
            continue;
        }
        let text = part.words.join(" ");
        let frame = u32::from(part.sort == Sort::Framed);
        lines[frame as usize] += &format!("{text}\n");
        let node = Node { role: part.role.into(), tag: "p".into(), frame, text, ..Node::default() };
        match part.sort {
            Sort::LeftOut => {}
            Sort::Cut => nodes.push(Node { text: "long ".repeat(40), ..node }),
            _ => nodes.push(node),
        }
    }
    for field in &world.fields {
        if field.unread {
            observation.unread = vec![unread.clone()];
            continue;
        }
        let value = Some(field.value[moment].to_owned());
        nodes.push(Node {
            role: "textbox".into(),
            tag: "input".into(),
            name: field.name.into(),
            value,
            ..Node::default()
        });
    }
    observation.nodes = nodes.into();
    let texts = (0..).zip(lines).map(|(frame, text)| VisibleText { frame, text }).collect();
    PageLook { observation: observation.into(), texts: Some(texts), ..PageLook::default() }
}

fn facts(world: &World) -> Facts {
    let sent = world.sent.iter().zip(1..).map(|(sent, number)| Request {
        method: "GET".into(),
        url: format!("http://a.test/{}", sent.path),
        status: (!sent.open && !sent.refused).then_some(sent.status),
        refused: sent.refused,
        number,
        ..Request::default()
    });
    let page = Request { method: "GET".into(), url: "http://a.test/".into(), status: Some(200), ..Request::default() };
    Facts {
        looks: vec![look(world, 0), look(world, 1)],
        in_flight: if world.in_flight { vec!["GET /more has no answer".into()] } else { Vec::new() },
        requests: std::iter::once(page).chain(sent).collect(),
        actions: ActionSummary { carried_out: 1, ..ActionSummary::default() },
        ..Facts::default()
    }
}

/// Whether a check holds at a moment, by one who knows everything.
fn holds(check: &Check, world: &World, moment: usize) -> bool {
    let has = |part: &&Part, text: &TextMatch| matches!(text, TextMatch::Contains(word) if part.words.contains(&word.as_str()));
    let there = || world.parts.iter().filter(|part| part.there[moment]);
    match check {
        Check::Text(text) => there().any(|part| has(&part, text)),
        Check::Element(ElementCheck { role, text: Some(text), .. }) => {
            there().any(|part| role.as_deref().is_none_or(|role| role == part.role) && has(&part, text))
        }
        Check::Value(ValueCheck { of, is: TextMatch::Equals(is) }) => {
            let Some(TextMatch::Equals(name)) = &of.name else { panic!("a field without a name") };
            let mut values =
                world.fields.iter().filter(|field| field.name == name).map(|field| field.value[moment]).peekable();
            values.peek().is_some() && values.all(|value| value == is)
        }
        Check::Request(RequestCheck { url: TextMatch::Contains(path), status, .. }) => world
            .sent
            .iter()
            .any(|sent| !sent.refused && sent.path == path && status.is_none_or(|status| status == sent.status)),
        Check::All(parts) => parts.iter().all(|part| holds(part, world, moment)),
        Check::Any(parts) => parts.iter().any(|part| holds(part, world, moment)),
        Check::Not(part) => !holds(part, world, moment),
        other => panic!("{other:?} is not generated"),
    }
}

/// Whether what was told is enough to decide every part of a check: everything was read, and nothing changed or may change.
fn is_decidable(check: &Check, world: &World) -> bool {
    let is_plain =
        world.parts.iter().all(|part| matches!(part.sort, Sort::Read | Sort::Framed) && part.there[0] == part.there[1]);
    let is_still = world.fields.iter().all(|field| field.value[0] == field.value[1] && !field.unread);
    let names = |check: &Check| match check {
        // Two fields of one name with different values: the check does not say which.
        Check::Value(_) => world.fields.len() < 2,
        _ => true,
    };
    let mut leaves = vec![check];
    let mut is_clear = true;
    while let Some(check) = leaves.pop() {
        match check {
            Check::All(parts) | Check::Any(parts) => leaves.extend(parts),
            Check::Not(part) => leaves.push(part),
            leaf => is_clear &= names(leaf),
        }
    }
    is_plain && is_still && is_clear && !world.in_flight
}

#[test]
fn what_passes_is_never_contradicted_by_the_truth_and_what_can_be_decided_is() {
    let mut runner = TestRunner::deterministic();
    let (worlds, checks) = (world(), check());
    let (mut passed, mut decidable, mut decided) = (0, 0, 0);
    let done = Ending::Stopped { claim: Claim::Done, answer: None };
    for _ in 0..PAGES {
        let world = worlds.new_tree(&mut runner).unwrap().current();
        let check = checks.new_tree(&mut runner).unwrap().current();
        let verdict = judge(&done, Some(&check), &facts(&world), &Actor::Agent);
        let truth: Vec<bool> = (0..MOMENTS).map(|moment| holds(&check, &world, moment)).collect();
        if verdict.kind == VerdictKind::Passed {
            passed += 1;
            assert!(truth.iter().all(|holds| *holds), "{truth:?} {check:?}\n{world:#?}\n{}", verdict.reason);
        }
        if verdict.kind == VerdictKind::NotAchieved {
            assert!(truth.iter().all(|holds| !holds), "{truth:?} {check:?}\n{world:#?}\n{}", verdict.reason);
        }
        if is_decidable(&check, &world) {
            decidable += 1;
            let expected = if truth[1] { VerdictKind::Passed } else { VerdictKind::NotAchieved };
            decided += usize::from(verdict.kind == expected);
        }
    }
    assert!(passed > PAGES / 20 && decidable > PAGES / 10, "{passed} passed, {decidable} can be decided");
    assert!(decided * 100 >= decidable * 95, "{decided} of {decidable} were decided");
}
