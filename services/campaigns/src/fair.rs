//! Who is served next. Pure: the table says what there is, this says what to take of it.
//!
//! Slots are given one by one. Each goes to the highest priority that has something to give; there to the campaign that is
//! furthest behind its share; there to the site, and then the host, with the fewest jobs under way. Lanes whose host has
//! as many jobs as its rate can feed, or whose budget is spent, are passed over: they hold up nobody else.

use crate::options::Options;
use domain::campaign::{ClaimRequest, Rate};
use domain::storage::jobs::{Lane, Pick};
use platform::network::is_this_machine;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How many jobs of which lanes to claim: at most as many as there are slots, and of what was asked for.
pub fn picks(lanes: &[Lane], request: &ClaimRequest, options: &Options) -> Vec<Pick> {
    let mut tally = Tally::new(lanes, options);
    let mut counts = vec![0; lanes.len()];
    for _ in 0..request.slots {
        let open = (0..lanes.len()).filter(|index| {
            let lane = &lanes[*index];
            is_wanted(lane, request)
                && !lane.budget_spent
                && counts[*index] < lane.claimable
                && tally.has_room(&lane.host)
        });
        let Some(next) = open.min_by(|one, other| tally.order(&lanes[*one], &lanes[*other])) else { break };
        counts[next] += 1;
        tally.give(&lanes[next]);
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
    request.campaign.as_ref().is_none_or(|only| lane.campaign == *only) && request.labels.iter().all(carries)
}

/// The hosts that have as many jobs under way as their rates can feed.
pub fn full_hosts(lanes: &[Lane], options: &Options) -> Vec<String> {
    let tally = Tally::new(lanes, options);
    tally.caps.keys().filter(|host| !tally.has_room(host)).map(|host| (*host).to_owned()).collect()
}

/// How many jobs are under way, counted in each of the ways in which they are compared.
struct Tally<'a> {
    campaigns: BTreeMap<&'a str, u64>,
    sites: BTreeMap<(&'a str, &'a str), u64>,
    lanes: BTreeMap<(&'a str, &'a str, &'a str), u64>,
    hosts: BTreeMap<&'a str, u64>,
    caps: BTreeMap<&'a str, u64>,
}

impl<'a> Tally<'a> {
    fn new(lanes: &'a [Lane], options: &Options) -> Self {
        let mut tally = Self {
            campaigns: BTreeMap::new(),
            sites: BTreeMap::new(),
            lanes: BTreeMap::new(),
            hosts: BTreeMap::new(),
            caps: BTreeMap::new(),
        };
        for lane in lanes {
            tally.add(lane, lane.running);
            if let Some(rate) = lane.rate.or_else(|| usual(&lane.host, options)) {
                let cap = cap(rate, options);
                // Of several campaigns' rates for one host the slowest says how much it can bear.
                tally.caps.entry(&lane.host).and_modify(|there| *there = cap.min(*there)).or_insert(cap);
            }
        }
        tally
    }

    fn add(&mut self, lane: &'a Lane, jobs: u64) {
        let (campaign, site, host) = (lane.campaign.as_str(), lane.site.as_str(), lane.host.as_str());
        *self.campaigns.entry(campaign).or_default() += jobs;
        *self.sites.entry((campaign, site)).or_default() += jobs;
        *self.lanes.entry((campaign, site, host)).or_default() += jobs;
        *self.hosts.entry(host).or_default() += jobs;
    }

    fn give(&mut self, lane: &'a Lane) {
        self.add(lane, 1);
    }

    fn has_room(&self, host: &str) -> bool {
        let running = self.hosts.get(host).copied().unwrap_or_default();
        self.caps.get(host).is_none_or(|cap| running < *cap)
    }

    /// Who comes first; names decide between equals, so that the same table gives the same answer.
    fn order(&self, one: &Lane, other: &Lane) -> Ordering {
        let priority = other.priority.cmp(&one.priority);
        priority.then_with(|| self.behind(one, other)).then_with(|| self.fewer(one, other))
    }

    /// Compares jobs under way per share, without dividing.
    fn behind(&self, one: &Lane, other: &Lane) -> Ordering {
        let running = |lane: &Lane| u128::from(self.campaigns.get(lane.campaign.as_str()).copied().unwrap_or_default());
        let share = |lane: &Lane| u128::from(lane.share.max(1));
        let behind = (running(one) * share(other)).cmp(&(running(other) * share(one)));
        behind.then_with(|| one.campaign.cmp(&other.campaign))
    }

    fn fewer(&self, one: &Lane, other: &Lane) -> Ordering {
        let of_site = |lane: &Lane| self.sites.get(&(lane.campaign.as_str(), lane.site.as_str())).copied();
        let of_lane =
            |lane: &Lane| self.lanes.get(&(lane.campaign.as_str(), lane.site.as_str(), lane.host.as_str())).copied();
        let sites = of_site(one).cmp(&of_site(other)).then_with(|| one.site.cmp(&other.site));
        sites.then_with(|| of_lane(one).cmp(&of_lane(other))).then_with(|| one.host.cmp(&other.host))
    }
}

/// How many jobs at once can load pages at a rate.
fn cap(rate: Rate, options: &Options) -> u64 {
    // The cast stops at the ends of the range, and at 0 for what is no number.
    ((rate.per_second * options.page_load_seconds).ceil() as u64).max(1)
}

/// The rate of a host that no campaign names.
fn usual(host: &str, options: &Options) -> Option<Rate> {
    options.usual_rate.filter(|_| !is_this_machine(host))
}
