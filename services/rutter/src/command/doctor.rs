//! `rutter doctor`: whether this machine can run Rutter, what was found where, and what is missing.

use crate::cli::{Doctor, Output};
use crate::exit::{Exit, Outcome};
use crate::print;
use benchmarks::{Benchmark, REGISTRY};
use browser::Browser;
use node::compose;
use node::config::BrowserConfig;
use report::tables;
use serde::Serialize;

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    what: String,
    ok: bool,
    /// Whether Rutter does its work without it, with less.
    optional: bool,
    found: String,
}

/// Looks at the machine.
pub(crate) async fn execute(args: Doctor) -> Outcome {
    let mut findings = vec![browser(&args).await?];
    findings.extend(REGISTRY.iter().map(|benchmark| pages(*benchmark)));
    findings.push(weights().await);
    let sound = findings.iter().all(|finding| finding.ok || finding.optional);
    match args.output.output {
        Output::Json => print::json(&serde_json::json!({ "ok": sound, "findings": findings }))?,
        Output::Table => {
            let mut table = tables::empty(&["", "what", "found"]);
            for finding in &findings {
                let mark = if finding.ok { "ok" } else { "missing" };
                table.add_row([mark, &finding.what, &finding.found]);
            }
            print::text_out(&table.to_string())?;
        }
    }
    Ok(if sound { Exit::Success } else { Exit::Environment })
}

/// Starts a browser, which says more than looking for files.
async fn browser(args: &Doctor) -> Outcome<Finding> {
    let options = compose::browser_options(&BrowserConfig::from(args.browser.clone()))?;
    let what = "browser and driver".to_owned();
    Ok(match Browser::start(options).await {
        Err(error) => Finding { what, ok: false, optional: false, found: error.to_string() },
        Ok(browser) => {
            let able = browser.capabilities().clone();
            browser.stop().await;
            let wire = if able.bidi { "WebDriver BiDi" } else { "classic WebDriver" };
            let found = format!("{} {} over {wire}", able.browser, able.browser_version);
            Finding { what, ok: true, optional: false, found }
        }
    })
}

fn pages(benchmark: &dyn Benchmark) -> Finding {
    let what = format!("pages of {0} (for `rutter bench {0}`)", benchmark.name());
    match benchmark.folder() {
        Ok(folder) => Finding { what, ok: true, optional: true, found: folder.display().to_string() },
        Err(error) => Finding { what, ok: false, optional: true, found: error.to_string() },
    }
}

async fn weights() -> Finding {
    let what = "sentence encoder (for the planner `ground`)".to_owned();
    let found = tokio::task::spawn_blocking(|| embedding::in_process().map(drop)).await;
    match found {
        Ok(Ok(())) => Finding { what, ok: true, optional: true, found: "all-MiniLM-L6-v2 loads".into() },
        Ok(Err(error)) => Finding { what, ok: false, optional: true, found: error.to_string() },
        Err(error) => Finding { what, ok: false, optional: true, found: error.to_string() },
    }
}
