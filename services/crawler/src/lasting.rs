//! A page of an exploration, which outlives the browser that it is in: whatever a site does to one browser, the exploration
//! goes on in another.
//!
//! A task has no such page. It stands somewhere, in a browser that knows what was done so far, and begins anew without it.

use crate::assignment::{PageSource, Profile};
use async_trait::async_trait;
use domain::campaign::Grant;
use domain::decision::Screenshot;
use domain::job::Work;
use domain::page::{Acted, Examination, Page, PageError};
use domain::{Action, Effect, Observation};
use serde_json::Value;
use url::Url;

/// Browsers that one attempt at an exploration may use up beside its first.
pub(crate) const SPARE: u32 = 10;

/// A page in one browser after the other.
pub(crate) struct Lasting<'a> {
    profile: Option<Box<dyn Profile>>,
    pages: &'a dyn PageSource,
    grant: &'a Grant,
    /// Browsers that are left.
    spare: u32,
}

impl<'a> Lasting<'a> {
    /// Begins with a profile; none follows it where the job is no exploration.
    pub(crate) fn new(profile: Box<dyn Profile>, pages: &'a dyn PageSource, grant: &'a Grant) -> Self {
        let spare = if matches!(grant.job.work, Work::Exploration { .. }) { SPARE } else { 0 };
        Self { profile: Some(profile), pages, grant, spare }
    }

    /// Ends the profile of now.
    pub(crate) async fn close(self, is_sound: bool) {
        if let Some(profile) = self.profile {
            profile.close(is_sound).await;
        }
    }

    fn page(&mut self) -> Result<&mut dyn Page, PageError> {
        match &mut self.profile {
            Some(profile) => Ok(profile.page()),
            None => Err(PageError::SessionLost("no other browser was to be had".to_owned())),
        }
    }

    /// Goes on in another browser, whose page is empty; with the first trouble where none is left.
    async fn go_on(&mut self, trouble: PageError) -> Result<Observation, PageError> {
        let is_over = match &trouble {
            PageError::SessionLost(_)
            | PageError::BrowserCrashed(_)
            | PageError::Driver(_)
            | PageError::DialogLoop(_) => self.spare == 0,
            _ => true,
        };
        if is_over {
            return Err(trouble);
        }
        self.spare -= 1;
        tracing::warn!(%trouble, left = self.spare, "the exploration goes on in another browser");
        if let Some(lost) = self.profile.take() {
            lost.close(false).await;
        }
        match self.pages.profile(&self.grant.job, &self.grant.campaign).await {
            Ok(profile) => self.profile.insert(profile).page().observe().await,
            Err(error) => {
                tracing::warn!(%error, "no other browser is to be had");
                Err(trouble)
            }
        }
    }
}

#[async_trait]
impl Page for Lasting<'_> {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.page()?.open(url).await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        match self.page()?.observe().await {
            Err(trouble) => self.go_on(trouble).await,
            seen => seen,
        }
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        match self.page()?.act(action, before).await {
            Err(trouble) => {
                let cause = format!("{trouble}; another browser took over");
                let observation = self.go_on(trouble).await?;
                Ok(Acted::of(Effect::Failed { cause }, observation))
            }
            acted => acted,
        }
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.page()?.examine().await
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.page()?.screenshot().await
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.page()?.evaluate(expression).await
    }
}
