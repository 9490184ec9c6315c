//! Creates campaigns and submits jobs.

use crate::queue::entry::{JobState, milliseconds};
use crate::queue::memory::{no_campaign, other_settings, other_work, was_cancelled};
use crate::queue::rows::{LaneChanges, begins, campaign as campaign_of, numbers};
use crate::queue::stages;
use crate::sql::{Pool, Transaction, Value, json, values};
use domain::campaign::{Campaign, Wish};
use domain::storage::StorageError;
use domain::storage::jobs::Submission;
use domain::{CampaignId, Job, JobId};
use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

/// Creates a campaign; false if it already exists.
pub(super) async fn create(pool: &Pool, campaign: &Campaign) -> Result<bool, StorageError> {
    let mut open = pool.begin("create a campaign").await?;
    let id = campaign.id.as_str();
    let stages = if campaign.stages.is_some() { "[]" } else { "" };
    // Reserving a number serializes concurrent creations before either checks for duplicates.
    let number = numbers(&mut open, "campaign", 1).await?;
    if let Some(row) = open.row("SELECT settings, wish FROM queue_campaigns WHERE id = $1", &values![id]).await? {
        return if campaign_of(&row)?.0 == *campaign { Ok(false) } else { Err(other_settings(campaign)) };
    }
    open.run(
        "INSERT INTO queue_campaigns (id, number, settings, wish, jobs, stages) VALUES ($1, $2, $3, $4, 0, $5)",
        &values![id, number, &json(campaign)?, <&str>::from(Wish::Run), stages],
    )
    .await?;
    open.commit().await?;
    Ok(true)
}

/// Adds jobs; returns for each whether it was new, or why it was refused. The caller decides whether to commit the
/// others.
pub(super) async fn place(
    open: &mut Transaction,
    submissions: &[&Submission],
    now: SystemTime,
) -> Result<Vec<Result<bool, StorageError>>, StorageError> {
    let mut by_campaign: BTreeMap<&CampaignId, Vec<usize>> = BTreeMap::new();
    for (index, submission) in submissions.iter().enumerate() {
        by_campaign.entry(&submission.job.campaign).or_default().push(index);
    }
    let mut placed: BTreeMap<usize, Result<bool, StorageError>> = BTreeMap::new();
    let mut lanes = LaneChanges::default();
    let mut locked = Vec::new();
    for (campaign, indexes) in by_campaign {
        let row = open
            .row(
                "SELECT settings, wish, jobs, stages FROM queue_campaigns WHERE id = $1 FOR UPDATE",
                &values![campaign.as_str()],
            )
            .await?;
        match row {
            Some(row) => locked.push((campaign, campaign_of(&row)?, row.number("jobs")?, begins(&row)?, indexes)),
            None => placed.extend(indexes.into_iter().map(|index| (index, Err(no_campaign(campaign))))),
        }
    }
    for (campaign, (settings, wish), first, begins, indexes) in locked {
        let names: Vec<&JobId> = indexes.iter().map(|index| &submissions[*index].job.id).collect();
        let mut there = jobs_there(open, campaign, &names).await?;
        let mut new: Vec<(&Submission, String)> = Vec::new();
        let refusal = |new: &Vec<_>, job| stages::refusal(&settings, &begins, first + new.len() as i64, job);
        for index in indexes {
            let submission = submissions[index];
            let job = &submission.job;
            let encoded = json(job)?;
            let result = match there.get(job.id.as_str()) {
                Some(stored) if is_same(stored, job, &encoded)? => Ok(false),
                Some(_) => Err(other_work(job)),
                None if wish == Wish::Cancel => Err(was_cancelled(campaign)),
                None if let Some(refusal) = refusal(&new, job) => Err(refusal),
                None => {
                    there.insert(job.id.as_str().to_owned(), encoded.clone());
                    new.push((submission, encoded));
                    Ok(true)
                }
            };
            placed.insert(index, result);
        }
        insert(open, campaign, first, &new, now).await?;
        for (submission, _) in &new {
            lanes.add(submission);
        }
    }
    lanes.save(open).await?;
    Ok(placed.into_values().collect())
}

/// The stored work of the named jobs, by name.
async fn jobs_there(
    open: &mut Transaction,
    campaign: &CampaignId,
    names: &[&JobId],
) -> Result<HashMap<String, String>, StorageError> {
    let wanted: Vec<Vec<Value<'_>>> =
        names.iter().map(|name| values![campaign.as_str(), name.as_str()].to_vec()).collect();
    let rows = open
        .rows_with_rows(
            "SELECT queue.id, queue.job FROM queue
             JOIN ({rows}) AS wanted ON queue.campaign = wanted.column1 AND queue.id = wanted.column2",
            &wanted,
        )
        .await?;
    rows.iter().map(|row| Ok((row.text("id")?, row.text("job")?))).collect()
}

/// Whether a stored job equals a submitted one. Another version of Rutter may have serialized it differently.
fn is_same(stored: &str, job: &Job, encoded: &str) -> Result<bool, StorageError> {
    if stored == encoded {
        return Ok(true);
    }
    let read = |text: &str| {
        serde_json::from_str::<Job>(text).map_err(|cause| {
            StorageError::Corrupt(format!("read job `{}` of campaign `{}`: {cause}", job.id, job.campaign))
        })
    };
    Ok(read(stored)? == read(encoded)?)
}

/// Appends jobs to those of a campaign, from a position on.
pub(super) async fn insert(
    open: &mut Transaction,
    campaign: &CampaignId,
    first: i64,
    new: &[(&Submission, String)],
    now: SystemTime,
) -> Result<(), StorageError> {
    if new.is_empty() {
        return Ok(());
    }
    let now = milliseconds(now);
    let rows: Vec<Vec<Value<'_>>> = (first..)
        .zip(new)
        .map(|(position, (submission, job))| {
            values![
                campaign.as_str(),
                position,
                submission.job.id.as_str(),
                submission.site.as_str(),
                &submission.host,
                job,
                &submission.trace_parent,
                <&str>::from(JobState::Waiting),
                0,
                now,
                "",
                0,
                "{}",
            ]
            .to_vec()
        })
        .collect();
    open.run_with_rows(
        "INSERT INTO queue (campaign, position, id, site, host, job, trace_parent, state, fence, due, crawler,
             lease_until, history) {rows}",
        &rows,
    )
    .await?;
    open.run(
        "UPDATE queue_campaigns SET jobs = jobs + $2 WHERE id = $1",
        &values![campaign.as_str(), new.len() as i64],
    )
    .await?;
    Ok(())
}
