//! Each strategy does what its paper adds: a task on a real page that is done by its mechanism, and not without it.
//!
//! The models are scripts that answer from what the prompt says and nothing else.

/// A page of buttons, whose `go` is called with the name of the one that is pressed.
macro_rules! page {
    ($first:expr, $script:expr) => {
        concat!(
            "<main></main><script>const main = document.querySelector('main');\n",
            "function show(...names) { main.replaceChildren(...names.map((name) => { const button = document.createElement(",
            "name.startsWith('*') ? 'p' : 'button'); button.textContent = name.replace('*', ''); if (!name.startsWith('*')) ",
            "button.onclick = () => go(name); return button; })); }\n",
            $script,
            "\nshow(",
            $first,
            ");</script>"
        )
    };
}

mod baselines;
mod papers;

use async_trait::async_trait;
use browser::{Browser, Options, ProfileOptions};
use crawler::evidence::Watch;
use crawler::{Attempt, NoRecorder, PlannerDecider, Screenshots, gather};
use domain::campaign::Ticket;
use domain::environment::{Environment, EnvironmentError};
use domain::page::PageError;
use domain::scope::Scope;
use domain::task::{Check, Limits, TextMatch};
use domain::verdict::VerdictKind;
use domain::{CampaignId, EpisodeId, Fence, JobId, Page, SiteId, TaskId};
use evaluation::{Actor, judge};
use harness::site::Site;
use planner::model::{LanguageModel, ModelError, ModelReply, ModelRequest, Part};
use planner::registry::{Parts, Registry};
use platform::clock::SystemClock;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Answers by a function of the question and its prompt.
struct Scripted(fn(&ModelRequest, &str) -> Value);

#[async_trait]
impl LanguageModel for Scripted {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let texts = parts.filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None });
        let prompt = texts.collect::<Vec<_>>().join("\n");
        Ok(ModelReply { text: (self.0)(&request, &prompt).to_string(), ..ModelReply::default() })
    }
}

/// A page that is opened anew when the task begins again.
struct Opened(Url, &'static str);

#[async_trait]
impl Environment for Opened {
    fn can_reset(&self) -> bool {
        true
    }

    async fn begin(&self, page: &mut dyn Page) -> Result<String, EnvironmentError> {
        page.open(&self.0).await?;
        Ok(self.1.to_owned())
    }

    async fn is_over(&self, _: &mut dyn Page) -> Result<bool, PageError> {
        Ok(false)
    }

    async fn reward(&self, _: &mut dyn Page) -> Result<Option<f64>, PageError> {
        Ok(None)
    }
}

/// A task on a page, and the script of its model.
struct Case {
    planner: &'static str,
    task: &'static str,
    html: &'static str,
    model: fn(&ModelRequest, &str) -> Value,
}

impl Case {
    /// The verdict with these options: the page must say "Well done" in the end.
    async fn verdict(&self, options: Value) -> VerdictKind {
        let site = Site::new().page("/", self.html).start().await;
        let browser = Browser::start(Options::default()).await.expect("start a browser");
        let url: Url = site.url("/").parse().expect("an address");
        let profile = ProfileOptions { scope: Scope { hosts: vec![site.authority()] }, ..ProfileOptions::default() };
        let mut page = browser.profile(profile).await.expect("open a profile");
        let parts = Parts {
            model: Some(Arc::new(Scripted(self.model))),
            embedder: Some(Arc::new(embedding::LazyEmbedder::default())),
            marker: Some(Arc::new(browser::marks::Marks)),
            ..Parts::default()
        };
        let planner = Registry::default().build(self.planner, &options, &parts).expect("a planner");
        let check = Check::Text(TextMatch::Contains("Well done".into()));
        let finished = crawler::run(Attempt {
            ticket: Ticket { campaign: CampaignId::new("case"), job: JobId::new("case/1"), fence: Fence(1) },
            episode: EpisodeId(uuid::Uuid::now_v7()),
            site: SiteId::new("site"),
            task: TaskId::new("case"),
            check: Some(&check),
            decider: &mut PlannerDecider(planner),
            page: &mut page,
            environment: &Opened(url, self.task),
            explores: false,
            limits: Limits { steps: 30, seconds: 60, ..Limits::default() },
            recorder: &NoRecorder,
            clock: &SystemClock::default(),
            screenshots: Screenshots::None,
            seed: 1,
            context: Arc::default(),
            interrupt: CancellationToken::new(),
        })
        .await
        .expect("nothing is recorded");
        let facts = gather(&mut page, &finished, Some(&check), Watch::Once).await.expect("look at the page");
        let verdict = judge(&finished.trajectory.ending, Some(&check), &facts, &Actor::Agent);
        let told: Vec<String> = finished
            .trajectory
            .steps
            .iter()
            .map(|step| domain::words::step(step, &domain::words::Detail::BRIEF))
            .collect();
        eprintln!(
            "{} {options}: {} {:?}\n  {}",
            self.planner,
            verdict.kind,
            finished.trajectory.ending,
            told.join("\n  ")
        );
        page.close().await;
        browser.stop().await;
        verdict.kind
    }

    /// Holds that the task is done with these options, and not with those.
    async fn only(&self, with: Value, without: Value) {
        assert_eq!(self.verdict(with).await, VerdictKind::Passed, "{} with its mechanism", self.planner);
        assert_ne!(self.verdict(without).await, VerdictKind::Passed, "{} without its mechanism", self.planner);
    }
}

/// The number that a listed element has for a verb.
fn number(prompt: &str, verb: &str, text: &str) -> Option<i64> {
    let listed = planner::page::read_back(prompt);
    listed.iter().find(|line| line.get("text").is_some_and(|told| told == text))?.get(verb)?.as_i64()
}

/// A reply to the main question: this action, or that the task is done.
fn act(number: Option<i64>, text: Option<&str>) -> Value {
    let status = if number.is_some() { "act" } else { "done" };
    json!({"status": status, "chosen_action": number.unwrap_or(0), "action_description": "it", "reason": "as scripted", "answer": null,
        "text": text, "press_enter": false})
}

fn infeasible() -> Value {
    json!({"status": "infeasible", "chosen_action": 0, "action_description": "", "reason": "not here", "answer": null,
        "text": null, "press_enter": false})
}

/// The step of a plan that is to be carried out, bound by the words of its element.
fn carry_out(prompt: &str) -> Value {
    let line = prompt.split("carried out now: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let found = match line.split_once(" into ") {
        Some((typed, field)) => number(prompt, "type", field).map(|number| (number, typed.strip_prefix("type "))),
        None => number(prompt, "click", line.strip_prefix("click ").unwrap_or_default()).map(|number| (number, None)),
    };
    found.map_or_else(infeasible, |(number, text)| act(Some(number), text))
}

fn plan(lines: &[&str]) -> Value {
    json!({"steps": lines.iter().map(|line| json!({"step": line, "reason": ""})).collect::<Vec<_>>()})
}
