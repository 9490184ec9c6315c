//! Adapts a planner to the [`Decider`] trait of the episode loop.
//!
//! Every planner decision passes here, so the rule on secrets is enforced here: a secret is typed only if the task names it, and
//! only into a password field or a field that the task names. So no page can talk a planner into typing one. Explorations and replays
//! type what their settings and recordings say, and do not pass here. That no secret gets into a frame of another origin is seen to by
//! the browser room, for all of them.

use async_trait::async_trait;
use domain::decision::{Choice, Decider, Decision, DecisionRequest, Planner, PlannerError};
use domain::page::Page;
use domain::secret;
use domain::{Action, Node, Observation};
use std::sync::Arc;

/// A planner as a decider. It never accesses the page itself.
pub struct PlannerDecider(pub Arc<dyn Planner>);

#[async_trait]
impl Decider for PlannerDecider {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn decide(&mut self, _page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let (instruction, observation) = (request.instruction.clone(), request.observation.clone());
        let mut decision = self.0.decide(request).await?;
        if let Choice::Act(action) = &decision.choice
            && let Some(cause) = refusal(action, &instruction, &observation)
        {
            decision.choice = Choice::Invalid { cause };
        }
        Ok(decision)
    }
}

/// Why an action is refused because of a secret in it; none where it holds no secret or may type it.
fn refusal(action: &Action, instruction: &str, observation: &Observation) -> Option<String> {
    match action {
        Action::Type { text, element, .. } => {
            let stranger = secret::placeholders(text).find(|secret| !instruction.contains(secret));
            if let Some(secret) = stranger {
                return Some(format!("the task does not name the secret {secret}"));
            }
            let secret = secret::placeholders(text).next()?;
            let field = observation.node(*element)?;
            (!is_for_secrets(field, instruction, secret)).then(|| {
                let label = field.label();
                format!("the secret {secret} may only be typed into a password field or one that the task names, not into \"{label}\"")
            })
        }
        Action::Press { keys: text } | Action::Goto { url: text } | Action::AcceptDialog { text: Some(text) } => {
            let secret = secret::placeholders(text).next()?;
            Some(format!("the secret {secret} may only be typed into a field"))
        }
        _ => None,
    }
}

/// Whether a field is one for passwords, or one that the task names for the secret: that shares a word with the part of a sentence in
/// which the secret stands, its name included.
fn is_for_secrets(field: &Node, instruction: &str, secret: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.chars().count() > 2);
        words.map(str::to_lowercase).collect()
    };
    let named: Vec<String> = parts(instruction).filter(|part| part.contains(secret)).flat_map(words).collect();
    let labels =
        [field.label(), &field.context, field.attribute("name"), field.attribute("id"), field.attribute("placeholder")];
    field.attribute("type") == "password" || labels.into_iter().flat_map(words).any(|word| named.contains(&word))
}

/// The parts of sentences: what else a task wants done names no field for its secrets.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ';', '!', '?', '\n'])
        .flat_map(|sentence| sentence.split(", "))
        .flat_map(|part| part.split(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ElementId;

    /// A page with one field.
    fn page(kind: &str, name: &str) -> Observation {
        let attributes = [("type".to_owned(), kind.to_owned())].into_iter().collect();
        let field =
            Node { role: "textbox".into(), tag: "input".into(), name: name.into(), attributes, ..Node::default() };
        Observation { nodes: vec![field].into(), ..Observation::default() }
    }

    const TASK: &str = "Log in as anna with ${secret:PIN}";

    fn typing(text: &str) -> Action {
        Action::Type { element: ElementId(0), text: text.into(), submit: false }
    }

    #[test]
    fn a_secret_that_the_task_names_is_typed_into_a_field_and_nowhere_else() {
        assert_eq!(refusal(&typing("${secret:PIN}"), TASK, &page("password", "")), None);
        for action in [
            Action::Goto { url: "http://a.org/?q=${secret:PIN}".into() },
            Action::Press { keys: "${secret:PIN}".into() },
            Action::AcceptDialog { text: Some("${secret:PIN}".into()) },
        ] {
            let cause = refusal(&action, TASK, &page("password", "")).expect("refused");
            assert!(cause.contains("${secret:PIN} may only be typed into a field"), "{cause}");
        }
    }

    #[test]
    fn a_secret_that_the_task_does_not_name_is_refused_by_its_name() {
        let cause = refusal(&typing("x${secret:PIN}${secret:ADMIN}"), TASK, &page("password", "")).expect("refused");
        assert_eq!(cause, "the task does not name the secret ${secret:ADMIN}");
        assert_eq!(refusal(&typing("${secret:"), TASK, &page("text", "Comment")), None, "no placeholder");
    }

    #[test]
    fn a_field_for_other_things_gets_no_secret_however_it_is_asked_for() {
        for (kind, name) in [("text", "Comment"), ("search", "Search the shop"), ("text", "")] {
            let cause = refusal(&typing("${secret:PIN}"), TASK, &page(kind, name)).expect("refused");
            assert!(cause.contains("password field") && cause.contains(name), "{cause}");
        }
        for (kind, name) in [("password", "Comment"), ("text", "Pin"), ("text", "Your PIN code")] {
            assert_eq!(refusal(&typing("${secret:PIN}"), TASK, &page(kind, name)), None, "{name}");
        }
        for (task, may) in
            [("Search for shoes and log in with ${secret:PIN}", false), ("Search for ${secret:PIN}", true)]
        {
            let refused = refusal(&typing("${secret:PIN}"), task, &page("search", "Search the shop"));
            assert_eq!(refused.is_none(), may, "{task}: {refused:?}");
        }
        let named = "Type ${secret:KEY} into \"Access token\"";
        assert_eq!(refusal(&typing("${secret:KEY}"), named, &page("text", "Access token")), None);
    }
}
