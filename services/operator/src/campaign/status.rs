//! What people are told of a campaign: a phase, a sentence that says why, counts, conditions. Pure.

use crate::api::campaign::{CampaignStatus, Jobs, Phase};
use crate::api::condition::{Finding, follow};
use domain::campaign::{CampaignStatus as Standing, Waiting, Wish};
use domain::ledger::Totals;
use domain::verdict::VerdictKind;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use std::collections::BTreeMap;

/// What is found out about a campaign.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// Something that it refers to is not there yet.
    Incomplete(String),
    /// It cannot be handed in as it is.
    Invalid(String),
    /// Queue or ledger cannot be asked, or refused it.
    Unanswered(String),
    /// The queue has it.
    Standing {
        /// What the queue says.
        standing: Box<Standing>,
        /// What the ledger says.
        totals: Box<Totals>,
        /// Whether it is an exploration, which has nothing to pass.
        is_exploration: bool,
    },
}

/// The status that follows. What did not change stays as it was, so that nothing is written then.
pub(crate) fn status(
    before: &CampaignStatus,
    found: &Found,
    generation: Option<i64>,
    now: Timestamp,
) -> CampaignStatus {
    let mut status = CampaignStatus { observed_generation: generation, ..before.clone() };
    let mut findings = Vec::new();
    match found {
        Found::Incomplete(why) => {
            (status.phase, status.message) = (Phase::Pending, why.clone());
            findings.push(Finding::new("Accepted", false, "Incomplete", why));
        }
        Found::Invalid(why) => {
            (status.phase, status.message) = (Phase::Invalid, first_line(why));
            findings.push(Finding::new("Accepted", false, "Invalid", why));
        }
        Found::Unanswered(why) => {
            // How it stood stays to be seen; only the message says that nobody could be asked.
            status.message.clone_from(why);
            findings.push(Finding::new("Accepted", status.submitted, "Unanswered", why));
        }
        Found::Standing { standing, totals, is_exploration } => {
            status.campaign = Some(standing.campaign.id.to_string());
            status.submitted = true;
            status.started_at.get_or_insert(Time(now));
            of_standing(&mut status, standing, totals, *is_exploration);
            if status.phase.is_over() {
                status.ended_at.get_or_insert(Time(now));
            }
            findings.push(Finding::new("Accepted", true, "HandedIn", "the queue has all its jobs"));
            let over = status.phase.is_over();
            findings.push(Finding::new("Ended", over, word(status.phase), status.message.clone()));
            if over {
                let passed = status.phase == Phase::Succeeded;
                findings.push(Finding::new("Succeeded", passed, word(status.phase), status.message.clone()));
            }
        }
    }
    status.conditions = follow(&before.conditions, findings, generation, now);
    status
}

fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "Pending",
        Phase::Invalid => "Invalid",
        Phase::Running => "Running",
        Phase::Waiting => "Waiting",
        Phase::Paused => "Paused",
        Phase::Succeeded => "Succeeded",
        Phase::Failed => "Failed",
        Phase::Cancelled => "Cancelled",
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let more = text.lines().filter(|line| !line.trim_start().starts_with("hint: ")).count().saturating_sub(1);
    if more > 0 { format!("{line} (and {more} more)") } else { line.to_owned() }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn of_standing(status: &mut CampaignStatus, standing: &Standing, totals: &Totals, is_exploration: bool) {
    let tally = &standing.tally;
    let sum = totals.sum();
    status.jobs = Some(Jobs {
        total: number(tally.jobs),
        waiting: number(tally.waiting),
        running: number(tally.running),
        judged: number(tally.judged),
        quarantined: number(tally.quarantined),
        cancelled: number(tally.cancelled),
    });
    status.progress = Some(format!("{}/{}", tally.ended(), tally.jobs));
    status.passed = Some(number(sum.successes()));
    status.verdicts = sum.verdicts.iter().map(|(kind, count)| (kind.as_str().to_owned(), number(*count))).collect();
    let usage = sum.usage.cost_usd + totals.lost_usage.cost_usd;
    status.cost = (usage > 0.0).then(|| format!("{usage:.4} USD"));
    (status.phase, status.message) = if tally.ended() < tally.jobs {
        under_way(standing)
    } else if totals.ended() < tally.jobs {
        (Phase::Running, "every job has ended; the ledger is still counting".to_owned())
    } else {
        ended(standing, &sum.verdicts, is_exploration)
    };
}

/// A campaign with jobs that have not ended.
fn under_way(standing: &Standing) -> (Phase, String) {
    let reasons: Vec<String> = standing.waiting.iter().map(|(why, jobs)| reason(why, *jobs)).collect();
    let running = standing.tally.running;
    let phase = match (standing.wish, running) {
        (Wish::Pause, _) => Phase::Paused,
        (_, 0) => Phase::Waiting,
        _ => Phase::Running,
    };
    let under_way = (running > 0).then(|| format!("{} under way", jobs(running)));
    let parts: Vec<String> = under_way.into_iter().chain(reasons).collect();
    let message = if parts.is_empty() { "the last jobs are being closed".to_owned() } else { parts.join("; ") };
    (phase, message)
}

fn jobs(count: u64) -> String {
    if count == 1 { "1 job".to_owned() } else { format!("{count} jobs") }
}

/// Why jobs wait, in words.
fn reason(why: &Waiting, count: u64) -> String {
    let (jobs, wait) = (jobs(count), if count == 1 { "waits" } else { "wait" });
    match why {
        Waiting::Capacity => format!("{jobs} {wait} for a free crawler or browser"),
        Waiting::HostRate { host } => format!("{jobs} {wait} for the polite rate of {host}"),
        Waiting::Resume => format!("{jobs} {wait} for somebody to resume the campaign (`wish: Run`)"),
        Waiting::Budget => format!("{jobs} {wait} for a budget: what it may cost is spent"),
        Waiting::RetryAt { at } => {
            let at = Timestamp::try_from(*at).map(|at| format!("{at:.0}")).unwrap_or_default();
            format!("{jobs} {wait} to be tried again, the first at {at}")
        }
    }
}

/// A campaign all of whose jobs have ended.
fn ended(standing: &Standing, verdicts: &BTreeMap<VerdictKind, u64>, is_exploration: bool) -> (Phase, String) {
    let tally = &standing.tally;
    let passes = |kind: VerdictKind| match is_exploration {
        true => !kind.is_trouble(),
        false => kind.is_success(),
    };
    let mut others: Vec<String> = verdicts
        .iter()
        .filter(|(kind, _)| !passes(**kind))
        .map(|(kind, count)| format!("{count} {}", kind.as_str()))
        .collect();
    let passed: u64 = verdicts.iter().filter(|(kind, _)| passes(**kind)).map(|(_, count)| count).sum();
    for (count, what) in [(tally.quarantined, "in quarantine"), (tally.cancelled, "cancelled")] {
        if count > 0 {
            others.push(format!("{count} {what}"));
        }
    }
    let verb = if is_exploration { "carried through" } else { "passed" };
    let mut message = format!("{passed} of {} {verb}", tally.jobs);
    if !others.is_empty() {
        message += &format!("; {}", others.join(", "));
    }
    let phase = if tally.cancelled > 0 && standing.wish == Wish::Cancel {
        Phase::Cancelled
    } else if passed == tally.jobs {
        Phase::Succeeded
    } else {
        Phase::Failed
    };
    (phase, message)
}

#[cfg(test)]
mod tests;
