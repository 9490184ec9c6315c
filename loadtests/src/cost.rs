//! What the pipeline costs beside real browsers. One table, printed by `density`, which measures the browsers, and by `load`,
//! which measures the pipeline; each takes the other's figures from the file that it wrote last.

use comfy_table::Table;
use serde_json::Value;
use std::path::Path;

/// What the pipeline may cost, as a part of what the same job costs in real browsers.
pub const ALLOWED: f64 = 0.05;

/// The same as a multiple of what the client of the browsers costs alone, for a machine whose browsers were not measured. Where both
/// were (`docs/results/load.md`), the client cost 14.26 ms and the cheapest browser 498 ms a job.
const OF_CLIENT: f64 = 1.75;

/// Processor time of one job, in milliseconds. A job is one page load and ten actions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// Of browsers, by how jobs get theirs.
    pub browsers: Vec<(String, f64)>,
    /// Of the pipeline: everything but the browsers and their client.
    pub pipeline: Option<f64>,
    /// Of the client of the browsers, alone.
    pub client: Option<f64>,
}

impl Costs {
    /// What was written into a directory of results.
    pub fn written(results: &Path) -> Self {
        let read = |name: &str| -> Value {
            let text = std::fs::read_to_string(results.join(name)).unwrap_or_default();
            serde_json::from_str(&text).unwrap_or_default()
        };
        Self::of(&read("density.json"), &read("load.json"))
    }

    fn of(density: &Value, load: &Value) -> Self {
        let contexts = density["contexts"].as_array().into_iter().flatten();
        let rows = contexts.chain([&density["grid_slot"]]);
        let browser = |row: &Value| Some((row["name"].as_str()?.to_owned(), row["cpu_ms_per_job"].as_f64()?));
        Self {
            browsers: rows.filter_map(browser).collect(),
            pipeline: load["cpu_ms_per_instance"].as_f64(),
            client: load["baseline_cpu_ms_per_instance"].as_f64(),
        }
    }

    /// The most that the pipeline may cost on this machine: a part of the cheapest browser, or a multiple of the client where no
    /// browser was measured. None where neither was: milliseconds of another machine say nothing.
    pub fn allowed_ms(&self) -> Option<f64> {
        let cheapest = self.browsers.iter().map(|(_, ms)| *ms).reduce(f64::min);
        cheapest.map(|ms| ms * ALLOWED).or_else(|| self.client.map(|ms| ms * OF_CLIENT))
    }

    /// The pipeline beside each way of using browsers.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.set_header(["browsers", "their CPU ms per job", "CPU ms of the pipeline", "% of theirs", "at most %"]);
        let measured = |ms: Option<f64>| ms.map_or("not measured".to_owned(), |ms| format!("{ms:.1}"));
        let unknown = [("not measured: run `make density`".to_owned(), f64::NAN)];
        let rows = if self.browsers.is_empty() { &unknown[..] } else { &self.browsers[..] };
        for (name, browser) in rows {
            let browser = Some(*browser).filter(|ms| ms.is_finite());
            let part = browser.zip(self.pipeline).map(|(browser, pipeline)| pipeline / browser * 100.0);
            let allowed = format!("{:.0}", ALLOWED * 100.0);
            table.add_row([name.clone(), measured(browser), measured(self.pipeline), measured(part), allowed]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_pipeline_stands_beside_each_way_of_using_browsers() {
        let density = json!({
            "contexts": [
                {"name": "a browser per job", "cpu_ms_per_job": 1500.0},
                {"name": "one browser", "cpu_ms_per_job": 480.0},
            ],
            "grid_slot": {"name": "one slot of a Grid", "cpu_ms_per_job": 560.0},
        });
        let costs = Costs::of(&density, &json!({"cpu_ms_per_instance": 12.0}));
        assert_eq!(costs.allowed_ms(), Some(24.0));
        let table = costs.table().to_string();
        for part in ["one browser", "480.0", "12.0", "2.5", "0.8"] {
            assert!(table.contains(part), "{part}: {table}");
        }
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let costs = Costs::of(&Value::Null, &Value::Null);
        assert_eq!((costs.clone(), costs.allowed_ms()), (Costs::default(), None));
        let of_client = Costs::of(&Value::Null, &json!({"baseline_cpu_ms_per_instance": 20.0}));
        assert_eq!(of_client.allowed_ms(), Some(35.0), "a slower machine is slower for all");
        assert!(costs.table().to_string().contains("run `make density`"));
    }
}
