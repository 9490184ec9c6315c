//! Campaigns with stages, in the transaction that ends their jobs.

use crate::queue::rows::{COLUMNS, LaneChanges, begins, campaign as campaign_of, entry};
use crate::queue::sql::submit;
use crate::queue::stages::{self, Begins};
use crate::sql::{Transaction, Value, json, values};
use domain::CampaignId;
use domain::campaign::{Campaign, Wish};
use domain::stage::{JobEnd, NextStage, StageEnd};
use domain::storage::StorageError;
use domain::storage::jobs::Submission;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// A campaign with stages, locked: of two transactions that end its last jobs, the later one sees what the other did.
pub(super) struct StagedCampaign {
    settings: Campaign,
    wish: Wish,
    jobs: i64,
    begins: Begins,
}

/// Locks those of the campaigns that have stages, in the order of their keys.
pub(super) async fn locked(
    open: &mut Transaction,
    campaigns: impl Iterator<Item = &CampaignId>,
) -> Result<BTreeMap<CampaignId, StagedCampaign>, StorageError> {
    let campaigns: BTreeSet<&CampaignId> = campaigns.collect();
    let wanted: Vec<Vec<Value<'_>>> = campaigns.iter().map(|id| values![id.as_str()].to_vec()).collect();
    let rows = open
        .rows_with_rows(
            "SELECT settings, wish, jobs, stages FROM queue_campaigns
             WHERE stages <> '' AND id IN ({rows}) ORDER BY id FOR UPDATE",
            &wanted,
        )
        .await?;
    let mut staged = BTreeMap::new();
    for row in &rows {
        let (settings, wish) = campaign_of(row)?;
        let (jobs, begins) = (row.number("jobs")?, begins(row)?);
        staged.insert(settings.id.clone(), StagedCampaign { settings, wish, jobs, begins });
    }
    Ok(staged)
}

impl StagedCampaign {
    /// Adds the jobs of the next stage, once those of the one at hand have ended; likewise after a stage without jobs.
    pub(super) async fn go_on(
        mut self,
        open: &mut Transaction,
        rules: &dyn NextStage,
        now: SystemTime,
        lanes: &mut LaneChanges,
    ) -> Result<(), StorageError> {
        let stages_before = self.begins.len();
        while let Some(ended) = self.ended_stage(open).await? {
            let next = stages::new_ones(rules.next(&ended), &ended);
            let new = next.iter().map(|next| Ok((next, json(&next.job)?))).collect::<Result<Vec<_>, StorageError>>()?;
            submit::insert(open, &self.settings.id, self.jobs, &new, now).await?;
            next.iter().for_each(|submission| lanes.add(submission));
            self.begins.push(self.jobs);
            self.jobs += next.len() as i64;
        }
        if self.begins.len() > stages_before {
            let (id, begins) = (self.settings.id.as_str(), json(&self.begins)?);
            open.run("UPDATE queue_campaigns SET stages = $2 WHERE id = $1", &values![id, &begins]).await?;
        }
        Ok(())
    }

    /// The stage at hand, where it is over and another one follows.
    async fn ended_stage(&self, open: &mut Transaction) -> Result<Option<StageEnd>, StorageError> {
        let id = self.settings.id.as_str();
        let Some(plan) = &self.settings.stages else { return Ok(None) };
        if !stages::may_go_on(plan, &self.begins, self.jobs, self.wish) {
            return Ok(None);
        }
        let is_left = open
            .row(
                "SELECT position FROM queue WHERE campaign = $1 AND position >= $2
                     AND state NOT IN ('judged', 'quarantined', 'cancelled') LIMIT 1",
                &values![id, stages::begin(&self.begins)],
            )
            .await?;
        if is_left.is_some() {
            return Ok(None);
        }
        let rows = open
            .rows(
                &format!(
                    "SELECT {COLUMNS}, queue.job, queue.trace_parent FROM queue WHERE campaign = $1 ORDER BY position"
                ),
                &values![id],
            )
            .await?;
        let mut jobs = Vec::with_capacity(rows.len());
        for row in &rows {
            let entry = entry(row)?;
            // A job of an earlier stage may have come out of quarantine since.
            let end = entry.ended().unwrap_or(JobEnd::Quarantined);
            let submission = Submission {
                job: row.json("job")?,
                site: entry.site,
                host: entry.host,
                trace_parent: row.text("trace_parent")?,
            };
            jobs.push((entry.position, submission, end));
        }
        Ok(Some(stages::over(&self.settings, &self.begins, jobs)))
    }
}
