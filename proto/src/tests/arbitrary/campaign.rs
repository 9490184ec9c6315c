//! Campaigns and totals of every shape.

use super::stage::stages;
use super::work::{job, json};
use super::{number, text, usage, verdict_kind};
use domain::campaign::{
    AttemptLimits, Budget, Campaign, CampaignStatus, Grant, PlannerRef, Rate, Tally, Waiting, Wish,
};
use domain::ledger::{Cell, Count, Totals};
use domain::{CampaignId, Fence, SiteId, TaskId};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Map;
use std::time::{Duration, UNIX_EPOCH};

pub(in crate::tests) fn campaign() -> impl Strategy<Value = Campaign> {
    let options = btree_map(text(), json(), 0..3).prop_map(|options| options.into_iter().collect::<Map<_, _>>().into());
    let planner =
        (text(), option::of(text()), options).prop_map(|(name, model, options)| PlannerRef { name, model, options });
    let rate = (number(), any::<u32>()).prop_map(|(per_second, burst)| Rate { per_second, burst });
    let budget = (option::of(number()), option::of(any::<u64>())).prop_map(|(usd, tokens)| Budget { usd, tokens });
    let rates = btree_map(text(), rate, 0..3);
    let limits = any::<(Option<u32>, Option<u64>)>().prop_map(|(steps, seconds)| AttemptLimits { steps, seconds });
    let labels = btree_map(text(), text(), 0..3);
    (text(), planner, any::<i32>(), any::<u32>(), rates, limits, budget, labels, option::of(stages())).prop_map(
        |(id, planner, priority, share, rates, limits, budget, labels, stages)| Campaign {
            id: CampaignId(id),
            planner,
            priority,
            share,
            rates,
            limits,
            budget,
            labels,
            stages,
        },
    )
}

fn time() -> impl Strategy<Value = Duration> + Clone {
    (0u64..(1 << 40), 0u32..1_000_000_000).prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
}

pub(in crate::tests) fn grant() -> impl Strategy<Value = Grant> {
    (job(), any::<u64>(), time(), campaign(), text()).prop_map(|(job, fence, lease, campaign, trace_parent)| Grant {
        job,
        fence: Fence(fence),
        lease,
        campaign,
        trace_parent,
    })
}

pub(in crate::tests) fn status() -> impl Strategy<Value = CampaignStatus> {
    let waiting = prop_oneof![
        select(vec![Waiting::Capacity, Waiting::Resume, Waiting::Budget]),
        text().prop_map(|host| Waiting::HostRate { host }),
        time().prop_map(|since| Waiting::RetryAt { at: UNIX_EPOCH + since }),
    ];
    let tally = any::<[u64; 6]>().prop_map(|[jobs, waiting, running, judged, quarantined, cancelled]| Tally {
        jobs,
        waiting,
        running,
        judged,
        quarantined,
        cancelled,
    });
    let wishes = select(vec![Wish::Run, Wish::Pause, Wish::Cancel]);
    let numbers = any::<(u64, u32)>();
    (campaign(), wishes, tally, vec((waiting, any::<u64>()), 0..4), numbers, usage()).prop_map(
        |(campaign, wish, tally, waiting, (room, stage), usage)| CampaignStatus {
            campaign,
            wish,
            tally,
            waiting,
            room,
            stage,
            usage,
        },
    )
}

pub(in crate::tests) fn totals() -> impl Strategy<Value = Totals> {
    let cell = (text(), text(), text()).prop_map(|(site, task, planner)| Cell {
        site: SiteId(site),
        task: TaskId(task),
        planner,
    });
    let verdicts = btree_map(verdict_kind(), any::<u64>(), 0..4);
    let count = (verdicts, number(), any::<u64>(), any::<u64>(), usage(), number()).prop_map(
        |(verdicts, reward_sum, rewarded, steps, usage, wall_ms)| Count {
            verdicts,
            reward_sum,
            rewarded,
            steps,
            usage,
            wall_ms,
        },
    );
    let counts = any::<[u64; 4]>();
    (text(), vec((cell, count), 0..4), counts, usage()).prop_map(
        |(campaign, cells, [quarantined, cancelled, redeliveries, lost_attempts], lost_usage)| Totals {
            campaign: CampaignId(campaign),
            cells,
            quarantined,
            cancelled,
            redeliveries,
            lost_attempts,
            lost_usage,
        },
    )
}
