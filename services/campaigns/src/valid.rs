//! Validates what callers submit. Each refusal names the field.

use domain::campaign::Campaign;
use domain::job::Work;
use domain::service::{Code, ServiceError};
use domain::stage::Stages;
use domain::storage::jobs::Submission;
use domain::{Job, SiteId, project};
use std::collections::BTreeMap;
use url::Url;

/// The longest id of a campaign or job, in bytes.
const LONGEST_ID: usize = 300;

/// Refuses invalid settings, and a project that there is not among `projects`; where none is named, there is any.
pub(crate) fn campaign(campaign: &Campaign, projects: &BTreeMap<String, u32>) -> Result<(), ServiceError> {
    id("campaign.id", campaign.id.as_str())?;
    if campaign.id.as_str().contains('/') {
        return Err(invalid("campaign.id", "it must not contain `/`, which keeps campaigns and jobs apart"));
    }
    if project::says_default(campaign.id.as_str()) || campaign.id.own_name().is_empty() {
        return Err(invalid("campaign.id", "write PROJECT::NAME, or the name alone for the project `default`"));
    }
    let project = campaign.id.project();
    if !(projects.is_empty() || project.is_default() || projects.contains_key(project.as_str())) {
        let known =
            projects.keys().map(String::as_str).filter(|name| *name != "default").collect::<Vec<_>>().join(", ");
        return Err(invalid("campaign.id", &format!("there is no project `{project}`; there are: default, {known}")));
    }
    id("campaign.planner.name", &campaign.planner.name)?;
    if campaign.share == 0 {
        return Err(invalid("campaign.share", "it must be at least 1"));
    }
    for (host, rate) in &campaign.rates {
        if !(rate.per_second.is_finite() && rate.per_second > 0.0) {
            return Err(invalid(&format!("campaign.rates.{host}.per_second"), "it must be above 0; to stop, pause"));
        }
        if rate.burst == 0 {
            return Err(invalid(&format!("campaign.rates.{host}.burst"), "it must be at least 1"));
        }
    }
    for (name, is_zero) in
        [("steps", campaign.limits.steps == Some(0)), ("seconds", campaign.limits.seconds == Some(0))]
    {
        if is_zero {
            return Err(invalid(&format!("campaign.limits.{name}"), "it must be at least 1"));
        }
    }
    if let Some((field, cause)) = campaign.stages.as_ref().and_then(Stages::mistake) {
        return Err(invalid(&format!("campaign.stages.{field}"), &cause));
    }
    if campaign.budget.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        return Err(invalid("campaign.budget.usd", "it must be 0 or more"));
    }
    Ok(())
}

/// Validates a job and turns it into a submission.
///
/// # Errors
/// [`Code::Invalid`], naming the field.
pub fn submission(job: Job, trace_parent: String) -> Result<Submission, ServiceError> {
    let (site, host) = place(&job)?;
    let submission = Submission { job, site, host, trace_parent };
    whole(&submission)?;
    Ok(submission)
}

/// Refuses an invalid submission from any source: its names become table keys.
pub(crate) fn whole(submission: &Submission) -> Result<(), ServiceError> {
    let Submission { job, site, host, .. } = submission;
    id("job.id", job.id.as_str())?;
    id("job.campaign", job.campaign.as_str())?;
    match &job.work {
        Work::Benchmark(task) => id("job.work.task", task.task.as_str())?,
        Work::Task { task, .. } => id("job.work.task.id", task.id.as_str())?,
        Work::Exploration { .. } => {}
        Work::Study(_) => {
            return Err(invalid("job.work", "a study is made by the stages of a campaign, not handed in"));
        }
    }
    place(job)?;
    id("job.site", site.as_str())?;
    id("job.host", host)
}

/// The site of a job, and the host whose rate it counts against, over all projects.
fn place(job: &Job) -> Result<(SiteId, String), ServiceError> {
    let host = match &job.work {
        Work::Benchmark(task) => task.benchmark.clone(),
        Work::Task { task, .. } => host_of(job, &task.start_url)?,
        Work::Exploration { exploration, .. } => host_of(job, &exploration.start_url)?,
        Work::Study(study) => study.kind.host(),
    };
    let (_, site) = job.names();
    let (its, own) = (site.project(), job.campaign.project());
    if its != own {
        let cause = format!(
            "it is of project `{its}`, and the campaign `{}` is of `{own}`: name one of that project",
            job.campaign
        );
        return Err(invalid(&format!("site `{site}` of job `{}`", job.id), &cause));
    }
    Ok((site, host))
}

/// The host of a start URL, with its port.
fn host_of(job: &Job, start_url: &str) -> Result<String, ServiceError> {
    let field = format!("start_url of job `{}`", job.id);
    let url = Url::parse(start_url).map_err(|cause| invalid(&field, &cause.to_string()))?;
    let host = url.host_str().ok_or_else(|| invalid(&field, "it has no host"))?;
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

fn id(field: &str, text: &str) -> Result<(), ServiceError> {
    if text.is_empty() {
        return Err(invalid(field, "it is empty"));
    }
    if text.len() > LONGEST_ID {
        return Err(invalid(field, &format!("it has {} bytes, more than {LONGEST_ID}", text.len())));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid(field, "it contains control characters"));
    }
    Ok(())
}

fn invalid(field: &str, cause: &str) -> ServiceError {
    ServiceError::new(Code::Invalid, format!("{field}: {cause}"))
}
