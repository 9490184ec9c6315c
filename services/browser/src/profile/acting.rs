//! Performs actions: turns an action into input commands and derives its effect. A click is performed by
//! `carry_out`.

use super::leaving::Entered;
use super::{DIALOGS, Profile, page_error};
use crate::effect::{self, ActionContext, effect_of};
use crate::input::Input;
use crate::keys;
use crate::masking::{self, Letters, Mask};
use crate::probe;
use crate::snapshot::Origin;
use crate::wire::{DocumentTarget, WireError};
use async_trait::async_trait;
use domain::action::{ActionKind, Direction};
use domain::decision::Screenshot;
use domain::harm::{Licence, RefusedRequest};
use domain::observation::{Request, RequestKind};
use domain::page::{Acted, Answer, Download, Examination, Page, PageError, Question};
use domain::{Action, Effect, ElementId, Observation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

/// Most background requests remembered.
const BACKGROUND: usize = 500;
/// Between chords that are pressed after each other.
const BETWEEN_KEYS: Duration = Duration::from_millis(50);

/// Why an action was not carried out: an effect to report, or an error to return.
pub(super) enum NotDone {
    Failed(String),
    /// The address is out of scope and was not requested.
    Left(String),
    Raise(PageError),
}

impl From<WireError> for NotDone {
    fn from(trouble: WireError) -> NotDone {
        match trouble {
            WireError::Unreachable(cause) => NotDone::Failed(cause),
            other => NotDone::Raise(page_error(other)),
        }
    }
}

pub(super) type ActionResult = Result<(), NotDone>;

/// What an action leaves behind for deriving its effect.
#[derive(Default)]
pub(super) struct ActionTraces {
    /// The text typed, secrets resolved.
    pub(super) typed: Option<String>,
    /// Whether the page reacts at the next rendered frame, as it does to scrolling.
    frame: bool,
}

#[async_trait]
impl Page for Profile {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        let opened = self.open_address(url).await;
        opened.map_err(|error| self.secrets.error(error))
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        let observed = self.observe_and_follow(false, &Action::Wait { milliseconds: 0 }).await;
        if let Ok(observation) = &observed {
            self.note_background(observation);
        }
        observed.map_err(|error| self.secrets.error(error))
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        match self.act_and_observe(action, before).await {
            Ok(acted) => Ok(Acted { effect: self.secrets.effect(acted.effect), ..acted }),
            Err(error) => Err(self.secrets.error(error)),
        }
    }

    async fn take_downloads(&mut self) -> Vec<Download> {
        self.take_files().await
    }

    fn license(&mut self, licence: Licence) {
        self.gate.safety().license(licence);
    }

    fn take_refusals(&mut self) -> Vec<RefusedRequest> {
        let mut refusals = self.gate.safety().take_refusals();
        refusals.iter_mut().for_each(|refusal| self.secrets.clean(&mut refusal.path));
        refusals
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        let examined = self.examine_page().await;
        examined.map_err(|error| self.secrets.error(error))
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        let taken = self.masked_picture().await;
        let png = taken.map_err(|error| self.secrets.error(error))?;
        Ok(Screenshot { png: png.into(), scale: 1.0 })
    }

    async fn answer(&mut self, question: &dyn Question) -> Answer {
        if self.secrets.is_empty() {
            return question.answer(None);
        }
        match question.answer(Some(&|text| self.secrets.said(text))) {
            Answer::Judged(verdict) => Answer::Judged(Box::new(self.secrets.verdict(*verdict))),
            answer @ Answer::IsSo(_) => answer,
        }
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        match self.value_of(expression).await {
            Ok(value) => Ok(self.secrets.value(value)),
            Err(error) => Err(self.secrets.error(error)),
        }
    }
}

impl Profile {
    /// A picture in which passwords and secrets are painted over. The page is asked before and after, since it may move meanwhile.
    async fn masked_picture(&mut self) -> Result<Vec<u8>, PageError> {
        let before = self.letters().await?;
        let png = self.wire.screenshot().await.map_err(page_error)?;
        let after = self.letters().await?;
        let mask = Mask::new(&[before, after], &self.secrets);
        masking::paint(png, &mask).map_err(|cause| PageError::Driver(format!("take a picture: {cause}")))
    }

    /// What the page shows in letters; unknown where it does not say, as while a dialog is open.
    async fn letters(&mut self) -> Result<Letters, PageError> {
        let told = match self.wire.call(&DocumentTarget::Page, probe::LETTERS, &[]).await {
            Ok(told) => told,
            Err(trouble @ WireError::Lost(_)) => return Err(page_error(trouble)),
            Err(_) => String::new(),
        };
        Ok(serde_json::from_str(&told).unwrap_or_else(|_| Letters::unknown()))
    }

    async fn open_address(&mut self, url: &Url) -> Result<(), PageError> {
        self.scope().check(url)?;
        self.cover().await;
        match self.navigate(url).await {
            Ok(()) | Err(WireError::Dialog | WireError::Replaced) => {}
            Err(WireError::Unreachable(cause)) => return Err(PageError::Unreachable { url: url.to_string(), cause }),
            Err(trouble) => return Err(page_error(trouble)),
        }
        let opened = self.settle_and_observe(false).await?;
        let address = opened.url.clone();
        self.carry_over(opened);
        self.await_status(&address).await
    }

    /// Performs an action and observes its outcome.
    async fn act_and_observe(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        let latest = self.number;
        if before.stamp.session != self.session || before.stamp.number != latest {
            return Err(PageError::Stale { given: before.stamp.number, latest });
        }
        self.count_dialogs(action)?;
        if before.dialog.is_none() {
            self.cover().await;
        }
        let target = action.element().and_then(|element| self.origins.get(element.index()).cloned());
        let tab = self.wire.current().to_owned();
        let mut traces = ActionTraces::default();
        let stopped = match self.carry_out(action, before, &mut traces).await {
            Ok(()) => None,
            Err(NotDone::Failed(cause)) => Some(Effect::Failed { cause }),
            Err(NotDone::Left(url)) => Some(Effect::LeftScope { url }),
            Err(NotDone::Raise(error)) => return Err(error),
        };
        let observation = self.observe_and_follow(traces.frame, action).await?;
        let stopped = stopped.or_else(|| self.missed.take().map(|hit| Effect::Failed { cause: lands_elsewhere(&hit) }));
        // Element ids of another tab name other elements.
        let target = target.filter(|_| self.wire.current() == tab);
        let entered = Entered::by(action, target.clone(), traces.typed.clone());
        let difference = effect::difference(before, &observation, action.element().copied(), &self.ticking);
        let effect = match stopped {
            Some(effect) => effect,
            None => effect_of(ActionContext {
                action,
                before,
                after: &observation,
                target: target.and_then(|origin| self.find(&origin)),
                typed: traces.typed.as_deref(),
                refused: self.left.as_deref(),
                background: &self.background,
                difference: &difference,
            }),
        };
        if matches!(action, Action::Wait { .. }) {
            self.ticking.learn(effect::changed_texts(before, &observation));
            self.note_background(&observation);
        }
        self.note_requests(&observation);
        if !matches!(action, Action::Wait { .. }) {
            self.entered = entered;
        }
        Ok(Acted { effect, difference, observation })
    }

    /// Remembers requests that fail while no action runs: if they fail again, no action is to blame.
    fn note_background(&mut self, seen: &Observation) {
        // A request that is reported again with its response was sent earlier, maybe by an action.
        let is_own = |request: &&Request| request.number > self.requests && request.kind != RequestKind::Document;
        let fails = |request: &&Request| request.status.is_none_or(|status| status >= 400);
        let told = seen.requests.iter().filter(is_own).filter(fails).map(effect::line);
        let left = BACKGROUND.saturating_sub(self.background.len());
        self.background.extend(told.take(left));
        self.note_requests(seen);
    }

    fn note_requests(&mut self, seen: &Observation) {
        let latest = seen.requests.iter().map(|request| request.number).max();
        self.requests = self.requests.max(latest.unwrap_or_default());
    }

    pub(super) fn find(&self, origin: &Origin) -> Option<ElementId> {
        self.origins.iter().position(|other| other == origin).map(|index| ElementId(index as u32))
    }

    fn count_dialogs(&mut self, action: &Action) -> Result<(), PageError> {
        match action {
            Action::AcceptDialog { .. } | Action::DismissDialog => self.dialogs += 1,
            _ => self.dialogs = 0,
        }
        if self.dialogs > DIALOGS { Err(PageError::DialogLoop(self.dialogs)) } else { Ok(()) }
    }

    async fn carry_out(&mut self, action: &Action, before: &Observation, traces: &mut ActionTraces) -> ActionResult {
        let answers = matches!(action, Action::AcceptDialog { .. } | Action::DismissDialog);
        match (before.dialog.is_some(), answers) {
            // Closing the tab escapes a page that replies to every answer with another dialog.
            (true, false) if *action == Action::CloseTab => {}
            (true, false) => return Err(NotDone::Failed("a dialog is open: accept or dismiss it first".to_owned())),
            (false, true) => return Err(NotDone::Failed("no dialog is open".to_owned())),
            _ => {}
        }
        if let Some(element) = action.element() {
            self.hover_item(*element, before).await?;
        }
        match action {
            Action::Click { element, at, count } => {
                self.check_link(*element, before).await?;
                let target = self.point_at(*element, *at).await?;
                match count {
                    0 | 1 => self.press_once(*element, &target, before).await,
                    _ => self.press(Input::new().click(target.x, target.y, *count)).await,
                }
            }
            Action::Type { element, text, submit } => self.type_text(*element, text, *submit, before, traces).await,
            Action::Select { element, options } => self.select(*element, options).await,
            Action::Check { element, checked } => {
                if self.read(*element).await?.state.checked == *checked {
                    return Ok(());
                }
                let target = self.point_at(*element, None).await?;
                if target.state.checked == *checked {
                    return Ok(()); // the page did it while the element was waited for
                }
                self.press(Input::new().click(target.x, target.y, 1)).await
            }
            Action::Hover { element } => {
                let target = self.locate(*element).await?;
                traces.frame = true;
                self.input(Input::new().point(target.x, target.y)).await
            }
            Action::Press { keys } => {
                let chords = keys::chords(keys).map_err(|name| NotDone::Failed(format!("`{name}` is no key name")))?;
                for (number, chord) in chords.iter().enumerate() {
                    if number > 0 {
                        sleep(BETWEEN_KEYS).await;
                    }
                    self.input(Input::new().chord(chord)).await?;
                }
                Ok(())
            }
            Action::Scroll { element, direction } => {
                traces.frame = true;
                self.scroll(*element, *direction, before).await
            }
            Action::Drag { element, onto } => {
                let (from, to) = self.locate_both(*element, *onto).await?;
                traces.frame = true;
                self.press(Input::new().drag((from.x, from.y), (to.x, to.y))).await
            }
            Action::Upload { element, files } => {
                // A driver says of anything else that the browser failed.
                if before.node(*element).is_some_and(|node| !node.allows(ActionKind::Upload)) {
                    return Err(NotDone::Failed("it is no field for files".to_owned()));
                }
                let origin = self.origin(*element)?;
                let files = self.brought(files).await.map_err(NotDone::Failed)?;
                Ok(self.wire.upload(&origin.place, origin.key, &files).await?)
            }
            Action::Goto { url } => self.go_to(url).await,
            Action::Back => self.traverse(-1).await,
            Action::Forward => self.traverse(1).await,
            Action::NewTab => Ok(self.wire.open_tab().await?),
            Action::SwitchTab { tab } => {
                let tabs = self.wire.tabs().await?;
                let Some(tab) = tabs.get(*tab as usize) else {
                    return Err(NotDone::Failed(format!("there is no tab {tab}; there are {}", tabs.len())));
                };
                Ok(self.wire.switch(&tab.id).await?)
            }
            Action::CloseTab => self.close_tab().await,
            Action::AcceptDialog { text } => Ok(self.wire.answer(true, text.as_deref()).await?),
            Action::DismissDialog => Ok(self.wire.answer(false, None).await?),
            Action::Wait { milliseconds } => {
                sleep(Duration::from_millis(u64::from((*milliseconds).min(10_000)))).await;
                Ok(())
            }
            Action::Stop { .. } => Ok(()),
        }
    }

    /// Goes through the tab's history. Where it ends, nothing happens, as with the greyed button of a browser.
    async fn traverse(&mut self, by: i32) -> ActionResult {
        match self.wire.traverse(by).await {
            Err(trouble @ WireError::NoHistory) => Err(NotDone::Failed(trouble.to_string())),
            other => Ok(other?),
        }
    }

    /// Sends a mouse press, or a key chord that activates something.
    pub(super) async fn press(&mut self, input: Input) -> ActionResult {
        self.missed = None;
        self.input(input).await
    }

    pub(super) fn origin(&self, element: ElementId) -> Result<Origin, NotDone> {
        let found = self.origins.get(element.index()).cloned();
        found.ok_or_else(|| NotDone::Failed(format!("there is no element {element} in this observation")))
    }

    /// Loads an address, restoring the log-in state's local storage for it first.
    async fn navigate(&mut self, url: &Url) -> Result<(), WireError> {
        let revealed = self.with_password(url).map_err(WireError::Unreachable)?;
        let url = revealed.as_ref().unwrap_or(url);
        let origin = url.origin().ascii_serialization();
        let restores = self.unrestored.contains_key(&origin);
        let script = if restores { Some(self.wire.add_script(&restoring(&self.unrestored)).await?) } else { None };
        let navigated = self.wire.navigate(url.as_str()).await;
        if let Some(script) = script {
            self.wire.remove_script(&script).await?;
            self.unrestored.remove(&origin);
        }
        // The browser knows the gate only; that knows what became of the site.
        navigated.map_err(|trouble| match (trouble, self.gate.failure(url)) {
            (WireError::Unreachable(_), Some(cause)) => WireError::Unreachable(cause),
            (trouble, _) => trouble,
        })
    }

    /// An address with the password that a reference in it stands for; none where it holds none.
    ///
    /// # Errors
    /// The secret has no value, or is not for this address.
    fn with_password(&self, url: &Url) -> Result<Option<Url>, String> {
        let Some(name) = domain::secret::of_address(url.as_str()) else { return Ok(None) };
        self.options.secrets.allows(&name, url)?;
        let password = self.options.secrets.secret(&name)?;
        let mut revealed = url.clone();
        let set = revealed.set_password(Some(&password));
        set.map_err(|()| format!("an address of `{}` takes no password", url.scheme()))?;
        Ok(Some(revealed))
    }

    pub(super) async fn input(&mut self, input: Input) -> ActionResult {
        match self.wire.perform(input.actions()).await {
            // The page navigated or opened a dialog in response to the input.
            Ok(()) | Err(WireError::Replaced | WireError::Closed | WireError::Dialog) => Ok(()),
            Err(trouble) => Err(trouble.into()),
        }
    }

    async fn scroll(&mut self, element: Option<ElementId>, direction: Direction, before: &Observation) -> ActionResult {
        let (at, height, width) = match element {
            Some(element) => {
                let target = self.locate_box(element).await?;
                ((target.x, target.y), target.height, target.width)
            }
            None => {
                let view = before.viewport;
                ((view.width / 2.0, view.height / 2.0), view.height, view.width)
            }
        };
        let (down, right) = ((height * 0.9) as i64, (width * 0.9) as i64);
        let by = match direction {
            Direction::Up => (0, -down),
            Direction::Down => (0, down),
            Direction::Left => (-right, 0),
            Direction::Right => (right, 0),
        };
        self.input(Input::new().scroll(at, by)).await
    }

    async fn go_to(&mut self, url: &str) -> ActionResult {
        let url = Url::parse(url).map_err(|error| NotDone::Failed(format!("`{url}` is no address: {error}")))?;
        if self.scope().check(&url).is_err() {
            return Err(NotDone::Left(url.to_string()));
        }
        self.check_robots(&url).await?;
        match self.navigate(&url).await {
            Ok(()) | Err(WireError::Dialog | WireError::Replaced) => Ok(()),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Checks robots.txt for a page. For http the gate also checks, since it sees loads that nothing here foresees.
    async fn check_robots(&mut self, url: &Url) -> ActionResult {
        match &self.options.robots {
            Some(robots) if !robots.allow(url, self.gate.client(), self.scope()).await => {
                Err(NotDone::Failed(format!("left alone: robots.txt disallows {}", url.path())))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a link that robots.txt disallows: following it would wait for a page that is refused.
    async fn check_link(&mut self, element: ElementId, before: &Observation) -> ActionResult {
        if self.options.robots.is_none() {
            return Ok(());
        }
        let href = before.node(element).map(|node| node.attribute("href")).filter(|href| !href.is_empty());
        let url = href.and_then(|href| Url::parse(&before.url).ok()?.join(href).ok());
        match url.filter(|url| matches!(url.scheme(), "http" | "https")) {
            Some(url) if self.scope().check(&url).is_err() => Err(NotDone::Left(url.to_string())),
            Some(url) => self.check_robots(&url).await,
            None => Ok(()),
        }
    }
}

/// The message for a press that was kept from the page.
pub(super) fn lands_elsewhere(hit: &str) -> String {
    format!("the press would land on {hit}, which was not meant; nothing was pressed")
}

/// A script that restores local storage before the page's own scripts read it.
fn restoring(storage: &BTreeMap<String, BTreeMap<String, String>>) -> String {
    let storage = json!(storage);
    format!(
        "() => {{ const items = ({storage})[location.origin]; if (items) for (const name in items) localStorage.setItem(name, items[name]); }}"
    )
}
