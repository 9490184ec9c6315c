//! Explains why jobs wait, with the number of jobs per reason. Pure.

use domain::campaign::{Waiting, Wish};
use domain::storage::jobs::CampaignStanding;

/// The reasons of a campaign, given the hosts at their limit. Jobs whose terminal record is under way wait for nothing
/// and have no reason.
pub(crate) fn reasons(standing: &CampaignStanding, full_hosts: &[String]) -> Vec<(Waiting, u64)> {
    let due: u64 = standing.due.iter().map(|(_, count)| count).sum();
    let (not_due, first) = standing.not_due;
    let all = |reason| if due + not_due > 0 { vec![(reason, due + not_due)] } else { Vec::new() };
    match standing.wish {
        Wish::Cancel => return Vec::new(),
        Wish::Pause => return all(Waiting::Resume),
        Wish::Run => {}
    }
    if standing.campaign.budget.is_spent(&standing.usage) {
        return all(Waiting::Budget);
    }
    let is_full = |host: &String| full_hosts.contains(host);
    let mut reasons = Vec::new();
    let free: u64 = standing.due.iter().filter(|(host, _)| !is_full(host)).map(|(_, count)| count).sum();
    if free > 0 {
        reasons.push((Waiting::Capacity, free));
    }
    for (host, count) in standing.due.iter().filter(|(host, _)| is_full(host)) {
        reasons.push((Waiting::HostRate { host: host.clone() }, *count));
    }
    if let Some(at) = first {
        reasons.push((Waiting::RetryAt { at }, not_due));
    }
    reasons
}
