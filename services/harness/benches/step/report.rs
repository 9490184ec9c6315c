//! Medians, as a table for people and as JSON for machines.

use crate::stage::Sample;
use browser::Protocol;
use serde_json::json;
use std::path::PathBuf;

/// The medians of one page over one wire.
pub(crate) struct Row {
    wire: Protocol,
    name: &'static str,
    elements: usize,
    step: f64,
    settle: f64,
    observe: f64,
    round_trip: f64,
    click: f64,
}

impl Row {
    /// Medians of samples.
    pub(crate) fn of(wire: Protocol, name: &'static str, samples: &[Sample]) -> Row {
        let median = |of: fn(&Sample) -> f64| {
            let mut values: Vec<f64> = samples.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
        };
        Row {
            wire,
            name,
            elements: samples.first().map_or(0, |sample| sample.elements),
            step: median(|sample| sample.step),
            settle: median(|sample| sample.settle),
            observe: median(|sample| sample.observe),
            round_trip: median(|sample| sample.round_trip),
            click: median(|sample| sample.click),
        }
    }

    fn pair(&self) -> f64 {
        self.round_trip + self.click
    }

    fn ratio(&self) -> f64 {
        self.step / self.pair()
    }

    fn wire(&self) -> &'static str {
        if self.wire == Protocol::Bidi { "bidi" } else { "classic" }
    }
}

/// The table. The parts of a step: two script round trips and the click, as bare ones cost; what the page itself took; the
/// rest is carrying the observation over and putting it together.
pub(crate) fn print(rows: &[Row]) {
    println!(
        "{:<8} {:<14} {:>8} {:>9} | {:>10} {:>7} {:>7} | {:>7} {:>7} {:>7} | {:>6}",
        "wire", "page", "elements", "step ms", "round trip", "click", "pair", "settle", "observe", "rest", "ratio"
    );
    for row in rows {
        let rest = row.step - 2.0 * row.round_trip - row.click - row.settle - row.observe;
        println!(
            "{:<8} {:<14} {:>8} {:>9.1} | {:>10.1} {:>7.1} {:>7.1} | {:>7.1} {:>7.1} {:>7.1} | {:>5.2}x",
            row.wire(),
            row.name,
            row.elements,
            row.step,
            row.round_trip,
            row.click,
            row.pair(),
            row.settle,
            row.observe,
            rest,
            row.ratio()
        );
    }
    println!(
        "a step: find the place (a round trip), click, settle and observe (a round trip that waits and describes)"
    );
    for row in rows.iter().filter(|row| row.wire == Protocol::Bidi) {
        if let Some(classic) = rows.iter().find(|other| other.wire == Protocol::Classic && other.name == row.name) {
            println!("{:<14} over BiDi against the classic pair: {:.2}x", row.name, row.step / classic.pair());
        }
    }
}

/// Writes `results/step.json`. The ratio is the harder one: steps over BiDi against the pair over BiDi.
pub(crate) fn write(rows: &[Row]) -> anyhow::Result<()> {
    let of = |wire: Protocol| {
        let rows = rows.iter().filter(move |row| row.wire == wire);
        rows.map(|row| {
            json!({
                "name": row.name, "elements": row.elements, "step_ms_p50": row.step,
                "round_trip_ms_p50": row.round_trip, "click_ms_p50": row.click, "ratio": row.ratio(),
            })
        })
        .collect::<Vec<_>>()
    };
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or(target, PathBuf::from).join("results");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("step.json");
    let content = json!({"pages": of(Protocol::Bidi), "pages_classic": of(Protocol::Classic)});
    std::fs::write(&file, serde_json::to_string_pretty(&content)?)?;
    println!("written to {}", file.display());
    Ok(())
}
