//! Crawlers and planners: Deployments whose replicas follow what waits. A crawler that is asked to end lets its jobs end first.

use super::backlog::Backlog;
use super::wanted::{Bounds, wanted};
use crate::Error;
use crate::api::fleet::{PoolStatus, WorkerPool};
use crate::context::Context;
use jiff::SignedDuration;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Api;
use kube::api::{Patch, PatchParams};

/// Brings the replicas of a Deployment to what is wanted.
pub(super) async fn scale(
    namespace: &str,
    pool: &WorkerPool,
    backlog: &Backlog,
    before: &PoolStatus,
    context: &Context,
) -> Result<PoolStatus, Error> {
    let deployments: Api<Deployment> = Api::namespaced(context.client.clone(), namespace);
    let there = deployments.get_scale(&pool.deployment).await?;
    let now = there.spec.and_then(|spec| spec.replicas).unwrap_or_default();
    let status = decide(pool, backlog, i64::from(now), before, context.now());
    if status.serving != i64::from(now) {
        let scaled = serde_json::json!({"spec": {"replicas": status.serving}});
        deployments.patch_scale(&pool.deployment, &PatchParams::default(), &Patch::Merge(scaled)).await?;
        context.figures.wrote("Deployment");
    }
    Ok(status)
}

/// How many replicas there should be now. Pure.
fn decide(
    pool: &WorkerPool,
    backlog: &Backlog,
    replicas: i64,
    before: &PoolStatus,
    now: jiff::Timestamp,
) -> PoolStatus {
    let positive = |number: i32| u64::try_from(number).unwrap_or_default();
    let bounds = Bounds {
        min: positive(pool.min),
        max: positive(pool.max),
        background_max: positive(pool.background_max.unwrap_or(pool.max)),
        slots: positive(pool.slots),
    };
    let wanted = wanted(backlog, bounds);
    let count = i64::try_from(wanted.count).unwrap_or(i64::MAX);
    let mut surplus_since = None;
    let mut serving = count;
    if count < replicas {
        let since = before.surplus_since.as_ref().map_or(now, |Time(since)| *since);
        if now.duration_since(since) < SignedDuration::from_secs(pool.scale_down_after_seconds) {
            surplus_since = Some(Time(since));
            serving = replicas;
        }
    }
    PoolStatus { wanted: count, serving, draining: 0, surplus_since, reason: wanted.why }
}

#[cfg(test)]
mod tests {
    use super::super::backlog::Work;
    use super::*;
    use crate::api::campaign::Class;
    use jiff::Timestamp;

    fn pool() -> WorkerPool {
        serde_json::from_value(serde_json::json!({"deployment": "crawler", "max": 8, "slots": 4})).expect("a pool")
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn backlog(ready: u64) -> Backlog {
        Backlog { classes: [(Class::Scheduled, Work { running: 0, ready })].into(), held_by_rates: 0 }
    }

    #[test]
    fn more_come_at_once_and_fewer_only_when_fewer_were_enough_for_a_while() {
        let more = decide(&pool(), &backlog(9), 1, &PoolStatus::default(), at(0));
        assert_eq!((more.wanted, more.serving), (3, 3));
        let first = decide(&pool(), &Backlog::default(), 3, &more, at(10));
        assert_eq!((first.wanted, first.serving, first.surplus_since.clone()), (0, 3, Some(Time(at(10)))));
        let patient = decide(&pool(), &Backlog::default(), 3, &first, at(129));
        assert_eq!(patient.serving, 3);
        let fewer = decide(&pool(), &Backlog::default(), 3, &patient, at(130));
        assert_eq!((fewer.serving, fewer.surplus_since), (0, None));
    }
}
