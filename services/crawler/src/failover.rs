//! Replaces a lost browser during an exploration: the exploration continues in a new one.
//!
//! Tasks get no replacement: their page depends on everything done so far in the browser, so they are attempted anew.

use crate::assignment::{PageSource, Profile};
use async_trait::async_trait;
use domain::campaign::Grant;
use domain::decision::Screenshot;
use domain::harm::{Licence, RefusedRequest};
use domain::job::Work;
use domain::page::{Acted, Answer, Download, Examination, Page, PageError, Question};
use domain::{Action, Effect, Observation};
use serde_json::Value;
use url::Url;

/// Replacement browsers per attempt at an exploration.
pub(crate) const SPARE: u32 = 10;

/// Decorator over `Page` that replaces its browser when it is lost.
pub(crate) struct FailoverPage<'a> {
    profile: Option<Box<dyn Profile>>,
    pages: &'a dyn PageSource,
    grant: &'a Grant,
    /// Replacement browsers left.
    spare: u32,
}

impl<'a> FailoverPage<'a> {
    /// Starts with a profile. Only explorations get replacements.
    pub(crate) fn new(profile: Box<dyn Profile>, pages: &'a dyn PageSource, grant: &'a Grant) -> Self {
        let spare = if matches!(grant.job.work, Work::Exploration { .. }) { SPARE } else { 0 };
        Self { profile: Some(profile), pages, grant, spare }
    }

    /// Closes the current profile.
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

    /// Continues in a new browser with an empty page; fails with the original error when no replacement is left.
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
impl Page for FailoverPage<'_> {
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

    fn license(&mut self, licence: Licence) {
        if let Ok(page) = self.page() {
            page.license(licence);
        }
    }

    fn take_refusals(&mut self) -> Vec<RefusedRequest> {
        self.page().map(Page::take_refusals).unwrap_or_default()
    }

    async fn take_downloads(&mut self) -> Vec<Download> {
        match self.page() {
            Ok(page) => page.take_downloads().await,
            Err(_) => Vec::new(),
        }
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.page()?.examine().await
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.page()?.screenshot().await
    }

    async fn answer(&mut self, question: &dyn Question) -> Answer {
        match self.page() {
            Ok(page) => page.answer(question).await,
            Err(_) => question.answer(None),
        }
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.page()?.evaluate(expression).await
    }
}
