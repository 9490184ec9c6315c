//! The sites and browsers of a simulation: a page that counts clicks, and browsers that are slow, crash, or are not there.

use super::witness::Witness;
use crate::faults::Schedule;
use async_trait::async_trait;
use crawler::PlannerDecider;
use crawler::worker::{Assignment, AssignmentSource, NoAssignment, PageSource, Profile, names_of};
use domain::action::ActionKind;
use domain::campaign::{Campaign, Rate};
use domain::decision::Screenshot;
use domain::environment::{Environment, EnvironmentError};
use domain::job::Work;
use domain::observation::Stamp;
use domain::page::{Acted, Examination, Page, PageError};
use domain::service::PlannerService;
use domain::storage::StorageError;
use domain::storage::shared::{Permission, RateLimit};
use domain::task::{Check, Limits, PageStateCheck};
use domain::{Action, Effect, Job, Node, Observation};
use planner::Served;
use platform::clock::Clock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

/// Clicks that a job takes.
const CLICKS: u32 = 2;

/// The task whose check asks for more clicks than are made.
pub(super) const FAILING: &str = "too-many";

/// How long a page takes for whatever it is asked, in milliseconds.
const PACE: Range<u64> = 20..250;

/// How long to wait before a limiter that did not answer is asked again.
const AGAIN: Duration = Duration::from_millis(300);

/// The browsers of one crawler.
#[derive(Clone)]
pub(super) struct Browsers {
    pub(super) limiter: Arc<dyn RateLimit>,
    pub(super) schedule: Schedule,
    /// How likely a call fails, in 0..=1.
    pub(super) trouble: f64,
}

#[async_trait]
impl PageSource for Browsers {
    async fn profile(&self, _: &Job, campaign: &Campaign) -> Result<Box<dyn Profile>, PageError> {
        sleep(Duration::from_millis(self.schedule.pick(PACE))).await;
        if self.schedule.happens(self.trouble) {
            return Err(PageError::NoSlot("every slot is taken".into()));
        }
        Ok(Box::new(Tab { browsers: self.clone(), rates: campaign.rates.clone(), count: 0, number: 0 }))
    }
}

struct Tab {
    browsers: Browsers,
    rates: BTreeMap<String, Rate>,
    count: u32,
    number: u64,
}

impl Tab {
    async fn called(&self) -> Result<(), PageError> {
        let Browsers { schedule, trouble, .. } = &self.browsers;
        sleep(Duration::from_millis(schedule.pick(PACE))).await;
        if schedule.happens(*trouble) {
            return Err(PageError::BrowserCrashed("the tab is gone".into()));
        }
        Ok(())
    }

    /// Waits for the permission to load a page, as crawlers do.
    async fn admit(&self, host: &str) {
        let Some(rate) = self.rates.get(host).copied() else { return };
        loop {
            match self.browsers.limiter.take(host, rate).await {
                Ok(Permission::Now) => return,
                Ok(Permission::After(wait)) => sleep(wait.max(Duration::from_millis(1))).await,
                Err(_) => sleep(AGAIN).await,
            }
        }
    }

    fn look(&mut self) -> Observation {
        self.number += 1;
        let more = Node {
            role: "button".into(),
            tag: "button".into(),
            name: "More".into(),
            xpath: "/html/body/button".into(),
            operations: vec![ActionKind::Click],
            ..Node::default()
        };
        let text =
            Node { role: "text".into(), tag: "p".into(), text: format!("count {}", self.count), ..Node::default() };
        Observation {
            stamp: Stamp { session: "simulated".into(), number: self.number },
            url: "http://counter.test/".into(),
            nodes: vec![more, text].into(),
            ..Observation::default()
        }
    }
}

#[async_trait]
impl Profile for Tab {
    fn page(&mut self) -> &mut dyn Page {
        self
    }

    async fn close(self: Box<Self>, _: bool) {}
}

#[async_trait]
impl Page for Tab {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.admit(url.host_str().unwrap_or_default()).await;
        self.called().await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        self.called().await?;
        Ok(self.look())
    }

    async fn act(&mut self, _: &Action, _: &Observation) -> Result<Acted, PageError> {
        self.called().await?;
        self.count += 1;
        Ok(Acted::of(Effect::Changed { what: vec!["content".into()] }, self.look()))
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.called().await?;
        Ok(Examination::of(self.look()))
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.called().await?;
        Ok(Screenshot { png: b"a picture".to_vec().into(), scale: 1.0 })
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.called().await?;
        Ok(if expression == "count" { json!(self.count) } else { json!(format!("count {}", self.count)) })
    }
}

/// Counts what the limiter permits, for the witness.
pub(super) struct Counted {
    pub(super) limiter: Arc<dyn RateLimit>,
    pub(super) witness: Witness,
    pub(super) clock: Arc<dyn Clock>,
}

#[async_trait]
impl RateLimit for Counted {
    async fn take(&self, host: &str, rate: Rate) -> Result<Permission, StorageError> {
        let permission = self.limiter.take(host, rate).await?;
        if permission == Permission::Now {
            self.witness.permitted(host, rate, self.clock.monotonic());
        }
        Ok(permission)
    }

    async fn wait(&self, host: &str, rate: Rate) -> Result<Duration, StorageError> {
        self.limiter.wait(host, rate).await
    }
}

/// Every job: open its page and click until the counter says that it is enough. What to click is for a planner to say.
pub(super) struct CountUp {
    pub(super) planners: Arc<dyn PlannerService>,
}

#[async_trait]
impl AssignmentSource for CountUp {
    async fn assignment(&self, job: &Job, campaign: &Campaign) -> Result<Assignment, NoAssignment> {
        let Work::Task { task, .. } = &job.work else { return Err(NoAssignment::Senseless("it is no task".into())) };
        let (id, site) = names_of(job);
        let url = Url::parse(&task.start_url).map_err(|error| NoAssignment::Senseless(error.to_string()))?;
        let wanted = if id.as_str() == FAILING { CLICKS + 1 } else { CLICKS };
        let planner = Served::new(Arc::clone(&self.planners), campaign.planner.clone());
        Ok(Assignment {
            decider: Box::new(PlannerDecider(Arc::new(planner))),
            environment: Box::new(Counter { url }),
            check: Some(Check::PageState(PageStateCheck { expression: "count".into(), equals: json!(wanted) })),
            limits: Limits::default(),
            site,
            task: id,
            guards: None,
            book: Default::default(),
            companion: None,
            is_test: false,
        })
    }

    async fn ready(&self) -> Result<(), String> {
        self.planners.ready().await.map_err(|error| error.to_string())
    }
}

struct Counter {
    url: Url,
}

#[async_trait]
impl Environment for Counter {
    async fn begin(&self, page: &mut dyn Page) -> Result<String, EnvironmentError> {
        page.open(&self.url).await?;
        Ok("count up".into())
    }

    async fn is_over(&self, page: &mut dyn Page) -> Result<bool, PageError> {
        Ok(page.evaluate("count").await? == json!(CLICKS))
    }

    async fn reward(&self, page: &mut dyn Page) -> Result<Option<f64>, PageError> {
        Ok(page.evaluate("count").await?.as_f64())
    }
}
