//! Looks at a run as it goes: how far it is, and what every process has used.

use crate::stage::{CRAWLER, Cluster, GRID, Pages, SERVERS};
use anyhow::{Context, Result, bail};
use domain::CampaignId;
use loadtests::grid::Figures;
use loadtests::process;
use platform::{Clock, SystemClock};
use std::time::{Duration, SystemTime};

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(1);

/// Nothing ended for this long: something is stuck.
const STUCK: Duration = Duration::from_secs(180);

/// What had been done and used at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// Since the first look.
    pub(crate) at: Duration,
    /// Commands to browsers.
    pub(crate) commands: u64,
    /// Pages that browsers requested.
    pub(crate) page_loads: u64,
    /// Instances that had ended, by the queue.
    pub(crate) ended: u64,
    /// Processor time of each of Rutter's processes.
    pub(crate) cpu: Vec<Duration>,
    /// Processor time of the simulated Grid and its site.
    pub(crate) grid_cpu: Duration,
    /// Memory of the crawler.
    pub(crate) crawler_rss_mib: f64,
    /// Sessions of the Grid.
    pub(crate) sessions: u64,
}

impl Look {
    /// Processor time of all of Rutter's processes.
    pub(crate) fn total(&self) -> Duration {
        self.cpu.iter().sum()
    }
}

/// How many outcomes somebody knew of, and when that was answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutcomeCount {
    pub(crate) at: SystemTime,
    pub(crate) outcomes: u64,
}

/// A run as it went.
#[derive(Debug, Default)]
pub(crate) struct Course {
    /// Names of Rutter's processes.
    pub(crate) names: Vec<String>,
    /// From before the first instance was handed in to after the ledger had heard of the last.
    pub(crate) looks: Vec<Look>,
    /// What the queue knew at each look.
    pub(crate) known_to_queue: Vec<OutcomeCount>,
    /// What the ledger knew at each look.
    pub(crate) known_to_ledger: Vec<OutcomeCount>,
    /// What the Grid was asked for, and what it failed.
    pub(crate) figures: Figures,
    /// The most that the crawler held.
    pub(crate) crawler_peak_mib: f64,
    /// Processor time of what is not ours: servers, Grid and site.
    pub(crate) others: Vec<(String, Duration)>,
}

/// Who looks.
pub(crate) struct Watcher<'a> {
    cluster: &'a Cluster,
    pages: &'a Pages,
    campaign: &'a CampaignId,
    ours: Vec<(String, u32)>,
    others: Vec<(String, u32)>,
    clock: SystemClock,
    started: Duration,
    before: Figures,
    others_before: Vec<Duration>,
    course: Course,
}

impl<'a> Watcher<'a> {
    /// Takes the first look.
    pub(crate) async fn begin(cluster: &'a Cluster, pages: &'a Pages, campaign: &'a CampaignId) -> Result<Watcher<'a>> {
        let clock = SystemClock::default();
        let ours = cluster.ours()?;
        let mut others: Vec<(String, u32)> = SERVERS
            .iter()
            .map(|server| Ok(((*server).to_owned(), cluster.servers.process(server)?)))
            .collect::<Result<_>>()?;
        others.push((GRID.to_owned(), pages.child.process()));
        let course = Course { names: ours.iter().map(|(name, _)| name.clone()).collect(), ..Course::default() };
        let mut watcher = Watcher {
            cluster,
            pages,
            campaign,
            ours,
            others,
            clock,
            started: clock.monotonic(),
            before: Figures::default(),
            others_before: Vec::new(),
            course,
        };
        watcher.before = pages.figures().await?;
        watcher.others_before = watcher.used_by_others();
        watcher.look().await?;
        Ok(watcher)
    }

    /// Looks until everything has ended and the ledger has heard of it.
    pub(crate) async fn until_all_ended(mut self, instances: u64) -> Result<Course> {
        let mut moved = self.clock.monotonic();
        loop {
            tokio::time::sleep(EVERY).await;
            let before = self.course.looks.last().map_or(0, |look| look.ended);
            let (ended, counted) = self.look().await?;
            if ended > before {
                moved = self.clock.monotonic();
                eprint!("\r{ended} of {instances} ended  ");
            } else if self.clock.monotonic() - moved > STUCK {
                bail!("only {ended} of {instances} ended, and none for {} s", STUCK.as_secs());
            }
            if ended == instances && counted == instances {
                break;
            }
        }
        eprintln!();
        self.look().await?;
        let crawler = self.cluster.servers.process(CRAWLER)?;
        self.course.crawler_peak_mib = process::usage(crawler).context("the crawler is gone")?.peak_rss_mib;
        let used = self.used_by_others().into_iter().zip(&self.others_before).map(|(after, before)| after - *before);
        self.course.others = self.others.iter().map(|(name, _)| name.clone()).zip(used).collect();
        Ok(self.course)
    }

    /// Takes a look; answers how many instances have ended, by the queue and by the ledger.
    async fn look(&mut self) -> Result<(u64, u64)> {
        let figures = self.pages.figures().await?.since(&self.before);
        self.course.figures = figures;
        let is_first = self.course.looks.is_empty();
        let (ended, counted) = if is_first { (0, 0) } else { self.ask().await? };
        let mut look = Look {
            at: self.clock.monotonic() - self.started,
            commands: figures.commands,
            page_loads: figures.page_loads,
            ended,
            grid_cpu: process::usage(self.pages.child.process()).context("the simulated Grid is gone")?.cpu,
            sessions: figures.sessions,
            ..Look::default()
        };
        for (name, id) in &self.ours {
            let usage = process::usage(*id).with_context(|| format!("{name} is gone"))?;
            look.cpu.push(usage.cpu);
            if CRAWLER.ends_with(name.as_str()) {
                look.crawler_rss_mib = usage.rss_mib;
            }
        }
        self.course.looks.push(look);
        Ok((ended, counted))
    }

    /// Asks the queue and the ledger how many instances have ended.
    async fn ask(&mut self) -> Result<(u64, u64)> {
        let tally = self.cluster.campaigns.status(self.campaign).await?.tally;
        self.course.known_to_queue.push(OutcomeCount { at: self.clock.wall(), outcomes: tally.judged });
        let totals = self.cluster.aggregator.totals(self.campaign).await?;
        self.course.known_to_ledger.push(OutcomeCount { at: self.clock.wall(), outcomes: totals.sum().outcomes() });
        Ok((tally.ended(), totals.ended()))
    }

    fn used_by_others(&self) -> Vec<Duration> {
        self.others.iter().map(|(_, process)| process::family_cpu(*process)).collect()
    }
}

impl Course {
    /// What each part of a number of instances cost in milliseconds per instance, where instances are counted by something
    /// that is done in the course of them. The last one bears what came after the last of it.
    pub(crate) fn parts(&self, instances: u32, part: u32, counted: impl Fn(&Look) -> u64) -> Vec<f64> {
        let (Some(first), Some(last)) = (self.looks.first(), self.looks.last()) else { return Vec::new() };
        let scale = counted(last) as f64 / f64::from(instances);
        let mut before = first.total();
        let mut costs = Vec::new();
        for end in (part..=instances).step_by(part as usize) {
            let after = if end == instances { last.total() } else { self.at(f64::from(end) * scale, &counted) };
            costs.push(after.saturating_sub(before).as_secs_f64() * 1000.0 / f64::from(part));
            before = after;
        }
        costs
    }

    /// Processor time over all of Rutter's processes when so much had been counted, in proportion between two looks.
    fn at(&self, count: f64, counted: impl Fn(&Look) -> u64) -> Duration {
        let looks = self.looks.windows(2).find(|pair| counted(&pair[1]) as f64 >= count);
        let Some([before, after]) = looks else { return self.looks.last().map(Look::total).unwrap_or_default() };
        between((counted(before) as f64, before.total()), (counted(after) as f64, after.total()), count)
    }

    /// The same run with a single one of Rutter's processes.
    pub(crate) fn only(&self, process: usize) -> Course {
        let only = |look: &Look| Look { cpu: look.cpu.get(process).copied().into_iter().collect(), ..look.clone() };
        Course { looks: self.looks.iter().map(only).collect(), ..Course::default() }
    }

    /// The same run with the simulated Grid in the place of Rutter's processes.
    pub(crate) fn of_grid(&self) -> Course {
        let of_grid = |look: &Look| Look { cpu: vec![look.grid_cpu], ..look.clone() };
        Course { looks: self.looks.iter().map(of_grid).collect(), ..Course::default() }
    }

    /// What each of Rutter's processes used in the whole run.
    pub(crate) fn used(&self) -> Vec<(String, Duration)> {
        let (Some(first), Some(last)) = (self.looks.first(), self.looks.last()) else { return Vec::new() };
        let used = last.cpu.iter().zip(&first.cpu).map(|(after, before)| after.saturating_sub(*before));
        self.names.iter().cloned().zip(used).collect()
    }

    /// How long it took.
    pub(crate) fn wall(&self) -> Duration {
        self.looks.last().map(|look| look.at).unwrap_or_default()
    }
}

/// What lies between two points at a place, in proportion.
fn between(from: (f64, Duration), to: (f64, Duration), place: f64) -> Duration {
    let part = if to.0 > from.0 { (place - from.0) / (to.0 - from.0) } else { 1.0 };
    from.1 + to.1.saturating_sub(from.1).mul_f64(part.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_of_each_part_and_the_last_bears_the_rest() {
        let look =
            |commands, ended, ms| Look { commands, ended, cpu: vec![Duration::from_millis(ms)], ..Look::default() };
        let looks = vec![look(0, 0, 100), look(400, 0, 300), look(800, 100, 700), look(800, 200, 800)];
        let course = Course { looks, ..Course::default() };
        let by_commands = |course: &Course, part| course.parts(200, part, |look| look.commands);
        assert_eq!(by_commands(&course, 100), [2.0, 5.0]);
        assert_eq!(course.parts(200, 100, |look| look.ended), [6.0, 1.0]);
        assert_eq!(by_commands(&course, 50), [2.0, 2.0, 4.0, 6.0]);
        assert_eq!(by_commands(&course.only(0), 100), [2.0, 5.0]);
    }
}
