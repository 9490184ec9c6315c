//! What an explorer shows its strategy, and what it says that choosing cost.

use super::strategy::{Here, Next, Strategy};
use super::*;
use crate::tests::fakes::{CounterPage, HeldClock, MORE, counter};
use async_trait::async_trait;
use domain::action::ActionKind;
use domain::decision::{Decider, PlannerError};
use domain::observation::Tab;
use domain::service::{Code, GraphService};
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, Located, Map, MapStatus, Progress, Route, State, Version,
};
use domain::{EpisodeId, JobId, Observation, RunId, SiteId, Usage};
use futures::stream::BoxStream;
use serde_json::Value;
use uuid::Uuid;

/// A map of one state whose only action is the button that counts.
struct OneState;

#[async_trait]
impl GraphService for OneState {
    async fn locate(&self, _: LocateRequest) -> Result<Located, ServiceError> {
        let progress = Some(Progress::Open);
        let offer = Offer { key: ActionKey(1), element: MORE, kind: ActionKind::Click, progress };
        Ok(Located { state: StateId(1), is_new: true, actions: vec![offer], ticket_held: true })
    }

    async fn claim_frontier(&self, _: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError> {
        Ok(Vec::new())
    }

    async fn renew_frontier(&self, _: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError> {
        Ok(Vec::new())
    }

    async fn release_frontier(&self, _: Vec<FrontierTicket>) -> Result<(), ServiceError> {
        Ok(())
    }

    async fn shortest_path(&self, _: &SiteId, _: Option<StateId>, _: StateId) -> Result<Option<Route>, ServiceError> {
        Ok(None)
    }

    async fn search(&self, _: &SiteId, _: &str, _: usize) -> Result<Vec<(State, f64)>, ServiceError> {
        Ok(Vec::new())
    }

    async fn map(&self, _: &SiteId, _: Option<&RunId>) -> Result<Map, ServiceError> {
        Ok(Map::default())
    }

    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError> {
        Ok(Vec::new())
    }

    async fn versions(&self, _: &SiteId) -> Result<Vec<Version>, ServiceError> {
        Ok(Vec::new())
    }

    async fn diff(&self, _: &SiteId, _: &RunId, _: &RunId) -> Result<Difference, ServiceError> {
        Err(ServiceError::new(Code::NotFound, "there is one version"))
    }

    async fn watch(&self, _: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError> {
        Ok(futures::stream::empty().boxed())
    }
}

/// Reads the page as a model would, which costs, and fails where the page says nothing more.
#[derive(Default)]
struct Reading {
    spent: Usage,
}

#[async_trait]
impl Strategy for Reading {
    async fn next(
        &mut self,
        here: &Here<'_>,
        _: &Knowledge,
        _: &dyn GraphService,
        _: &mut StdRng,
    ) -> Result<Next, ServiceError> {
        self.spent += Usage { prompt_tokens: 100, calls: 1, ..Usage::default() };
        match here
            .offers
            .iter()
            .find(|offer| here.observation.node(offer.element).is_some_and(|node| node.name == "More"))
        {
            Some(offer) if here.observation.nodes.iter().any(|node| node.text == "count 0") => {
                Ok(Next::Here(offer.key))
            }
            _ => Err(ServiceError::new(Code::Unavailable, "the model is away")),
        }
    }

    fn take_usage(&mut self) -> Usage {
        std::mem::take(&mut self.spent)
    }
}

fn explorer() -> Explorer {
    let services = ExplorerServices {
        map: Arc::new(OneState),
        clock: Arc::new(HeldClock::default()),
        witness: Arc::new(NoWitness),
        books: Default::default(),
    };
    let exploration = Exploration {
        version: Version { site: SiteId::new("counter"), run: RunId::new("run"), role: "guest".into() },
        start_url: "http://counter.test/".into(),
        strategy: "reading".into(),
        seconds: 60,
        guards: Default::default(),
        login: None,
        coverage: Default::default(),
    };
    Explorer::with(Box::new(Reading::default()), services, exploration, "browser-1".into())
}

fn request(count: u32) -> DecisionRequest {
    DecisionRequest {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new("a"),
        instruction: String::new(),
        observation: Arc::new(counter(count, 1)),
        history: Arc::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: 10,
        seed: 7,
        refusal: None,
        position: None,
        context: Arc::default(),
    }
}

#[tokio::test]
async fn a_strategy_reads_the_page_and_what_choosing_cost_is_the_decisions_or_the_failures() {
    let mut page = CounterPage::default();
    let decision = explorer().decide(&mut page, request(0)).await.expect("a choice");
    assert_eq!(decision.choice, Choice::Act(Action::click(MORE)));
    assert_eq!((decision.usage.prompt_tokens, decision.usage.calls), (100, 1));
    let Err(PlannerError::Away { usage, .. }) = explorer().decide(&mut page, request(1)).await else {
        panic!("the model is away");
    };
    assert_eq!((usage.prompt_tokens, usage.calls), (100, 1), "what failed costs too");
}

#[test]
fn every_strategy_has_a_name_of_its_own_and_a_line_of_help() {
    let names: Vec<&str> = strategies().map(|strategy| strategy.name).collect();
    assert_eq!(names.first(), Some(&"frontier"), "the default");
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
    assert!(strategies().all(|strategy| !strategy.help.is_empty() && strategy::named(strategy.name).is_some()));
}

#[test]
fn a_tab_that_was_just_opened_is_looked_at_before_too_many_are_closed() {
    let tabs = |count: usize| Observation {
        tabs: (1..=count).map(|at| Tab { current: at == count, ..Tab::default() }).collect(),
        ..Observation::default()
    };
    let mut explorer = explorer();
    let mut closes = |count: usize| {
        let seen = tabs(count);
        let is_new = count > explorer.tabs;
        let at_once = explorer.follow_tabs(&seen).is_some();
        (at_once, explorer.close_tab_of_many(&seen, is_new).is_some())
    };
    assert_eq!([1, 2, 3, 4].map(&mut closes), [(false, false); 4]);
    assert_eq!(closes(4), (false, true), "once what was done in it is known");
    assert_eq!((closes(3), closes(9)), ((false, false), (true, false)));
}
