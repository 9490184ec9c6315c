//! Sets up an ordinary task: resets its site, opens its start URL, logs in, and fills in its instruction.
//!
//! Such a task never ends by itself. Secrets are named here and never resolved.

use crate::explore::log_in;
use async_trait::async_trait;
use browser::Route;
use domain::environment::{Environment, EnvironmentError};
use domain::exploration::Login;
use domain::page::{Page, PageError};
use domain::secret::placeholder;
use domain::task::{Parameter, ResetHook, Site, Task};
use domain::upload;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;
use url::Url;

/// How long a reset hook may take.
const RESET_TIME: Duration = Duration::from_secs(60);

/// The environment of a task of a task file.
#[derive(Clone, Debug)]
pub struct TaskEnvironment {
    task: Task,
    reset: Option<ResetHook>,
    /// The address of a reset must be within it.
    route: Route,
    login: Option<Box<Login>>,
    reset_time: Duration,
}

impl TaskEnvironment {
    /// The environment of a task on its site.
    pub fn new(task: Task, site: &Site) -> Self {
        let scope = Url::parse(&task.start_url).map_or_else(|_| site.scope.clone(), |start| site.scope.beside(&start));
        let route = Route::to(site, scope);
        Self { task, reset: site.reset.clone(), route, login: site.login.clone(), reset_time: RESET_TIME }
    }
}

#[async_trait]
impl Environment for TaskEnvironment {
    async fn prepare(&self) -> Result<(), EnvironmentError> {
        match &self.reset {
            Some(hook) => reset(hook, &self.route, self.reset_time).await.map_err(EnvironmentError::Reset),
            None => Ok(()),
        }
    }

    fn can_reset(&self) -> bool {
        self.reset.is_some()
    }

    async fn begin(&self, page: &mut dyn Page) -> Result<String, EnvironmentError> {
        let url = Url::parse(&self.task.start_url).map_err(|error| PageError::Unreachable {
            url: self.task.start_url.clone(),
            cause: format!("{error}; write an absolute URL such as http://127.0.0.1:8080/"),
        })?;
        page.open(&url).await?;
        if let Some(login) = &self.login {
            log_in(page, login, &self.task.start_url).await?;
        }
        Ok(fill(&self.task.instruction, &self.task.parameters))
    }

    async fn is_over(&self, _page: &mut dyn Page) -> Result<bool, PageError> {
        Ok(false)
    }

    async fn reward(&self, _page: &mut dyn Page) -> Result<Option<f64>, PageError> {
        Ok(None)
    }
}

/// Fills parameters into an instruction in one pass, so a value that looks like a parameter stays as it is. A secret and a file
/// become their placeholders; braces that name no parameter are text.
pub fn fill(instruction: &str, parameters: &BTreeMap<String, Parameter>) -> String {
    let mut filled = String::with_capacity(instruction.len());
    let mut rest = instruction;
    while let Some(open) = rest.find('{') {
        let (before, from_brace) = rest.split_at(open);
        filled.push_str(before);
        let named =
            from_brace[1..].split_once('}').and_then(|(name, after)| Some((name, parameters.get(name)?, after)));
        rest = match named {
            Some((_, Parameter::Text(text), after)) => {
                filled.push_str(text);
                after
            }
            Some((name, Parameter::Secret { .. }, after)) => {
                filled.push_str(&placeholder(name));
                after
            }
            Some((name, Parameter::File { .. }, after)) => {
                filled.push_str(&upload::placeholder(name));
                after
            }
            None => {
                filled.push('{');
                &from_brace[1..]
            }
        };
    }
    filled.push_str(rest);
    filled
}

async fn reset(hook: &ResetHook, route: &Route, within: Duration) -> Result<(), String> {
    let done = match hook {
        ResetHook::Command(words) => timeout(within, command(words)).await,
        ResetHook::Post(url) => timeout(within, post(url, route)).await,
    };
    done.unwrap_or_else(|_| Err(format!("{} did not end within {} s", name(hook), within.as_secs())))
}

fn name(hook: &ResetHook) -> String {
    match hook {
        ResetHook::Command(words) => format!("command `{}`", words.join(" ")),
        ResetHook::Post(url) => format!("POST {url}"),
    }
}

async fn command(words: &[String]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("the command is empty; name a program".to_owned());
    };
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| format!("start `{program}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(format!("`{}` ended with {}: {last}", words.join(" "), output.status))
}

/// Sends the POST, by the rules of the site's pages. A redirect is not followed: it could lead out of the scope.
async fn post(url: &str, route: &Route) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("POST {url}: {error}");
    let address = Url::parse(url).map_err(|error| failed(&error))?;
    let status = browser::post(&address, route).await.map_err(|error| failed(&error))?;
    if status.is_success() { Ok(()) } else { Err(format!("POST {url} was answered {status}")) }
}
