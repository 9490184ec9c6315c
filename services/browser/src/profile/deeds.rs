//! Acting: from an action to input commands, and to its effect.

use super::{DIALOGS, Profile, page_error};
use crate::effect::{self, Deed, effect_of};
use crate::input::Input;
use crate::keys;
use crate::snapshot::Origin;
use crate::wire::Trouble;
use async_trait::async_trait;
use domain::action::Direction;
use domain::decision::Screenshot;
use domain::observation::{Request, RequestKind};
use domain::page::{Acted, Examination, Page, PageError};
use domain::{Action, Effect, ElementId, Observation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

/// Requests of pages' own that are remembered.
const BACKGROUND: usize = 500;

/// Why an action was not carried out: an effect to be told, or an error to be raised.
pub(super) enum Stop {
    Failed(String),
    /// The address lies outside the scope and was not asked for.
    Left(String),
    Raise(PageError),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Unreachable(cause) => Stop::Failed(cause),
            other => Stop::Raise(page_error(other)),
        }
    }
}

pub(super) type Done = Result<(), Stop>;

/// What carrying out an action left behind for its effect.
#[derive(Default)]
pub(super) struct Traces {
    /// What was typed, secrets filled in.
    pub(super) typed: Option<String>,
    /// Whether the page reacts when a frame is drawn, as to scrolling.
    frame: bool,
}

#[async_trait]
impl Page for Profile {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        let opened = self.open_address(url).await;
        opened.map_err(|error| self.secrets.error(error))
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        let observed = self.look_and_follow(false, &Action::Wait { milliseconds: 0 }).await;
        if let Ok(observation) = &observed {
            self.note_background(observation);
        }
        observed.map_err(|error| self.secrets.error(error))
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        match self.do_and_look(action, before).await {
            Ok(acted) => Ok(Acted { effect: self.secrets.effect(acted.effect), ..acted }),
            Err(error) => Err(self.secrets.error(error)),
        }
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        let examined = self.examine_page().await;
        examined.map_err(|error| self.secrets.error(error))
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        let png = self.wire.screenshot().await.map_err(|trouble| self.secrets.error(page_error(trouble)))?;
        Ok(Screenshot { png: png.into(), scale: 1.0 })
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        match self.value_of(expression).await {
            Ok(value) => Ok(self.secrets.value(value)),
            Err(error) => Err(self.secrets.error(error)),
        }
    }
}

impl Profile {
    async fn open_address(&mut self, url: &Url) -> Result<(), PageError> {
        self.scope().check(url)?;
        self.cover().await;
        match self.navigate(url).await {
            Ok(()) | Err(Trouble::Dialog | Trouble::Replaced) => {}
            Err(Trouble::Unreachable(cause)) => return Err(PageError::Unreachable { url: url.to_string(), cause }),
            Err(trouble) => return Err(page_error(trouble)),
        }
        let opened = self.look(false).await?;
        self.tell_later(opened);
        Ok(())
    }

    /// Carries out an action, and observes what came of it.
    async fn do_and_look(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
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
        let mut traces = Traces::default();
        let stopped = match self.carry_out(action, before, &mut traces).await {
            Ok(()) => None,
            Err(Stop::Failed(cause)) => Some(Effect::Failed { cause }),
            Err(Stop::Left(url)) => Some(Effect::LeftScope { url }),
            Err(Stop::Raise(error)) => return Err(error),
        };
        let observation = self.look_and_follow(traces.frame, action).await?;
        let stopped = stopped.or_else(|| self.missed.take().map(|hit| Effect::Failed { cause: lands_elsewhere(&hit) }));
        // Elements of another tab are others, whatever they are called there.
        let target = target.filter(|_| self.wire.current() == tab);
        let difference = effect::difference(before, &observation, action.element().copied(), &self.ticking);
        let effect = match stopped {
            Some(effect) => effect,
            None => effect_of(Deed {
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
        Ok(Acted { effect, difference, observation })
    }

    /// What fails while nothing is done, the page asked for by itself; when it fails again, no action is to blame.
    fn note_background(&mut self, seen: &Observation) {
        // A request that is told again with its answer was sent earlier, and maybe by an action.
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

    fn find(&self, origin: &Origin) -> Option<ElementId> {
        self.origins.iter().position(|other| other == origin).map(|index| ElementId(index as u32))
    }

    fn count_dialogs(&mut self, action: &Action) -> Result<(), PageError> {
        match action {
            Action::AcceptDialog { .. } | Action::DismissDialog => self.dialogs += 1,
            _ => self.dialogs = 0,
        }
        if self.dialogs > DIALOGS { Err(PageError::DialogLoop(self.dialogs)) } else { Ok(()) }
    }

    async fn carry_out(&mut self, action: &Action, before: &Observation, traces: &mut Traces) -> Done {
        let answers = matches!(action, Action::AcceptDialog { .. } | Action::DismissDialog);
        match (before.dialog.is_some(), answers) {
            // Closing the tab is the way out of a page that answers every answer by another dialog.
            (true, false) if *action == Action::CloseTab => {}
            (true, false) => return Err(Stop::Failed("a dialog is open: accept or dismiss it first".to_owned())),
            (false, true) => return Err(Stop::Failed("no dialog is open".to_owned())),
            _ => {}
        }
        if let Some(element) = action.element() {
            self.hover_item(*element, before).await?;
        }
        match action {
            Action::Click { element, at, count } => {
                self.check_link(*element, before).await?;
                let target = self.point_at(*element, *at).await?;
                self.press(Input::new().click(target.x, target.y, *count)).await
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
                let chord = keys::chord(keys).map_err(|name| Stop::Failed(format!("`{name}` is no key name")))?;
                self.input(Input::new().chord(&chord)).await
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
                let origin = self.origin(*element)?;
                Ok(self.wire.upload(&origin.place, origin.key, files).await?)
            }
            Action::Goto { url } => self.go_to(url).await,
            Action::Back => Ok(self.wire.traverse(-1).await?),
            Action::Forward => Ok(self.wire.traverse(1).await?),
            Action::NewTab => Ok(self.wire.open_tab().await?),
            Action::SwitchTab { tab } => {
                let tabs = self.wire.tabs().await?;
                let Some(tab) = tabs.get(*tab as usize) else {
                    return Err(Stop::Failed(format!("there is no tab {tab}; there are {}", tabs.len())));
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

    /// Presses the mouse, or the keys of a chord that presses something.
    pub(super) async fn press(&mut self, input: Input) -> Done {
        self.missed = None;
        self.input(input).await
    }

    pub(super) fn origin(&self, element: ElementId) -> Result<Origin, Stop> {
        let found = self.origins.get(element.index()).cloned();
        found.ok_or_else(|| Stop::Failed(format!("there is no element {element} in this observation")))
    }

    /// Loads an address, with the storage that a log-in state holds for it.
    async fn navigate(&mut self, url: &Url) -> Result<(), Trouble> {
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
            (Trouble::Unreachable(_), Some(cause)) => Trouble::Unreachable(cause),
            (trouble, _) => trouble,
        })
    }

    pub(super) async fn input(&mut self, input: Input) -> Done {
        match self.wire.perform(input.actions()).await {
            // The page went elsewhere, or opened a dialog, as an answer to the input.
            Ok(()) | Err(Trouble::Replaced | Trouble::Closed | Trouble::Dialog) => Ok(()),
            Err(trouble) => Err(trouble.into()),
        }
    }

    async fn scroll(&mut self, element: Option<ElementId>, direction: Direction, before: &Observation) -> Done {
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

    async fn go_to(&mut self, url: &str) -> Done {
        let url = Url::parse(url).map_err(|error| Stop::Failed(format!("`{url}` is no address: {error}")))?;
        if self.scope().check(&url).is_err() {
            return Err(Stop::Left(url.to_string()));
        }
        self.check_robots(&url).await?;
        match self.navigate(&url).await {
            Ok(()) | Err(Trouble::Dialog | Trouble::Replaced) => Ok(()),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Whether a robot may load a page. Of pages over http the gate decides too, for those that nobody sees coming.
    async fn check_robots(&mut self, url: &Url) -> Done {
        match &self.options.robots {
            Some(robots) if !robots.allow(url, self.gate.client()).await => {
                Err(Stop::Failed(format!("left alone: robots.txt disallows {}", url.path())))
            }
            _ => Ok(()),
        }
    }

    /// A robot does not even follow a link that leads where it must not go: a refused page is waited for like any other.
    async fn check_link(&mut self, element: ElementId, before: &Observation) -> Done {
        if self.options.robots.is_none() {
            return Ok(());
        }
        let href = before.node(element).map(|node| node.attribute("href")).filter(|href| !href.is_empty());
        let url = href.and_then(|href| Url::parse(&before.url).ok()?.join(href).ok());
        match url.filter(|url| matches!(url.scheme(), "http" | "https")) {
            Some(url) if self.scope().check(&url).is_err() => Err(Stop::Left(url.to_string())),
            Some(url) => self.check_robots(&url).await,
            None => Ok(()),
        }
    }
}

/// What an action says of a press that was kept from the page.
pub(super) fn lands_elsewhere(hit: &str) -> String {
    format!("the press would land on {hit}, which was not meant; nothing was pressed")
}

/// A script that puts local storage in place before the page's own scripts look for it.
fn restoring(storage: &BTreeMap<String, BTreeMap<String, String>>) -> String {
    let storage = json!(storage);
    format!(
        "() => {{ const items = ({storage})[location.origin]; if (items) for (const name in items) localStorage.setItem(name, items[name]); }}"
    )
}
