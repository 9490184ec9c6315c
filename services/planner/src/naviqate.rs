//! NaviQAte: functionality-guided navigation, by questions and answers in three phases.
//!
//! *Planning*: a functionality without parameters becomes a concrete task, after similar pairs of a reference store; the page is put
//! into its context; the next step is said in a sentence. *Choices*: the page's elements are ranked by how nearly they mean that step,
//! and described. *Decision*: one of them is chosen, with what goes into it.
//!
//! Whether the task is done is a field of a reply, never a word within a sentence, and the page is never changed.

mod choices;
mod options;
mod plan;
mod references;
mod replies;
#[cfg(test)]
mod tests;

pub use options::{Given, NaviQAteOptions, Planning};
pub use references::{Pair, ReferenceOptions};

use crate::agent::{self, Agent, Decided, Halt, Manner, Method, Turn};
use crate::model::ModelRole;
use crate::page::Actions;
use crate::registry::{BuildError, Need, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::Planner;
use domain::language::Embedder;
use domain::observation::Stamp;
use minijinja::{Value, context};
use plan::Planned;
use replies::{ConcreteTask, Decision, Descriptions, NextStep, PageContext, PageContextAndStep};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("naviqate/prompts/system.j2")),
        ("concretise", include_str!("naviqate/prompts/concretise.j2")),
        ("context", include_str!("naviqate/prompts/context.j2")),
        ("page_context", include_str!("naviqate/prompts/page_context.j2")),
        ("next_step", include_str!("naviqate/prompts/next_step.j2")),
        ("context_and_step", include_str!("naviqate/prompts/context_and_step.j2")),
        ("describe", include_str!("naviqate/prompts/describe.j2")),
        ("decide", include_str!("naviqate/prompts/decide.j2")),
        ("decide_alone", include_str!("naviqate/prompts/decide_alone.j2")),
    ])
});

fn render(name: &str, values: Value) -> String {
    PROMPTS.render(name, values)
}

/// The method.
pub struct NaviQAte {
    options: NaviQAteOptions,
    embedder: Arc<dyn Embedder>,
}

impl NaviQAte {
    /// The method with its encoder.
    pub fn new(options: NaviQAteOptions, embedder: Arc<dyn Embedder>) -> Self {
        Self { options, embedder }
    }
}

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    /// The concrete task that was made of the functionality.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// The context of the page before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    context: String,
    /// What was planned for an observation: nothing is asked twice because a picture is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planned: Option<(Stamp, String)>,
    /// What elements are for, by how they look in words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    purposes: BTreeMap<String, String>,
}

#[async_trait]
impl Method for NaviQAte {
    type Carried = Carried;

    fn manner(&self) -> Manner<'_> {
        Manner {
            system: render("system", context! {}),
            steps: self.options.steps,
            order: self.options.reply_order,
            sampling: self.options.sampling,
            page: &self.options.page,
            memory: &self.options.memory,
        }
    }

    async fn turn(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Decided, Halt> {
        self.concretise(turn, carried).await?;
        let step = match self.plan(turn, carried).await? {
            Planned::Step(step) => step,
            Planned::Stop(stop) => return Ok(stop),
        };
        if turn.request.observation.dialog.is_none() {
            let listed = self.choices(turn, carried, &step).await?;
            turn.list(listed);
        }
        if turn.actions.acts.is_empty() {
            return Ok(agent::give_up("nothing can be done on this page".to_owned()));
        }
        self.decide(turn, &step).await
    }
}

impl NaviQAte {
    /// The decision: one of the choices, and what goes into it.
    async fn decide(&self, turn: &mut Turn<'_>, step: &str) -> Result<Decided, Halt> {
        turn.view.page.clear();
        let numbers: Vec<u32> = turn.actions.numbers.values().copied().collect();
        let picture = if self.options.marks { turn.picture("the choices are marked on a picture")? } else { None };
        let marked = picture.map(|picture| turn.marked(&picture, &numbers));
        let (is_pictured, is_marked) = (marked.is_some(), marked.as_ref().is_some_and(|(marked, _)| marked.is_marked));
        let boxes = marked.as_ref().map(|(_, boxes)| boxes.clone()).unwrap_or_default();
        let role = if is_pictured { ModelRole::Vision } else { ModelRole::Reasoner };
        let picture = marked.map(|(marked, _)| marked.png);
        let values = context! { step, is_pictured, is_marked, boxes, ..turn.values() };
        if self.options.planning == Planning::None {
            let reply: NextActionWithContent =
                turn.question_with(role, render("decide_alone", values), picture).await?;
            return turn.complete(reply).await;
        }
        let reply: Decision = turn.question_with(role, render("decide", values), picture).await?;
        let act = crate::page::complete::chosen(&turn.actions, Some(reply.index)).map_err(Halt::Invalid)?;
        let action = turn.with_content(act, reply.argument, reply.press_enter, step).await?;
        Ok((action, step.to_owned()))
    }

    /// The page's elements that mean the step most nearly, each with what it is for where that is asked.
    async fn choices(&self, turn: &mut Turn<'_>, carried: &mut Carried, step: &str) -> Result<Actions, Halt> {
        let elements = self.ranked(turn, step).await?;
        let notes = match self.options.describe {
            true => self.purposes(turn, carried, &elements).await?,
            false => BTreeMap::new(),
        };
        Ok(choices::listed(turn, &elements, &notes))
    }
}

impl Registered for NaviQAte {
    const NAME: &'static str = "naviqate";
    const HELP: &'static str =
        "Asks for the next step in words, ranks what the page offers by it, and asks for a choice";
    const NEEDS: Needs = Needs {
        roles: &[ModelRole::Reasoner, ModelRole::Describer, ModelRole::Vision, ModelRole::Grounder],
        embedder: Need::Required,
        marks: Need::Useful,
        ..Needs::NOTHING
    };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = NaviQAteOptions;

    fn of_preset(preset: Preset) -> NaviQAteOptions {
        NaviQAteOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![
            ReplySchema::of::<ConcreteTask>(),
            ReplySchema::of::<PageContext>(),
            ReplySchema::of::<NextStep>(),
            ReplySchema::of::<PageContextAndStep>(),
            ReplySchema::of::<Descriptions>(),
            ReplySchema::of::<Decision>(),
            ReplySchema::of::<NextActionWithContent>(),
        ];
        [own, agent::replies()].concat()
    }

    fn build(options: NaviQAteOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        let method = NaviQAte::new(options, parts.embedder(Self::NAME)?);
        Ok(Arc::new(Agent::new(method, parts.model(Self::NAME)?).with_marker(parts.marker.clone())))
    }
}
