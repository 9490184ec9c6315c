//! A page, a decider, an environment and a clock that do as they are told.

use async_trait::async_trait;
use domain::action::ActionKind;
use domain::decision::{Choice, Decision, DecisionRequest, Level, PlannerError, Screenshot};
use domain::environment::{Environment, EnvironmentError};
use domain::observation::{Request, Stamp};
use domain::page::{Acted, Examination, Page, PageError};
use domain::{Action, Decider, Effect, ElementId, Node, Observation, Usage};
use platform::clock::Clock;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use url::Url;

/// The button that counts.
pub(crate) const MORE: ElementId = ElementId(0);
/// The button that does nothing.
pub(crate) const STUCK: ElementId = ElementId(1);

/// What the counter's page shows.
pub(crate) fn counter(count: u32, number: u64) -> Observation {
    let button = |name: &str| Node {
        role: "button".into(),
        tag: "button".into(),
        name: name.into(),
        xpath: format!("/html/body/button[@id='{name}']"),
        operations: vec![ActionKind::Click],
        ..Node::default()
    };
    let text = Node { role: "text".into(), tag: "p".into(), text: format!("count {count}"), ..Node::default() };
    Observation {
        stamp: Stamp { session: "fake".into(), number },
        url: "http://counter.test/".into(),
        title: "Counter".into(),
        nodes: vec![button("More"), button("Stuck"), text].into(),
        requests: vec![Request {
            method: "GET".into(),
            url: format!("http://counter.test/{count}"),
            status: Some(200),
            ..Request::default()
        }],
        ..Observation::default()
    }
}

/// What is called on a page, in order; shared, so that it outlives the page.
pub(crate) type Calls = Arc<Mutex<Vec<String>>>;

/// A page that counts clicks.
#[derive(Default)]
pub(crate) struct CounterPage {
    pub(crate) count: u32,
    pub(crate) number: u64,
    pub(crate) calls: Calls,
    /// Errors by the name of the call that meets them, each once.
    pub(crate) failures: VecDeque<(&'static str, PageError)>,
}

impl CounterPage {
    fn called(&mut self, call: &str) -> Result<(), PageError> {
        self.calls.lock().unwrap().push(call.to_owned());
        match self.failures.front() {
            Some((name, _)) if call.starts_with(name) => Err(self.failures.pop_front().unwrap().1),
            _ => Ok(()),
        }
    }

    fn look(&mut self) -> Observation {
        self.number += 1;
        counter(self.count, self.number)
    }
}

#[async_trait]
impl Page for CounterPage {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.called(&format!("open {url}"))
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        self.called("observe")?;
        Ok(self.look())
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        assert_eq!(before.stamp.number, self.number, "acted on an observation that is not the latest");
        self.called("act")?;
        let counts = *action == Action::click(MORE);
        self.count += u32::from(counts);
        let effect = if counts { Effect::Changed { what: vec!["content".into()] } } else { Effect::NoChange };
        Ok(Acted::of(effect, self.look()))
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.called("examine")?;
        Ok(Examination::of(self.look()))
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.called("screenshot")?;
        Ok(Screenshot { png: format!("picture of {}", self.count).into_bytes().into(), scale: 1.0 })
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.called("evaluate")?;
        match expression {
            "count" => Ok(json!(self.count)),
            "broken" => Err(PageError::Script("ReferenceError: broken is not defined".into())),
            _ => Ok(json!(format!("More Stuck count {}", self.count))),
        }
    }
}

/// A decision for an action.
pub(crate) fn act(action: Action) -> Decision {
    choose(Choice::Act(action))
}

/// A decision for a choice; it costs ten tokens.
pub(crate) fn choose(choice: Choice) -> Decision {
    Decision {
        choice,
        reason: "told to".into(),
        confidence: 0.5,
        level: Level::Ground,
        usage: Usage { prompt_tokens: 10, calls: 1, ..Usage::default() },
        incidents: Vec::new(),
        memory: Value::Null,
    }
}

/// Decides what a function says.
pub(crate) struct Told<F>(pub(crate) F);

#[async_trait]
impl<F> Decider for Told<F>
where
    F: FnMut(&DecisionRequest) -> Result<Decision, PlannerError> + Send,
{
    fn name(&self) -> &str {
        "told"
    }

    async fn decide(&mut self, _page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        (self.0)(&request)
    }
}

/// Decides nothing, ever.
pub(crate) struct Silent;

#[async_trait]
impl Decider for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    async fn decide(&mut self, _page: &mut dyn Page, _request: DecisionRequest) -> Result<Decision, PlannerError> {
        std::future::pending().await
    }
}

/// An environment that is over once the counter stands at a number, which is also its reward.
#[derive(Clone, Default)]
pub(crate) struct CountTo {
    pub(crate) over_at: Option<u32>,
    pub(crate) can_reset: bool,
}

#[async_trait]
impl Environment for CountTo {
    fn can_reset(&self) -> bool {
        self.can_reset
    }

    async fn begin(&self, page: &mut dyn Page) -> Result<String, EnvironmentError> {
        page.open(&Url::parse("http://counter.test/").unwrap()).await?;
        Ok("count".into())
    }

    async fn is_over(&self, page: &mut dyn Page) -> Result<bool, PageError> {
        let Some(over_at) = self.over_at else { return Ok(false) };
        Ok(page.evaluate("count").await? == json!(over_at))
    }

    async fn reward(&self, page: &mut dyn Page) -> Result<Option<f64>, PageError> {
        match self.over_at {
            Some(_) => Ok(page.evaluate("count").await?.as_f64()),
            None => Ok(None),
        }
    }
}

/// A clock that a test holds.
#[derive(Default)]
pub(crate) struct HeldClock {
    milliseconds: AtomicU64,
}

impl Clock for HeldClock {
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.milliseconds.load(Ordering::SeqCst))
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + self.monotonic()
    }
}

/// A clock that goes with the runtime's own, which a test has paused.
pub(crate) struct PausedClock(tokio::time::Instant);

impl Default for PausedClock {
    #[expect(clippy::disallowed_methods, reason = "the runtime's own clock, which is paused")]
    fn default() -> Self {
        Self(tokio::time::Instant::now())
    }
}

impl Clock for PausedClock {
    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + self.monotonic()
    }
}
