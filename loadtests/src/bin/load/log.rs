//! The run as the event log has it, read when it is over.

use crate::follow::OutcomeCount;
use anyhow::{Context, Result};
use backends::log::{KafkaLog, KafkaOptions};
use domain::campaign::Closing;
use domain::storage::log::{EventLog as _, Topic};
use domain::{EpisodeId, JobId};
use proto::Record;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Records asked for with one call.
const AT_ONCE: usize = 2000;

/// What is kept of the records.
#[derive(Default)]
pub(crate) struct Records {
    steps: BTreeMap<(EpisodeId, u32), Step>,
    ends: BTreeMap<EpisodeId, End>,
    /// Attempts of which anything was written.
    attempts: BTreeSet<EpisodeId>,
    /// When the first of these began, by job.
    began: BTreeMap<JobId, SystemTime>,
    /// When the first verdict was written, by job.
    judged: BTreeMap<JobId, SystemTime>,
}

struct Step {
    decide_ms: f64,
    act_ms: f64,
    /// When it was done, since the attempt began.
    at_ms: f64,
    written: SystemTime,
}

impl Step {
    /// When its decision was asked for, since the attempt began.
    fn began_ms(&self) -> f64 {
        self.at_ms - self.act_ms - self.decide_ms
    }
}

struct End {
    wall_ms: f64,
    written: SystemTime,
}

impl Records {
    /// Reads all that the log has.
    pub(crate) async fn read(brokers: String) -> Result<Records> {
        let log = KafkaLog::open(KafkaOptions { brokers, ..KafkaOptions::default() }).await?;
        let mut records = Records::default();
        for topic in [Topic::Trajectories, Topic::Outcomes] {
            for partition in 0..log.partitions(topic).await? {
                let mut from = 0;
                loop {
                    let read = log.read(topic, partition, from, AT_ONCE).await?;
                    let Some(last) = read.last() else { break };
                    from = last.place.offset + 1;
                    for record in &read {
                        records.take(&record.record).with_context(|| format!("read a record of {}", topic.as_str()))?;
                    }
                }
            }
        }
        Ok(records)
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        let envelope = proto::decode(bytes)?;
        let written = envelope.time;
        match envelope.record {
            Record::StepTaken(taken) => {
                self.attempted(taken.job, taken.episode);
                let domain::Step { number, decide_ms, act_ms, at_ms, .. } = taken.step;
                self.steps.insert((taken.episode, number), Step { decide_ms, act_ms, at_ms, written });
            }
            Record::Closing(closing) => match *closing {
                Closing::Judged(outcome) => {
                    self.attempted(outcome.job.clone(), outcome.episode);
                    let first = self.judged.entry(outcome.job).or_insert(written);
                    *first = written.min(*first);
                    self.ends.insert(outcome.episode, End { wall_ms: outcome.wall_ms, written });
                }
                Closing::Lost(lost) => self.attempted(lost.ticket.job, lost.episode),
                Closing::Quarantined(_) | Closing::Cancelled { .. } | Closing::Reopened { .. } => {}
            },
            Record::Submission(_) | Record::TransitionTaken(_) | Record::PageVisit(_) | Record::Poison(_) => {}
        }
        Ok(())
    }

    /// Remembers an attempt, and when it began: its id says that, to the millisecond.
    fn attempted(&mut self, job: JobId, episode: EpisodeId) {
        self.attempts.insert(episode);
        let Some(began) = episode.0.get_timestamp() else { return };
        let (seconds, nanoseconds) = began.to_unix();
        let began = UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        let first = self.began.entry(job).or_insert(began);
        *first = began.min(*first);
    }

    /// Different jobs with a verdict.
    pub(crate) fn judged_jobs(&self) -> u64 {
        self.judged.len() as u64
    }

    /// Attempts that left something and have no verdict.
    pub(crate) fn lost_attempts(&self) -> u64 {
        (self.attempts.len() - self.ends.len()) as u64
    }

    /// Different steps of some attempts.
    pub(crate) fn steps_of(&self, episodes: &BTreeSet<EpisodeId>) -> u64 {
        self.steps.keys().filter(|(episode, _)| episodes.contains(episode)).count() as u64
    }

    /// What took how long in each attempt, in milliseconds.
    pub(crate) fn hops(&self) -> Vec<(&'static str, Vec<f64>)> {
        let of_steps = |number: fn(&Step) -> f64| self.steps.values().map(number).collect::<Vec<_>>();
        let first = |((_, number), step): (&(EpisodeId, u32), &Step)| (*number == 1).then(|| step.began_ms());
        let neighbours = self.steps.iter().zip(self.steps.iter().skip(1));
        let of_one = neighbours.filter(|(((episode, _), _), ((next, _), _))| episode == next);
        let recorded = of_one.map(|((_, step), (_, next))| next.began_ms() - step.at_ms);
        let mut last_steps: BTreeMap<EpisodeId, &Step> = BTreeMap::new();
        for ((episode, _), step) in &self.steps {
            last_steps.insert(*episode, step);
        }
        let closing = |(episode, end): (&EpisodeId, &End)| {
            let after = end.written.duration_since(last_steps.get(episode)?.written).ok()?;
            Some(after.as_secs_f64() * 1000.0)
        };
        vec![
            ("attempt begun → first question to the planner", self.steps.iter().filter_map(first).collect()),
            ("decide, as the crawler sees it", of_steps(|step| step.decide_ms)),
            ("act, settle, observe", of_steps(|step| step.act_ms)),
            ("step done → next question asked", recorded.collect()),
            ("last step in the log → outcome in the log", self.ends.iter().filter_map(closing).collect()),
            ("whole attempt", self.ends.values().map(|end| end.wall_ms).collect()),
        ]
    }

    /// For how long each job waited, from the call that handed it in to the beginning of its first attempt that left
    /// anything, in milliseconds.
    pub(crate) fn waited(&self, handed_in: &BTreeMap<JobId, SystemTime>) -> Vec<f64> {
        let waited = |(job, began): (&JobId, &SystemTime)| Some(milliseconds(*handed_in.get(job)?, *began));
        self.began.iter().filter_map(waited).collect()
    }

    /// How far somebody was behind the outcomes of the log at each look.
    pub(crate) fn behind(&self, looks: &[OutcomeCount]) -> Vec<f64> {
        let mut written: Vec<SystemTime> = self.judged.values().copied().collect();
        written.sort();
        behind(&written, looks)
    }
}

/// How old the oldest outcome was that somebody did not know of, in milliseconds, at each look while there were any to hear
/// of; 0 where everything was known. Outcomes are taken to become known in the order in which they were written.
fn behind(written: &[SystemTime], looks: &[OutcomeCount]) -> Vec<f64> {
    let (Some(first), Some(last)) = (written.first(), written.last()) else { return Vec::new() };
    let has_more = |look: &&OutcomeCount| look.at <= *last || look.outcomes < written.len() as u64;
    let telling = looks.iter().filter(|look| look.at >= *first).filter(has_more);
    let age =
        |look: &OutcomeCount| written.get(look.outcomes as usize).map_or(0.0, |oldest| milliseconds(*oldest, look.at));
    telling.map(age).collect()
}

/// The time between two moments; none where the second is the earlier one.
fn milliseconds(from: SystemTime, to: SystemTime) -> f64 {
    to.duration_since(from).unwrap_or_default().as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Builder;

    fn at(milliseconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(milliseconds)
    }

    #[test]
    fn who_reads_is_as_far_behind_as_the_oldest_outcome_is_old_that_it_does_not_know() {
        let written = [1000, 2000, 3000].map(at);
        let look = |ms, outcomes| OutcomeCount { at: at(ms), outcomes };
        let looks = [look(900, 0), look(1500, 1), look(2300, 1), look(2900, 1), look(3100, 2), look(3200, 3)];
        assert_eq!(behind(&written, &looks), [0.0, 300.0, 900.0, 100.0]);
        assert_eq!(behind(&[], &looks), [0.0; 0]);
    }

    #[test]
    fn a_job_waits_until_its_first_attempt_begins() {
        let mut records = Records::default();
        let attempt = |ms| EpisodeId(Builder::from_unix_timestamp_millis(ms, &[0; 10]).into_uuid());
        records.attempted(JobId::new("a"), attempt(7000));
        records.attempted(JobId::new("a"), attempt(5000));
        records.attempted(JobId::new("b"), attempt(5000));
        assert_eq!(records.waited(&BTreeMap::from([(JobId::new("a"), at(4000))])), [1000.0]);
        assert_eq!(records.lost_attempts(), 2, "equal ids are one attempt");
    }
}
