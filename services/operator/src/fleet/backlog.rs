//! How much work there is, by what the queue says of its campaigns. Pure.

use crate::api::campaign::Class;
use crate::campaign::build::class_of;
use domain::campaign::{CampaignStatus, Waiting};
use std::collections::BTreeMap;

/// The work of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Jobs under way.
    pub(crate) running: u64,
    /// Jobs that could begin now if there were slots: what the rates of their hosts, budgets and pauses allow.
    pub(crate) ready: u64,
}

/// All work of the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// By class.
    pub(crate) classes: BTreeMap<Class, Work>,
    /// Jobs that wait for the rate of their host, whatever there is of browsers.
    pub(crate) held_by_rates: u64,
}

impl Backlog {
    /// Adds up what the queue says.
    pub(crate) fn of(campaigns: &[CampaignStatus]) -> Backlog {
        let mut backlog = Backlog::default();
        for status in campaigns {
            let work = backlog.classes.entry(class_of(status.campaign.priority)).or_default();
            work.running += status.tally.running;
            work.ready += status.room;
            let waiting = |is_meant: fn(&Waiting) -> bool| -> u64 {
                status.waiting.iter().filter(|(why, _)| is_meant(why)).map(|(_, jobs)| jobs).sum()
            };
            let for_capacity = waiting(|why| matches!(why, Waiting::Capacity));
            let for_rates = waiting(|why| matches!(why, Waiting::HostRate { .. }));
            backlog.held_by_rates += for_rates + for_capacity.saturating_sub(status.room);
        }
        backlog.classes.retain(|_, work| *work != Work::default());
        backlog
    }

    /// Sessions that can be used now.
    pub(crate) fn sessions(&self) -> u64 {
        self.classes.values().map(|work| work.running + work.ready).sum()
    }

    /// Whether there is nothing but background work.
    pub(crate) fn is_background(&self) -> bool {
        self.classes.keys().all(|class| *class == Class::Background)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::CampaignId;
    use domain::campaign::{Campaign, PlannerRef, Tally, Wish};
    use domain::usage::Usage;

    fn status(priority: i32, running: u64, room: u64, waiting: Vec<(Waiting, u64)>) -> CampaignStatus {
        let planner = PlannerRef { name: "ground".into(), model: None, options: Default::default() };
        let campaign = Campaign { priority, ..Campaign::new(CampaignId::new("shop"), planner) };
        let tally = Tally { running, ..Tally::default() };
        CampaignStatus { campaign, wish: Wish::Run, tally, waiting, room, stage: 0, usage: Usage::default() }
    }

    #[test]
    fn only_what_could_begin_now_counts_as_work() {
        let slow = status(0, 1, 2, vec![(Waiting::Capacity, 500)]);
        let full = status(0, 3, 0, vec![(Waiting::HostRate { host: "shop.test".into() }, 40)]);
        let paused = status(-100, 0, 0, vec![(Waiting::Resume, 9)]);
        let backlog = Backlog::of(&[slow, full, paused]);
        assert_eq!(backlog.sessions(), 6);
        assert_eq!(backlog.held_by_rates, 498 + 40);
        assert!(!backlog.is_background());
        assert!(Backlog::of(&[status(-100, 0, 5, Vec::new())]).is_background());
    }
}
