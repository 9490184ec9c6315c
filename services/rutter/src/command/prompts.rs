//! `rutter prompts show`: opens a page, lets a planner look at it, and prints the questions that it would ask a model. Nothing is
//! sent to any model.

use crate::cli::{Output, Prompts, PromptsShow};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print;
use browser::{Browser, ProfileOptions};
use domain::decision::Screenshot;
use domain::scope::Scope;
use domain::{DecisionRequest, EpisodeId, JobId, Observation, Page as _};
use node::compose;
use node::config::BrowserConfig;
use planner::Registry;
use planner::model::{ModelRequest, Part};
use planner::page::tokens;
use planner::registry::Parts;
use planner::rehearsal;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// The id of an attempt that there is not.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// Steps that a question says are left.
const STEPS: u32 = 30;

/// Shows the questions.
pub(crate) async fn execute(args: Prompts) -> Outcome {
    let Prompts::Show(args) = args;
    let registry = Registry::default();
    let entry = *registry.entry(&args.planner).or_exit(Exit::Usage)?;
    if !entry.needs.asks_model() {
        return failure(Exit::Usage, format!("planner `{}` asks no model: it has no prompts", entry.name));
    }
    let options = args.options.of(entry.name)?.to_value();
    let (seen, picture) = look(&args).await?;
    let parts = Parts {
        embedder: Some(Arc::new(embedding::LazyEmbedder::default())),
        marker: Some(Arc::new(browser::marks::Marks)),
        ..Parts::default()
    };
    let asked = rehearsal::questions(&entry, &options, &parts, request(&args, seen)?, Some(picture)).await;
    let asked = asked.or_exit(Exit::Environment)?;
    match args.output.output {
        Output::Json => print::json(&asked.iter().map(in_json).collect::<Vec<Value>>())?,
        Output::Table => print::text_out(in_words(&asked).trim_end())?,
    }
    Ok(Exit::Success)
}

/// The page as a planner is shown it, and its picture.
async fn look(args: &PromptsShow) -> Outcome<(Observation, Screenshot)> {
    let served = match address(&args.page)? {
        Where::At(url) => (url, None),
        Where::In(folder, name) => {
            let pages = benchmarks::Pages::start(&folder).await.or_exit(Exit::Environment)?;
            (pages.base().join(&name).or_exit(Exit::Usage)?, Some(pages))
        }
    };
    let (url, _pages) = served;
    let browser = compose::browser_options(&BrowserConfig::from(args.browser.clone()))?;
    let browser = Browser::start(browser).await.or_exit(Exit::Environment)?;
    let looked = async {
        let host = url.host_str().unwrap_or_default();
        let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let scope = Scope { hosts: vec![authority] };
        let mut page = browser.profile(ProfileOptions { scope, ..ProfileOptions::default() }).await?;
        page.open(&url).await?;
        let seen = page.observe().await?;
        let picture = page.screenshot().await?;
        page.close().await;
        Ok::<_, anyhow::Error>((seen, picture))
    };
    let looked = looked.await;
    browser.stop().await;
    looked.or_exit(Exit::Environment)
}

/// Where a page is.
enum Where {
    At(Url),
    /// A file of this name in a folder.
    In(PathBuf, String),
}

fn address(page: &str) -> Outcome<Where> {
    if page.starts_with("http://") || page.starts_with("https://") {
        return Ok(Where::At(Url::parse(page).or_exit(Exit::Usage)?));
    }
    let file = Path::new(page);
    match (file.is_file(), file.parent(), file.file_name()) {
        (true, Some(folder), Some(name)) => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            Ok(Where::In(folder.to_owned(), name.to_string_lossy().into_owned()))
        }
        _ => failure(Exit::Usage, format!("--page {page}: no file, and no http or https address")),
    }
}

fn request(args: &PromptsShow, seen: Observation) -> Outcome<DecisionRequest> {
    Ok(DecisionRequest {
        episode: EpisodeId(NOBODY.parse().or_exit(Exit::Internal)?),
        job: JobId::new("prompts"),
        instruction: args.task.clone(),
        observation: Arc::new(seen),
        history: Arc::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: STEPS,
        seed: 0,
        refusal: None,
        position: None,
        context: Arc::default(),
    })
}

fn texts(asked: &ModelRequest) -> (String, usize) {
    let parts = || asked.messages.iter().flat_map(|message| &message.parts);
    let text = parts().filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None });
    let pictures = parts().filter(|part| matches!(part, Part::Png(_))).count();
    (text.collect::<Vec<_>>().join("\n\n"), pictures)
}

/// Tokens of a question's text and schema, estimated.
fn size(asked: &ModelRequest) -> usize {
    tokens(&asked.system) + tokens(&texts(asked).0) + tokens(&asked.schema.schema.to_string())
}

fn in_json(asked: &ModelRequest) -> Value {
    let (prompt, pictures) = texts(asked);
    json!({
        "role": asked.role,
        "reply": asked.schema.name,
        "system": asked.system,
        "prompt": prompt,
        "pictures": pictures,
        "schema": asked.schema.schema,
        "temperature": asked.temperature,
        "tokens": size(asked),
    })
}

fn in_words(asked: &[ModelRequest]) -> String {
    let mut page = String::new();
    for (number, question) in (1..).zip(asked) {
        let (prompt, pictures) = texts(question);
        let role = serde_json::to_value(question.role).unwrap_or_default();
        let with = if pictures > 0 { ", with a picture" } else { "" };
        // Writing to memory does not fail.
        let _ = writeln!(
            page,
            "== question {number} of {} to the {}{with}: about {} tokens, reply `{}`\n-- system\n{}\n-- prompt\n{prompt}\n",
            asked.len(),
            role.as_str().unwrap_or_default(),
            size(question),
            question.schema.name,
            question.system,
        );
    }
    page
}
