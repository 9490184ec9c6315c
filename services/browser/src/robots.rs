//! Obeys robots.txt (RFC 9309). Each host's file is read once, and checked before every page load.
//!
//! A host without the file allows everything. A host that does not answer, or answers with a server error, allows
//! nothing.

use parking_lot::Mutex;
use robotxt::Robots as Rules;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use url::Url;

/// The name that sites know us by.
pub const AGENT: &str = "Rutter";

/// Deadline for reading a host's file.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes read of a file at most (RFC 9309, section 2.5).
const LONGEST: usize = 500 * 1024;

/// The robots.txt of every visited host, shared by all profiles.
#[derive(Default)]
pub struct Robots {
    hosts: Mutex<HashMap<String, Arc<OnceCell<Rules>>>>,
}

impl Robots {
    /// Whether robots.txt allows a page. Fetches the host's file the first time.
    pub(crate) async fn allow(&self, url: &Url, client: &reqwest::Client) -> bool {
        let Ok(file) = robotxt::robots_url(url) else { return false };
        let host = {
            let mut hosts = self.hosts.lock();
            hosts.entry(file.to_string()).or_default().clone()
        };
        let rules = host.get_or_init(|| async { read(file, client).await }).await;
        rules.is_url_allowed(url)
    }
}

async fn read(file: Url, client: &reqwest::Client) -> Rules {
    let asked = client.get(file.clone()).header("user-agent", AGENT).timeout(PATIENCE).send().await;
    match asked {
        Ok(answer) if answer.status().is_success() => match answer.bytes().await {
            Ok(text) => Rules::parse(&text[..text.len().min(LONGEST)], AGENT),
            Err(error) => refused(&file, &error.to_string()),
        },
        Ok(answer) if answer.status().is_server_error() => refused(&file, answer.status().as_str()),
        // Redirects are not followed: most lead to an HTML page rather than to a robots.txt.
        Ok(_) => Rules::allow_all(),
        Err(error) => refused(&file, &error.to_string()),
    }
}

fn refused(file: &Url, cause: &str) -> Rules {
    tracing::warn!(%file, cause, "robots.txt cannot be read now: nothing of the host is loaded");
    Rules::disallow_all()
}
