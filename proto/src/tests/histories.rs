//! What was done comes over as what is new of it, and nobody can tell.

use super::arbitrary::step;
use super::door::{Behind, assert_asked, behind_a_door, planner};
use super::services::example;
use domain::observation::Stamp;
use domain::{DecisionRequest, EpisodeId, Step};
use std::sync::Arc;

fn steps(count: u64) -> Vec<Step> {
    let stamp = |number| Stamp { session: "one".into(), number };
    (1..=count).map(|number| Step { stamp: stamp(number), number: number as u32, ..example(step()) }).collect()
}

async fn ask(behind: &Behind, episode: u128, history: &[Step]) -> DecisionRequest {
    let asked = behind.ask(|asked| {
        asked.episode = EpisodeId(format!("{episode:032x}").parse().expect("an id"));
        asked.history = Arc::new(history.to_vec());
    });
    asked.await
}

/// How many steps were left out, and how many came.
fn came(behind: &Behind) -> Vec<(u32, usize)> {
    let of = |message: &crate::v1::DecideRequest| {
        assert_eq!(message.continued.is_some(), message.episode.is_empty());
        (message.continued.as_ref().map_or(0, |of| of.steps), message.history.len())
    };
    behind.came().iter().map(of).collect()
}

#[tokio::test]
async fn of_what_was_done_only_the_newest_comes_over() {
    let behind = behind_a_door().await;
    let done = steps(12);
    for (episode, done) in [(1, &done[..0]), (1, &done[..1]), (1, &done[..4]), (2, &done[..2]), (1, &done[..12])] {
        let asked = ask(&behind, episode, done).await;
        assert_asked(&behind.mind, &asked);
    }
    assert_eq!(came(&behind), [(0, 0), (0, 1), (1, 3), (0, 2), (4, 8)]);
}

#[tokio::test]
async fn what_was_asked_before_or_has_another_past_is_told_as_it_is() {
    let behind = behind_a_door().await;
    let done = steps(5);
    ask(&behind, 1, &done).await;
    let asked = ask(&behind, 1, &done).await;
    assert_asked(&behind.mind, &asked);
    let asked = ask(&behind, 1, &done[..3]).await;
    assert_asked(&behind.mind, &asked);
    let asked = ask(&behind, 1, &done[1..]).await;
    assert_asked(&behind.mind, &asked);
    assert_eq!(came(&behind), [(0, 5), (5, 0), (0, 3), (0, 4)]);
}

#[tokio::test]
async fn a_planner_that_keeps_nothing_any_more_is_told_all() {
    let behind = behind_a_door().await;
    let done = steps(3);
    ask(&behind, 1, &done[..2]).await;
    let (another, running) = planner().await;
    behind.change(Some(&running));
    let asked = ask(&behind, 1, &done).await;
    assert_asked(&another, &asked);
    assert_eq!(another.asked.lock().unwrap().len(), 1, "the request reached the planner once");
    assert_eq!(came(&behind).last(), Some(&(0, 3)));
}

#[tokio::test]
async fn a_planner_of_an_older_version_is_told_all() {
    let behind = behind_a_door().await;
    let done = steps(4);
    ask(&behind, 1, &done[..2]).await;
    behind.change(None);
    for count in 3..=4 {
        ask(&behind, 1, &done[..count]).await;
    }
    assert_eq!(came(&behind), [(0, 2), (2, 1), (0, 3), (0, 4)]);
}
