//! The report shows what was stored, and nothing that a page said can act in it.

use super::*;
use crate::scores::Scores;
use domain::action::Claim;
use domain::decision::Level;
use domain::job::Outcome;
use domain::locator::{Locator, Position};
use domain::observation::Request;
use domain::observation::Stamp;
use domain::task::{Check, TextMatch};
use domain::verdict::{Finding, VerdictKind};
use domain::{
    Action, BlobRef, CampaignId, Deciding, Descriptor, Effect, Ending, EpisodeId, Evidence, Fence, JobId,
    PageDifference, Rect, SiteId, Step, TaskId, Trajectory, Usage, Verdict,
};

fn button(name: &str) -> Descriptor {
    Descriptor {
        locators: vec![Locator::Role { role: "button".into(), name: name.into() }],
        matches: vec![Position { index: 0, of: 1 }],
        role: "button".into(),
        name: name.into(),
        tag: "button".into(),
        context: String::new(),
        bounds: Rect { x: 1.0, y: 2.0, width: 30.0, height: 10.0 },
        frames: Vec::new(),
        address: None,
        place: String::new(),
    }
}

fn attempt(job: &str, instruction: &str, kind: VerdictKind, observed: &str) -> Attempt {
    let episode = EpisodeId(uuid::Uuid::nil());
    let ending = Ending::Stopped { claim: Claim::Done, answer: None };
    let task = job.split('/').next().unwrap_or(job);
    let step = Step {
        number: 1,
        stamp: Stamp::default(),
        url: "http://shop.test/".into(),
        title: "Shop".into(),
        summary: String::new(),
        action: Action::click(button("Log in")),
        reason: "the instruction names it".into(),
        confidence: 0.9,
        level: Level::Ground,
        effect: Effect::Changed { what: vec!["url".into(), "content".into()] },
        usage: Usage::default(),
        decide_ms: 3.0,
        act_ms: 41.5,
        at_ms: 50.0,
        difference: PageDifference { appeared: vec!["heading \"Welcome\"".into()], ..PageDifference::default() },
        requests: vec![Request {
            method: "POST".into(),
            url: "http://shop.test/log-in".into(),
            status: Some(303),
            ..Request::default()
        }],
        faults: Vec::new(),
        incidents: Vec::new(),
        screenshot: None,
    };
    let finding = if kind.is_success() { Finding::Confirmed } else { Finding::Refuted };
    let evidence = Evidence {
        check: Check::Url(TextMatch::Contains("/home".into())),
        finding,
        observed: observed.into(),
        screenshot: None,
    };
    Attempt {
        outcome: Outcome {
            job: JobId::new(job),
            campaign: CampaignId::new("c"),
            episode,
            fence: Fence(1),
            task: TaskId::new(task),
            site: SiteId::new("shop"),
            planner: "ground".into(),
            verdict: Verdict { kind, reason: format!("the address is {observed}"), evidence: vec![evidence] },
            ending: ending.clone(),
            reward: None,
            steps: 1,
            usage: Usage::default(),
            wall_ms: 812.0,
            incidents: Vec::new(),
            trajectory: BlobRef::new("0"),
        },
        trajectory: Some(Trajectory {
            episode,
            job: JobId::new(job),
            fence: Fence(1),
            task: TaskId::new(task),
            site: SiteId::new("shop"),
            instruction: instruction.into(),
            planner: "ground".into(),
            steps: vec![step],
            ending,
            screenshot: None,
            usage: Usage::default(),
            wall_ms: 812.0,
            downloads: Vec::new(),
            deciding: Deciding::default(),
        }),
    }
}

fn report(attempts: &[Attempt], pictures: &Pictures) -> String {
    let outcomes: Vec<Outcome> = attempts.iter().map(|attempt| attempt.outcome.clone()).collect();
    let heading = Heading {
        title: "shop".into(),
        created: "2026-01-01 12:00".into(),
        settings: vec![("planner".into(), "ground".into())],
        pending: 0,
        note: String::new(),
    };
    render(&view(heading, &Scores::of(&outcomes, 2.5), attempts, pictures)).expect("the template is valid")
}

#[test]
fn a_small_report_looks_like_this() {
    let attempts = [
        attempt("login/1", "Log in", VerdictKind::Passed, "http://shop.test/home"),
        attempt("logout/1", "Log out", VerdictKind::NotAchieved, "http://shop.test/"),
    ];
    let pictures = Pictures::from([((0, 1), "data:image/jpeg;base64,AAAA".to_owned())]);
    let html = report(&attempts, &pictures);
    let body = html.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>")).expect("a body").0;
    insta::assert_snapshot!(body);
}

#[test]
fn what_a_page_says_stays_text() {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)> \"'";
    let html = report(&[attempt("a/1", evil, VerdictKind::Passed, evil)], &Pictures::new());
    assert!(!html.contains("<script>alert"), "unescaped script");
    assert!(!html.contains("<img src=x"), "unescaped element");
    assert!(html.contains("&lt;script&gt;alert(1)"), "the text itself is shown");
}

#[test]
fn the_report_needs_nothing_beside_it() {
    let html = report(&[attempt("a/1", "x", VerdictKind::Passed, "y")], &Pictures::new());
    for outside in ["<link", "src=\"http", "@import", "url(http", "fetch("] {
        assert!(!html.contains(outside), "{outside}");
    }
}
