//! Exploring a site: a decider of the same loop that does tasks. It says where the page is in the map, lets a strategy choose
//! what to try, and walks there step by step.
//!
//! It knows states by their numbers and actions by their names only: what makes a state is the map's business. It never acts
//! on the page itself, and never judges it.

mod deciding;
mod filling;
use deciding::{Failure, opportunity};
pub(crate) use filling::is_usual_value;
mod followups;
mod knowledge;
mod login;
mod plan;
mod recipe;
mod samples;
mod strategy;
mod unplanned;
mod variations;
mod withheld;
mod witness;

pub(crate) use login::log_in;
pub use strategy::{Entry, Guide, strategies};
pub use witness::{ExplorerServices, NoWitness, Visit, Witness};

use crate::destructive::{self, Memory};
use chrono::NaiveDate;
use domain::decision::DecisionRequest;
use domain::exploration::Exploration;
use domain::page::Page;
use domain::service::ServiceError;
use domain::state::{ActionKey, Arrival, FrontierTicket, LocateRequest, Offer, Opportunity};
use domain::{Action, Choice, Effect, Observation, StateId, Step};
use futures::StreamExt as _;
use knowledge::Knowledge;
use plan::{Part, PlannedStep, Ready, StepKind};
use platform::spawn;
use rand::SeedableRng;
use rand::rngs::StdRng;
use samples::Samples;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use strategy::{Here, Next, Strategy};
use variations::Variations;
use withheld::{Allowed, Withheld};

/// Pause before the frontier is asked again after it had nothing to give.
const PAUSE_MS: u32 = 250;
/// After a claim has run for this long, its lease is renewed.
const RENEW: Duration = Duration::from_secs(5);
/// For how long a frontier that others hold is asked again: longer than a lease, so that what a dead browser held comes back.
const PATIENCE: Duration = Duration::from_secs(25);
/// How often one may fail to reach an opportunity before it counts as tried.
const FAILURES: u32 = 2;

/// Explores a site with one browser.
pub struct Explorer {
    services: ExplorerServices,
    exploration: Exploration,
    crawler: String,
    strategy: Box<dyn Strategy>,
    knowledge: Knowledge,
    plan: VecDeque<PlannedStep>,
    /// What was asked for last, and from where.
    doing: Option<Doing>,
    /// Whether what the next step needs has been done.
    is_prepared: bool,
    /// Claims that are to be reported on with the next page.
    settled: VecDeque<FrontierTicket>,
    failures: HashMap<(StateId, ActionKey), u32>,
    repairs: u32,
    /// Addresses that were loaded once more: their kinds by their path.
    reloaded: HashMap<String, HashSet<String>>,
    /// The fields that forms were sent with.
    sent: HashSet<String>,
    /// How often it tried to log in without being logged in then.
    log_ins: u32,
    was_logged_in: bool,
    dialogs: HashSet<(StateId, String)>,
    /// Dialogs that were answered in a row.
    answered: u32,
    /// What was last begun, in words.
    latest: String,
    samples: Samples,
    /// What was created, to be told from what was there before.
    memory: Memory,
    /// Lists that were looked at after something was sent, by the kind of request.
    lists: HashSet<String>,
    /// Forms that may be sent with other choices.
    variations: Variations,
    /// Controls that were left alone.
    withheld: Withheld,
    /// What may be tried on this page only because it was made by this exploration, in document order.
    own: VecDeque<ActionKey>,
    /// What pages did to the browser, each said once.
    troubles: HashSet<String>,
    /// Those that are still to be told.
    untold: Vec<String>,
    tabs: usize,
    /// What earlier attempts took of the budget.
    spent: Duration,
    began: Option<Duration>,
    claimed: Duration,
    /// Since when there is nothing to try.
    idle: Option<Duration>,
    /// The day that forms are filled in on.
    today: NaiveDate,
}

#[derive(Debug)]
struct Doing {
    from: StateId,
    planned_step: Option<PlannedStep>,
    key: Option<ActionKey>,
    /// How many steps the history had.
    steps: usize,
}

/// A decision that is found without the page.
type Decided = Result<Choice, Failure>;

impl Explorer {
    /// An explorer; `None` when there is no strategy of that name.
    pub fn new(services: ExplorerServices, exploration: Exploration, crawler: impl Into<String>) -> Option<Self> {
        let strategy = strategy::named(&exploration.strategy)?;
        Some(Self::with(strategy, services, exploration, crawler.into()))
    }

    /// An explorer that goes the ways of a guide, whatever the strategy of the exploration is.
    pub fn guided(
        services: ExplorerServices,
        exploration: Exploration,
        crawler: impl Into<String>,
        guide: Box<dyn Guide>,
    ) -> Self {
        Self::with(Box::new(strategy::Guided(guide)), services, exploration, crawler.into())
    }

    fn with(
        strategy: Box<dyn Strategy>,
        services: ExplorerServices,
        exploration: Exploration,
        crawler: String,
    ) -> Self {
        Self {
            spent: services.witness.spent(&crawler),
            crawler,
            strategy,
            knowledge: Knowledge::default(),
            plan: VecDeque::new(),
            doing: None,
            is_prepared: false,
            settled: VecDeque::new(),
            failures: HashMap::new(),
            repairs: 0,
            reloaded: HashMap::new(),
            sent: HashSet::new(),
            log_ins: 0,
            was_logged_in: false,
            dialogs: HashSet::new(),
            answered: 0,
            latest: String::new(),
            samples: Samples::default(),
            memory: Memory::with(services.books.of(&exploration.version)),
            lists: HashSet::new(),
            variations: Variations::default(),
            withheld: Withheld::default(),
            own: VecDeque::new(),
            troubles: HashSet::new(),
            untold: Vec::new(),
            tabs: 1,
            began: None,
            claimed: Duration::ZERO,
            idle: None,
            today: NaiveDate::default(),
            exploration,
            services,
        }
    }

    fn now(&self) -> Duration {
        self.services.clock.monotonic()
    }

    /// How long this browser's part has taken, earlier attempts at it included.
    fn elapsed(&self) -> Duration {
        self.spent + self.began.map_or(Duration::ZERO, |began| self.now().saturating_sub(began))
    }

    fn is_spent(&self) -> bool {
        self.elapsed() >= Duration::from_secs(self.exploration.seconds)
    }

    async fn next(&mut self, page: &mut dyn Page, request: &DecisionRequest) -> Decided {
        let now = self.now();
        self.began.get_or_insert(now);
        self.today = request.context.day.as_deref().and_then(|day| day.parse().ok()).unwrap_or(self.today);
        let seen = &request.observation;
        let is_new_tab = seen.tabs.len() > self.tabs;
        if let Some(action) = self.follow_tabs(seen) {
            return Ok(Choice::Act(action));
        }
        // What came after it only followed a tab.
        let last = self.doing.as_ref().and_then(|doing| request.history.get(doing.steps));
        if !seen.url.starts_with("http") {
            // A blank or failed page is no state of the site.
            self.tell_of(request.history.last(), seen);
            self.abandon("the page is no page of the site");
            self.doing = None;
            return Ok(Choice::Act(Action::Goto { url: self.exploration.start_url.clone() }));
        }
        if let Some(action) = self.log_in(page, seen).await? {
            return Ok(Choice::Act(action));
        }
        let (state, offers) = self.locate(page, seen, last).await?;
        if self.is_spent() {
            return self.stop().await;
        }
        self.after(last, state, seen);
        let dialog = self.answer_dialog(seen, state);
        if let Some(action) = self.end_of_talk(seen, dialog.is_some()) {
            return Ok(Choice::Act(action));
        }
        if let Some(action) = dialog.or_else(|| self.close_tab_of_many(seen, is_new_tab)) {
            self.doing = Some(Doing { from: state, planned_step: None, key: None, steps: request.history.len() });
            return Ok(Choice::Act(action));
        }
        if now.saturating_sub(self.claimed) > RENEW {
            self.renew(now).await?;
        }
        self.choose(seen, state, &offers, request.history.len(), request.seed).await
    }

    /// Says where the page is, with what led there; answers the state and what may be tried in it.
    async fn locate(
        &mut self,
        page: &mut dyn Page,
        seen: &Arc<Observation>,
        last: Option<&Step>,
    ) -> Result<(StateId, Vec<Offer>), ServiceError> {
        let doing = self.doing.as_ref();
        let part = doing.and_then(|doing| doing.planned_step.as_ref()).map(|planned_step| &planned_step.part);
        let reload_of = doing.filter(|_| part == Some(&Part::Reload)).map(|doing| doing.from);
        let is_way = part != Some(&Part::Reload);
        let arrival = last.zip(doing).filter(|_| is_way).map(|(step, doing)| Arrival {
            from: doing.from,
            action: step.action.clone(),
            key: doing.key,
            effect: step.effect.clone(),
            latency: Duration::from_secs_f64(step.act_ms.max(0.0) / 1000.0),
        });
        // An address that was answered by an error opened no page of the site.
        let is_there = |step: &Step| matches!(step.effect, Effect::Changed { .. } | Effect::NoChange);
        let has_opened = seen.dialog.is_none() && last.is_some_and(is_there);
        let opened =
            doing.and_then(|doing| doing.planned_step.as_ref()).and_then(PlannedStep::address).filter(|_| has_opened);
        let request = LocateRequest {
            version: self.exploration.version.clone(),
            observation: seen.clone(),
            vector: None,
            arrival: arrival.clone(),
            reload_of,
            opened,
            ticket: self.settled.pop_front(),
            screenshot: None,
        };
        let located = self.services.map.locate(request).await?;
        let state = located.state;
        let key = doing.and_then(|doing| doing.key);
        self.memory.saw(seen);
        let guarding = (&self.exploration.guards, &self.memory);
        let Allowed { offers, own, left_alone } = self.withheld.allowed((state, seen), located.actions, guarding);
        // Other strategies keep their own book of what is still to be tried.
        self.own = if self.strategy.shares() { own.into() } else { VecDeque::new() };
        if self.strategy.shares() {
            self.variations.saw(seen, state, &offers);
        } else {
            // Of what the map leases it keeps the book itself.
            let new = offers.iter().filter(|offer| !self.knowledge.knows(state, offer.key));
            let opportunities: Vec<Opportunity> = new.filter_map(|offer| opportunity(seen, state, offer)).collect();
            self.knowledge.saw(state, opportunities);
        }
        if let (Some(arrival), Some(key)) = (&arrival, key) {
            self.knowledge.did(arrival.from, key);
            self.strategy.learn(arrival.from, key, state, &self.knowledge);
        }
        let arrival = arrival.as_ref();
        let (crawler, is_new) = (self.crawler.as_str(), located.is_new);
        let refused = page.take_refusals();
        let visit =
            Visit { crawler, at: self.elapsed(), state, is_new, observation: seen, arrival, left_alone, refused };
        self.services.witness.saw(visit, page).await?;
        Ok((state, offers))
    }

    /// What the last step means for those that are to follow.
    fn after(&mut self, last: Option<&Step>, state: StateId, seen: &Observation) {
        let Some(doing) = self.doing.take() else { return };
        let (Some(planned_step), Some(step)) = (doing.planned_step, last) else { return };
        match &planned_step.part {
            Part::Hop { to: Some(to) } if *to != state => self.abandon("the way leads elsewhere"),
            Part::Try { .. } => {
                self.repair(&planned_step, step, seen);
                self.send(&planned_step, seen);
                self.look_at_list(seen);
            }
            Part::Prepare | Part::Hop { .. } | Part::Vary { .. } | Part::Reload | Part::LogIn => {}
        }
        self.reload(step, seen);
    }

    /// Follows the plan, or lets the strategy make another.
    async fn choose(
        &mut self,
        seen: &Arc<Observation>,
        state: StateId,
        offers: &[Offer],
        steps: usize,
        seed: u64,
    ) -> Decided {
        let guards = self.exploration.guards.clone();
        // A choice that cannot be carried out is settled, and the next one made.
        for _ in 0..100 {
            while let Some(planned_step) = self.plan.front() {
                match plan::ready(planned_step, seen, offers, &guards, &self.memory, self.today, self.is_prepared) {
                    Ready::Do(action) => {
                        self.memory.begins(&action, seen);
                        let planned_step = self.plan.pop_front();
                        let key = planned_step.as_ref().and_then(|planned_step| planned_step.key(&action, offers));
                        return Ok(self.start(action, planned_step, key, state, steps));
                    }
                    Ready::First(first) => {
                        self.prepare(first);
                        self.is_prepared = true;
                    }
                    Ready::Not(cause) if planned_step.part == Part::Prepare => {
                        tracing::trace!(cause, "left out of a form");
                        self.plan.pop_front();
                    }
                    Ready::Not(cause) => self.give_up(&cause, state),
                }
            }
            if self.is_spent() {
                return self.stop().await;
            }
            let version = &self.exploration.version;
            let here = Here { state, observation: seen, offers, version, crawler: &self.crawler };
            let mut chance = StdRng::seed_from_u64(seed.wrapping_add((steps as u64) << 32));
            let map = self.services.map.as_ref();
            let next = match self.own.pop_front() {
                Some(key) if !self.withheld.tries(state, key) => continue,
                Some(key) => Next::Here(key),
                None => self.strategy.next(&here, &self.knowledge, map, &mut chance).await?,
            };
            match next {
                Next::Here(key) => {
                    let Some(offer) = offers.iter().find(|offer| offer.key == key) else { continue };
                    let Some(opportunity) = opportunity(seen, state, offer) else { continue };
                    let what = StepKind::Act { action: Box::new(opportunity.action), key: Some(key) };
                    self.plan.push_back(PlannedStep { what, part: Part::Try { ticket: None } });
                }
                Next::There { mut route, opportunity, ticket } => {
                    self.claimed = self.now();
                    let open = route.address.as_ref().map(|url| Action::Goto { url: url.clone() });
                    if open.is_some_and(|open| destructive::refusal(&open, seen, &guards, &self.memory).is_some()) {
                        let map = &self.services.map;
                        let steps = map.shortest_path(&version.site, None, opportunity.state).await?;
                        route = steps.unwrap_or(route);
                    }
                    self.plan = plan::way(&self.exploration.start_url, &route, &opportunity, ticket);
                    if !self.strategy.keeps_to_the_way() {
                        self.plan.iter_mut().for_each(PlannedStep::loosen);
                    }
                }
                Next::Start => {
                    self.plan.push_back(PlannedStep::open(self.exploration.start_url.clone(), Part::Hop { to: None }));
                }
                Next::Nothing if self.vary(state).await? => {}
                Next::Nothing => return self.wait().await,
            }
            self.idle = None;
            self.is_prepared = false;
            self.repairs = 0;
        }
        self.wait().await
    }

    /// Puts steps before all others.
    fn prepare(&mut self, first: Vec<PlannedStep>) {
        first.into_iter().rev().for_each(|planned_step| self.plan.push_front(planned_step));
    }

    fn start(
        &mut self,
        action: Action,
        planned_step: Option<PlannedStep>,
        key: Option<ActionKey>,
        from: StateId,
        steps: usize,
    ) -> Choice {
        if let Some(ticket) = planned_step.as_ref().and_then(PlannedStep::ticket) {
            self.settled.push_front(ticket.clone());
        }
        if planned_step.as_ref().is_some_and(|planned_step| !matches!(planned_step.part, Part::Prepare)) {
            self.is_prepared = false;
        }
        if let Some(planned_step) = &planned_step {
            self.latest = unplanned::named(planned_step);
        }
        self.doing = Some(Doing { from, planned_step, key, steps });
        let placed =
            self.samples.placed(action.clone()).inspect_err(|error| tracing::warn!(%error, "write a sample file"));
        Choice::Act(placed.unwrap_or(action))
    }

    /// The front of the plan cannot be done: what it was for counts as tried when one is there, else after a few failures.
    fn give_up(&mut self, cause: &str, state: StateId) {
        if let Some(PlannedStep { what: StepKind::Act { key: Some(key), .. }, part: Part::Try { ticket } }) =
            self.plan.front()
        {
            tracing::debug!(cause, %state, "an action was left out");
            self.knowledge.did(state, *key);
            self.settled.extend(ticket.clone());
            self.plan.clear();
        } else {
            self.abandon(cause);
        }
    }

    /// The way is broken. What lies behind it is given back, and after a few failures counts as tried.
    fn abandon(&mut self, cause: &str) {
        tracing::debug!(cause, "a way was given up");
        let Some(PlannedStep { what: StepKind::Act { key: Some(key), .. }, part: Part::Try { ticket } }) =
            self.plan.pop_back()
        else {
            self.plan.clear();
            return;
        };
        // Where it was to be done stands in the claim; without one, in the way.
        let hop = self.plan.iter().rev().find_map(|planned_step| match &planned_step.part {
            Part::Hop { to } => *to,
            _ => None,
        });
        self.plan.clear();
        let Some(state) = ticket.as_ref().map(|ticket| ticket.state).or(hop) else { return };
        let failures = self.failures.entry((state, key)).or_default();
        *failures += 1;
        if *failures >= FAILURES {
            self.knowledge.did(state, key);
            self.settled.extend(ticket);
        } else if let Some(ticket) = ticket {
            let map = self.services.map.clone();
            // Whether it comes back now or with the end of its lease makes no difference to anybody here.
            spawn::detached("release a claim", async move { drop(map.release_frontier(vec![ticket]).await) });
        }
    }

    async fn renew(&mut self, now: Duration) -> Result<(), ServiceError> {
        self.claimed = now;
        let held: Vec<FrontierTicket> = self.plan.iter().filter_map(PlannedStep::ticket).cloned().collect();
        if !held.is_empty() && !self.services.map.renew_frontier(held).await?.is_empty() {
            self.plan.clear();
        }
        Ok(())
    }

    /// There is nothing to try now. Others may find something, or give something back.
    async fn wait(&mut self) -> Decided {
        let now = self.now();
        let since = *self.idle.get_or_insert(now);
        let mut statuses = self.services.map.watch(&self.exploration.version.site).await?;
        let is_over = match statuses.next().await {
            Some(Ok(status)) => status.open + status.claimed == 0,
            _ => true,
        };
        let is_patient = self.strategy.shares() && !is_over && now.saturating_sub(since) < PATIENCE;
        if self.settled.is_empty() && !is_patient {
            return self.stop().await;
        }
        self.doing = None;
        Ok(Choice::Act(Action::Wait { milliseconds: PAUSE_MS }))
    }

    /// Gives back what is not done.
    async fn stop(&mut self) -> Decided {
        let held = self.plan.iter().filter_map(PlannedStep::ticket).cloned().chain(self.settled.drain(..)).collect();
        self.plan.clear();
        self.services.map.release_frontier(held).await?;
        Ok(Choice::Act(Action::done()))
    }
}

#[cfg(test)]
mod tests;
