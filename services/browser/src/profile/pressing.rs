//! Where an element takes input: found, waited for as a person waits, and brought into view.

use super::Profile;
use super::deeds::Stop;
use crate::input::Input;
use crate::probe::{self, Awaits, Located, Refusal, Target};
use crate::snapshot::Origin;
use crate::wire::{Place, Trouble};
use domain::observation::Visibility;
use domain::page::PageError;
use domain::{ElementId, Observation, Point};
use platform::Clock;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// How often, and how far apart, an element that the pointer has just come over is looked for before it counts as gone.
const HOVER_LOOKS: u32 = 20;
const HOVER_PAUSE: Duration = Duration::from_millis(15);
/// Pause between two looks at an element that is waited for.
const POLL: Duration = Duration::from_millis(100);
/// How long something that lies over an element is given to go away, where nothing says that it will.
const COVERED: Duration = Duration::from_millis(1500);
/// How many times as long is waited while the page shows progress.
const PROGRESS: u32 = 3;

/// How an element is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// As the target of a press: what is met then is compared with what is meant.
    Press,
    /// As a place to point at.
    Point,
    /// Its box, whatever lies on top.
    Box,
    /// What it holds, wherever it is.
    Read,
}

impl Aim {
    fn word(self) -> &'static str {
        match self {
            Aim::Press => "press",
            Aim::Point => "",
            Aim::Box => "box",
            Aim::Read => "read",
        }
    }
}

/// Why an element has no place.
enum Missing {
    Refused(Refusal),
    Stopped(Stop),
}

impl From<Stop> for Missing {
    fn from(stop: Stop) -> Missing {
        Missing::Stopped(stop)
    }
}

impl Profile {
    /// Where an element can be pointed at.
    pub(super) async fn locate(&mut self, element: ElementId) -> Result<Target, Stop> {
        self.awaited(element, None, Aim::Point).await
    }

    /// Where an element takes a press.
    pub(super) async fn aim_at(&mut self, element: ElementId) -> Result<Target, Stop> {
        self.awaited(element, None, Aim::Press).await
    }

    /// The middle of an element's box, whatever lies on top.
    pub(super) async fn locate_box(&mut self, element: ElementId) -> Result<Target, Stop> {
        self.awaited(element, None, Aim::Box).await
    }

    /// What an element holds now.
    pub(super) async fn read(&mut self, element: ElementId) -> Result<Target, Stop> {
        self.find_place(element, None, Aim::Read).await.map_err(stopped)
    }

    /// Where an element takes a press once the pointer is over it: some move, or load another picture, when it comes.
    pub(super) async fn point_at(&mut self, element: ElementId, at: Option<Point>) -> Result<Target, Stop> {
        let target = self.awaited(element, at, Aim::Press).await?;
        if !target.moves {
            return Ok(target);
        }
        self.input(Input::new().point(target.x, target.y)).await?;
        for _ in 0..HOVER_LOOKS {
            match self.find_place(element, at, Aim::Press).await {
                Err(Missing::Refused(_)) => sleep(HOVER_PAUSE).await,
                Err(Missing::Stopped(stop)) => return Err(stop),
                Ok(target) => return Ok(target),
            }
        }
        self.awaited(element, at, Aim::Press).await
    }

    /// Where a drag begins and ends, both in view at the same time.
    pub(super) async fn locate_both(&mut self, from: ElementId, onto: ElementId) -> Result<(Target, Target), Stop> {
        self.locate_box(onto).await?;
        let begin = self.aim_at(from).await?;
        let end = self.locate_box(onto).await?;
        let again = self.aim_at(from).await?;
        let moved = (begin.x - again.x).abs() > 1.0 || (begin.y - again.y).abs() > 1.0;
        let end = if moved { self.locate_box(onto).await? } else { end };
        Ok((again, end))
    }

    /// A place, waited for while it may still come: as long as the page is given where the element itself says that it is
    /// not ready, and shortly where something else lies over it.
    async fn awaited(&mut self, element: ElementId, at: Option<Point>, aim: Aim) -> Result<Target, Stop> {
        let started = self.clock.monotonic();
        loop {
            let refusal = match self.find_place(element, at, aim).await {
                Ok(target) => return Ok(target),
                Err(Missing::Stopped(stop)) => return Err(stop),
                Err(Missing::Refused(refusal)) => refusal,
            };
            let waited = self.clock.monotonic() - started;
            if waited >= patience_for(&refusal, self.options.patience) {
                return Err(Stop::Failed(given_up(&refusal, waited)));
            }
            sleep(POLL).await;
        }
    }

    async fn find_place(&mut self, element: ElementId, at: Option<Point>, aim: Aim) -> Result<Target, Missing> {
        let origin = self.origin(element)?;
        let at = at.map_or(Value::Null, |at| json!({"x": at.x, "y": at.y}));
        let text = match self.wire.call(&origin.place, probe::LOCATE, &[origin.key.into(), at, aim.word().into()]).await
        {
            Err(Trouble::Replaced | Trouble::Closed) => {
                return Err(Stop::Failed("the document was replaced".to_owned()).into());
            }
            Err(Trouble::Dialog) => {
                return Err(Stop::Failed("a dialog opened: accept or dismiss it first".to_owned()).into());
            }
            Err(trouble) => return Err(Stop::from(trouble).into()),
            Ok(text) => text,
        };
        let mut target = placed(&text)?;
        if aim != Aim::Read {
            self.shift(&origin, &mut target, aim == Aim::Press).await?;
        }
        Ok(target)
    }

    /// From the coordinates of a frame of another origin to those of the page, however the frame is shown there.
    async fn shift(&mut self, origin: &Origin, target: &mut Target, presses: bool) -> Result<(), Missing> {
        let Some(host) = origin.host else { return Ok(()) };
        // From the innermost frame outwards: each document says where it shows the next.
        let outwards = origin.within.iter().rev().map(|(place, key)| (place, *key)).chain([(&Place::Page, host)]);
        for (place, key) in outwards {
            let at = json!({"x": target.x, "y": target.y, "press": presses});
            let arguments = [key.into(), at, "frame".into()];
            let text = self.wire.call(place, probe::LOCATE, &arguments).await.map_err(Stop::from)?;
            let shown = placed(&text)?;
            (target.x, target.y) = (shown.x, shown.y);
        }
        Ok(())
    }

    /// Hovers what shows an element, where it is shown only then: the pointer goes there first, as a person's does.
    pub(super) async fn hover_item(&mut self, element: ElementId, before: &Observation) -> Result<(), Stop> {
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
            match self.find_place(element, None, Aim::Point).await {
                Err(Missing::Refused(_)) => sleep(HOVER_PAUSE).await,
                Err(Missing::Stopped(stop)) => return Err(stop),
                Ok(_) => break,
            }
        }
        Ok(())
    }

    /// A place on an option of a list that shows its options.
    pub(super) async fn locate_option(&mut self, element: ElementId, index: usize) -> Result<Target, Stop> {
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

/// What nobody waits for.
fn stopped(missing: Missing) -> Stop {
    match missing {
        Missing::Refused(refusal) => Stop::Failed(refusal.refused),
        Missing::Stopped(stop) => stop,
    }
}

/// How long a refusal is waited out.
fn patience_for(refusal: &Refusal, patience: Duration) -> Duration {
    let usual = match refusal.awaits {
        Awaits::Nothing => return Duration::ZERO,
        Awaits::Over => patience.min(COVERED),
        Awaits::Change => patience,
    };
    if refusal.progress && refusal.awaits == Awaits::Change { usual * PROGRESS } else { usual }
}

/// What was waited for in vain.
fn given_up(refusal: &Refusal, waited: Duration) -> String {
    match waited.as_secs() {
        0 => refusal.refused.clone(),
        seconds => format!("{}, and stayed so for {seconds} s", refusal.refused),
    }
}

/// Reads where an element is.
fn placed(text: &str) -> Result<Target, Missing> {
    match serde_json::from_str(text) {
        Ok(Located::At(target)) => Ok(target),
        Ok(Located::Refused(refusal)) => Err(Missing::Refused(refusal)),
        Err(error) => Err(Stop::Raise(PageError::Driver(format!("read where the element is: {error}"))).into()),
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
