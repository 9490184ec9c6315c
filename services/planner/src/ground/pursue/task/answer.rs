//! Answering questions from what the page shows: a value, a number, a list, yes or no, a sum. What only looks for it changes nothing.

use super::super::{Pursuer, Pursuit};
use super::locate::Located;
use crate::ground::bind::is_pagination;
use crate::ground::commands::{fields, same_concept, speaks_of};
use crate::ground::goal::Name;
use crate::ground::item::{is_dialog, is_item};
use crate::ground::lexicon::NEXT_WORDS;
use crate::ground::measure::{Quantity, read};
use crate::ground::region::Region;
use crate::ground::task::{Question, Task, Thing};
use crate::ground::understand::moment;
use crate::ground::words::{self, fold, same_word, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

impl Pursuer<'_> {
    pub(super) fn answer(&mut self, task: &Task, question: Question) -> Pursuit {
        let answer = match question {
            Question::Value => return self.answer_value(task),
            Question::Whether => return self.answer_whether(task),
            Question::Count | Question::List | Question::Sum => self.over_entries(task, question),
        };
        match answer {
            Ok(Some(answer)) => self.say(answer),
            Ok(None) => self.elsewhere(task, &format!("a list of {}", asked_for(task))),
            Err(reason) => Pursuit::Unclear(reason),
        }
    }

    fn say(&mut self, answer: String) -> Pursuit {
        self.memory.answer = Some(answer);
        Pursuit::Reached
    }

    /// The value of one thing, or of the page.
    fn answer_value(&mut self, task: &Task) -> Pursuit {
        let attribute = task.thing.name.clone();
        if task.thing.of.is_empty() {
            return match self.value_beside(&attribute, None) {
                Some(value) => self.say(value),
                None => self.elsewhere(task, &format!("a value for \"{attribute}\"")),
            };
        }
        let thing = Thing {
            name: task.thing.of.clone(),
            quoted: task.thing.quoted,
            places: task.thing.places.clone(),
            ..Thing::default()
        };
        match self.locate(&thing) {
            Located::One(anchor) => {
                let regions = self.spot(anchor);
                let value = regions.iter().find_map(|region| self.value_in(&attribute, anchor, region));
                let on_page = || if self.memory.opened { self.value_beside(&attribute, None) } else { None };
                if let Some(value) = value.or_else(on_page) {
                    return self.say(value);
                }
                match self.open_thing(anchor, &regions) {
                    Some(step) => step,
                    None => Pursuit::Stuck(format!("{} shows no {attribute}", thing.title())),
                }
            }
            Located::Several(reason) => Pursuit::Unclear(reason),
            Located::None => {
                if self.memory.opened
                    && let Some(value) = self.value_beside(&attribute, None)
                {
                    return self.say(value);
                }
                let wanted = thing.title();
                self.elsewhere(&Task { thing, ..task.clone() }, &wanted)
            }
        }
    }

    /// The value of an entry: by the heading of its column, by its label, or by its form, as a price has one.
    fn value_in(&self, attribute: &str, anchor: ElementId, region: &Region) -> Option<String> {
        if let Some(value) = self.cell_under(attribute, anchor) {
            return Some(value);
        }
        if let Some(value) = self.value_beside(attribute, Some(region)) {
            return Some(value);
        }
        let observation = self.scene.observation;
        let texts: Vec<&Node> = self
            .scene
            .elements()
            .filter(|(id, node)| {
                region.holds(observation, *id)
                    && !node.text.is_empty()
                    && observation.children(*id).all(|(_, child)| child.text.is_empty())
            })
            .map(|(_, node)| node)
            .collect();
        let means = |wanted: &str| tokens(attribute).iter().any(|word| same_concept(word, wanted));
        let mut found: Vec<String> = Vec::new();
        if means("price") {
            found = texts
                .iter()
                .filter(|node| read(Quantity::Price, &node.text).is_some())
                .map(|node| fold(&node.text))
                .collect();
        } else if means("date") {
            found = texts.iter().filter(|node| moment::is_day(&node.text)).map(|node| fold(&node.text)).collect();
        } else if means("time") {
            found =
                texts.iter().filter(|node| moment::time(&node.text).is_some()).map(|node| fold(&node.text)).collect();
        }
        if means("duration") {
            found = texts.iter().filter(|node| says_duration(&node.text)).map(|node| fold(&node.text)).collect();
        }
        found.dedup();
        if found.len() == 1 { found.pop() } else { None }
    }

    /// The cell of the row of a thing that stands under the heading of a column.
    fn cell_under(&self, attribute: &str, anchor: ElementId) -> Option<String> {
        let observation = self.scene.observation;
        let row = std::iter::once(anchor)
            .chain(observation.ancestors(anchor).map(|(id, _)| id))
            .find(|id| observation.node(*id).is_some_and(|node| node.role == "row"))?;
        let (table, _) =
            observation.ancestors(row).find(|(_, node)| matches!(node.role.as_str(), "table" | "grid" | "treegrid"))?;
        let of_table = |id: ElementId| observation.ancestors(id).any(|(around, _)| around == table);
        let headings: Vec<&Node> = observation
            .elements()
            .filter(|(id, node)| node.role == "columnheader" && of_table(*id))
            .map(|(_, node)| node)
            .collect();
        let is_called = |node: &&Node| {
            let label = if node.text.is_empty() { &node.name } else { &node.text };
            !label.is_empty()
                && tokens(attribute).iter().all(|word| tokens(label).iter().any(|other| same_concept(word, other)))
        };
        let index = headings.iter().position(is_called)?;
        let cells: Vec<&Node> = observation
            .elements()
            .filter(|(_, node)| {
                node.parent == Some(row) && matches!(node.role.as_str(), "cell" | "gridcell" | "rowheader")
            })
            .map(|(_, node)| node)
            .collect();
        let by_place = |node: &&&Node| {
            let heading = headings.get(index);
            heading.is_some_and(|heading| {
                node.bounds.x < heading.bounds.right()
                    && node.bounds.right() > heading.bounds.x
                    && heading.bounds.width > 0.0
            })
        };
        let cell = if cells.len() == headings.len() { cells.get(index) } else { cells.iter().find(by_place) };
        cell.map(|node| fold(&node.text)).filter(|text| !text.is_empty())
    }

    /// The value that stands beside or behind its label: `Status: open`, a field, a term with its description.
    fn value_beside(&self, attribute: &str, region: Option<&Region>) -> Option<String> {
        let observation = self.scene.observation;
        let wanted = tokens(attribute);
        let is_called = |label: &str| {
            let words = tokens(label);
            let says_it = words.len() <= wanted.len() + 1
                && wanted.iter().all(|word| words.iter().any(|other| same_concept(word, other)));
            !words.is_empty() && (says_it || fields::is_field(attribute, label))
        };
        let within = |id: ElementId| region.is_none_or(|region| region.holds(observation, id));
        for (id, node) in self.scene.elements().filter(|(id, _)| within(*id)) {
            if (node.allows(ActionKind::Type) || node.allows(ActionKind::Select)) && is_called(&node.name) {
                let chosen = node.options.iter().find(|option| option.selected).map(|option| option.label.clone());
                return chosen.or_else(|| node.value.clone()).filter(|value| !value.is_empty());
            }
            if node.is_interactive() {
                continue;
            }
            let said = node.text.split_once(':').filter(|(label, value)| {
                is_called(label)
                    && !value.trim().is_empty()
                    && !value.contains(": ")
                    && value.split_whitespace().count() <= 6
            });
            if let Some((_, value)) = said {
                return Some(fold(value));
            }
            let stands_alone =
                is_called(&node.text) && observation.children(id).all(|(_, child)| child.text.is_empty());
            if stands_alone && (region.is_some() || node.text.len() < 40) {
                return self.cell_beside(&node.text);
            }
        }
        None
    }

    fn answer_whether(&mut self, task: &Task) -> Pursuit {
        let yes = |is_so: bool| if is_so { "yes" } else { "no" }.to_owned();
        let state = task.value("state").or(task.value("not")).map(str::to_owned);
        let negated = task.value("not").is_some();
        let Some(state) = state else {
            let shown = !self.anchors_of(&task.thing).is_empty()
                || self.entries_for(&task.thing.name).is_some_and(|entries| !entries.is_empty());
            if !shown && self.may_come() {
                return Pursuit::Stuck(format!("\"{}\" is not shown yet", task.thing.name));
            }
            return self.say(yes(shown));
        };
        match self.locate(&task.thing) {
            Located::One(anchor) => {
                let regions = self.spot(anchor);
                let toggled = self
                    .only_toggle(&regions)
                    .and_then(|id| self.node(id))
                    .and_then(|node| node.states.checked.or(node.states.pressed));
                let says = || {
                    let words: Vec<String> = regions.iter().flat_map(|region| self.words_of(region)).collect();
                    tokens(&state).iter().all(|word| words.iter().any(|other| same_word(word, other)))
                };
                let is_so = match toggled.filter(|_| {
                    matches!(
                        state.as_str(),
                        "done"
                            | "checked"
                            | "on"
                            | "complete"
                            | "completed"
                            | "finished"
                            | "enabled"
                            | "active"
                            | "selected"
                    )
                }) {
                    Some(now) => now,
                    None => says(),
                };
                self.say(yes(is_so != negated))
            }
            Located::Several(reason) => Pursuit::Unclear(reason),
            Located::None => self.elsewhere(task, &task.thing.title()),
        }
    }

    fn words_of(&self, region: &Region) -> Vec<String> {
        let observation = self.scene.observation;
        self.scene
            .elements()
            .filter(|(id, _)| region.holds(observation, *id))
            .flat_map(|(_, node)| tokens(&node.text))
            .collect()
    }

    /// Counts, lists or adds up what the entries of a list say. None where the page shows no such list.
    fn over_entries(&self, task: &Task, question: Question) -> Result<Option<String>, String> {
        let Some(mut entries) = self.entries_for(asked_for(task)) else { return Ok(None) };
        if let Some(next) = self.scene.elements().find(|(_, node)| {
            is_pagination(node)
                && !node.states.disabled
                && NEXT_WORDS.contains(&node.label().trim().to_lowercase().as_str())
        }) {
            return Err(format!("the list goes on behind \"{}\", and only a part of it can be seen", next.1.label()));
        }
        entries.retain(|id| task.thing.places.iter().all(|place| self.is_in(*id, place)));
        let number = |id: ElementId| self.node(id).and_then(|node| read(Quantity::Price, &node.text));
        for given in &task.values {
            let limit: Option<f64> =
                given.value.trim_matches(|sign: char| !sign.is_ascii_digit()).replace(',', "").parse().ok();
            match (given.field.as_str(), limit) {
                ("less than", Some(limit)) => entries.retain(|id| number(*id).is_some_and(|value| value < limit)),
                ("more than", Some(limit)) => entries.retain(|id| number(*id).is_some_and(|value| value > limit)),
                _ => entries.retain(|id| self.node(*id).is_some_and(|node| speaks_of(&node.text, &given.value))),
            }
        }
        Ok(match question {
            Question::Count => Some(entries.len().to_string()),
            Question::List => Some(entries.iter().map(|id| self.name_of_entry(*id)).collect::<Vec<_>>().join(", ")),
            _ => {
                let values: Option<Vec<f64>> = entries.iter().map(|id| number(*id)).collect();
                let Some(values) = values.filter(|values| !values.is_empty()) else {
                    return Err("the entries show no amounts that could be added up".to_owned());
                };
                let sum: f64 = values.iter().sum();
                Some(if sum.fract() == 0.0 { format!("{sum:.0}") } else { format!("{sum:.2}") })
            }
        })
    }

    /// The entries that plain words ask for, such as `open issues`: those of the kind that say the other words. None where the page has no
    /// list of that kind.
    fn entries_for(&self, words: &str) -> Option<Vec<ElementId>> {
        let asked = words;
        let words = tokens(asked);
        let (kind, says) = words.split_last()?;
        let thing = Thing { all: true, kind: kind.trim_end_matches('s').to_owned(), ..Thing::default() };
        let is_here = self.page_speaks_of(kind)
            || self.page_is(Name::plain(kind))
            || !self.parts_called(Name::plain(kind)).is_empty();
        let mut entries = self.anchors_of(&thing);
        entries.retain(|id| self.node(*id).is_some_and(|node| is_item(node) && !is_dialog(node)));
        if !is_here || entries.is_empty() {
            return None;
        }
        entries.retain(|id| {
            let said = self.words_of(&Region::Subtree(*id));
            says.iter().all(|word| words::says(&said, word, asked) || matches!(word.as_str(), "the" | "all" | "my"))
        });
        Some(entries)
    }

    /// What an entry is called: its heading or link, else its first text.
    fn name_of_entry(&self, entry: ElementId) -> String {
        let observation = self.scene.observation;
        let within: Vec<&Node> = observation
            .elements()
            .filter(|(id, node)| observation.ancestors(*id).any(|(around, _)| around == entry) && !node.text.is_empty())
            .map(|(_, node)| node)
            .collect();
        let named = within
            .iter()
            .find(|node| node.role == "heading")
            .or_else(|| within.iter().find(|node| node.role == "link"));
        let first = || within.iter().find(|node| node.text.chars().any(char::is_alphabetic) && !node.is_interactive());
        named
            .or_else(first)
            .map_or_else(|| self.node(entry).map(|node| node.text.clone()).unwrap_or_default(), |node| fold(&node.text))
    }
}

/// Whether a short text says how long something is: `Ready in 75 minutes`, `3:41`.
fn says_duration(text: &str) -> bool {
    const UNITS: [&str; 9] = ["minute", "minutes", "min", "mins", "hour", "hours", "seconds", "days", "weeks"];
    let words = tokens(text);
    let is_span = |pair: &[String]| pair[0].parse::<u32>().is_ok() && UNITS.contains(&pair[1].as_str());
    let is_clock = || {
        let parts: Vec<&str> = text.trim().split(':').collect();
        (2..=3).contains(&parts.len()) && parts.iter().all(|part| part.parse::<u32>().is_ok())
    };
    words.len() <= 6 && (words.windows(2).any(is_span) || is_clock())
}

/// The things that are asked about.
fn asked_for(task: &Task) -> &str {
    if task.thing.of.is_empty() { &task.thing.name } else { &task.thing.of }
}
