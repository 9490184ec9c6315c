//! The price of one step — find the place, click, settle, observe — as a multiple of the bare pair: one empty script round
//! trip and one bare click by pointer actions, in the same session, taken in turns with the steps.
//!
//! Every step's click changes the page. Prints a table and writes `results/step.json` in the target directory.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

#[path = "step/report.rs"]
mod report;
#[path = "step/stage.rs"]
mod stage;

use browser::Protocol;
use report::Row;
use stage::{LARGE, PAGES, Stage};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let pages = stage::serve().await?;
    let mut rows = Vec::new();
    for wire in [Protocol::Bidi, Protocol::Classic] {
        for page in PAGES.iter().chain([&LARGE]) {
            let samples = Stage::open(wire, &pages, page).await?.measure().await?;
            rows.push(Row::of(wire, page.name, &samples));
        }
    }
    report::print(&rows);
    report::write(&rows)
}
