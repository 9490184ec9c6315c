//! Public benchmarks as suites of jobs: their pages, how an instance begins and ends, and solvers that prove the way.
//!
//! A [`Benchmark`] gives suites of tasks with seeds, an environment that brings a page to the start of an instance, a
//! check that says what success is, and gold solvers. It never judges an attempt, and no planner can reach what it knows.
//! Nothing outside this room names a benchmark: everything finds it by its name in the [`REGISTRY`].

pub mod benchmark;
pub mod error;
pub mod pages;
pub mod seeds;
pub mod suite;

pub use benchmark::{ALL, Benchmark};
pub use error::Error;
pub use pages::Pages;
pub use seeds::{Seeds, random_root};
pub use suite::Suite;

/// Declares the module of each benchmark and the list of them. `cargo fmt` does not look behind a macro: `make format` does.
macro_rules! benchmarks {
    ($($module:ident::$benchmark:ident)*) => {
        $(pub mod $module;)*

        /// Every benchmark, in the order in which they are listed.
        pub static REGISTRY: &[&dyn Benchmark] = &[$(&$module::$benchmark),*];
    };
}

// One line each.
benchmarks! {
    miniwob::Miniwob
}

/// The benchmark of this name.
///
/// # Errors
/// [`Error::UnknownBenchmark`] with the names there are.
pub fn by_name(name: &str) -> Result<&'static dyn Benchmark, Error> {
    let known = || REGISTRY.iter().map(|benchmark| benchmark.name());
    let found = REGISTRY.iter().copied().find(|benchmark| benchmark.name() == name);
    found.ok_or_else(|| Error::UnknownBenchmark { name: name.to_owned(), known: known().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_benchmark_is_found_by_a_name_of_its_own_that_fits_files_and_flags() {
        let names: BTreeSet<&str> = REGISTRY.iter().map(|benchmark| benchmark.name()).collect();
        assert_eq!(names.len(), REGISTRY.len());
        for name in names {
            assert!(name.chars().all(|letter| letter.is_ascii_lowercase() || "-0123456789".contains(letter)), "{name}");
            assert_eq!(by_name(name).map(Benchmark::name).ok(), Some(name));
        }
    }

    #[test]
    fn every_benchmark_has_a_suite_of_all_its_tasks_and_a_line_of_help() {
        for benchmark in REGISTRY {
            assert!(benchmark.suites().contains(&ALL), "{}", benchmark.name());
            assert!(!benchmark.help().is_empty() && !benchmark.help().contains('\n'), "{}", benchmark.name());
        }
    }

    #[test]
    fn an_unknown_benchmark_is_an_error_that_lists_the_known_ones() {
        let error = by_name("nothing").err().map(|error| error.to_string()).unwrap_or_default();
        let known: Vec<&str> = REGISTRY.iter().map(|benchmark| benchmark.name()).collect();
        assert_eq!(error, format!("unknown benchmark `nothing`; there are: {}", known.join(", ")));
    }
}
