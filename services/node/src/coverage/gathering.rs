//! What crawlers measured beside a campaign's explorations, written down as a run on this machine writes it.

use super::files::{write_files, write_scripts};
use super::read;
use crate::Error;
use browser::JsCoverage;
use domain::service::AggregatorService;
use domain::storage::BlobStore;
use domain::{BlobRef, CampaignId, Job};
use report::coverage::{CURVE, FileLines, JS_CURVE, Lines, Look, LookRecord, Measured, Scripts, Sessions};
use report::{Directory, visits};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::io;

/// Writes down what was measured beside these jobs of a campaign; nothing where nothing was.
///
/// # Errors
/// Of the ledger and the blob store; a directory that cannot be written.
pub async fn gather(
    directory: &Directory,
    (ledger, blobs): (&dyn AggregatorService, &dyn BlobStore),
    campaign: &CampaignId,
    jobs: &[Job],
) -> Result<Measured, Error> {
    let ours: BTreeSet<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
    let mut looks: Vec<LookRecord> = visits::of_campaign(ledger, campaign).await?;
    looks.retain(|look| ours.contains(look.crawler.as_str()));
    looks.sort_by(|one, other| one.epoch_s().total_cmp(&other.epoch_s()));
    if looks.is_empty() {
        return Ok(Measured::default());
    }
    let sessions = Sessions::of(&looks);
    let scripts = JsCoverage::default();
    let (mut lines, mut figures, mut troubles) = (Vec::new(), Vec::new(), Vec::new());
    let mut files = None;
    let mut merged: HashSet<&BlobRef> = HashSet::new();
    for look in &looks {
        let at_s = sessions.elapsed_s(look);
        match &look.look {
            Look::Lines(found) => {
                lines.push(Lines { at_s, lines: found.lines, covered: found.covered });
                files = Some(&found.files);
            }
            Look::Scripts(stored) => {
                let stored = &stored.scripts;
                if merged.insert(stored)
                    && let Some(json) = blob(blobs, stored).await?
                    && let Err(error) = scripts.merge_json(&json)
                {
                    troubles.push(format!("{}: what JavaScript ran cannot be read: {error}", look.crawler));
                }
                figures.push(Scripts { at_s, figures: scripts.figures() });
            }
            Look::Trouble(cause) => troubles.push(format!("{}: {cause}", look.crawler)),
        }
    }
    write_curve(directory, CURVE, &lines)?;
    if let Some(stored) = files
        && let Some(json) = blob(blobs, stored).await?
    {
        let files: Vec<FileLines> = serde_json::from_slice(&json).map_err(unreadable)?;
        write_files(directory, &files).map_err(unwritten)?;
    }
    if !figures.is_empty() {
        write_curve(directory, JS_CURVE, &figures)?;
        write_scripts(directory, &scripts).map_err(unwritten)?;
    }
    Ok(Measured { troubles, ..read(directory) })
}

/// What is stored; none where it is not kept any more, or the settings do not say where.
async fn blob(blobs: &dyn BlobStore, stored: &BlobRef) -> Result<Option<Vec<u8>>, Error> {
    blobs.get(stored).await.map_err(Error::Storage)
}

fn write_curve(directory: &Directory, name: &str, points: &[impl Serialize]) -> Result<(), Error> {
    let mut text = Vec::new();
    for point in points {
        serde_json::to_writer(&mut text, point).map_err(unreadable)?;
        text.push(b'\n');
    }
    directory.write(name, &text).map_err(Error::Directory)
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::File { action: "read what was measured of coverage".to_owned(), source: error.into() }
}

fn unwritten(cause: String) -> Error {
    Error::File { action: "write what was measured of coverage".to_owned(), source: io::Error::other(cause) }
}
