//! The ablation without iteration: one plan, made from the first page alone, then followed as it is.

use super::choices::Act;
use super::memory::{Memory, Plan, in_words};
use super::replies::{self, PlannedStep, WholePlan};
use super::turn::{Halt, Turn};
use crate::model::{ModelRole, Part};
use crate::prompts::render;
use domain::action::{ActionKind, Claim};
use domain::locator::Located;
use domain::{Action, Descriptor, ElementId};

impl Turn<'_> {
    /// The plan's next action; the plan is made at the first call.
    pub(super) async fn follow_plan(&mut self, memory: &mut Memory) -> Result<(Action, String), Halt> {
        if memory.plan.is_none() {
            memory.plan = Some(self.make_plan().await?);
        }
        let plan = memory.plan.get_or_insert_default();
        let Some(planned) = plan.actions.pop_front() else {
            let action = Action::Stop { claim: Claim::Done, answer: plan.answer.clone() };
            return Ok((action, "the plan is carried out".to_owned()));
        };
        let words = in_words(&planned);
        let found = planned.try_map(|element| match element.locate(&self.request.observation) {
            Located::Found(element) | Located::Healed { element, .. } => Ok(element),
            Located::Missing => Err(element.title()),
        });
        match found {
            Ok(action) => Ok((action, format!("as planned: {words}"))),
            Err(missing) => {
                let reason = format!("the plan does not fit: {missing} is not there");
                Ok((Action::give_up(reason.clone()), reason))
            }
        }
    }

    async fn make_plan(&mut self) -> Result<Plan, Halt> {
        let prompt = render("plan", self.shown.values());
        let plan: WholePlan = self.ask(ModelRole::Reasoner, vec![Part::Text(prompt)], replies::whole_plan()).await?;
        tracing::debug!(steps = plan.steps.len(), reason = plan.reason, "planned");
        let actions = plan.steps.into_iter().map(|step| self.planned(step)).collect::<Result<_, Halt>>()?;
        Ok(Plan { actions, answer: plan.answer })
    }

    fn planned(&self, step: PlannedStep) -> Result<Action<Descriptor>, Halt> {
        let content = step.text.unwrap_or_default();
        let action = match self.act(Some(step.chosen_action))? {
            Act::On(element, ActionKind::Type) => self.type_text(element, content, step.press_enter)?,
            Act::On(element, ActionKind::Select) => {
                Action::Select { element, options: vec![self.option(element, &content)?] }
            }
            Act::Do(ActionKind::Press) => Action::Press { keys: content },
            other => self.without_content(other)?,
        };
        let observation = &self.request.observation;
        action.try_map(|element| {
            Descriptor::of(observation, *element).ok_or_else(|| Halt::Invalid("the plan names no element".to_owned()))
        })
    }

    fn option(&self, element: ElementId, content: &str) -> Result<String, Halt> {
        let labels = self.labels(element);
        let same = |label: &&String| label.trim().eq_ignore_ascii_case(content.trim());
        labels.iter().find(same).cloned().ok_or_else(|| Halt::Invalid(format!("`{content}` is no option")))
    }
}
