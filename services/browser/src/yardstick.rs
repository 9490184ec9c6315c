//! The bare commands that a step is measured against, over the same wire and in the same session.

use crate::input::Input;
use crate::profile::Profile;
use crate::wire::{Place, Trouble};

impl Profile {
    /// One script call that does nothing: a bare round trip.
    ///
    /// # Errors
    /// The wire's own words.
    pub async fn bare_round_trip(&mut self) -> Result<(), String> {
        self.wire().call(&Place::Page, "() => ''", &[]).await.map(drop).map_err(|trouble: Trouble| trouble.to_string())
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
