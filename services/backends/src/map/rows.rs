//! Reads and writes rows of the maps' tables.

use crate::sql::{Row, Transaction, Value, json, values};
use domain::state::{ActionKey, EdgeTally, Opportunity, Progress, State, Transition, Version};
use domain::storage::StorageError;
use domain::storage::graph::{Changes, Sighting, SiteDelta};
use domain::{RunId, SiteId, StateId};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Action keys use all 64 bits, but number columns are signed.
pub(super) fn key_number(key: ActionKey) -> i64 {
    key.0.cast_signed()
}

fn key(number: i64) -> ActionKey {
    ActionKey(number.cast_unsigned())
}

pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn count(row: &Row, column: &str) -> Result<u64, StorageError> {
    Ok(row.number(column)?.cast_unsigned())
}

fn state_id(row: &Row, column: &str) -> Result<StateId, StorageError> {
    Ok(StateId(count(row, column)?))
}

fn place(row: &Row, column: &str) -> Result<usize, StorageError> {
    usize::try_from(row.number(column)?)
        .map_err(|cause| StorageError::Corrupt(format!("read the place of a version: {cause}")))
}

pub(super) fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn time(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds.max(0).cast_unsigned())
}

pub(super) const OPEN: i64 = 0;
pub(super) const CLAIMED: i64 = 1;
pub(super) const DONE: i64 = 2;

/// The versions of a site.
pub(super) async fn versions(open: &mut Transaction, site: &SiteId) -> Result<Vec<Version>, StorageError> {
    let versions = "SELECT run, role FROM map_versions JOIN map_sites ON number = site WHERE name = $1 ORDER BY place";
    let rows = open.rows(versions, &values![site.as_str()]).await?;
    let version = |row: &Row| Ok(Version { site: site.clone(), run: RunId(row.text("run")?), role: row.text("role")? });
    rows.iter().map(version).collect()
}

/// Everything that changed after a change.
pub(super) async fn changed(open: &mut Transaction, site: &SiteId, after: u64) -> Result<SiteDelta, StorageError> {
    let row = "SELECT number, changed, abstraction FROM map_sites WHERE name = $1";
    let Some(row) = open.row(row, &values![site.as_str()]).await? else { return Ok(SiteDelta::default()) };
    let (number, change, abstraction) = (row.number("number")?, count(&row, "changed")?, row.text("abstraction")?);
    let new = values![number, self::number(after)];
    let mut found = SiteDelta { change, abstraction, versions: versions(open, site).await?, ..SiteDelta::default() };
    if change == after {
        return Ok(found);
    }
    let states = "SELECT state, fingerprint FROM map_states WHERE site = $1 AND changed > $2 ORDER BY id";
    for row in open.rows(states, &new).await? {
        found.states.push(State { fingerprint: row.bytes("fingerprint")?, ..row.json("state")? });
    }
    let sightings = "SELECT version, state, visits, title, forms FROM map_sightings WHERE site = $1 AND changed > $2
                     ORDER BY version, state";
    for row in open.rows(sightings, &new).await? {
        let sighting = Sighting {
            state: state_id(&row, "state")?,
            visits: count(&row, "visits")?,
            title: row.text("title")?,
            forms: row.json("forms")?,
        };
        found.sightings.push((place(&row, "version")?, sighting));
    }
    let transitions =
        "SELECT version, from_state, action_key, to_state, action, tries, succeeded, latency_ms, last_seen
                       FROM map_transitions WHERE site = $1 AND changed > $2
                       ORDER BY from_state, action_key, to_state, version";
    for row in open.rows(transitions, &new).await? {
        let tally = EdgeTally {
            count: count(&row, "tries")?,
            succeeded: count(&row, "succeeded")?,
            latency_ms: count(&row, "latency_ms")?,
        };
        let transition = Transition {
            from: state_id(&row, "from_state")?,
            key: key(row.number("action_key")?),
            to: state_id(&row, "to_state")?,
            action: row.json("action")?,
            tally,
            last_seen: time(row.number("last_seen")?),
        };
        found.transitions.push((place(&row, "version")?, transition));
    }
    let frontier = "SELECT version, state, action_key, action, progress FROM map_frontier
                    WHERE site = $1 AND changed > $2 ORDER BY version, state, action_key";
    for row in open.rows(frontier, &new).await? {
        let opportunity = Opportunity {
            state: state_id(&row, "state")?,
            key: key(row.number("action_key")?),
            action: row.json("action")?,
        };
        // Claims are not reported as changes.
        let progress = if row.number("progress")? == DONE { Progress::Done } else { Progress::Open };
        found.opportunities.push((place(&row, "version")?, opportunity, progress));
    }
    let learnt = "SELECT learnt FROM map_sites WHERE number = $1 AND learnt_changed > $2";
    found.learnt = open.row(learnt, &new).await?.map(|row| row.bytes("learnt")).transpose()?;
    Ok(found)
}

/// Writes changes under a change number, in key order.
pub(super) async fn write(
    open: &mut Transaction,
    site: i64,
    version: i64,
    change: i64,
    changes: &Changes,
) -> Result<(), StorageError> {
    let mut texts = Vec::new();
    for state in &changes.states {
        texts.push(json(&State { fingerprint: Vec::new(), ..state.clone() })?);
    }
    let rows: Vec<Vec<Value<'_>>> = changes
        .states
        .iter()
        .zip(&texts)
        .map(|(state, text)| values![site, number(state.id.0), change, text, state.fingerprint.as_slice()].to_vec())
        .collect();
    open.run_with_rows("INSERT INTO map_states (site, id, changed, state, fingerprint) {rows}", &rows).await?;

    let sightings = combined_sightings(changes)?;
    let rows: Vec<Vec<Value<'_>>> = sightings
        .values()
        .map(|(sighting, forms)| {
            let (state, visits) = (number(sighting.state.0), number(sighting.visits));
            values![site, version, state, change, visits, &sighting.title, forms].to_vec()
        })
        .collect();
    open.run_with_rows(
        "INSERT INTO map_sightings (site, version, state, changed, visits, title, forms) {rows}
         ON CONFLICT (site, version, state) DO UPDATE SET changed = excluded.changed,
         visits = map_sightings.visits + excluded.visits, forms = excluded.forms,
         title = CASE WHEN map_sightings.title = excluded.title THEN excluded.title ELSE '' END",
        &rows,
    )
    .await?;

    let transitions = combined_transitions(changes)?;
    let rows: Vec<Vec<Value<'_>>> = transitions
        .values()
        .map(|(transition, action)| {
            let Transition { from, key, to, tally, last_seen, .. } = transition;
            values![
                site,
                version,
                number(from.0),
                key_number(*key),
                number(to.0),
                change,
                action,
                number(tally.count),
                number(tally.succeeded),
                number(tally.latency_ms),
                milliseconds(*last_seen),
            ]
            .to_vec()
        })
        .collect();
    open.run_with_rows(
        "INSERT INTO map_transitions
         (site, version, from_state, action_key, to_state, changed, action, tries, succeeded, latency_ms, last_seen) {rows}
         ON CONFLICT (site, from_state, action_key, to_state, version) DO UPDATE SET changed = excluded.changed,
         action = excluded.action, tries = map_transitions.tries + excluded.tries,
         succeeded = map_transitions.succeeded + excluded.succeeded,
         latency_ms = map_transitions.latency_ms + excluded.latency_ms,
         last_seen = CASE WHEN excluded.last_seen > map_transitions.last_seen
                     THEN excluded.last_seen ELSE map_transitions.last_seen END",
        &rows,
    )
    .await?;
    write_frontier(open, site, version, change, changes).await
}

async fn write_frontier(
    open: &mut Transaction,
    site: i64,
    version: i64,
    change: i64,
    changes: &Changes,
) -> Result<(), StorageError> {
    let mut actions: BTreeMap<(StateId, ActionKey), String> = BTreeMap::new();
    for opportunity in &changes.opportunities {
        actions.insert((opportunity.state, opportunity.key), json(&opportunity.action)?);
    }
    let rows: Vec<Vec<Value<'_>>> = actions
        .iter()
        .map(|((state, key), action)| {
            values![site, version, number(state.0), key_number(*key), change, action, OPEN, 0, "", 0].to_vec()
        })
        .collect();
    open.run_with_rows(
        "INSERT INTO map_frontier
         (site, version, state, action_key, changed, action, progress, fence, crawler, lease_until) {rows}
         ON CONFLICT (site, version, state, action_key) DO NOTHING",
        &rows,
    )
    .await?;
    Ok(())
}

/// Merges a sighting into the version's earlier one: visits add up; a title that differs is data of the pages, not of
/// the state, and dropped.
pub(super) fn seen_again(before: Option<&Sighting>, seen: &Sighting) -> Sighting {
    let Some(before) = before else { return seen.clone() };
    let title = if before.title == seen.title { seen.title.clone() } else { String::new() };
    Sighting { visits: before.visits + seen.visits, title, ..seen.clone() }
}

/// Merges duplicates, since one statement can change a row only once.
fn combined_sightings(changes: &Changes) -> Result<BTreeMap<StateId, (Sighting, String)>, StorageError> {
    let mut combined: BTreeMap<StateId, (Sighting, String)> = BTreeMap::new();
    for sighting in &changes.sightings {
        let sighting = seen_again(combined.get(&sighting.state).map(|(before, _)| before), sighting);
        let forms = json(&sighting.forms)?;
        combined.insert(sighting.state, (sighting, forms));
    }
    Ok(combined)
}

type TransitionKey = (StateId, ActionKey, StateId);

fn combined_transitions(changes: &Changes) -> Result<BTreeMap<TransitionKey, (Transition, String)>, StorageError> {
    let mut combined: BTreeMap<TransitionKey, (Transition, String)> = BTreeMap::new();
    for transition in &changes.transitions {
        let way = (transition.from, transition.key, transition.to);
        let mut transition = transition.clone();
        if let Some((before, _)) = combined.get(&way) {
            transition.tally += before.tally;
            transition.last_seen = transition.last_seen.max(before.last_seen);
        }
        let action = json(&transition.action)?;
        combined.insert(way, (transition, action));
    }
    Ok(combined)
}
