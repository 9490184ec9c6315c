//! Spawns background tasks. A bare `tokio::spawn` neither reports a panic nor ends with its owner; these two report
//! panics, and one of them ends with its handle. Tasks that make up a process are [`Tasks`](crate::tasks::Tasks).

use std::future::Future;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;

/// Runs work until it ends or its handle is dropped.
pub fn owned<F>(name: &'static str, work: F) -> AbortOnDropHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    AbortOnDropHandle::new(detached(name, work))
}

/// Runs work to its end, whatever becomes of its caller and of the handle.
#[expect(clippy::disallowed_methods, reason = "this is the door that the ban points to")]
pub fn detached<F>(name: &'static str, work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    tokio::spawn(async move {
        let _panicking = TellsOfPanic(name);
        work.await
    })
}

/// Logs a panic when it is dropped by one.
struct TellsOfPanic(&'static str);

impl Drop for TellsOfPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!(task = self.0, "task panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::io;
    use std::sync::Arc;
    use tokio::sync::oneshot;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_task_that_panics_is_told_by_its_name() {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let _told = tracing::subscriber::set_default(subscriber);
        assert!(detached("broken", async { panic!("on purpose") }).await.is_err());
        let said = String::from_utf8(written.0.lock().clone()).unwrap();
        assert!(said.contains("ERROR") && said.contains("broken"), "{said}");
        assert_eq!(detached("sound", async { 7 }).await.unwrap(), 7);
        assert_eq!(said.matches("panicked").count(), 1, "{said}");
    }

    #[tokio::test]
    async fn only_an_owned_task_ends_with_its_handle() {
        let (alive, ended) = oneshot::channel::<()>();
        drop(owned("owned", async move {
            std::future::pending::<()>().await;
            drop(alive);
        }));
        assert!(ended.await.is_err(), "it was dropped");
        let (tell, told) = oneshot::channel();
        drop(detached("detached", async move { tell.send(7) }));
        assert_eq!(told.await, Ok(7));
    }
}
