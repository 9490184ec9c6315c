//! Adapts a planner to the [`Decider`] trait of the episode loop.
//!
//! Every planner decision passes here, so the rule on secrets is enforced here: a secret is typed only into a field,
//! and only if the task names it. So no page can talk a planner into typing one. Explorations and replays type what
//! their settings and recordings say, and do not pass here.

use async_trait::async_trait;
use domain::Action;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Planner, PlannerError};
use domain::page::Page;
use domain::secret;
use std::sync::Arc;

/// A planner as a decider. It never accesses the page itself.
pub struct PlannerDecider(pub Arc<dyn Planner>);

#[async_trait]
impl Decider for PlannerDecider {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn decide(&mut self, _page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let instruction = request.instruction.clone();
        let mut decision = self.0.decide(request).await?;
        if let Choice::Act(action) = &decision.choice
            && let Some(cause) = refusal(action, &instruction)
        {
            decision.choice = Choice::Invalid { cause };
        }
        Ok(decision)
    }
}

/// Why an action is refused because of a secret in it; none where it holds no secret or may type it.
fn refusal(action: &Action, instruction: &str) -> Option<String> {
    match action {
        Action::Type { text, .. } => {
            let stranger = secret::placeholders(text).find(|secret| !instruction.contains(secret));
            stranger.map(|secret| format!("the task does not name the secret {secret}"))
        }
        Action::Press { keys: text } | Action::Goto { url: text } | Action::AcceptDialog { text: Some(text) } => {
            let secret = secret::placeholders(text).next()?;
            Some(format!("the secret {secret} may only be typed into a field"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ElementId;

    const TASK: &str = "Log in as anna with ${secret:PIN}";

    fn typing(text: &str) -> Action {
        Action::Type { element: ElementId(0), text: text.into(), submit: false }
    }

    #[test]
    fn a_secret_that_the_task_names_is_typed_into_a_field_and_nowhere_else() {
        assert_eq!(refusal(&typing("${secret:PIN}"), TASK), None);
        for action in [
            Action::Goto { url: "http://a.org/?q=${secret:PIN}".into() },
            Action::Press { keys: "${secret:PIN}".into() },
            Action::AcceptDialog { text: Some("${secret:PIN}".into()) },
        ] {
            let cause = refusal(&action, TASK).expect("refused");
            assert!(cause.contains("${secret:PIN} may only be typed into a field"), "{cause}");
        }
    }

    #[test]
    fn a_secret_that_the_task_does_not_name_is_refused_by_its_name() {
        let cause = refusal(&typing("x${secret:PIN}${secret:ADMIN}"), TASK).expect("refused");
        assert_eq!(cause, "the task does not name the secret ${secret:ADMIN}");
        assert_eq!(refusal(&typing("${secret:"), TASK), None, "no placeholder");
    }
}
