//! Reading commands that speak of controls: click, type, choose, expand. Pure: knows the language of commands, never a page.

use super::clause::{Act, CLOSE_MARK, Quoted, verb};
use super::described::Description;
use super::goal::{Count, DialogAnswer, Goal, Kind, Manner, PagePart, Target, Value};
use super::measure;
use super::named_places::places_in;
use super::slots;
use super::target::{self, parse_target};
use super::task::{Task, TaskAct, Thing};
use super::words::{is_function_word, is_general, tokens};
use domain::action::Direction;

mod keys;
mod listed;
mod place;

use keys::{key_name, pressed_key};
use listed::{codes, people};
use place::{for_group, named_number, of_named, split_place, value_of};

/// Reads one clause after another.
pub(crate) struct Reader<'a> {
    quoted: &'a Quoted,
    /// What was read.
    pub goals: Vec<Goal>,
    /// Whether nothing was read of the instruction yet.
    pub is_first: bool,
    /// The record that the clauses speak of, named by an earlier `find the … by …` or `for the user …`.
    anchor: Option<String>,
    /// All that was said of it.
    told: Option<Description>,
    /// The place that stands right before the present command.
    led_by: Option<PagePart>,
}

impl<'a> Reader<'a> {
    /// A reader of the clauses of an instruction.
    pub(crate) fn new(quoted: &'a Quoted) -> Self {
        Self { quoted, goals: Vec::new(), is_first: true, anchor: None, told: None, led_by: None }
    }
}

impl Reader<'_> {
    /// Reads one clause. What is not understood comes to no goal.
    pub(crate) fn read(&mut self, clause: &str) {
        let clause = self.take_leading_anchor(clause);
        let clause = clause.trim_start_matches("Please ").trim_start_matches("please ");
        let clause = clause.replacen("ouble click", "ouble-click", 1);
        let Some((first, rest)) = split_first(&clause) else { return };
        let Some(act) = verb(first) else {
            self.read_unknown(&clause);
            return;
        };
        self.read_command(act, first, rest, &clause);
        self.led_by = None;
    }

    fn read_command(&mut self, act: Act, first: &str, rest: &str, clause: &str) {
        match act {
            Act::Click => self.read_click(first, rest),
            Act::Enter => self.read_enter(rest, None),
            Act::Choose => self.read_choose(first, rest, Manner::Named),
            Act::Clear => self.read_choose(first, rest, Manner::Cleared),
            Act::Focus => self.goals.push(Goal::Focus(self.target(rest))),
            Act::Reveal => self.read_reveal(rest),
            Act::Close => self.read_close(first, rest),
            Act::Accept | Act::Cancel => self.read_answer(act, clause),
            Act::Find => self.speak_of(rest),
            Act::Wander => self.goals.extend(wander(clause)),
            Act::Hover => self.goals.push(Goal::Hover(self.target(rest.trim_start_matches("over ")))),
            Act::DoubleClick => self.goals.push(Goal::DoubleClick(self.target(rest))),
            Act::Drag => self.read_drag(rest),
            Act::Search => self.read_search(first, rest),
            Act::Use => {
                if let Some((tool, purpose)) = rest.split_once(" to ") {
                    self.read_purpose(tool, purpose);
                }
            }
        }
    }

    /// `For the user @ann, …`: what stands before the command says where it happens.
    fn take_leading_anchor(&mut self, clause: &str) -> String {
        let leading = ["for ", "in ", "on ", "under ", "from ", "within "];
        let lower = clause.to_lowercase();
        if !leading.iter().any(|word| lower.starts_with(word)) {
            return clause.to_owned();
        }
        match clause.split_once(", ").or_else(|| command_behind_place(clause)) {
            Some((before, after)) => {
                self.stand_in(before);
                after.to_owned()
            }
            // `For the user @ann,` became a clause of its own because a command followed it.
            None => {
                self.stand_in(clause);
                String::new()
            }
        }
    }

    /// What follows stands in a place.
    fn stand_in(&mut self, place: &str) {
        self.speak_of(place);
        self.led_by = places_in(self.quoted, place).into_iter().next();
    }

    /// What follows speaks of the record that is named here, if any is.
    fn speak_of(&mut self, text: &str) {
        if let Some(anchor) = target::anchor_of(self.quoted, text) {
            self.anchor = Some(anchor);
            let said = text.split_once(' ').map_or(text, |(_, said)| said);
            self.told = Description::of_more_than_a_name(self.quoted, said);
        }
    }

    fn target(&self, text: &str) -> Target {
        let mut target = parse_target(self.quoted, text);
        if target.within.is_none() {
            target.within = self.anchor.clone();
            target.told = self.told.clone();
            target.carried = target.within.is_some() && !(self.is_first && self.goals.is_empty());
        } else if let Some(place) = self.led_by.as_ref().filter(|place| target.within.as_ref() != Some(&place.name)) {
            target.places.push(place.clone());
        }
        target
    }

    /// `accept the dialog`, `confirm`, `cancel it`; anything else that is accepted or cancelled is a thing of the page.
    fn read_answer(&mut self, act: Act, clause: &str) {
        let words = tokens(clause);
        let speaks_of_dialog = words.iter().skip(1).all(|word| {
            is_function_word(word)
                || matches!(
                    word.as_str(),
                    "dialog"
                        | "dialogue"
                        | "box"
                        | "popup"
                        | "pop"
                        | "up"
                        | "prompt"
                        | "alert"
                        | "confirmation"
                        | "question"
                        | "message"
                        | "browser"
                )
        });
        let after_action = !self.is_first && words.len() == 1;
        if speaks_of_dialog && (words.len() > 1 || after_action) {
            self.goals.push(Goal::Answer(if act == Act::Accept {
                DialogAnswer::Accept
            } else {
                DialogAnswer::Dismiss
            }));
        } else {
            self.read_unknown(clause);
        }
    }

    fn read_click(&mut self, verb: &str, rest: &str) {
        let rest = without_purpose(rest);
        let pressed = || pressed_key(rest).filter(|_| ["press", "hit"].contains(&verb.to_lowercase().as_str()));
        if let Some(key) = key_name(rest).or_else(pressed) {
            self.goals.push(Goal::Press(key));
            return;
        }
        // `press Enter in the field Name`
        let in_field = |field: &&str| {
            self.target(field).kind.is_none_or(|kind| matches!(kind, Kind::Field | Kind::TextArea | Kind::Password))
        };
        let pressed_in = rest.split_once(" in ").and_then(|(key, field)| Some((pressed_key(key)?, field)));
        let pressed_in = pressed_in.filter(|(_, field)| in_field(field));
        if let Some((key, field)) = pressed_in.filter(|_| verb.eq_ignore_ascii_case("press")) {
            self.goals.extend([Goal::Focus(self.target(field)), Goal::Press(key)]);
            return;
        }
        let target = self.target(rest);
        match measure::superlative(rest).filter(|_| !target.quoted) {
            Some(superlative) => self.goals.push(Goal::Best(superlative)),
            None => self.goals.push(Goal::Activate(target)),
        }
    }

    fn read_close(&mut self, verb: &str, rest: &str) {
        if verb.eq_ignore_ascii_case("dismiss") && !rest.contains(" by ") && self.quoted.parts_in(rest).next().is_none()
        {
            self.goals.push(Goal::Answer(DialogAnswer::Dismiss));
            return;
        }
        if let Some((context, how)) = split_by_gerund(rest) {
            let mut target = self.target(how);
            target.in_dialog |= parse_target(self.quoted, context).kind == Some(Kind::Dialog);
            self.goals.push(Goal::Activate(target));
            return;
        }
        // `close the issues that aren't important`: only what a page has one of is closed by a control that says no more than that.
        const CLOSED: [&str; 12] = [
            "popup",
            "pop",
            "up",
            "overlay",
            "banner",
            "notice",
            "ad",
            "tooltip",
            "panel",
            "menu",
            "box",
            "notification",
        ];
        let is_told = |word: &String| {
            is_function_word(word)
                || is_general(word)
                || target::kind_named(word).is_some()
                || CLOSED.contains(&word.as_str())
        };
        let named = self.target(rest);
        if named.within.is_none() && self.quoted.parts_in(rest).next().is_none() && !tokens(rest).iter().all(is_told) {
            return;
        }
        let in_dialog = named.kind == Some(Kind::Dialog);
        self.goals.push(Goal::Activate(Target { in_dialog, within: named.within, ..Target::labelled("close") }));
    }

    fn read_reveal(&mut self, rest: &str) {
        let target = self.target(without_purpose(rest));
        let is_named = target.quoted || target.within.is_some();
        self.goals.push(if is_named { Goal::Activate(target) } else { Goal::Reveal(target) });
    }

    fn read_choose(&mut self, verb: &str, rest: &str, manner: Manner) {
        let (what, place) = of_named(rest).map_or_else(|| split_place(rest), |(what, place)| (what, Some(place)));
        let (what, place) = match for_group(what).filter(|_| place.is_none()) {
            Some((what, group)) => (what, Some(group)),
            None => (what, place),
        };
        if let Some(described) = what.to_lowercase().find("similar to ") {
            let values = self.quoted.restore(&what[described + "similar to ".len()..]);
            let target = Target::default();
            self.goals.push(Goal::Choose { values, names: Vec::new(), manner: Manner::Similar, target });
            return;
        }
        let target = place.map(|place| self.target(place)).unwrap_or_default();
        let named = parse_target(self.quoted, what);
        let speaks_of_one_element =
            named.kind.is_some_and(|kind| !matches!(kind, Kind::Select | Kind::Item | Kind::Result))
                || named.ordinal.is_some();
        if speaks_of_one_element
            && verb.eq_ignore_ascii_case("select")
                | verb.eq_ignore_ascii_case("choose")
                | verb.eq_ignore_ascii_case("pick")
        {
            let target = self.target(what);
            self.goals.push(Goal::Activate(target));
            return;
        }
        let mut quoted: Vec<String> = self.quoted.parts_in(what).map(str::to_owned).collect();
        // One of them is asked for, and not which.
        let is_open = quoted.len() > 1 && what.contains(" or ");
        quoted.truncate(if is_open { 1 } else { usize::MAX });
        let values = match quoted.first() {
            Some(first) if is_open => first.clone(),
            _ => self.quoted.restore(target::without_kind_words(what).as_str()),
        };
        let names = match quoted.is_empty() {
            true => [codes(what), people(what)].concat(),
            false => quoted,
        };
        self.goals.push(Goal::Choose { values, names, manner, target });
    }

    /// `the username ⟦0⟧ and the password ⟦1⟧ into the text fields`.
    fn read_enter(&mut self, rest: &str, default: Option<Target>) {
        // `fill in the code 4711`
        let rest = rest.strip_prefix("in ").filter(|rest| named_number(rest).is_some()).unwrap_or(rest);
        // `fill out the form: …`: what is to be filled in, and no text.
        if ["in the ", "in my ", "in this ", "out "].iter().any(|lead| rest.starts_with(lead))
            && !rest.contains(super::clause::OPEN_MARK)
        {
            self.goals.push(Goal::NotUnderstood(self.quoted.restore(rest)));
            return;
        }
        let (what, place) = split_place(rest);
        let place = place.map(|place| self.target(place)).or(default).unwrap_or(Target::of_kind(Kind::Field));
        if let Some(heading) = value_of(what) {
            let value = Value::CellOf(self.quoted.restore(heading));
            self.goals.push(Goal::Enter { value, target: place });
            return;
        }
        let mut pairs = self.labelled_values(what);
        pairs.extend(named_number(what).filter(|_| pairs.is_empty()));
        if pairs.is_empty() {
            let value = Value::Literal(self.quoted.restore(what));
            self.goals.push(Goal::Enter { value, target: place });
            return;
        }
        for (label, value) in pairs {
            let value = Value::Literal(recase(&value, rest));
            let mut target = place.clone();
            let words = target::without_kind_words(&label);
            if !place.quoted && !words.is_empty() && target.count == Count::One
                || !place.quoted && place.texts.is_empty() && !words.is_empty()
            {
                if words.to_lowercase().contains("password") {
                    target.kind = Some(Kind::Password);
                }
                target.texts.insert(0, words);
            }
            self.goals.push(Goal::Enter { value, target });
        }
    }

    /// Quoted values with the words that stand before each.
    fn labelled_values(&self, text: &str) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut label: Vec<&str> = Vec::new();
        for word in text.split_whitespace() {
            match self.quoted.part(word) {
                Some(value) => {
                    pairs.push((label.join(" "), value.to_owned()));
                    label.clear();
                }
                None => label.push(word),
            }
        }
        pairs
    }

    fn read_search(&mut self, verb: &str, rest: &str) {
        let about = rest.strip_prefix("for ").unwrap_or(rest);
        let mut values = self.quoted.parts_in(about);
        if let (Some(only), None) = (values.next(), values.next()) {
            let value = Value::Literal(only.to_owned());
            let target = Target { kind: Some(Kind::Field), ..Target::labelled("search") };
            self.goals.push(Goal::Enter { value, target });
            self.goals.push(Goal::Activate(Target { kind: Some(Kind::Button), ..Target::labelled(verb) }));
            return;
        }
        let about = self.quoted.restore(about);
        let mut slots = slots::of_description(&about);
        if !verb.eq_ignore_ascii_case("search") {
            // What is booked or bought is not a part of its description.
            slots.retain(|slot| !slot.value.starts_with(char::is_lowercase));
        }
        let superlative = measure::superlative(&about);
        if slots.is_empty() || (slots.len() < 2 && superlative.is_none() && !verb.eq_ignore_ascii_case("search")) {
            return;
        }
        self.goals.push(Goal::Fill { slots, verb: verb.to_lowercase() });
        self.goals.extend(measure::superlative(&about).map(Goal::Best));
    }

    /// `the red box onto the shelf`.
    fn read_drag(&mut self, rest: &str) {
        let places = [" onto ", " into ", " to ", " over "];
        let cut = places.iter().find_map(|place| rest.split_once(place));
        if let Some((what, onto)) = cut {
            let (what, onto) = (self.target(what), self.target(onto));
            self.goals.push(Goal::Drag { what, onto });
        }
    }

    /// `use the textbox to enter ⟦0⟧`.
    fn read_purpose(&mut self, tool: &str, purpose: &str) {
        let Some((first, rest)) = split_first(purpose) else { return };
        match verb(first) {
            Some(Act::Enter) => {
                let tool = self.target(tool);
                self.read_enter(rest, Some(tool));
            }
            _ => self.read(purpose),
        }
    }

    /// A clause without a known verb: `submit`, `save the changes`, `ship ⟦0⟧`.
    fn read_unknown(&mut self, clause: &str) {
        let Some((first, rest)) = split_first(clause) else { return };
        if !first.chars().all(char::is_alphabetic) {
            return;
        }
        // A verb alone never chooses a control: what it is done to does.
        if let Some(name) = self.quoted.parts_in(rest).next() {
            let mut places = places_in(self.quoted, rest);
            places.retain(|place| place.name != name);
            // What is said of the thing and comes to nothing would let the act go to another one.
            let is_told = |word: &String| {
                is_function_word(word)
                    || is_general(word)
                    || super::target::kind_named(word).is_some()
                    || places.iter().any(|place| tokens(&place.name).contains(word))
            };
            let behind =
                rest.rfind(CLOSE_MARK).and_then(|at| rest.get(at + CLOSE_MARK.len_utf8()..)).unwrap_or_default();
            if !tokens(behind).iter().all(is_told) {
                return;
            }
            let thing = Thing { name: name.to_owned(), quoted: true, places, ..Thing::default() };
            self.goals.push(Goal::Task(Task { act: TaskAct::Do(first.to_lowercase()), thing, values: Vec::new() }));
            return;
        }
        let is_general = tokens(rest).iter().all(|word| is_function_word(word) || is_general(word));
        if is_general {
            let mut target = self.target(clause);
            if target.texts.first().is_none_or(|text| !text.eq_ignore_ascii_case(first)) {
                target.texts.push(first.to_owned());
            }
            self.goals.push(Goal::Activate(target));
        }
    }
}

/// A named place, and the command that follows it without a comma: `In the row of ⟦0⟧ click ⟦1⟧`.
fn command_behind_place(clause: &str) -> Option<(&str, &str)> {
    let is_command = |(at, after): &(usize, &str)| {
        let word = after.split(' ').next().unwrap_or_default();
        clause.get(..*at).is_some_and(|before| before.contains(CLOSE_MARK))
            && matches!(verb(word), Some(Act::Click | Act::Choose | Act::Clear | Act::Enter))
    };
    let mut starts = clause.match_indices(' ').filter_map(|(at, _)| Some((at, clause.get(at + 1..)?)));
    let (at, after) = starts.find(is_command)?;
    Some((clause.get(..at)?, after))
}

fn split_first(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(text.split_once(char::is_whitespace).map_or((text, ""), |(first, rest)| (first, rest.trim())))
}

/// `the dialog box by clicking the ⟦0⟧` → (`the dialog box`, `the ⟦0⟧`).
fn split_by_gerund(text: &str) -> Option<(&str, &str)> {
    ["by clicking", "by pressing", "by tapping", "by hitting"]
        .iter()
        .find_map(|by| text.split_once(by))
        .map(|(context, how)| (context.trim(), how.trim()))
}

/// Drops what a step is for: `the star icon to mark it as important`.
fn without_purpose(text: &str) -> &str {
    let is_place = |at: usize| ["next", "close", "according"].iter().any(|lead| text[..at].ends_with(lead));
    let mut found = text.match_indices(" to ").map(|(at, _)| at);
    found.find(|at| at + 4 < text.len() && !is_place(*at)).map_or(text, |at| text[..at].trim())
}

/// Applies `in all upper case letters` and its like.
fn recase(value: &str, clause: &str) -> String {
    let clause = clause.to_lowercase();
    if clause.contains("upper case") || clause.contains("uppercase") || clause.contains("capital letters") {
        value.to_uppercase()
    } else if clause.contains("lower case") || clause.contains("lowercase") {
        value.to_lowercase()
    } else {
        value.to_owned()
    }
}

/// Moves of the whole page: `scroll down`, `go back`, `go to https://…`. Other ways to look around are no goals.
fn wander(clause: &str) -> Option<Goal> {
    let lower = clause.to_lowercase();
    if let Some(url) =
        clause.split_whitespace().find(|word| word.starts_with("http://") || word.starts_with("https://"))
    {
        return Some(Goal::Open(url.to_owned()));
    }
    match lower.as_str() {
        "go back" | "navigate back" => Some(Goal::Back),
        _ if lower.starts_with("scroll up") => Some(Goal::Scroll(Direction::Up)),
        _ if lower.starts_with("scroll down") => Some(Goal::Scroll(Direction::Down)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
