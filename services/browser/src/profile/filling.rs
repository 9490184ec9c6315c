//! Filling fields: text by the keyboard, dates part by part, options of selects.

use super::Profile;
use super::acting::{ActionResult, ActionTraces, NotDone, lands_elsewhere};
use crate::fields;
use crate::input::Input;
use crate::probe::{self, OptionState, Target};
use crate::secret;
use domain::text::fold;
use domain::unfinished::is_under_way;
use domain::{ElementId, Observation};
use platform::Clock as _;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

/// Pause between keys for an editor that handles each edit separately.
const UNHURRIED: u32 = 30;
/// Time granted to a page that redraws a field after each key.
const REDRAWN: Duration = Duration::from_millis(60);
/// Pause before a list is looked at again whose options are still coming.
const LISTED: Duration = Duration::from_millis(200);
/// Corrections of a list's selection before giving up.
const CORRECTIONS: usize = 2;
const CONTROL: char = '\u{E009}';
const ENTER: char = '\u{E007}';
const HOME: char = '\u{E011}';
const END: char = '\u{E010}';
const UP: char = '\u{E013}';
const DOWN: char = '\u{E015}';

impl Profile {
    /// Replaces the content of a field.
    pub(super) async fn type_text(
        &mut self,
        element: ElementId,
        text: &str,
        submit: bool,
        before: &Observation,
        traces: &mut ActionTraces,
    ) -> ActionResult {
        let (typed, used) = secret::reveal(text, self.options.secrets.as_ref()).map_err(NotDone::Raise)?;
        if let Some((name, _)) = used.first()
            && is_of_another_origin(before, element)
        {
            return Err(NotDone::Failed(format!("the secret `{name}` is not typed into a frame of another origin")));
        }
        self.check_origin(&used, &before.url)?;
        let target = self.locate_for_press(element).await?;
        for (name, value) in used {
            self.secrets.hold(&name, &value, before);
            self.held = before.node(element).map(|field| (field.frame, field.xpath.clone()));
        }
        match target.kind.as_str() {
            "date" | "time" | "month" | "week" | "datetime-local" if !typed.is_empty() => {
                self.type_parts(element, &target, &typed).await?;
            }
            "range" => self.slide(element, &typed, before).await?,
            "color" => self.fill(element, &typed).await?,
            _ => {
                traces.typed = Some(self.type_plain(element, &target, &typed).await?);
                return if submit { self.input(Input::new().keys(ENTER, 1)).await } else { Ok(()) };
            }
        }
        traces.typed = Some(typed);
        if submit { self.input(Input::new().keys(ENTER, 1)).await } else { Ok(()) }
    }

    /// Refuses secrets that are not for the origin of a page.
    fn check_origin(&self, secrets: &[(String, String)], page: &str) -> ActionResult {
        let page = Url::parse(page)
            .map_err(|_| NotDone::Failed("a secret is not typed on a page without an address".to_owned()));
        let (Some(_), page) = (secrets.first(), page) else { return Ok(()) };
        let page = page?;
        let checked = secrets.iter().try_for_each(|(name, _)| self.options.secrets.allows(name, &page));
        checked.map_err(NotDone::Failed)
    }

    /// Types text key by key once the field has the focus, and reads it back; if the page redraws the field midway, the
    /// rest is typed into the new one. Returns the text meant for this field: its own part of a code that is split over
    /// several fields.
    async fn type_plain(&mut self, element: ElementId, target: &Target, text: &str) -> Result<String, NotDone> {
        self.focus(element, target).await?;
        self.input(Input::new().clear().text(text)).await?;
        let Ok(mut came) = self.read(element).await else { return Ok(text.to_owned()) };
        if target.kind == "password" || text.is_empty() || fold(&came.value) == fold(text) {
            return Ok(text.to_owned());
        }
        if fold(&came.spread) == fold(text) {
            return Ok(came.value);
        }
        if came.state.editable {
            // An editor that handles each edit separately may need a moment per key.
            let again = self.locate_for_press(element).await?;
            self.focus(element, &again).await?;
            self.input(Input::new().clear().text_slowly(text, UNHURRIED)).await?;
            return Ok(text.to_owned());
        }
        if came.focused && came.value.ends_with(text) {
            // A field that is never empty puts something in front: what it holds is typed over at once.
            self.input(Input::new().chord(&[CONTROL, 'a']).text(text)).await?;
            return Ok(text.to_owned());
        }
        for _ in 0..text.chars().count() {
            let Some(rest) = text.strip_prefix(came.value.as_str()).filter(|rest| !rest.is_empty() && !came.focused)
            else {
                break;
            };
            let snapshot = came.value.len();
            let again = self.locate_for_press(element).await?;
            self.focus(element, &again).await?;
            self.input(Input::new().keys(END, 1).text(rest)).await?;
            sleep(REDRAWN).await;
            match self.read(element).await {
                Ok(now) if now.value.len() > snapshot => came = now,
                _ => break,
            }
        }
        Ok(text.to_owned())
    }

    /// Clicks a field to focus it. Sends no keys if another field took the focus.
    async fn focus(&mut self, element: ElementId, target: &Target) -> ActionResult {
        self.press(Input::new().click(target.x, target.y, 1)).await?;
        let Ok(mut now) = self.read(element).await else { return Ok(()) };
        if let Some(hit) = now.missed {
            return Err(NotDone::Failed(lands_elsewhere(&hit)));
        }
        if !now.focused && !now.strays.is_empty() {
            let again = self.locate_for_press(element).await?;
            self.press(Input::new().click(again.x, again.y, 1)).await?;
            now = self.read(element).await?;
        }
        if !now.focused && !now.strays.is_empty() {
            let strays = now.strays;
            return Err(NotDone::Failed(format!(
                "the field did not take the focus, {strays} has it; nothing was typed"
            )));
        }
        Ok(())
    }

    /// Types a date or time, trying orders of its parts until the value is right.
    async fn type_parts(&mut self, element: ElementId, target: &Target, value: &str) -> ActionResult {
        let ways = fields::ways(&target.kind, value);
        if ways.is_empty() {
            return Err(NotDone::Failed(format!("`{value}` is not in the form that a {} field takes", target.kind)));
        }
        for keys in ways {
            self.input(Input::new().click(target.x, target.y, 1)).await?;
            self.input(keys).await?;
            if self.read(element).await?.value == value {
                break;
            }
        }
        Ok(()) // whether it came out right in the end is the effect's to tell
    }

    async fn slide(&mut self, element: ElementId, value: &str, before: &Observation) -> ActionResult {
        let constraints = before.node(element).and_then(|node| node.constraints.clone()).unwrap_or_default();
        let (min, max, step) = (constraints.min.as_deref(), constraints.max.as_deref(), constraints.step.as_deref());
        let keys = fields::range(value, min, max, step).map_err(NotDone::Failed)?;
        let target = self.locate_for_press(element).await?;
        self.press(Input::new().click(target.x, target.y, 1)).await?;
        self.input(keys).await
    }

    /// Sets a colour by script: no keyboard reaches its picker. The only value set by a script.
    async fn fill(&mut self, element: ElementId, value: &str) -> ActionResult {
        let origin = self.origin(element)?;
        self.wire.call(&origin.place, probe::FILL, &[origin.key.into(), value.into()]).await?;
        Ok(())
    }

    /// Chooses options by their labels: with arrow keys in a drop-down, by clicks in a list.
    pub(super) async fn select(&mut self, element: ElementId, labels: &[String]) -> ActionResult {
        let target = self.locate_with_options(element, labels).await?;
        let options = &target.state.options;
        let wanted = labels.iter().map(|label| position(options, label)).collect::<Result<Vec<usize>, String>>();
        let wanted = wanted.map_err(NotDone::Failed)?;
        let list = target.state.multiple || target.state.size > 1;
        match wanted.as_slice() {
            [] => Err(NotDone::Failed("no option is named".to_owned())),
            [_, _, ..] if !target.state.multiple => {
                Err(NotDone::Failed("this select takes one option only".to_owned()))
            }
            [only] if options[*only].selected && !target.state.multiple => Ok(()),
            [only] if !list => self.choose(element, &target, *only).await,
            several => self.click_options(element, several).await,
        }
    }

    /// Locates a list, once it has the wanted options: while it says that they are still coming, they are waited for.
    async fn locate_with_options(&mut self, element: ElementId, labels: &[String]) -> Result<Target, NotDone> {
        let started = self.clock.monotonic();
        loop {
            let target = self.locate_for_press(element).await?;
            let options = &target.state.options;
            let is_complete = labels.iter().all(|label| position(options, label).is_ok());
            let is_coming = options.iter().any(|option| is_under_way(&option.label));
            if is_complete || !is_coming || self.clock.monotonic() - started > self.options.patience {
                return Ok(target);
            }
            sleep(LISTED).await;
        }
    }

    /// Walks the open list from its first option, and back from its last if the result was wrong. The list skips hidden
    /// and disabled options; the page gets one change event, at Enter.
    async fn choose(&mut self, element: ElementId, target: &Target, wanted: usize) -> ActionResult {
        let options = &target.state.options;
        let walked = |part: &[OptionState]| part.iter().filter(|option| option.can_be_chosen()).count();
        let ways = [(HOME, DOWN, walked(&options[..wanted])), (END, UP, walked(&options[wanted + 1..]))];
        let mut at = (target.x, target.y);
        let mut taken = None;
        for (end, key, steps) in ways {
            let input = Input::new().click(at.0, at.1, 1).keys(end, 1).keys(key, steps).keys(ENTER, 1);
            self.press(input).await?;
            // If the page navigated or replaced the list, the observation shows the outcome.
            let Ok(now) = self.read(element).await else { return Ok(()) };
            if let Some(hit) = now.missed {
                return Err(NotDone::Failed(lands_elsewhere(&hit)));
            }
            if now.state.options.len() != options.len() || now.state.options[wanted].selected {
                return Ok(());
            }
            taken = now.state.options.iter().find(|option| option.selected).map(|option| option.label.clone());
            let Ok(again) = self.locate_for_press(element).await else { break };
            at = (again.x, again.y);
        }
        let taken = taken.map_or("no option".to_owned(), |label| format!("“{label}”"));
        Err(NotDone::Failed(format!("the list took {taken} instead of “{}”", options[wanted].label)))
    }

    /// The first click replaces the selection, clicks with Control extend it. A list may scroll under a click, so the
    /// result is read back and corrected.
    async fn click_options(&mut self, element: ElementId, wanted: &[usize]) -> ActionResult {
        for (count, index) in wanted.iter().enumerate() {
            self.click_option(element, *index, count > 0).await?;
        }
        for _ in 0..CORRECTIONS {
            let options = self.read(element).await?.state.options;
            let is_wrong = |index: &usize| options[*index].selected != wanted.contains(index);
            let wrong: Vec<usize> = (0..options.len()).filter(is_wrong).collect();
            if wrong.is_empty() {
                break;
            }
            for index in wrong {
                self.click_option(element, index, true).await?;
            }
        }
        Ok(())
    }

    async fn click_option(&mut self, element: ElementId, index: usize, adds: bool) -> ActionResult {
        let at = self.locate_option(element, index).await?;
        let click = Input::new();
        let click =
            if adds { click.down(CONTROL).click(at.x, at.y, 1).up(CONTROL) } else { click.click(at.x, at.y, 1) };
        self.input(click).await
    }
}

impl OptionState {
    /// Whether arrow keys stop at it in the open list.
    fn can_be_chosen(&self) -> bool {
        !self.disabled && !self.hidden
    }
}

/// The index of the option with a label. Of several, the only selectable one.
///
/// # Errors
/// Why there is no such option, as a sentence.
fn position(options: &[OptionState], label: &str) -> Result<usize, String> {
    let named: Vec<usize> = (0..options.len()).filter(|index| fold(&options[*index].label) == fold(label)).collect();
    let usable: Vec<usize> = named.iter().copied().filter(|index| options[*index].can_be_chosen()).collect();
    match (usable.as_slice(), named.first()) {
        ([only], _) => Ok(*only),
        ([_, ..], _) => Err(format!("there are {} options “{label}”: which one is meant is not said", usable.len())),
        ([], Some(first)) if options[*first].disabled => Err(format!("the option “{label}” is disabled")),
        ([], Some(_)) => Err(format!("the list does not show its option “{label}”")),
        ([], None) => {
            let shown = options.iter().filter(|option| !option.hidden);
            let offered: Vec<&str> = shown.take(10).map(|option| option.label.as_str()).collect();
            Err(format!("there is no option “{label}”; there are: {}", offered.join(", ")))
        }
    }
}

/// Whether an element stands in a frame whose origin is not that of the page, or within such a frame.
fn is_of_another_origin(page: &Observation, element: ElementId) -> bool {
    let frame = |index: u32| page.frames.get(index as usize);
    let first = page.node(element).and_then(|node| frame(node.frame));
    std::iter::successors(first, |inner| inner.parent.and_then(frame)).any(|frame| frame.cross_origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(label: &str, disabled: bool, hidden: bool) -> OptionState {
        OptionState { label: label.to_owned(), selected: false, disabled, hidden }
    }

    #[test]
    fn an_option_is_the_one_that_the_list_shows() {
        let options = [option("Oak", false, true), option("Ash", true, false), option("Oak", false, false)];
        assert_eq!(position(&options, "Oak"), Ok(2));
        assert!(position(&options, "Ash").unwrap_err().contains("disabled"));
        assert!(position(&options[..1], "Oak").unwrap_err().contains("does not show"));
        assert!(position(&options, "Elm").unwrap_err().ends_with("there are: Ash, Oak"));
    }

    #[test]
    fn of_two_options_of_one_name_neither_is_chosen() {
        let options = [option("Oak", false, false), option("Oak", false, false)];
        assert!(position(&options, "Oak").unwrap_err().contains("2 options"));
    }
}
