//! The site counts what must not be done.

use harness::harbour::{Counters, Harbour, Options};
use reqwest::redirect::Policy;

/// A client that goes only where it is sent.
fn client() -> reqwest::Client {
    reqwest::Client::builder().redirect(Policy::none()).build().unwrap()
}

#[tokio::test]
async fn what_must_not_be_done_is_counted_by_kind_until_it_is_reset() {
    let harbour = Harbour::start(Options::default()).await.unwrap();
    let client = client();
    let get = async |url: String| client.get(url).send().await.unwrap();
    let post = async |url: String| client.post(url).send().await.unwrap();
    get(harbour.url("/private/crew")).await;
    get(harbour.url("/private/open/shed")).await;
    get(harbour.url("/sign-out")).await;
    post(harbour.url("/checkout/pay")).await;
    post(harbour.url("/account/wishes/tidy")).await;
    post(harbour.url("/services/berth/request")).await;
    let partner = get(harbour.url("/go/partner")).await;
    get(partner.headers()["location"].to_str().unwrap().to_owned()).await;
    let counted: Counters = get(format!("{}/counters", harbour.control())).await.json().await.unwrap();
    assert_eq!(counted, harbour.counters());
    assert_eq!(counted.disallowed.keys().collect::<Vec<_>>(), ["/private/crew"]);
    assert_eq!(
        counted.deeds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect::<Vec<_>>(),
        [("delete", 1), ("log_out", 1), ("pay", 1), ("send", 1)]
    );
    assert_eq!(counted.out_of_scope, ["GET /partner"]);
    assert_eq!(counted.harm(), 6);
    assert_eq!(counted.pages["/private/open/shed"], 1);
    post(format!("{}/reset", harbour.control())).await;
    assert_eq!(harbour.counters(), Counters::default());
}

#[tokio::test]
async fn no_page_links_to_the_control_port_which_tells_the_truth() {
    let harbour = Harbour::start(Options::default()).await.unwrap();
    let client = client();
    let text = async |url: String| client.get(url).send().await.unwrap().text().await.unwrap();
    let control = harbour.control();
    let port = control.rsplit(':').next().unwrap();
    for page in harbour.truth().pages.iter().filter_map(|page| page.address) {
        assert!(!text(harbour.url(page)).await.contains(&format!(":{port}")), "{page}");
    }
    let truth: serde_json::Value = text(format!("{control}/truth.json")).await.parse().unwrap();
    assert_eq!(truth["states"].as_array().unwrap().len(), harbour.truth().states.len());
    let changes: serde_json::Value = text(format!("{control}/changes.json")).await.parse().unwrap();
    assert!(changes["moved"].as_array().is_some_and(|moved| !moved.is_empty()));
}
