//! Nothing outside the scope is ever requested: the other site's own record of requests stays empty.

use crate::kit::{on_both_wires, options};
use browser::{Browser, ProfileOptions};
use domain::page::PageError;
use domain::scope::Scope;
use domain::{Action, Effect, Page};
use harness::site::{RunningSite, Site};

async fn outside() -> RunningSite {
    Site::new().page("/", "<p id=outside>outside</p>").start().await
}

on_both_wires! {
    async fn redirects_frames_popups_and_scripts_stay_within_the_scope(wire: browser::Protocol) {
        let other = outside().await;
        let there = other.url("/");
        let site = Site::new()
            .page("/", &format!(r#"<a id=link href="{there}?link">link</a> <a id=redirect href=/redirect>redirect</a>
                <button id=popup onclick="window.open('{there}?popup')">popup</button>
                <button id=frame onclick="document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{there}?frame' }}))">frame</button>
                <button id=data onclick="document.body.append(Object.assign(document.createElement('iframe'), {{ src: 'data:text/html,<script src={there}?data></script>' }}))">data</button>
                <button id=fetch onclick="fetch('{there}?fetch').catch(() => 0); navigator.sendBeacon('{there}?beacon')">fetch</button>
                <button id=socket onclick="new WebSocket('{}')">socket</button>"#, there.replace("http", "ws")))
            .redirect("/redirect", &format!("{there}?redirected"))
            .start()
            .await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let url = site.url("/").parse().unwrap();
        let profile = ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
        let mut page = browser.profile(profile).await.unwrap();
        for id in ["link", "redirect", "popup", "frame", "data", "fetch", "socket"] {
            page.open(&url).await.unwrap();
            let seen = page.observe().await.unwrap();
            let element = seen.elements().find(|(_, node)| node.attribute("id") == id).unwrap().0;
            let acted = page.act(&Action::click(element), &seen).await.unwrap();
            if id == "link" || id == "redirect" {
                assert!(matches!(&acted.effect, Effect::LeftScope { url } if url.starts_with(&there)), "{id}: {:?}", acted.effect);
            }
            if !matches!(id, "popup" | "socket") {
                assert!(acted.observation.requests.iter().any(|request| request.refused), "{id}: {:?}", acted.observation.requests);
            }
        }
        assert_eq!(other.requests(), Vec::<String>::new());
        page.close().await;
        browser.stop().await;
    }

    async fn an_address_outside_the_scope_is_refused_before_it_is_asked(wire: browser::Protocol) {
        let other = outside().await;
        let site = Site::new().page("/", "<p id=here>here</p>").start().await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let url = site.url("/").parse().unwrap();
        let mut page = browser.profile(ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() }).await.unwrap();
        for forbidden in [other.url("/").as_str(), "file:///etc/passwd", "chrome://version"] {
            let error = page.open(&forbidden.parse().unwrap()).await.unwrap_err();
            assert!(matches!(error, PageError::OutOfScope(_)), "{forbidden}: {error}");
        }
        page.open(&url).await.unwrap();
        let seen = page.observe().await.unwrap();
        let acted = page.act(&Action::Goto { url: other.url("/") }, &seen).await.unwrap();
        assert_eq!(acted.effect, Effect::LeftScope { url: other.url("/") });
        assert_eq!(acted.observation.url, site.url("/"));
        assert_eq!(other.requests(), Vec::<String>::new());
        page.close().await;
        browser.stop().await;
    }
}
