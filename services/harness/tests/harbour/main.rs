//! Harbour is what its truth says: a real browser goes to every declared state, uses every declared control, and sees every
//! declared fault – and no other. Our own map, which is shown all of it, takes few states for others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where by panicking")]

mod bounds;
mod mapped;
mod walk;

use harness::harbour::Version;
use harness::harbour::truth::Role;

/// The pages of the services, and those of help and of the doors to the site; all others are the shop's.
const SERVICES: [&str; 3] = ["services", "workshop", "calendar"];
const HELP: [&str; 4] = ["help", "sign-in", "register", "error"];

fn is_of(parts: &[&str], state: &str) -> bool {
    parts.iter().any(|part| state.starts_with(part))
}

#[tokio::test]
async fn in_the_shop_a_guest_finds_every_state_control_and_fault_as_declared() {
    Box::pin(walk::everything(Version::One, Role::Guest, |state| !is_of(&SERVICES, state) && !is_of(&HELP, state)))
        .await;
}

#[tokio::test]
async fn in_the_services_a_guest_finds_every_state_control_and_fault_as_declared() {
    Box::pin(walk::everything(Version::One, Role::Guest, |state| is_of(&SERVICES, state))).await;
}

#[tokio::test]
async fn in_the_help_pages_a_guest_finds_every_state_control_and_fault_as_declared() {
    Box::pin(walk::everything(Version::One, Role::Guest, |state| is_of(&HELP, state))).await;
}

#[tokio::test]
async fn a_customer_finds_every_state_control_and_fault_as_declared() {
    Box::pin(walk::everything(Version::One, Role::Customer, |_| true)).await;
}

#[tokio::test]
async fn the_staff_finds_every_state_control_and_fault_as_declared() {
    Box::pin(walk::everything(Version::One, Role::Admin, |_| true)).await;
}

#[tokio::test]
async fn the_second_version_is_as_declared_where_it_differs() {
    for role in [Role::Guest, Role::Customer] {
        Box::pin(walk::what_changed(role)).await;
    }
}
