//! Measures what an instance costs when thousands are worked through: real servers, Rutter's roles as processes, a simulated
//! Grid and a planner that knows the way.
//!
//! Everything is started here and ends with this process. What is measured is Rutter's own cost, never that of a page.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

mod baseline;
mod exact;
mod follow;
mod hops;
mod log;
mod picture;
mod profile;
mod report;
mod scenario;
mod stage;

use anyhow::{Context, Result};
use baseline::Baseline;
use clap::Parser;
use domain::campaign::{Campaign, PlannerRef};
use domain::job::Work;
use domain::task::Site;
use domain::{CampaignId, Job, JobId};
use exact::Accounts;
use follow::Watcher;
use loadtests::cost::Costs;
use loadtests::tasks;
use log::Records;
use platform::{Clock as _, SystemClock};
use profile::Profile;
use report::Report;
use scenario::{Scenario, Sizes};
use stage::{Cluster, Pages};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Jobs handed in with one call.
const AT_ONCE: usize = 500;

/// Between two looks whether what is sampled has ended.
const LOOK: Duration = Duration::from_secs(1);

/// How long each session may take for its next instance then.
const LONGEST_ROUND: Duration = Duration::from_secs(60);

/// Works a scenario through and measures it.
///
/// Prints tables, and writes load.json, load.svg and, where `perf` can sample, load-profile.txt. Ends with 1 when totals
/// differ, a figure is worse than it must be, or the client alone did something else than in the run.
#[derive(Parser)]
#[command(
    after_help = "Example:\n  load --rutter target/release/rutter --scenario loadtests/scenarios/ten-steps.toml --instances 500 --sessions 50"
)]
struct Arguments {
    /// The program whose roles are measured
    #[arg(long)]
    rutter: PathBuf,
    /// What is run
    #[arg(long)]
    scenario: PathBuf,
    /// Where results go
    #[arg(long, default_value = "target/results")]
    results: PathBuf,
    /// Instances, instead of those of the scenario
    #[arg(long)]
    instances: Option<u32>,
    /// Sessions, instead of those of the scenario
    #[arg(long)]
    sessions: Option<u32>,
    /// Instances of the client alone, instead of those of the scenario
    #[arg(long)]
    baseline_instances: Option<u32>,
    /// Instances that are worked through once more after the run, while what the processes do is sampled: load-profile.txt. 0 for none
    #[arg(long, default_value_t = 2000)]
    profile_instances: u32,
}

#[tokio::main]
async fn main() -> Result<()> {
    let Arguments { rutter, scenario, results, instances, sessions, baseline_instances, profile_instances } =
        Arguments::parse();
    let rutter = rutter.canonicalize().with_context(|| format!("find {}", rutter.display()))?;
    let scenario = Scenario::read(&scenario, &Sizes { instances, sessions, baseline_instances })?;
    let pages = Pages::start(&scenario)?;
    let mut baseline = None;
    if scenario.judges_cost {
        eprintln!("the client alone: {} instances in {} sessions", scenario.baseline_instances, scenario.sessions);
        baseline = Some(Baseline::measure(&scenario, &pages).await?);
    }
    eprintln!("starting servers and roles");
    let cluster = Cluster::start(&scenario, &rutter, &pages)?;
    let run = run(scenario, &pages, &cluster, baseline).await;
    let mut report = run.inspect_err(|_| eprint!("\n{}", cluster.last_words()))?;
    report.browsers = Costs::written(&results).browsers;
    match profile(&report.scenario, profile_instances, &pages, &cluster).await {
        Ok(Some(profile)) => report.write_profile(&results, &profile)?,
        Ok(None) => {}
        // The figures stand without it, and not every machine lets processes be sampled.
        Err(error) => eprintln!("no profile: {error:#}"),
    }
    drop(cluster);
    report.print();
    report.write(&results)?;
    report.judge()
}

async fn run(scenario: Scenario, pages: &Pages, cluster: &Cluster, baseline: Option<Baseline>) -> Result<Report> {
    let campaign = CampaignId::new("load");
    let jobs = jobs(scenario.instances, scenario.wizards, &campaign, &pages.hosts);
    eprintln!("{} instances in {} sessions", scenario.instances, scenario.sessions);
    let watcher = Watcher::begin(cluster, pages, &campaign).await?;
    cluster.campaigns.create(Campaign::new(campaign.clone(), PlannerRef::named("follower"))).await?;
    let clock = SystemClock::default();
    let mut handed_in = BTreeMap::new();
    for jobs in jobs.chunks(AT_ONCE) {
        let now = clock.wall();
        handed_in.extend(jobs.iter().map(|job| (job.id.clone(), now)));
        cluster.campaigns.submit(jobs.to_vec()).await.context("hand jobs in")?;
    }
    let course = watcher.until_all_ended(u64::from(scenario.instances)).await?;
    let records = Records::read(cluster.servers.variable("RUTTER_TEST_KAFKA")?).await?;
    let accounts = Accounts::take(cluster, &campaign, &records).await?;
    let hops = hops::hops(&records, &handed_in, &course, &cluster.admins()?).await?;
    Ok(Report { scenario, course, baseline, accounts, hops, browsers: Vec::new() })
}

/// What the processes do while a number of instances more is worked through: sampling takes time, which is not theirs.
async fn profile(scenario: &Scenario, instances: u32, pages: &Pages, cluster: &Cluster) -> Result<Option<String>> {
    let instances = instances.min(scenario.instances);
    if instances == 0 {
        return Ok(None);
    }
    eprintln!("\n{instances} instances more, sampled");
    let processes: Vec<u32> = cluster.ours()?.into_iter().map(|(_, process)| process).collect();
    let profile = Profile::begin(&processes, cluster.servers.directory())?;
    let campaign = CampaignId::new("profile");
    let queue = &cluster.campaigns;
    queue.create(Campaign::new(campaign.clone(), PlannerRef::named("follower"))).await?;
    for jobs in jobs(instances, scenario.wizards, &campaign, &pages.hosts).chunks(AT_ONCE) {
        queue.submit(jobs.to_vec()).await.context("hand jobs in")?;
    }
    let ended = async {
        while queue.status(&campaign).await?.tally.ended() < u64::from(instances) {
            tokio::time::sleep(LOOK).await;
        }
        anyhow::Ok(())
    };
    let ended = tokio::time::timeout(LONGEST_ROUND * instances.div_ceil(scenario.slots().max(1)), ended).await;
    let text = profile.end()?;
    ended.context("its instances take too long")??;
    Ok(Some(text))
}

/// The instances: each task again and again.
fn jobs(instances: u32, wizards: u32, campaign: &CampaignId, hosts: &[Url]) -> Vec<Job> {
    let tasks = tasks::tasks(hosts, wizards);
    let job = |(number, task): (u32, &domain::Task)| Job {
        id: JobId::new(format!("{}/{number}", task.id)),
        campaign: campaign.clone(),
        work: Work::Task { task: Box::new(task.clone()), site: Box::new(Site::default()) },
    };
    (0..instances).zip(tasks.iter().cycle()).map(job).collect()
}
