//! One decision in the making: what is shown, what is asked, and how the reply becomes an action.

use super::Manner;
use super::fill::{Missing, fill_in};
use crate::ask::{Ask, NoReply};
use crate::memory::{MemoryOptions, not_done, sequence};
use crate::model::{LanguageModel, ModelRole, Part};
use crate::page::{self, Act, Actions, Marked, PageOptions, PageView, Situation, cap, complete, outline};
use crate::reply::{NextActionWithContent, Reply, Status};
use crate::template::Prompts;
use domain::action::Claim;
use domain::decision::{PlannerError, Screenshot};
use domain::marks::Marker;
use domain::{Action, DecisionRequest, Descriptor, StateId, Step};
use minijinja::{Value, context};
use std::sync::{Arc, LazyLock};

pub(super) static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("content", include_str!("prompts/content.j2")),
        ("carry_out", include_str!("prompts/carry_out.j2")),
        ("finish", include_str!("prompts/finish.j2")),
    ])
});

/// An action, and the reason for it.
pub type Decided = (Action, String);

/// The end of an attempt that cannot go on.
pub fn give_up(reason: String) -> Decided {
    (Action::give_up(reason.clone()), reason)
}

/// Why a turn ends without an action.
#[derive(Debug)]
pub enum Halt {
    /// A picture is needed first; the same turn begins again with it.
    Picture(String),
    /// The task is to be begun again.
    Reset(String),
    /// The page is to be brought back to a state of the map.
    GoBack(StateId, String),
    /// The reply cannot be used.
    Invalid(String),
    /// The model or the encoder cannot be asked.
    Failed(PlannerError),
}

impl From<NoReply> for Halt {
    fn from(cause: NoReply) -> Self {
        match cause {
            NoReply::Invalid(cause) => Halt::Invalid(cause),
            NoReply::Failed(error) => Halt::Failed(error),
        }
    }
}

impl From<PlannerError> for Halt {
    fn from(error: PlannerError) -> Self {
        Halt::Failed(error)
    }
}

/// One decision in the making.
pub struct Turn<'a> {
    /// What is to be decided.
    pub request: &'a DecisionRequest,
    /// The model, and what was spent on it.
    pub ask: Ask<'a>,
    /// What the page offers.
    pub actions: Actions,
    /// What is shown of it.
    pub view: PageView,
    /// The task in words.
    pub task: String,
    /// The steps since the task was last begun.
    pub steps: Vec<Step>,
    /// Steps left before a limit.
    pub steps_left: u32,
    /// How the last wish to go back ended, right after it; the error is the refusal.
    pub came_back: Option<Result<(), String>>,
    pub(super) was_pictured: bool,
    marker: Option<&'a dyn Marker>,
    page: &'a PageOptions,
    memory: &'a MemoryOptions,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        model: &'a dyn LanguageModel,
        marker: Option<&'a dyn Marker>,
        request: &'a DecisionRequest,
        manner: &Manner<'a>,
        undone: usize,
    ) -> Self {
        let (page, memory) = (manner.page, manner.memory);
        let steps: Vec<Step> = (1..)
            .zip(request.history.iter().skip(undone))
            .map(|(number, step)| Step { number, ..step.clone() })
            .collect();
        let actions = Actions::of(&request.observation, Situation::after(&steps), page);
        let view = PageView::of(&request.observation, &actions).within(page.token_limit, &actions);
        let ask =
            Ask::new(model, &request.job, manner.system.clone(), manner.sampling, manner.order).at_step(steps.len());
        let own = manner.steps.saturating_sub(u32::try_from(request.history.len()).unwrap_or(u32::MAX));
        let mut turn = Self {
            request,
            ask,
            actions,
            view,
            task: request.instruction.clone(),
            steps: Vec::new(),
            steps_left: request.steps_left.min(own),
            came_back: None,
            was_pictured: false,
            marker,
            page,
            memory,
        };
        turn.remember(steps);
        turn
    }

    /// Takes these steps for those that led here, and shows them.
    pub fn remember(&mut self, steps: Vec<Step>) {
        self.view.sequence = sequence(&steps, self.memory);
        self.view.sequence.extend(not_done(self.request));
        self.ask.set_step(steps.len());
        self.steps = steps;
    }

    /// Lists other actions of the page.
    pub fn list(&mut self, actions: Actions) {
        self.view = PageView {
            sequence: std::mem::take(&mut self.view.sequence),
            ..PageView::of(&self.request.observation, &actions).within(self.page.token_limit, &actions)
        };
        self.actions = actions;
    }

    /// An action that was described on another page, on this one; none where its elements are not here.
    pub fn on_this_page(&self, described: &Action<Descriptor>) -> Option<Action> {
        described.try_map(|element| element.locate(&self.request.observation).element().ok_or(())).ok()
    }

    /// The page's text without numbers, for questions that offer no actions.
    pub fn words(&self) -> String {
        cap(&outline(&self.request.observation, &Actions::default()), self.page.token_limit).text
    }

    /// What of the page is shown.
    pub fn page_options(&self) -> &'a PageOptions {
        self.page
    }

    /// The values of every prompt: the task, and the page with the steps that led to it.
    pub fn values(&self) -> Value {
        let (task, steps_left) = (self.task.clone(), self.steps_left);
        context! { task, steps_left, ..self.view.values() }
    }

    /// A question over text alone.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn question<T: Reply>(&mut self, role: ModelRole, prompt: String) -> Result<T, Halt> {
        Ok(self.ask.reply(role, vec![Part::Text(prompt)]).await?)
    }

    /// A question over text and, where there is one, a picture: the content of a PNG file.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn question_with<T: Reply>(
        &mut self,
        role: ModelRole,
        prompt: String,
        picture: Option<Arc<[u8]>>,
    ) -> Result<T, Halt> {
        let mut parts = vec![Part::Text(prompt)];
        parts.extend(picture.map(Part::Png));
        Ok(self.ask.reply(role, parts).await?)
    }

    /// The picture of the page; none where it was asked for and cannot be had.
    ///
    /// # Errors
    /// It has to be asked for first.
    pub fn picture(&mut self, what_for: &str) -> Result<Option<Screenshot>, Halt> {
        match &self.request.screenshot {
            Some(picture) => Ok(Some(picture.clone())),
            None if self.was_pictured => {
                self.ask.note("a picture was asked for and could not be had");
                Ok(None)
            }
            None => Err(Halt::Picture(what_for.to_owned())),
        }
    }

    /// A picture with the numbers of actions at their elements, and their boxes where the numbers cannot be drawn.
    pub fn marked(&mut self, picture: &Screenshot, numbers: &[u32]) -> (Marked, Vec<String>) {
        let marks = page::marks_of(&self.request.observation, &self.actions, numbers);
        let marked = page::draw(self.marker, picture, &marks);
        marked.incident.iter().for_each(|incident| self.ask.note(incident.clone()));
        let boxes = if marked.is_marked { Vec::new() } else { page::boxes(&marks) };
        (marked, boxes)
    }

    /// Asks for the next action among those that are listed.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn next_action(&mut self, prompt: String) -> Result<Decided, Halt> {
        let reply: NextActionWithContent = self.question(ModelRole::Reasoner, prompt).await?;
        self.complete(reply).await
    }

    /// The action of a reply; its content is asked for where it takes some and none that fits came with it.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn complete(&mut self, reply: NextActionWithContent) -> Result<Decided, Halt> {
        let next = reply.next;
        match next.status {
            Status::Done => Ok((Action::Stop { claim: Claim::Done, answer: next.answer }, next.reason)),
            Status::Infeasible => {
                let claim = Claim::Infeasible { reason: next.reason.clone() };
                Ok((Action::Stop { claim, answer: next.answer }, next.reason))
            }
            Status::Act => {
                let description = next.action_description;
                let act = complete::chosen(&self.actions, next.chosen_action).map_err(Halt::Invalid)?;
                let action = self.with_content(act, reply.text, reply.press_enter, &description).await?;
                Ok((action, format!("{description}: {}", next.reason)))
            }
        }
    }

    /// The action of an act with its content, which is asked for where it takes some and what came does not fit.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn with_content(
        &mut self,
        act: Act,
        text: Option<String>,
        submit: bool,
        description: &str,
    ) -> Result<Action, Halt> {
        let observation = &self.request.observation;
        if let Some(action) = text.and_then(|text| complete::with_content(observation, act, Some(text), submit).ok()) {
            return Ok(action);
        }
        let values = self.values();
        let prompt = |missing: &Missing| {
            let missing = missing.values();
            PROMPTS.render("content", context! { ..missing, ..values.clone() })
        };
        let filled = fill_in(&mut self.ask, observation, &self.actions, act, description, &prompt).await;
        filled.map_err(Halt::from)
    }
}
