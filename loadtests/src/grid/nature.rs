//! How simulated browsers behave in time: what takes how long, and what fails. All of it follows from a seed.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What commands have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Starting a browser.
    Session,
    /// Making and removing a user context, a tab, settings.
    Context,
    /// Loading a page, beside what the site takes.
    Navigation,
    /// A script's answer.
    Script,
    /// Pointer and keys.
    Input,
    /// A picture.
    Screenshot,
}

/// Times and failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Nature {
    /// How long things take.
    pub latency: Latencies,
    /// How often things fail.
    pub failures: Failures,
}

/// How long each kind of work takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of the kinds of work")]
pub struct Latencies {
    pub session: Latency,
    pub context: Latency,
    pub navigation: Latency,
    pub script: Latency,
    pub input: Latency,
    pub screenshot: Latency,
}

/// A log-normal distribution by two of its quantiles, in milliseconds. Nothing takes any time by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Median.
    pub p50: f64,
    /// What one in a hundred exceeds.
    pub p99: f64,
}

/// How often things fail, as probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Failures {
    /// Of a request for a session: it is refused although there is room.
    pub no_slot: f64,
    /// Of a command: the session is gone.
    pub session_lost: f64,
    /// Of a command to a tab: its page crashes, and the tab answers nothing any more.
    pub page_crash: f64,
    /// Of a command: it takes ten times as long.
    pub slow: f64,
}

/// What fails a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accident {
    /// The whole session.
    SessionLost,
    /// The page of the command's tab.
    PageCrash,
}

impl Latencies {
    /// What headless Chromium takes on a machine that is not busy.
    pub fn of_chromium() -> Latencies {
        let latency = |p50, p99| Latency { p50, p99 };
        Latencies {
            session: latency(400.0, 900.0),
            context: latency(80.0, 150.0),
            navigation: latency(60.0, 200.0),
            script: latency(8.0, 30.0),
            input: latency(25.0, 80.0),
            screenshot: latency(45.0, 90.0),
        }
    }

    fn of(&self, work: Work) -> Latency {
        match work {
            Work::Session => self.session,
            Work::Context => self.context,
            Work::Navigation => self.navigation,
            Work::Script => self.script,
            Work::Input => self.input,
            Work::Screenshot => self.screenshot,
        }
    }
}

/// `none`, `chromium`, or `WORK=P50:P99,…` in milliseconds.
impl FromStr for Latencies {
    type Err = String;

    fn from_str(text: &str) -> Result<Latencies, String> {
        let mut latencies = match text {
            "none" => return Ok(Latencies::default()),
            "chromium" => return Ok(Latencies::of_chromium()),
            _ => Latencies::default(),
        };
        for part in text.split(',') {
            let wrong = || format!("`{part}` is not of the form WORK=P50:P99, e.g. script=8:30");
            let (work, times) = part.split_once('=').ok_or_else(wrong)?;
            let (p50, p99) = times.split_once(':').ok_or_else(wrong)?;
            let number = |text: &str| text.parse::<f64>().ok().filter(|number| *number >= 0.0).ok_or_else(wrong);
            let latency = Latency { p50: number(p50)?, p99: number(p99)? };
            *match work {
                "session" => &mut latencies.session,
                "context" => &mut latencies.context,
                "navigation" => &mut latencies.navigation,
                "script" => &mut latencies.script,
                "input" => &mut latencies.input,
                "screenshot" => &mut latencies.screenshot,
                _ => return Err(format!("`{work}` is no kind of work: {WORKS}")),
            } = latency;
        }
        Ok(latencies)
    }
}

/// As it is read.
impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latencies { session, context, navigation, script, input, screenshot } = self;
        let works = [
            ("session", session),
            ("context", context),
            ("navigation", navigation),
            ("script", script),
            ("input", input),
            ("screenshot", screenshot),
        ];
        listed(f, works.map(|(work, Latency { p50, p99 })| format!("{work}={p50}:{p99}")))
    }
}

/// As it is read.
impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failures { no_slot, session_lost, page_crash, slow } = self;
        let all = [("no_slot", no_slot), ("session_lost", session_lost), ("page_crash", page_crash), ("slow", slow)];
        listed(f, all.map(|(failure, probability)| format!("{failure}={probability}")))
    }
}

fn listed<const N: usize>(f: &mut fmt::Formatter<'_>, parts: [String; N]) -> fmt::Result {
    f.write_str(&parts.join(","))
}

const WORKS: &str = "they are session, context, navigation, script, input, screenshot";

/// `none`, or `FAILURE=PROBABILITY,…`.
impl FromStr for Failures {
    type Err = String;

    fn from_str(text: &str) -> Result<Failures, String> {
        let mut failures = Failures::default();
        if text == "none" {
            return Ok(failures);
        }
        for part in text.split(',') {
            let wrong = || format!("`{part}` is not of the form FAILURE=PROBABILITY, e.g. session_lost=0.0001");
            let (failure, probability) = part.split_once('=').ok_or_else(wrong)?;
            let probability = probability.parse().ok().filter(|it| (0.0..=1.0).contains(it)).ok_or_else(wrong)?;
            *match failure {
                "no_slot" => &mut failures.no_slot,
                "session_lost" => &mut failures.session_lost,
                "page_crash" => &mut failures.page_crash,
                "slow" => &mut failures.slow,
                _ => return Err(format!("`{failure}` is no failure: no_slot, session_lost, page_crash, slow")),
            } = probability;
        }
        Ok(failures)
    }
}

/// Draws what happens, in a sequence that its seed and number determine.
#[derive(Debug)]
pub(super) struct Dice {
    nature: Nature,
    rng: StdRng,
}

impl Dice {
    pub(super) fn new(nature: Nature, seed: u64, number: u64) -> Dice {
        // Neighbouring numbers must not give neighbouring sequences.
        Dice { nature, rng: StdRng::seed_from_u64(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)) }
    }

    /// How long some work takes this time.
    pub(super) fn takes(&mut self, work: Work) -> Duration {
        let Latency { p50, p99 } = self.nature.latency.of(work);
        let is_slow = self.happens(self.nature.failures.slow);
        if p50 <= 0.0 {
            return Duration::ZERO;
        }
        let sigma = (p99 / p50).max(1.0).ln() / 2.326; // the 99th percentile of the normal distribution
        let milliseconds = p50 * (sigma * self.normal()).exp() * if is_slow { 10.0 } else { 1.0 };
        Duration::from_secs_f64(milliseconds / 1000.0)
    }

    /// What fails a command this time.
    pub(super) fn accident(&mut self) -> Option<Accident> {
        let Failures { session_lost, page_crash, .. } = self.nature.failures;
        if self.happens(session_lost) {
            Some(Accident::SessionLost)
        } else if self.happens(page_crash) {
            Some(Accident::PageCrash)
        } else {
            None
        }
    }

    /// Whether a session is refused this time.
    pub(super) fn refuses(&mut self) -> bool {
        self.happens(self.nature.failures.no_slot)
    }

    fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.rng.random_bool(probability)
    }

    /// The standard normal distribution, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (radius, angle): (f64, f64) = (1.0 - self.rng.random::<f64>(), self.rng.random());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let latencies = Latencies::of_chromium();
        assert_eq!(latencies.to_string().parse(), Ok(latencies));
        let failures = Failures { no_slot: 0.5, slow: 1e-3, ..Failures::default() };
        assert_eq!(failures.to_string().parse(), Ok(failures));
    }

    #[test]
    fn times_follow_their_quantiles_and_the_seed() {
        let nature = Nature { latency: Latencies::of_chromium(), ..Nature::default() };
        let draw = |seed| {
            let mut dice = Dice::new(nature, seed, 1);
            (0..10_000).map(|_| dice.takes(Work::Input)).collect::<Vec<_>>()
        };
        let mut times = draw(1);
        assert!(times == draw(1) && times != draw(2));
        times.sort();
        let milliseconds = |index: usize| times[index].as_secs_f64() * 1000.0;
        assert!((24.0..26.0).contains(&milliseconds(5_000)), "{}", milliseconds(5_000));
        assert!((70.0..90.0).contains(&milliseconds(9_900)), "{}", milliseconds(9_900));
    }

    #[test]
    fn what_is_written_is_what_is_meant() {
        let latencies: Latencies = "script=8:30,input=1:2".parse().unwrap();
        assert_eq!((latencies.script.p99, latencies.session.p50), (30.0, 0.0));
        assert!("scripts=8:30".parse::<Latencies>().unwrap_err().contains("no kind of work"));
        assert!("session_lost=2".parse::<Failures>().is_err());
    }
}
