//! The model, encoder and marker of the planners' tests: all that they say is written down in the test.

use crate::model::{LanguageModel, ModelError, ModelReply, ModelRequest, Part};
use crate::test_request;
use async_trait::async_trait;
use domain::decision::Screenshot;
use domain::language::{EmbedError, Embedder};
use domain::marks::{Mark, Marker};
use domain::{Action, Choice, DecisionRequest, Descriptor, Observation, Planner, StateId, Step, Usage};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Answers with what is written down, and keeps what it was asked.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) replies: Mutex<VecDeque<Result<Value, ModelError>>>,
    pub(crate) asked: Mutex<Vec<ModelRequest>>,
}

#[async_trait]
impl LanguageModel for Written {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        self.asked.lock().expect("no panic").push(request);
        let reply = self.replies.lock().expect("no panic").pop_front().expect("a reply is written down");
        let usage = Usage { prompt_tokens: 100, completion_tokens: 10, cost_usd: 0.5, calls: 1 };
        reply.map(|json| ModelReply {
            text: json.to_string(),
            cut_off: false,
            usage,
            incidents: vec!["survived".into()],
        })
    }
}

impl Written {
    pub(crate) fn new(replies: impl IntoIterator<Item = Value>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into_iter().map(Ok).collect()), asked: Mutex::default() })
    }

    pub(crate) fn prompt(&self, index: usize) -> String {
        let asked = self.asked.lock().expect("no panic");
        let texts = asked[index].messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Png(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn calls(&self) -> usize {
        self.asked.lock().expect("no panic").len()
    }
}

/// Draws marks as the list of their labels.
pub(crate) struct Draws;

impl Marker for Draws {
    fn draw(&self, _: &Screenshot, marks: &[Mark]) -> Result<Vec<u8>, String> {
        Ok(marks.iter().map(|mark| mark.label.clone()).collect::<Vec<_>>().join(",").into_bytes())
    }
}

/// Two texts are near by the words that they share.
pub(crate) struct Words;

#[async_trait]
impl Embedder for Words {
    fn dimension(&self) -> usize {
        64
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let mut vector = vec![0.0_f32; 64];
            let words = text.to_lowercase();
            for word in words.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()) {
                let place = word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31) + usize::from(byte)) % 64;
                vector[place] += 1.0;
            }
            let norm = vector.iter().map(|part| part * part).sum::<f32>().sqrt().max(f32::EPSILON);
            vector.iter().map(|part| part / norm).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// Answers by a function of what is asked.
pub(crate) struct Answers<F>(pub(crate) F);

#[async_trait]
impl<F: Fn(&ModelRequest) -> Value + Send + Sync> LanguageModel for Answers<F> {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let usage = Usage { prompt_tokens: 100, completion_tokens: 10, cost_usd: 0.0, calls: 1 };
        Ok(ModelReply { text: (self.0)(&request).to_string(), usage, ..ModelReply::default() })
    }
}

/// The text of a question.
pub(crate) fn text_of(request: &ModelRequest) -> String {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}

/// What a planner chose, one after the other.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an attempt of a test has a few of them")]
pub(crate) enum Did {
    Act(Action<Descriptor>),
    Reset,
    GoBack(StateId),
    Picture,
    Invalid(String),
}

/// An attempt on pages that follow from the actions since the task was begun.
pub(crate) struct Play<'a> {
    pub(crate) task: &'a str,
    pub(crate) page: &'a (dyn Fn(&[Action<Descriptor>]) -> Observation + Sync),
    pub(crate) can_reset: bool,
    pub(crate) steps: u32,
}

impl Play<'_> {
    /// Plays until the planner stops or the steps are used up.
    pub(crate) async fn run(&self, planner: &dyn Planner) -> Vec<Did> {
        let (mut history, mut memory, mut done) = (Vec::<Step>::new(), Value::Null, Vec::new());
        let (mut since, mut refusal, mut screenshot) = (Vec::new(), None, None);
        for number in 1..200 {
            let mut observation = (self.page)(&since);
            observation.stamp.number = history.len() as u64 + 1;
            let request = DecisionRequest {
                instruction: self.task.to_owned(),
                observation: Arc::new(observation.clone()),
                history: Arc::new(history.clone()),
                memory,
                screenshot: screenshot.take(),
                steps_left: self.steps.saturating_sub(history.len() as u32),
                seed: number,
                refusal: std::mem::take(&mut refusal),
                ..test_request::request()
            };
            let decision = planner.decide(request).await.expect("a decision");
            memory = decision.memory;
            match decision.choice {
                Choice::Act(action) => {
                    let describe = |element: &domain::ElementId| Descriptor::of(&observation, *element).ok_or(());
                    let described = action.try_map(describe).expect("elements are there");
                    done.push(Did::Act(described.clone()));
                    if matches!(action, Action::Stop { .. }) || history.len() as u32 >= self.steps {
                        return done;
                    }
                    let taken = test_request::step(history.len() as u32 + 1, described.clone());
                    history.push(Step { title: observation.title.clone(), summary: String::new(), ..taken });
                    since.push(described);
                }
                Choice::NeedScreenshot => {
                    done.push(Did::Picture);
                    screenshot = Some(Screenshot { png: b"png".as_slice().into(), scale: 1.0 });
                }
                Choice::Reset if self.can_reset => {
                    done.push(Did::Reset);
                    since.clear();
                }
                Choice::Reset => {
                    done.push(Did::Reset);
                    refusal = Some("the task has no reset".to_owned());
                }
                Choice::GoBack(state) => {
                    done.push(Did::GoBack(state));
                    refusal = Some("a task cannot go back to a state of the map".to_owned());
                }
                Choice::Invalid { cause } => {
                    done.push(Did::Invalid(cause.clone()));
                    if done.iter().rev().take_while(|did| matches!(did, Did::Invalid(_))).count() >= 3 {
                        return done;
                    }
                    refusal = Some(cause);
                }
                other => panic!("{other:?}"),
            }
        }
        panic!("it does not end: {done:?}")
    }
}

/// What was done in words, one after the other.
pub(crate) fn told(done: &[Did]) -> Vec<String> {
    let words = |did: &Did| match did {
        Did::Act(action) => domain::words::action(action, &domain::words::Detail::BRIEF),
        Did::Reset => "reset".to_owned(),
        Did::GoBack(state) => format!("back to {state}"),
        Did::Picture => "picture".to_owned(),
        Did::Invalid(cause) => format!("invalid: {cause}"),
    };
    done.iter().map(words).collect()
}
