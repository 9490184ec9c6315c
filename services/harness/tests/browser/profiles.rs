//! Profiles share nothing; log-in states travel between them.

use crate::kit::{on_both_wires, options};
use browser::{Browser, ProfileOptions};
use domain::Page;
use domain::scope::Scope;
use harness::site::Site;

on_both_wires! {
    async fn two_profiles_of_one_browser_share_neither_cookies_nor_storage(wire: browser::Protocol) {
        let site = Site::new().page("/", "<p id=p>x</p>").start().await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let url = site.url("/").parse().unwrap();
        let profile = || ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
        let mut first = browser.profile(profile()).await.unwrap();
        let mut second = browser.profile(profile()).await.unwrap();
        first.open(&url).await.unwrap();
        second.open(&url).await.unwrap();
        first.evaluate("(document.cookie = 'a=1', localStorage.b = 2)").await.unwrap();
        second.open(&url).await.unwrap();
        assert_eq!(second.evaluate("document.cookie + localStorage.length").await.unwrap(), "0");
        assert_eq!(first.evaluate("document.cookie + localStorage.length").await.unwrap(), "a=11");
        first.close().await;
        assert_eq!(second.evaluate("1 + 1").await.unwrap(), 2, "the other profile lives on");
        let seen = second.observe().await.unwrap();
        assert_eq!(seen.tabs.len(), 1);
        second.close().await;
        browser.stop().await;
    }

    async fn a_saved_login_state_logs_another_profile_in(wire: browser::Protocol) {
        let site = Site::new().page_with("/", &[("set-cookie", "sid=42; HttpOnly; Path=/")], "<p>x</p>").page("/who", "<p>y</p>").start().await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let url: url::Url = site.url("/").parse().unwrap();
        let profile = ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
        let mut first = browser.profile(profile.clone()).await.unwrap();
        first.open(&url).await.unwrap();
        first.evaluate("localStorage.token = 'abc'").await.unwrap();
        let state = first.save_login_state().await.unwrap();
        first.close().await;
        let mut second = browser.profile(ProfileOptions { login_state: Some(state), ..profile }).await.unwrap();
        second.open(&site.url("/who").parse().unwrap()).await.unwrap();
        assert_eq!(second.evaluate("localStorage.token").await.unwrap(), "abc");
        let again = second.save_login_state().await.unwrap();
        assert!(again.cookies.iter().any(|cookie| cookie["name"] == "sid"), "{again:?}");
        second.close().await;
        browser.stop().await;
    }

    async fn a_profile_speaks_its_locale(wire: browser::Protocol) {
        let site = Site::new().page("/", "<p>x</p>").start().await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let url = site.url("/").parse().unwrap();
        let profile = ProfileOptions { scope: Scope::of(&url), locale: Some("de-DE".into()), ..ProfileOptions::default() };
        let mut page = browser.profile(profile).await.unwrap();
        page.open(&url).await.unwrap();
        assert_eq!(page.evaluate("(1.5).toLocaleString()").await.unwrap(), "1,5");
        page.close().await;
        browser.stop().await;
    }
}
