//! One trace from the command line to the ledger, with a span for every hop, read back from a collector; and what the roles
//! tell of it in figures.

use crate::collector::{Collector, Span};
use crate::kit::Cluster;
use harness::site::Site;
use serde_json::json;
use std::collections::BTreeMap;

const BUY: &str = "<h1>Shop</h1><button onclick=\"said.textContent = 'Thank you'\">Buy</button><p id=said></p>";

/// A hop: what it is called, the process that tells it, and what must be among its attributes.
type Hop = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// From the submission to the ledger, each hop below an earlier one.
const HOPS: &[Hop] = &[
    ("submit", "rutter-submit", &[("campaign", "traced")]),
    ("/rutter.v1.CampaignService/Submit", "rutter-campaigns", &[]),
    ("claim", "rutter-campaigns", &[("job", "buy")]),
    ("job", "rutter-crawler", &[("job", "buy"), ("campaign", "traced")]),
    ("/rutter.v1.PlannerService/Decide", "rutter-planner", &[]),
    ("append", "rutter-crawler", &[("topic", "trajectories")]),
    ("append", "rutter-crawler", &[("topic", "outcomes")]),
    ("consume", "rutter-aggregator", &[("topic", "trajectories"), ("group", "aggregator")]),
    ("consume", "rutter-aggregator", &[("topic", "outcomes"), ("group", "aggregator")]),
    ("consume", "rutter-campaigns", &[("topic", "outcomes"), ("group", "campaigns")]),
];

/// What the roles tell of themselves when that one job has passed.
const FIGURES: &[(&str, &str)] = &[
    ("campaigns", "rutter_claims_total{} 1.0"),
    ("campaigns", "rutter_jobs{state=\"judged\"} 1.0"),
    ("campaigns", "rutter_jobs{state=\"waiting\"} 0.0"),
    ("campaigns", "rutter_jobs_waiting{reason=\"capacity\"} 0.0"),
    ("campaigns", "rutter_outbox{} 0.0"),
    ("campaigns", "rutter_consumer_lag_seconds{group=\"campaigns\",topic=\"outcomes\"} 0.0"),
    ("crawler", "rutter_attempts_total{verdict=\"PASSED\"} 1.0"),
    ("crawler", "rutter_steps_total{} 1.0"),
    ("crawler", "rutter_slots{} 2.0"),
    ("crawler", "rutter_slots_used{} 0.0"),
    ("aggregator", "rutter_consumer_lag_seconds{group=\"aggregator\",topic=\"outcomes\"} 0.0"),
    ("aggregator", "rutter_ready{} 1.0"),
    ("graph", "rutter_ready{} 1.0"),
];

fn is(span: &Span, (name, service, attributes): &Hop) -> bool {
    let has = |(name, value): &(&str, &str)| span.attributes.get(*name).is_some_and(|found| found == value);
    span.name == *name && span.service == *service && attributes.iter().all(has)
}

/// The spans above a span, the nearest first.
fn above<'a>(span: &'a Span, by_id: &'a BTreeMap<&str, &'a Span>) -> impl Iterator<Item = &'a Span> {
    std::iter::successors(by_id.get(span.parent.as_str()).copied(), |span| by_id.get(span.parent.as_str()).copied())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_trace_leads_from_submission_to_ledger_over_kafka_redis_and_postgres_and_every_role_tells_its_figures() {
    let (site, collector) = (Site::new().page("/", BUY).start().await, Collector::start().await);
    let mut cluster = Cluster::start(&format!("[traces]\nendpoint = \"{}\"\n", collector.endpoint), &[]).await;
    let check = json!({"text": {"contains": "Thank you"}});
    let task = json!({"id": "buy", "start_url": site.url("/"), "instruction": "Click on \"Buy\".", "check": check});
    std::fs::write(cluster.path("tasks.jsonl"), format!("{task}\n")).expect("written");
    let submit = ["submit", "tasks.jsonl", "--campaign", "traced", "--watch", "--config", "rutter.toml"];
    let said = cluster.rutter(&submit).await;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    for (role, line) in FIGURES {
        cluster.figures(role, line).await;
    }
    // What the processes still hold is sent when they end.
    cluster.stop().await;

    let spans = collector.spans();
    let submitted: Vec<&Span> = spans.iter().filter(|span| is(span, &HOPS[0])).collect();
    assert_eq!(submitted.len(), 1, "{spans:#?}");
    let ours: Vec<&Span> = spans.iter().filter(|span| span.trace == submitted[0].trace).collect();
    let by_id: BTreeMap<&str, &Span> = ours.iter().map(|span| (span.id.as_str(), *span)).collect();
    for hop in HOPS {
        let found: Vec<_> = ours.iter().filter(|span| is(span, hop)).collect();
        assert!(!found.is_empty(), "no span {hop:?} in the trace of the submission: {ours:#?}");
        for span in found.into_iter().filter(|span| span.id != submitted[0].id) {
            let first = above(span, &by_id).last();
            assert_eq!(first.map(|first| &first.id), Some(&submitted[0].id), "{span:?} hangs in the air: {ours:#?}");
        }
    }
    // Work belongs below the claim that it was done under, and what became of a record below the one who wrote it.
    let below = [(3, 2), (4, 3), (6, 3), (8, 6), (9, 6)];
    for (lower, upper) in below {
        let span = ours.iter().find(|span| is(span, &HOPS[lower])).expect("it was found before");
        let holds = above(span, &by_id).any(|span| is(span, &HOPS[upper]));
        assert!(holds, "{span:?} is not below {:?}", HOPS[upper]);
    }
}
