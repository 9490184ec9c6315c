//! One decision: what is shown, what is asked, and how the reply is checked.

use super::HxAgent;
use super::choices::{Act, Choices};
use super::look::shorten;
use super::memory::{Awaiting, Memory, sequence};
use super::outline::{outline, tokens};
use super::replies::{self, Line, NextAction, Status};
use crate::model::{Message, ModelRequest, ModelRole, Part, ReplySchema};
use crate::prompts::render;
use domain::action::{ActionKind, Claim};
use domain::decision::{PlannerError, Screenshot};
use domain::marks::Mark;
use domain::{Action, DecisionRequest, Usage};
use minijinja::{Value, context};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Why a turn ends without an action.
pub(super) enum Halt {
    /// A picture is needed first.
    Screenshot { awaiting: Awaiting, reason: String },
    /// The reply cannot be used.
    Invalid(String),
    /// The model cannot be asked.
    Failed(PlannerError),
}

/// What every question shows.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) task: String,
    pub(super) rules: Vec<String>,
    pub(super) examples: Vec<String>,
    pub(super) sequence: Vec<String>,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) page: String,
    pub(super) actions: Vec<String>,
    pub(super) left_out: usize,
}

impl Shown {
    pub(super) fn values(&self) -> Value {
        let shown = self.clone();
        context! {
            task => shown.task,
            rules => shown.rules,
            examples => shown.examples,
            sequence => shown.sequence,
            title => shown.title,
            url => shown.url,
            page => shown.page,
            actions => shown.actions,
            left_out => shown.left_out,
        }
    }
}

/// One decision in the making.
pub(super) struct Turn<'a> {
    pub(super) agent: &'a HxAgent,
    pub(super) request: &'a DecisionRequest,
    pub(super) choices: Choices,
    pub(super) shown: Shown,
    /// The page as it is shown without the list of actions: no numbers, all words.
    pub(super) words: String,
    pub(super) usage: Usage,
    pub(super) incidents: Vec<String>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(agent: &'a HxAgent, request: &'a DecisionRequest) -> Self {
        let options = &agent.options;
        let observation = &request.observation;
        let went_back = request.history.iter().any(|step| step.action.kind() == ActionKind::Back);
        let choices = Choices::of(observation, went_back, request.history.len(), options);
        let (mut rules, mut examples) = (Vec::new(), Vec::new());
        if options.use_experience {
            rules.clone_from(&agent.experience.rules);
            examples = agent.experience.examples.iter().take(options.max_examples).cloned().collect();
        }
        let shown = Shown {
            task: request.instruction.clone(),
            rules,
            examples,
            sequence: sequence(&request.history, options),
            title: observation.title.clone(),
            url: shorten(&observation.url, 120),
            page: outline(observation, &choices),
            actions: choices.lines.clone(),
            left_out: choices.left_out,
        };
        let words = outline(observation, &Choices::default());
        Self { agent, request, choices, shown, words, usage: Usage::default(), incidents: Vec::new() }
    }

    pub(super) async fn decide(&mut self, memory: &mut Memory) -> Result<(Action, String), Halt> {
        if let Some(action) = self.agent.out_of_steps(self.request) {
            return Ok((action, "out of steps".to_owned()));
        }
        let asked_for = memory.awaiting.take().filter(|awaiting| awaiting.stamp == self.request.observation.stamp);
        self.fit_page(asked_for.as_ref()).await?;
        if !self.agent.options.iterate {
            return self.follow_plan(memory).await;
        }
        let next = match &asked_for {
            Some(Awaiting { candidates, .. }) if !candidates.is_empty() => self.choose_among(candidates).await?,
            _ => self.ask_next(asked_for.is_none()).await?,
        };
        self.complete(next).await
    }

    /// Puts a summary of the picture in place of a page whose text is over the limit.
    async fn fit_page(&mut self, asked_for: Option<&Awaiting>) -> Result<(), Halt> {
        let limit = self.agent.options.state_token_limit;
        if tokens(&self.words) > limit {
            self.words = shorten(&self.words, limit * 4);
        }
        if tokens(&self.shown.page) <= limit {
            return Ok(());
        }
        match (&self.request.screenshot, asked_for) {
            (Some(_), Some(awaiting)) if !awaiting.candidates.is_empty() => {
                self.shown.page = "(see the picture)".to_owned();
            }
            (Some(screenshot), _) => {
                let prompt = render("summary", self.shown.values());
                let parts = vec![Part::Text(prompt), Part::Png(Arc::clone(&screenshot.png))];
                let line: Line = self.ask(ModelRole::Describer, parts, replies::line("page_summary")).await?;
                self.words.clone_from(&line.text);
                self.shown.page = line.text;
            }
            (None, None) => {
                let awaiting = Awaiting { stamp: self.request.observation.stamp.clone(), candidates: Vec::new() };
                let reason = format!("the page's text is over {limit} tokens: its picture is summed up instead");
                return Err(Halt::Screenshot { awaiting, reason });
            }
            // A picture was asked for and cannot be had: as much of the text as fits.
            (None, Some(_)) => self.shown.page = shorten(&self.shown.page, limit * 4),
        }
        Ok(())
    }

    /// The main question; where the reply is one of several that read alike, a picture is needed.
    async fn ask_next(&mut self, may_ask_for_picture: bool) -> Result<NextAction, Halt> {
        let steps_left = self.request.steps_left.min(self.agent.options.steps - self.request.history.len() as u32);
        let prompt = render("next_action", context! { steps_left, ..self.shown.values() });
        let next: NextAction = self.ask(ModelRole::Reasoner, vec![Part::Text(prompt)], replies::next_action()).await?;
        let alike = match next.status {
            Status::Act => self.choices.alike(self.act(next.chosen_action)?),
            Status::Done | Status::Infeasible => Vec::new(),
        };
        if alike.len() > 1 && self.agent.options.disambiguate && may_ask_for_picture {
            let reason = format!("the actions {alike:?} read alike: a picture is needed to choose");
            let awaiting = Awaiting { stamp: self.request.observation.stamp.clone(), candidates: alike };
            return Err(Halt::Screenshot { awaiting, reason });
        }
        Ok(next)
    }

    /// The main question again, with the candidates marked on the picture.
    async fn choose_among(&mut self, candidates: &[u32]) -> Result<NextAction, Halt> {
        let Some(screenshot) = self.request.screenshot.clone() else {
            self.incidents.push("no picture could be had to choose among actions that read alike".to_owned());
            return self.ask_next(false).await;
        };
        let marks = self.marks(candidates);
        let (png, marked) = self.draw(&screenshot, &marks);
        let boxes: Vec<String> = marks
            .iter()
            .map(|Mark { label, bounds: b }| format!("{label}: {:.0} {:.0} {:.0} {:.0};", b.x, b.y, b.width, b.height))
            .collect();
        let shown = self.shown.values();
        let prompt = render("disambiguate", context! { candidates => candidates.to_vec(), marked, boxes, ..shown });
        let parts = vec![Part::Text(prompt), Part::Png(png)];
        self.ask(ModelRole::Vision, parts, replies::next_action()).await
    }

    fn marks(&self, candidates: &[u32]) -> Vec<Mark> {
        let bounds = |number: u32| match self.choices.get(i64::from(number)) {
            Some(Act::On(element, _)) => self.request.observation.node(element).map(|node| node.bounds),
            _ => None,
        };
        candidates
            .iter()
            .filter_map(|number| Some(Mark { label: number.to_string(), bounds: bounds(*number)? }))
            .collect()
    }

    /// The picture, and whether marks are on it.
    fn draw(&mut self, screenshot: &Screenshot, marks: &[Mark]) -> (Arc<[u8]>, bool) {
        match self.agent.marker.as_ref().map(|marker| marker.draw(screenshot, marks)) {
            Some(Ok(png)) => (png.into(), true),
            Some(Err(cause)) => {
                self.incidents.push(format!("marks could not be drawn: {cause}; sent boxes instead"));
                (Arc::clone(&screenshot.png), false)
            }
            None => (Arc::clone(&screenshot.png), false),
        }
    }

    /// The action of a reply, its content asked for where it takes some.
    async fn complete(&mut self, next: NextAction) -> Result<(Action, String), Halt> {
        let NextAction { action_description, reason, answer, .. } = next;
        match next.status {
            Status::Done => Ok((Action::Stop { claim: Claim::Done, answer }, reason)),
            Status::Infeasible => {
                Ok((Action::Stop { claim: Claim::Infeasible { reason: reason.clone() }, answer }, reason))
            }
            Status::Act => {
                let act = self.act(next.chosen_action)?;
                let action = self.fill_in(act, &action_description).await?;
                Ok((action, format!("{action_description}: {reason}")))
            }
        }
    }

    /// The action of a number; a number that was not listed is invalid.
    pub(super) fn act(&self, number: Option<i64>) -> Result<Act, Halt> {
        let Some(number) = number else {
            return Err(Halt::Invalid("status `act` without a chosen action".to_owned()));
        };
        self.choices.get(number).ok_or_else(|| {
            Halt::Invalid(format!("chosen action {number} is not among the {} listed", self.choices.acts.len()))
        })
    }

    /// Asks the model, and keeps count of what it costs.
    pub(super) async fn ask<T: DeserializeOwned>(
        &mut self,
        role: ModelRole,
        parts: Vec<Part>,
        schema: ReplySchema,
    ) -> Result<T, Halt> {
        let request = ModelRequest {
            role,
            job: Some(self.request.job.clone()),
            system: render("system", context! {}),
            messages: vec![Message::user(parts)],
            schema,
            temperature: self.agent.options.temperature,
            seed: self.agent.options.seed,
            max_tokens: None,
        };
        match self.agent.model.complete(request).await {
            Ok(mut reply) => {
                self.usage += reply.usage;
                self.incidents.append(&mut reply.incidents);
                replies::read(reply.json).map_err(Halt::Invalid)
            }
            Err(error) => match error.into_invalid(&mut self.usage, &mut self.incidents) {
                Ok(cause) => Err(Halt::Invalid(cause)),
                Err(error) => Err(Halt::Failed(error)),
            },
        }
    }
}
