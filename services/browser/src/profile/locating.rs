//! Locates elements for input: finds them, waits as a person would, and scrolls them into view.

use super::Profile;
use super::acting::NotDone;
use crate::input::Input;
use crate::probe::{self, Awaits, LocateReply, Refusal, Target};
use crate::snapshot::Origin;
use crate::wire::{DocumentTarget, WireError};
use domain::observation::Visibility;
use domain::page::PageError;
use domain::{ElementId, Observation, Point};
use platform::Clock;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// Tries, and the pause between them, to find an element that the pointer has just entered before it counts as gone.
const HOVER_LOOKS: u32 = 20;
const HOVER_PAUSE: Duration = Duration::from_millis(15);
/// Polling interval while waiting for an element.
const POLL: Duration = Duration::from_millis(100);
/// How long to wait for a covering element to go away when nothing suggests that it will.
const COVERED: Duration = Duration::from_millis(1500);
/// Factor on the patience while the page shows progress.
const PROGRESS: u32 = 3;

/// What an element is located for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LocateMode {
    /// A press: the element hit is compared with the target.
    Press,
    /// Pointing at it.
    Point,
    /// Its box, whatever lies on top.
    Box,
    /// What it holds, wherever it is.
    Read,
}

impl LocateMode {
    fn word(self) -> &'static str {
        match self {
            LocateMode::Press => "press",
            LocateMode::Point => "",
            LocateMode::Box => "box",
            LocateMode::Read => "read",
        }
    }
}

/// Why an element could not be located.
enum NotLocated {
    Refused(Refusal),
    Stopped(NotDone),
}

impl From<NotDone> for NotLocated {
    fn from(stop: NotDone) -> NotLocated {
        NotLocated::Stopped(stop)
    }
}

impl Profile {
    /// Where an element can be pointed at.
    pub(super) async fn locate(&mut self, element: ElementId) -> Result<Target, NotDone> {
        self.locate_with_patience(element, None, LocateMode::Point).await
    }

    /// Where an element takes a press.
    pub(super) async fn locate_for_press(&mut self, element: ElementId) -> Result<Target, NotDone> {
        self.locate_with_patience(element, None, LocateMode::Press).await
    }

    /// The middle of an element's box, whatever lies on top.
    pub(super) async fn locate_box(&mut self, element: ElementId) -> Result<Target, NotDone> {
        self.locate_with_patience(element, None, LocateMode::Box).await
    }

    /// What an element holds now.
    pub(super) async fn read(&mut self, element: ElementId) -> Result<Target, NotDone> {
        self.find_place(element, None, LocateMode::Read).await.map_err(stopped)
    }

    /// Locates an element for a press with the pointer already over it: some move, or change their picture, on hover.
    pub(super) async fn point_at(&mut self, element: ElementId, at: Option<Point>) -> Result<Target, NotDone> {
        let target = self.locate_with_patience(element, at, LocateMode::Press).await?;
        if !target.moves {
            return Ok(target);
        }
        self.input(Input::new().point(target.x, target.y)).await?;
        for _ in 0..HOVER_LOOKS {
            match self.find_place(element, at, LocateMode::Press).await {
                Err(NotLocated::Refused(_)) => sleep(HOVER_PAUSE).await,
                Err(NotLocated::Stopped(stop)) => return Err(stop),
                Ok(target) => return Ok(target),
            }
        }
        self.locate_with_patience(element, at, LocateMode::Press).await
    }

    /// Where a drag begins and ends, both in view at the same time.
    pub(super) async fn locate_both(&mut self, from: ElementId, onto: ElementId) -> Result<(Target, Target), NotDone> {
        self.locate_box(onto).await?;
        let begin = self.locate_for_press(from).await?;
        let end = self.locate_box(onto).await?;
        let again = self.locate_for_press(from).await?;
        let moved = (begin.x - again.x).abs() > 1.0 || (begin.y - again.y).abs() > 1.0;
        let end = if moved { self.locate_box(onto).await? } else { end };
        Ok((again, end))
    }

    /// Locates an element, retrying while it may become ready: for the page's patience if the element itself is not
    /// ready, briefly if it is covered.
    async fn locate_with_patience(
        &mut self,
        element: ElementId,
        at: Option<Point>,
        aim: LocateMode,
    ) -> Result<Target, NotDone> {
        let started = self.clock.monotonic();
        loop {
            let refusal = match self.find_place(element, at, aim).await {
                Ok(target) => return Ok(target),
                Err(NotLocated::Stopped(stop)) => return Err(stop),
                Err(NotLocated::Refused(refusal)) => refusal,
            };
            let waited = self.clock.monotonic() - started;
            if waited >= patience_for(&refusal, self.options.patience) {
                return Err(NotDone::Failed(given_up(&refusal, waited)));
            }
            sleep(POLL).await;
        }
    }

    async fn find_place(
        &mut self,
        element: ElementId,
        at: Option<Point>,
        aim: LocateMode,
    ) -> Result<Target, NotLocated> {
        let origin = self.origin(element)?;
        let at = at.map_or(Value::Null, |at| json!({"x": at.x, "y": at.y}));
        let text = match self.wire.call(&origin.place, probe::LOCATE, &[origin.key.into(), at, aim.word().into()]).await
        {
            Err(WireError::Replaced | WireError::Closed) => {
                return Err(NotDone::Failed("the document was replaced".to_owned()).into());
            }
            Err(WireError::Dialog) => {
                return Err(NotDone::Failed("a dialog opened: accept or dismiss it first".to_owned()).into());
            }
            Err(trouble) => return Err(NotDone::from(trouble).into()),
            Ok(text) => text,
        };
        let mut target = placed(&text)?;
        if aim != LocateMode::Read {
            self.shift(&origin, &mut target, aim == LocateMode::Press).await?;
        }
        Ok(target)
    }

    /// Converts coordinates of a cross-origin frame to those of the page, including scaling by the embedding document.
    async fn shift(&mut self, origin: &Origin, target: &mut Target, presses: bool) -> Result<(), NotLocated> {
        let Some(host) = origin.host else { return Ok(()) };
        // Innermost frame first: each document locates the frame element of the next.
        let outwards =
            origin.within.iter().rev().map(|(place, key)| (place, *key)).chain([(&DocumentTarget::Page, host)]);
        for (place, key) in outwards {
            let at = json!({"x": target.x, "y": target.y, "press": presses});
            let arguments = [key.into(), at, "frame".into()];
            let text = self.wire.call(place, probe::LOCATE, &arguments).await.map_err(NotDone::from)?;
            let shown = placed(&text)?;
            (target.x, target.y) = (shown.x, shown.y);
        }
        Ok(())
    }

    /// Moves the pointer over the item that reveals an element on hover, as a person would.
    pub(super) async fn hover_item(&mut self, element: ElementId, before: &Observation) -> Result<(), NotDone> {
        if before.node(element).is_none_or(|node| node.visibility != Visibility::OnHover) {
            return Ok(());
        }
        let origin = self.origin(element)?;
        let text = self.wire.call(&origin.place, probe::UNVEIL, &[origin.key.into()]).await?;
        let holder = match placed(&text) {
            Ok(mut at) => self.shift(&origin, &mut at, false).await.map(|()| at),
            Err(missing) => Err(missing),
        };
        let holder = holder.map_err(stopped)?;
        self.input(Input::new().point(holder.x, holder.y)).await?;
        for _ in 0..HOVER_LOOKS {
            match self.find_place(element, None, LocateMode::Point).await {
                Err(NotLocated::Refused(_)) => sleep(HOVER_PAUSE).await,
                Err(NotLocated::Stopped(stop)) => return Err(stop),
                Ok(_) => break,
            }
        }
        Ok(())
    }

    /// Locates an option of an open list.
    pub(super) async fn locate_option(&mut self, element: ElementId, index: usize) -> Result<Target, NotDone> {
        let origin = self.origin(element)?;
        let arguments = [origin.key.into(), index.into()];
        let text = self.wire.call(&origin.place, probe::LOCATE_OPTION, &arguments).await?;
        let found = match placed(&text) {
            Ok(mut at) => self.shift(&origin, &mut at, false).await.map(|()| at),
            Err(missing) => Err(missing),
        };
        found.map_err(stopped)
    }
}

/// A refusal that is not waited for.
fn stopped(missing: NotLocated) -> NotDone {
    match missing {
        NotLocated::Refused(refusal) => NotDone::Failed(refusal.refused),
        NotLocated::Stopped(stop) => stop,
    }
}

/// How long to wait for a refusal to lift.
fn patience_for(refusal: &Refusal, patience: Duration) -> Duration {
    let usual = match refusal.awaits {
        Awaits::Nothing => return Duration::ZERO,
        Awaits::Over => patience.min(COVERED),
        Awaits::Change => patience,
    };
    if refusal.progress && refusal.awaits == Awaits::Change { usual * PROGRESS } else { usual }
}

/// The message after waiting in vain.
fn given_up(refusal: &Refusal, waited: Duration) -> String {
    match waited.as_secs() {
        0 => refusal.refused.clone(),
        seconds => format!("{}, and stayed so for {seconds} s", refusal.refused),
    }
}

/// Parses the probe's reply to a locate call.
fn placed(text: &str) -> Result<Target, NotLocated> {
    match serde_json::from_str(text) {
        Ok(LocateReply::At(target)) => Ok(target),
        Ok(LocateReply::Refused(refusal)) => Err(NotLocated::Refused(refusal)),
        Err(error) => Err(NotDone::Raise(PageError::Driver(format!("read where the element is: {error}"))).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(awaits: Awaits, progress: bool) -> Refusal {
        Refusal { refused: "the button is disabled".to_owned(), awaits, progress }
    }

    #[test]
    fn what_may_change_is_waited_for_and_longer_only_while_the_page_shows_progress() {
        let patience = Duration::from_secs(10);
        assert_eq!(patience_for(&refusal(Awaits::Change, false), patience), patience);
        assert_eq!(patience_for(&refusal(Awaits::Change, true), patience), patience * 3);
        assert_eq!(patience_for(&refusal(Awaits::Over, true), patience), COVERED);
        assert_eq!(patience_for(&refusal(Awaits::Nothing, true), patience), Duration::ZERO);
    }

    #[test]
    fn who_has_no_patience_waits_for_nothing() {
        assert_eq!(patience_for(&refusal(Awaits::Over, true), Duration::ZERO), Duration::ZERO);
        assert_eq!(patience_for(&refusal(Awaits::Change, true), Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn giving_up_says_what_was_waited_for_and_how_long() {
        let button = refusal(Awaits::Change, false);
        assert_eq!(given_up(&button, Duration::from_millis(200)), "the button is disabled");
        let waited = Duration::from_millis(10_100);
        assert_eq!(given_up(&button, waited), "the button is disabled, and stayed so for 10 s");
    }
}
