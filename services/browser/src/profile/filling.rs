//! Filling fields: text by the keyboard, dates part by part, options of selects.

use super::Profile;
use super::deeds::{Done, Stop, Traces};
use crate::fields;
use crate::input::Input;
use crate::probe::{self, OptionState, Target};
use crate::secret;
use domain::{ElementId, Observation};

/// How often the choice of a list is looked at and mended.
const CORRECTIONS: usize = 2;
const CONTROL: char = '\u{E009}';
const ENTER: char = '\u{E007}';
const HOME: char = '\u{E011}';
const DOWN: char = '\u{E015}';

impl Profile {
    /// Replaces the content of a field.
    pub(super) async fn type_text(
        &mut self,
        element: ElementId,
        text: &str,
        submit: bool,
        before: &Observation,
        traces: &mut Traces,
    ) -> Done {
        let (typed, used) = secret::reveal(text, self.options.secrets.as_ref()).map_err(Stop::Raise)?;
        let target = self.locate(element, None).await?;
        for (name, value) in used {
            self.secrets.learn(&name, &value);
        }
        match target.kind.as_str() {
            "date" | "time" | "month" | "week" | "datetime-local" if !typed.is_empty() => {
                self.type_parts(element, &target, &typed).await?;
            }
            "range" => self.slide(element, &typed, before).await?,
            "color" => self.fill(element, &typed).await?,
            _ => {
                let mut input = Input::new().click(target.x, target.y, 1).clear().text(&typed);
                if submit {
                    input = input.keys(ENTER, 1);
                }
                traces.typed = Some(typed);
                return self.input(input).await;
            }
        }
        traces.typed = Some(typed);
        if submit { self.input(Input::new().keys(ENTER, 1)).await } else { Ok(()) }
    }

    /// Types a date or time, in the order of parts that makes it come out right.
    async fn type_parts(&mut self, element: ElementId, target: &Target, value: &str) -> Done {
        let ways = fields::ways(&target.kind, value);
        if ways.is_empty() {
            return Err(Stop::Failed(format!("`{value}` is not in the form that a {} field takes", target.kind)));
        }
        for keys in ways {
            self.input(Input::new().click(target.x, target.y, 1)).await?;
            self.input(keys).await?;
            if self.locate(element, None).await?.value == value {
                break;
            }
        }
        Ok(()) // whether it came out right in the end is the effect's to tell
    }

    async fn slide(&mut self, element: ElementId, value: &str, before: &Observation) -> Done {
        let constraints = before.node(element).and_then(|node| node.constraints.clone()).unwrap_or_default();
        let (min, max, step) = (constraints.min.as_deref(), constraints.max.as_deref(), constraints.step.as_deref());
        let keys = fields::range(value, min, max, step).map_err(Stop::Failed)?;
        let target = self.locate(element, None).await?;
        self.input(Input::new().click(target.x, target.y, 1)).await?;
        self.input(keys).await
    }

    /// A colour: no keyboard reaches its chooser. The one place where a value is set by a script.
    async fn fill(&mut self, element: ElementId, value: &str) -> Done {
        let origin = self.origin(element)?;
        self.wire.call(&origin.place, probe::FILL, &[origin.key.into(), value.into()]).await?;
        Ok(())
    }

    /// Chooses options by their labels: with arrow keys in a drop-down, by clicks in a list.
    pub(super) async fn select(&mut self, element: ElementId, labels: &[String]) -> Done {
        let target = self.locate(element, None).await?;
        let options = &target.state.options;
        let wanted = labels.iter().map(|label| position(options, label)).collect::<Result<Vec<usize>, String>>();
        let wanted = wanted.map_err(Stop::Failed)?;
        let list = target.state.multiple || target.state.size > 1;
        match wanted.as_slice() {
            [] => Err(Stop::Failed("no option is named".to_owned())),
            [_, _, ..] if !target.state.multiple => Err(Stop::Failed("this select takes one option only".to_owned())),
            [only] if options[*only].selected && !target.state.multiple => Ok(()),
            [only] if !list => {
                // The open list is walked from its first option that can be chosen; one change is told, at Enter.
                let steps = options[..*only].iter().filter(|option| !option.disabled).count();
                let input = Input::new().click(target.x, target.y, 1).keys(HOME, 1).keys(DOWN, steps).keys(ENTER, 1);
                self.input(input).await
            }
            several => self.click_options(element, several).await,
        }
    }

    /// The first click replaces what was chosen, those with Control add to it. A list may scroll by itself under a click, so
    /// what came of it is looked at, and what is still wrong is clicked again.
    async fn click_options(&mut self, element: ElementId, wanted: &[usize]) -> Done {
        for (count, index) in wanted.iter().enumerate() {
            self.click_option(element, *index, count > 0).await?;
        }
        for _ in 0..CORRECTIONS {
            let options = self.locate(element, None).await?.state.options;
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

    async fn click_option(&mut self, element: ElementId, index: usize, adds: bool) -> Done {
        let at = self.locate_option(element, index).await?;
        let click = Input::new();
        let click =
            if adds { click.down(CONTROL).click(at.x, at.y, 1).up(CONTROL) } else { click.click(at.x, at.y, 1) };
        self.input(click).await
    }

    async fn locate_option(&mut self, element: ElementId, index: usize) -> Result<Target, Stop> {
        let origin = self.origin(element)?;
        let text = self.wire.call(&origin.place, probe::LOCATE_OPTION, &[origin.key.into(), index.into()]).await?;
        let mut at = super::deeds::located(&text)?;
        self.shift(&origin, &mut at).await?;
        Ok(at)
    }
}

fn position(options: &[OptionState], label: &str) -> Result<usize, String> {
    let same = |option: &OptionState| option.label.split_whitespace().eq(label.split_whitespace());
    match options.iter().position(same) {
        Some(index) if options[index].disabled => Err(format!("the option “{label}” is disabled")),
        Some(index) => Ok(index),
        None => {
            let offered: Vec<&str> = options.iter().take(10).map(|option| option.label.as_str()).collect();
            Err(format!("there is no option “{label}”; there are: {}", offered.join(", ")))
        }
    }
}
