//! Fuzzing: gives a reader of bytes mutated and random inputs for a while, and fails when one of them makes it panic or take more
//! memory than its size allows. What fails is made smaller before it is told.
//!
//! Only tests use it. Whatever links it counts what it allocates. It knows no format: each room fuzzes what it reads.

mod mutation;

pub use mutation::{mutated, one_of};

use peak_alloc::PeakAlloc;
use platform::{Clock as _, SystemClock};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Seconds for each target; a second or two where it is not set.
pub const SECONDS: &str = "FUZZ_SECONDS";
/// Where each target writes what it did, as `NAME.json`, and its latest input, for one that ends the process.
pub const RESULTS: &str = "FUZZ_RESULTS";

const SHORT: Duration = Duration::from_millis(1500);

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Panics of this process, of whatever thread or task.
static PANICS: AtomicUsize = AtomicUsize::new(0);

/// How much memory an input may take beside its own bytes.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Bytes for any input.
    pub base: usize,
    /// Bytes for each byte of it.
    pub per_byte: usize,
}

impl Allowance {
    fn of(self, input: &[u8]) -> usize {
        self.base + self.per_byte * input.len()
    }
}

/// Gives `take` inputs of `inputs` until the time is over.
///
/// # Panics
/// When an input makes `take` panic, in whatever thread, or take more memory than it may.
pub fn fuzz(name: &str, inputs: impl Strategy<Value = Vec<u8>>, allowance: Allowance, take: impl Fn(&[u8])) {
    count_panics();
    let long = std::env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    let (results, clock) = (std::env::var_os(RESULTS).map(PathBuf::from), SystemClock::default());
    let config = Config { cases: u32::MAX, failure_persistence: None, max_shrink_time: 30_000, ..Config::default() };
    // A short run is the same each time, so that a test does not fail now and then.
    let mut runner = match long {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRunner::deterministic().new_rng()),
    };
    let file = |ending: &str| results.as_ref().map(|directory| directory.join(format!("{name}.{ending}")));
    if let Some(directory) = &results {
        std::fs::create_dir_all(directory).expect("a directory for results");
    }
    let latest = file("latest");
    let (most, largest) = (Cell::new(0), Cell::new(0));
    let once = |input: Vec<u8>| {
        if let Some(latest) = &latest {
            std::fs::write(latest, &input).expect("write down the input");
        }
        let panics = PANICS.load(Ordering::SeqCst);
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        take(&input);
        let taken = ALLOCATOR.peak_usage().saturating_sub(before);
        if PANICS.load(Ordering::SeqCst) > panics {
            return Err(TestCaseError::fail("a task panicked"));
        }
        most.set(taken.max(most.get()));
        largest.set(input.len().max(largest.get()));
        match taken > allowance.of(&input) {
            true => Err(TestCaseError::fail(format!("{taken} bytes of memory for {} of input", input.len()))),
            false => Ok(()),
        }
    };
    let (ends, mut count) = (clock.monotonic() + long.unwrap_or(SHORT), 0_u64);
    while clock.monotonic() < ends {
        let tree = inputs.new_tree(&mut runner).expect("an input");
        match runner.run_one(tree, once) {
            Ok(_) => count += 1,
            Err(TestError::Fail(reason, input)) => panic!("{name}: {reason}\n{}", shown(&input)),
            Err(TestError::Abort(reason)) => panic!("{name}: {reason}"),
        }
    }
    assert!(count > 0, "{name}: no input was tried");
    let said = serde_json::json!({
        "target": name, "inputs": count, "seconds": long.unwrap_or(SHORT).as_secs_f64(), "panics": 0,
        "largest_input_bytes": largest.get(), "most_memory_bytes": most.get(),
        "allowed": {"base_bytes": allowance.base, "bytes_per_byte": allowance.per_byte},
    });
    if let (Some(path), Some(latest)) = (file("json"), &latest) {
        std::fs::write(path, said.to_string()).expect("write down what was done");
        // What is left says which target did not come to its end, and at which input.
        std::fs::remove_file(latest).expect("the latest input is written down");
    }
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            before(panic);
        }));
    });
}

/// An input that failed, as a literal that a test can hold.
fn shown(input: &[u8]) -> String {
    format!("b\"{}\"", input.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const LITTLE: Allowance = Allowance { base: 4096, per_byte: 16 };

    /// What a fuzzing that must fail says.
    fn failure(take: impl Fn(&[u8])) -> String {
        let inputs = mutated(one_of([b"length=10;".to_vec()]));
        let failed = catch_unwind(AssertUnwindSafe(|| fuzz("broken", inputs, LITTLE, take))).expect_err("it is found");
        failed.downcast_ref::<String>().expect("words").clone()
    }

    #[test]
    fn a_reader_that_panics_is_found_with_a_small_input() {
        let said = failure(|input| assert!(!input.contains(&b'\xff'), "it cannot read that"));
        assert!(said.starts_with("broken: ") && said.contains("it cannot read that"), "{said}");
        assert!(said.lines().last().is_some_and(|input| input.contains("\\xff") && input.len() < 200), "{said}");
    }

    #[test]
    fn a_reader_that_believes_a_length_is_found_by_the_memory_it_takes() {
        let said = failure(|input| {
            let text = String::from_utf8_lossy(input);
            let digits = text.trim_start_matches("length=").split(';').next().and_then(|digits| digits.parse().ok());
            drop(Vec::<u8>::with_capacity(digits.unwrap_or(0_usize).min(1 << 20)));
        });
        assert!(said.contains("bytes of memory for"), "{said}");
    }

    #[test]
    fn a_task_that_panics_beside_the_reader_is_found() {
        let said = failure(|input| {
            let is_odd = input.len() % 2 == 1;
            let beside = std::thread::spawn(move || assert!(!is_odd, "beside"));
            drop(beside.join());
        });
        assert!(said.contains("a task panicked"), "{said}");
    }
}
