//! What the planner remembers within an episode. It travels in the decision, so that the planner itself keeps nothing.

use super::rivals::Rival;
use domain::observation::{Node, Observation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The state of working through a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    /// Index of the goal being pursued.
    pub goal: usize,
    /// Keys of the disclosures tried for this goal.
    pub tried: Vec<String>,
    /// Keys of the elements that this goal is done with.
    pub done: Vec<String>,
    /// Keys of elements that could not be acted upon.
    pub failed: Vec<String>,
    /// Key of the element acted upon last.
    pub last: Option<String>,
    /// Whether the last action was meant to reach its goal.
    pub reaching: bool,
    /// Whether the last action repeats one that changed nothing.
    pub repeated: bool,
    /// Keys of fields that text was entered into, over all goals.
    pub filled: Vec<String>,
    /// Those of the task before.
    pub filled_before: Vec<String>,
    /// Text just entered, for which suggestions may be offered.
    pub awaiting: Option<String>,
    /// Whether the things that are all to be removed are known by what their entries say of themselves.
    pub marked: bool,
    /// How many of those that each are to be pressed were shown at the last press.
    pub shown: usize,
    /// What the one that was pressed last looked like.
    pub look: String,
    /// How many looked like the one that was pressed last, of those that each are to be pressed.
    pub twins: usize,
    /// How many of those that each were pressed are there no longer.
    pub gone: usize,
    /// Results of a list that were turned over.
    pub passed: u32,
    /// Whether the record spoken of was opened.
    pub opened: bool,
    /// How many steps were taken when a choice was made that a page may take at once; 0 where none was.
    pub chosen_at: usize,
    /// Whether it was opened by the only way of its row, which may lead elsewhere: the page has to say its name.
    pub through_way: bool,
    /// The fields that were there when a form was opened for the present task, and the address at that time.
    pub fields_before: Vec<String>,
    pub form_url: String,
    /// How many steps were taken when the menu of the thing spoken of was open; 0 where none was opened.
    pub menu_at: usize,
    /// Whether the last action only looked around: whatever became of it, nothing depends on it.
    pub aside: bool,
    /// The element acted upon last.
    pub place: Option<ElementPath>,
    /// What that element was to hold.
    pub wanted: Option<Wanted>,
    /// How often the step was tried that is not taken yet.
    pub tries: u32,
    /// A hash of what the page showed when a step had changed nothing.
    pub watched: Option<u64>,
    /// What was sent and not confirmed.
    pub unconfirmed: Option<String>,
    /// Waits for what this goal needs.
    pub waits: u32,
    /// Tabs looked at for what this goal needs.
    pub tabs: Vec<u32>,
    /// Why nothing may follow: a question of the page that the instruction does not answer.
    pub refused: Option<String>,
    /// Whether the last choice was looked at once more at the end.
    pub looked: bool,
    /// Where the plan stood before the last step: goal, and numbers of elements done and filled.
    pub before: (usize, usize, usize),
    /// Whether the step was taken that does what the present task asks.
    pub decided: bool,
    /// How many steps were taken before that one.
    pub decided_at: usize,
    /// The address at that time.
    pub decided_url: String,
    /// Whether a form was handed in for it.
    pub handed_in: bool,
    /// How many steps were taken when a question of the page was answered with yes; 0 where none was. Outlasts its goal.
    pub answered_at: usize,
    /// How many steps were taken when a form was handed in by its button; 0 where none was. Outlasts its goal.
    pub handed_in_at: usize,
    /// Fields that the present task filled, with what was typed.
    pub typed: Vec<(ElementPath, String)>,
    /// Numbers that were put into fields which held another one, over all goals.
    pub numbers: Vec<Replaced>,
    /// How often the page asked back.
    pub questions: u32,
    /// How far a task has come that has several stages.
    pub stage: u32,
    /// Ways followed in search of where the task can be done.
    pub hops: Vec<String>,
    /// Controls that the map says lead on from here, each by role and name.
    pub walk: Vec<(String, String)>,
    /// How many steps had been taken when the next of them is to be pressed.
    pub walk_at: usize,
    /// What was called that led to the page that is shown.
    pub arrived: String,
    /// How many of them had been followed when it went back.
    pub returns: usize,
    /// The address where the present task began.
    pub task_url: String,
    /// What is said beside the claim: what held already, what was taken for what.
    pub notes: Vec<String>,
    /// What stood beside a tab, a link or a section that the instruction turned to by name. Outlasts its goal.
    pub passed_by: Vec<Rival>,
    /// What else said the name of the thing that is to be removed, right before the step that removes it, and how often.
    pub others: BTreeMap<String, usize>,
    /// The answer to what was asked.
    pub answer: Option<String>,
    /// Whether the task was decided, and how many fields it had typed into, before the last step.
    pub decided_before: (bool, usize),
}

/// A number that was put in the place of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Replaced {
    /// The field.
    pub place: ElementPath,
    /// What it held.
    pub before: String,
    /// What it was given.
    pub given: String,
    /// The page, without its query.
    pub url: String,
    /// The beginning of what its entry says.
    pub entry: String,
}

/// By this an element is found again in the next observation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ElementPath {
    /// Index of its frame.
    pub frame: u32,
    /// Its path.
    pub xpath: String,
    /// Its role.
    pub role: String,
    /// Its name, which tells elements apart whose paths are alike: each shadow root has paths of its own.
    #[serde(default)]
    pub name: String,
}

impl ElementPath {
    /// The place of a node.
    pub(crate) fn of(node: &Node) -> Self {
        Self { frame: node.frame, xpath: node.xpath.clone(), role: node.role.clone(), name: node.name.clone() }
    }

    /// The node at this place.
    pub(crate) fn find<'a>(&self, observation: &'a Observation) -> Option<&'a Node> {
        let at_place = |node: &&Node| node.frame == self.frame && node.xpath == self.xpath && node.role == self.role;
        let here = || observation.nodes.iter().filter(|_| !self.xpath.is_empty()).filter(at_place);
        here().find(|node| node.name == self.name).or_else(|| here().next())
    }
}

/// What an element is to hold after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    /// A field: this text.
    Text(String),
    /// A checkbox, radio button or switch: this state.
    Checked(bool),
    /// A list: these options.
    Options(Vec<String>),
}

impl Memory {
    /// Reads a memory that came back with a request; anything unreadable is a new memory.
    pub(crate) fn from_value(value: &Value) -> Memory {
        serde_json::from_value(value.clone()).unwrap_or_default()
    }

    /// As a value to travel in a decision.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    /// Goes on to the next goal.
    pub(crate) fn next_goal(&mut self) {
        self.goal += 1;
        self.tried.clear();
        self.done.clear();
        self.awaiting = None;
        self.passed = 0;
        self.marked = false;
        self.shown = 0;
        self.look.clear();
        self.twins = 0;
        self.gone = 0;
        self.opened = false;
        self.through_way = false;
        self.chosen_at = 0;
        self.fields_before.clear();
        self.form_url.clear();
        self.menu_at = 0;
        self.waits = 0;
        self.tabs.clear();
        if self.decided || !self.typed.is_empty() {
            // The next task may fill the same fields anew.
            self.filled_before = std::mem::take(&mut self.filled);
        }
        self.decided = false;
        self.handed_in = false;
        self.typed.clear();
        self.questions = 0;
        self.stage = 0;
        self.hops.clear();
        self.walk.clear();
        self.returns = 0;
        self.task_url.clear();
        self.others.clear();
    }

    /// Remembers where the plan stands before a step.
    pub(crate) fn stand(&mut self) {
        self.before = (self.goal, self.done.len(), self.filled.len());
        self.decided_before = (self.decided, self.typed.len());
    }

    /// Goes back to where the plan stood before the last step.
    pub(crate) fn step_back(&mut self) {
        let (goal, done, filled) = self.before;
        self.goal = goal;
        self.done.truncate(done);
        self.filled.truncate(filled);
        (self.decided, _) = self.decided_before;
        self.typed.truncate(self.decided_before.1);
        self.awaiting = None;
    }
}
