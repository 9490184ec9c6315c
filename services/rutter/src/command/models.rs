//! `rutter models`: the models at an endpoint, and what they can do.

use crate::cli::convert::WHICH_MODEL;
use crate::cli::{Models, Output};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use crate::print::{self, note};
use planner::model::examine::{Findings, examine};
use planner::model::{ListError, ModelRole, SharedLimits};
use planner::{ModelOptions, ModelPool};
use report::tables;
use serde_json::json;

/// Lists or checks models.
pub(crate) async fn execute(command: Models) -> Outcome {
    match command {
        Models::List(args) => {
            let options = match args.model.pool()? {
                Some(pool) => pool.reasoner,
                // A list needs no name.
                None => args.model.named("any"),
            };
            list(&options, args.output.output).await
        }
        Models::Check(args) => {
            let Some(mut pool) = args.model.pool()? else {
                return failure(Exit::Usage, format!("which model? {WHICH_MODEL}"));
            };
            // Who asks whether a model is there wants to hear at once that it is not.
            for model in pool.all_mut() {
                (model.retries, model.patience_seconds) = (0, 0);
                model.together = SharedLimits::default();
            }
            // Another model's answer would say nothing of this one.
            pool.fallbacks.clear();
            let models = ModelPool::new(&pool, &node::compose::own_together()).or_exit(Exit::Usage)?;
            let clock = node::clock();
            let mut checked = Vec::new();
            for role in ModelRole::ALL {
                // A role without a model of its own has the reasoner's, which is asked already.
                let Some(options) = pool.of_role(role) else { continue };
                checked.push(Checked { role, options, findings: examine(&models, role, &|| clock.monotonic()).await });
            }
            told(&checked, args.output.output)
        }
    }
}

async fn list(options: &ModelOptions, output: Output) -> Outcome {
    let names = match options.listed().await {
        Ok(names) => names,
        Err(error @ ListError::Options(_)) => return Err(error).or_exit(Exit::Usage),
        Err(error) => return Err(error).or_exit(Exit::Model),
    };
    match output {
        Output::Json => print::json(&json!({ "endpoint": options.endpoint(), "models": names }))?,
        Output::Table => print::text_out(&names.join("\n"))?,
    }
    Ok(Exit::Success)
}

/// A model that was asked.
struct Checked<'a> {
    role: ModelRole,
    options: &'a ModelOptions,
    findings: Findings,
}

impl Checked<'_> {
    /// Whether planners can work with it.
    fn is_fit(&self) -> bool {
        self.findings.answers && self.findings.keeps_to_schema
    }
}

fn told(checked: &[Checked<'_>], output: Output) -> Outcome {
    match output {
        Output::Json => {
            let row = |checked: &Checked<'_>| {
                json!({
                    "role": checked.role,
                    "model": checked.options.model,
                    "endpoint": checked.options.endpoint(),
                    "fit": checked.is_fit(),
                    "findings": checked.findings,
                })
            };
            print::json(&json!({ "rows": checked.iter().map(row).collect::<Vec<_>>() }))?;
        }
        Output::Table => {
            let header =
                ["role", "model", "answers", "keeps to schema", "chooses right", "sees pictures", "s", "tokens"];
            let mut table = tables::empty(&header);
            let said = |is_so: bool| if is_so { "yes" } else { "no" };
            for Checked { role, options, findings } in checked {
                let tokens = match findings.counts_tokens {
                    true => format!("{} + {}", findings.usage.prompt_tokens, findings.usage.completion_tokens),
                    false => "not counted".to_owned(),
                };
                table.add_row([
                    role.to_string().as_str(),
                    options.model.as_str(),
                    said(findings.answers),
                    said(findings.keeps_to_schema),
                    said(findings.chooses_right),
                    findings.sees_pictures.map_or("not answered", said),
                    &format!("{:.1}", findings.seconds),
                    &tokens,
                ]);
            }
            print::text_out(&table.to_string())?;
        }
    }
    for checked in checked {
        for trouble in &checked.findings.troubles {
            note!("{}: {trouble}", checked.role);
        }
    }
    Ok(if checked.iter().all(Checked::is_fit) { Exit::Success } else { Exit::Model })
}
