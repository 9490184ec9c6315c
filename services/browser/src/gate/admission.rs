//! Whom a gate lets in. A gate on loopback serves the processes of this machine, as every driver on it does. One that other machines
//! reach serves the browser that it was opened for and nobody else: a browser that can be told a credential shows it, and any other
//! is known by the address of its machine.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{HeaderMap, PROXY_AUTHORIZATION};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use subtle::ConstantTimeEq as _;

/// The user that browsers name to a gate.
pub(crate) const USER: &str = "rutter";

/// Machines of which it is remembered that they were refused.
const STRANGERS: usize = 100;

/// Whom a gate lets in, and who came.
#[derive(Default)]
pub(crate) struct Admission {
    rule: Rule,
    /// Whether the browser has been here.
    has_come: AtomicBool,
    /// Machines that were refused, each told of once.
    strangers: Mutex<BTreeSet<IpAddr>>,
}

#[derive(Default)]
enum Rule {
    /// Whoever reaches it.
    #[default]
    Anyone,
    /// Whoever shows this password.
    Password {
        password: String,
        /// As it is shown: user and password in base64 (RFC 7617).
        shown: String,
    },
    /// Whoever comes from one of these addresses; nobody before they are known.
    From(OnceLock<Vec<IpAddr>>),
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Allowed,
    /// A credential is asked for.
    Challenged,
}

impl Admission {
    /// By a password that nobody else knows.
    ///
    /// # Errors
    /// The machine gives no randomness.
    pub(crate) fn by_password() -> Result<Admission, String> {
        let mut bytes = [0_u8; 24];
        getrandom::fill(&mut bytes).map_err(|error| format!("draw a password: {error}"))?;
        let password = BASE64_STANDARD.encode(bytes);
        let shown = BASE64_STANDARD.encode(format!("{USER}:{password}"));
        Ok(Admission::of(Rule::Password { password, shown }))
    }

    /// By the address of a machine, to be named when it is known.
    pub(crate) fn by_address() -> Admission {
        Admission::of(Rule::From(OnceLock::new()))
    }

    fn of(rule: Rule) -> Admission {
        Admission { rule, ..Admission::default() }
    }

    /// Whether it lets in whoever reaches it.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.rule, Rule::Anyone)
    }

    /// The password that the browser is to be told.
    pub(crate) fn password(&self) -> Option<&str> {
        match &self.rule {
            Rule::Password { password, .. } => Some(password),
            Rule::Anyone | Rule::From(_) => None,
        }
    }

    /// Names the addresses of the browser's machine; once.
    pub(crate) fn let_in(&self, addresses: Vec<IpAddr>) {
        if let Rule::From(known) = &self.rule {
            let _ = known.set(addresses);
        }
    }

    /// Whether the browser has been here.
    pub(crate) fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }

    /// The machines that were refused.
    pub(crate) fn strangers(&self) -> Vec<IpAddr> {
        self.strangers.lock().iter().copied().collect()
    }

    /// Whether a machine may connect at all.
    pub(super) fn may_connect(&self, from: IpAddr) -> bool {
        let Rule::From(known) = &self.rule else { return true };
        // A browser that starts asks for things before anybody knows where it is; it asks again.
        let Some(known) = known.get() else { return false };
        let is_known = known.contains(&from.to_canonical());
        match is_known {
            true => self.has_come.store(true, Ordering::Relaxed),
            false => self.refused(from),
        }
        is_known
    }

    /// What becomes of a request to the gate itself.
    pub(super) fn judge(&self, headers: &HeaderMap, from: IpAddr) -> Entry {
        let Rule::Password { shown: expected, .. } = &self.rule else { return Entry::Allowed };
        let shown = headers.get(PROXY_AUTHORIZATION).and_then(|shown| shown.as_bytes().strip_prefix(b"Basic "));
        if shown.is_some_and(|shown| shown.ct_eq(expected.as_bytes()).into()) {
            self.has_come.store(true, Ordering::Relaxed);
            return Entry::Allowed;
        }
        // A browser shows what it knows only after it was asked for the first time.
        if shown.is_some() || self.has_come() {
            self.refused(from);
        }
        Entry::Challenged
    }

    fn refused(&self, from: IpAddr) {
        let from = from.to_canonical();
        let mut strangers = self.strangers.lock();
        if strangers.len() < STRANGERS && strangers.insert(from) {
            tracing::warn!(%from, "refused somebody at a gate that is open to one browser only");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn showing(credential: &str) -> HeaderMap {
        let value = format!("Basic {}", BASE64_STANDARD.encode(credential)).parse().unwrap();
        HeaderMap::from_iter([(PROXY_AUTHORIZATION, value)])
    }

    #[test]
    fn whoever_shows_the_password_is_let_in_and_a_guess_is_told_of() {
        let admission = Admission::by_password().unwrap();
        let password = admission.password().unwrap().to_owned();
        assert_ne!(Admission::by_password().unwrap().password(), Some(password.as_str()));
        assert_eq!(admission.judge(&HeaderMap::new(), HERE), Entry::Challenged);
        assert!(admission.strangers().is_empty(), "a browser is asked before it shows anything");
        assert_eq!(admission.judge(&showing(&format!("{USER}:guess")), HERE), Entry::Challenged);
        assert_eq!((admission.strangers(), admission.has_come()), (vec![HERE], false));
        assert_eq!(admission.judge(&showing(&format!("{USER}:{password}")), HERE), Entry::Allowed);
        assert!(admission.has_come());
    }

    #[test]
    fn after_the_browser_has_come_whoever_shows_nothing_is_told_of() {
        let admission = Admission::by_password().unwrap();
        admission.judge(&showing(&format!("{USER}:{}", admission.password().unwrap())), HERE);
        let elsewhere = "10.9.8.7".parse().unwrap();
        assert_eq!(admission.judge(&HeaderMap::new(), elsewhere), Entry::Challenged);
        assert_eq!(admission.strangers(), [elsewhere]);
    }

    #[test]
    fn by_address_nobody_is_let_in_before_it_is_known_and_nobody_else_after() {
        let admission = Admission::by_address();
        let (node, other): (IpAddr, IpAddr) = ("10.0.0.2".parse().unwrap(), "10.0.0.3".parse().unwrap());
        assert!(!admission.may_connect(node));
        admission.let_in(vec![node]);
        assert!(admission.may_connect("::ffff:10.0.0.2".parse().unwrap()) && !admission.may_connect(other));
        assert!(admission.has_come());
        assert_eq!(admission.strangers(), [other]);
    }
}
