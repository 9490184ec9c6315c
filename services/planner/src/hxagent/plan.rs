//! The ablation without iteration: one plan, made from the first page alone, then followed as it is.

use super::carried::{Carried, Plan};
use super::render;
use super::replies::{PlannedStep, WholePlan};
use super::turn::{Halt, Turn};
use crate::agent::give_up;
use crate::page::{Act, complete};
use domain::action::{ActionKind, Claim};
use domain::words::{self, Detail};
use domain::{Action, Descriptor};

impl Turn<'_> {
    /// The plan's next action; the plan is made at the first call.
    pub(super) async fn follow_plan(&mut self, carried: &mut Carried) -> Result<(Action, String), Halt> {
        if carried.plan.is_none() {
            carried.plan = Some(self.make_plan().await?);
        }
        let plan = carried.plan.get_or_insert_default();
        let Some(planned) = plan.actions.pop_front() else {
            let action = Action::Stop { claim: Claim::Done, answer: plan.answer.clone() };
            return Ok((action, "the plan is carried out".to_owned()));
        };
        let words = words::action(&planned, &Detail::BRIEF);
        let found = planned
            .try_map(|element| element.locate(&self.request.observation).element().ok_or_else(|| element.title()));
        match found {
            Ok(action) => Ok((action, format!("as planned: {words}"))),
            Err(missing) => {
                let reason = format!("the plan does not fit: {missing} is not there");
                Ok(give_up(reason))
            }
        }
    }

    async fn make_plan(&mut self) -> Result<Plan, Halt> {
        let plan: WholePlan = self.ask_text(render("plan", self.shown.values())).await?;
        tracing::debug!(steps = plan.steps.len(), reason = plan.reason, "planned");
        let actions = plan.steps.into_iter().map(|step| self.planned(step)).collect::<Result<_, Halt>>()?;
        Ok(Plan { actions, answer: plan.answer })
    }

    fn planned(&self, step: PlannedStep) -> Result<Action<Descriptor>, Halt> {
        let observation = &self.request.observation;
        let action = match (self.act(Some(step.chosen_action))?, step.text) {
            // In the page's text a field has one number for both.
            (Act::On(element, ActionKind::Type), None) if self.actions.is_in_place() => Ok(Action::click(element)),
            (act, text) => complete::with_content(observation, act, text, step.press_enter),
        };
        let action = action.map_err(Halt::Invalid)?;
        action.try_map(|element| {
            Descriptor::of(observation, *element).ok_or_else(|| Halt::Invalid("the plan names no element".to_owned()))
        })
    }
}
