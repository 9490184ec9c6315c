//! Instructions of several little tasks, said in any order.

use super::kit::Bench;
use harness::compositions::measured::measure;
use harness::compositions::{Order, compositions};

#[tokio::test(flavor = "multi_thread")]
async fn little_tasks_are_done_together_in_the_order_that_is_meant() {
    let bench = Bench::new();
    let program = harness::program::command(&["run", "--workers", "2"]);
    let measured = measure(&compositions(3, 8), program.into(), &bench.path("run")).await.expect("measured");
    assert!(measured.claimed_wrongly.is_empty(), "{:#?}", measured.claimed_wrongly);
    for order in [Order::InOrder, Order::Reversed, Order::Mixed] {
        assert!(measured.rate(order) >= 0.75, "{order:?}: {:#?}", measured.missed);
    }
}
