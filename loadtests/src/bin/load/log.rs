//! The run as the event log has it, read when it is over.

use anyhow::{Context, Result};
use backends::log::{KafkaLog, KafkaOptions};
use domain::EpisodeId;
use domain::campaign::Closing;
use domain::storage::log::{EventLog as _, Topic};
use proto::Record;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// Records asked for with one call.
const AT_ONCE: usize = 2000;

/// What is kept of the records.
#[derive(Default)]
pub(crate) struct Records {
    steps: BTreeMap<(EpisodeId, u32), Step>,
    ends: BTreeMap<EpisodeId, End>,
    jobs: BTreeSet<String>,
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
                let domain::Step { number, decide_ms, act_ms, at_ms, .. } = taken.step;
                self.steps.insert((taken.episode, number), Step { decide_ms, act_ms, at_ms, written });
            }
            Record::Closing(closing) => {
                if let Closing::Judged(outcome) = *closing {
                    self.jobs.insert(outcome.job.0);
                    self.ends.insert(outcome.episode, End { wall_ms: outcome.wall_ms, written });
                }
            }
            Record::Submission(_) | Record::TransitionTaken(_) | Record::Poison(_) => {}
        }
        Ok(())
    }

    /// Different jobs with a verdict.
    pub(crate) fn judged_jobs(&self) -> u64 {
        self.jobs.len() as u64
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
}
