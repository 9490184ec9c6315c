//! Harbour is what its truth says: a real browser goes to every declared state, uses every declared control, and sees every
//! declared fault – and no other.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where by panicking")]

mod bounds;
mod walk;

use harness::harbour::Version;
use harness::harbour::truth::Role;

#[tokio::test]
async fn a_guest_finds_every_state_control_and_fault_as_declared() {
    walk::everything(Version::One, Role::Guest).await;
}

#[tokio::test]
async fn a_customer_finds_every_state_control_and_fault_as_declared() {
    walk::everything(Version::One, Role::Customer).await;
}

#[tokio::test]
async fn the_staff_finds_every_state_control_and_fault_as_declared() {
    walk::everything(Version::One, Role::Admin).await;
}

#[tokio::test]
async fn the_second_version_is_as_declared_where_it_differs() {
    for role in [Role::Guest, Role::Customer] {
        walk::what_changed(role).await;
    }
}
