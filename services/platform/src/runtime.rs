//! The threads that a process works with.

use std::io;
use std::num::NonZero;
use std::thread::available_parallelism;
use tokio::runtime::Builder;

/// Says how many threads work, where it is set.
const VARIABLE: &str = "TOKIO_WORKER_THREADS";

/// Does a program's work to its end, on half of the processors, or as many threads as `TOKIO_WORKER_THREADS` says.
///
/// Nearly all of the work is to wait for browsers and servers, which have the same machine to run on. What each thread wakes
/// up for is little, and costs the more the more of them look for it.
///
/// # Errors
/// The machine gives no threads.
pub fn run<T>(work: impl Future<Output = T>) -> io::Result<T> {
    let mut builder = Builder::new_multi_thread();
    if std::env::var_os(VARIABLE).is_none() {
        builder.worker_threads(half(available_parallelism().map_or(1, NonZero::get)));
    }
    Ok(builder.enable_all().build()?.block_on(work))
}

/// Half of so many, and at least one.
fn half(processors: usize) -> usize {
    (processors / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_processors_work_and_at_least_one() {
        assert_eq!([1, 2, 3, 4, 64].map(half), [1, 1, 1, 2, 32]);
    }

    #[test]
    fn what_is_spawned_is_worked_on_beside_the_program() {
        let told = run(async { crate::spawn::detached("seven", async { 7 }).await.expect("no panic") });
        assert_eq!(told.expect("threads"), 7);
    }
}
