//! What a report is about, as far as its reader needs to know it, and where its results are stored.

use domain::job::Work;
use domain::marks::Mark;
use domain::service::{AggregatorService, CampaignService, GraphService, ServiceError};
use domain::storage::BlobStore;
use domain::task::Check;
use domain::{CampaignId, Job, SiteId};
use image::RgbaImage;
use std::sync::Arc;

/// Jobs read at once.
const JOBS: usize = 200;

/// A run that results are read of.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// A name for people.
    pub name: &'a str,
    /// When it was started, for people.
    pub created: &'a str,
    /// The campaign of its jobs.
    pub campaign: &'a CampaignId,
    /// What the campaign calls who decides.
    pub planner: String,
    /// Everything that was to be done, in order.
    pub jobs: &'a [Job],
    /// Jobs done at the same time.
    pub workers: usize,
    /// Settings worth knowing when reading a result, as name and value.
    pub settings: Vec<(String, String)>,
    /// What kind of run it was.
    pub kind: Kind<'a>,
    /// What to say of jobs that have not ended.
    pub unended: &'a str,
}

/// What kind of run it was.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'a> {
    /// Tasks of task files.
    Tasks,
    /// A suite of a benchmark.
    Benchmark {
        /// What fresh seeds were drawn from.
        root_seed: Option<u32>,
    },
    /// An exploration.
    Exploration(Exploration<'a>),
    /// Tests replayed.
    Replay,
}

/// What was explored.
#[derive(Clone, Copy, Debug)]
pub struct Exploration<'a> {
    /// Who chose what was tried next.
    pub strategy: &'a str,
    /// Where it began.
    pub url: &'a str,
    /// The site's name in the map.
    pub site: &'a SiteId,
}

/// Where results are read, and what is asked of other rooms about them.
#[derive(Clone)]
pub struct Sources {
    /// The queue.
    pub campaigns: Arc<dyn CampaignService>,
    /// The ledger.
    pub aggregator: Arc<dyn AggregatorService>,
    /// The maps of sites.
    pub graph: Arc<dyn GraphService>,
    /// Trajectories and pictures.
    pub blobs: Arc<dyn BlobStore>,
    /// What had to hold at the end of a piece of work.
    pub check_of: fn(&Work) -> Option<Check>,
    /// Draws marks on a picture of so many device pixels per CSS pixel.
    pub draw_marks: DrawMarks,
}

impl Sources {
    /// Every job of a campaign in order of submission, page by page.
    ///
    /// # Errors
    /// Of the queue.
    pub async fn jobs(&self, campaign: &CampaignId) -> Result<Vec<Job>, ServiceError> {
        let mut jobs: Vec<Job> = Vec::new();
        loop {
            let more = self.campaigns.jobs(campaign, jobs.len() as u64, JOBS).await?;
            let is_last = more.len() < JOBS;
            jobs.extend(more);
            if is_last {
                return Ok(jobs);
            }
        }
    }
}

/// Draws marks on a picture of so many device pixels per CSS pixel.
pub type DrawMarks = fn(RgbaImage, &[Mark], f64) -> RgbaImage;
