//! What becomes of a process when one of its parts fails: it says that it is dead, comes to rest, and ends. Whoever watches it
//! starts it again, also where coming to rest never ends.

use platform::health::Health;
use tokio_util::sync::CancellationToken;

/// Returns when the process is asked to end. When one of the tokens that failed parts cancel comes before that, it says so to
/// probes and lets the process end.
pub(super) async fn follow(
    asked: CancellationToken,
    [parts, probes]: [CancellationToken; 2],
    health: Health,
    ending: CancellationToken,
) {
    tokio::select! {
        biased;
        () = asked.cancelled() => return,
        () = parts.cancelled() => {}
        () = probes.cancelled() => {}
    }
    health.die("a part of the process has failed; its log says which");
    ending.cancel();
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::tasks::Tasks;
    use std::convert::Infallible;

    struct Process {
        asked: CancellationToken,
        ending: CancellationToken,
        health: Health,
        parts: Tasks,
        probes: Tasks,
    }

    impl Process {
        fn new() -> Self {
            let asked = CancellationToken::new();
            let tasks = || Tasks::new(CancellationToken::new());
            let ending = asked.child_token();
            Self { asked, ending, health: Health::default(), parts: tasks(), probes: tasks() }
        }

        async fn follow(&self) {
            let tokens = [&self.parts, &self.probes].map(|tasks| tasks.shutdown().clone());
            follow(self.asked.clone(), tokens, self.health.clone(), self.ending.clone()).await;
        }
    }

    #[tokio::test]
    async fn a_process_with_a_part_that_panicked_is_dead_and_ends() {
        for broken in [|process: &Process| process.parts.clone(), |process: &Process| process.probes.clone()] {
            let process = Process::new();
            let panics = |_| async { if true { panic!("on purpose") } else { Ok::<(), Infallible>(()) } };
            broken(&process).spawn("broken", panics);
            process.follow().await;
            let dead = process.health.standing().dead.expect("it says so");
            assert!(dead.contains("its log says which"), "{dead}");
            assert!(process.ending.is_cancelled() && !process.asked.is_cancelled());
        }
    }

    #[tokio::test]
    async fn a_process_that_was_asked_to_end_is_alive_while_it_comes_to_rest() {
        let process = Process::new();
        process.asked.cancel();
        process.parts.shutdown().cancel();
        process.follow().await;
        assert_eq!(process.health.standing().dead, None);
        assert!(process.ending.is_cancelled());
    }
}
