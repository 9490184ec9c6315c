//! `rutter submit`, `status`, `watch`, `pause`, `resume`, `cancel`, `results`, `quarantine`: clients of a running cluster.

mod by_log;
mod leave;

use super::{door, guide};
use crate::cli::{ClusterArgs, Explore, OneCampaign, Output, Quarantine, QuarantineJobs, Results, Status, Submit};
use crate::exit::{Exit, OrExit, Outcome, failure};
use crate::print::{self, note};
use benchmarks::Suite;
use by_log::Written;
use domain::campaign::{Budget, Campaign, CampaignStatus, PlannerRef, Rate, Wish};
use domain::job::Outcome as JobOutcome;
use domain::ledger::Totals;
use domain::project::ProjectId;
use domain::service::{AggregatorService, CampaignService, GraphService, QuarantineVerdict};
use domain::{CampaignId, Job, JobId};
use futures::StreamExt as _;
use indicatif::{ProgressBar, ProgressStyle};
use leave::LeftOf;
use node::config::{NodeConfig, Services};
use node::hear_everything;
use node::run::{Config, Kind};
use platform::rpc::ClientOptions;
use platform::telemetry::{self, Format};
use report::directory::file_name;
use report::unjudged::{self, Counts, Unjudged};
use report::{Progress, Scores, outcomes, tables};
use serde::Serialize;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::MissedTickBehavior;
use tracing::Instrument as _;
use url::Url;

/// Jobs handed in with one call: far below the limit of a message.
const AT_ONCE: usize = 500;

/// How often a campaign that is watched is asked what it found so far.
const LOOK: Duration = Duration::from_secs(2);
/// The same where each time is a line.
const SELDOM: Duration = Duration::from_secs(15);

/// Outcomes asked for with one call.
const PAGE: usize = 500;

/// What the command line says of the settings.
#[derive(Serialize)]
struct Flags {
    services: Services,
}

/// The services of a cluster.
struct Cluster {
    settings: NodeConfig,
    project: ProjectId,
}

impl Cluster {
    fn new(args: &ClusterArgs) -> Outcome<Cluster> {
        let to = |url: &Option<String>| url.as_ref().map(ClientOptions::to);
        let (campaigns, aggregator) = (to(&args.campaigns), to(&args.aggregator));
        let flags = Flags { services: Services { campaigns, aggregator, ..Services::default() } };
        let settings = node::config::load(args.settings.config.as_deref(), &flags)?;
        Ok(Cluster { settings, project: args.project.clone() })
    }

    /// The campaign of a name.
    fn campaign(&self, name: &str) -> CampaignId {
        self.project.campaign(name)
    }

    fn campaigns(&self) -> Outcome<Arc<dyn CampaignService>> {
        match &self.settings.services.campaigns {
            Some(options) => Ok(proto::client::campaigns(&node::connect(options)?)),
            None => failure(
                Exit::Usage,
                "where is the queue? name it by --campaigns URL, or by services.campaigns of the settings (--config)",
            ),
        }
    }

    fn graph(&self) -> Outcome<Arc<dyn GraphService>> {
        match &self.settings.services.graph {
            Some(options) => Ok(proto::client::graph(&node::connect(options)?)),
            None => failure(
                Exit::Usage,
                "where are the maps? name their service by services.graph of the settings (--config)",
            ),
        }
    }

    fn aggregator(&self) -> Outcome<Arc<dyn AggregatorService>> {
        match &self.settings.services.aggregator {
            Some(options) => Ok(proto::client::aggregator(&node::connect(options)?)),
            None => failure(
                Exit::Usage,
                "where is the ledger? name it by --aggregator URL, or by services.aggregator of the settings (--config)",
            ),
        }
    }
}

/// Hands tasks in.
pub(crate) async fn submit(args: Submit) -> Outcome {
    let cluster = Cluster::new(&args.cluster)?;
    let id = cluster.campaign(&args.campaign.clone().unwrap_or_else(|| usual_name(&args)));
    let jobs = jobs(&args, &id)?;
    tasks::check_jobs(&jobs)?;
    args.options.check_unseen(&jobs)?;
    let submission = if args.by_log { Submission::Log } else { Submission::Call };
    let campaign = guide::shown_to(campaign(&args, id.clone(), jobs.len())?, &args).await?;
    let handed_in = hand_in_traced(&cluster, campaign, &jobs, submission).await?;
    if args.watch {
        if let HandedIn::ByLog(written) = handed_in {
            written.until_read().await?;
        }
        return watch_until_ended(&cluster, &id, args.output.output).await;
    }
    show_handed_in(&id, &jobs, &handed_in, args.output.output)
}

/// Hands an exploration in.
pub(crate) async fn explore(config: Config, args: &Explore) -> Outcome {
    let (cluster, output) = (Cluster::new(&args.cluster)?, args.output.output);
    let campaign = Campaign::new(config.campaign.clone(), config.kind.planner_ref());
    if cluster.settings.services.graph.is_some() {
        tell_of_earlier_map(cluster.graph()?.as_ref(), &config).await?;
    }
    if !args.watch {
        if args.run.run_dir.is_some() {
            let cause = "--run-dir is written at the end: add --watch, or ask for it later by rutter results CAMPAIGN --run-dir DIR";
            return failure(Exit::Usage, cause);
        }
        let handed_in = hand_in_traced(&cluster, campaign, &config.jobs, Submission::Call).await?;
        return show_handed_in(&config.campaign, &config.jobs, &handed_in, output);
    }
    let (campaigns, aggregator) = (cluster.campaigns()?, cluster.aggregator()?);
    hand_in_traced(&cluster, campaign, &config.jobs, Submission::Call).await?;
    let id = &config.campaign;
    follow(campaigns.as_ref(), aggregator.as_ref(), id).await?;
    hear_everything(campaigns.as_ref(), aggregator.as_ref(), id).await?;
    let path = args.run.run_dir.clone().unwrap_or_else(|| leave::usual_directory(id));
    show_left(id, leave::campaign(&cluster, id, &path).await?, output)
}

/// Maps of releases that called a site by its host alone are kept: who wants to go on with one names it.
async fn tell_of_earlier_map(maps: &dyn GraphService, config: &Config) -> Outcome<()> {
    let Kind::Explore(explore) = &config.kind else { return Ok(()) };
    let sites = maps.sites().await?;
    let host = Url::parse(&explore.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let is_new = explore.site.project().is_default() && !sites.contains(&explore.site);
    let is_earlier = |host: &String| is_new && sites.iter().any(|site| site.as_str() == host);
    if let Some(host) = host.filter(is_earlier) {
        note!("there is a map of `{host}` from before sites were called by origin; --site {host} goes on with it");
    }
    Ok(())
}

/// Shows what a campaign left in directories.
fn show_left(id: &CampaignId, all: Vec<LeftOf>, output: Output) -> Outcome {
    let mut exits = Vec::new();
    let mut objects = Vec::new();
    for LeftOf { site, jobs, mut left } in all {
        if let Some(results) = left.results.as_object_mut() {
            let ended = left.outcomes.len() - left.unjudged.len();
            results.extend([
                ("campaign".to_owned(), id.as_str().into()),
                ("jobs".to_owned(), jobs.into()),
                ("ended".to_owned(), ended.into()),
            ]);
        }
        match (output, &site) {
            (Output::Json, _) => objects.push(left.results.clone()),
            (Output::Table, Some(_)) => print::text_out(&tables::explored(&left.results))?,
            (Output::Table, None) => print::text_out(&tables::verdicts(&left.outcomes))?,
        }
        super::session::say_what_went_wrong(&left.outcomes);
        note!("report: {}", left.report.display());
        exits.push(match site {
            Some(_) => super::session::explored_exit(&left),
            None => super::session::all_exit(&left.outcomes),
        });
    }
    match (output, objects.as_slice()) {
        (Output::Json, [one]) => print::json(one)?,
        (Output::Json, several) => print::json(&several)?,
        (Output::Table, _) => {}
    }
    Ok(exits.into_iter().find(|exit| *exit != Exit::Success).unwrap_or(Exit::Success))
}

fn show_handed_in(id: &CampaignId, jobs: &[Job], handed_in: &HandedIn, output: Output) -> Outcome {
    let new = handed_in.newcomers();
    match output {
        Output::Json => print::json(&serde_json::json!({"campaign": id, "jobs": jobs.len(), "new": new}))?,
        Output::Table => print::text_out(id.as_str())?,
    }
    Ok(Exit::Success)
}

/// How jobs get to the queue.
#[derive(Clone, Copy)]
enum Submission {
    /// By calls, which say how many were new.
    Call,
    /// By the log: they are kept, and the queue will find them.
    Log,
}

/// What became of jobs.
enum HandedIn {
    /// The queue has them; so many were new.
    ByCall(u64),
    /// They are in the log.
    ByLog(Written),
}

impl HandedIn {
    /// How many were new, where that is known.
    fn newcomers(&self) -> Option<u64> {
        match self {
            HandedIn::ByCall(new) => Some(*new),
            HandedIn::ByLog(_) => None,
        }
    }
}

/// Creates a campaign and submits its jobs, as the first span of a trace.
async fn hand_in_traced(
    cluster: &Cluster,
    campaign: Campaign,
    jobs: &[Job],
    submission: Submission,
) -> Outcome<HandedIn> {
    let traces = cluster.settings.traces_of("submit");
    let (stderr, colours) = (std::io::stderr, std::io::stderr().is_terminal());
    let traces = telemetry::start(Format::Text, stderr, colours, traces.as_ref()).or_exit(Exit::Usage)?;
    let id = campaign.id.clone();
    let span = tracing::info_span!("submit", campaign = %id, jobs = jobs.len());
    let handed_in = hand_in(cluster, campaign, jobs, submission).instrument(span).await;
    super::serve::finish(traces).await;
    let handed_in = handed_in?;
    match handed_in.newcomers() {
        Some(new) => note!("campaign {id}: {} jobs, {new} of them new", jobs.len()),
        None => note!("campaign {id}: {} jobs in the log", jobs.len()),
    }
    Ok(handed_in)
}

/// Creates a campaign and submits its jobs.
async fn hand_in(cluster: &Cluster, campaign: Campaign, jobs: &[Job], submission: Submission) -> Outcome<HandedIn> {
    let campaigns = cluster.campaigns()?;
    let prepared =
        matches!(submission, Submission::Log).then(|| by_log::prepare(&cluster.settings, jobs)).transpose()?;
    campaigns.create(campaign).await?;
    if let Some(prepared) = prepared {
        return Ok(HandedIn::ByLog(prepared.write().await?));
    }
    let mut new = 0;
    for jobs in jobs.chunks(AT_ONCE) {
        new += campaigns.submit(jobs.to_vec()).await?;
    }
    Ok(HandedIn::ByCall(new))
}

fn usual_name(args: &Submit) -> String {
    let now: chrono::DateTime<chrono::Local> = node::clock().wall().into();
    let file = args.files.first().and_then(|file| file.file_stem()).and_then(|stem| stem.to_str());
    let suite = args.suite.chosen().map(|(benchmark, suite)| suite.unwrap_or(benchmark));
    format!("{}-{}", now.format("%Y%m%d-%H%M%S"), file_name(suite.or(file).unwrap_or("tasks")))
}

fn campaign(args: &Submit, id: CampaignId, jobs: usize) -> Outcome<Campaign> {
    let options = args.options.of(&args.planner)?;
    let planner = PlannerRef { name: args.planner.clone(), model: args.model.clone(), options };
    let burst = |per_second: f64| per_second.ceil().max(1.0) as u32;
    let rate = |(host, per_second): &(String, f64)| {
        (host.clone(), Rate { per_second: *per_second, burst: burst(*per_second) })
    };
    Ok(Campaign {
        priority: args.priority,
        share: args.share,
        rates: args.rate.iter().map(rate).collect(),
        limits: args.limits.of(),
        budget: Budget { usd: args.budget_usd, tokens: args.budget_tokens },
        labels: args.label.iter().cloned().collect(),
        stages: args.again.stages(jobs),
        ..Campaign::new(id, planner)
    })
}

fn jobs(args: &Submit, campaign: &CampaignId) -> Outcome<Vec<Job>> {
    if let Some((benchmark, suite)) = args.suite.chosen() {
        let benchmark = benchmarks::by_name(benchmark).or_exit(Exit::Usage)?;
        let folder = benchmark.folder().or_exit(Exit::Environment)?;
        let suite = Suite::by_name(benchmark, suite, &folder).or_exit(Exit::Usage)?;
        return Ok(suite.jobs(&args.suite.seeds, campaign, false));
    }
    let mut loaded = tasks::load(&args.files)?;
    door::keep_passwords(&mut loaded)?;
    Ok(tasks::jobs_of_tasks(loaded, campaign))
}

/// How campaigns stand.
pub(crate) async fn status(args: Status) -> Outcome {
    let cluster = Cluster::new(&args.cluster)?;
    let campaigns = cluster.campaigns()?;
    let found = match &args.campaign {
        Some(name) => vec![campaigns.status(&cluster.campaign(name)).await?],
        None => campaigns.list().await?,
    };
    match (args.output.output, args.campaign.is_some()) {
        (Output::Json, true) => print::json(&found.first())?,
        (Output::Json, false) => print::json(&found)?,
        (Output::Table, _) => print::text_out(&tables::campaigns(&found))?,
    }
    Ok(Exit::Success)
}

/// Follows a campaign to its end.
pub(crate) async fn watch(args: OneCampaign) -> Outcome {
    let cluster = Cluster::new(&args.cluster)?;
    watch_until_ended(&cluster, &cluster.campaign(&args.campaign), args.output.output).await
}

async fn watch_until_ended(cluster: &Cluster, campaign: &CampaignId, output: Output) -> Outcome {
    let (campaigns, aggregator) = (cluster.campaigns()?, cluster.aggregator()?);
    follow(campaigns.as_ref(), aggregator.as_ref(), campaign).await?;
    hear_everything(campaigns.as_ref(), aggregator.as_ref(), campaign).await?;
    show_results(cluster, campaign, output).await
}

/// Shows how a campaign stands until all its jobs have ended; of an exploration also what was found so far.
async fn follow(
    campaigns: &dyn CampaignService,
    aggregator: &dyn AggregatorService,
    campaign: &CampaignId,
) -> Outcome<()> {
    let mut statuses = campaigns.watch(campaign).await?;
    let bar = std::io::stderr().is_terminal().then(|| {
        let style = ProgressStyle::with_template("{bar:28.cyan/blue} {pos}/{len}  {msg}  {elapsed}");
        ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    });
    let mut found = Progress::default();
    let (mut standing, mut told) = (None, String::new());
    let mut look = tokio::time::interval(if bar.is_some() { LOOK } else { SELDOM });
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            status = statuses.next() => match status.transpose()? {
                Some(status) => standing = Some(status),
                None => break,
            },
            // What was found so far is for people: the results at the end do not depend on it.
            _ = look.tick() => if let Err(error) = found.hear(aggregator, campaign).await {
                tracing::debug!(%error, "not asked what was found so far");
            },
        }
        let Some(CampaignStatus { tally, .. }) = &standing else { continue };
        let words = standing.iter().map(tables::standing).chain([found.told()]).filter(|words| !words.is_empty());
        let words = words.collect::<Vec<_>>().join("; ");
        let said = format!("{}/{}  {words}", tally.ended(), tally.jobs);
        match &bar {
            Some(bar) => {
                bar.set_length(tally.jobs);
                bar.set_position(tally.ended());
                bar.set_message(words);
            }
            None if said != told => note!("{said}"),
            None => {}
        }
        told = said;
        if tally.ended() == tally.jobs {
            break;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(())
}

/// What came of a campaign.
pub(crate) async fn results(args: Results) -> Outcome {
    let Results { run_dir, of: args } = args;
    let cluster = Cluster::new(&args.cluster)?;
    let id = cluster.campaign(&args.campaign);
    match run_dir {
        Some(path) => show_left(&id, leave::campaign(&cluster, &id, &path).await?, args.output.output),
        None => show_results(&cluster, &id, args.output.output).await,
    }
}

async fn show_results(cluster: &Cluster, campaign: &CampaignId, output: Output) -> Outcome {
    let aggregator = cluster.aggregator()?;
    let mut outcomes = outcomes::all(aggregator.as_ref(), campaign, PAGE).await?;
    let totals = aggregator.totals(campaign).await?;
    let Unjudged { rows, pending } = unjudged(cluster, campaign, &totals).await?;
    outcomes.extend(rows);
    if outcomes.is_empty() {
        let cause = format!("there are no results: neither queue nor ledger knows a job of campaign `{campaign}`");
        return failure(Exit::Usage, cause);
    }
    let wall_s = outcomes.iter().map(|outcome| outcome.wall_ms).sum::<f64>() / 1000.0;
    let scores = Scores::of(&outcomes, wall_s);
    match output {
        Output::Json => {
            let lines: Vec<serde_json::Value> = outcomes.iter().map(outcomes::json).collect();
            print::json(
                &serde_json::json!({"scores": scores, "totals": totals, "pending": pending, "outcomes": lines}),
            )?;
        }
        Output::Table => {
            print::text_out(&tables::scores(&scores))?;
            let others: Vec<JobOutcome> =
                outcomes.iter().filter(|outcome| !outcome.verdict.kind.is_success()).cloned().collect();
            if !others.is_empty() {
                print::text_out(&tables::verdicts(&others))?;
            }
        }
    }
    note!(
        "{} of {} passed; {} not ended, {} in quarantine, {} cancelled, {} attempts lost, {} records came again",
        scores.successes,
        scores.episodes,
        pending,
        totals.quarantined,
        totals.cancelled,
        totals.lost_attempts,
        totals.redeliveries
    );
    Ok(super::session::all_exit(&outcomes))
}

/// The rows of jobs without an outcome; with names, causes and what is still to come, or not in the ledger yet, where the queue can be asked.
async fn unjudged(cluster: &Cluster, campaign: &CampaignId, totals: &Totals) -> Outcome<Unjudged> {
    let counts = Counts { quarantined: totals.quarantined, cancelled: totals.cancelled, pending: 0 };
    if cluster.settings.services.campaigns.is_none() {
        note!("the settings name no queue: jobs that have not ended yet are unknown, and not counted here");
        return Ok(unjudged::of_campaign(campaign, &[], counts));
    }
    let campaigns = cluster.campaigns()?;
    let quarantined = campaigns.quarantine(campaign).await?;
    let tally = campaigns.status(campaign).await?.tally;
    let counts = Counts {
        quarantined: tally.quarantined,
        cancelled: tally.cancelled,
        pending: tally.jobs.saturating_sub(totals.sum().outcomes() + tally.quarantined + tally.cancelled),
    };
    Ok(unjudged::of_campaign(campaign, &quarantined, counts))
}

/// Pauses, resumes or cancels.
pub(crate) async fn wish(args: OneCampaign, wish: Wish) -> Outcome {
    let cluster = Cluster::new(&args.cluster)?;
    let (campaigns, id) = (cluster.campaigns()?, cluster.campaign(&args.campaign));
    campaigns.wish(&id, wish).await?;
    let status = campaigns.status(&id).await?;
    show(&status, args.output.output)
}

fn show(status: &CampaignStatus, output: Output) -> Outcome {
    match output {
        Output::Json => print::json(status)?,
        Output::Table => print::text_out(&tables::campaigns(std::slice::from_ref(status)))?,
    }
    Ok(Exit::Success)
}

/// Lists jobs in quarantine, tries them again or drops them.
pub(crate) async fn quarantine(command: Quarantine) -> Outcome {
    match command {
        Quarantine::List(args) => {
            let cluster = Cluster::new(&args.cluster)?;
            let jobs = cluster.campaigns()?.quarantine(&cluster.campaign(&args.campaign)).await?;
            match args.output.output {
                Output::Json => print::json(&jobs)?,
                Output::Table => print::text_out(&tables::quarantine(&jobs))?,
            }
            Ok(Exit::Success)
        }
        Quarantine::Retry(args) => settle(args, QuarantineVerdict::Retry).await,
        Quarantine::Drop(args) => settle(args, QuarantineVerdict::Drop).await,
    }
}

async fn settle(args: QuarantineJobs, verdict: QuarantineVerdict) -> Outcome {
    let QuarantineJobs { campaign: OneCampaign { campaign, cluster, .. }, jobs } = args;
    let cluster = Cluster::new(&cluster)?;
    let (campaigns, id) = (cluster.campaigns()?, cluster.campaign(&campaign));
    let jobs = match jobs.is_empty() {
        false => jobs.into_iter().map(JobId::new).collect(),
        true => campaigns.quarantine(&id).await?.into_iter().map(|job| job.job).collect(),
    };
    let settled = campaigns.settle(&id, jobs, verdict).await?;
    note!("{settled} jobs taken out of quarantine");
    Ok(Exit::Success)
}
