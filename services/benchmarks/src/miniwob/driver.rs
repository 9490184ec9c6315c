//! Begins an episode on a MiniWoB++ page, and says when it is over. The page decides what success is.

use crate::Error;
use crate::miniwob::suites::FLIGHT;
use crate::miniwob::utterance;
use async_trait::async_trait;
use domain::environment::{Environment, EnvironmentError};
use domain::job::BenchmarkTask;
use domain::page::{Page, PageError};
use domain::task::{Check, PageStateCheck};
use serde_json::Value;
use url::Url;

/// The time limit of the relaxed setting, in milliseconds: the attempt's own limits end it long before.
pub const RELAXED_LIMIT_MS: u32 = 3_600_000;

const START: &str = include_str!("start.js");
const IS_OVER: &str = "typeof WOB_DONE_GLOBAL !== 'undefined' && WOB_DONE_GLOBAL === true";
const REWARD: &str = "typeof WOB_RAW_REWARD_GLOBAL === 'number' ? WOB_RAW_REWARD_GLOBAL : null";
const JUDGEMENT: &str = "typeof WOB_DONE_GLOBAL === 'undefined' ? 'the page has left the benchmark' \
     : !WOB_DONE_GLOBAL ? 'the episode is not over' \
     : WOB_RAW_REWARD_GLOBAL === 1 ? 'raw reward 1' \
     : `raw reward ${WOB_RAW_REWARD_GLOBAL}` + (WOB_REWARD_REASON ? ` (${WOB_REWARD_REASON})`.slice(0, 200) : '')";

/// Which part of its data a page draws its instances from, where it tells them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataMode {
    /// Instances for training; what the Python package draws from by default.
    #[default]
    Train,
    /// Instances kept for testing.
    Test,
}

impl DataMode {
    fn as_str(self) -> &'static str {
        match self {
            DataMode::Train => "train",
            DataMode::Test => "test",
        }
    }
}

/// One instance of a MiniWoB++ task.
#[derive(Clone, Debug)]
pub struct Instance {
    task: BenchmarkTask,
    url: Url,
    mode: DataMode,
}

/// What confirms a success, whatever the task: the episode is over and its raw reward, without any share for speed, is 1.
pub fn check() -> Check {
    Check::PageState(PageStateCheck { expression: JUDGEMENT.to_owned(), equals: Value::from("raw reward 1") })
}

/// One instance of a task as an environment, its pages served at `base`.
///
/// # Errors
/// [`Error::Address`] for a task whose name is not that of a page.
pub fn instance(task: &BenchmarkTask, base: &Url) -> Result<Instance, Error> {
    let name = task.task.as_str();
    let refused = |cause: &str| Error::Address { task: name.to_owned(), cause: cause.to_owned() };
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.".contains(letter)) {
        return Err(refused("a task's name has letters, digits, `-` and `.` only"));
    }
    let path = match name.strip_prefix(FLIGHT) {
        Some(site) => format!("flight/{site}/wrapper.html"),
        None => format!("miniwob/{name}.html"),
    };
    let url = base.join(&path).map_err(|cause| refused(&cause.to_string()))?;
    Ok(Instance { task: task.clone(), url, mode: DataMode::default() })
}

impl Instance {
    /// The same instance with another part of the page's data.
    pub fn with_data_mode(self, mode: DataMode) -> Self {
        Self { mode, ..self }
    }

    /// The address of the task's page.
    pub fn url(&self) -> &Url {
        &self.url
    }

    fn start_expression(&self) -> String {
        let limit = if self.task.relaxed { RELAXED_LIMIT_MS.to_string() } else { "null".to_owned() };
        let script = START.split_once('\n').map_or(START, |(_comment, script)| script).trim();
        format!("({script})({}, '{}', {limit})", self.task.seed, self.mode.as_str())
    }

    fn not_ready(&self, cause: &str) -> EnvironmentError {
        EnvironmentError::NotReady(format!("{} with seed {}: {cause}", self.task.task, self.task.seed))
    }
}

#[async_trait]
impl Environment for Instance {
    async fn begin(&self, page: &mut dyn Page) -> Result<String, EnvironmentError> {
        page.open(&self.url).await?;
        let said = page.evaluate(&self.start_expression()).await.map_err(|error| match error {
            PageError::Script(cause) => self.not_ready(&cause),
            other => EnvironmentError::Page(other),
        })?;
        utterance::in_words(&said).ok_or_else(|| self.not_ready(&format!("the page's utterance is {said}")))
    }

    async fn is_over(&self, page: &mut dyn Page) -> Result<bool, PageError> {
        Ok(page.evaluate(IS_OVER).await? == Value::Bool(true))
    }

    async fn reward(&self, page: &mut dyn Page) -> Result<Option<f64>, PageError> {
        Ok(page.evaluate(REWARD).await?.as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TaskId;

    fn instance(name: &str, relaxed: bool) -> Result<Instance, Error> {
        let task = BenchmarkTask { benchmark: "miniwob".to_owned(), task: TaskId::new(name), seed: 7, relaxed };
        super::instance(&task, &Url::parse("http://127.0.0.1:8080/").unwrap())
    }

    #[test]
    fn each_task_has_its_page() {
        assert_eq!(instance("click-test-2", false).unwrap().url().path(), "/miniwob/click-test-2.html");
        assert_eq!(instance("flight.Alaska-auto", false).unwrap().url().path(), "/flight/Alaska-auto/wrapper.html");
    }

    #[test]
    fn a_name_that_is_no_page_is_refused() {
        for name in ["", "../core/core", "a b", "x?y"] {
            assert!(instance(name, false).is_err(), "{name}");
        }
    }

    #[test]
    fn the_time_limit_is_touched_in_the_relaxed_setting_only() {
        assert!(instance("click-test", false).unwrap().start_expression().ends_with("(7, 'train', null)"));
        assert!(instance("click-test", true).unwrap().start_expression().ends_with("(7, 'train', 3600000)"));
    }

    #[test]
    fn the_data_mode_can_be_that_of_the_test_data() {
        let instance = instance("flight.AA", false).unwrap().with_data_mode(DataMode::Test);
        assert!(instance.start_expression().ends_with("(7, 'test', null)"));
    }
}
