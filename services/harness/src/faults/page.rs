//! A page, decorated. Calls with side effects are performed at most once: opening an address, an action, and an
//! expression.

use super::Faulty;
use async_trait::async_trait;
use domain::decision::Screenshot;
use domain::page::{Acted, Answer, Download, Examination, Page, PageError, Question};
use domain::{Action, Observation};
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

/// A page has one caller; the lock only lets calls go over a link, and never contends.
#[async_trait]
impl<T: Page + ?Sized> Page for Faulty<Mutex<T>> {
    async fn open(&mut self, url: &Url) -> Result<(), PageError> {
        self.link.call_once("open", || async { self.inner.lock().await.open(url).await }).await
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        self.link.call("observe", || async { self.inner.lock().await.observe().await }).await
    }

    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError> {
        self.link.call_once("act", || async { self.inner.lock().await.act(action, before).await }).await
    }

    async fn take_downloads(&mut self) -> Vec<Download> {
        self.inner.lock().await.take_downloads().await
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        self.link.call("examine", || async { self.inner.lock().await.examine().await }).await
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        self.link.call("screenshot", || async { self.inner.lock().await.screenshot().await }).await
    }

    async fn answer(&mut self, question: &dyn Question) -> Answer {
        self.inner.lock().await.answer(question).await
    }

    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError> {
        self.link.call_once("evaluate", || async { self.inner.lock().await.evaluate(expression).await }).await
    }
}
