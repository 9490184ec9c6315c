//! Maps in a database, embedded or on a server. Every writer locks the site's row first, so that no deadlock is
//! possible.

use super::rows::{self, CLAIMED, DONE, OPEN, key_number, milliseconds, number};
use crate::sql::{Pool, Transaction, Value, values};
use async_trait::async_trait;
use domain::state::{ActionKey, FrontierTicket, Version};
use domain::storage::StorageError;
use domain::storage::graph::{Changes, GraphStore, Merged, SiteDelta};
use domain::{Fence, SiteId, StateId};
use std::time::{Duration, SystemTime};

/// Maps in a database.
#[derive(Clone, Debug)]
pub struct SqlMaps {
    /// Connections for writing.
    pool: Pool,
    /// Connections for reading.
    reading: Pool,
}

/// A site whose row is locked.
struct LockedSite {
    open: Transaction,
    site: i64,
    change: u64,
}

impl SqlMaps {
    pub(crate) fn new(pool: Pool, reading: Pool) -> Self {
        Self { pool, reading }
    }

    /// Releases every claim. Only for a process with exclusive use of the database: earlier holders of claims are dead.
    pub(crate) async fn release_all(&self) -> Result<u64, StorageError> {
        let mut open = self.pool.begin("take back what a process that is gone was exploring").await?;
        let released =
            open.run("UPDATE map_frontier SET progress = $1 WHERE progress = $2", &values![OPEN, CLAIMED]).await?;
        open.commit().await?;
        Ok(released)
    }

    /// Locks the row of a site; none if the site does not exist.
    async fn lock_site(&self, doing: &'static str, site: &SiteId) -> Result<Option<LockedSite>, StorageError> {
        let mut open = self.pool.begin(doing).await?;
        let row = open
            .row("SELECT number, changed FROM map_sites WHERE name = $1 FOR UPDATE", &values![site.as_str()])
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(LockedSite { site: row.number("number")?, change: row.number("changed")?.cast_unsigned(), open }))
    }
}

impl LockedSite {
    /// The index of an existing version.
    async fn version(&mut self, version: &Version) -> Result<Option<i64>, StorageError> {
        let row = self
            .open
            .row(
                "SELECT place, role FROM map_versions WHERE site = $1 AND run = $2",
                &values![self.site, version.run.as_str()],
            )
            .await?;
        let Some(row) = row else { return Ok(None) };
        if row.text("role")? != version.role {
            return Err(other_role(version));
        }
        Ok(Some(row.number("place")?))
    }

    /// The index of a version, created if missing.
    async fn version_or_new(&mut self, version: &Version) -> Result<i64, StorageError> {
        if let Some(place) = self.version(version).await? {
            return Ok(place);
        }
        let counted =
            self.open.row("SELECT COUNT(*) AS versions FROM map_versions WHERE site = $1", &values![self.site]).await?;
        let place = counted.map_or(Ok(0), |row| row.number("versions"))?;
        self.open
            .run(
                "INSERT INTO map_versions (site, place, run, role) VALUES ($1, $2, $3, $4)",
                &values![self.site, place, version.run.as_str(), &version.role],
            )
            .await?;
        Ok(place)
    }

    /// Changes the opportunity of a ticket; returns whether the ticket was still valid.
    async fn change_held(&mut self, ticket: &FrontierTicket, set: &str, to: i64) -> Result<bool, StorageError> {
        let Some(version) = self.version(&ticket.version).await? else { return Ok(false) };
        let changed = self
            .open
            .run(
                &format!(
                    "UPDATE map_frontier SET {set} WHERE site = $1 AND version = $2 AND state = $3 AND action_key = $4
                     AND fence = $5 AND progress = $6"
                ),
                &values![
                    self.site,
                    version,
                    number(ticket.state.0),
                    key_number(ticket.key),
                    number(ticket.fence.0),
                    CLAIMED,
                    to
                ],
            )
            .await?;
        Ok(changed > 0)
    }
}

/// The refusal of a run whose role differs from before.
pub(super) fn other_role(version: &Version) -> StorageError {
    StorageError::Conflict(format!(
        "run `{}` of site `{}` has another role than `{}`",
        version.run, version.site, version.role
    ))
}

#[async_trait]
impl GraphStore for SqlMaps {
    async fn since(&self, site: &SiteId, change: u64) -> Result<SiteDelta, StorageError> {
        let mut open = self.reading.begin_reading("read the map of a site").await?;
        rows::changed(&mut open, site, change).await
    }

    async fn merge(&self, version: &Version, changes: &Changes, _now: SystemTime) -> Result<Merged, StorageError> {
        const DOING: &str = "write the map of a site";
        let mut held = match self.lock_site(DOING, &version.site).await? {
            Some(held) => held,
            None => {
                let mut open = self.pool.begin(DOING).await?;
                open.run(
                    "INSERT INTO map_sites (name, changed, abstraction, learnt, learnt_changed) VALUES ($1, 0, $2, $3, 0)
                     ON CONFLICT (name) DO NOTHING",
                    &values![version.site.as_str(), &changes.abstraction, [].as_slice()],
                )
                .await?;
                open.commit().await?;
                let held = self.lock_site(DOING, &version.site).await?;
                held.ok_or_else(|| StorageError::Unavailable(format!("{DOING}: the site is gone again")))?
            }
        };
        if let Some((session, stamp, _)) = &changes.session {
            let last = "SELECT number, state FROM map_sessions WHERE site = $1 AND session = $2";
            if let Some(row) = held.open.row(last, &values![held.site, session]).await?
                && row.number("number")?.cast_unsigned() >= *stamp
            {
                return Ok(Merged::Repeated { state: StateId(row.number("state")?.cast_unsigned()) });
            }
        }
        if held.change != changes.known {
            return Ok(Merged::Behind);
        }
        let place = held.version_or_new(version).await?;
        let change = held.change + 1;
        let ticket_held = match &changes.ticket {
            Some(ticket) => {
                let set = format!("progress = {DONE}, changed = $7");
                held.change_held(ticket, &set, number(change)).await?
            }
            None => true,
        };
        let LockedSite { mut open, site, .. } = held;
        rows::write(&mut open, site, place, number(change), changes).await?;
        if let Some((session, stamp, state)) = &changes.session {
            open.run(
                "INSERT INTO map_sessions (site, session, number, state) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (site, session) DO UPDATE SET number = excluded.number, state = excluded.state",
                &values![site, session, number(*stamp), number(state.0)],
            )
            .await?;
        }
        if let Some(learnt) = &changes.learnt {
            open.run(
                "UPDATE map_sites SET learnt = $2, learnt_changed = $3 WHERE number = $1",
                &values![site, learnt.as_slice(), number(change)],
            )
            .await?;
        }
        open.run("UPDATE map_sites SET changed = $2 WHERE number = $1", &values![site, number(change)]).await?;
        open.commit().await?;
        Ok(Merged::Done { change, ticket_held })
    }

    async fn claim(
        &self,
        version: &Version,
        wanted: &[(StateId, ActionKey)],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError> {
        let Some(mut held) = self.lock_site("claim what is to be explored", &version.site).await? else {
            return Ok(Vec::new());
        };
        let Some(place) = held.version(version).await? else { return Ok(Vec::new()) };
        let LockedSite { mut open, site, .. } = held;
        let (now, until) = (milliseconds(now), milliseconds(now + lease));
        let rows: Vec<Vec<Value<'_>>> = wanted
            .iter()
            .map(|(state, key)| values![site, place, number(state.0), key_number(*key), crawler, now, until].to_vec())
            .collect();
        let claimed = open
            .rows_with_rows(
                "UPDATE map_frontier
                 SET progress = 1, fence = map_frontier.fence + 1, crawler = wanted.column5, lease_until = wanted.column7
                 FROM ({rows}) AS wanted
                 WHERE map_frontier.site = wanted.column1 AND map_frontier.version = wanted.column2
                 AND map_frontier.state = wanted.column3 AND map_frontier.action_key = wanted.column4
                 AND (map_frontier.progress = 0 OR (map_frontier.progress = 1 AND map_frontier.lease_until <= wanted.column6))
                 RETURNING map_frontier.state, map_frontier.action_key, map_frontier.fence",
                &rows,
            )
            .await?;
        let mut tickets = Vec::with_capacity(claimed.len());
        for row in &claimed {
            tickets.push(FrontierTicket {
                version: version.clone(),
                state: StateId(row.number("state")?.cast_unsigned()),
                key: ActionKey(row.number("action_key")?.cast_unsigned()),
                fence: Fence(row.number("fence")?.cast_unsigned()),
            });
        }
        open.commit().await?;
        // Sorted in the requested order, since an update returns rows in any order.
        let place_of = |ticket: &FrontierTicket| wanted.iter().position(|wish| *wish == (ticket.state, ticket.key));
        tickets.sort_by_key(place_of);
        Ok(tickets)
    }

    async fn renew(
        &self,
        tickets: &[FrontierTicket],
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError> {
        let mut lost = Vec::new();
        for ticket in tickets {
            let Some(mut held) = self.lock_site("renew what is being explored", &ticket.version.site).await? else {
                lost.push(ticket.clone());
                continue;
            };
            if !held.change_held(ticket, "lease_until = $7", milliseconds(now + lease)).await? {
                lost.push(ticket.clone());
            }
            held.open.commit().await?;
        }
        Ok(lost)
    }

    async fn release(&self, tickets: &[FrontierTicket]) -> Result<(), StorageError> {
        for ticket in tickets {
            if let Some(mut held) = self.lock_site("give back what was being explored", &ticket.version.site).await? {
                held.change_held(ticket, "progress = $7", OPEN).await?;
                held.open.commit().await?;
            }
        }
        Ok(())
    }

    async fn claimed(&self, site: &SiteId, now: SystemTime) -> Result<u64, StorageError> {
        let mut open = self.reading.begin_reading("count what is being explored").await?;
        let count = "SELECT COUNT(*) AS claimed FROM map_frontier JOIN map_sites ON number = site
                     WHERE name = $1 AND progress = 1 AND lease_until > $2";
        let row = open.row(count, &values![site.as_str(), milliseconds(now)]).await?;
        row.map_or(Ok(0), |row| Ok(row.number("claimed")?.cast_unsigned()))
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, StorageError> {
        let mut open = self.reading.begin_reading("read the versions of a map").await?;
        rows::versions(&mut open, site).await
    }

    async fn sites(&self) -> Result<Vec<SiteId>, StorageError> {
        let mut open = self.reading.begin_reading("read which sites have a map").await?;
        let rows = open.rows("SELECT name FROM map_sites WHERE changed > 0 ORDER BY name", &[]).await?;
        rows.iter().map(|row| Ok(SiteId(row.text("name")?))).collect()
    }
}
