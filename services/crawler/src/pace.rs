//! Politeness: every page load of a host waits for its permission, which all crawlers share.

use domain::campaign::Rate;
use domain::storage::shared::{Permission, RateLimit};
use platform::network::is_this_machine;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Pause before a limiter that did not answer is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// Waits for permissions of the shared limiter. Loads nothing while it does not answer.
pub struct SharedPace {
    /// Where permissions come from.
    pub limiter: Arc<dyn RateLimit>,
    /// The rates of the campaign, by host.
    pub rates: BTreeMap<String, Rate>,
    /// The rate of hosts that the campaign does not name. Addresses of this machine have none unless named.
    pub usual: Option<Rate>,
}

impl SharedPace {
    /// Returns when one page of a host may be loaded. `authority` is the host, with its port where that is not the usual one.
    pub async fn admit(&self, authority: &str) {
        let Some((bucket, rate)) = self.rate(authority) else { return };
        loop {
            match self.limiter.take(bucket, rate).await {
                Ok(Permission::Now) => return,
                Ok(Permission::After(wait)) => sleep(wait.max(Duration::from_millis(1))).await,
                Err(error) => {
                    tracing::warn!(%error, authority, "the rate limiter does not answer, the page load waits");
                    sleep(AGAIN).await;
                }
            }
        }
    }

    /// The rate of an address, and whose it is: that of the host over all its ports, unless the campaign names the port:
    /// then it is that of the port alone.
    fn rate<'a>(&self, authority: &'a str) -> Option<(&'a str, Rate)> {
        let host = without_port(authority);
        let of_host = || self.rates.get(host).copied().or_else(|| self.usual.filter(|_| !is_this_machine(authority)));
        self.rates.get(authority).map(|rate| (authority, *rate)).or_else(|| Some((host, of_host()?)))
    }
}

/// The host of an authority: `shop.example` of `shop.example:8443`, `[::1]` of `[::1]:80`.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|sign| sign.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_their_campaigns_rate_over_all_ports_else_the_usual_one_and_this_machine_has_none() {
        let rate = |per_second| Rate { per_second, burst: 1 };
        let rates = BTreeMap::from([("shop.example".into(), rate(1.0)), ("127.0.0.1:8080".into(), rate(2.0))]);
        let clock = Arc::new(platform::SystemClock::default());
        let limiter = Arc::new(backends::shared::SharedMemory::new(clock));
        let pace = SharedPace { limiter, rates, usual: Some(rate(4.0)) };
        assert_eq!(pace.rate("shop.example"), Some(("shop.example", rate(1.0))));
        assert_eq!(pace.rate("shop.example:8443"), Some(("shop.example", rate(1.0))));
        assert_eq!(pace.rate("other.example:81"), Some(("other.example", rate(4.0))));
        assert_eq!(pace.rate("127.0.0.1:8080"), Some(("127.0.0.1:8080", rate(2.0))));
        assert_eq!(pace.rate("127.0.0.1:9090"), None);
        assert_eq!(pace.rate("localhost"), None);
        assert_eq!(pace.rate("[::1]"), None);
        assert_eq!(without_port("[2001:db8::1]:80"), "[2001:db8::1]");
    }
}
