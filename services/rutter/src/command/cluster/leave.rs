//! Writes down what a campaign of a cluster left, as a run on this machine leaves it.

use super::Cluster;
use crate::exit::{Exit, Outcome, failure};
use crate::print::note;
use domain::campaign::Wish;
use domain::job::Work;
use domain::{CampaignId, Job, JobId, SiteId};
use node::compose::{self, planner_label};
use node::{coverage, hear_everything};
use report::directory::{SETTINGS, file_name};
use report::{Directory, Exploration, Kind, Left, Run, Sources, artifacts, explored};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a campaign left in one directory.
pub(super) struct LeftOf {
    /// What it is of: the site of an exploration.
    pub(super) site: Option<SiteId>,
    /// The jobs.
    pub(super) jobs: usize,
    /// What they left.
    pub(super) left: Left,
}

/// Writes down what a campaign left: of several sites that it explored, each in a folder of its own.
///
/// # Errors
/// A directory that holds a run of this machine, or cannot be written; a service that does not answer; an unknown campaign.
pub(super) async fn campaign(cluster: &Cluster, id: &CampaignId, path: &Path) -> Outcome<Vec<LeftOf>> {
    let sources = sources(cluster)?;
    hear_everything(sources.campaigns.as_ref(), sources.aggregator.as_ref(), id).await?;
    let jobs = sources.jobs(id).await?;
    let status = sources.campaigns.status(id).await?;
    let unended = match status.wish {
        Wish::Cancel => "cancelled before it was attempted to its end",
        Wish::Run | Wish::Pause => "it has not ended yet: rutter status says what it waits for",
    };
    let planner = planner_label(&status.campaign.planner, &BTreeMap::new());
    let outcomes = report::outcomes::all(sources.aggregator.as_ref(), id, super::PAGE).await?;
    let seconds: BTreeMap<JobId, f64> =
        outcomes.into_iter().map(|outcome| (outcome.job, outcome.wall_ms / 1000.0)).collect();
    let mut parts: BTreeMap<Option<SiteId>, Vec<Job>> = BTreeMap::new();
    for job in jobs {
        let site = matches!(job.work, Work::Exploration { .. }).then(|| job.names().1);
        parts.entry(site).or_default().push(job);
    }
    let is_one = parts.len() <= 1;
    let mut all = Vec::new();
    for (site, jobs) in parts {
        let folder = match &site {
            Some(site) if !is_one => path.join(file_name(site.as_str())),
            _ => path.to_owned(),
        };
        let directory = create(&folder, id)?;
        let walls = jobs.iter().filter_map(|job| seconds.get(&job.id)).copied().collect();
        let left = part(&directory, id, (&planner, unended), (&jobs, walls), &sources).await?;
        all.push(LeftOf { site, jobs: jobs.len(), left });
    }
    if all.is_empty() {
        return failure(Exit::Usage, format!("campaign `{id}` has no jobs"));
    }
    Ok(all)
}

/// Where the results of a cluster are read.
fn sources(cluster: &Cluster) -> Outcome<Sources> {
    let servers = cluster.settings.storage.servers.as_ref();
    let blobs = servers.map(node::storage::blobs).transpose();
    let blobs = match blobs {
        Ok(Some((blobs, _))) => blobs,
        _ => {
            note!(
                "pictures, trajectories and recorded tests are left out: hand in the settings of the roles, whose \
                 [storage.servers] say where they are (--config)"
            );
            node::storage::no_blobs()
        }
    };
    Ok(Sources {
        campaigns: cluster.campaigns()?,
        aggregator: cluster.aggregator()?,
        graph: cluster.graph()?,
        blobs,
        check_of: compose::check_of,
        draw_marks: browser::marks::draw_on,
    })
}

/// The directory of a campaign's results. One that holds something else is refused.
fn create(path: &Path, id: &CampaignId) -> Outcome<Directory> {
    const CAMPAIGN: &str = "campaign.json";
    let directory = Directory::at(path);
    let holds = std::fs::read(directory.join(CAMPAIGN)).ok();
    let is_other = match holds.as_deref().map(serde_json::from_slice::<CampaignId>) {
        Some(Ok(other)) => other != *id,
        Some(Err(_)) => true,
        None => [SETTINGS, "results.json", "visits.jsonl"].iter().any(|file| directory.join(file).exists()),
    };
    if is_other {
        let path = path.display();
        return failure(Exit::Usage, format!("--run-dir: {path} holds the results of something else; choose another"));
    }
    directory.write_json(CAMPAIGN, id)?;
    Ok(directory)
}

async fn part(
    directory: &Directory,
    campaign: &CampaignId,
    (planner, unended): (&str, &str),
    (jobs, walls): (&[Job], Vec<f64>),
    sources: &Sources,
) -> Outcome<Left> {
    let run = Run {
        name: campaign.as_str(),
        created: "",
        campaign,
        planner: planner.to_owned(),
        jobs,
        workers: jobs.len(),
        settings: vec![("planner".to_owned(), planner.to_owned())],
        kind: Kind::Tasks,
        unended,
    };
    Ok(match jobs.first().map(|job| &job.work) {
        Some(Work::Exploration { exploration, .. }) => {
            let (strategy, url) = (exploration.strategy.as_str(), exploration.start_url.as_str());
            let explore = Exploration { strategy, url, site: &exploration.version.site };
            let run = Run { kind: Kind::Exploration(explore), ..run };
            // Its browsers explore side by side.
            let wall_s = walls.into_iter().fold(0.0, f64::max);
            let stored = (sources.aggregator.as_ref(), sources.blobs.as_ref());
            let measured = coverage::gather(directory, stored, campaign, jobs).await?;
            for trouble in &measured.troubles {
                note!("coverage: {trouble}");
            }
            explored::leave(directory, &run, explore, sources, measured, wall_s).await?
        }
        Some(Work::Benchmark(_)) => {
            let run = Run { kind: Kind::Benchmark { root_seed: None }, ..run };
            artifacts::leave(directory, &run, sources, walls.iter().sum()).await?
        }
        _ => artifacts::leave(directory, &run, sources, walls.iter().sum()).await?,
    })
}

/// Where what a campaign left goes by default.
pub(super) fn usual_directory(id: &CampaignId) -> PathBuf {
    PathBuf::from("runs").join(file_name(id.as_str()))
}
