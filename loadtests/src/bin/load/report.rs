//! What is left of a run: a table for people, figures for machines, a picture, and whether it was good enough.

use crate::exact::Accounts;
use crate::follow::{Course, Look};
use crate::hops::Hop;
use crate::picture;
use crate::scenario::Scenario;
use anyhow::{Context, Result, ensure};
use comfy_table::Table;
use loadtests::wizard;
use serde_json::{Value, json};
use std::path::Path;

/// Processor time of the pipeline in milliseconds per instance, at most.
const CPU_MS: f64 = 5.0;
/// Cost of the last thousand as a multiple of that of the second, at most.
const GROWTH: f64 = 1.2;
/// Memory of the crawler in MiB, at most: of itself, and for each session.
const MEMORY: (f64, f64) = (64.0, 0.25);

/// Parts into which instances are divided.
const PARTS: u32 = 10;

/// A run.
pub(crate) struct Report {
    pub(crate) scenario: Scenario,
    pub(crate) course: Course,
    /// What the client of the browsers used alone.
    pub(crate) baseline: Value,
    pub(crate) accounts: Accounts,
    pub(crate) hops: Vec<Hop>,
}

impl Report {
    fn raw_ms(&self) -> f64 {
        self.course.used().iter().map(|(_, used)| used.as_secs_f64()).sum::<f64>() * 1000.0
            / f64::from(self.scenario.instances)
    }

    fn baseline_ms(&self) -> f64 {
        self.baseline["cpu_ms_per_instance"].as_f64().unwrap_or(0.0)
    }

    fn pipeline_ms(&self) -> f64 {
        self.raw_ms() - self.baseline_ms()
    }

    fn part(&self) -> u32 {
        (self.scenario.instances / PARTS).max(1)
    }

    /// The larger of the two ways of counting.
    fn growth(&self) -> f64 {
        let (instances, part) = (self.scenario.instances, self.part());
        let of = |costs: Vec<f64>| match costs.as_slice() {
            [_, second, .., last] if *second > 0.0 => last / second,
            _ => 0.0,
        };
        let by_commands = of(self.course.parts(instances, part, |look| look.commands));
        by_commands.max(of(self.course.parts(instances, part, |look| look.ended)))
    }

    fn is_exact(&self) -> bool {
        self.accounts.are_exact(self.scenario.instances, u32::from(wizard::ACTIONS))
    }

    fn allowed_mib(&self) -> f64 {
        MEMORY.0 + MEMORY.1 * f64::from(self.scenario.sessions)
    }

    /// Figures for machines.
    pub(crate) fn json(&self) -> Value {
        let (instances, part) = (self.scenario.instances, self.part());
        let per_instance = |(name, used): &(String, std::time::Duration)| {
            (name.clone(), json!(round(used.as_secs_f64() * 1000.0 / f64::from(instances))))
        };
        let rounded = |costs: Vec<f64>| costs.into_iter().map(round).collect::<Vec<_>>();
        let parts = |course: &Course, counted: fn(&Look) -> u64| rounded(course.parts(instances, part, counted));
        let of_process = |(place, name): (usize, &String)| {
            (name.clone(), json!(parts(&self.course.only(place), |look| look.commands)))
        };
        json!({
            "instances": instances,
            "sessions": self.scenario.sessions,
            "exact": self.is_exact(),
            "cpu_ms_per_instance": round(self.pipeline_ms()),
            "raw_cpu_ms_per_instance": round(self.raw_ms()),
            "baseline_cpu_ms_per_instance": round(self.baseline_ms()),
            "last_to_second_thousand": round(self.growth()),
            "wall_s": round(self.course.wall().as_secs_f64()),
            "crawler_rss_mib": round(self.course.crawler_peak_mib),
            "crawler_rss_allowed_mib": round(self.allowed_mib()),
            "hops": self.hops.iter().map(|hop| json!({"name": hop.name, "count": hop.count, "p50_ms": round(hop.p50_ms),
                "p99_ms": round(hop.p99_ms), "by_buckets": hop.by_buckets})).collect::<Vec<_>>(),
            "cpu_ms_per_instance_by_process": self.course.used().iter().map(per_instance).collect::<serde_json::Map<_, _>>(),
            "cpu_ms_per_instance_of_others": self.course.others.iter().map(per_instance).collect::<serde_json::Map<_, _>>(),
            "cpu_ms_per_instance_by_part": {
                "instances_each": part,
                "by_commands": parts(&self.course, |look| look.commands),
                "by_ends": parts(&self.course, |look| look.ended),
                "by_page_loads": parts(&self.course, |look| look.page_loads),
                "by_commands_of": self.course.names.iter().enumerate().map(of_process).collect::<serde_json::Map<_, _>>(),
            },
            "most_sessions": self.course.looks.iter().map(|look| look.sessions).max(),
            "accounts": self.accounts,
            "baseline": self.baseline,
            "scenario": self.scenario,
        })
    }

    /// On standard output.
    pub(crate) fn print(&self) {
        let mut hops = Table::new();
        hops.set_header(["hop", "count", "p50 ms", "p99 ms"]);
        for hop in &self.hops {
            let about = if hop.by_buckets { "≈ " } else { "" };
            let time = |ms: f64| format!("{about}{ms:.1}");
            hops.add_row([hop.name.clone(), hop.count.to_string(), time(hop.p50_ms), time(hop.p99_ms)]);
        }
        println!("{hops}");
        let mut processes = Table::new();
        processes.set_header(["process", "CPU ms per instance"]);
        for (name, used) in self.course.used().iter().chain(&self.course.others) {
            let each = used.as_secs_f64() * 1000.0 / f64::from(self.scenario.instances);
            processes.add_row([name.clone(), format!("{each:.2}")]);
        }
        println!("{processes}");
        let mut figures = Table::new();
        figures.set_header(["figure", "measured", "at most"]);
        let exact = if self.is_exact() { "every account the same" } else { "NOT the same" };
        figures.add_row(["totals".to_owned(), exact.to_owned(), String::new()]);
        figures.add_row(["CPU ms per instance, all".to_owned(), format!("{:.2}", self.raw_ms()), String::new()]);
        let baseline = "CPU ms per instance, the client of the browsers alone".to_owned();
        figures.add_row([baseline, format!("{:.2}", self.baseline_ms()), String::new()]);
        let pipeline = "CPU ms per instance, the pipeline".to_owned();
        figures.add_row([pipeline, format!("{:.2}", self.pipeline_ms()), format!("{CPU_MS}")]);
        let growth = format!("last {0} against second {0}", self.part());
        figures.add_row([growth, format!("{:.2}", self.growth()), format!("{GROWTH}")]);
        let (held, allowed) = (self.course.crawler_peak_mib, self.allowed_mib());
        figures.add_row(["MiB of the crawler, at its peak".to_owned(), format!("{held:.0}"), format!("{allowed:.0}")]);
        figures.add_row(["seconds".to_owned(), format!("{:.0}", self.course.wall().as_secs_f64()), String::new()]);
        println!("{figures}");
        if !self.is_exact() {
            println!("{:#?}", self.accounts);
        }
    }

    /// Writes `load.json` and `load.svg` into a directory.
    pub(crate) fn write(&self, results: &Path) -> Result<()> {
        std::fs::create_dir_all(results).with_context(|| format!("make {}", results.display()))?;
        let json = results.join("load.json");
        std::fs::write(&json, format!("{:#}\n", self.json())).with_context(|| format!("write {}", json.display()))?;
        let svg = results.join("load.svg");
        picture::draw(&svg, &self.course, self.scenario.instances, self.part())
            .with_context(|| format!("draw {}", svg.display()))?;
        eprintln!("wrote {} and {}", json.display(), svg.display());
        Ok(())
    }

    /// Writes `load-profile.txt` into a directory.
    pub(crate) fn write_profile(&self, results: &Path, profile: &str) -> Result<()> {
        std::fs::create_dir_all(results).with_context(|| format!("make {}", results.display()))?;
        let path = results.join("load-profile.txt");
        std::fs::write(&path, profile).with_context(|| format!("write {}", path.display()))?;
        eprintln!("wrote {}", path.display());
        Ok(())
    }

    /// Fails when something was not as it must be, and names all that was not.
    pub(crate) fn judge(&self) -> Result<()> {
        let checks = [
            (self.is_exact(), "the totals differ"),
            (self.pipeline_ms() <= CPU_MS, "the pipeline costs too much per instance"),
            (self.growth() <= GROWTH, "the last thousand costs too much more than the second"),
            (self.course.crawler_peak_mib <= self.allowed_mib(), "the crawler holds too much memory"),
        ];
        let missed: Vec<&str> = checks.into_iter().filter(|(is_met, _)| !is_met).map(|(_, what)| what).collect();
        ensure!(missed.is_empty(), "missed: {}", missed.join("; "));
        Ok(())
    }
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
