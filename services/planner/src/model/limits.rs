//! What all processes together ask of a model at most: calls at once, calls and tokens in a minute.
//!
//! A call is made once it has a place and all that it may take was drawn; while it goes on, its place is kept by signs of life, and at its
//! end what it did not take comes back. When the limits cannot be asked, it waits as for a free place.

use super::options::SharedLimits;
use super::trouble::{Class, Trouble};
use domain::campaign::Rate;
use domain::storage::StorageError;
use domain::storage::shared::{PLACE, Permission, Quotas};
use std::convert::Infallible;
use std::future::Future;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// When limits that cannot be asked are asked again.
const AGAIN: Duration = Duration::from_millis(200);

/// The limits of one model.
pub(super) struct Limits {
    quotas: Arc<dyn Quotas>,
    /// The endpoint and the model: what is counted together.
    key: String,
    limits: SharedLimits,
    /// How long a call may wait.
    patience: Duration,
}

/// A call that may be made.
pub(super) struct Admitted<'a> {
    by: &'a Limits,
    holder: Option<String>,
    drawn: u32,
}

impl Limits {
    pub(super) fn new(quotas: Arc<dyn Quotas>, key: String, limits: SharedLimits, patience: Duration) -> Self {
        Self { quotas, key, limits, patience }
    }

    /// Waits until a call may be made that takes at most so many tokens.
    ///
    /// # Errors
    /// It may not in the time that a call is ready to wait.
    pub(super) async fn admit(&self, tokens: u32) -> Result<Admitted<'_>, Trouble> {
        let mut admitted = Admitted { by: self, holder: None, drawn: 0 };
        // A place is held by signs of life, so it is taken last, when nothing else is waited for.
        let waited = tokio::time::timeout(self.patience, async {
            admitted.draw(tokens).await?;
            admitted.enter().await
        });
        let cause = match waited.await {
            Ok(Ok(())) => return Ok(admitted),
            Ok(Err(error)) => error.to_string(),
            Err(_) => self.told(),
        };
        admitted.end(Some(0)).await;
        Err(Trouble { class: Class::NotMade, cause })
    }

    /// What it waited for in vain.
    fn told(&self) -> String {
        let limits = [
            ("calls", self.limits.calls, "at once"),
            ("requests_per_minute", self.limits.requests_per_minute, "calls a minute"),
            ("tokens_per_minute", self.limits.tokens_per_minute, "tokens a minute"),
        ];
        let told = limits.into_iter().filter_map(|(name, limit, what)| Some(format!("{} {what} (`{name}`)", limit?)));
        let told = told.collect::<Vec<_>>().join(", ");
        format!(
            "waited {} s for a turn among all processes: the limits of `together` are {told}; raise them or `patience_seconds`",
            self.patience.as_secs()
        )
    }

    fn calls_key(&self) -> String {
        format!("{}|calls", self.key)
    }

    fn tokens_key(&self) -> String {
        format!("{}|tokens", self.key)
    }
}

impl Admitted<'_> {
    async fn draw(&mut self, tokens: u32) -> Result<(), StorageError> {
        let by = self.by;
        if let Some(limit) = by.limits.tokens_per_minute {
            let rate = in_a_minute(limit);
            // A call that may take more than comes together is let through with that, and owes the rest.
            let amount = tokens.clamp(1, rate.burst);
            let key = by.tokens_key();
            until_permitted(|| by.quotas.draw(&key, amount, rate)).await?;
            self.drawn = amount;
        }
        if let Some(limit) = by.limits.requests_per_minute {
            let key = format!("{}|requests", by.key);
            until_permitted(|| by.quotas.draw(&key, 1, in_a_minute(limit))).await?;
        }
        Ok(())
    }

    async fn enter(&mut self) -> Result<(), StorageError> {
        let by = self.by;
        let Some(places) = by.limits.calls else { return Ok(()) };
        let (key, holder) = (by.calls_key(), format!("{:032x}", rand::random::<u128>()));
        // From now on there may be a place to give back, also where nobody waits for the answer any more.
        self.holder = Some(holder.clone());
        until_permitted(|| by.quotas.enter(&key, places.get(), &holder)).await
    }

    /// Makes the call, and keeps its place meanwhile.
    pub(super) async fn during<T>(&self, call: impl Future<Output = T>) -> T {
        tokio::select! {
            done = call => done,
            never = self.signs_of_life() => match never {},
        }
    }

    async fn signs_of_life(&self) -> Infallible {
        let Some(holder) = &self.holder else { return std::future::pending().await };
        let key = self.by.calls_key();
        loop {
            tokio::time::sleep(PLACE / 4).await;
            if let Err(error) = self.by.quotas.stay(&key, holder).await {
                tracing::warn!(%error, "the place of a call could not be kept");
            }
        }
    }

    /// Gives back what the call did not take; of a call without a reply nobody knows what it took.
    pub(super) async fn end(mut self, taken: Option<u64>) {
        let by = self.by;
        if let (Some(limit), Some(taken), 1..) = (by.limits.tokens_per_minute, taken, self.drawn) {
            let taken = u32::try_from(taken).unwrap_or(u32::MAX);
            let settled = by.quotas.settle(&by.tokens_key(), self.drawn, taken, in_a_minute(limit)).await;
            if let Err(error) = settled {
                tracing::warn!(%error, "what a call did not take stays drawn");
            }
        }
        if let Some(holder) = self.holder.take() {
            leave(Arc::clone(&by.quotas), by.calls_key(), holder).await;
        }
    }
}

/// Who is not waited for any more leaves too.
impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if let Some(holder) = self.holder.take() {
            let left = leave(Arc::clone(&self.by.quotas), self.by.calls_key(), holder);
            platform::spawn::detached("leave the calls of a model", left);
        }
    }
}

async fn leave(quotas: Arc<dyn Quotas>, key: String, holder: String) {
    if let Err(error) = quotas.leave(&key, &holder).await {
        tracing::warn!(%error, "the place of a call becomes free by itself");
    }
}

/// Asks until the answer is yes. A request that can never be granted is an error.
async fn until_permitted<F>(mut ask: impl FnMut() -> F) -> Result<(), StorageError>
where
    F: Future<Output = Result<Permission, StorageError>>,
{
    let mut is_told = false;
    loop {
        match ask().await {
            Ok(Permission::Now) => return Ok(()),
            Ok(Permission::After(wait)) => tokio::time::sleep(wait).await,
            Err(error @ StorageError::Conflict(_)) => return Err(error),
            Err(error) => {
                if !std::mem::replace(&mut is_told, true) {
                    tracing::warn!(%error, "the limits of a model cannot be asked: nothing is permitted until they can");
                }
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

/// A rate that keeps to a limit in every minute, whenever it begins: half of it may come together.
fn in_a_minute(limit: NonZeroU32) -> Rate {
    let burst = limit.get().div_ceil(2);
    // Of a limit of one there is nothing left to flow: the next comes after two minutes.
    let flow = f64::from(limit.get() - burst).max(0.5);
    Rate { per_second: flow / 60.0, burst }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use parking_lot::Mutex;

    /// Notes what it is asked; permits, or not.
    struct Noted {
        asked: Mutex<Vec<String>>,
        permits: bool,
        is_there: bool,
    }

    impl Noted {
        fn new(permits: bool, is_there: bool) -> Arc<Self> {
            Arc::new(Self { asked: Mutex::default(), permits, is_there })
        }

        fn answer(&self, asked: String) -> Result<Permission, StorageError> {
            self.asked.lock().push(asked);
            match (self.is_there, self.permits) {
                (false, _) => Err(StorageError::Unavailable("it is away".into())),
                (true, true) => Ok(Permission::Now),
                (true, false) => Ok(Permission::After(Duration::from_millis(10))),
            }
        }
    }

    #[async_trait]
    impl Quotas for Noted {
        async fn draw(&self, key: &str, amount: u32, rate: Rate) -> Result<Permission, StorageError> {
            if amount > rate.burst {
                return Err(StorageError::Conflict("too much".into()));
            }
            self.answer(format!("draw {amount} of {key}"))
        }

        async fn settle(&self, key: &str, drawn: u32, needed: u32, _: Rate) -> Result<(), StorageError> {
            self.answer(format!("settle {drawn} by {needed} of {key}")).map(drop)
        }

        async fn enter(&self, key: &str, places: u32, _: &str) -> Result<Permission, StorageError> {
            self.answer(format!("enter {places} of {key}"))
        }

        async fn stay(&self, key: &str, _: &str) -> Result<(), StorageError> {
            self.answer(format!("stay in {key}")).map(drop)
        }

        async fn leave(&self, key: &str, _: &str) -> Result<(), StorageError> {
            self.answer(format!("leave {key}")).map(drop)
        }
    }

    fn limits(quotas: &Arc<Noted>) -> Limits {
        let all = SharedLimits {
            calls: NonZeroU32::new(3),
            requests_per_minute: NonZeroU32::new(20),
            tokens_per_minute: NonZeroU32::new(10_000),
        };
        Limits::new(quotas.clone(), "m".into(), all, Duration::from_millis(300))
    }

    #[tokio::test]
    async fn a_call_has_a_place_and_all_that_it_may_take_before_it_begins_and_gives_back_the_rest() {
        let quotas = Noted::new(true, true);
        let limits = limits(&quotas);
        let admitted = limits.admit(3_000).await.unwrap_or_else(|trouble| panic!("{trouble:?}"));
        assert_eq!(*quotas.asked.lock(), ["draw 3000 of m|tokens", "draw 1 of m|requests", "enter 3 of m|calls"]);
        assert_eq!(admitted.during(async { 7 }).await, 7);
        admitted.end(Some(1_200)).await;
        let last: Vec<String> = quotas.asked.lock().iter().rev().take(2).cloned().collect();
        assert_eq!(last, ["leave m|calls", "settle 3000 by 1200 of m|tokens"]);
        let large = limits.admit(80_000).await.unwrap_or_else(|trouble| panic!("{trouble:?}"));
        large.end(Some(80_000)).await;
        assert!(quotas.asked.lock().contains(&"settle 5000 by 80000 of m|tokens".to_owned()), "it owes the rest");
    }

    #[tokio::test]
    async fn who_gets_no_turn_or_cannot_ask_makes_no_call_and_says_which_limits_there_are() {
        for is_there in [true, false] {
            let quotas = Noted::new(false, is_there);
            let limits = limits(&quotas);
            let Err(trouble) = limits.admit(100).await else { panic!("it is admitted") };
            let cause = trouble.cause;
            assert!(cause.contains("3 at once (`calls`)") && cause.contains("10000 tokens a minute"), "{cause}");
            assert!(quotas.asked.lock().len() > 1, "it asks again");
        }
    }

    #[tokio::test]
    async fn who_is_not_waited_for_any_more_gives_its_place_back() {
        let quotas = Noted::new(true, true);
        let limits = limits(&quotas);
        drop(limits.admit(100).await.unwrap_or_else(|trouble| panic!("{trouble:?}")));
        while !quotas.asked.lock().contains(&"leave m|calls".to_owned()) {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn in_no_minute_more_than_the_limit() {
        for limit in [1, 2, 3, 20, 100_000] {
            let rate = in_a_minute(NonZeroU32::new(limit).expect("a limit"));
            let most = (f64::from(rate.burst) + rate.per_second * 60.0).floor();
            assert!(most <= f64::from(limit) && rate.per_second > 0.0 && rate.burst >= 1, "{limit}: {rate:?}");
        }
    }
}
