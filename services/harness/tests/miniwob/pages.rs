//! The pages are served as they are.

use crate::rig::folder;
use benchmarks::Pages;
use benchmarks::miniwob::suites;

#[tokio::test]
async fn served_pages_are_the_files_byte_for_byte() {
    let folder = folder();
    let pages = Pages::start(&folder).await.unwrap();
    for path in ["miniwob/click-test.html", "core/core.js", "flight/AA/wrapper.html", "flight/Alaska/images/logo2.png"]
    {
        let answer = reqwest::get(pages.base().join(path).unwrap()).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        assert!(answer.headers()["cache-control"].to_str().unwrap().contains("max-age"), "{path}");
        let file = std::fs::read(folder.join(path)).unwrap();
        assert!(answer.bytes().await.unwrap() == file, "{path} was changed on its way");
    }
}

#[tokio::test]
async fn nothing_outside_the_folder_is_served() {
    let pages = Pages::start(&folder().join("core")).await.unwrap();
    let outside = format!("{}%2e%2e/miniwob/click-test.html", pages.base());
    assert_eq!(reqwest::get(outside).await.unwrap().status(), 404);
}

#[tokio::test]
async fn the_server_ends_with_its_handle() {
    let pages = Pages::start(&folder()).await.unwrap();
    let address = pages.base().join("core/core.js").unwrap();
    drop(pages);
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(reqwest::get(address).await.is_err());
}

#[test]
fn the_package_has_130_pages_and_four_flight_sites() {
    let suite = suites::tasks("all", &folder()).unwrap();
    assert_eq!(suite.len(), 134);
    let shared = suites::tasks("hxagent44", &folder()).unwrap();
    assert!(shared.iter().all(|task| suite.contains(task)));
}
