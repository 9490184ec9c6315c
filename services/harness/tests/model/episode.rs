//! Whole episodes of HxAgent, in both presets, over hand-written observations, answered from gold by the scripted server.

use crate::support::{model, png, reach};
use domain::action::{ActionKind, Claim};
use domain::decision::{Level, PlannerError, Screenshot};
use domain::marks::{Mark, Marker};
use domain::observation::{SelectOption, Stamp};
use domain::{
    Action, Choice, Deciding, DecisionRequest, Descriptor, Effect, ElementId, Ending, EpisodeId, Fence, JobId, Node,
    Observation, Planner, Rect, SiteId, Step, TaskId, Trajectory, Usage,
};
use harness::model::{Dialect, FromGold, ModelRequest, ModelServer, Reply};
use parking_lot::Mutex;
use planner::registry::Preset;
use planner::{Experience, HxAgent, HxAgentOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

const JOB: &str = "calendar/1";

fn node(role: &str, tag: &str, name: &str, operations: &[ActionKind], place: u32) -> Node {
    Node {
        role: role.into(),
        tag: tag.into(),
        name: name.into(),
        operations: operations.to_vec(),
        xpath: format!("/html/body/{tag}[{place}]"),
        bounds: Rect { x: 0.0, y: f64::from(place) * 30.0, width: 50.0, height: 20.0 },
        ..Node::default()
    }
}

/// A form: a name, a fare, two months with the same day, and a button. The same on every page but for its number.
fn page(number: u64) -> Observation {
    let fares = ["Adult", "Child"].map(|label| SelectOption {
        label: label.into(),
        ..SelectOption { label: String::new(), value: String::new(), selected: false }
    });
    Observation {
        stamp: Stamp { session: "fake".into(), number },
        url: "http://calendar.test/".into(),
        title: "Calendar".into(),
        nodes: vec![
            node("textbox", "input", "Name", &[ActionKind::Click, ActionKind::Type], 1),
            Node { options: fares.into(), ..node("combobox", "select", "Fare", &[ActionKind::Select], 2) },
            node("link", "a", "Day 1", &[ActionKind::Click], 3),
            node("link", "a", "Day 1", &[ActionKind::Click], 4),
            node("button", "button", "Book", &[ActionKind::Click], 5),
        ]
        .into(),
        ..Observation::default()
    }
}

fn gold_actions() -> Vec<Action> {
    vec![
        Action::Type { element: ElementId(0), text: "Anna".into(), submit: false },
        Action::Select { element: ElementId(1), options: vec!["Child".into()] },
        Action::click(ElementId(3)),
        Action::Press { keys: "Escape".into() },
        Action::click(ElementId(4)),
    ]
}

fn step(number: u32, action: &Action, observation: &Observation) -> Step {
    let described =
        action.try_map(|element| Descriptor::of(observation, *element).ok_or(())).expect("elements are there");
    Step {
        number,
        stamp: observation.stamp.clone(),
        url: observation.url.clone(),
        title: observation.title.clone(),
        summary: "a form".into(),
        action: described,
        reason: String::new(),
        confidence: 1.0,
        level: Level::Gold,
        effect: Effect::Changed { what: vec!["value".into()] },
        usage: Usage::default(),
        decide_ms: 0.0,
        act_ms: 0.0,
        at_ms: 0.0,
        difference: Default::default(),
        requests: Vec::new(),
        faults: Vec::new(),
        incidents: Vec::new(),
        screenshot: None,
    }
}

fn gold() -> Trajectory {
    let steps = (1..).zip(gold_actions()).map(|(number, action)| step(number, &action, &page(1))).collect();
    Trajectory {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new(JOB),
        fence: Fence(1),
        task: TaskId::new("calendar"),
        site: SiteId::new("calendar.test"),
        instruction: "Book day 1 of May for Anna, a child".into(),
        planner: "gold".into(),
        steps,
        ending: Ending::Stopped { claim: Claim::Done, answer: Some("booked".into()) },
        screenshot: None,
        usage: Usage::default(),
        wall_ms: 0.0,
        downloads: Vec::new(),
        deciding: Deciding::default(),
    }
}

fn request(observation: Observation, history: Vec<Step>, memory: Value) -> DecisionRequest {
    DecisionRequest {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new(JOB),
        instruction: "Book day 1 of May for Anna, a child".into(),
        observation: Arc::new(observation),
        history: history.into(),
        memory,
        screenshot: None,
        steps_left: 30,
        seed: 1,
        refusal: None,
        position: None,
        context: Arc::default(),
    }
}

/// What an episode came to.
struct Episode {
    actions: Vec<Action>,
    pictures: u32,
    usage: Usage,
}

/// Drives a planner until it stops, showing it the same form on every page.
async fn run(planner: &dyn Planner) -> Result<Episode, PlannerError> {
    let mut episode = Episode { actions: Vec::new(), pictures: 0, usage: Usage::default() };
    let (mut history, mut memory) = (Vec::new(), Value::Null);
    for number in 1..=20 {
        let observation = page(number);
        let mut asked = request(observation.clone(), history.clone(), memory);
        let mut decision = planner.decide(asked.clone()).await?;
        episode.usage += decision.usage;
        if decision.choice == Choice::NeedScreenshot {
            episode.pictures += 1;
            asked.memory = decision.memory;
            asked.screenshot = Some(Screenshot { png: png(160, 210), scale: 1.0 });
            decision = planner.decide(asked).await?;
            episode.usage += decision.usage;
        }
        memory = decision.memory;
        let Choice::Act(action) = decision.choice else { panic!("no action: {:?}", decision.choice) };
        episode.actions.push(action.clone());
        if action.kind() == ActionKind::Stop {
            break;
        }
        history.push(step(history.len() as u32 + 1, &action, &observation));
    }
    Ok(episode)
}

/// Keeps what it is asked to draw, and draws nothing.
#[derive(Default)]
struct Keeps(Mutex<Vec<Mark>>);

impl Marker for Keeps {
    fn draw(&self, screenshot: &Screenshot, marks: &[Mark]) -> Result<Vec<u8>, String> {
        self.0.lock().extend_from_slice(marks);
        Ok(screenshot.png.to_vec())
    }
}

#[tokio::test]
async fn an_episode_answered_from_gold_ends_right_in_every_dialect() {
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini] {
        let server = ModelServer::start(FromGold::new([gold()])).await.expect("server");
        let reach = reach(&server, dialect);
        let marker = Arc::new(Keeps::default());
        let planner = HxAgent::new(Arc::new(model(&reach.options)), HxAgentOptions::default())
            .with_marker(Arc::clone(&marker) as Arc<dyn Marker>);
        let episode = run(&planner).await.expect("an episode");
        let mut expected = gold_actions();
        expected.push(Action::Stop { claim: Claim::Done, answer: Some("booked".into()) });
        assert_eq!(episode.actions, expected, "{dialect:?}");
        assert_eq!(server.refused(), Vec::<String>::new(), "{dialect:?}");
        // Six steps, three of which take content, and one picture for the two equal days.
        assert_eq!((episode.pictures, server.asked().len()), (1, 10), "{dialect:?}");
        let marks = marker.0.lock().clone();
        assert_eq!(marks.iter().map(|mark| mark.label.as_str()).collect::<Vec<_>>(), ["4", "5"]);
        let pictured: Vec<_> =
            server.asked().into_iter().filter(|asked| !asked.messages[0].pictures.is_empty()).collect();
        assert_eq!(pictured.len(), 1, "only the disambiguation sends a picture");
        let tokens: u64 = server.asked().iter().map(ModelRequest::prompt_tokens).sum();
        assert_eq!(episode.usage.prompt_tokens, tokens, "every call is counted");
        eprintln!("scripted episode of six steps, {dialect:?}: {tokens} prompt tokens");
    }
}

#[tokio::test]
async fn the_same_script_answers_our_preset_with_fewer_questions() {
    let server = ModelServer::start(FromGold::new([gold()])).await.expect("server");
    let reach = reach(&server, Dialect::OpenAi);
    let options = HxAgentOptions { disambiguate: false, ..HxAgentOptions::of(Preset::Ours) };
    let planner = HxAgent::new(Arc::new(model(&reach.options)), options);
    let episode = run(&planner).await.expect("an episode");
    assert_eq!(episode.actions[..2], gold_actions()[..2], "typed and selected with the choice");
    assert_eq!(server.asked().len(), 5, "none for content, and none for the list, which came with the field before it");
}

#[tokio::test]
async fn a_job_without_gold_ends_as_infeasible_and_says_that_it_was_scripted() {
    let server = ModelServer::start(FromGold::default()).await.expect("server");
    let reach = reach(&server, Dialect::OpenAi);
    let planner = HxAgent::new(Arc::new(model(&reach.options)), HxAgentOptions::default());
    let episode = run(&planner).await.expect("an episode");
    let [Action::Stop { claim: Claim::Infeasible { reason }, .. }] = episode.actions.as_slice() else {
        panic!("{:?}", episode.actions)
    };
    assert!(reason.contains("scripted") && reason.contains(JOB), "{reason}");
}

#[tokio::test]
async fn experience_reaches_the_wire() {
    let server = ModelServer::start(FromGold::new([gold()])).await.expect("server");
    let reach = reach(&server, Dialect::OpenAi);
    let experience = Experience {
        examples: vec!["EXAMPLE-OF-A-TRIAL".into()],
        rules: vec!["RULE-OF-A-FAILURE".into()],
        ..Experience::default()
    };
    let options = HxAgentOptions { experience, ..HxAgentOptions::default() };
    let planner = HxAgent::new(Arc::new(model(&reach.options)), options);
    run(&planner).await.expect("an episode");
    for asked in server.asked() {
        assert!(asked.prompt().contains("EXAMPLE-OF-A-TRIAL"), "{}", asked.prompt());
        assert!(asked.prompt().contains("RULE-OF-A-FAILURE"), "{}", asked.prompt());
    }
}

#[tokio::test]
async fn a_number_out_of_range_is_an_invalid_decision_and_its_call_is_paid() {
    let out_of_range = |_: &ModelRequest| {
        Reply::Json(json!({
            "status": "act", "chosen_action": 4_000, "action_description": "", "reason": "", "answer": null,
        }))
    };
    let server = ModelServer::start(out_of_range).await.expect("server");
    let reach = reach(&server, Dialect::OpenAi);
    let planner = HxAgent::new(Arc::new(model(&reach.options)), HxAgentOptions::default());
    let decision = planner.decide(request(page(1), Vec::new(), Value::Null)).await.expect("a decision");
    let Choice::Invalid { cause } = decision.choice else { panic!("{:?}", decision.choice) };
    assert!(cause.contains("4000"), "{cause}");
    assert!(decision.usage.prompt_tokens > 0);
}

#[tokio::test]
async fn survived_troubles_are_named_in_the_decision() {
    let first = [Reply::Status { code: 500, retry_after: None }, Reply::Text("no JSON".into())];
    let script = harness::model::Sequence::new(first, FromGold::new([gold()]));
    let server = ModelServer::start(script).await.expect("server");
    let reach = reach(&server, Dialect::OpenAi);
    let planner = HxAgent::new(Arc::new(model(&reach.options)), HxAgentOptions::default());
    let decision = planner.decide(request(page(1), Vec::new(), Value::Null)).await.expect("a decision");
    assert!(matches!(decision.choice, Choice::Act(Action::Type { .. })), "{:?}", decision.choice);
    assert!(decision.incidents[0].contains("HTTP 500"), "{:?}", decision.incidents);
    assert!(decision.incidents[1].contains("asked for a repair"), "{:?}", decision.incidents);
}

#[tokio::test]
async fn a_model_endpoint_that_is_down_ends_the_episode_with_a_clear_error() {
    let server = ModelServer::start(FromGold::default()).await.expect("server");
    let mut reach = reach(&server, Dialect::OpenAi);
    reach.options.retries = 1;
    drop(server);
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let planner = HxAgent::new(Arc::new(model(&reach.options)), HxAgentOptions::default());
    let Err(error) = run(&planner).await else { panic!("the endpoint is down") };
    assert!(matches!(error, PlannerError::Unavailable { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("cannot connect") && message.contains("check that the endpoint is running"), "{message}");
}

#[tokio::test]
async fn gold_is_read_from_a_run_directory_and_mistakes_are_named_by_line() {
    let directory = tempfile::tempdir().expect("directory");
    let file = directory.path().join("trajectories.jsonl");
    std::fs::write(&file, serde_json::to_string(&gold()).expect("JSON") + "\n\n").expect("written");
    assert_eq!(FromGold::read(directory.path()).expect("readable").len(), 1);
    std::fs::write(&file, "\n{\"job\": 1}\n").expect("written");
    let error = FromGold::read(&file).expect_err("no trajectory").to_string();
    assert!(error.contains("trajectories.jsonl:2"), "{error}");
}
