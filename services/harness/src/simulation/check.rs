//! Checks the invariants, while components die and at the end.

use super::client::{CAMPAIGNS, STAGED};
use super::column::Column;
use super::recount::{JobEnd, Recount, Standing, ends};
use super::world::World;
use domain::job::Outcome;
use domain::ledger::Totals;
use domain::stage::BETWEEN;
use domain::storage::StorageError;
use domain::storage::jobs::CampaignStanding;
use domain::storage::log::{Offsets, Topic};
use domain::{CampaignId, JobId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::UNIX_EPOCH;

/// The number of the last stage: of those that were handed in, of those tried again, of the study.
const LAST_STAGE: u32 = 3;

/// The groups of consumers.
const QUEUE: &str = "campaigns";
const LEDGER: &str = "aggregator";

/// Checks that stored totals equal the effects of the log below the stored offsets.
pub(super) async fn what_is_stored(world: &World) {
    for (what, difference) in differences(&world.column).await.unwrap_or_else(|error| failed(&error)) {
        world.witness.violated(format!("{what}: {difference}"));
    }
}

/// Checks everything that must hold at the end.
pub(super) async fn everything(world: &World) {
    what_is_stored(world).await;
    for (campaign, count) in CAMPAIGNS {
        let campaign = CampaignId::new(campaign);
        if let Err(difference) = every_job_has_one_end(&world.column, &campaign, count).await {
            world.witness.violated(format!("campaign {campaign}: {difference}"));
        }
    }
    match undecided(&world.column).await {
        Ok(0) => {}
        Ok(lost) => world.witness.violated(format!("{lost} attempts were lost because no planner answered")),
        Err(error) => world.witness.violated(format!("looking: {error}")),
    }
}

/// Redeliveries and lost attempts, over all campaigns.
pub(super) async fn figures(world: &World) -> (u64, u64) {
    let mut figures = (0, 0);
    for (campaign, _) in CAMPAIGNS {
        if let Ok(totals) = world.column.results.totals(&CampaignId::new(campaign)).await {
            figures.0 += totals.redeliveries;
            figures.1 += totals.lost_attempts;
        }
    }
    figures
}

/// The stage at hand of the campaign that has stages; 0 before it is there, and one more than the last when all of it has ended.
pub(super) async fn stage(column: &Column) -> u32 {
    let standings = column.jobs.campaigns(Some(&CampaignId::new(STAGED)), UNIX_EPOCH).await.unwrap_or_default();
    let stage = |standing: &CampaignStanding| match standing.tally.ended() == standing.tally.jobs {
        true if standing.stage == LAST_STAGE => LAST_STAGE + 1,
        _ => standing.stage,
    };
    standings.first().map(stage).unwrap_or_default()
}

/// Attempts of which the log says that no planner answered.
async fn undecided(column: &Column) -> Result<u64, StorageError> {
    let all = ends(&column.log, Topic::Outcomes).await?;
    Ok(Recount::of(&column.log, &all, &Standing::new()).await?.undecided())
}

/// Whether every job has ended and all that was written is read.
pub(super) async fn is_at_rest(column: &Column) -> Result<(), String> {
    let said = |error: StorageError| error.to_string();
    for (campaign, count) in CAMPAIGNS {
        let standing = column.jobs.campaigns(Some(&CampaignId::new(campaign)), UNIX_EPOCH).await.map_err(said)?;
        let (tally, stage) = standing.first().map(|it| (it.tally.clone(), it.stage)).unwrap_or_default();
        let is_in_last = campaign != STAGED || stage == LAST_STAGE;
        if !is_in_last || tally.jobs < u64::from(count) || tally.ended() != tally.jobs {
            return Err(format!("campaign {campaign} stands at {tally:?}, stage {stage}"));
        }
    }
    let outbox = column.jobs.outbox(usize::MAX).await.map_err(said)?;
    if !outbox.is_empty() {
        return Err(format!("there are {} records in the outbox", outbox.len()));
    }
    let readers: [(&str, Topic, &dyn Offsets); 4] = [
        (QUEUE, Topic::Outcomes, column.jobs.as_ref()),
        (QUEUE, Topic::Jobs, column.jobs.as_ref()),
        (LEDGER, Topic::Outcomes, column.results.as_ref()),
        (LEDGER, Topic::Trajectories, column.results.as_ref()),
    ];
    for (group, topic, offsets) in readers {
        let (stored, end) =
            (offsets.offsets(group, topic).await.map_err(said)?, ends(&column.log, topic).await.map_err(said)?);
        if stored != end {
            return Err(format!("{group} has read {} up to {stored:?} of {end:?}", topic.as_str()));
        }
    }
    Ok(())
}

type Differences = Vec<(String, String)>;

fn failed(error: &StorageError) -> Differences {
    vec![("looking".to_owned(), error.to_string())]
}

async fn differences(column: &Column) -> Result<Differences, StorageError> {
    let read_by_queue = column.jobs.offsets(QUEUE, Topic::Outcomes).await?;
    let read_by_ledger = column.results.offsets(LEDGER, Topic::Outcomes).await?;
    let steps = column.results.offsets(LEDGER, Topic::Trajectories).await?;
    let for_queue = Recount::of(&column.log, &read_by_queue, &Standing::new()).await?;
    let for_ledger = Recount::of(&column.log, &read_by_ledger, &steps).await?;
    let mut differences = Differences::new();
    for (campaign, _) in CAMPAIGNS {
        let campaign = CampaignId::new(campaign);
        let standing = column.jobs.campaigns(Some(&campaign), UNIX_EPOCH).await?;
        if let Some(tally) = standing.first().map(|standing| &standing.tally) {
            let has = (tally.judged, tally.quarantined, tally.cancelled);
            let says = by_end(&for_queue, &campaign);
            if has != says {
                let difference = format!("has (judged, quarantined, cancelled) {has:?}, the log says {says:?}");
                differences.push((format!("the queue on {campaign}"), difference));
            }
        }
        let (has, says) = (figures_of(&column.results.totals(&campaign).await?), recounted(&for_ledger, &campaign));
        if has != says {
            differences.push((format!("the ledger on {campaign}"), format!("has {has:?}, the log says {says:?}")));
        }
    }
    Ok(differences)
}

/// Jobs that are judged, quarantined and cancelled.
fn by_end(recount: &Recount, campaign: &CampaignId) -> (u64, u64, u64) {
    let mut counts = (0, 0, 0);
    for said in recount.of_campaign(campaign) {
        match said.end {
            Some(JobEnd::Judged(_)) => counts.0 += 1,
            Some(JobEnd::Quarantined(_)) => counts.1 += 1,
            Some(JobEnd::Cancelled) => counts.2 += 1,
            None => {}
        }
    }
    counts
}

/// Totals in whole numbers.
#[derive(Debug, Default, PartialEq)]
struct Figures {
    /// Outcomes by site, task and verdict.
    outcomes: BTreeMap<(String, String, String), u64>,
    quarantined: u64,
    cancelled: u64,
    steps: u64,
    tokens: u64,
    rewards: u64,
    redeliveries: u64,
    lost_attempts: u64,
    lost_tokens: u64,
}

fn figures_of(totals: &Totals) -> Figures {
    let sum = totals.sum();
    let cells = totals.cells.iter().flat_map(|(cell, count)| {
        let name = |verdict: &str| (cell.site.to_string(), cell.task.to_string(), verdict.to_owned());
        count.verdicts.iter().map(move |(verdict, number)| (name(verdict.as_str()), *number))
    });
    Figures {
        outcomes: cells.collect(),
        quarantined: totals.quarantined,
        cancelled: totals.cancelled,
        steps: sum.steps,
        tokens: sum.usage.prompt_tokens,
        rewards: sum.reward_sum.round() as u64,
        redeliveries: totals.redeliveries,
        lost_attempts: totals.lost_attempts,
        lost_tokens: totals.lost_usage.prompt_tokens,
    }
}

fn recounted(recount: &Recount, campaign: &CampaignId) -> Figures {
    let mut figures = Figures::default();
    for said in recount.of_campaign(campaign) {
        match &said.end {
            Some(JobEnd::Judged(outcome)) => {
                let Outcome { site, task, verdict, .. } = outcome.as_ref();
                let cell = (site.to_string(), task.to_string(), verdict.kind.as_str().to_owned());
                *figures.outcomes.entry(cell).or_default() += 1;
                figures.steps += u64::from(outcome.steps);
                figures.tokens += outcome.usage.prompt_tokens;
                figures.rewards += outcome.reward.unwrap_or_default() as u64;
            }
            Some(JobEnd::Quarantined(_)) => figures.quarantined += 1,
            Some(JobEnd::Cancelled) => figures.cancelled += 1,
            None => {}
        }
        let (attempts, tokens) = said.lost();
        figures.redeliveries += said.redeliveries;
        figures.lost_attempts += attempts;
        figures.lost_tokens += tokens;
    }
    figures
}

async fn every_job_has_one_end(column: &Column, campaign: &CampaignId, count: u32) -> Result<(), String> {
    let said = |error: StorageError| error.to_string();
    let outcomes = ends(&column.log, Topic::Outcomes).await.map_err(said)?;
    let recount = Recount::of(&column.log, &outcomes, &Standing::new()).await.map_err(said)?;
    let ended: BTreeMap<&JobId, &JobEnd> = recount.ends_of(campaign).collect();
    let count = if campaign.as_str() == STAGED { stages_are_exact(&ended, count)? } else { count };
    if ended.len() != count as usize {
        return Err(format!("{} of {count} jobs have an end in the log", ended.len()));
    }
    let totals = column.results.totals(campaign).await.map_err(said)?;
    if totals.ended() != u64::from(count) {
        return Err(format!("the ledger counts {} ends of {count} jobs", totals.ended()));
    }
    let accepted = column.results.outcomes(campaign, None, usize::MAX).await.map_err(said)?;
    let by_log = ended.into_values().filter_map(|end| match end {
        JobEnd::Judged(outcome) => Some(outcome.as_ref()),
        JobEnd::Quarantined(_) | JobEnd::Cancelled => None,
    });
    // The recount is in order of the jobs' names, as are the outcomes.
    if !accepted.iter().eq(by_log) {
        return Err("the outcomes in the ledger are not those that came first in the log".to_owned());
    }
    for outcome in &accepted {
        if column.blobs.get(&outcome.trajectory).await.map_err(said)?.is_none() {
            return Err(format!("the trajectory of job {} is not stored", outcome.job));
        }
    }
    Ok(())
}

/// That the jobs of each stage follow from how those of the stage before ended; returns how many there must be in all.
fn stages_are_exact(ended: &BTreeMap<&JobId, &JobEnd>, handed_in: u32) -> Result<u32, String> {
    let (again, first): (Vec<_>, Vec<_>) = ended.iter().partition(|(id, _)| id.as_str().contains(BETWEEN));
    let studies = again.iter().filter(|(id, _)| id.as_str().starts_with(BETWEEN)).count();
    let did_not_pass = |end: &JobEnd| match end {
        JobEnd::Judged(outcome) => !outcome.verdict.kind.is_success(),
        JobEnd::Quarantined(_) => true,
        JobEnd::Cancelled => false,
    };
    let failed = first.iter().filter(|(_, end)| did_not_pass(end)).map(|(id, _)| format!("{id}{BETWEEN}again"));
    let wanted: BTreeSet<String> = failed.collect();
    let has: BTreeSet<String> =
        again.iter().map(|(id, _)| id.to_string()).filter(|id| !id.starts_with(BETWEEN)).collect();
    if has != wanted || studies != 1 || wanted.len() < handed_in as usize / 2 {
        return Err(format!("tried again were {has:?}, to be tried {wanted:?}, with {studies} studies"));
    }
    Ok(handed_in + wanted.len() as u32 + 1)
}
