//! The table of jobs in the embedded database.

use crate::database::{Database, failed};
use crate::log::append_within;
use async_trait::async_trait;
use domain::campaign::Closing;
use domain::job::{Claim, Outcome};
use domain::storage::log::{NewRecord, Topic};
use domain::storage::{JobStore, Progress, StorageError};
use domain::{CampaignId, Fence, Job, JobId};
use platform::clock::Clock;
use proto::{Envelope, Record};
use sqlx::{Row, SqliteConnection, SqliteTransaction};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The embedded table of jobs. An outcome closes its job, becomes its row, and enters the log in one transaction.
#[derive(Clone)]
pub struct EmbeddedJobs {
    database: Database,
    clock: Arc<dyn Clock>,
}

impl EmbeddedJobs {
    pub(crate) fn new(database: Database, clock: Arc<dyn Clock>) -> Self {
        Self { database, clock }
    }

    /// Ends every lease. Only for the process that holds the directory: whoever else held a lease is dead.
    pub(crate) async fn end_leases(&self) -> Result<u64, StorageError> {
        sqlx::query("UPDATE jobs SET lease_until = 0 WHERE closed = 0 AND lease_until <> 0")
            .execute(&self.database.durable)
            .await
            .map(|done| done.rows_affected())
            .map_err(|cause| failed("end the leases of a dead process", &cause))
    }

    /// A transaction that holds the writer's place from its beginning, so that what it reads stays true.
    async fn begin(&self, doing: &str) -> Result<SqliteTransaction<'static>, StorageError> {
        self.database.durable.begin_with("BEGIN IMMEDIATE").await.map_err(|cause| failed(doing, &cause))
    }
}

#[async_trait]
impl JobStore for EmbeddedJobs {
    async fn submit(&self, jobs: &[Job]) -> Result<usize, StorageError> {
        let doing = "submit jobs";
        let mut transaction = self.begin(doing).await?;
        let mut new = 0;
        for job in jobs {
            let encoded = serde_json::to_string(job)
                .map_err(|error| StorageError::Corrupt(format!("encode job `{}`: {error}", job.id)))?;
            let done = sqlx::query(
                "INSERT INTO jobs (campaign, id, job) VALUES (?, ?, ?) ON CONFLICT (campaign, id) DO NOTHING",
            )
            .bind(job.campaign.as_str())
            .bind(job.id.as_str())
            .bind(encoded)
            .execute(&mut *transaction)
            .await
            .map_err(|cause| failed(doing, &cause))?;
            new += done.rows_affected() as usize;
        }
        transaction.commit().await.map_err(|cause| failed(doing, &cause))?;
        Ok(new)
    }

    async fn claim(
        &self,
        campaign: &CampaignId,
        limit: usize,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claim>, StorageError> {
        let doing = "claim jobs";
        let now = milliseconds(now);
        let until = now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX));
        let mut transaction = self.begin(doing).await?;
        let rows = sqlx::query(
            "UPDATE jobs SET fence = fence + 1, lease_until = ?1
             WHERE position IN (
                 SELECT position FROM jobs
                 WHERE campaign = ?2 AND closed = 0 AND lease_until <= ?3 ORDER BY position LIMIT ?4)
             RETURNING position, job, fence",
        )
        .bind(until)
        .bind(campaign.as_str())
        .bind(now)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&mut *transaction)
        .await
        .map_err(|cause| failed(doing, &cause))?;
        let mut claims = Vec::with_capacity(rows.len());
        for row in rows {
            let job: Job = serde_json::from_str(row.get(1)).map_err(|error| {
                StorageError::Corrupt(format!("read job {} of campaign `{campaign}`: {error}", row.get::<i64, _>(0)))
            })?;
            claims.push((row.get::<i64, _>(0), Claim { job, fence: Fence(row.get::<i64, _>(2) as u64) }));
        }
        transaction.commit().await.map_err(|cause| failed(doing, &cause))?;
        // The order in which an update returns its rows is not promised.
        claims.sort_by_key(|(position, _)| *position);
        Ok(claims.into_iter().map(|(_, claim)| claim).collect())
    }

    async fn release(&self, campaign: &CampaignId, job: &JobId) -> Result<(), StorageError> {
        sqlx::query("UPDATE jobs SET lease_until = 0 WHERE campaign = ? AND id = ? AND closed = 0")
            .bind(campaign.as_str())
            .bind(job.as_str())
            .execute(&self.database.durable)
            .await
            .map(|_| ())
            .map_err(|cause| failed("release a job", &cause))
    }

    async fn complete(&self, outcome: &Outcome) -> Result<bool, StorageError> {
        let doing = "record an outcome";
        let record = proto::encode(&Envelope::of_outcome(outcome.clone(), self.clock.wall()));
        let mut transaction = self.begin(doing).await?;
        let Some(position) = close(&mut transaction, outcome).await? else {
            return Ok(false);
        };
        sqlx::query("INSERT INTO outcomes (position, record) VALUES (?, ?)")
            .bind(position)
            .bind(&record)
            .execute(&mut *transaction)
            .await
            .map_err(|cause| failed(doing, &cause))?;
        let record = NewRecord { key: outcome.job.as_str().to_owned(), record, trace_parent: String::new() };
        append_within(&mut transaction, Topic::Outcomes.as_str(), &record).await?;
        transaction.commit().await.map_err(|cause| failed(doing, &cause))?;
        Ok(true)
    }

    async fn outcomes(&self, campaign: &CampaignId) -> Result<Vec<Outcome>, StorageError> {
        let rows = sqlx::query(
            "SELECT outcomes.record FROM outcomes JOIN jobs USING (position) WHERE jobs.campaign = ? ORDER BY position",
        )
        .bind(campaign.as_str())
        .fetch_all(&self.database.durable)
        .await
        .map_err(|cause| failed("read outcomes", &cause))?;
        rows.iter().map(|row| decode(row.get(0))).collect()
    }

    async fn progress(&self, campaign: &CampaignId) -> Result<Progress, StorageError> {
        let row = sqlx::query("SELECT count(*), coalesce(sum(closed), 0) FROM jobs WHERE campaign = ?")
            .bind(campaign.as_str())
            .fetch_one(&self.database.durable)
            .await
            .map_err(|cause| failed("count jobs", &cause))?;
        Ok(Progress { jobs: row.get::<i64, _>(0) as usize, complete: row.get::<i64, _>(1) as usize })
    }
}

/// Closes the job of an outcome; none when it is closed already.
async fn close(connection: &mut SqliteConnection, outcome: &Outcome) -> Result<Option<i64>, StorageError> {
    let doing = "close a job";
    let row = sqlx::query("SELECT position, closed FROM jobs WHERE campaign = ? AND id = ?")
        .bind(outcome.campaign.as_str())
        .bind(outcome.job.as_str())
        .fetch_optional(&mut *connection)
        .await
        .map_err(|cause| failed(doing, &cause))?;
    let Some(row) = row else {
        return Err(StorageError::Unavailable(format!(
            "record an outcome: campaign `{}` has no job `{}`",
            outcome.campaign, outcome.job
        )));
    };
    if row.get::<i64, _>(1) != 0 {
        return Ok(None);
    }
    let position: i64 = row.get(0);
    sqlx::query("UPDATE jobs SET closed = 1, lease_until = 0 WHERE position = ?")
        .bind(position)
        .execute(connection)
        .await
        .map_err(|cause| failed(doing, &cause))?;
    Ok(Some(position))
}

fn decode(record: &[u8]) -> Result<Outcome, StorageError> {
    match proto::decode(record) {
        Ok(Envelope { record: Record::Closing(closing), .. }) => match *closing {
            Closing::Judged(outcome) => Ok(*outcome),
            _ => Err(StorageError::Corrupt("read an outcome: the record says that there is none".to_owned())),
        },
        Ok(_) => Err(StorageError::Corrupt("read an outcome: the record is of another kind".to_owned())),
        Err(error) => Err(StorageError::Corrupt(format!("read an outcome: {error}"))),
    }
}

fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
