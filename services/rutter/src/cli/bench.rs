//! Benchmarks and their suites, by the names in the registry.

use super::options::{BrowserArgs, LimitArgs, OutputArgs, PlannerArgs, RunArgs};
use benchmarks::{Benchmark, REGISTRY, Seeds, Suite};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use std::path::Path;

/// Arguments of `rutter bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter bench --list
  rutter bench miniwob --suite demo
  rutter bench miniwob --suite hxagent44 --planner gold --seeds 0..5
  rutter bench miniwob --suite all --seeds fresh:25 --workers 2 --output json
  rutter bench miniwob --task click-test-2 --task login-user --seeds 7 --headed
  rutter bench miniwob --resume runs/20260101-120000-miniwob-hxagent44

A score is no verdict on the product under test: the exit code is 0 when every episode was carried through,
whatever the score, unless --at-least asks for one.")]
pub(crate) struct Bench {
    /// Which benchmark; `--list` lists them
    #[arg(value_name = "NAME", required_unless_present_any = ["list", "resume"], value_parser = benchmark_names())]
    #[arg(hide_possible_values = true)]
    pub(crate) benchmark: Option<String>,

    /// Lists the benchmarks with their suites, and runs none
    #[arg(long)]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) part: BenchmarkPart,

    /// Seeds of each task: `A..B` (without B), a list `1,2,5`, or `fresh:N`: N per task, drawn from 1000 to 4999. The draw
    /// is printed as `fresh:N@ROOT`, which draws the same seeds again
    #[arg(long, value_name = "SEEDS", default_value = "0..3", conflicts_with = "resume")]
    pub(crate) seeds: Seeds,

    /// Ends with exit code 1 when the success rate is lower, e.g. 0.65
    #[arg(long, value_name = "RATE")]
    pub(crate) at_least: Option<f64>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which part of the benchmark that is named, and how it is timed.
#[derive(Debug, Args)]
pub(crate) struct BenchmarkPart {
    /// Which of its suites; by default the first that `rutter bench --list` names
    #[arg(long, value_name = "NAME", requires = "benchmark", conflicts_with = "resume")]
    suite: Option<String>,

    /// Only these of its tasks, instead of a suite; may be repeated
    #[arg(long, value_name = "TASK", requires = "benchmark", conflicts_with_all = ["suite", "resume"])]
    task: Vec<String>,

    /// Lifts the benchmark's own time limits; results say so
    #[arg(long, requires = "benchmark", conflicts_with = "resume")]
    pub(crate) relaxed: bool,
}

impl BenchmarkPart {
    /// Its tasks.
    ///
    /// # Errors
    /// A suite or task that is not there, which is said with those that are; a folder that cannot be read.
    pub(crate) fn suite(&self, benchmark: &dyn Benchmark, folder: &Path) -> Result<Suite, benchmarks::Error> {
        Suite::chosen(benchmark, self.suite.as_deref(), &self.task, folder)
    }
}

/// A suite of a benchmark in place of task files.
#[derive(Debug, Args)]
pub(crate) struct SuiteArgs {
    /// A benchmark instead; `rutter bench --list` lists them
    #[arg(long, value_name = "NAME", group = CHOSEN, conflicts_with = "files", value_parser = benchmark_names())]
    #[arg(hide_possible_values = true)]
    benchmark: Option<String>,

    /// Which of its suites; by default the first that `rutter bench --list` names
    #[arg(long, value_name = "NAME", requires = "benchmark")]
    suite: Option<String>,

    #[command(flatten)]
    shorthand: Shorthand,

    /// Seeds of each task of the suite: `A..B` (without B), a list, or `fresh:N`
    #[arg(long, value_name = "SEEDS", default_value = "0..3", requires = CHOSEN)]
    pub(crate) seeds: Seeds,
}

/// The group of arguments that choose a benchmark.
pub(super) const CHOSEN: &str = "chosen_benchmark";

impl SuiteArgs {
    /// The names of the benchmark and of the suite, where they are asked for.
    pub(crate) fn chosen(&self) -> Option<(&str, Option<&str>)> {
        let by_name = self.benchmark.as_deref().map(|benchmark| (benchmark, self.suite.as_deref()));
        by_name.or_else(|| self.shorthand.0.as_ref().map(|(benchmark, suite)| (*benchmark, Some(suite.as_str()))))
    }
}

/// `--NAME SUITE` for `--benchmark NAME --suite SUITE`, as scripts have it from when there was one benchmark.
#[derive(Debug, Default)]
struct Shorthand(Option<(&'static str, String)>);

impl Args for Shorthand {
    fn augment_args(command: Command) -> Command {
        let flag =
            |name| Arg::new(name).long(name).value_name("SUITE").hide(true).group(CHOSEN).conflicts_with("files");
        command.args(REGISTRY.iter().map(|benchmark| flag(benchmark.name())))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Shorthand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |benchmark: &&dyn Benchmark| {
            let suite = matches.get_one::<String>(benchmark.name())?;
            Some((benchmark.name(), suite.clone()))
        };
        Ok(Self(REGISTRY.iter().find_map(given)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A name outside the registry is refused with the names in it.
pub(super) fn benchmark_names() -> PossibleValuesParser {
    let named = |benchmark: &&dyn Benchmark| PossibleValue::new(benchmark.name()).help(benchmark.help());
    PossibleValuesParser::new(REGISTRY.iter().map(named).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(words: &[&str]) -> Result<Option<(String, Option<String>)>, String> {
        let command = SuiteArgs::augment_args(Command::new("submit").arg(Arg::new("files").num_args(0..)));
        let matches = command.try_get_matches_from([&["submit"], words].concat()).map_err(|error| error.to_string())?;
        let args = SuiteArgs::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        Ok(args.chosen().map(|(benchmark, suite)| (benchmark.to_owned(), suite.map(str::to_owned))))
    }

    #[test]
    fn every_benchmark_is_chosen_by_its_name_and_by_a_flag_of_its_name() {
        for benchmark in REGISTRY {
            let name = benchmark.name();
            assert_eq!(chosen(&["--benchmark", name]), Ok(Some((name.to_owned(), None))));
            let suite = Ok(Some((name.to_owned(), Some("all".to_owned()))));
            assert_eq!(chosen(&["--benchmark", name, "--suite", "all"]), suite);
            assert_eq!(chosen(&[&format!("--{name}"), "all", "--seeds", "0..2"]), suite);
        }
        assert_eq!(chosen(&["shop.yaml"]), Ok(None));
    }

    #[test]
    fn a_name_outside_the_registry_is_refused_with_the_names_in_it() {
        let refused = chosen(&["--benchmark", "nothing"]).unwrap_err();
        assert!(REGISTRY.iter().all(|benchmark| refused.contains(benchmark.name())), "{refused}");
    }

    #[test]
    fn seeds_and_suites_are_for_benchmarks_and_benchmarks_stand_alone() {
        let name = REGISTRY[0].name();
        for words in [&["--seeds", "0..2"][..], &["--suite", "all"], &["shop.yaml", "--benchmark", name]] {
            assert!(chosen(words).is_err(), "{words:?}");
        }
    }
}
