//! Following the tabs that pages open, and going back when they close, as a browser in the foreground does.

use super::deeds::Done;
use super::{Profile, page_error};
use crate::wire::Trouble;
use domain::page::PageError;
use domain::{Action, Observation};

/// An empty tab: what a page opened that was not let out of its scope.
const EMPTY: &str = "about:blank";

impl Profile {
    /// Observes; where the page has opened a tab meanwhile, that one.
    pub(super) async fn look_and_follow(&mut self, frame: bool, action: &Action) -> Result<Observation, PageError> {
        let observation = self.look(frame).await?;
        let tabs = self.tab_ids().await?;
        let is_ours = matches!(action, Action::NewTab | Action::SwitchTab { .. } | Action::CloseTab);
        let is_new = |tab: &&String| !self.known_tabs.contains(tab);
        let opened = tabs.iter().rev().find(is_new).filter(|_| !is_ours && observation.dialog.is_none()).cloned();
        if observation.dialog.is_none() || is_ours {
            self.known_tabs = tabs;
        }
        let opener = self.wire.current().to_owned();
        // Of a tab whose page lies outside the scope there is nothing to be seen, and not every driver answers for it.
        match opened.filter(|tab| *tab != opener && self.left.is_none()) {
            Some(tab) => self.follow(tab, opener, observation).await,
            None => Ok(observation),
        }
    }

    /// Looks at a tab that was just opened. One that stays empty because it may not be loaded is closed again.
    async fn follow(&mut self, tab: String, opener: String, before: Observation) -> Result<Observation, PageError> {
        let left = self.left.clone();
        if self.wire.stays_empty(&tab).await.map_err(page_error)? {
            return Ok(before);
        }
        match self.wire.switch(&tab).await {
            Ok(()) => {}
            Err(Trouble::Closed | Trouble::Replaced | Trouble::Driver(_)) => {
                let _ = self.wire.switch(&opener).await;
                return Ok(before); // it is gone already
            }
            Err(trouble) => return Err(page_error(trouble)),
        }
        self.openers.insert(tab, opener.clone());
        let mut observation = self.look(false).await?;
        let leads_nowhere = observation.url.is_empty() || observation.url == EMPTY;
        self.left = self.left.take().or(left);
        if leads_nowhere && self.left.is_some() && observation.dialog.is_none() {
            let kept = self.left.take();
            self.wire.close_tab().await.map_err(page_error)?;
            self.wire.switch(&opener).await.map_err(page_error)?;
            observation = self.look(false).await?;
            self.left = self.left.take().or(kept);
            self.known_tabs = self.tab_ids().await?;
        }
        // What was noticed before is the action's as well.
        observation.faults.splice(0..0, before.faults);
        observation.requests.splice(0..0, before.requests);
        observation.downloads.splice(0..0, before.downloads);
        Ok(observation)
    }

    /// Closes the current tab, and goes back to the one that opened it.
    pub(super) async fn close_tab(&mut self) -> Done {
        let closing = self.wire.current().to_owned();
        self.wire.close_tab().await?;
        if let Some(opener) = self.openers.remove(&closing)
            && self.wire.current() != opener
            && self.wire.tabs().await?.iter().any(|tab| tab.id == opener)
        {
            self.wire.switch(&opener).await?;
        }
        Ok(())
    }

    /// After the current tab was closed, by the page or by us: the one that opened it, else the newest of the others, or an
    /// empty one.
    pub(super) async fn move_to_open_tab(&mut self) -> Result<(), Trouble> {
        let opener = self.openers.remove(self.wire.current());
        let tabs = self.wire.tabs().await?;
        let back = tabs.iter().find(|tab| Some(&tab.id) == opener.as_ref()).or(tabs.last());
        match back.map(|tab| tab.id.clone()) {
            Some(tab) => self.wire.switch(&tab).await,
            None => self.wire.open_tab().await,
        }
    }

    async fn tab_ids(&mut self) -> Result<Vec<String>, PageError> {
        Ok(self.tab_states().await?.into_iter().map(|tab| tab.id).collect())
    }
}
