//! Fair scheduling: decides which lanes to claim from. Pure: the table supplies the demand.
//!
//! Slots are assigned one by one: to the project with demand that is furthest below its share, in it to the highest priority, then to
//! the campaign furthest below its share, then to the site, and then the host, with the fewest running jobs. Lanes are skipped, without
//! holding up others, if their host runs as many jobs as its rate allows or their budget is spent.

use crate::options::Options;
use domain::CampaignId;
use domain::campaign::{ClaimRequest, Rate, WorkKind};
use domain::storage::jobs::{Lane, Pick};
use platform::network::is_this_machine;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Chooses how many jobs of which lanes to claim: at most the requested slots, from lanes that match the request.
pub fn picks(lanes: &[Lane], request: &ClaimRequest, options: &Options) -> Vec<Pick> {
    let mut in_flight = InFlight::new(lanes, options);
    let mut counts = vec![0; lanes.len()];
    for _ in 0..request.slots {
        let open = (0..lanes.len()).filter(|index| {
            let lane = &lanes[*index];
            is_wanted(lane, request)
                && !lane.budget_spent
                && counts[*index] < lane.claimable
                && in_flight.has_room(&lane.host)
        });
        let Some(next) = open.min_by(|one, other| in_flight.order(&lanes[*one], &lanes[*other])) else { break };
        counts[next] += 1;
        in_flight.give(&lanes[next]);
    }
    let taken = lanes.iter().zip(counts).filter(|(_, count)| *count > 0);
    taken
        .map(|(lane, count)| Pick {
            campaign: lane.campaign.clone(),
            site: lane.site.clone(),
            host: lane.host.clone(),
            count: usize::try_from(count).unwrap_or(usize::MAX),
        })
        .collect()
}

fn is_wanted(lane: &Lane, request: &ClaimRequest) -> bool {
    let carries = |(key, value): (&String, &String)| lane.labels.get(key) == Some(value);
    lane.kind() == request.kind
        && request.campaign.as_ref().is_none_or(|only| lane.campaign == *only)
        && request.labels.iter().all(carries)
}

/// Hosts that run as many jobs as their rates allow.
pub fn full_hosts(lanes: &[Lane], options: &Options) -> Vec<String> {
    let in_flight = InFlight::new(lanes, options);
    in_flight.caps.keys().filter(|host| !in_flight.has_room(host)).map(|host| (*host).to_owned()).collect()
}

/// How many jobs of each campaign could begin in browsers now if slots were without end. Added up, it is what [`picks`] would pick.
pub fn room(lanes: &[Lane], options: &Options) -> BTreeMap<CampaignId, u64> {
    let mut in_flight = InFlight::new(lanes, options);
    let needs_a_slot = |lane: &&Lane| !lane.budget_spent && lane.claimable > 0 && lane.kind() == WorkKind::Pages;
    let mut open: Vec<&Lane> = lanes.iter().filter(needs_a_slot).collect();
    open.sort_by_key(|lane| std::cmp::Reverse(lane.priority));
    let mut room = BTreeMap::new();
    for lane in open {
        let jobs = lane.claimable.min(in_flight.left(&lane.host));
        in_flight.add(lane, jobs);
        *room.entry(lane.campaign.clone()).or_default() += jobs;
    }
    room
}

/// Counts of running jobs by each key of the comparison.
struct InFlight<'a> {
    projects: BTreeMap<&'a str, u64>,
    project_shares: &'a BTreeMap<String, u32>,
    campaigns: BTreeMap<&'a str, u64>,
    sites: BTreeMap<(&'a str, &'a str), u64>,
    lanes: BTreeMap<(&'a str, &'a str, &'a str), u64>,
    hosts: BTreeMap<&'a str, u64>,
    caps: BTreeMap<&'a str, u64>,
}

impl<'a> InFlight<'a> {
    fn new(lanes: &'a [Lane], options: &'a Options) -> Self {
        let mut in_flight = Self {
            projects: BTreeMap::new(),
            project_shares: &options.projects,
            campaigns: BTreeMap::new(),
            sites: BTreeMap::new(),
            lanes: BTreeMap::new(),
            hosts: BTreeMap::new(),
            caps: BTreeMap::new(),
        };
        for lane in lanes {
            in_flight.add(lane, lane.running);
            let usual = || usual(&lane.host, options).filter(|_| lane.kind() == WorkKind::Pages);
            if let Some(rate) = lane.rate.or_else(usual) {
                let cap = cap(rate, options);
                // If several campaigns set a rate for one host, the slowest applies.
                in_flight.caps.entry(&lane.host).and_modify(|there| *there = cap.min(*there)).or_insert(cap);
            }
        }
        in_flight
    }

    fn add(&mut self, lane: &'a Lane, jobs: u64) {
        let (campaign, site, host) = (lane.campaign.as_str(), lane.site.as_str(), lane.host.as_str());
        *self.projects.entry(lane.campaign.project_name()).or_default() += jobs;
        *self.campaigns.entry(campaign).or_default() += jobs;
        *self.sites.entry((campaign, site)).or_default() += jobs;
        *self.lanes.entry((campaign, site, host)).or_default() += jobs;
        *self.hosts.entry(host).or_default() += jobs;
    }

    fn give(&mut self, lane: &'a Lane) {
        self.add(lane, 1);
    }

    fn has_room(&self, host: &str) -> bool {
        self.left(host) > 0
    }

    /// How many more jobs the rate of a host allows.
    fn left(&self, host: &str) -> u64 {
        let running = self.hosts.get(host).copied().unwrap_or_default();
        self.caps.get(host).map_or(u64::MAX, |cap| cap.saturating_sub(running))
    }

    /// The scheduling order; names break ties, so that it is deterministic.
    fn order(&self, one: &Lane, other: &Lane) -> Ordering {
        self.behind_by_project(one, other)
            .then_with(|| other.priority.cmp(&one.priority))
            .then_with(|| self.behind(one, other))
            .then_with(|| self.fewer(one, other))
    }

    /// Compares what the projects run per share.
    fn behind_by_project(&self, one: &Lane, other: &Lane) -> Ordering {
        let [one, other] = [one, other].map(|lane| lane.campaign.project_name());
        let of = |project: &str| {
            let running = self.projects.get(project).copied().unwrap_or_default();
            (running, self.project_shares.get(project).copied().unwrap_or(1))
        };
        per_share(of(one), of(other)).then_with(|| one.cmp(other))
    }

    /// Compares what the campaigns run per share.
    fn behind(&self, one: &Lane, other: &Lane) -> Ordering {
        let of = |lane: &Lane| (self.campaigns.get(lane.campaign.as_str()).copied().unwrap_or_default(), lane.share);
        per_share(of(one), of(other)).then_with(|| one.campaign.cmp(&other.campaign))
    }

    fn fewer(&self, one: &Lane, other: &Lane) -> Ordering {
        let of_site = |lane: &Lane| self.sites.get(&(lane.campaign.as_str(), lane.site.as_str())).copied();
        let of_lane =
            |lane: &Lane| self.lanes.get(&(lane.campaign.as_str(), lane.site.as_str(), lane.host.as_str())).copied();
        let sites = of_site(one).cmp(&of_site(other)).then_with(|| one.site.cmp(&other.site));
        sites.then_with(|| of_lane(one).cmp(&of_lane(other))).then_with(|| one.host.cmp(&other.host))
    }
}

/// Compares running jobs per share, without dividing.
fn per_share(one: (u64, u32), other: (u64, u32)) -> Ordering {
    let weighed = |(running, _): (u64, u32), (_, share): (u64, u32)| u128::from(running) * u128::from(share.max(1));
    weighed(one, other).cmp(&weighed(other, one))
}

/// The number of concurrent jobs that a rate allows.
fn cap(rate: Rate, options: &Options) -> u64 {
    // The cast saturates, and maps NaN to 0.
    ((rate.per_second * options.page_load_seconds).ceil() as u64).max(1)
}

/// The rate of a host that no campaign names.
fn usual(host: &str, options: &Options) -> Option<Rate> {
    options.usual_rate.filter(|_| !is_this_machine(host))
}
