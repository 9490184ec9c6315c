//! Draws the fault of each call from a seed, and writes it to a trace.

use super::trace::Trace;
use parking_lot::{Mutex, MutexGuard};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It fails and has no effect.
    Before,
    /// It takes effect, and the answer is lost.
    After,
    /// It arrives late.
    Late(Duration),
    /// It takes effect at once, and the answer comes late.
    LateAnswer(Duration),
    /// It arrives twice; the second answer is the one that is heard.
    Twice,
}

/// Probability of each fault per call, in 0..=1. Other calls pass after their latency.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Odds {
    /// Longest latency of any call and any answer. Without it, nothing can happen between the calls of a component.
    pub latency: Duration,
    /// Of [`Fault::Before`].
    pub before: f64,
    /// Of [`Fault::After`].
    pub after: f64,
    /// Of [`Fault::Late`] and [`Fault::LateAnswer`] together.
    pub late: f64,
    /// The longest delay.
    pub longest: Duration,
    /// Of [`Fault::Twice`].
    pub twice: f64,
    /// That records of different keys change places when they are read.
    pub reorder: f64,
}

/// Draws faults. Clones draw from the same seed, one after the other.
#[derive(Clone)]
pub struct Schedule {
    state: Arc<Mutex<ScheduleState>>,
    trace: Trace,
}

struct ScheduleState {
    random: StdRng,
    odds: Odds,
    cut_off: BTreeSet<String>,
    frozen: BTreeSet<String>,
    struck: u64,
}

impl Schedule {
    /// A schedule without faults until odds are set.
    pub fn new(seed: u64, trace: Trace) -> Self {
        let random = StdRng::seed_from_u64(seed);
        let state = ScheduleState {
            random,
            odds: Odds::default(),
            cut_off: BTreeSet::new(),
            frozen: BTreeSet::new(),
            struck: 0,
        };
        Self { state: Arc::new(Mutex::new(state)), trace }
    }

    /// Sets the odds of every call from now on.
    pub fn set_odds(&self, odds: Odds) {
        self.state().odds = odds;
    }

    /// Cuts a component off from everything that it calls, or connects it again. Answers do not reach it either, those to
    /// calls that were under way included.
    pub fn cut_off(&self, who: &str, is_cut_off: bool) {
        let mut state = self.state();
        if is_cut_off {
            state.cut_off.insert(who.to_owned());
        } else {
            state.cut_off.remove(who);
        }
    }

    /// Whether a component is cut off.
    pub fn is_cut_off(&self, who: &str) -> bool {
        self.state().cut_off.contains(who)
    }

    /// Freezes or thaws a component. Its connections stay open, and nothing answers.
    pub fn freeze(&self, who: &str, stands_still: bool) {
        let mut state = self.state();
        if stands_still {
            state.frozen.insert(who.to_owned());
        } else {
            state.frozen.remove(who);
        }
    }

    /// Whether a component stands still.
    pub fn is_frozen(&self, who: &str) -> bool {
        self.state().frozen.contains(who)
    }

    /// Number of calls that a fault hit.
    pub fn struck(&self) -> u64 {
        self.state().struck
    }

    /// A random number from the same seed, for other decisions of a simulation.
    pub fn pick(&self, range: Range<u64>) -> u64 {
        self.state().random.random_range(range)
    }

    /// Whether an event of this probability happens.
    pub fn happens(&self, odds: f64) -> bool {
        self.state().random.random_bool(odds)
    }

    pub(super) fn strike(&self, who: &str, call: &'static str) -> Fault {
        let fault = self.state().draw(who);
        self.trace.write(format_args!("{who} {call} {fault:?}"));
        fault
    }

    pub(super) fn answered(&self, who: &str, call: &'static str, is_ok: bool) {
        self.trace.write(format_args!("{who} {call} {}", if is_ok { "answered" } else { "failed" }));
    }

    /// How long a call or an answer takes.
    pub(super) fn latency(&self) -> Duration {
        let mut state = self.state();
        let longest = state.odds.latency.as_millis() as u64;
        let milliseconds = if longest == 0 { 0 } else { state.random.random_range(0..=longest) };
        Duration::from_millis(milliseconds)
    }

    pub(super) fn reorders(&self) -> bool {
        let mut state = self.state();
        let odds = state.odds.reorder;
        let reorders = odds > 0.0 && state.random.random_bool(odds);
        state.struck += u64::from(reorders);
        reorders
    }

    fn state(&self) -> MutexGuard<'_, ScheduleState> {
        self.state.lock()
    }
}

impl ScheduleState {
    fn draw(&mut self, who: &str) -> Fault {
        if self.cut_off.contains(who) {
            self.struck += 1;
            return Fault::Before;
        }
        if self.odds == Odds::default() {
            return Fault::None;
        }
        let Odds { before, after, late, longest, twice, .. } = self.odds;
        let mut drawn: f64 = self.random.random();
        let mut is = |odds: f64| {
            drawn -= odds;
            drawn < 0.0
        };
        let fault = if is(before) {
            Fault::Before
        } else if is(after) {
            Fault::After
        } else if is(twice) {
            Fault::Twice
        } else if is(late) {
            let pause = Duration::from_millis(self.random.random_range(0..=longest.as_millis() as u64));
            if self.random.random_bool(0.5) { Fault::Late(pause) } else { Fault::LateAnswer(pause) }
        } else {
            Fault::None
        };
        self.struck += u64::from(fault != Fault::None);
        fault
    }
}
