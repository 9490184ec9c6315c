//! Each strategy does what its paper adds: a task on a real page that is done by its mechanism, and not without it.
//!
//! The models are scripts that answer from what the prompt says and nothing else.

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
        eprintln!("{} {options}: {} {:?}\n  {}", self.planner, verdict.kind, finished.trajectory.ending, told.join("\n  "));
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
    let lines = prompt.lines().skip_while(|line| *line != "ACTIONS").skip(1);
    let mut listed = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    listed.find(|line| line["text"] == text)?[verb].as_i64()
}

/// A reply to the main question: this action, or that the task is done.
fn act(number: Option<i64>, text: Option<&str>) -> Value {
    let status = if number.is_some() { "act" } else { "done" };
    json!({"status": status, "chosen_action": number, "action_description": "it", "reason": "as scripted", "answer": null,
        "text": text, "press_enter": false})
}

fn infeasible() -> Value {
    json!({"status": "infeasible", "chosen_action": null, "action_description": "", "reason": "not here", "answer": null,
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

#[tokio::test]
async fn hxagent_remembers_how_often_it_pressed() {
    let case = Case {
        planner: "hxagent",
        task: "Press Next three times, then Finish",
        html: page!(
            "'Next', 'Finish'",
            "let pressed = 0; function go(name) { if (name === 'Next') { pressed += 1; show('Next', 'Finish'); } \
             else show(pressed === 3 ? '*Well done' : '*Wrong count'); }"
        ),
        model: |_, prompt| {
            let pressed = prompt.matches(": click button \"Next\"").count();
            match (prompt.contains("Well done"), pressed) {
                (true, _) => act(None, None),
                (false, 3) => act(number(prompt, "click", "Finish"), None),
                _ => act(number(prompt, "click", "Next"), None),
            }
        },
    };
    let ours = |window: &str| json!({"preset": "ours", "memory": {"window": window}});
    case.only(ours("all"), ours("none")).await;
}

#[tokio::test]
async fn hxagent_follows_a_rule_of_its_experience() {
    let case = Case {
        planner: "hxagent",
        task: "Close the account of the guest",
        html: page!(
            "'Close', 'Archive'",
            "function go(name) { show(name === 'Archive' ? '*Well done' : '*Guests cannot be closed'); }"
        ),
        model: |_, prompt| match prompt {
            _ if prompt.contains("Well done") || prompt.contains("cannot be closed") => act(None, None),
            _ if prompt.contains("guests are archived, not closed") => act(number(prompt, "click", "Archive"), None),
            _ => act(number(prompt, "click", "Close"), None),
        },
    };
    let learnt = |shown: bool| {
        let experience = json!({"rules": ["guests are archived, not closed"]});
        json!({"preset": "ours", "experience": experience, "use_experience": shown})
    };
    case.only(learnt(true), learnt(false)).await;
}

#[tokio::test]
async fn naviqate_takes_the_second_choice_where_the_first_was_used_in_vain() {
    let case = Case {
        planner: "naviqate",
        task: "Open the orders",
        html: page!(
            "'Open orders', 'Orders', 'Imprint'",
            "function go(name) { if (name === 'Orders') show('*Well done'); else show('Open orders', 'Orders', 'Imprint'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "page_context_and_step" if prompt.contains("Well done") => {
                json!({"context": "orders", "status": "done", "next_step": null, "answer": null})
            }
            "page_context_and_step" => {
                json!({"context": "a start", "status": "act", "next_step": "Open orders", "answer": null})
            }
            _ => json!({"index": 1, "argument": null, "press_enter": false, "reason": "the first choice"}),
        },
    };
    let ours = |factor: f64| json!({"preset": "ours", "rank": {"used_factor": factor}});
    case.only(ours(0.5), ours(1.0)).await;
}

#[tokio::test]
async fn step_by_step_does_what_only_the_page_says_and_a_plan_in_advance_does_not() {
    const HTML: &str = page!(
        "'Start'",
        "function go(name) { if (name === 'Start') show('*Press the second', 'First', 'Second'); \
         else show(name === 'Second' ? '*Well done' : '*Too bad'); }"
    );
    let case = Case {
        planner: "step-by-step",
        task: "Start and do what is asked",
        html: HTML,
        model: |_, prompt| match prompt {
            _ if prompt.contains("Well done") => act(None, None),
            _ if prompt.contains("Press the second") => act(number(prompt, "click", "Second"), None),
            _ => act(number(prompt, "click", "Start"), None),
        },
    };
    assert_eq!(case.verdict(json!({})).await, VerdictKind::Passed);
    let planned = Case {
        planner: "full-plan",
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_in_words" => plan(&["click Start", "click First"]),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
        ..case
    };
    assert_ne!(planned.verdict(json!({"following": "strict", "replans": 0})).await, VerdictKind::Passed);
}

#[tokio::test]
async fn tree_search_goes_back_from_a_door_that_leads_nowhere() {
    let case = Case {
        planner: "tree-search",
        task: "Find the treasure",
        html: page!(
            "'Golden door', 'Plain door'",
            "const rooms = {'Golden door': ['Bones', 'Dust'], 'Plain door': ['Lamp', 'Chest'], Chest: ['*Well done']}; \
             function go(name) { show(...(rooms[name] ?? ['*Nothing here'])); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "judgement" => {
                let page = prompt.split("PAGE ").nth(1).unwrap_or_default();
                let progress = match page {
                    _ if page.contains("Well done") => "reached",
                    _ if page.contains("Bones") || page.contains("Nothing") => "off",
                    _ => "on_the_way",
                };
                json!({"reason": "seen", "progress": progress, "answer": null})
            }
            _ => {
                let names = ["Golden door", "Plain door", "Lamp", "Chest", "Bones", "Dust"];
                let one = |number: i64| json!({"chosen_action": number, "text": null, "press_enter": false});
                let listed = names.into_iter().filter_map(|name| number(prompt, "click", name)).map(one);
                json!({"reason": "", "candidates": listed.collect::<Vec<_>>()})
            }
        },
    };
    let ours = |backtrack: bool| json!({"preset": "ours", "backtrack": backtrack});
    case.only(ours(true), ours(false)).await;
}

#[tokio::test]
async fn a_full_plan_that_fails_is_replaced() {
    let case = Case {
        planner: "full-plan",
        task: "Open the settings",
        html: page!(
            "'Profile', 'More'",
            "function go(name) { if (name === 'More') show('Settings'); else show(name === 'Settings' ? '*Well done' : '*No'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_in_words" if prompt.contains("The plan failed here") => plan(&["click More", "click Settings"]),
            "plan_in_words" => plan(&["click Settings"]),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let strict = |replans: u32| json!({"preset": "ours", "following": "strict", "replans": replans});
    case.only(strict(1), strict(0)).await;
}

#[tokio::test]
async fn adaplanner_fills_a_gap_from_the_page_that_shows_it() {
    let case = Case {
        planner: "adaplanner",
        task: "Enter the code that is shown",
        html: "<main><button onclick=\"main.innerHTML = codes\">Show code</button></main><script>const main = \
               document.querySelector('main'); const code = String(1000 + Math.floor(Math.random() * 9000)); const codes = \
               `<p>The code is ${code}</p><button onclick=\"main.innerHTML = field\">Go on</button>`; const field = `<label>Code \
               <input id=code oninput=\"if (this.value === '${code}') main.innerHTML = 'Well done'\"></label>`;</script>",
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_with_assertions" => {
                let line = |step: &str, reads: Option<&str>| json!({"step": step, "reads": reads, "expects": null});
                json!({"steps": [line("click Show code", Some("code: the code")), line("click Go on", None),
                    line("type {code} into Code", None)]})
            }
            "read_from_page" => json!({"value": prompt.split("The code is ").nth(1).map(|rest| &rest[..4])}),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let ours = |in_plan: bool| json!({"preset": "ours", "in_plan": in_plan});
    case.only(ours(true), ours(false)).await;
}

#[tokio::test]
async fn adaplanner_mends_its_plan_where_the_page_is_not_as_expected() {
    let case = Case {
        planner: "adaplanner",
        task: "Get in",
        html: page!(
            "'Front door', 'Back door'",
            "function go(name) { if (name === 'Back door') show('*Well done'); else show('*Locked', 'Back door'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_with_assertions" if prompt.contains("FAILED") => {
                json!({"steps": [{"step": "click Back door", "reads": null, "expects": null}]})
            }
            "plan_with_assertions" => json!({"steps": [{"step": "click Front door", "reads": null, "expects": "a hall"}]}),
            "asserted" => json!({"reason": "seen", "holds": !prompt.contains("Locked")}),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let ours = |out_of_plan: u32| json!({"preset": "ours", "out_of_plan": out_of_plan});
    case.only(ours(1), ours(0)).await;
}

#[tokio::test]
async fn reflection_succeeds_in_its_second_trial() {
    let case = Case {
        planner: "reflection",
        task: "Arrive",
        html: page!("'Left', 'Right'", "function go(name) { show(name === 'Right' ? '*Well done' : '*Dead end'); }"),
        model: |asked, prompt| {
            let stage = |status: &str, number: Option<i64>| {
                let steps: Vec<Value> = number
                    .into_iter()
                    .map(|number| json!({"chosen_action": number, "text": null, "press_enter": false}))
                    .collect();
                json!({"status": status, "steps": steps, "reason": "as scripted", "answer": null})
            };
            match asked.schema.name.as_str() {
                "reflected" => json!({"wrong_step": 1, "instead": "go right"}),
                _ if prompt.contains("Well done") => stage("done", None),
                _ if prompt.contains("Dead end") => stage("infeasible", None),
                _ if prompt.contains("Instead: go right") => stage("act", number(prompt, "click", "Right")),
                _ => stage("act", number(prompt, "click", "Left")),
            }
        },
    };
    let ours = |reflect: bool| json!({"preset": "ours", "reflect": reflect});
    case.only(ours(true), ours(false)).await;
    assert_ne!(case.verdict(json!({"preset": "ours", "trials": 1})).await, VerdictKind::Passed, "one trial is not enough");
}

#[tokio::test]
async fn rci_mends_its_plan_by_one_explicit_critique() {
    let case = Case {
        planner: "rci",
        task: "Order it",
        html: page!(
            "'Order', 'Agree'",
            "let agreed = false; function go(name) { if (name === 'Agree') agreed = true; \
             else show(agreed ? '*Well done' : '*The terms come first'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "critique" => json!({"problems": "the terms are not agreed to"}),
            "plan_in_words" if prompt.contains("PROBLEMS") => plan(&["click Agree", "click Order"]),
            "plan_in_words" => plan(&["click Order"]),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let ours = |critiques: u32| json!({"preset": "ours", "critiques": critiques});
    case.only(ours(1), ours(0)).await;
}

#[tokio::test]
async fn synapse_does_what_only_an_exemplar_tells() {
    let case = Case {
        planner: "synapse",
        task: "Open the blue lock",
        html: page!(
            "'Red', 'Blue'",
            "const order = []; function go(name) { order.push(name); if (order.length === 2) show(order.join() === 'Blue,Red' ? \
             '*Well done' : '*Jammed'); }"
        ),
        model: |asked, prompt| {
            let step = asked.step.unwrap_or_default() + 1;
            let told = prompt.split("<page-content>").next().unwrap_or_default();
            let wanted = told.lines().find_map(|line| line.strip_prefix(&format!("STEP #{step}: click ")));
            match number(prompt, "click", wanted.unwrap_or(if step == 1 { "Red" } else { "Blue" })) {
                Some(number) => act(Some(number), None),
                None => act(None, None),
            }
        },
    };
    let exemplars = json!([
        {"task": "Open a lock with two colours", "trajectory": "STEP #1: click Blue\nSTEP #2: click Red"},
        {"task": "Write a letter", "trajectory": "STEP #1: click Red\nSTEP #2: click Red"},
    ]);
    let ours = |nearest: usize| json!({"preset": "ours", "nearest": nearest, "exemplars": exemplars});
    case.only(ours(1), ours(0)).await;
}
