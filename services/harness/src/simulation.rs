//! Simulates a whole cluster in one thread and without real time: the real queue, ledger, planner pool and crawlers on
//! the column in memory, while faults are injected.
//!
//! [`run`] plays one seed. Everything random comes from the seed, and time is tokio's paused clock, which jumps to the next
//! thing that is due; so a seed plays out the same way every time, whatever machine it is on. What must hold is in [`check`]:
//! - every job has exactly one end, and the queue, the ledger and the log agree which;
//! - totals are those that a plain recount of the log gives, at every crash and at the end: no effect is missing below a
//!   stored offset, and none is there twice;
//! - a fence is given once;
//! - no host is visited faster than its rate, whatever is emptied;
//! - no attempt is lost because a planner did not answer;
//! - nothing panics.
//!
//! Sites, browsers and what the planners decide are made up; nothing here opens a socket or a file.

mod balancer;
mod chaos;
mod check;
mod client;
mod clock;
mod column;
mod crawlers;
mod panics;
mod planners;
mod recount;
mod services;
mod site;
mod witness;
mod world;

pub use clock::SimulatedClock;
pub use column::Column;

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;
use strum::{EnumString, IntoStaticStr, VariantArray};
use tokio::runtime::Builder;

/// The command line's word for no faults.
const NONE: &str = "none";

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// Crawlers and services die at any moment and are restarted after a while.
    Crash,
    /// They are shut down and restarted.
    Restart,
    /// A component is cut off for a while, in both directions; calls under way may take effect but are not answered.
    Partition,
    /// Calls fail, or take effect and lose their answer.
    Loss,
    /// Calls and answers come late.
    Delay,
    /// Calls arrive twice, and records are read again.
    Duplicate,
    /// Records of different keys change places, and partitions change hands.
    Reorder,
    /// Clocks of different components are seconds apart, and jump.
    Skew,
    /// Shared state is emptied.
    Empty,
    /// Browsers crash or are unavailable.
    Browser,
    /// Planners freeze for a while: connections stay open, and nothing answers.
    Freeze,
}

impl Kind {
    /// Every kind.
    pub const ALL: &[Kind] = Kind::VARIANTS;

    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kinds of names that are separated by commas; `none` is no kind.
    ///
    /// # Errors
    /// A sentence that names the kinds.
    pub fn parse(names: &str) -> Result<BTreeSet<Kind>, String> {
        if names == NONE {
            return Ok(BTreeSet::new());
        }
        let known = Kind::shown(Kind::ALL);
        let unknown = |name| format!("there is no fault `{name}`; there are {known}, or {NONE}");
        names.split(',').map(|name| name.parse().map_err(|_| unknown(name))).collect()
    }

    /// The names of kinds, as [`Kind::parse`] reads them.
    pub fn shown(kinds: &[Kind]) -> String {
        match kinds {
            [] => NONE.to_owned(),
            kinds => kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(","),
        }
    }
}

/// What is played.
#[derive(Clone)]
pub struct Options {
    /// The seed of everything random.
    pub seed: u64,
    /// The faults to inject.
    pub faults: BTreeSet<Kind>,
    /// What it runs on: [`Column::sound`], or one with a mistake in it.
    pub column: fn(&SimulatedClock) -> Column,
    /// How many of the last lines of the trace are kept.
    pub trace: usize,
    /// For how long things are made to fail.
    pub rage: Duration,
}

/// For how long things are made to fail, unless somebody says otherwise: about as long as most jobs take.
const RAGE: Duration = Duration::from_secs(8);

impl Options {
    /// A seed with some faults, on a column without mistakes.
    pub fn new(seed: u64, faults: impl IntoIterator<Item = Kind>) -> Self {
        Self { seed, faults: faults.into_iter().collect(), column: Column::sound, trace: 40, rage: RAGE }
    }

    fn has(&self, kind: Kind) -> bool {
        self.faults.contains(&kind)
    }
}

/// How a seed played out.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What went wrong on purpose.
    pub faults: Vec<Kind>,
    /// What must hold and did not, in sentences.
    pub violations: Vec<String>,
    /// The hash of everything that happened.
    pub digest: String,
    /// The last lines of the trace.
    pub trace: Vec<String>,
    /// Calls that something happened to.
    pub struck: u64,
    /// Things that happened to components: deaths, partitions, jumps of clocks and the like.
    pub events: u64,
    /// What was killed in which stage of the campaign that has stages: the role, and the number of the stage.
    pub killed: BTreeSet<(String, u32)>,
    /// Records that came again, or after the end of their job.
    pub redeliveries: u64,
    /// Attempts that came to no outcome.
    pub lost_attempts: u64,
    /// Questions that a planner did not answer: it died, stood still or was cut off.
    pub unanswered: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = Kind::shown(&self.faults);
        writeln!(f, "seed {} with faults {faults}:", self.seed)?;
        for violation in &self.violations {
            writeln!(f, "  violated: {violation}")?;
        }
        writeln!(f, "  the last of what happened:")?;
        for line in &self.trace {
            writeln!(f, "  {line}")?;
        }
        let seed = self.seed;
        write!(
            f,
            "  to play it again: cargo run -p harness --bin simulate -- --seed {seed} --faults {faults} --trace 100000"
        )
    }
}

/// Plays one seed.
///
/// # Panics
/// When the machine gives no runtime.
pub fn run(options: &Options) -> Report {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime of one thread");
    let (mut report, panics) = panics::seen(|| runtime.block_on(world::play(options)));
    report.violations.extend(panics.iter().map(|panic| panic.replace('\n', " ")));
    report
}
