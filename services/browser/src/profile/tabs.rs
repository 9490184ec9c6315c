//! Follows tabs that pages open, and returns when they close, like a foreground browser.

use super::acting::ActionResult;
use super::{Profile, page_error};
use crate::wire::WireError;
use domain::page::PageError;
use domain::{Action, Observation};

/// The address of an empty tab, e.g. a pop-up whose address was out of scope.
const EMPTY: &str = "about:blank";

impl Profile {
    /// Observes the page, or the tab that it has opened meanwhile.
    pub(super) async fn observe_and_follow(&mut self, frame: bool, action: &Action) -> Result<Observation, PageError> {
        let observation = self.settle_and_observe(frame).await?;
        let tabs = self.tab_ids().await?;
        let is_ours = matches!(action, Action::NewTab | Action::SwitchTab { .. } | Action::CloseTab);
        let is_new = |tab: &&String| !self.known_tabs.contains(tab);
        let opened = tabs.iter().rev().find(is_new).filter(|_| !is_ours && observation.dialog.is_none()).cloned();
        if observation.dialog.is_none() || is_ours {
            self.known_tabs = tabs;
        }
        let opener = self.wire.current().to_owned();
        // A tab whose page is out of scope shows nothing, and not every driver answers for it.
        match opened.filter(|tab| *tab != opener && self.left.is_none()) {
            Some(tab) => self.follow(tab, opener, observation).await,
            None => Ok(observation),
        }
    }

    /// Switches to a newly opened tab. Closes it again if it stays empty because its page may not load.
    async fn follow(&mut self, tab: String, opener: String, before: Observation) -> Result<Observation, PageError> {
        let left = self.left.clone();
        if self.wire.stays_empty(&tab).await.map_err(page_error)? {
            return Ok(before);
        }
        match self.wire.switch(&tab).await {
            Ok(()) => {}
            Err(WireError::Closed | WireError::Replaced | WireError::Driver(_)) => {
                let _ = self.wire.switch(&opener).await;
                return Ok(before); // it is gone already
            }
            Err(trouble) => return Err(page_error(trouble)),
        }
        self.openers.insert(tab, opener.clone());
        let mut observation = self.settle_and_observe(false).await?;
        let leads_nowhere = observation.url.is_empty() || observation.url == EMPTY;
        self.left = self.left.take().or(left);
        let mut downloads = before.downloads;
        downloads.append(&mut observation.downloads);
        // What is handed over as a file leaves the tab empty that it was opened in.
        let is_file = !downloads.is_empty() && observation.interactive().next().is_none();
        if leads_nowhere && (self.left.is_some() || is_file) && observation.dialog.is_none() {
            let kept = self.left.take();
            self.wire.close_tab().await.map_err(page_error)?;
            self.wire.switch(&opener).await.map_err(page_error)?;
            observation = self.settle_and_observe(false).await?;
            self.left = self.left.take().or(kept);
            self.known_tabs = self.tab_ids().await?;
        }
        // Earlier activity belongs to the action too.
        observation.faults.splice(0..0, before.faults);
        observation.requests.splice(0..0, before.requests);
        observation.downloads.splice(0..0, downloads);
        Ok(observation)
    }

    /// Closes the current tab and returns to its opener.
    pub(super) async fn close_tab(&mut self) -> ActionResult {
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

    /// Picks the next tab after the current one closed: its opener, else the newest, else a new empty tab.
    pub(super) async fn move_to_open_tab(&mut self) -> Result<(), WireError> {
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
