//! What the search asks of the model: the value of a state, and the candidates for the next action.

use super::options::CandidatesBy;
use super::{PROMPTS, TreeSearch};
use crate::agent::{Halt, Turn};
use crate::ask::Sampling;
use crate::model::{ModelRole, Part};
use crate::page::{PageView, complete};
use crate::reply::{ANSWER, Meaning, NextActionWithContent, Progress, REASON, Reply, Status, TEXT};
use domain::{Action, Descriptor};
use minijinja::context;
use schemars::JsonSchema;
use serde::Deserialize;

/// A judgement of a state.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Judgement {
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    #[expect(dead_code, reason = "written so that the judgement follows from it")]
    reason: String,
    #[schemars(title = Meaning::Progress.title())]
    progress: Progress,
    #[schemars(title = Meaning::Answer.title(), length(max = ANSWER))]
    answer: Option<String>,
}

/// Candidates for the next action.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Candidates {
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    #[expect(dead_code, reason = "written so that the candidates follow from it")]
    reason: String,
    #[schemars(title = Meaning::Candidates.title(), length(max = 10))]
    candidates: Vec<Candidate>,
}

/// One of them.
#[derive(Debug, Deserialize, JsonSchema)]
struct Candidate {
    #[schemars(title = Meaning::Choice.title())]
    chosen_action: i64,
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    text: Option<String>,
    #[schemars(title = Meaning::Submit.title())]
    press_enter: bool,
}

impl Reply for Judgement {
    const NAME: &'static str = "judgement";
}

impl Reply for Candidates {
    const NAME: &'static str = "candidates";
}

/// How good a state is.
pub(super) struct Value {
    pub(super) value: f64,
    /// The answer of a judgement that the objective is reached.
    pub(super) answer: Option<String>,
}

impl TreeSearch {
    /// The mean of several judgements of the page at hand, and of the steps that led to it.
    pub(super) async fn value(&self, turn: &mut Turn<'_>) -> Result<Value, Halt> {
        let options = &self.0.value;
        let picture = if options.picture { turn.picture("the page is judged by its picture")? } else { None };
        let role = if picture.is_some() { ModelRole::Vision } else { ModelRole::Judge };
        let shown = PageView { actions: Vec::new(), left_out: 0, page: turn.words(), ..turn.view.clone() };
        let values = context! { task => turn.task.clone(), is_pictured => picture.is_some(), ..shown.values() };
        let mut parts = vec![Part::Text(PROMPTS.render("value", values))];
        parts.extend(picture.map(|picture| Part::Png(picture.png)));
        let (mut sum, mut answer, mut unusable) = (0.0, None, None);
        for number in 0..options.judgements {
            match turn.ask.drawn::<Judgement>(role, parts.clone(), self.sampling(number)).await.map_err(Halt::from) {
                Ok(judgement) => {
                    sum += match judgement.progress {
                        Progress::Reached => 1.0,
                        Progress::OnTheWay => 0.5,
                        Progress::Off => 0.0,
                    };
                    answer = answer.or(judgement.answer.filter(|_| judgement.progress == Progress::Reached));
                }
                // One judgement of several that cannot be read counts as none for the better.
                Err(Halt::Invalid(cause)) => unusable = Some(cause),
                Err(halt) => return Err(halt),
            }
        }
        match unusable {
            Some(cause) if options.judgements == 1 => Err(Halt::Invalid(cause)),
            _ => Ok(Value { value: sum / f64::from(options.judgements), answer }),
        }
    }

    /// The candidates for the next action, the best first.
    pub(super) async fn candidates(&self, turn: &mut Turn<'_>) -> Result<Vec<Action<Descriptor>>, Halt> {
        let mut found = match self.0.candidates {
            CandidatesBy::OneQuestion => self.named(turn).await?,
            CandidatesBy::Sampling => self.drawn(turn).await?,
        };
        found.truncate(self.0.branches);
        let describe = |action: Action| {
            let observation = &turn.request.observation;
            action.try_map(|element| Descriptor::of(observation, *element).ok_or(())).ok()
        };
        Ok(found.into_iter().filter_map(describe).collect())
    }

    async fn named(&self, turn: &mut Turn<'_>) -> Result<Vec<Action>, Halt> {
        let values = context! { branches => self.0.branches, ..turn.values() };
        let reply: Candidates = turn.question(ModelRole::Reasoner, PROMPTS.render("candidates", values)).await?;
        let (mut found, mut unlisted) = (Vec::new(), None);
        for candidate in reply.candidates {
            let act = match complete::chosen(&turn.actions, Some(candidate.chosen_action)) {
                Ok(act) => act,
                Err(cause) => {
                    unlisted = Some(cause);
                    continue;
                }
            };
            let action = turn.with_content(act, candidate.text, candidate.press_enter, "a candidate").await?;
            if !found.contains(&action) {
                found.push(action);
            }
        }
        match unlisted {
            Some(cause) if found.is_empty() => Err(Halt::Invalid(cause)),
            _ => Ok(found),
        }
    }

    /// Draws replies to the question for the next action; what was drawn more often comes first.
    async fn drawn(&self, turn: &mut Turn<'_>) -> Result<Vec<Action>, Halt> {
        let parts = vec![Part::Text(PROMPTS.render("next_action", turn.values()))];
        let (mut counted, mut invalid): (Vec<(Action, u32)>, Option<Halt>) = (Vec::new(), None);
        let mut drawn = 0;
        for number in 0..self.0.samples {
            let reply =
                turn.ask.drawn::<NextActionWithContent>(ModelRole::Reasoner, parts.clone(), self.sampling(number));
            let action = match reply.await.map_err(Halt::from) {
                Ok(reply) if reply.next.status == Status::Act => turn.complete(reply).await,
                Ok(_) => {
                    drawn += 1;
                    continue;
                }
                Err(halt) => Err(halt),
            };
            match action {
                Ok((action, _)) => match counted.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, times)) => *times += 1,
                    None => counted.push((action, 1)),
                },
                Err(halt @ Halt::Invalid(_)) => invalid = Some(halt),
                Err(halt) => return Err(halt),
            }
        }
        if let Some(halt) = invalid.filter(|_| counted.is_empty() && drawn == 0) {
            return Err(halt);
        }
        counted.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        Ok(counted.into_iter().map(|(action, _)| action).collect())
    }

    /// A seed of its own for each reply that is drawn.
    fn sampling(&self, number: u32) -> Sampling {
        let seed = self.0.sampling.seed.wrapping_add(u64::from(number));
        Sampling { temperature: self.0.value.temperature, seed, ..self.0.sampling }
    }
}
