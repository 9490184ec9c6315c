//! Fifty crawlers on ten hosts, of which one bears five page loads a second: counted by the hosts themselves.

use async_trait::async_trait;
use backends::Journal;
use backends::blob::BlobMemory;
use backends::log::MemoryLog;
use backends::queue::MemoryJobs;
use backends::shared::{RedisOptions, RedisShared};
use backends::testing::{OwnServer, Server};
use crawler::worker::{
    Assignment, AssignmentSource, Dependencies, NoAssignment, Options, PageSource, Profile, StopSignals, names_of, work,
};
use crawler::{JournalRecorder, SharedPace, TaskEnvironment};
use domain::action::ActionKind;
use domain::campaign::{Campaign, PlannerRef, Rate};
use domain::decision::{Choice, Decision, DecisionRequest, Level, PlannerError, Screenshot};
use domain::job::Work;
use domain::observation::Stamp;
use domain::page::{Acted, Examination, Page, PageError};
use domain::service::CampaignService;
use domain::storage::log::EventLog;
use domain::storage::shared::RateLimit;
use domain::task::{Limits, Site as Settings};
use domain::{
    Action, CampaignId, Decider, Effect, ElementId, Job, JobId, Node, Observation, SiteId, Task, TaskId, Usage,
};
use harness::site::{RunningSite, Site};
use platform::SystemClock;
use platform::clock::Clock;
use platform::health::Health;
use platform::tasks::Tasks;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use url::Url;

const CRAWLERS: usize = 50;

/// What the one host bears.
const RATE: Rate = Rate { per_second: 5.0, burst: 5 };

/// How long hosts take to answer: the limited one could bear four times its rate, the others say how fast they are visited.
const LIMITED_MS: u64 = 250;
const FREE_MS: u64 = 1000;

/// Page loads of a job after the first.
const CLICKS: u32 = 4;

/// More jobs of each host than can be done.
const JOBS: usize = 160;

const SECOND: Duration = Duration::from_secs(1);

/// Page loads that were permitted before Redis was emptied and arrive after it, at most.
const ON_THEIR_WAY: usize = 1;

/// How long nothing is counted, while the crawlers begin.
const BEGINNING: Duration = Duration::from_secs(5);

/// A tab that loads a page with every action, by its permission, and really.
struct Tab {
    pace: SharedPace,
    client: reqwest::Client,
    url: Option<Url>,
    number: u64,
}

impl Tab {
    async fn load(&mut self) -> Result<(), PageError> {
        let Some(url) = &self.url else { return Ok(()) };
        self.pace.admit(url.authority()).await;
        let answer = self.client.get(url.clone()).send().await;
        answer.map(drop).map_err(|cause| PageError::Unreachable { url: url.to_string(), cause: cause.to_string() })
    }
}

#[async_trait]
impl Page for Tab {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.url = Some(url.clone());
        self.load().await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        self.number += 1;
        let link = Node { role: "link".into(), operations: vec![ActionKind::Click], ..Node::default() };
        // Each page differs from the last, or the crawler would take them for one that does not react.
        let title = format!("page {}", self.number);
        let stamp = Stamp { session: "tab".into(), number: self.number };
        Ok(Observation { stamp, title, nodes: vec![link].into(), ..Observation::default() })
    }

    async fn act(&mut self, _: &Action, _: &Observation) -> Result<Acted, PageError> {
        self.load().await?;
        Ok(Acted::of(Effect::Changed { what: vec!["title".into()] }, self.observe().await?))
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        Ok(Examination::of(self.observe().await?))
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        Ok(Screenshot { png: Vec::new().into(), scale: 1.0 })
    }

    async fn evaluate(&mut self, _: &str) -> Result<Value, PageError> {
        Ok(Value::Null)
    }
}

#[async_trait]
impl Profile for Tab {
    fn page(&mut self) -> &mut dyn Page {
        self
    }

    async fn close(self: Box<Self>, _: bool) {}
}

/// The browser of one crawler, with its own connection to the limiter.
struct Browser {
    limiter: Arc<dyn RateLimit>,
    client: reqwest::Client,
}

#[async_trait]
impl PageSource for Browser {
    async fn profile(&self, _: &Job, campaign: &Campaign) -> Result<Box<dyn Profile>, PageError> {
        let pace = SharedPace { limiter: self.limiter.clone(), rates: campaign.rates.clone(), usual: None };
        Ok(Box::new(Tab { pace, client: self.client.clone(), url: None, number: 0 }))
    }
}

struct Visits;

#[async_trait]
impl AssignmentSource for Visits {
    async fn assignment(&self, job: &Job, _: &Campaign) -> Result<Assignment, NoAssignment> {
        let Work::Task { task, site } = &job.work else { return Err(NoAssignment::Senseless("it is no task".into())) };
        let (id, name) = names_of(job);
        Ok(Assignment {
            decider: Box::new(Clicker),
            environment: Box::new(TaskEnvironment::new((**task).clone(), site)),
            check: None,
            limits: task.limits,
            site: name,
            task: id,
            guards: None,
            book: Default::default(),
            companion: None,
            is_test: false,
        })
    }

    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }
}

struct Clicker;

#[async_trait]
impl Decider for Clicker {
    fn name(&self) -> &str {
        "clicker"
    }

    async fn decide(&mut self, _: &mut dyn Page, _: DecisionRequest) -> Result<Decision, PlannerError> {
        Ok(Decision {
            choice: Choice::Act(Action::click(ElementId(0))),
            reason: "there is more".into(),
            confidence: 1.0,
            level: Level::Ground,
            usage: Usage::default(),
            incidents: Vec::new(),
            memory: Value::Null,
        })
    }
}

fn job(campaign: &CampaignId, host: usize, url: &str, number: usize) -> Job {
    let id = format!("host-{host}/{number}");
    let task = Task {
        id: TaskId::new(&id),
        site: Some(SiteId::new(format!("host-{host}"))),
        start_url: url.to_owned(),
        instruction: "look around".into(),
        parameters: BTreeMap::new(),
        check: None,
        gold: None,
        limits: Limits { steps: CLICKS, ..Limits::default() },
        downloads: false,
        may_hold_at_start: false,
    };
    let work = Work::Task { task: Box::new(task), site: Box::new(Settings::default()) };
    Job { id: JobId::new(id), campaign: campaign.clone(), work }
}

/// What the hosts counted, in time since they were there.
struct Counted {
    limited: Vec<Duration>,
    free: Vec<Duration>,
    /// When that was over which happened beside them.
    interrupted: Duration,
}

impl Counted {
    /// Page loads per second of all free hosts together.
    fn free_per_second(&self, from: Duration, until: Duration) -> f64 {
        let there = self.free.iter().filter(|at| (from..until).contains(*at)).count();
        there as f64 / (until - from).as_secs_f64()
    }

    /// The most page loads of the limited host in any stretch of time of this length.
    fn most_within(&self, length: Duration) -> usize {
        self.limited.iter().map(|from| self.loads(*from, length)).max().unwrap_or_default()
    }

    /// The most page loads of the limited host in a second that the interruption lies in.
    fn most_around_the_interruption(&self) -> usize {
        let around = self.interrupted.saturating_sub(SECOND)..=self.interrupted;
        let begins = self.limited.iter().filter(|at| around.contains(*at));
        begins.map(|from| self.loads(*from, SECOND)).max().unwrap_or_default()
    }

    /// Page loads of the limited host in so long a time from then on.
    fn loads(&self, from: Duration, length: Duration) -> usize {
        self.limited.iter().filter(|at| (from..from + length).contains(*at)).count()
    }
}

/// Lets the crawlers work for so long; `meanwhile` happens beside them.
async fn crawl(redis: &str, rate: Option<Rate>, time: Duration, meanwhile: impl Future<Output = ()>) -> Counted {
    // Started with the sites, which count the time from then on.
    let since = SystemClock::default();
    let mut sites: Vec<RunningSite> = Vec::new();
    for index in 0..10 {
        let delay = if index == 0 { LIMITED_MS } else { FREE_MS };
        sites.push(Site::new().slow("/", delay, "<a href=/>More</a>").start().await);
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(4));
    let tasks = Tasks::new(CancellationToken::new());
    let dependencies = campaigns::Dependencies {
        jobs: Arc::new(MemoryJobs::default()),
        log: log.clone(),
        clock: clock.clone(),
        health: Health::default(),
        presence: None,
    };
    let queue: Arc<dyn CampaignService> =
        Arc::new(campaigns::start(campaigns::Options::default(), dependencies, &tasks));
    let id = CampaignId::new("visits");
    let rates = rate.map(|rate| (sites[0].authority(), rate)).into_iter().collect();
    queue.create(Campaign { rates, ..Campaign::new(id.clone(), PlannerRef::named("clicker")) }).await.expect("created");
    for (host, site) in sites.iter().enumerate() {
        let jobs = (0..JOBS).map(|number| job(&id, host, &site.url("/"), number)).collect();
        queue.submit(jobs).await.expect("submitted");
    }
    let (rest, mut crawlers) = (StopSignals::default(), JoinSet::new());
    let blobs = Arc::new(BlobMemory::default());
    for number in 0..CRAWLERS {
        let options = RedisOptions { url: redis.to_owned(), ..RedisOptions::default() };
        let limiter = Arc::new(RedisShared::open(&options).expect("an address"));
        let crew = Dependencies {
            campaigns: queue.clone(),
            recorder: Arc::new(JournalRecorder::new(Journal::new(log.clone(), clock.clone()), blobs.clone())),
            pages: Arc::new(Browser { limiter, client: reqwest::Client::new() }),
            assignments: Arc::new(Visits),
            clock: clock.clone(),
        };
        let (news, _) = unbounded_channel();
        crawlers.spawn(work(crew, Options::new(format!("crawler-{number}")), news, rest.clone()));
    }
    let interruption = async {
        meanwhile.await;
        since.monotonic()
    };
    let ((), interrupted) = tokio::join!(sleep(time), interruption);
    rest.interrupt.cancel();
    while let Some(ended) = crawlers.join_next().await {
        ended.expect("no panic").expect("storage works");
    }
    tasks.shutdown().cancel();
    let free = sites[1..].iter().flat_map(RunningSite::arrivals).collect();
    Counted { limited: sites[0].arrivals(), free, interrupted }
}

async fn empty(redis: &str) {
    let client = redis::Client::open(redis).expect("an address");
    let mut connection = client.get_multiplexed_async_connection().await.expect("a connection");
    redis::cmd("FLUSHALL").exec_async(&mut connection).await.expect("emptied");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_crawlers_keep_to_the_rate_of_a_host_also_when_what_they_share_is_emptied_and_others_lose_nothing() {
    let server = OwnServer::start(Server::Redis);
    let redis = server.address();
    let (emptied, end) = (Duration::from_secs(45), Duration::from_secs(90));
    let unlimited = crawl(&redis, None, Duration::from_secs(30), async {}).await;
    let usual = unlimited.free_per_second(BEGINNING, Duration::from_secs(30));
    let meanwhile = async {
        sleep(emptied).await;
        empty(&redis).await;
    };
    let polite = crawl(&redis, Some(RATE), end, meanwhile).await;
    let (before, after) = (polite.free_per_second(BEGINNING, emptied), polite.free_per_second(emptied, end));
    let second = polite.most_within(SECOND);
    let minute = polite.most_within(Duration::from_secs(60));
    let loads = polite.limited.len();
    println!(
        "the limited host: {loads} loads in 90 s, at most {second} in a second, {minute} in a minute; without its limit {} in 30 s",
        unlimited.limited.len()
    );
    let (around, from_then) = (polite.most_around_the_interruption(), polite.loads(polite.interrupted, SECOND));
    println!("around the moment when Redis was emptied: at most {around} in a second, {from_then} in the next one");
    println!(
        "the free ones: {usual:.1} loads per second, {before:.1} beside the limit, {after:.1} after Redis was emptied"
    );

    let (per_second, burst) = (RATE.per_second as usize, RATE.burst as usize);
    assert!(second <= per_second + burst, "{second} page loads in a second");
    assert!(around <= per_second + burst, "{around} page loads in a second in which Redis was emptied");
    assert!(around > 0, "nobody visited the host when Redis was emptied");
    // Who knows nothing of a host begins without a permission for it: what has gathered is forgotten, and never made up.
    let most = per_second + ON_THEIR_WAY;
    assert!(from_then <= most, "{from_then} page loads in the second after Redis was emptied, {most} gather in it");
    assert!(minute <= 306, "{minute} page loads in a minute");
    assert!(unlimited.most_within(Duration::from_secs(60)) > 306, "the limit was no limit");
    assert!(loads > 400, "only {loads} page loads in 90 s: the rate is not used");
    assert!(before > usual * 0.95, "{before:.1} page loads per second, {usual:.1} without the limit");
    assert!(after > usual * 0.95, "{after:.1} page loads per second, {usual:.1} without the limit");
}
