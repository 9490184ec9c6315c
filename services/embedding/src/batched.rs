//! Batches concurrent calls: the encoder embeds sixty texts in little more time than one.
//!
//! A call to an idle encoder starts at once; only calls during another one are batched.

use async_trait::async_trait;
use domain::language::{EmbedError, Embedder};
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// How long a call may wait for others to join it.
const WAIT: Duration = Duration::from_millis(2);

/// A batch of this many texts starts at once.
const FULL: usize = 64;

/// An embedder that batches calls. Needs a runtime.
pub struct Batched<E> {
    inner: Arc<E>,
    state: Arc<Mutex<BatchState>>,
}

#[derive(Default)]
struct BatchState {
    gathering: Option<Batch>,
    running: usize,
}

struct Batch {
    texts: Vec<String>,
    callers: Vec<Caller>,
    full: Arc<Notify>,
}

struct Caller {
    texts: usize,
    answer: oneshot::Sender<Result<Vec<Vec<f32>>, EmbedError>>,
}

impl<E: Embedder + 'static> Batched<E> {
    /// Gathers calls of `inner`.
    pub fn new(inner: E) -> Self {
        Self { inner: Arc::new(inner), state: Arc::default() }
    }

    /// Joins the open batch, or starts one.
    fn join(&self, texts: &[String]) -> oneshot::Receiver<Result<Vec<Vec<f32>>, EmbedError>> {
        let (answer, answered) = oneshot::channel();
        let mut state = locked(&self.state);
        let is_idle = state.running == 0;
        let begun = state.gathering.is_none();
        let batch = state.gathering.get_or_insert_with(|| Batch {
            texts: Vec::new(),
            callers: Vec::new(),
            full: Arc::new(Notify::new()),
        });
        batch.texts.extend_from_slice(texts);
        batch.callers.push(Caller { texts: texts.len(), answer });
        if batch.texts.len() >= FULL {
            batch.full.notify_one();
        }
        if begun {
            let full = Arc::clone(&batch.full);
            // Runs in its own task, so that a caller that gives up does not cancel the batch of others.
            spawn::detached("embed a batch", run(Arc::clone(&self.inner), Arc::clone(&self.state), full, is_idle));
        }
        answered
    }
}

async fn run<E: Embedder>(inner: Arc<E>, state: Arc<Mutex<BatchState>>, full: Arc<Notify>, is_idle: bool) {
    if !is_idle {
        // After the wait the batch starts, full or not.
        let _ = tokio::time::timeout(WAIT, full.notified()).await;
    }
    let batch = {
        let mut state = locked(&state);
        state.running += 1;
        state.gathering.take()
    };
    let running = Running(state);
    let Some(Batch { texts, callers, .. }) = batch else { return };
    let mut vectors = match inner.embed(&texts).await {
        Ok(vectors) if vectors.len() == texts.len() => Ok(vectors.into_iter()),
        Ok(vectors) => Err(EmbedError(format!("{} texts gave {} vectors", texts.len(), vectors.len()))),
        Err(error) => Err(error),
    };
    drop(running);
    for caller in callers {
        let answer = match &mut vectors {
            Ok(vectors) => Ok(vectors.by_ref().take(caller.texts).collect()),
            Err(error) => Err(error.clone()),
        };
        // A caller that gave up has dropped its receiver.
        let _ = caller.answer.send(answer);
    }
}

/// Counts a running batch until it ends in any way.
struct Running(Arc<Mutex<BatchState>>);

impl Drop for Running {
    fn drop(&mut self) {
        locked(&self.0).running -= 1;
    }
}

fn locked(state: &Mutex<BatchState>) -> MutexGuard<'_, BatchState> {
    state.lock()
}

#[async_trait]
impl<E: Embedder + 'static> Embedder for Batched<E> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.join(texts).await.map_err(|_| EmbedError("encode text: the batch was not finished".to_owned()))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cached;

    /// Answers after a while with the length of each text, writes down the size of each call, and fails on `bad`.
    #[derive(Clone, Default)]
    struct Lengths {
        calls: Arc<Mutex<Vec<usize>>>,
    }

    #[async_trait]
    impl Embedder for Lengths {
        fn dimension(&self) -> usize {
            1
        }

        async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.calls.lock().push(texts.len());
            tokio::time::sleep(Duration::from_millis(5)).await;
            if texts.iter().any(|text| text == "bad") {
                return Err(EmbedError("encode text: bad".to_owned()));
            }
            Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
        }
    }

    fn words(number: usize) -> Vec<String> {
        (0..=number % 3).map(|index| "x".repeat(number + index)).collect()
    }

    #[tokio::test]
    async fn concurrent_calls_form_batches_and_each_gets_its_own_vectors_in_order() {
        let lengths = Lengths::default();
        let batched = Arc::new(Batched::new(lengths.clone()));
        let calls = (0..48).map(|number| {
            let batched = Arc::clone(&batched);
            spawn::detached("caller", async move { (number, batched.embed(&words(number)).await) })
        });
        for call in calls.collect::<Vec<_>>() {
            let (number, vectors) = call.await.expect("no panic");
            let alone = Lengths::default().embed(&words(number)).await.expect("vectors");
            assert_eq!(vectors.expect("vectors"), alone, "call {number}");
        }
        let sizes = lengths.calls.lock().clone();
        assert_eq!(sizes.iter().sum::<usize>(), (0..48).map(|number| words(number).len()).sum::<usize>());
        assert!(sizes.len() <= 6, "48 calls made {} batches: {sizes:?}", sizes.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_finds_the_encoder_idle_waits_for_nobody() {
        let batched = Batched::new(Lengths::default());
        // The encoder takes five milliseconds; on held time, a wait of two more would be over the limit exactly.
        let done = tokio::time::timeout(Duration::from_millis(6), batched.embed(&words(1))).await;
        assert!(done.is_ok(), "the call waited");
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_takes_nobody_elses_vectors_with_it() {
        let batched = Arc::new(Batched::new(Lengths::default()));
        let leaving = {
            let batched = Arc::clone(&batched);
            spawn::detached("caller", async move { batched.embed(&words(4)).await })
        };
        let staying = {
            let batched = Arc::clone(&batched);
            spawn::detached("caller", async move { batched.embed(&words(5)).await })
        };
        tokio::task::yield_now().await;
        leaving.abort();
        assert_eq!(staying.await.expect("no panic").expect("vectors").len(), words(5).len());
    }

    #[tokio::test]
    async fn a_failure_is_told_to_every_caller_of_the_batch_and_the_next_batch_is_fine() {
        let batched = Cached::new(Batched::new(Lengths::default()), 10);
        assert_eq!(batched.embed(&["bad".to_owned()]).await.expect_err("bad").0, "encode text: bad");
        assert_eq!(batched.embed(&["good".to_owned()]).await.expect("vectors"), [[4.0]]);
    }
}
