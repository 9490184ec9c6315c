//! Behaviour of the words.

use crate::campaign::{AttemptLimits, Closing};
use crate::id::Fence;
use crate::scope::{Refused, Scope};
use crate::task::Limits;
use url::Url;

fn url(text: &str) -> Url {
    Url::parse(text).expect("test URL")
}

#[test]
fn a_scope_of_one_address_holds_its_host_and_port_only() {
    let scope = Scope::of(&url("http://shop.test:8080/start"));
    assert_eq!(scope.check(&url("http://shop.test:8080/cart")), Ok(()));
    assert!(matches!(scope.check(&url("http://shop.test:9090/")), Err(Refused::Host { .. })));
    assert!(matches!(scope.check(&url("http://evil.test:8080/")), Err(Refused::Host { .. })));
}

#[test]
fn a_wildcard_holds_subdomains_and_neither_the_parent_nor_lookalikes() {
    let scope = Scope { hosts: vec!["*.shop.test".into()] };
    assert_eq!(scope.check(&url("https://eu.shop.test/")), Ok(()));
    assert!(scope.check(&url("https://shop.test/")).is_err());
    assert!(scope.check(&url("https://evilshop.test/")).is_err());
}

#[test]
fn files_and_scripts_are_never_in_scope() {
    let scope = Scope { hosts: vec!["shop.test".into()] };
    assert!(matches!(scope.check(&url("file:///etc/passwd")), Err(Refused::Scheme { .. })));
    assert!(matches!(scope.check(&url("javascript:alert(1)")), Err(Refused::Scheme { .. })));
    assert!(matches!(scope.check(&url("data:text/html,x")), Err(Refused::Scheme { .. })));
}

#[test]
fn of_a_tasks_limits_and_a_campaigns_the_smaller_hold() {
    let task = Limits { steps: 30, seconds: 300, repeats: 3, invalid: 3, patience: 10 };
    let of = |steps, seconds| AttemptLimits { steps, seconds }.of(task);
    assert_eq!(of(None, None), task);
    assert_eq!(of(Some(2), Some(1000)), Limits { steps: 2, ..task });
    assert_eq!(of(Some(100), Some(60)), Limits { seconds: 60, ..task });
}

/// Records wait in a table while a newer version takes over from an older one.
#[test]
fn what_was_written_before_quarantines_had_fences_is_read() {
    let reopened: Closing = serde_json::from_str(r#"{"reopened":{"campaign":"run","job":"a"}}"#).expect("read");
    assert!(matches!(reopened, Closing::Reopened { fence: Fence(0), .. }), "{reopened:?}");
    let quarantined = r#"{"quarantined":{"campaign":"run","job":"a","site":"s","failure":"no_slot","causes":[]}}"#;
    let quarantined: Closing = serde_json::from_str(quarantined).expect("read");
    assert!(matches!(&quarantined, Closing::Quarantined(it) if it.fence == Fence(0)), "{quarantined:?}");
}
