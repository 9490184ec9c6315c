//! Controls that a page shows only while something else is hovered: the pointer goes there first, as a person's does.

use super::Profile;
use super::deeds::{Done, Stop, located};
use crate::input::Input;
use crate::probe;
use domain::observation::Visibility;
use domain::{ElementId, Observation};
use serde_json::Value;
use std::time::Duration;
use tokio::time::sleep;

/// How often, and how far apart, it is looked whether the control has come; some come by a transition.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

impl Profile {
    /// Hovers what shows an element, where it is shown only then.
    pub(super) async fn hover_item(&mut self, element: ElementId, before: &Observation) -> Done {
        if before.node(element).is_none_or(|node| node.visibility != Visibility::OnHover) {
            return Ok(());
        }
        let origin = self.origin(element)?;
        let text = self.wire.call(&origin.place, probe::UNVEIL, &[origin.key.into()]).await?;
        let mut holder = located(&text)?;
        self.shift(&origin, &mut holder).await?;
        self.input(Input::new().point(holder.x, holder.y)).await?;
        for _ in 0..LOOKS {
            let arguments = [origin.key.into(), Value::Null, "".into()];
            let text = self.wire.call(&origin.place, probe::LOCATE, &arguments).await?;
            match located(&text) {
                Err(Stop::Failed(_)) => sleep(PAUSE).await,
                Err(other) => return Err(other),
                Ok(_) => return Ok(()),
            }
        }
        Ok(())
    }
}
