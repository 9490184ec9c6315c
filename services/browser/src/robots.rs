//! Obeys robots.txt (RFC 9309). Each host's file is read once, and checked before every page load; `Crawl-delay` is kept to.
//!
//! A host without the file allows everything. A host that does not answer, or answers with a server error or 429, allows nothing for
//! now, and is asked again later.

use domain::scope::Scope;
use parking_lot::Mutex;
use platform::{Clock, SystemClock, listeners};
use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use robotxt::Robots as Rules;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;
use url::Url;

/// The name that sites know us by: the product token.
pub const AGENT: &str = "Rutter";

/// Deadline for reading a host's file.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes read of a file at most (RFC 9309, section 2.5).
const LONGEST: usize = 500 * 1024;
/// Redirects followed on the way to a file (RFC 9309, section 2.3.1.2).
const REDIRECTS: usize = 5;
/// How long a host that cannot be asked now is left alone, where it does not say so itself.
const AGAIN: Duration = Duration::from_secs(30);
/// The longest time that a host may keep us away, or between two pages.
const LONGEST_AWAY: Duration = Duration::from_secs(3600);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The robots.txt of every visited host, shared by all profiles.
#[derive(Default)]
pub struct Robots {
    hosts: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Host>>>>,
    clock: SystemClock,
}

/// What is known of a host.
#[derive(Default)]
struct Host {
    /// Its rules; none before they were read.
    rules: Option<Rules>,
    /// When they are to be read again, by the clock; none where they stay.
    again: Option<Duration>,
    /// Before when no page may be loaded, by the clock.
    next: Duration,
}

/// What came of asking for a file.
enum FileAnswer {
    Rules(Rules),
    /// Nothing may be loaded for this time.
    NotNow(Duration),
}

impl Robots {
    /// Whether robots.txt allows a page. Fetches the host's file the first time.
    pub(crate) async fn allow(&self, url: &Url, client: &reqwest::Client, scope: &Scope) -> bool {
        self.rules(url, client, scope).await.is_some()
    }

    /// The same, before a page is loaded: waits as the host's `Crawl-delay` asks.
    pub(crate) async fn allow_load(&self, url: &Url, client: &reqwest::Client, scope: &Scope) -> bool {
        let Some(mut host) = self.rules(url, client, scope).await else { return false };
        let delay = host.rules.as_ref().and_then(Rules::crawl_delay).unwrap_or_default().min(LONGEST_DELAY);
        let turn = host.next.max(self.clock.monotonic());
        host.next = turn + delay;
        drop(host);
        tokio::time::sleep(turn.saturating_sub(self.clock.monotonic())).await;
        true
    }

    /// The host of a page, where its rules allow the page.
    async fn rules(&self, url: &Url, client: &reqwest::Client, scope: &Scope) -> Option<OwnedMutexGuard<Host>> {
        let mut file = robotxt::robots_url(url).ok()?;
        // What stands in an address to log in with is a reference, and no file for everybody asks for it.
        let _ = file.set_password(None).and_then(|()| file.set_username(""));
        let host = self.hosts.lock().entry(file.to_string()).or_default().clone();
        let mut host = host.lock_owned().await;
        let now = self.clock.monotonic();
        if host.rules.is_none() || host.again.is_some_and(|again| now >= again) {
            (host.rules, host.again) = match read(file, client, scope).await {
                FileAnswer::Rules(rules) => (Some(rules), None),
                FileAnswer::NotNow(away) => (Some(Rules::disallow_all()), Some(self.clock.monotonic() + away)),
            };
        }
        let allows = host.rules.as_ref().is_some_and(|rules| rules.is_url_allowed(url));
        allows.then_some(host)
    }
}

async fn read(file: Url, client: &reqwest::Client, scope: &Scope) -> FileAnswer {
    let asked = tokio::time::timeout(PATIENCE, ask(file.clone(), client, scope)).await;
    match asked.unwrap_or_else(|_| Err("it did not answer in time".to_owned())) {
        Ok(answer) => answer,
        Err(cause) => {
            tracing::warn!(%file, cause, "robots.txt cannot be read now: nothing of the host is loaded");
            FileAnswer::NotNow(AGAIN)
        }
    }
}

/// Asks for the file. What is not there, is redirected for ever or out of the scope, forbids nothing.
async fn ask(mut at: Url, client: &reqwest::Client, scope: &Scope) -> Result<FileAnswer, String> {
    for _ in 0..=REDIRECTS {
        let (host, port) = (at.host_str().unwrap_or_default(), at.port_or_known_default().unwrap_or_default());
        if listeners::may_be_own(host, port) {
            return Err(format!("port {port} belongs to Rutter itself"));
        }
        let asked = client.get(at.clone()).header("user-agent", AGENT).send().await;
        let answer = asked.map_err(|error| error.to_string())?;
        let status = answer.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Ok(FileAnswer::NotNow(retry_after(&answer)));
        }
        if status.is_server_error() {
            return Err(status.to_string());
        }
        if status.is_success() {
            let text = beginning(answer).await?;
            return Ok(FileAnswer::Rules(Rules::parse(tokens_only(&text).as_bytes(), AGENT)));
        }
        let location = answer.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        match location.filter(|_| status.is_redirection()).and_then(|location| at.join(location).ok()) {
            Some(next) if scope.check(&next).is_ok() => at = next,
            _ => break,
        }
    }
    Ok(FileAnswer::Rules(Rules::allow_all()))
}

fn retry_after(answer: &Response) -> Duration {
    let seconds = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    seconds.map_or(AGAIN, Duration::from_secs).min(LONGEST_AWAY)
}

/// The beginning of a file, as much as is read of it; the rest is not waited for.
async fn beginning(mut answer: Response) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    while text.len() < LONGEST {
        match answer.chunk().await.map_err(|error| error.to_string())? {
            Some(chunk) => text.extend_from_slice(&chunk),
            None => break,
        }
    }
    text.truncate(LONGEST);
    Ok(text)
}

/// The file with nothing but the product token left of each name of a crawler: `Rutter/1.0` is `Rutter` (RFC 9309, section 2.2.1).
fn tokens_only(text: &[u8]) -> String {
    let line = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let is_token = |sign: char| sign.is_ascii_alphabetic() || sign == '-' || sign == '_';
        let token = value.trim_start().split(|sign: char| !is_token(sign)).next().filter(|token| !token.is_empty())?;
        key.trim().eq_ignore_ascii_case("user-agent").then(|| format!("{key}: {token}"))
    };
    let text = String::from_utf8_lossy(text);
    text.lines().map(|written| line(written).unwrap_or_else(|| written.to_owned())).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
mod tests {
    use super::*;
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    async fn site(answer: ResponseTemplate) -> MockServer {
        let site = MockServer::start().await;
        Mock::given(path("/robots.txt")).respond_with(answer).mount(&site).await;
        site
    }

    fn client() -> reqwest::Client {
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client")
    }

    async fn allows(robots: &Robots, site: &MockServer, page: &str) -> bool {
        let url = Url::parse(&format!("{}{page}", site.uri())).expect("an address");
        robots.allow(&url, &client(), &Scope::of(&url)).await
    }

    async fn loads(robots: &Robots, site: &MockServer, page: &str) -> bool {
        let url = Url::parse(&format!("{}{page}", site.uri())).expect("an address");
        robots.allow_load(&url, &client(), &Scope::of(&url)).await
    }

    #[tokio::test]
    async fn the_group_of_our_product_token_counts_whatever_stands_behind_it() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: RUTTER/2.0 (tester)\nDisallow: /private\n";
        let site = site(ResponseTemplate::new(200).set_body_string(text)).await;
        let robots = Robots::default();
        assert!(allows(&robots, &site, "/public").await && !allows(&robots, &site, "/private").await);
        let other = self::site(ResponseTemplate::new(200).set_body_string("User-agent: Rutterbot\nDisallow: /")).await;
        assert!(allows(&robots, &other, "/public").await, "that is another crawler");
    }

    #[tokio::test]
    async fn redirects_are_followed_within_the_scope_only() {
        let text = ResponseTemplate::new(200).set_body_string("User-agent: *\nDisallow: /private");
        let site = site(ResponseTemplate::new(301).insert_header("location", "/elsewhere.txt")).await;
        Mock::given(path("/elsewhere.txt")).respond_with(text.clone()).mount(&site).await;
        assert!(!allows(&Robots::default(), &site, "/private").await);
        let outside = self::site(text).await;
        let away = ResponseTemplate::new(301).insert_header("location", format!("{}/robots.txt", outside.uri()));
        let leads_out = self::site(away).await;
        assert!(allows(&Robots::default(), &leads_out, "/private").await);
        assert!(outside.received_requests().await.expect("it records").is_empty());
    }

    #[tokio::test]
    async fn our_own_ports_are_asked_for_no_file() {
        let own = site(ResponseTemplate::new(200)).await;
        let location = format!("{}/robots.txt", own.uri());
        let leads_there = site(ResponseTemplate::new(301).insert_header("location", location)).await;
        let _claimed = listeners::claim(own.address().port());
        let url = Url::parse(&leads_there.uri()).expect("an address");
        let wide = Scope { hosts: vec!["127.0.0.1:*".to_owned()] };
        assert!(!Robots::default().allow(&url, &client(), &wide).await);
        assert!(!allows(&Robots::default(), &own, "/").await);
        assert!(own.received_requests().await.expect("it records").is_empty());
    }

    #[tokio::test]
    async fn a_file_is_read_to_its_limit_and_no_further() {
        let comment = format!("# {}\n", "x".repeat(998));
        let early = format!("User-agent: *\nDisallow: /early\n{}Disallow: /late\n", comment.repeat(600));
        let site = site(ResponseTemplate::new(200).set_body_string(early)).await;
        let robots = Robots::default();
        assert!(!allows(&robots, &site, "/early").await && allows(&robots, &site, "/late").await);
    }

    #[tokio::test]
    async fn too_many_requests_means_not_now() {
        let site = MockServer::start().await;
        let busy = ResponseTemplate::new(429).insert_header("retry-after", "1");
        Mock::given(path("/robots.txt")).respond_with(busy).up_to_n_times(1).mount(&site).await;
        Mock::given(path("/robots.txt")).respond_with(ResponseTemplate::new(404)).mount(&site).await;
        let robots = Robots::default();
        assert!(!allows(&robots, &site, "/").await && !allows(&robots, &site, "/").await);
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert!(allows(&robots, &site, "/").await, "it is asked again");
    }

    #[tokio::test]
    async fn a_crawl_delay_lies_between_two_pages() {
        let text = "User-agent: *\nCrawl-delay: 1\nDisallow:";
        let site = site(ResponseTemplate::new(200).set_body_string(text)).await;
        let (robots, clock) = (Robots::default(), SystemClock::default());
        assert!(loads(&robots, &site, "/a").await);
        let begun = clock.monotonic();
        assert!(loads(&robots, &site, "/b").await);
        assert!(clock.monotonic() - begun >= Duration::from_millis(900));
    }
}
