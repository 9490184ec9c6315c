//! The async runtime of a process.

use std::io;
use tokio::runtime::Builder;

/// Runs a program's main future on all processors, or on as many threads as `TOKIO_WORKER_THREADS` says.
///
/// # Errors
/// The machine gives no threads.
pub fn run<T>(work: impl Future<Output = T>) -> io::Result<T> {
    Ok(Builder::new_multi_thread().enable_all().build()?.block_on(work))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::available_parallelism;
    use tokio::runtime::Handle;

    #[test]
    fn as_many_threads_work_as_there_are_processors_unless_a_setting_says_otherwise() {
        let threads = run(async { Handle::current().metrics().num_workers() }).expect("threads");
        let set = std::env::var("TOKIO_WORKER_THREADS").ok().and_then(|set| set.parse().ok());
        assert_eq!(threads, set.unwrap_or(available_parallelism().map_or(1, usize::from)));
    }

    #[test]
    fn what_is_spawned_is_worked_on_beside_the_program() {
        let told = run(async { crate::spawn::detached("seven", async { 7 }).await.expect("no panic") });
        assert_eq!(told.expect("threads"), 7);
    }
}
