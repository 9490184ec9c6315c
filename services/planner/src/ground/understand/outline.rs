//! Goals in a form for people and programs.

use crate::ground::goal::{Count, DialogAnswer, Goal, Kind, Manner, PagePart, Target, Value};
use crate::ground::target::kind_named;
use crate::ground::task::{Question, Task, TaskAct, Thing};
use crate::ground::words::fold;
use domain::upload;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A goal that an instruction was understood as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedGoal {
    /// What is done: `add`, `remove`, `click`, …; `not understood` for a clause that came to no goal.
    pub operation: String,
    /// What kind of thing, in the singular.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What it is called; for a clause that was not understood, its words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Whether the name stood in quotes, and is meant letter for letter.
    pub quoted: bool,
    /// Which of several: 1 is the first, -1 the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub which: Option<i32>,
    /// Whether all of them are meant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Whose it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// Where it is, or where it goes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// With which values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ExplainedValue>,
}

/// A value and the field that it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedValue {
    /// The field; empty where the instruction names none.
    pub field: String,
    /// The value.
    pub value: String,
}

impl fmt::Display for ExplainedGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)?;
        if !self.kind.is_empty() {
            write!(f, " {}", self.kind)?;
        }
        if !self.name.is_empty() {
            write!(f, " \"{}\"", self.name)?;
        }
        if let Some(which) = self.which {
            write!(f, " #{which}")?;
        }
        if self.all {
            f.write_str(" all")?;
        }
        if !self.of.is_empty() {
            write!(f, " of \"{}\"", self.of)?;
        }
        for place in &self.places {
            write!(f, " in \"{place}\"")?;
        }
        for (index, given) in self.values.iter().enumerate() {
            write!(f, "{}{} = \"{}\"", if index == 0 { ": " } else { "; " }, given.field, given.value)?;
        }
        Ok(())
    }
}

/// Whether goals speak of every one of these parts; a part that is the name of a kind, such as `text`, names nothing.
pub(super) fn speak_of_all<'a>(goals: &[Goal], mut parts: impl Iterator<Item = &'a str>) -> bool {
    let said: Vec<String> =
        goals.iter().flat_map(|goal| explain(goal).texts()).map(|text| text.to_lowercase()).collect();
    parts.all(|part| {
        let part = fold(part).to_lowercase();
        kind_named(&part).is_some() || said.iter().any(|text| text.contains(&part))
    })
}

impl ExplainedGoal {
    fn texts(self) -> Vec<String> {
        let values = self.values.into_iter().flat_map(|given| [given.field, given.value]);
        [self.operation, self.kind, self.name, self.of].into_iter().chain(self.places).chain(values).collect()
    }
}

/// All that a goal speaks of.
pub(super) fn texts(goal: &Goal) -> Vec<String> {
    explain(goal).texts()
}

pub(super) fn explain(goal: &Goal) -> ExplainedGoal {
    match goal {
        Goal::Task(task) => of_task(task),
        Goal::NotUnderstood(clause) => named("not understood", clause),
        Goal::Await(awaited) => named("wait for", &awaited.text),
        Goal::OnlyIf { shown, .. } => ExplainedGoal { operation: "only if".to_owned(), ..named("only if", shown) },
        Goal::Activate(target) => of_target("click", target),
        Goal::Focus(target) => of_target("focus", target),
        Goal::Reveal(target) => of_target("expand", target),
        Goal::Hover(target) => of_target("hover", target),
        Goal::DoubleClick(target) => of_target("double-click", target),
        Goal::Enter { value, target } => {
            let text = match value {
                Value::Literal(text) => text.clone(),
                Value::CellOf(heading) => format!("the value of {heading}"),
            };
            let operation = if upload::name_of(&text).is_some() { "upload" } else { "type" };
            with_place(named(operation, &text), target)
        }
        Goal::Choose { values, names, manner, target } => {
            let operation = match manner {
                Manner::Named => "choose",
                Manner::Similar => "choose what is like",
                Manner::Cleared => "clear",
            };
            let listed = if names.is_empty() { values.clone() } else { names.join("\", \"") };
            with_place(ExplainedGoal { quoted: !names.is_empty(), ..named(operation, &listed) }, target)
        }
        Goal::Answer(DialogAnswer::Accept) => named("accept the dialog", ""),
        Goal::Answer(DialogAnswer::Dismiss) => named("dismiss the dialog", ""),
        Goal::Answer(DialogAnswer::Text(text)) => named("answer the dialog", text),
        Goal::Fill { slots, verb } => {
            let values = slots.iter().map(|slot| ExplainedValue { field: slot.cue.clone(), value: slot.value.clone() });
            ExplainedGoal { values: values.collect(), ..named("fill the form and send it", verb) }
        }
        Goal::Press(keys) => named("press", keys),
        Goal::Drag { what, onto } => with_place(of_target("drag", what), onto),
        Goal::Scroll(direction) => named("scroll", &format!("{direction:?}").to_lowercase()),
        Goal::Back => named("go back", ""),
        Goal::Open(address) => named("open address", address),
        Goal::Best(superlative) => {
            let quantity = format!("{:?}", superlative.quantity).to_lowercase();
            named(
                if superlative.most { "take the one with the most" } else { "take the one with the least" },
                &quantity,
            )
        }
    }
}

fn named(operation: &str, name: &str) -> ExplainedGoal {
    ExplainedGoal { operation: operation.to_owned(), name: name.to_owned(), ..ExplainedGoal::default() }
}

fn of_target(operation: &str, target: &Target) -> ExplainedGoal {
    ExplainedGoal {
        kind: target.kind.map(kind_word).unwrap_or_default(),
        quoted: target.quoted,
        which: target.ordinal,
        all: target.count == Count::All,
        of: told_of(target),
        places: names(&target.places),
        ..named(operation, target.text())
    }
}

/// What tells the record in which an element stands.
fn told_of(target: &Target) -> String {
    let named = target.within.clone().unwrap_or_default();
    // Places that are read apart stand in those words as well.
    let told = target.told.as_ref().filter(|_| target.places.is_empty());
    told.map_or(named, |told| told.text().to_owned())
}

fn kind_word(kind: Kind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// What is done in a field or a list.
fn with_place(mut goal: ExplainedGoal, target: &Target) -> ExplainedGoal {
    let kind = target.kind.map(kind_word).unwrap_or_default();
    let place = match (target.text(), target.count) {
        ("", Count::All) => format!("all {kind}s"),
        ("", _) => kind,
        (text, _) => text.to_owned(),
    };
    if !place.is_empty() {
        goal.places.push(place);
    }
    goal.places.extend(Some(told_of(target)).filter(|told| !told.is_empty()));
    goal.places.extend(names(&target.places));
    goal.places.dedup();
    goal
}

fn names(places: &[PagePart]) -> Vec<String> {
    places.iter().map(|place| place.name.clone()).collect()
}

fn of_task(task: &Task) -> ExplainedGoal {
    let Thing { kind, name, quoted, ordinal, all, of, places, .. } = task.thing.clone();
    let operation = match &task.act {
        TaskAct::Open => "open".to_owned(),
        TaskAct::Add => "add".to_owned(),
        TaskAct::Remove => "remove".to_owned(),
        TaskAct::Mark => "mark".to_owned(),
        TaskAct::Unmark => "unmark".to_owned(),
        TaskAct::Edit => "edit".to_owned(),
        TaskAct::Move => "move".to_owned(),
        TaskAct::Send => "send".to_owned(),
        TaskAct::Reply => "reply".to_owned(),
        TaskAct::Forward => "forward".to_owned(),
        TaskAct::LogIn => "log in".to_owned(),
        TaskAct::LogOut => "log out".to_owned(),
        TaskAct::Search => "search".to_owned(),
        TaskAct::Sort => "sort".to_owned(),
        TaskAct::Filter => "filter".to_owned(),
        TaskAct::Do(verb) => format!("do {verb}"),
        TaskAct::Answer(Question::Value) => "answer value".to_owned(),
        TaskAct::Answer(Question::Count) => "answer count".to_owned(),
        TaskAct::Answer(Question::List) => "answer list".to_owned(),
        TaskAct::Answer(Question::Whether) => "answer whether".to_owned(),
        TaskAct::Answer(Question::Sum) => "answer sum".to_owned(),
    };
    let values =
        task.values.iter().map(|given| ExplainedValue { field: given.field.clone(), value: given.value.clone() });
    ExplainedGoal {
        operation,
        kind,
        name,
        quoted,
        which: ordinal,
        all,
        of,
        places: names(&places),
        values: values.collect(),
    }
}
