//! What the cases share: a page on a wire, and short ways to say what is looked for.

use browser::{Browser, Options, Profile, ProfileOptions, Protocol, SettleOptions};
use domain::page::Acted;
use domain::scope::Scope;
use domain::{Action, ElementId, Node, Observation, Page};
use harness::site::{RunningSite, Site};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Runs a case over both wires.
macro_rules! on_both_wires {
    ($($(#[$attribute:meta])* async fn $name:ident($on:ident: $on_type:ty) $body:block)*) => {$(
        mod $name {
            #[allow(unused_imports, reason = "not every case uses everything")]
            use super::*;
            async fn case($on: $on_type) $body
            #[tokio::test]
            async fn bidi() { case(browser::Protocol::Bidi).await }
            #[tokio::test]
            async fn classic() { case(browser::Protocol::Classic).await }
        }
    )*};
}
pub(crate) use on_both_wires;

/// A browser with one page of a site.
pub(crate) struct Stage {
    pub(crate) browser: Browser,
    pub(crate) page: Profile,
    pub(crate) site: RunningSite,
    pub(crate) seen: Observation,
}

pub(crate) fn options(wire: Protocol) -> Options {
    Options { wire, ..Options::default() }
}

impl Stage {
    /// Opens `/` of the site.
    pub(crate) async fn open(wire: Protocol, site: Site) -> Stage {
        Stage::open_with(options(wire), site).await
    }

    pub(crate) async fn of_page(wire: Protocol, html: &str) -> Stage {
        Stage::open(wire, Site::new().page("/", html)).await
    }

    pub(crate) async fn open_with(options: Options, site: Site) -> Stage {
        Stage::knowing(options, site, "hunter2!").await
    }

    /// Opens `/` of the site in a profile whose secret `password` has this value.
    pub(crate) async fn knowing(options: Options, site: Site, secret: &str) -> Stage {
        let site = site.start().await;
        let browser = Browser::start(options).await.expect("start a browser");
        let secrets = BTreeMap::from([("password".to_owned(), secret.to_owned())]);
        Stage::set(site, browser, ProfileOptions { secrets: Arc::new(secrets), ..ProfileOptions::default() }).await
    }

    /// Opens `/` of the site in a profile that keeps downloads, whose task has these files.
    pub(crate) async fn with_files(wire: Protocol, site: Site, files: BTreeMap<String, PathBuf>) -> Stage {
        let site = site.start().await;
        let browser = Browser::start(options(wire)).await.expect("start a browser");
        Stage::set(site, browser, ProfileOptions { files, downloads: true, ..ProfileOptions::default() }).await
    }

    /// Opens `/` of the site in a profile that keeps downloads, and whose secret `password` has this value.
    pub(crate) async fn keeping_a_secret(wire: Protocol, site: Site, secret: &str) -> Stage {
        let site = site.start().await;
        let browser = Browser::start(options(wire)).await.expect("start a browser");
        let secrets = Arc::new(BTreeMap::from([("password".to_owned(), secret.to_owned())]));
        Stage::set(site, browser, ProfileOptions { secrets, downloads: true, ..ProfileOptions::default() }).await
    }

    async fn set(site: RunningSite, browser: Browser, profile: ProfileOptions) -> Stage {
        let scope = Scope { hosts: vec![site.authority(), site.other_authority()] };
        let profile = ProfileOptions { scope, patience: Duration::from_secs(4), ..profile };
        let mut page = browser.profile(profile).await.expect("open a profile");
        page.open(&site.url("/").parse().unwrap()).await.expect("open the page");
        let seen = page.observe().await.expect("observe");
        Stage { browser, page, site, seen }
    }

    /// A short settle deadline, for pages that never settle.
    pub(crate) fn impatient(wire: Protocol) -> Options {
        let settle = SettleOptions { deadline: Duration::from_millis(700), ..SettleOptions::default() };
        Options { settle, ..options(wire) }
    }

    pub(crate) async fn act(&mut self, action: Action) -> Acted {
        let acted = self.page.act(&action, &self.seen).await.unwrap_or_else(|error| panic!("{action:?}: {error}"));
        self.seen = acted.observation.clone();
        acted
    }

    pub(crate) async fn click(&mut self, id: &str) -> Acted {
        self.act(Action::click(self.id(id))).await
    }

    pub(crate) async fn type_in(&mut self, id: &str, text: &str) -> Acted {
        self.act(Action::Type { element: self.id(id), text: text.to_owned(), submit: false }).await
    }

    /// The element with an `id` attribute.
    pub(crate) fn id(&self, id: &str) -> ElementId {
        self.try_id(id).unwrap_or_else(|| panic!("no element #{id} in {:#?}", self.seen.nodes))
    }

    pub(crate) fn try_id(&self, id: &str) -> Option<ElementId> {
        self.seen.elements().find(|(_, node)| node.attribute("id") == id).map(|(element, _)| element)
    }

    pub(crate) fn node(&self, id: &str) -> &Node {
        self.seen.node(self.id(id)).expect("just found")
    }

    pub(crate) fn text(&self, id: &str) -> String {
        self.try_id(id).and_then(|element| self.seen.node(element)).map(|node| node.text.clone()).unwrap_or_default()
    }

    pub(crate) async fn close(self) {
        self.page.close().await;
        self.browser.stop().await;
    }
}

/// What an effect says changed; panics for any other effect.
pub(crate) fn changes(acted: &Acted) -> Vec<String> {
    match &acted.effect {
        domain::Effect::Changed { what } => what.clone(),
        other => panic!("expected a change, got {other:?}"),
    }
}

/// Why an action failed; panics for any other effect.
pub(crate) fn failure(effect: &domain::Effect) -> String {
    match effect {
        domain::Effect::Failed { cause } => cause.clone(),
        other => panic!("expected a failure, got {other:?}"),
    }
}
