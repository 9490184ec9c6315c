//! What is read from the page before the first action and after the end.

use super::fakes::{CounterPage, counter};
use crate::drive::Finished;
use crate::evidence::{Watch, at_start, gather};
use crate::testing::nothing_done;
use domain::action::Claim;
use domain::decision::{Level, Screenshot};
use domain::effect::PageDifference;
use domain::observation::{Node, OpenRequest, Request, RequestKind, Stamp};
use domain::page::{Acted, Examination, Page, PageError, VisibleText};
use domain::task::{Check, PageStateCheck, TextMatch};
use domain::trajectory::Step;
use domain::usage::Usage;
use domain::verdict::Finding;
use domain::{Action, Effect, Ending, Observation};
use evaluation::checks::finding;
use evaluation::facts::Moment;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

fn finished(ending: Ending) -> Finished {
    Finished { observation: Some(counter(0, 1).into()), ..nothing_done(ending) }
}

fn done() -> Finished {
    finished(Ending::Stopped { claim: Claim::Done, answer: None })
}

fn state(expression: &str) -> Check {
    Check::PageState(PageStateCheck { expression: expression.into(), equals: json!(1) })
}

#[tokio::test(start_paused = true)]
async fn only_what_the_check_needs_is_read() {
    let mut page = CounterPage { count: 1, ..CounterPage::default() };
    let facts =
        gather(&mut page, &done(), Some(&Check::Any(vec![state("count"), state("count")])), Watch::Once).await.unwrap();
    assert_eq!(
        *page.calls.lock().unwrap(),
        ["examine", "evaluate"],
        "what is under way is asked, and each expression once"
    );
    assert_eq!(facts.looks[0].page_states["count"], Ok(json!(1)));

    let mut page = CounterPage::default();
    gather(&mut page, &done(), None, Watch::Closely).await.unwrap();
    assert!(page.calls.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_page_that_moved_on_after_the_last_decision_is_judged_as_it_is_now() {
    let mut page = CounterPage { count: 5, ..CounterPage::default() };
    let check = Check::Text(TextMatch::Contains("count 5".into()));
    let facts = gather(&mut page, &done(), Some(&check), Watch::Closely).await.unwrap();
    assert_eq!(facts.observation().unwrap().nodes[2].text, "count 5");
    assert_eq!(finding(&check, &facts), Finding::Confirmed);
    assert_eq!(*page.calls.lock().unwrap(), ["examine", "examine"], "a page at rest is looked at twice");
}

#[tokio::test(start_paused = true)]
async fn an_expression_that_throws_is_a_fact_that_cannot_be_had_and_a_lost_session_is_a_failure() {
    let mut page = CounterPage::default();
    let facts = gather(&mut page, &done(), Some(&state("broken")), Watch::Once).await.unwrap();
    assert!(facts.looks[0].page_states["broken"].as_ref().unwrap_err().contains("not defined"));

    page.failures.push_back(("evaluate", PageError::SessionLost("gone".into())));
    assert!(gather(&mut page, &done(), Some(&state("count")), Watch::Once).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_gone_is_not_asked() {
    let mut page = CounterPage::default();
    let lost = finished(Ending::BrowserFailed { cause: "gone".into() });
    let facts = gather(&mut page, &lost, Some(&state("count")), Watch::Closely).await.unwrap();
    assert!(facts.looks.iter().all(|look| look.page_states.is_empty()) && page.calls.lock().unwrap().is_empty());
}

/// A page that shows something else as time goes by, and may wait for an answer.
struct Playing {
    began: Instant,
    /// What it shows from how many milliseconds on.
    shows: Vec<(u64, &'static str)>,
    /// A request without an answer until then.
    open: Option<(Request, u64)>,
    /// Until when it asks, at every look, what became of what it sent.
    asks_until: u64,
    looks: u32,
}

impl Playing {
    #[expect(clippy::disallowed_methods, reason = "the runtime's own clock, which is paused")]
    fn new(shows: &[(u64, &'static str)]) -> Playing {
        Playing { began: Instant::now(), shows: shows.to_vec(), open: None, asks_until: 0, looks: 0 }
    }
}

#[async_trait::async_trait]
impl Page for Playing {
    async fn open(&mut self, _: &Url) -> Result<(), PageError> {
        Ok(())
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        Ok(Observation::default())
    }

    async fn act(&mut self, _: &Action, _: &Observation) -> Result<Acted, PageError> {
        Err(PageError::Driver("it is only looked at".into()))
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.looks += 1;
        let now = self.began.elapsed().as_millis() as u64;
        let (_, shown) = self.shows.iter().rev().find(|(from, _)| *from <= now).unwrap();
        let open = self.open.iter().filter(|(_, until)| now < *until);
        let open_requests = open.map(|(request, _)| OpenRequest { request: request.clone(), age_ms: now }).collect();
        let number = 10 + u64::from(self.looks);
        let asks = (now < self.asks_until).then(|| by_script("GET", "/jobs/7", number));
        let requests = asks.into_iter().collect();
        let texts = vec![VisibleText { frame: 0, text: (*shown).to_owned() }];
        // What begins so is told as a message.
        let role = |line: &str| if line.starts_with("Told:") { "status" } else { "paragraph" };
        let node = |line: &str| Node { role: role(line).into(), text: line.to_owned(), ..Node::default() };
        let nodes = shown.lines().map(node).collect::<Vec<_>>().into();
        Ok(Examination {
            observation: Observation { open_requests, nodes, requests, ..Observation::default() },
            texts,
            written: Vec::new(),
        })
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        Err(PageError::Driver("it is only looked at".into()))
    }

    async fn evaluate(&mut self, _: &str) -> Result<Value, PageError> {
        Ok(Value::Null)
    }
}

fn by_script(method: &str, url: &str, number: u64) -> Request {
    let kind = RequestKind::Script;
    Request { method: method.into(), url: url.into(), status: Some(200), number, kind, ..Request::default() }
}

fn shows(text: &str) -> Check {
    Check::Text(TextMatch::Contains(text.into()))
}

async fn found(page: &mut Playing, check: &Check) -> Finding {
    finding(check, &gather(page, &done(), Some(check), Watch::Closely).await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_the_page_waits_for_is_waited_for_and_the_page_judged_after_it() {
    let posted = Request { method: "POST".into(), url: "http://a.test/apply".into(), number: 4, ..Request::default() };
    let mut page = Playing::new(&[(0, "Submitted"), (8_000, "Refused")]);
    page.open = Some((posted, 8_000));
    assert_eq!(found(&mut page, &shows("Submitted")).await, Finding::Refuted);
    assert!(page.began.elapsed() >= Duration::from_secs(8));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_waits_for_ever_is_judged_after_ten_seconds() {
    let posted = Request { method: "POST".into(), url: "http://a.test/apply".into(), number: 4, ..Request::default() };
    let mut page = Playing::new(&[(0, "Submitted")]);
    page.open = Some((posted, u64::MAX));
    assert_eq!(found(&mut page, &shows("Submitted")).await, Finding::Confirmed);
    assert!(page.began.elapsed() <= Duration::from_secs(11), "{:?}", page.began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn what_ticks_beside_a_text_does_not_matter_and_a_quiet_page_costs_two_looks() {
    let mut page = Playing::new(&[(0, "Done\n12:00:01"), (400, "Done\n12:00:02"), (900, "Done\n12:00:03")]);
    assert_eq!(found(&mut page, &shows("Done")).await, Finding::Confirmed);
    assert_eq!((page.looks, page.began.elapsed().as_millis() / 100), (2, 5));
}

#[tokio::test(start_paused = true)]
async fn a_text_that_comes_and_goes_is_looked_at_again_and_decides_nothing() {
    let flicker: Vec<(u64, &str)> = (0..40).map(|at| (at * 500, if at % 2 == 0 { "Done" } else { "Wait" })).collect();
    let mut page = Playing::new(&flicker);
    assert_eq!(found(&mut page, &shows("Done")).await, Finding::Undecided);
    assert!(page.began.elapsed() <= Duration::from_millis(4_500), "{:?}", page.began.elapsed());

    let mut late = Playing::new(&[(0, "Wait"), (300, "Done")]);
    assert_eq!(found(&mut late, &shows("Done")).await, Finding::Confirmed);
    assert_eq!(late.looks, 3, "once it is the same twice it is enough");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_goes_by_itself_holds_and_one_that_is_taken_back_does_not() {
    let told = shows("Told: archived");
    let mut long = Playing::new(&[(0, "Inbox\nTold: archived"), (4_000, "Inbox")]);
    let sent = Request { method: "POST".into(), url: "http://a.test/log".into(), number: 4, ..Request::default() };
    long.open = Some((Request { method: "GET".into(), ..sent.clone() }, 6_000));
    assert_eq!(
        found(&mut long, &told).await,
        Finding::Confirmed,
        "it went by itself while something else was waited for"
    );
    let mut back = Playing::new(&[(0, "Inbox\nTold: archived"), (4_000, "Inbox\nLunch on Friday?")]);
    back.open = Some((Request { method: "GET".into(), ..sent.clone() }, 6_000));
    assert_eq!(found(&mut back, &told).await, Finding::Refuted, "what was archived is in the inbox again");
    let mut refused = Playing::new(&[(0, "Inbox\nTold: archived"), (4_000, "Inbox")]);
    refused.open = Some((Request { method: "GET".into(), ..sent.clone() }, 6_000));
    let finished = Finished { requests: vec![Request { status: Some(500), ..sent }], ..done() };
    let facts = gather(&mut refused, &finished, Some(&told), Watch::Closely).await.unwrap();
    assert_eq!(finding(&told, &facts), Finding::Refuted, "what was sent was refused");
}

#[tokio::test(start_paused = true)]
async fn what_holds_at_the_start_is_seen_and_what_the_attempt_does_is_not_there_yet() {
    let mut page = Playing::new(&[(0, "Welcome")]);
    let facts = at_start(&mut page, &shows("Welcome")).await.unwrap().unwrap();
    assert_eq!((facts.moment, finding(&shows("Welcome"), &facts)), (Moment::Start, Finding::Confirmed));
    let answer = Check::Answer(TextMatch::Equals("7".into()));
    assert!(at_start(&mut page, &answer).await.unwrap().is_none());
    assert_eq!(page.looks, 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_still_loading_at_the_start_is_waited_for() {
    let mut page = Playing::new(&[(0, "Loading"), (1_800, "Order shipped")]);
    page.open = Some((by_script("GET", "http://a.test/order", 1), 1_800));
    let facts = at_start(&mut page, &shows("Order shipped")).await.unwrap().unwrap();
    assert_eq!(finding(&shows("Order shipped"), &facts), Finding::Confirmed, "it held before anything was done");
    let mut endless = Playing::new(&[(0, "Loading")]);
    endless.open = Some((by_script("GET", "http://a.test/order", 1), u64::MAX));
    at_start(&mut endless, &shows("Order shipped")).await.unwrap();
    assert!(endless.began.elapsed() <= Duration::from_millis(5_100), "{:?}", endless.began.elapsed());
}

/// An attempt whose last action made the page's script send something.
fn sent() -> Finished {
    let requests = vec![by_script("POST", "/parcels/7/return", 5)];
    let step = Step {
        number: 1,
        stamp: Stamp::default(),
        url: String::new(),
        title: String::new(),
        summary: String::new(),
        action: Action::Press { keys: "Enter".into() },
        reason: String::new(),
        confidence: 1.0,
        level: Level::Ground,
        effect: Effect::NoChange,
        difference: PageDifference::default(),
        requests: requests.clone(),
        faults: Vec::new(),
        screenshot: None,
        usage: Usage::default(),
        decide_ms: 0.0,
        act_ms: 0.0,
        at_ms: 0.0,
        incidents: Vec::new(),
    };
    let mut finished = Finished { requests, ..done() };
    finished.trajectory.steps.push(step);
    finished
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_and_is_taken_back_a_moment_later_does_not_pass() {
    let check = shows("Sent back");
    let taken_back = [(0, "Sent back"), (2200, "In locker: refused")];
    let mut page = Playing::new(&taken_back);
    let facts = gather(&mut page, &sent(), Some(&check), Watch::Closely).await.unwrap();
    assert_eq!(finding(&check, &facts), Finding::Refuted);
    // Nothing was sent: nobody can take it back.
    assert_eq!(found(&mut Playing::new(&taken_back), &check).await, Finding::Confirmed);
    // A job that the page asks for fails after six seconds.
    let job = [(0, "Sent back"), (6200, "In locker: refused")];
    for (asks_until, expected) in [(6500, Finding::Refuted), (0, Finding::Confirmed)] {
        let mut page = Playing { asks_until, ..Playing::new(&job) };
        let facts = gather(&mut page, &sent(), Some(&check), Watch::Closely).await.unwrap();
        assert_eq!(finding(&check, &facts), expected, "asks until {asks_until}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_last_action_did_and_shows_late_is_looked_for_where_nothing_was_seen_of_it() {
    let check = shows("418 seats");
    let late = [(0, "Hall"), (7_000, "418 seats")];
    let changed = |what: &str| Effect::Changed { what: vec![what.to_owned()] };
    let given_up = Ending::Stopped { claim: Claim::GaveUp { reason: "no seats".into() }, answer: None };
    for (effect, ending, expected) in [
        (Effect::NoChange, None, Finding::Confirmed),
        (changed("request"), None, Finding::Confirmed),
        (changed("content"), None, Finding::Refuted),
        (Effect::NoChange, Some(given_up), Finding::Refuted),
    ] {
        let mut attempt = sent();
        attempt.trajectory.steps[0].effect = effect.clone();
        attempt.trajectory.ending = ending.unwrap_or(attempt.trajectory.ending);
        let facts = gather(&mut Playing::new(&late), &attempt, Some(&check), Watch::Closely).await.unwrap();
        assert_eq!(finding(&check, &facts), expected, "{effect:?}");
    }
    let mut turning = Playing::new(&[(0, "Hall"), (4_000, "418 seats"), (8_000, "Bar")]);
    let facts = gather(&mut turning, &sent(), Some(&check), Watch::Closely).await.unwrap();
    assert_eq!(finding(&check, &facts), Finding::Refuted, "it only passed by");
    let mut never = Playing::new(&[(0, "Hall")]);
    let facts = gather(&mut never, &sent(), Some(&check), Watch::Closely).await.unwrap();
    assert_eq!(finding(&check, &facts), Finding::Refuted);
    assert!(never.began.elapsed() <= Duration::from_millis(13_500), "{:?}", never.began.elapsed());
    // The page asks for the end of what was begun.
    let mut attempt = sent();
    attempt.trajectory.steps[0].effect = changed("content");
    let mut asking = Playing { asks_until: 7_500, ..Playing::new(&late) };
    let facts = gather(&mut asking, &attempt, Some(&check), Watch::Closely).await.unwrap();
    assert_eq!(finding(&check, &facts), Finding::Confirmed);
}
