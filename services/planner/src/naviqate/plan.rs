//! The first phase: a concrete task, the context of the page, and the next step in a sentence.

use super::replies::{ConcreteTask, NextStep, PageContext, PageContextAndStep};
use super::{Carried, Given, NaviQAte, Planning, render};
use crate::agent::{Decided, Halt, Turn};
use crate::model::ModelRole;
use crate::reply::Status;
use domain::Action;
use domain::action::Claim;
use domain::words::{self, Detail};
use minijinja::{Value, context};

/// What the first phase comes to.
pub(super) enum Planned {
    /// What is to be done next, in a sentence.
    Step(String),
    /// The task is done, or cannot be done.
    Stop(Decided),
}

impl NaviQAte {
    /// Makes a concrete task of a functionality, once.
    pub(super) async fn concretise(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<(), Halt> {
        if self.options.given == Given::Functionality && carried.task.is_none() {
            let pairs = self.options.references.nearest(self.embedder.as_ref(), &turn.task).await?;
            let examples: Vec<Value> = pairs
                .into_iter()
                .map(|pair| context! { functionality => pair.functionality, task => pair.task })
                .collect();
            let prompt = render("concretise", context! { examples, page => turn.words(), ..turn.values() });
            let reply: ConcreteTask = turn.question(ModelRole::Reasoner, prompt).await?;
            carried.task = Some(reply.task);
        }
        if let Some(task) = &carried.task {
            turn.task.clone_from(task);
        }
        Ok(())
    }

    /// What is to be done next on this page.
    pub(super) async fn plan(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Planned, Halt> {
        let stamp = &turn.request.observation.stamp;
        let is_new = turn.request.refusal.is_some() || carried.planned.as_ref().is_none_or(|(of, _)| of != stamp);
        if let Some((_, step)) = carried.planned.as_ref().filter(|_| !is_new) {
            return Ok(Planned::Step(step.clone()));
        }
        let next = match self.options.planning {
            Planning::None => return Ok(Planned::Step(turn.task.clone())),
            Planning::Separate => {
                self.put_into_context(turn, carried).await?;
                let prompt = render("next_step", context! { context => carried.context.clone(), ..without_page(turn) });
                turn.question::<NextStep>(ModelRole::Reasoner, prompt).await?
            }
            Planning::Joined => {
                let values = context! { page => turn.words(), actions => Vec::<String>::new(), ..turn.values() };
                let prompt = render("context_and_step", context! { before => carried.context.clone(), ..values });
                let reply: PageContextAndStep = turn.question(ModelRole::Reasoner, prompt).await?;
                carried.context = reply.context;
                reply.next
            }
        };
        let reason = carried.context.clone();
        Ok(match next.status {
            Status::Done => Planned::Stop((Action::Stop { claim: Claim::Done, answer: next.answer }, reason)),
            Status::Infeasible => {
                let claim = Claim::Infeasible { reason: next.next_step.unwrap_or_else(|| reason.clone()) };
                Planned::Stop((Action::Stop { claim, answer: next.answer }, reason))
            }
            Status::Act => {
                let missing = || Halt::Invalid("status `act` without a next step".to_owned());
                let step = next.next_step.filter(|step| !step.trim().is_empty()).ok_or_else(missing)?;
                carried.planned = Some((stamp.clone(), step.clone()));
                Planned::Step(step)
            }
        })
    }

    /// What the page is for, from its description, its picture or text, the context before and the action that led here.
    async fn put_into_context(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<(), Halt> {
        let picture = match self.options.context_picture {
            true => turn.picture("the page is put into its context by its picture")?,
            false => None,
        };
        let words = if picture.is_some() { String::new() } else { turn.words() };
        let last = turn.steps.last().map(|step| words::step(step, &Detail::BRIEF));
        let values = context! {
            before => carried.context.clone(),
            last,
            meta => turn.request.observation.description.clone(),
            is_pictured => picture.is_some(),
            words,
            ..without_page(turn)
        };
        let role = if picture.is_some() { ModelRole::Vision } else { ModelRole::Reasoner };
        let png = picture.map(|picture| picture.png);
        let reply: PageContext = turn.question_with(role, render("page_context", values), png).await?;
        carried.context = [vec![reply.context], reply.sub_functionalities].concat().join("; ");
        Ok(())
    }
}

/// The values of a prompt that shows the steps so far and nothing else of the page.
fn without_page(turn: &Turn<'_>) -> Value {
    context! { page => "", actions => Vec::<String>::new(), left_out => 0, ..turn.values() }
}
