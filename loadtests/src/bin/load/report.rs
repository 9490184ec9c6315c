//! What is left of a run: a table for people, figures for machines, a picture, and whether it was good enough.

use crate::baseline::{Asked, Baseline};
use crate::exact::Accounts;
use crate::follow::{Course, Look};
use crate::hops::{Hop, Time};
use crate::picture;
use crate::scenario::Scenario;
use crate::stage::GRID;
use anyhow::{Context, Result, ensure};
use comfy_table::Table;
use loadtests::cost::Costs;
use loadtests::grid::Figures;
use loadtests::wizard;
use serde_json::{Value, json};
use std::path::Path;

/// Cost of the last thousand as a multiple of that of the second, at most.
const GROWTH: f64 = 1.2;
/// How far what the client alone asks browsers for may be from what it asks in the run, as a part: both do the same, but for
/// pages that are late, which are looked at once more, and for what sessions ask, which both spread over their instances.
const APART: f64 = 0.01;
/// Memory of the crawler in MiB, at most: of itself, and for each session.
const MEMORY: (f64, f64) = (64.0, 0.25);

/// Parts into which instances are divided.
const PARTS: u32 = 10;

/// A run.
pub(crate) struct Report {
    pub(crate) scenario: Scenario,
    pub(crate) course: Course,
    /// What the client of the browsers did alone; none where the cost is not judged.
    pub(crate) baseline: Option<Baseline>,
    pub(crate) accounts: Accounts,
    pub(crate) hops: Vec<Hop>,
    /// Processor time of a job in real browsers, as it was measured last.
    pub(crate) browsers: Vec<(String, f64)>,
}

impl Report {
    fn raw_ms(&self) -> f64 {
        self.course.used().iter().map(|(_, used)| used.as_secs_f64()).sum::<f64>() * 1000.0
            / f64::from(self.scenario.instances)
    }

    fn baseline_ms(&self) -> Option<f64> {
        self.baseline.as_ref().map(Baseline::cpu_ms)
    }

    fn pipeline_ms(&self) -> Option<f64> {
        Some(self.raw_ms() - self.baseline_ms()?)
    }

    /// What browsers were asked for in the run.
    fn asked(&self) -> Asked {
        Asked::of(&self.course.figures, self.scenario.instances)
    }

    /// How far the client alone is from that.
    fn apart(&self) -> Option<f64> {
        Some(self.baseline.as_ref()?.asked.apart(&self.asked()))
    }

    fn part(&self) -> u32 {
        (self.scenario.instances / PARTS).max(1)
    }

    /// The larger of the two ways of counting, and the same of the simulated Grid, counted alike. Its work for an instance is
    /// always the same, so that what it grows by is the machine.
    fn growth(&self) -> (f64, f64) {
        let grid = self.course.of_grid();
        let both = |counted| (self.growth_of(&self.course, counted), self.growth_of(&grid, counted));
        let (by_commands, by_ends) = (both(|look| look.commands), both(|look| look.ended));
        if by_ends.0 > by_commands.0 { by_ends } else { by_commands }
    }

    /// The most that the last part may cost of the second; more where the machine became slower, by as much as the Grid tells.
    fn allowed_growth(&self) -> f64 {
        GROWTH * self.growth().1.max(1.0)
    }

    fn growth_of(&self, course: &Course, counted: fn(&Look) -> u64) -> f64 {
        match course.parts(self.scenario.instances, self.part(), counted).as_slice() {
            [_, second, .., last] if *second > 0.0 => last / second,
            _ => 0.0,
        }
    }

    fn is_exact(&self) -> bool {
        self.accounts.are_exact(self.scenario.instances, u32::from(wizard::ACTIONS))
    }

    fn allowed_mib(&self) -> f64 {
        MEMORY.0 + MEMORY.1 * f64::from(self.scenario.sessions)
    }

    /// What the pipeline costs beside the browsers that `density` measured.
    fn costs(&self) -> Costs {
        Costs { pipeline: self.pipeline_ms(), browsers: self.browsers.clone(), client: self.baseline_ms() }
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
        let of_grid = (GRID.to_owned(), json!(parts(&self.course.of_grid(), |look| look.commands)));
        let of_processes = self.course.names.iter().enumerate().map(of_process).chain([of_grid]);
        let hop = |hop: &Hop| {
            let Hop { name, count, p50, p99, by_buckets } = hop;
            json!({"name": name, "count": count, "p50_ms": round(p50.ms), "p50_at_most": p50.is_at_most,
                "p99_ms": round(p99.ms), "p99_at_most": p99.is_at_most, "by_buckets": by_buckets})
        };
        let (growth, growth_of_grid) = self.growth();
        let figures = self.course.figures;
        json!({
            "instances": instances,
            "sessions": self.scenario.sessions,
            "exact": self.is_exact(),
            "cpu_ms_per_instance": self.pipeline_ms().map(round),
            "cpu_ms_per_instance_allowed": self.costs().allowed_ms().map(round),
            "raw_cpu_ms_per_instance": round(self.raw_ms()),
            "baseline_cpu_ms_per_instance": self.baseline_ms().map(round),
            "last_to_second_thousand": round(growth),
            "last_to_second_thousand_of_grid": round(growth_of_grid),
            "wall_s": round(self.course.wall().as_secs_f64()),
            "crawler_rss_mib": round(self.course.crawler_peak_mib),
            "crawler_rss_allowed_mib": round(self.allowed_mib()),
            "hops": self.hops.iter().map(hop).collect::<Vec<_>>(),
            "cpu_ms_per_instance_by_process": self.course.used().iter().map(per_instance).collect::<serde_json::Map<_, _>>(),
            "cpu_ms_per_instance_of_others": self.course.others.iter().map(per_instance).collect::<serde_json::Map<_, _>>(),
            "cpu_ms_per_instance_by_part": {
                "instances_each": part,
                "by_commands": parts(&self.course, |look| look.commands),
                "by_ends": parts(&self.course, |look| look.ended),
                "by_page_loads": parts(&self.course, |look| look.page_loads),
                "by_commands_of": of_processes.collect::<serde_json::Map<_, _>>(),
            },
            "most_sessions": self.course.looks.iter().map(|look| look.sessions).max(),
            "accounts": self.accounts,
            "failed_browsers": {"sessions_refused": figures.sessions_refused, "sessions_lost": figures.sessions_lost,
                "pages_crashed": figures.pages_crashed},
            "asked_per_instance": {"run": self.asked(), "baseline": self.baseline.as_ref().map(|alone| alone.asked),
                "apart": self.apart(), "apart_allowed": APART},
            "baseline": self.baseline.as_ref().map(|alone| &alone.said),
            "scenario": self.scenario,
        })
    }

    /// On standard output.
    pub(crate) fn print(&self) {
        let mut hops = Table::new();
        hops.set_header(["hop", "count", "p50 ms", "p99 ms"]);
        for hop in &self.hops {
            let time = |time: Time| match time.ms {
                ms if time.is_at_most => format!("< {ms}"),
                ms if hop.by_buckets => format!("≈ {ms:.1}"),
                ms => format!("{ms:.1}"),
            };
            hops.add_row([hop.name.clone(), hop.count.to_string(), time(hop.p50), time(hop.p99)]);
        }
        println!("{hops}");
        let mut processes = Table::new();
        processes.set_header(["process", "CPU ms per instance"]);
        for (name, used) in self.course.used().iter().chain(&self.course.others) {
            let each = used.as_secs_f64() * 1000.0 / f64::from(self.scenario.instances);
            processes.add_row([name.clone(), format!("{each:.2}")]);
        }
        println!("{processes}");
        println!("{}", self.figures());
        println!("{}", self.costs().table());
        if !self.is_exact() {
            println!("{:#?}", self.accounts);
        }
    }

    /// What is judged, and what stands beside it.
    fn figures(&self) -> Table {
        let mut figures = Table::new();
        figures.set_header(["figure", "measured", "at most"]);
        let mut row = |figure: &str, measured: String, at_most: String| {
            figures.add_row([figure.to_owned(), measured, at_most]);
        };
        let judged = |limit: String| if self.scenario.judges_cost { limit } else { "not judged".to_owned() };
        let cost = |ms: Option<f64>| ms.map_or("not measured".to_owned(), |ms| format!("{ms:.2}"));
        let not_judged = String::new;
        let exact = if self.is_exact() { "every account the same" } else { "NOT the same" };
        row("totals", exact.to_owned(), not_judged());
        row("attempts that were lost and made again", self.accounts.lost_attempts.to_string(), not_judged());
        row("records that came again", self.accounts.redeliveries.to_string(), not_judged());
        let Figures { sessions_refused, sessions_lost, pages_crashed, .. } = self.course.figures;
        let failed = format!("{sessions_refused}, {sessions_lost}, {pages_crashed}");
        row("sessions refused, sessions lost, pages crashed", failed, not_judged());
        row("CPU ms per instance, all", cost(Some(self.raw_ms())), not_judged());
        row("CPU ms per instance, the client of the browsers alone", cost(self.baseline_ms()), not_judged());
        row("CPU ms per instance, the pipeline", cost(self.pipeline_ms()), judged(cost(self.costs().allowed_ms())));
        if let (Some(baseline), Some(apart)) = (&self.baseline, self.apart()) {
            let (alone, run) = (baseline.asked, self.asked());
            let commands = format!("{:.2}, {:.2}", run.commands, alone.commands);
            row("commands per instance: in the run, by the client alone", commands, not_judged());
            row(
                "how far these or page loads are apart, %",
                format!("{:.2}", apart * 100.0),
                format!("{}", APART * 100.0),
            );
        }
        let (growth, growth_of_grid) = self.growth();
        row(
            &format!("last {0} against second {0}", self.part()),
            format!("{growth:.2}"),
            judged(format!("{:.2}", self.allowed_growth())),
        );
        let of_grid = "the same of the simulated Grid, whose work stays the same";
        row(of_grid, format!("{growth_of_grid:.2}"), not_judged());
        let (held, allowed) = (self.course.crawler_peak_mib, self.allowed_mib());
        row("MiB of the crawler, at its peak", format!("{held:.0}"), format!("{allowed:.0}"));
        row("seconds", format!("{:.0}", self.course.wall().as_secs_f64()), not_judged());
        figures
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
        let mut checks = vec![
            (self.is_exact(), "the totals differ".to_owned()),
            (self.course.crawler_peak_mib <= self.allowed_mib(), "the crawler holds too much memory".to_owned()),
        ];
        if self.scenario.judges_cost {
            let costs = self.costs();
            let is_cheap = costs.pipeline.zip(costs.allowed_ms()).is_some_and(|(cost, allowed)| cost <= allowed);
            checks.push((is_cheap, "the pipeline costs too much per instance".to_owned()));
            let is_steady = self.growth().0 <= self.allowed_growth();
            checks.push((is_steady, "the last thousand costs too much more than the second".to_owned()));
        }
        if let (Some(baseline), Some(apart)) = (&self.baseline, self.apart()) {
            checks.push((apart <= APART, otherwise(&self.asked(), &baseline.asked)));
        }
        let missed: Vec<String> = checks.into_iter().filter(|(is_met, _)| !is_met).map(|(_, what)| what).collect();
        ensure!(missed.is_empty(), "missed: {}", missed.join("; "));
        Ok(())
    }
}

/// Why the cost of the client alone cannot be taken off.
fn otherwise(run: &Asked, alone: &Asked) -> String {
    format!(
        "the client alone did something else than in the run, so that its cost cannot be taken off: {:.2} commands and {:.2} \
         page loads an instance, {:.2} and {:.2} in the run",
        alone.commands, alone.page_loads, run.commands, run.page_loads
    )
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
