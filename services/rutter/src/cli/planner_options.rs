//! Options of planners, and models by role, from files and from single settings. Every mistake names the file or the setting
//! that it stands in.

use super::PlannerOptionArgs;
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use domain::Job;
use domain::campaign::PlannerOptions;
use domain::text::shorten;
use node::experience::{Store, Stored};
use planner::Registry;
use planner::registry::options;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A file of settings: JSON by its name, and TOML otherwise.
///
/// # Errors
/// It cannot be read; names the file.
pub(crate) fn read(file: &Path) -> Outcome<Value> {
    if file.extension().is_none_or(|extension| extension != "json") {
        let nothing = json!({});
        return platform::config::load(&nothing, Some(file), std::iter::empty(), &nothing).or_exit(Exit::Usage);
    }
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(cause) => return failure(Exit::Usage, format!("read {}: {cause}", file.display())),
    };
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(cause) => failure(Exit::Usage, format!("read {}: {cause}", file.display())),
    }
}

impl PlannerOptionArgs {
    /// The options for a planner: its experience, over it those of the file, and over them each that is set by itself.
    ///
    /// # Errors
    /// An option that the planner does not have, or a value that cannot be; experience that is not there.
    pub(crate) fn of(&self, planner: &str) -> Outcome<PlannerOptions> {
        let mut all = json!({});
        if let Some(stored) = self.stored()? {
            let place = format!("--experience {}", stored.reference());
            in_place(&place, options::overlay(&mut all, &json!({ "experience": stored.experience() })))?;
            check(&place, planner, &all)?;
        }
        if let Some(file) = &self.planner_options {
            let place = format!("--planner-options {}", file.display());
            in_place(&place, options::overlay(&mut all, &read(file)?))?;
            check(&place, planner, &all)?;
        }
        for assignment in &self.set {
            let place = format!("--set {assignment}");
            in_place(&place, options::set(&mut all, assignment))?;
            check(&place, planner, &all)?;
        }
        Ok(all.as_object().cloned().unwrap_or_default().into())
    }

    /// Refuses instances of a benchmark that the experience was trained on.
    ///
    /// # Errors
    /// Names them.
    pub(crate) fn check_unseen(&self, jobs: &[Job]) -> Outcome<()> {
        let Some(stored) = self.stored()? else { return Ok(()) };
        let seen: Vec<String> = stored.trained_on(jobs).iter().map(ToString::to_string).collect();
        if seen.is_empty() {
            return Ok(());
        }
        let (reference, seen) = (stored.reference(), shorten(&seen.join(", "), 200));
        failure(
            Exit::Usage,
            format!("{reference} was trained on {seen}: what is known shows nothing; choose other seeds"),
        )
    }

    fn stored(&self) -> Outcome<Option<Stored>> {
        let store = Store::at(&self.store.experience_dir);
        Ok(self.experience.as_deref().map(|wanted| store.get(wanted)).transpose()?)
    }
}

/// Options with one more over them, which is checked as the others are.
///
/// # Errors
/// The planner does not have it, or a value cannot be; names the place.
pub(crate) fn with(options: &PlannerOptions, place: &str, planner: &str, given: &Value) -> Outcome<PlannerOptions> {
    let mut all = options.to_value();
    in_place(place, options::overlay(&mut all, given))?;
    check(place, planner, &all)?;
    Ok(all.as_object().cloned().unwrap_or_default().into())
}

fn check(place: &str, planner: &str, all: &Value) -> Outcome<()> {
    let registry = Registry::default();
    match registry.entry(planner) {
        Ok(entry) => in_place(place, entry.complete(all).map(drop)),
        Err(_) => failure(Exit::Usage, format!("{place}: `{planner}` has no options")),
    }
}

fn in_place<T>(place: &str, result: Result<T, impl std::fmt::Display>) -> Outcome<T> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => failure(Exit::Usage, format!("{place}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::StoreArgs;
    use super::*;
    use domain::job::{BenchmarkTask, Work};
    use domain::{CampaignId, JobId, TaskId};
    use node::experience::Trained;

    fn args(file: Option<&Path>, set: &[&str]) -> PlannerOptionArgs {
        PlannerOptionArgs {
            planner_options: file.map(Path::to_owned),
            set: set.iter().map(ToString::to_string).collect(),
            ..PlannerOptionArgs::default()
        }
    }

    fn refusal(args: &PlannerOptionArgs, planner: &str) -> String {
        args.of(planner).expect_err("refused").to_string()
    }

    #[test]
    fn what_is_set_by_itself_goes_over_the_file_in_either_format() {
        let folder = tempfile::tempdir().expect("a folder");
        let (toml, json) = (folder.path().join("options.toml"), folder.path().join("options.json"));
        fs::write(&toml, "preset = \"ours\"\nsteps = 9\n[page]\nmax_elements = 40\n").expect("written");
        fs::write(&json, r#"{"preset": "ours", "steps": 9, "page": {"max_elements": 40}}"#).expect("written");
        for file in [toml, json] {
            let options = args(Some(&file), &["steps=20", "memory.window=none"]).of("hxagent").expect("options");
            let expected =
                json!({"preset": "ours", "steps": 20, "page": {"max_elements": 40}, "memory": {"window": "none"}});
            assert_eq!(options.to_value(), expected);
        }
    }

    #[test]
    fn what_was_learnt_is_an_option_and_is_never_measured_on_what_taught_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let trained = Trained {
            task: Some("click".into()),
            jobs: vec![JobId::new("click/5001")],
            rules: vec!["Look first.".into()],
            ..Trained::default()
        };
        let stored =
            Stored { name: "shop".into(), benchmark: Some("clicks".into()), tasks: vec![trained], ..Stored::default() };
        Store::at(folder.path()).keep(stored).expect("kept");
        let store = StoreArgs { experience_dir: folder.path().to_owned() };
        let args =
            PlannerOptionArgs { experience: Some("shop".into()), store, ..args(None, &["use_experience=false"]) };
        let options = args.of("hxagent").expect("options").to_value();
        assert_eq!(options["experience"]["name"], "shop@1");
        assert_eq!(options["experience"]["tasks"][0]["rules"][0], "Look first.");
        assert_eq!(options["use_experience"], false);
        assert!(refusal(&args, "random").contains("--experience shop@1"));
        let job = |seed: u64| Job {
            id: JobId::new(format!("click/{seed}")),
            campaign: CampaignId::new("c"),
            work: Work::Benchmark(BenchmarkTask {
                benchmark: "clicks".into(),
                task: TaskId::new("click"),
                seed,
                relaxed: false,
            }),
        };
        assert!(args.check_unseen(&[job(1001)]).is_ok());
        let refused = args.check_unseen(&[job(1001), job(5001)]).expect_err("seen").to_string();
        assert!(refused.contains("trained on click/5001"), "{refused}");
    }

    #[test]
    fn a_mistake_is_told_with_the_file_or_setting_and_what_is_possible() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("options.toml");
        fs::write(&file, "[page]\nmax_elments = 40\n").expect("written");
        let told = refusal(&args(Some(&file), &[]), "hxagent");
        assert!(told.contains("options.toml") && told.contains("`page.max_elments`"), "{told}");
        assert!(told.contains("`max_elements`"), "{told}");
        let told = refusal(&args(None, &["preset=best"]), "hxagent");
        assert!(told.starts_with("--set preset=best: planner `hxagent`: option `preset`"), "{told}");
        assert!(told.contains("`published`") && told.contains("`ours`"), "{told}");
        assert!(refusal(&args(None, &["steps"]), "hxagent").contains("KEY=VALUE"));
        assert_eq!(refusal(&args(None, &["steps=1"]), "gold"), "--set steps=1: `gold` has no options");
    }
}
