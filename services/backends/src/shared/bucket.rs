//! A token bucket that starts empty, as arithmetic. The Redis column does the same inside its script.

use domain::campaign::Rate;
use domain::storage::StorageError;
use domain::storage::shared::Permission;
use std::time::Duration;

/// The token bucket of a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bucket {
    /// Current tokens, fractions included; at most the burst.
    tokens: f64,
    /// Time of the last update.
    at: Duration,
    /// Rate at the last update.
    per_second: f64,
    /// Latest time at which a waiting caller was told to come back.
    promised: Duration,
}

/// Waiting callers are told to come back one after another, so that each gets a turn; nothing is stored for them. At
/// most this many are lined up, so that a caller that asks too often cannot delay others without end.
pub(super) const LINED_UP: u32 = 128;

impl Bucket {
    /// The bucket of an unknown host: empty.
    pub(super) fn empty(now: Duration, rate: Rate) -> Self {
        Self { tokens: 0.0, at: now, per_second: rate.per_second, promised: Duration::ZERO }
    }

    /// Adds the tokens gathered until now. If callers use different rates, the slower one applies.
    pub(super) fn gather(&mut self, now: Duration, rate: Rate) {
        let elapsed = now.saturating_sub(self.at).as_secs_f64();
        let gathered = elapsed * rate.per_second.min(self.per_second);
        *self = Self {
            tokens: f64::from(rate.burst).min(self.tokens + gathered),
            at: now,
            per_second: rate.per_second,
            ..*self
        };
    }

    /// Takes a token if there is one, else says when to come back. Call `gather` first.
    pub(super) fn take(&mut self) -> Permission {
        self.draw(1)
    }

    /// Takes so many tokens together, likewise.
    pub(super) fn draw(&mut self, amount: u32) -> Permission {
        match self.wait_for(amount) {
            Duration::ZERO => {
                self.tokens -= f64::from(amount);
                Permission::Now
            }
            wait => {
                let soonest = self.at + wait;
                let turn = Duration::from_secs_f64((f64::from(amount) / self.per_second).min(1e9));
                self.promised = soonest.max(self.promised + turn).min(soonest + turn * LINED_UP);
                Permission::After(self.promised - self.at)
            }
        }
    }

    /// Puts back what was drawn and not needed; takes what was needed beyond, also where it is not there.
    pub(super) fn settle(&mut self, drawn: u32, needed: u32, rate: Rate) {
        self.tokens = f64::from(rate.burst).min(self.tokens + f64::from(drawn) - f64::from(needed));
    }

    /// Time until a token is available.
    pub(super) fn wait(&self) -> Duration {
        self.wait_for(1)
    }

    fn wait_for(&self, amount: u32) -> Duration {
        let missing = f64::from(amount) - self.tokens;
        if missing <= 0.0 {
            return Duration::ZERO;
        }
        let microseconds = (missing / self.per_second * 1e6).ceil();
        Duration::from_micros(microseconds.clamp(1.0, 1e15) as u64)
    }
}

/// Refuses an amount that never comes together.
pub(super) fn check_amount(key: &str, amount: u32, rate: Rate) -> Result<(), StorageError> {
    check(key, rate)?;
    match amount <= rate.burst {
        true => Ok(()),
        false => {
            let cause = format!("{amount} of `{key}` at once are more than the {} that come together", rate.burst);
            Err(StorageError::Conflict(cause))
        }
    }
}

/// Refuses an invalid rate.
pub(super) fn check(host: &str, rate: Rate) -> Result<(), StorageError> {
    if rate.per_second.is_finite() && rate.per_second > 0.0 && rate.burst >= 1 {
        return Ok(());
    }
    Err(StorageError::Conflict(format!(
        "the rate of host `{host}` is {} per second with a burst of {}; it needs more than 0 per second and a burst of 1",
        rate.per_second, rate.burst
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(per_second: f64, burst: u32) -> Rate {
        Rate { per_second, burst }
    }

    #[test]
    fn an_unknown_bucket_is_empty_and_fills_up_to_its_burst() {
        let rate = rate(10.0, 3);
        let mut bucket = Bucket::empty(Duration::ZERO, rate);
        assert_eq!(bucket.take(), Permission::After(Duration::from_millis(100)));
        bucket.gather(Duration::from_secs(3600), rate);
        let taken: Vec<_> = (0..4).map(|_| bucket.take()).collect();
        assert_eq!(taken[..3], [Permission::Now; 3]);
        assert_eq!(taken[3], Permission::After(Duration::from_millis(100)));
    }

    #[test]
    fn what_was_drawn_is_settled_by_what_was_needed() {
        let rate = rate(10.0, 100);
        let mut bucket = Bucket::empty(Duration::ZERO, rate);
        bucket.gather(Duration::from_secs(10), rate);
        assert_eq!(bucket.draw(80), Permission::Now);
        assert_eq!(bucket.wait_for(30), Duration::from_secs(1));
        bucket.settle(80, 50, rate);
        assert_eq!(bucket.wait_for(50), Duration::ZERO, "thirty came back");
        bucket.settle(0, 70, rate);
        assert_eq!(bucket.wait(), Duration::from_millis(2100), "twenty are owed");
        bucket.settle(1000, 0, rate);
        assert_eq!(bucket.wait_for(100), Duration::ZERO, "no more than the burst");
        assert!(check_amount("k", 100, rate).is_ok() && check_amount("k", 101, rate).is_err());
    }

    #[test]
    fn those_who_wait_come_back_one_after_the_other_but_not_without_end() {
        let rate = rate(10.0, 1);
        let mut bucket = Bucket::empty(Duration::ZERO, rate);
        let told: Vec<_> = (0..3).map(|_| bucket.take()).collect();
        let after = |milliseconds| Permission::After(Duration::from_millis(milliseconds));
        assert_eq!(told, [after(100), after(200), after(300)]);
        assert_eq!(bucket.wait(), Duration::from_millis(100), "who only looks is not lined up");
        let last = (0..1000).map(|_| bucket.take()).last();
        assert_eq!(last, Some(after(100 + 100 * u64::from(LINED_UP))));
    }

    #[test]
    fn where_two_rates_take_turns_the_slower_one_holds() {
        let (slow, fast) = (rate(1.0, 10), rate(100.0, 10));
        let mut bucket = Bucket::empty(Duration::ZERO, fast);
        let mut given = 0;
        for half_seconds in 1..=20u32 {
            bucket.gather(Duration::from_millis(500) * half_seconds, if half_seconds % 2 == 0 { fast } else { slow });
            given += u32::from(bucket.take() == Permission::Now);
        }
        assert!(given <= 10, "{given} in ten seconds");
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing() {
        let rate = rate(10.0, 3);
        let mut bucket = Bucket::empty(Duration::from_secs(100), rate);
        bucket.gather(Duration::from_secs(50), rate);
        assert_ne!(bucket.take(), Permission::Now);
    }

    proptest! {
        #[test]
        fn in_no_interval_more_than_the_burst_and_its_rate(
            per_second in 0.1f64..50.0,
            burst in 1u32..10,
            pauses in prop::collection::vec(0u64..700, 1..200),
            emptied in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        ) {
            let rate = rate(per_second, burst);
            let mut now = Duration::ZERO;
            let mut bucket = Bucket::empty(now, rate);
            let mut given = Vec::new();
            for (index, pause) in pauses.iter().enumerate() {
                now += Duration::from_millis(*pause);
                if emptied.iter().any(|moment| moment.index(pauses.len()) == index) {
                    bucket = Bucket::empty(now, rate);
                }
                bucket.gather(now, rate);
                while bucket.take() == Permission::Now {
                    given.push(now);
                }
            }
            for (first, from) in given.iter().enumerate() {
                for (last, to) in given.iter().enumerate().skip(first) {
                    let allowed = f64::from(burst) + per_second * (*to - *from).as_secs_f64();
                    prop_assert!((last - first + 1) as f64 <= allowed + 1e-6);
                }
            }
        }
    }
}
