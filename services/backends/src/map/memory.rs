//! Maps in memory: the model that the databases are compared with.

use super::rows::seen_again;
use super::sql::other_role;
use async_trait::async_trait;
use domain::state::{ActionKey, FrontierTicket, Opportunity, Progress, State, Transition, Version};
use domain::storage::StorageError;
use domain::storage::graph::{Changes, GraphStore, Merged, Sighting, SiteDelta};
use domain::{Fence, SiteId, StateId};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// Maps that are gone with the process.
#[derive(Debug, Default)]
pub struct MemoryMaps {
    sites: Mutex<BTreeMap<SiteId, SiteTables>>,
}

/// Everything of a site, each entry with the number of its last change.
#[derive(Debug, Default)]
struct SiteTables {
    change: u64,
    abstraction: String,
    versions: Vec<Version>,
    states: BTreeMap<StateId, (u64, State)>,
    sightings: BTreeMap<(usize, StateId), (u64, Sighting)>,
    transitions: BTreeMap<(StateId, ActionKey, StateId, usize), (u64, Transition)>,
    frontier: BTreeMap<(usize, StateId, ActionKey), FrontierRow>,
    learnt: Option<(u64, Vec<u8>)>,
    sessions: BTreeMap<String, (u64, StateId)>,
}

#[derive(Debug)]
struct FrontierRow {
    change: u64,
    opportunity: Opportunity,
    progress: Progress,
    fence: Fence,
    lease_until: SystemTime,
}

impl MemoryMaps {
    fn sites(&self) -> MutexGuard<'_, BTreeMap<SiteId, SiteTables>> {
        self.sites.lock()
    }
}

impl SiteTables {
    /// The entry of a ticket, if the ticket is still valid.
    fn entry_of(&mut self, ticket: &FrontierTicket) -> Option<&mut FrontierRow> {
        let version = self.versions.iter().position(|version| *version == ticket.version)?;
        let entry = self.frontier.get_mut(&(version, ticket.state, ticket.key))?;
        (entry.progress == Progress::Claimed && entry.fence == ticket.fence).then_some(entry)
    }

    fn write(&mut self, version: usize, changes: &Changes, now: SystemTime) {
        let change = self.change;
        for state in &changes.states {
            self.states.insert(state.id, (change, state.clone()));
        }
        for sighting in &changes.sightings {
            let before = self.sightings.get(&(version, sighting.state)).map(|(_, before)| before);
            let sighting = seen_again(before, sighting);
            self.sightings.insert((version, sighting.state), (change, sighting));
        }
        for transition in &changes.transitions {
            let place = (transition.from, transition.key, transition.to, version);
            let mut transition = transition.clone();
            if let Some((_, before)) = self.transitions.get(&place) {
                transition.tally += before.tally;
                transition.last_seen = transition.last_seen.max(before.last_seen);
            }
            self.transitions.insert(place, (change, transition));
        }
        for opportunity in &changes.opportunities {
            let (progress, fence, lease_until) = (Progress::Open, Fence(0), now);
            let entry = FrontierRow { change, opportunity: opportunity.clone(), progress, fence, lease_until };
            self.frontier.entry((version, opportunity.state, opportunity.key)).or_insert(entry);
        }
        if let Some(learnt) = &changes.learnt {
            self.learnt = Some((change, learnt.clone()));
        }
        if let Some((session, number, state)) = &changes.session {
            self.sessions.insert(session.clone(), (*number, *state));
        }
    }
}

#[async_trait]
impl GraphStore for MemoryMaps {
    async fn since(&self, site: &SiteId, change: u64) -> Result<SiteDelta, StorageError> {
        let sites = self.sites();
        let Some(site) = sites.get(site) else { return Ok(SiteDelta::default()) };
        let new = |of: u64| of > change;
        let frontier = site.frontier.iter().filter(|(_, entry)| new(entry.change));
        // Claims are not reported as changes.
        let told = |progress| if progress == Progress::Claimed { Progress::Open } else { progress };
        Ok(SiteDelta {
            change: site.change,
            abstraction: site.abstraction.clone(),
            states: site.states.values().filter(|(of, _)| new(*of)).map(|(_, state)| state.clone()).collect(),
            sightings: site
                .sightings
                .iter()
                .filter(|(_, (of, _))| new(*of))
                .map(|((version, _), (_, sighting))| (*version, sighting.clone()))
                .collect(),
            transitions: site
                .transitions
                .iter()
                .filter(|(_, (of, _))| new(*of))
                .map(|((_, _, _, version), (_, transition))| (*version, transition.clone()))
                .collect(),
            opportunities: frontier
                .map(|((version, _, _), entry)| (*version, entry.opportunity.clone(), told(entry.progress)))
                .collect(),
            learnt: site.learnt.as_ref().filter(|(of, _)| new(*of)).map(|(_, learnt)| learnt.clone()),
            versions: site.versions.clone(),
        })
    }

    async fn merge(&self, version: &Version, changes: &Changes, now: SystemTime) -> Result<Merged, StorageError> {
        let mut sites = self.sites();
        let site = sites.entry(version.site.clone()).or_default();
        if let Some((session, number, _)) = &changes.session
            && let Some((last, state)) = site.sessions.get(session)
            && number <= last
        {
            return Ok(Merged::Repeated { state: *state });
        }
        if site.change != changes.known {
            return Ok(Merged::Behind);
        }
        let place = match site.versions.iter().position(|known| known.run == version.run) {
            Some(place) if site.versions[place].role != version.role => return Err(other_role(version)),
            Some(place) => place,
            None => {
                site.versions.push(version.clone());
                site.versions.len() - 1
            }
        };
        if site.change == 0 {
            site.abstraction = changes.abstraction.clone();
        }
        site.change += 1;
        let change = site.change;
        let ticket_held = changes.ticket.as_ref().is_none_or(|ticket| {
            site.entry_of(ticket).is_some_and(|entry| {
                entry.progress = Progress::Done;
                entry.change = change;
                true
            })
        });
        site.write(place, changes, now);
        Ok(Merged::Done { change, ticket_held })
    }

    async fn claim(
        &self,
        version: &Version,
        wanted: &[(StateId, ActionKey)],
        _crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError> {
        let mut sites = self.sites();
        let Some(site) = sites.get_mut(&version.site) else { return Ok(Vec::new()) };
        let Some(place) = site.versions.iter().position(|known| known == version) else { return Ok(Vec::new()) };
        let mut tickets = Vec::new();
        for (state, key) in wanted {
            let Some(entry) = site.frontier.get_mut(&(place, *state, *key)) else { continue };
            let is_claimable = match entry.progress {
                Progress::Open => true,
                Progress::Claimed => entry.lease_until <= now,
                Progress::Done => false,
            };
            if is_claimable {
                entry.progress = Progress::Claimed;
                entry.fence = Fence(entry.fence.0 + 1);
                entry.lease_until = now + lease;
                let (version, fence) = (version.clone(), entry.fence);
                tickets.push(FrontierTicket { version, state: *state, key: *key, fence });
            }
        }
        Ok(tickets)
    }

    async fn renew(
        &self,
        tickets: &[FrontierTicket],
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError> {
        let mut sites = self.sites();
        let mut lost = Vec::new();
        for ticket in tickets {
            match sites.get_mut(&ticket.version.site).and_then(|site| site.entry_of(ticket)) {
                Some(entry) => entry.lease_until = now + lease,
                None => lost.push(ticket.clone()),
            }
        }
        Ok(lost)
    }

    async fn release(&self, tickets: &[FrontierTicket]) -> Result<(), StorageError> {
        let mut sites = self.sites();
        for ticket in tickets {
            if let Some(entry) = sites.get_mut(&ticket.version.site).and_then(|site| site.entry_of(ticket)) {
                entry.progress = Progress::Open;
            }
        }
        Ok(())
    }

    async fn claimed(&self, site: &SiteId, now: SystemTime) -> Result<u64, StorageError> {
        let is_held = |entry: &&FrontierRow| entry.progress == Progress::Claimed && entry.lease_until > now;
        Ok(self.sites().get(site).map_or(0, |site| site.frontier.values().filter(is_held).count() as u64))
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, StorageError> {
        Ok(self.sites().get(site).map(|site| site.versions.clone()).unwrap_or_default())
    }

    async fn sites(&self) -> Result<Vec<SiteId>, StorageError> {
        Ok(MemoryMaps::sites(self).iter().filter(|(_, site)| site.change > 0).map(|(name, _)| name.clone()).collect())
    }
}
