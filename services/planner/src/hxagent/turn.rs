//! One decision: what is shown, what is asked, and how the reply is checked.

use super::carried::{Awaiting, Carried};
use super::options::ContentBy;
use super::replies::PageSummary;
use super::{HxAgent, render};
use crate::agent::{Fields, Missing, fill_in};
use crate::ask::{Ask, NoReply};
use crate::memory::{not_done, sequence};
use crate::model::{ModelRole, Part};
use crate::page::{self, Act, Actions, PageView, Situation, cap, complete, outline, tokens};
use crate::reply::{NextAction, NextActionWithContent, NextActionWithFields, Reply, Status};
use domain::action::Claim;
use domain::decision::PlannerError;
use domain::{Action, DecisionRequest};
use minijinja::{Value, context};
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

impl From<NoReply> for Halt {
    fn from(cause: NoReply) -> Self {
        match cause {
            NoReply::Invalid(cause) => Halt::Invalid(cause),
            NoReply::Failed(error) => Halt::Failed(error),
        }
    }
}

/// What every question shows.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) task: String,
    pub(super) rules: Vec<String>,
    pub(super) examples: Vec<String>,
    pub(super) view: PageView,
}

impl Shown {
    pub(super) fn values(&self) -> Value {
        let shown = self.clone();
        context! { task => shown.task, rules => shown.rules, examples => shown.examples, ..self.view.values() }
    }
}

/// One decision in the making.
pub(super) struct Turn<'a> {
    pub(super) agent: &'a HxAgent,
    pub(super) request: &'a DecisionRequest,
    pub(super) ask: Ask<'a>,
    pub(super) actions: Actions,
    pub(super) shown: Shown,
    /// The page as it is shown without the list of actions: no numbers, all words.
    pub(super) words: String,
}

impl<'a> Turn<'a> {
    pub(super) fn new(agent: &'a HxAgent, request: &'a DecisionRequest) -> Self {
        let options = &agent.options;
        let observation = &request.observation;
        let mut actions = Actions::of(observation, Situation::after(&request.history), &options.page);
        if options.may_look && request.screenshot.is_none() {
            actions.offer_picture(observation);
        }
        let (mut rules, mut examples) = (Vec::new(), Vec::new());
        if options.use_experience {
            let (kept, learnt) = options.experience.of_task(&request.context.task);
            rules = learnt.to_vec();
            examples = kept.iter().take(options.max_examples).cloned().collect();
        }
        let mut view = PageView::of(observation, &actions);
        view.sequence = sequence(&request.history, &options.memory);
        view.sequence.extend(not_done(request));
        let shown = Shown { task: request.instruction.clone(), rules, examples, view };
        let words = outline(observation, &Actions::default());
        let system = render("system", context! {});
        let ask = Ask::new(agent.model.as_ref(), &request.job, system, options.sampling, options.reply_order)
            .at_step(request.history.len());
        Self { agent, request, ask, actions, shown, words }
    }

    pub(super) async fn decide(&mut self, carried: &mut Carried) -> Result<(Action, String), Halt> {
        if let Some(action) = self.agent.out_of_steps(self.request) {
            return Ok((action, "out of steps".to_owned()));
        }
        let asked_for = carried.awaiting.take().filter(|awaiting| awaiting.stamp == self.request.observation.stamp);
        if let Some(action) = carried.fields.next(self.request) {
            return Ok((action, "as said with the field before it".to_owned()));
        }
        self.fit_page(asked_for.as_ref()).await?;
        if !self.agent.options.iterate {
            return self.follow_plan(carried).await;
        }
        let next = match &asked_for {
            Some(awaiting) if awaiting.is_to_choose() => self.choose_among(awaiting).await?,
            _ => self.ask_next(asked_for.is_none()).await?,
        };
        let NextActionWithFields { first, more } = next;
        let decided = self.complete(first).await?;
        let is_field = matches!(decided.0, Action::Type { submit: false, .. } | Action::Select { .. });
        let (fields, wrong) = match more.is_empty() || is_field {
            true => Fields::of(&self.request.observation, &self.actions, more),
            false => (Fields::default(), Some("further fields came with what is no field".to_owned())),
        };
        wrong.into_iter().for_each(|wrong| self.ask.note(wrong));
        carried.fields = fields;
        Ok(decided)
    }

    /// Puts a summary of the picture in place of a page whose text is over the limit.
    async fn fit_page(&mut self, asked_for: Option<&Awaiting>) -> Result<(), Halt> {
        let limit = self.agent.options.page.token_limit;
        self.words = cap(&self.words, limit).text;
        if self.actions.is_in_place() || tokens(&self.shown.view.page) <= limit {
            return Ok(());
        }
        match (&self.request.screenshot, asked_for) {
            (Some(_), Some(awaiting)) if awaiting.is_to_choose() => {
                self.shown.view.page = "(see the picture)".to_owned();
            }
            (Some(screenshot), _) => {
                let prompt = render("summary", self.shown.values());
                let parts = vec![Part::Text(prompt), Part::Png(Arc::clone(&screenshot.png))];
                let summary: PageSummary = self.ask.reply(ModelRole::Describer, parts).await?;
                self.words.clone_from(&summary.text);
                self.shown.view.page = summary.text;
            }
            (None, None) => {
                let reason = format!("the page's text is over {limit} tokens: its picture is summed up instead");
                return Err(self.picture_of(Vec::new(), false, reason));
            }
            // A picture was asked for and cannot be had: as much of the text as fits.
            (None, Some(_)) => self.shown.view.page = cap(&self.shown.view.page, limit).text,
        }
        Ok(())
    }

    /// The main question; where the reply is one of several that read alike, a picture is needed.
    async fn ask_next(&mut self, may_ask_for_picture: bool) -> Result<NextActionWithFields, Halt> {
        let prompt = render(self.main_template(), context! { steps_left => self.steps_left(), ..self.shown.values() });
        let next = self.ask_main(ModelRole::Reasoner, vec![Part::Text(prompt)]).await?;
        let chosen = &next.first.next;
        let alike = match chosen.status {
            Status::Act if self.act(chosen.chosen_action)? == Act::Look => {
                if !may_ask_for_picture {
                    return Err(Halt::Invalid("no picture of the page can be had".to_owned()));
                }
                let listed = self.actions.numbers.values().copied().collect();
                return Err(self.picture_of(listed, true, format!("a look at the page: {}", chosen.reason)));
            }
            Status::Act => self.actions.alike(self.act(chosen.chosen_action)?),
            Status::Done | Status::Infeasible => Vec::new(),
        };
        if alike.len() > 1 && self.agent.options.disambiguate && may_ask_for_picture {
            let reason = format!("the actions {alike:?} read alike: a picture is needed to choose");
            return Err(self.picture_of(alike, false, reason));
        }
        Ok(next)
    }

    /// Asks for a picture of this page.
    fn picture_of(&self, candidates: Vec<u32>, looks: bool, reason: String) -> Halt {
        let awaiting = Awaiting { stamp: self.request.observation.stamp.clone(), candidates, looks };
        Halt::Screenshot { awaiting, reason }
    }

    fn steps_left(&self) -> u32 {
        self.request.steps_left.min(self.agent.options.steps.saturating_sub(self.request.history.len() as u32))
    }

    fn main_template(&self) -> &'static str {
        match self.agent.options.content {
            ContentBy::SecondQuestion => "next_action",
            ContentBy::WithChoice if self.agent.options.several_fields => "next_action_with_fields",
            ContentBy::WithChoice => "next_action_with_content",
        }
    }

    /// The main question, in the form of its reply that the options ask for.
    async fn ask_main(&mut self, role: ModelRole, parts: Vec<Part>) -> Result<NextActionWithFields, Halt> {
        let first = match self.agent.options.content {
            ContentBy::SecondQuestion => {
                let next: NextAction = self.ask.reply(role, parts).await?;
                NextActionWithContent { next, text: None, press_enter: false }
            }
            ContentBy::WithChoice if self.agent.options.several_fields => {
                return Ok(self.ask.reply(role, parts).await?);
            }
            ContentBy::WithChoice => self.ask.reply(role, parts).await?,
        };
        Ok(NextActionWithFields { first, more: Vec::new() })
    }

    /// The main question again, with the candidates marked on the picture.
    async fn choose_among(&mut self, awaiting: &Awaiting) -> Result<NextActionWithFields, Halt> {
        let (candidates, looks) = (awaiting.candidates.as_slice(), awaiting.looks);
        let Some(screenshot) = self.request.screenshot.clone() else {
            self.ask.note("no picture could be had to choose among actions that read alike");
            return self.ask_next(false).await;
        };
        let marks = page::marks_of(&self.request.observation, &self.actions, candidates);
        let picture = page::draw(self.agent.marker.as_deref(), &screenshot, &marks);
        picture.incident.into_iter().for_each(|incident| self.ask.note(incident));
        let (marked, boxes) = (picture.is_marked, page::boxes(&marks));
        let shown = self.shown.values();
        let steps_left = self.steps_left();
        let candidates = candidates.to_vec();
        let prompt = render("disambiguate", context! { candidates, looks, steps_left, marked, boxes, ..shown });
        self.ask_main(ModelRole::Vision, vec![Part::Text(prompt), Part::Png(picture.png)]).await
    }

    /// The action of a reply, its content asked for where it takes some and none that fits came with it.
    async fn complete(&mut self, next: NextActionWithContent) -> Result<(Action, String), Halt> {
        let NextActionWithContent { next, text, press_enter } = next;
        let NextAction { action_description, reason, answer, .. } = next;
        match next.status {
            Status::Done => Ok((Action::Stop { claim: Claim::Done, answer }, reason)),
            Status::Infeasible => {
                Ok((Action::Stop { claim: Claim::Infeasible { reason: reason.clone() }, answer }, reason))
            }
            Status::Act => {
                let act = self.act(next.chosen_action)?;
                let observation = &self.request.observation;
                let came = text.and_then(|text| complete::with_content(observation, act, Some(text), press_enter).ok());
                let action = match came {
                    Some(action) => action,
                    None => self.fill_in(act, &action_description).await?,
                };
                Ok((action, format!("{action_description}: {reason}")))
            }
        }
    }

    /// The whole action of what was chosen.
    async fn fill_in(&mut self, act: Act, description: &str) -> Result<Action, Halt> {
        let (shown, words) = (&self.shown, &self.words);
        let prompt = |missing: &Missing| {
            let mut shown = shown.clone();
            if !missing.needs_actions {
                shown.view.actions.clear();
                shown.view.page.clone_from(words);
            }
            let missing = missing.values();
            render("input", context! { ..missing, ..shown.values() })
        };
        let observation = &self.request.observation;
        Ok(fill_in(&mut self.ask, observation, &self.actions, act, description, &prompt).await?)
    }

    /// The action of a number; a number that was not listed is invalid.
    pub(super) fn act(&self, number: Option<i64>) -> Result<Act, Halt> {
        complete::chosen(&self.actions, number).map_err(Halt::Invalid)
    }

    /// A question over text alone.
    pub(super) async fn ask_text<T: Reply>(&mut self, prompt: String) -> Result<T, Halt> {
        Ok(self.ask.reply(ModelRole::Reasoner, vec![Part::Text(prompt)]).await?)
    }
}
