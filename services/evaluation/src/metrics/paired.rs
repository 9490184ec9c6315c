//! Two ways of doing the same jobs, compared job by job. Population: the jobs that were judged in both.

use super::{Interval, wilson};

/// How often both, one or none of two ways succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Jobs that both did.
    pub both: usize,
    /// Jobs that only the first did.
    pub only_first: usize,
    /// Jobs that only the second did.
    pub only_second: usize,
    /// Jobs that neither did.
    pub neither: usize,
}

impl Paired {
    /// Counts pairs of successes.
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counted = Self::default();
        for pair in pairs {
            match pair {
                (true, true) => counted.both += 1,
                (true, false) => counted.only_first += 1,
                (false, true) => counted.only_second += 1,
                (false, false) => counted.neither += 1,
            }
        }
        counted
    }

    /// All jobs.
    pub fn jobs(&self) -> usize {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// Jobs that the first did.
    pub fn first(&self) -> usize {
        self.both + self.only_first
    }

    /// Jobs that the second did.
    pub fn second(&self) -> usize {
        self.both + self.only_second
    }

    /// The success rate of the second less that of the first; 0 without jobs.
    pub fn difference(&self) -> f64 {
        (self.only_second as f64 - self.only_first as f64) / self.jobs().max(1) as f64
    }

    /// The interval of the difference at 95 % (Newcombe 1998, method 10: square-and-add of Wilson intervals for paired data).
    /// Without jobs it is all of -1..=1.
    pub fn interval(&self) -> Interval {
        let n = self.jobs();
        if n == 0 {
            return Interval { low: -1.0, high: 1.0 };
        }
        let (second, first) = (self.second() as f64 / n as f64, self.first() as f64 / n as f64);
        let (of_second, of_first) = (wilson(self.second(), n), wilson(self.first(), n));
        let phi = self.correlation();
        let half = |one: f64, other: f64| (one * one - 2.0 * phi * one * other + other * other).max(0.0).sqrt();
        let difference = self.difference();
        let low = difference - half(second - of_second.low, of_first.high - first);
        let high = difference + half(of_second.high - second, first - of_first.low);
        Interval { low: low.max(-1.0), high: high.min(1.0) }
    }

    /// The two-sided exact McNemar test: how probable a difference at least as large is, if neither way were better.
    pub fn p_value(&self) -> f64 {
        let discordant = self.only_first + self.only_second;
        let fewer = self.only_first.min(self.only_second);
        // In logarithms: one half to the power of thousands is no number any more.
        let mut log_choose = 0.0;
        let mut tail = 0.0;
        for k in 0..=fewer {
            tail += (log_choose - discordant as f64 * std::f64::consts::LN_2).exp();
            log_choose += ((discordant - k) as f64 / (k + 1) as f64).ln();
        }
        (2.0 * tail).min(1.0)
    }

    /// The correlation of the pairs, corrected for continuity where it is positive.
    fn correlation(&self) -> f64 {
        let [both, first, second, neither] =
            [self.both, self.only_first, self.only_second, self.neither].map(|count| count as f64);
        let product = (both + first) * (second + neither) * (both + second) * (first + neither);
        if product == 0.0 {
            return 0.0;
        }
        let above = both * neither - first * second;
        let corrected = if above > 0.0 { (above - self.jobs() as f64 / 2.0).max(0.0) } else { above };
        corrected / product.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paired(both: usize, only_first: usize, only_second: usize, neither: usize) -> Paired {
        Paired { both, only_first, only_second, neither }
    }

    fn swapped(pairs: Paired) -> Paired {
        Paired { only_first: pairs.only_second, only_second: pairs.only_first, ..pairs }
    }

    #[test]
    fn the_exact_test_is_the_binomial_one() {
        // Of six jobs that differ, one against five: 2 · (1 + 6) / 64.
        assert!((paired(10, 1, 5, 4).p_value() - 14.0 / 64.0).abs() < 1e-12);
        assert!((paired(3, 0, 5, 2).p_value() - 2.0 / 32.0).abs() < 1e-12);
        assert_eq!(paired(9, 3, 3, 1).p_value(), 1.0);
        assert_eq!(paired(9, 0, 0, 1).p_value(), 1.0);
        let many = paired(0, 2000, 2000, 0).p_value();
        assert!((many - 1.0).abs() < 1e-9, "{many}");
    }

    #[test]
    fn few_jobs_tell_little_and_no_jobs_nothing() {
        let few = paired(1, 0, 1, 0).interval();
        assert!(few.low < 0.0 && few.high > 0.5, "{few:?}");
        assert_eq!(Paired::default().interval(), Interval { low: -1.0, high: 1.0 });
        let clear = paired(40, 2, 30, 28).interval();
        assert!(clear.low > 0.0, "{clear:?}");
    }

    /// The share of samples whose interval holds the true difference, over jobs of which each is drawn by these chances.
    fn covered(jobs: usize, chances: [f64; 3]) -> f64 {
        let [both, first, second] = chances;
        let mut state = 1_u64;
        let mut next = || {
            // SplitMix64: the same numbers on every machine.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        };
        let samples = 4000;
        let held = (0..samples).filter(|_| {
            let pairs = Paired::of((0..jobs).map(|_| match next() {
                drawn if drawn < both => (true, true),
                drawn if drawn < both + first => (true, false),
                drawn if drawn < both + first + second => (false, true),
                _ => (false, false),
            }));
            let interval = pairs.interval();
            (interval.low..=interval.high).contains(&(second - first))
        });
        held.count() as f64 / f64::from(samples)
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        for chances in [[0.5, 0.1, 0.2], [0.8, 0.02, 0.1], [0.3, 0.2, 0.2]] {
            for jobs in [30, 150] {
                let share = covered(jobs, chances);
                assert!((0.93..=0.995).contains(&share), "{share} of {jobs} jobs of {chances:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_other_way_round_is_the_opposite(both in 0usize..200, first in 0usize..60, second in 0usize..60, neither in 0usize..200) {
            let pairs = paired(both, first, second, neither);
            let (one, other) = (pairs.interval(), swapped(pairs).interval());
            prop_assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9);
            prop_assert!(one.low <= pairs.difference() + 1e-9 && pairs.difference() <= one.high + 1e-9);
            prop_assert_eq!(pairs.p_value(), swapped(pairs).p_value());
            prop_assert!((0.0..=1.0).contains(&pairs.p_value()));
        }
    }
}
