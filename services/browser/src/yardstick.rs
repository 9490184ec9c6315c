//! Bare commands as a benchmark baseline for a step, over the same wire and session.

use crate::input::Input;
use crate::profile::Profile;
use crate::wire::{DocumentTarget, WireError};

impl Profile {
    /// One script call that does nothing: a bare round trip.
    ///
    /// # Errors
    /// The wire's own words.
    pub async fn bare_round_trip(&mut self) -> Result<(), String> {
        self.wire()
            .call(&DocumentTarget::Page, "() => ''", &[])
            .await
            .map(drop)
            .map_err(|trouble: WireError| trouble.to_string())
    }

    /// One click by pointer actions, with nothing around it: no check before, no observation after.
    ///
    /// # Errors
    /// The wire's own words.
    pub async fn bare_click(&mut self, x: f64, y: f64) -> Result<(), String> {
        let actions = Input::new().click(x, y, 1).actions();
        self.wire().perform(actions).await.map_err(|trouble| trouble.to_string())
    }
}
