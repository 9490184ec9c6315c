//! The decorator that holds every decider to the policy.

use super::{Book, Memory, licence, refusal};
use async_trait::async_trait;
use domain::decision::Screenshot;
use domain::exploration::Guards;
use domain::harm::{Licence, RefusedRequest};
use domain::page::{Acted, Answer, Download, Examination, Page, PageError, Question};
use domain::{Action, Effect, Observation};
use serde_json::Value;
use url::Url;

/// Decorator over `Page` that refuses destructive actions. A refused action is an [`Effect::Failed`] with the reason.
pub struct DestructiveGuard<'a> {
    page: &'a mut dyn Page,
    guards: Option<Guards>,
    memory: Memory,
}

impl<'a> DestructiveGuard<'a> {
    /// Decorates a page; without guards every action passes. What is made is written down in the book.
    pub fn new(page: &'a mut dyn Page, guards: Option<Guards>, book: Book) -> Self {
        Self { page, guards, memory: Memory::with(book) }
    }
}

#[async_trait]
impl Page for DestructiveGuard<'_> {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.page.open(url).await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        let seen = self.page.observe().await?;
        self.memory.saw(&seen);
        Ok(seen)
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        let Some(guards) = &self.guards else { return self.page.act(action, before).await };
        if let Some(refusal) = refusal(action, before, guards, &self.memory) {
            let observation = self.page.observe().await?;
            return Ok(Acted::of(Effect::Failed { cause: format!("left alone: {refusal}") }, observation));
        }
        if let Some(licence) = licence(action, before, guards, &self.memory) {
            self.page.license(licence);
        }
        self.memory.begins(action, before);
        let acted = self.page.act(action, before).await?;
        self.memory.saw(&acted.observation);
        Ok(acted)
    }

    fn license(&mut self, licence: Licence) {
        self.page.license(licence);
    }

    fn take_refusals(&mut self) -> Vec<RefusedRequest> {
        self.page.take_refusals()
    }

    async fn take_downloads(&mut self) -> Vec<Download> {
        self.page.take_downloads().await
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.page.examine().await
    }

    async fn answer(&mut self, question: &dyn Question) -> Answer {
        self.page.answer(question).await
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.page.screenshot().await
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.page.evaluate(expression).await
    }
}
