//! Shutdown: the first signal asks all tasks to stop, the second exits at once.

use crate::spawn;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Exit code of a process that a second signal ended: 128 + SIGINT, as shells have it.
pub const EXIT_CODE: i32 = 130;

/// A token that is cancelled by the first SIGINT or SIGTERM. The second ends the process at once.
///
/// # Errors
/// Of the operating system, when signals cannot be listened to.
pub fn on_signals() -> io::Result<CancellationToken> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    spawn::detached("signals", async move {
        either(&mut interrupt, &mut terminate).await;
        tracing::info!("asked to end, coming to rest");
        cancelled.cancel();
        either(&mut interrupt, &mut terminate).await;
        std::process::exit(EXIT_CODE);
    });
    Ok(token)
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    #[tokio::test]
    async fn the_first_signal_cancels_the_token_and_leaves_the_process_alive() {
        let token = on_signals().expect("listen to signals");
        assert!(!token.is_cancelled());
        let own = std::process::id().to_string();
        assert!(Command::new("kill").args(["-TERM", &own]).status().expect("run kill").success());
        let asked = tokio::time::timeout(Duration::from_secs(10), token.cancelled()).await;
        assert!(asked.is_ok(), "the token was never cancelled");
    }
}
