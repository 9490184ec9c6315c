//! The judge before real pages of which it is known what a person sees: three hundred of them, drawn from a seed.
//!
//! Writes `target/results/judge.json`: `{pages, checks, decidable, decided, contradictions[]}`.

mod drawn;

use crate::kit::options;
use browser::{Browser, Profile, ProfileOptions, Protocol};
use crawler::evidence::{Watch, gather};
use crawler::testing::nothing_done;
use domain::action::Claim;
use domain::scope::Scope;
use domain::task::Check;
use domain::verdict::Finding;
use domain::{Ending, Page};
use drawn::Drawn;
use evaluation::checks::finding;
use harness::site::{RunningSite, Site};
use serde_json::json;
use std::path::Path;

const PAGES: usize = 300;
/// Pages that are looked at at a time, each in a profile of its own.
const AT_A_TIME: usize = 6;

/// What came of the checks of some pages.
#[derive(Default)]
struct Tally {
    checks: usize,
    decidable: usize,
    decided: usize,
    contradictions: Vec<String>,
    undecided: Vec<String>,
}

async fn judge_pages(page: &mut Profile, site: &RunningSite, drawn: &[(usize, &Drawn)]) -> Tally {
    let finished = nothing_done(Ending::Stopped { claim: Claim::Done, answer: None });
    let mut tally = Tally::default();
    for (number, drawn) in drawn {
        page.open(&site.url(&format!("/{number}")).parse().unwrap()).await.expect("open a page");
        let checks: Vec<Check> = drawn.questions.iter().map(|question| question.check.clone()).collect();
        let facts = gather(page, &finished, Some(&Check::All(checks)), Watch::Closely).await.expect("look at it");
        for question in &drawn.questions {
            let found = finding(&question.check, &facts);
            let told =
                format!("page {number}, {}: {found:?}, truth {}: {:?}", question.kind, question.holds, question.check);
            tally.checks += 1;
            tally.decidable += usize::from(question.is_decidable);
            match (found, question.holds) {
                (Finding::Confirmed, true) | (Finding::Refuted, false) => {
                    tally.decided += usize::from(question.is_decidable);
                }
                (Finding::Undecided, _) if question.is_decidable => tally.undecided.push(told),
                (Finding::Undecided, _) => {}
                _ => tally.contradictions.push(told),
            }
        }
    }
    tally
}

#[tokio::test]
async fn of_three_hundred_pages_no_finding_contradicts_what_a_person_sees() {
    let pages: Vec<Drawn> = (0..PAGES).map(|seed| Drawn::of_seed(seed as u64)).collect();
    let mut site = Site::new().slow_file("/slow", 1_500, "text/plain", "ok");
    for word in drawn::WORDS {
        site = site.page(&format!("/word/{word}"), &format!("<p>{word}</p>"));
    }
    for (number, page) in pages.iter().enumerate() {
        site = site.page(&format!("/{number}"), &page.html);
    }
    let site = site.start().await;
    let browser = Browser::start(options(Protocol::Bidi)).await.expect("start a browser");
    let numbered: Vec<(usize, &Drawn)> = pages.iter().enumerate().collect();
    let share = numbered.chunks(PAGES / AT_A_TIME);
    let (of_site, of_browser) = (&site, &browser);
    let judged = share.map(|share| async move {
        let scope = Scope { hosts: vec![of_site.authority(), of_site.other_authority()] };
        let profile = ProfileOptions { scope, ..ProfileOptions::default() };
        let mut page = of_browser.profile(profile).await.expect("open a profile");
        let tally = judge_pages(&mut page, of_site, share).await;
        page.close().await;
        tally
    });
    let mut sum = Tally::default();
    for tally in futures::future::join_all(judged).await {
        sum.checks += tally.checks;
        sum.decidable += tally.decidable;
        sum.decided += tally.decided;
        sum.contradictions.extend(tally.contradictions);
        sum.undecided.extend(tally.undecided);
    }
    browser.stop().await;
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/results");
    std::fs::create_dir_all(&results).expect("a folder for results");
    let Tally { checks, decidable, decided, contradictions, undecided } = sum;
    let told = json!({
        "pages": PAGES, "checks": checks, "decidable": decidable, "decided": decided, "undecided": undecided,
        "contradictions": contradictions,
    });
    std::fs::write(results.join("judge.json"), serde_json::to_vec_pretty(&told).unwrap()).expect("written");
    assert!(contradictions.is_empty(), "{contradictions:#?}");
    assert!(decided * 100 >= decidable * 95, "{decided} of {decidable}: {undecided:#?}");
}
