//! `ground`: does what an instruction says without a language model, where the instruction names what it means.
//!
//! The instruction is read into goals (`parse`), each goal is bound to the page by text, kind, order and place (`bind`),
//! what is not visible is sought by opening, switching and turning over (`seek`) or waited for (`waiting`), and meaning is
//! compared by embeddings where words differ. It never takes what is near for what is wanted: where nothing fits, where several
//! fit alike (`pick`), or where a step was not taken (`outcome`), it gives up and says why.

mod bind;
mod clause;
mod color;
mod commands;
mod described;
mod dialog;
mod goal;
mod item;
mod layout;
mod lexicon;
mod lost;
mod measure;
mod memory;
mod named_places;
mod names;
mod numbered;
mod outcome;
mod parse;
mod pick;
mod places;
mod pursue;
mod record;
mod refusals;
mod region;
mod rivals;
mod score;
mod seek;
mod slots;
mod tabs;
mod target;
mod task;
mod understand;
mod waiting;
mod words;

#[cfg(test)]
mod aside_tests;
#[cfg(test)]
mod everyday_tests;
#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod lost_tests;
#[cfg(test)]
mod menu_tests;
#[cfg(test)]
mod place_tests;
#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;
#[cfg(test)]
mod wanted_tests;

use self::bind::Scene;
use self::goal::{DialogAnswer, Goal, Plan};
use self::memory::{ElementPath, Memory, Wanted};
use self::outcome::Outcome;
use self::pursue::{NextStep, Pursuer, Pursuit};
use self::understand::understand;
pub use self::understand::{ExplainedGoal, ExplainedValue, explain};
use crate::guide::SiteGuide;
use crate::registry::{BuildError, Need, Needs, Parts, Registered};
use async_trait::async_trait;
use domain::Effect;
use domain::action::{Action, ActionKind, Claim};
use domain::decision::{Choice, Decision, DecisionRequest, Level, Planner, PlannerError};
use domain::language::Embedder;
use domain::observation::{Dialog, Node, Observation};
use domain::trajectory::Step;
use domain::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The planner without a model.
pub struct Ground {
    embedder: Arc<dyn Embedder>,
    options: GroundOptions,
}

/// Parameters of the planner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GroundOptions {
    /// The least cosine between a label and the wanted text to act on when no words agree.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub similarity: f64,
    /// What a map knows of the site: `--map` puts it here.
    pub map: SiteGuide,
}

impl Default for GroundOptions {
    fn default() -> Self {
        Self { similarity: 0.45, map: SiteGuide::default() }
    }
}

impl Ground {
    /// A planner that compares meaning by this embedder.
    pub fn new(embedder: Arc<dyn Embedder>, options: GroundOptions) -> Self {
        Self { embedder, options }
    }
}

#[async_trait]
impl Planner for Ground {
    fn name(&self) -> &str {
        "ground"
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let mut memory = Memory::from_value(&request.memory);
        let plan = understand(&request.instruction);
        if plan.goals.is_empty() {
            let reason = "the instruction names nothing to do that could be bound to the page";
            return Ok(decision(Action::give_up(reason), reason.to_owned(), 0.0, &memory));
        }
        if let Some(dialog) = &request.observation.dialog {
            return Ok(answer(dialog, &plan, memory, &request));
        }
        if let Some(refused) = memory.refused.take() {
            return Ok(give_up(refused, &memory));
        }
        if let Some(reason) = lost::in_vain(&request.history) {
            return Ok(give_up(reason, &memory));
        }
        match outcome::of_last(&mut memory, &request) {
            Outcome::Taken => {
                memory.tries = 0;
                memory.repeated = false;
            }
            Outcome::Again => memory.step_back(),
            Outcome::Look(milliseconds) => {
                let reason = "what became of the last step is not to be seen yet".to_owned();
                return Ok(decision(Action::Wait { milliseconds }, reason, 0.8, &memory));
            }
            Outcome::Stop(reason) => return Ok(give_up(reason, &memory)),
        }
        if let Some(lost) = lost::lost(&request.history) {
            let reason = lost.reason();
            let Some(action) = lost.again(&request.observation) else { return Ok(give_up(reason, &memory)) };
            let step = NextStep { action, reason, confidence: 0.8, reaches: false, aside: false, key: None };
            return Ok(take(step, memory, &request.observation));
        }
        if lost::is_given_again(&request.history) {
            let reason = "whether the page keeps what was given once more shows when its field is left".to_owned();
            let action = Action::Press { keys: lost::LEAVE.to_owned() };
            let step = NextStep { action, reason, confidence: 0.8, reaches: false, aside: true, key: None };
            return Ok(take(step, memory, &request.observation));
        }
        // What was sent and refused in words is not gone on from by the next press.
        let presses_on = matches!(plan.goals.get(memory.goal), Some(Goal::Activate(_)));
        if let Some(said) = request.history.last().and_then(refusals::alerted).filter(|_| presses_on) {
            return Ok(give_up(format!("the page says: {said}"), &memory));
        }
        let echoes = region::echoes(&request.observation, &request.instruction);
        let scene = Scene { observation: &request.observation, echoes: &echoes };
        if memory.awaiting.is_some() && names_a_suggestion(plan.goals.get(memory.goal + 1), &request.observation) {
            memory.next_goal();
        }
        memory.stand();
        // What was waited for may have gone again since: it is not looked at twice.
        memory.looked |= plan.goals.iter().any(|goal| matches!(goal, Goal::Await(_)));
        let today = request.context.day.as_deref().and_then(|day| day.parse().ok());
        let speaks_of_several = speaks_of_several(&request.instruction);
        while let Some(goal) = plan.goals.get(memory.goal) {
            let later = plan.goals.get(memory.goal + 1..).unwrap_or_default();
            let (embedder, options) = (self.embedder.as_ref(), &self.options);
            if memory.task_url.is_empty() {
                memory.task_url.clone_from(&request.observation.url);
            }
            let history = request.history.as_slice();
            let before = memory.clone();
            let mut pursuer = Pursuer {
                scene,
                memory: &mut memory,
                deed: goal.deed(),
                later,
                embedder,
                options,
                history,
                today,
                speaks_of_several,
            };
            match pursuer.pursue(goal).await? {
                Pursuit::Act(step) => {
                    // What is put off was not done, and so nothing of it is remembered.
                    let put_off = waiting::unready(&request, &step.action)
                        .and_then(|unready| wait_until_ready(unready, before, &request));
                    return Ok(put_off.unwrap_or_else(|| take(step, memory, &request.observation)));
                }
                Pursuit::Reached => {
                    memory.next_goal();
                    memory.stand();
                }
                Pursuit::Skip(goals) => {
                    memory.next_goal();
                    memory.goal += goals;
                    memory.stand();
                }
                Pursuit::Unclear(reason) => return Ok(give_up(reason, &memory)),
                Pursuit::Stuck(reason) => return Ok(wait_or_give_up(reason, memory, &request)),
            }
        }
        if let Some(said) = refusals::says_no(last_steps(&request.history), &plan.names(), &request.instruction) {
            return Ok(give_up(format!("the page says: {said}"), &memory));
        }
        Ok(finish(memory, &request))
    }
}

/// Whether an instruction speaks of things that are repeated, all of which may be meant.
fn speaks_of_several(instruction: &str) -> bool {
    const SEVERAL: [&str; 9] =
        ["series", "recurring", "repeating", "repeated", "all", "every", "following", "future", "weekly"];
    words::tokens(instruction).iter().any(|word| SEVERAL.contains(&word.as_str()))
}

/// Whether a goal is to press one of the suggestions that typing brought: then that clause chooses, not what was typed.
fn names_a_suggestion(goal: Option<&Goal>, observation: &Observation) -> bool {
    let Some(Goal::Activate(target)) = goal else { return false };
    let is_wanted = |node: &Node| target.texts.first().is_some_and(|text| names::same(text, node.label()));
    target.quoted && observation.nodes.iter().any(|node| node.role == "option" && is_wanted(node))
}

/// The decision to take a step, and what is remembered of it.
fn take(step: NextStep, mut memory: Memory, observation: &Observation) -> Decision {
    let node = step.action.element().and_then(|element| observation.node(*element));
    memory.last = step.key;
    memory.aside = step.aside;
    memory.looked = false;
    if !step.aside {
        memory.place = node.map(ElementPath::of);
        if let Action::Click { element, .. } = &step.action {
            rivals::pass_by(&mut memory.passed_by, observation, *element, memory.goal);
        }
        if let Action::Type { element, text, .. } = &step.action {
            memory.numbers.extend(outcome::replaced(observation, *element, text));
        }
        memory.wanted = match &step.action {
            Action::Type { text, .. } => Some(Wanted::Text(text.clone())),
            Action::Check { checked, .. } => Some(Wanted::Checked(*checked)),
            Action::Select { options, .. } => Some(Wanted::Options(options.clone())),
            _ => None,
        };
    }
    if step.reaches {
        memory.next_goal();
    }
    decision(step.action, step.reason, step.confidence, &memory)
}

/// Answers an open dialog. Nothing else can be done while it is open.
fn answer(dialog: &Dialog, plan: &Plan, mut memory: Memory, request: &DecisionRequest) -> Decision {
    let pressed = request.history.last().and_then(|step| step.action.element()).map(|element| element.name.clone());
    let reply = dialog::reply(dialog, plan.goals.get(memory.goal), &pressed.unwrap_or_default());
    if matches!((&reply.answer, plan.goals.get(memory.goal)), (DialogAnswer::Accept, Some(Goal::Task(_))))
        && dialog.kind == "confirm"
    {
        memory.answered_at = request.history.len() + 1;
    }
    if reply.reaches {
        memory.next_goal();
    }
    memory.stand();
    memory.place = None;
    memory.wanted = None;
    memory.aside = false;
    memory.refused = reply.refused;
    // A text that the page asked for is what the task gives.
    if matches!((&reply.answer, plan.goals.get(memory.goal)), (DialogAnswer::Text(_), Some(Goal::Task(_)))) {
        memory.decided = true;
        memory.decided_at = request.history.len();
        memory.decided_url.clone_from(&request.observation.url);
    }
    let kind = &dialog.kind;
    let (action, reason) = match reply.answer {
        DialogAnswer::Accept => (Action::AcceptDialog { text: None }, format!("a {kind} dialog is open")),
        DialogAnswer::Text(text) => {
            (Action::AcceptDialog { text: Some(text) }, format!("a {kind} dialog asks for this text"))
        }
        DialogAnswer::Dismiss => (Action::DismissDialog, format!("a {kind} dialog is open that is not to be accepted")),
    };
    decision(action, reason, 0.9, &memory)
}

/// Waits for what is not ready yet. In a part of the page that stays busy nothing is done; what only says that something is under way
/// may stay for good.
fn wait_until_ready(unready: waiting::Unready, mut memory: Memory, request: &DecisionRequest) -> Option<Decision> {
    let waited = waiting::waited(&memory);
    let reason = unready.reason;
    let may_wait = request.steps_left > 2;
    let wait = may_wait.then(|| wait_on(reason.clone(), 0.5, &mut memory, &request.observation)).flatten();
    let in_vain = || give_up(format!("{reason}, after waiting {} s for it", waited / 1000), &memory);
    wait.or_else(|| unready.is_busy.then(in_vain))
}

/// The next wait for what is announced; none where it was waited for long enough.
fn wait_on(reason: String, confidence: f64, memory: &mut Memory, observation: &Observation) -> Option<Decision> {
    let milliseconds = waiting::next_wait(memory, observation)?;
    memory.aside = true;
    memory.waits += 1;
    Some(decision(Action::Wait { milliseconds }, reason, confidence, memory))
}

/// What a goal needs is not there: it may come, or stand in another tab.
fn wait_or_give_up(reason: String, mut memory: Memory, request: &DecisionRequest) -> Decision {
    let observation = &request.observation;
    memory.aside = true;
    let next_wait = waiting::next_wait(&memory, observation).filter(|_| request.steps_left > 2);
    let other_tab = (0u32..)
        .zip(&observation.tabs)
        .filter(|(index, tab)| !tab.current && !memory.tabs.contains(index))
        .map(|(index, _)| index)
        .last()
        .filter(|_| request.steps_left > 2 && !is_followed(&request.history));
    if let Some(tab) = other_tab.filter(|_| memory.waits > 0 || next_wait.is_none()) {
        let current = (0u32..).zip(&observation.tabs).find(|(_, tab)| tab.current).map(|(index, _)| index);
        memory.tabs.extend(current.into_iter().chain([tab]));
        return decision(Action::SwitchTab { tab }, format!("{reason}; it may stand in another tab"), 0.5, &memory);
    }
    if let Some(milliseconds) = next_wait {
        memory.waits += 1;
        return decision(Action::Wait { milliseconds }, format!("{reason}; it may still come"), 0.5, &memory);
    }
    let waited = waiting::waited(&memory);
    let waited = if waited == 0 { String::new() } else { format!(", after waiting {} s for it", waited / 1000) };
    give_up(format!("{reason}{waited}"), &memory)
}

/// Whether the last press followed a link into a tab of its own: what comes next is meant there, and not on the page that was left.
fn is_followed(history: &[Step]) -> bool {
    let pressed = history.iter().rfind(|step| step.action.kind() == ActionKind::Click);
    pressed.is_some_and(|step| {
        let opened = matches!(&step.effect, Effect::Changed { what } if what.iter().any(|part| part == "tabs"));
        opened && step.action.element().is_some_and(|element| element.role == "link")
    })
}

/// The last two steps that did something, with the waits behind them.
fn last_steps(history: &[Step]) -> &[Step] {
    let acted = history.iter().enumerate().rev().filter(|(_, step)| step.action.kind() != ActionKind::Wait);
    let from = acted.take(2).last().map_or(0, |(at, _)| at);
    history.get(from..).unwrap_or_default()
}

/// Every clause was taken. A choice or a text that nothing followed is looked at once more: some pages take it back.
fn finish(mut memory: Memory, request: &DecisionRequest) -> Decision {
    if let Some(lack) = outcome::lacking(&memory, &request.observation).filter(|_| memory.looked) {
        return give_up(format!("the page took the last choice back: {lack}"), &memory);
    }
    if let Some(other) = outcome::another_number(&memory.numbers, &request.observation) {
        return wait_or_give_up(other, memory, request);
    }
    if let Some(said) = waiting::held(request).filter(|_| request.steps_left > 1)
        && let Some(wait) = wait_on(format!("the page says {said}"), 0.8, &mut memory, &request.observation)
    {
        return wait;
    }
    if memory.wanted.is_some() && !memory.looked && request.steps_left > 1 {
        memory.looked = true;
        memory.aside = true;
        let reason = "whether the page keeps what was chosen shows a moment later".to_owned();
        return decision(Action::Wait { milliseconds: 700 }, reason, 0.9, &memory);
    }
    let is_blank = domain::unfinished::is_blank(&request.observation);
    let reason = || "the tab that was opened shows nothing yet".to_owned();
    if let Some(wait) = is_blank.then(|| wait_on(reason(), 0.8, &mut memory, &request.observation)).flatten() {
        return wait;
    }
    // What held from the start is looked at twice: pages fill in states after they have come to rest.
    let has_acted = request.history.iter().any(|step| step.action.kind() != ActionKind::Wait);
    if !has_acted && memory.answer.is_none() && !memory.looked && request.steps_left > 2 {
        let begun = Memory { looked: true, aside: true, ..Memory::default() };
        let reason =
            "whether this holds or only seems to, while the page is filled in, shows a moment later".to_owned();
        return decision(Action::Wait { milliseconds: 1500 }, reason, 0.9, &begun);
    }
    if let Some(tab) = opener_to_look_at(request) {
        memory.aside = true;
        let reason =
            "what was pressed in this window changed nothing here: the page that opened it may show it".to_owned();
        return decision(Action::SwitchTab { tab }, reason, 0.8, &memory);
    }
    let mut reason = "every part of the instruction was carried out".to_owned();
    if !memory.notes.is_empty() {
        reason.push_str(&format!("; {}", memory.notes.join("; ")));
    }
    let action = match memory.answer.take() {
        Some(answer) => Action::Stop { claim: Claim::Done, answer: Some(answer) },
        None => Action::done(),
    };
    decision(action, reason, 0.9, &memory)
}

/// The tab beside a window in which the last press changed nothing but the focus: a small window that hands its choice to the page that
/// opened it.
fn opener_to_look_at(request: &DecisionRequest) -> Option<u32> {
    let observation = &request.observation;
    let current = (0u32..).zip(&observation.tabs).find(|(_, tab)| tab.current).map(|(index, _)| index)?;
    let last = request.history.last().filter(|step| step.action.kind() == ActionKind::Click)?;
    let is_still = match &last.effect {
        Effect::NoChange => true,
        Effect::Changed { what } => what.iter().all(|part| part == "focus" || part == "request"),
        _ => false,
    };
    (is_still && request.steps_left > 1).then(|| current.checked_sub(1)).flatten()
}

fn give_up(reason: String, memory: &Memory) -> Decision {
    decision(Action::give_up(reason.clone()), reason, 0.0, memory)
}

fn decision(action: Action, reason: String, confidence: f64, memory: &Memory) -> Decision {
    Decision {
        choice: Choice::Act(action),
        reason,
        confidence,
        level: Level::Ground,
        usage: Usage::default(),
        incidents: Vec::new(),
        memory: memory.to_value(),
    }
}

impl Registered for Ground {
    const NAME: &'static str = "ground";
    const HELP: &'static str = "Binds the words of the instruction to the page; needs no model";
    const NEEDS: Needs = Needs { embedder: Need::Required, ..Needs::NOTHING };
    type Options = GroundOptions;

    fn build(options: GroundOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Ground::new(parts.embedder(Self::NAME)?, options)))
    }
}
