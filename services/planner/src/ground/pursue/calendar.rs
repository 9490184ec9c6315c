//! Choosing a date: in a native field, or by turning the months of a calendar.

use super::{Pursuer, Pursuit};
use crate::ground::bind::Candidate;
use crate::ground::goal::Target;
use crate::ground::lexicon::MONTHS;
use crate::ground::pick;
use crate::ground::places::stands_in;
use crate::ground::score::{STRONG, best_label};
use crate::ground::words::{content_tokens, is_function_word, label_score, same_word, tokens};
use chrono::{Datelike, NaiveDate};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;
use std::cmp::Reverse;

/// Why a control is pressed that shows another month.
const TURNS: &str = "turns the calendar towards the wanted month";
/// Levels around the title of a calendar within which its arrows stand.
const NEAR: usize = 2;

/// A date in one of the usual ways to write it; month first where digits leave it open.
pub(super) fn parse_date(text: &str) -> Option<NaiveDate> {
    let text = text.trim().trim_end_matches('.');
    ["%m/%d/%Y", "%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d.%m.%Y", "%m-%d-%Y"]
        .iter()
        .find_map(|format| NaiveDate::parse_from_str(text, format).ok())
}

impl Pursuer<'_> {
    pub(super) fn choose_date(&mut self, date: NaiveDate, written: &str, target: &Target) -> Pursuit {
        let months = self.open_months();
        let is_wanted = |(_, year, month): &&(ElementId, i32, u32)| (*year, *month) == (date.year(), date.month());
        if let Some((title, year, month)) = months.iter().find(is_wanted).or(months.first()) {
            return self.turn_to(date, *title, *year, *month);
        }
        let field = match self.date_field(target) {
            Ok(Some(field)) => field,
            Ok(None) => {
                return self.seek_or("a field for a date", None, || {
                    format!("found no field for a date that is {}", target.title())
                });
            }
            Err(reason) => return Pursuit::Unclear(reason),
        };
        let Some(node) = self.node(field) else { return Pursuit::Reached };
        if node.value.as_deref() == Some(written) || self.is_done(field) && !node.states.readonly {
            return Pursuit::Reached;
        }
        if node.attribute("type") == "date" {
            return self.type_into(
                Candidate { element: field, score: 0.9 },
                &date.format("%Y-%m-%d").to_string(),
                true,
            );
        }
        if self.is_done(field) {
            return self.type_into(Candidate { element: field, score: 0.6 }, written, true);
        }
        self.memory.done.push(self.key_of(field));
        self.click(field, "opens the calendar", 0.85, false)
    }

    /// The field that a date goes into: of several, the one that is called as the instruction says. An error says which there are.
    fn date_field(&self, target: &Target) -> Result<Option<ElementId>, String> {
        let likelihood = |node: &Node| {
            let kind = matches!(node.attribute("type"), "date" | "datetime-local");
            let names = ["id", "class", "name", "placeholder"].iter().flat_map(|name| tokens(node.attribute(name)));
            let named = names.into_iter().any(|word| word.contains("date") || word.contains("calendar"));
            let labelled = best_label("date", node, false) >= 0.6 || tokens(&node.context).contains(&"date".to_owned());
            u32::from(kind) * 4 + u32::from(named) * 2 + u32::from(labelled)
        };
        let mut found: Vec<(ElementId, u32)> = self
            .scene
            .elements()
            .filter(|(_, node)| {
                node.tag == "input"
                    && !matches!(node.role.as_str(), "button" | "checkbox" | "radio")
                    && !node.states.disabled
            })
            .map(|(id, node)| (id, likelihood(node)))
            .filter(|(_, score)| *score > 0)
            .collect();
        // `on` names no field; `as the departure date` names one by what is not said of every date.
        let telling: Vec<String> = content_tokens(target.text())
            .into_iter()
            .filter(|word| !is_function_word(word) && !matches!(word.as_str(), "date" | "day"))
            .collect();
        let is_meant = |id: ElementId| {
            let label = self.field_label(id);
            let own = self.node(id).map_or(0.0, |node| best_label(target.text(), node, target.quoted));
            let words = tokens(&label);
            let speaks = || !target.quoted && telling.iter().any(|word| words.iter().any(|own| same_word(word, own)));
            (own.max(label_score(target.text(), &label, target.quoted)) >= STRONG || speaks())
                && target.places.iter().all(|place| stands_in(&self.scene, id, place))
        };
        let is_told = !telling.is_empty() || target.quoted || !target.places.is_empty();
        if is_told && (target.quoted || found.len() > 1) {
            found.retain(|(id, _)| is_meant(*id));
        }
        if found.is_empty() && is_told {
            // What cannot be typed into is filled by the calendar that it opens.
            let is_filled = |node: &Node| {
                let is_set = node.allows(ActionKind::Type) || (node.states.readonly && node.allows(ActionKind::Click));
                node.tag == "input" && is_set && !node.states.disabled
            };
            let inputs = self.scene.elements().filter(|(_, node)| is_filled(node)).map(|(id, _)| id);
            let is_called = |id: &ElementId| label_score(target.text(), &self.field_label(*id), true) >= STRONG;
            found = inputs.filter(|id| is_meant(*id) && is_called(id)).map(|id| (id, 1)).collect();
        }
        let most = found.iter().map(|(_, score)| *score).max().unwrap_or_default();
        found.retain(|(_, score)| *score == most);
        match found.as_slice() {
            [] => Ok(None),
            [_, _, ..] if is_told || content_tokens(target.text()).iter().any(|word| word == "date") => {
                let named: Vec<String> = found.iter().map(|(id, _)| self.field_label(*id)).collect();
                Err(format!("ambiguous: {} fields take a date: {}", found.len(), named.join(", ")))
            }
            [(first, _), ..] => Ok(Some(*first)),
        }
    }

    /// The months that calendars show, each with the node of its title.
    fn open_months(&self) -> Vec<(ElementId, i32, u32)> {
        let nodes: Vec<(ElementId, Vec<String>)> = self
            .scene
            .elements()
            .filter(|(_, node)| !node.text.is_empty() && node.text.split_whitespace().count() <= 4)
            .map(|(id, node)| (id, tokens(&node.text)))
            .collect();
        let months = nodes.iter().enumerate().filter_map(|(index, (id, words))| {
            let month = words.iter().find_map(|word| month_number(word))?;
            let near = nodes.iter().skip(index).take(3).flat_map(|(_, words)| words);
            let year = near
                .into_iter()
                .find_map(|word| word.parse::<i32>().ok().filter(|year| (1900..2200).contains(year)))?;
            Some((*id, year, month))
        });
        months.collect()
    }

    fn turn_to(&mut self, date: NaiveDate, title: ElementId, year: i32, month: u32) -> Pursuit {
        let shown = year * 12 + month as i32;
        let wanted = date.year() * 12 + date.month() as i32;
        if shown == wanted {
            let mut cells = self.days_of(title, (year, month));
            cells.retain(|(day, _, _)| *day == date.day());
            let day = date.format("%-d %B %Y");
            if cells.iter().any(|(_, _, node)| node.states.disabled) {
                return Pursuit::Stuck(format!("the calendar shows {day} as disabled"));
            }
            let cell = cells.into_iter().max_by_key(|(_, id, node)| (node.allows(ActionKind::Click), Reverse(id.0)));
            return match cell {
                Some((_, cell, _)) => self.click(cell, "is the day", 0.95, true),
                None => Pursuit::Stuck(format!("the calendar shows no day {day} to click")),
            };
        }
        match self.arrow(wanted > shown, None) {
            Some(arrow) => self.click(arrow, TURNS, 0.9, false),
            None => Pursuit::Stuck("the calendar shows another month and no way to turn it".to_owned()),
        }
    }

    /// The days of a month that is shown, disabled ones too: those between its title and that of another month; where titles stand
    /// together, those of the table in the same place as the title. Days of the months beside it are left out.
    fn days_of(&self, title: ElementId, shown: (i32, u32)) -> Vec<(u32, ElementId, &Node)> {
        let titles = self.open_months();
        let of_others = |(_, year, month): &&(ElementId, i32, u32)| (*year, *month) != shown;
        let end = titles.iter().filter(of_others).map(|(id, ..)| id.0).find(|id| *id > title.0).unwrap_or(u32::MAX);
        let days = || {
            let days = self.scene.elements().filter_map(|(id, node)| {
                let day = node.text.trim().parse::<u32>().ok().filter(|day| (1..=31).contains(day))?;
                Some((day, id, node))
            });
            days.filter(|(_, id, _)| id.0 > title.0)
        };
        let mut own: Vec<(u32, ElementId, &Node)> = days().filter(|(_, id, _)| id.0 < end).collect();
        if own.is_empty() {
            let mut before: Vec<(i32, u32)> =
                titles.iter().filter(|(id, ..)| id.0 < title.0).map(|(_, year, month)| (*year, *month)).collect();
            before.dedup();
            let table_of = |id: ElementId| pick::table_of(self.scene.observation, id);
            let mut tables: Vec<ElementId> = days().filter_map(|(_, id, _)| table_of(id)).collect();
            tables.dedup();
            let Some(table) = tables.get(before.len()) else { return Vec::new() };
            own = days().filter(|(_, id, _)| table_of(*id) == Some(*table)).collect();
        }
        if let Some(first) = own.iter().position(|(day, ..)| *day == 1) {
            own.drain(..first);
            let next = own.iter().position(|(day, ..)| *day != 1).unwrap_or(own.len());
            let end = own.iter().skip(next).position(|(day, ..)| *day == 1).map_or(own.len(), |at| next + at);
            own.truncate(end);
        }
        own
    }

    /// Turns the calendar of the page to the month that a text is, as `April 2027`; none where it is no month, or the page shows no
    /// calendar that can be turned.
    pub(super) fn turn_to_month(&mut self, text: &str) -> Option<Pursuit> {
        let (year, month) = month_and_year(text)?;
        let (title, shown_year, shown_month) = *self.open_months().first()?;
        let (wanted, shown) = (year * 12 + month as i32, shown_year * 12 + shown_month as i32);
        if wanted == shown {
            return Some(Pursuit::Reached);
        }
        let arrow = self.arrow(wanted > shown, Some(title))?;
        Some(self.click(arrow, TURNS, 0.9, false))
    }

    /// The control that turns a calendar forward or back; with a title, it stands near that, or is for months by its name.
    fn arrow(&self, is_forward: bool, title: Option<ElementId>) -> Option<ElementId> {
        let names: [&str; 2] = if is_forward { ["next", "forward"] } else { ["prev", "previous"] };
        let observation = self.scene.observation;
        let around: Vec<ElementId> =
            title.into_iter().flat_map(|title| observation.ancestors(title).take(NEAR).map(|(id, _)| id)).collect();
        let belongs = |id: ElementId, node: &Node| {
            title.is_none()
                || tokens(node.label()).iter().any(|word| word == "month")
                || observation.ancestors(id).any(|(above, _)| around.contains(&above))
        };
        let arrows = self
            .scene
            .elements()
            .filter(|(id, node)| node.allows(ActionKind::Click) && !node.states.disabled && belongs(*id, node))
            .map(|(id, node)| (id, names.iter().map(|name| best_label(name, node, false)).fold(0.0, f64::max)));
        arrows.filter(|(_, score)| *score >= 0.5).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(arrow, _)| arrow)
    }
}

/// The year and month that a text is, and nothing else.
fn month_and_year(text: &str) -> Option<(i32, u32)> {
    let words = tokens(text);
    let [one, other] = words.as_slice() else { return None };
    let read = |month: &str, year: &str| {
        let year = year.parse::<i32>().ok().filter(|year| (1900..2200).contains(year))?;
        Some((year, month_number(month)?))
    };
    read(one, other).or_else(|| read(other, one))
}

/// 1 to 12 for the name of a month or its first three letters.
fn month_number(word: &str) -> Option<u32> {
    let index = MONTHS.iter().position(|month| *month == word || (word.len() == 3 && month.starts_with(word)))?;
    u32::try_from(index + 1).ok()
}
