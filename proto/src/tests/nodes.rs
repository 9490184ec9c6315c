//! Pages come over as the nodes that are new, and nobody can tell.

use super::door::{Behind, assert_asked, behind_a_door, planner};
use super::messages::page;
use crate::v1::decide_request::Page;
use domain::{DecisionRequest, Observation};
use std::sync::Arc;

async fn ask(behind: &Behind, page: &Observation) -> DecisionRequest {
    let asked = behind.ask(|asked| {
        asked.observation = Arc::new(page.clone());
        asked.history = Arc::default();
    });
    asked.await
}

/// Whether each page was whole, and how many nodes came with it.
fn came(behind: &Behind) -> Vec<(bool, usize)> {
    let of = |message: &_| match message {
        Page::Observation(page) => (true, page.nodes.len()),
        Page::Abridged(page) => (false, page.nodes.len()),
    };
    behind.came().iter().map(|message| of(message.page.as_ref().expect("a page"))).collect()
}

#[tokio::test]
async fn a_page_comes_over_as_what_is_new_of_it() {
    let behind = behind_a_door().await;
    let mut page = page(300);
    let mut asked = ask(&behind, &page).await;
    assert_asked(&behind.mind, &asked);
    page.nodes[7].text.push('!');
    page.nodes[250].value = Some("typed".into());
    asked = ask(&behind, &page).await;
    assert_asked(&behind.mind, &asked);
    // Others that show the same, elsewhere on the page.
    let moved: Vec<_> = page.nodes.shared().skip(100).chain(page.nodes.shared().take(100)).cloned().collect();
    asked = ask(&behind, &Observation { nodes: moved.into(), ..page.clone() }).await;
    assert_asked(&behind.mind, &asked);
    asked = ask(&behind, &Observation::default()).await;
    assert_asked(&behind.mind, &asked);
    assert_eq!(came(&behind), [(true, 300), (false, 2), (false, 0), (true, 0)]);
}

#[tokio::test]
async fn a_planner_that_keeps_nothing_any_more_is_sent_the_whole_page() {
    let behind = behind_a_door().await;
    let mut page = page(40);
    ask(&behind, &page).await;
    let (another, running) = planner().await;
    behind.change(Some(&running));
    page.nodes[3].text.push('!');
    let asked = ask(&behind, &page).await;
    assert_asked(&another, &asked);
    assert_eq!(another.asked.lock().unwrap().len(), 1, "the request reached the planner once");
    ask(&behind, &page).await;
    assert_eq!(came(&behind), [(true, 40), (false, 1), (true, 40), (false, 0)]);
}

#[tokio::test]
async fn a_planner_of_an_older_version_is_sent_whole_pages() {
    let behind = behind_a_door().await;
    let page = page(40);
    ask(&behind, &page).await;
    behind.change(None);
    for _ in 0..2 {
        ask(&behind, &page).await;
    }
    assert_eq!(came(&behind), [(true, 40), (false, 0), (true, 40), (true, 40)]);
}
