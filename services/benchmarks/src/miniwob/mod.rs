//! MiniWoB++ (PyPI `miniwob` 1.1.0): its own pages, untouched.
//!
//! `docs/benchmarks.md` tells the driver's contract. Never adds to, removes from or changes a page.

pub mod driver;
pub mod gold;
pub mod pages;
pub mod seeds;
pub mod suite;
pub mod utterance;

pub use driver::{DataMode, Miniwob, check, environment};
pub use pages::Pages;
pub use seeds::Seeds;
pub use suite::Suite;

/// The benchmark's name in [`domain::job::BenchmarkTask`].
pub const BENCHMARK: &str = "miniwob";

/// Command-line arguments that the browser needs for these pages.
///
/// The pages were written for Chrome as it was in 2017. Since then Chrome enters an element anew when it was taken out
/// and put back under the pointer; the pie menu does that with its chosen slice on every mouse-over, so that no press
/// ever reaches the slice, neither by a person's mouse nor by ours, and one instance in six could not be solved.
pub const BROWSER_ARGUMENTS: [&str; 1] = ["--disable-blink-features=BoundaryEventDispatchTracksNodeRemoval"];
