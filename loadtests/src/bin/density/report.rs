//! The table, the file, and whether sharing gains what it must.

use crate::measure::{Setting, Tally};
use anyhow::{Context, Result, bail};
use comfy_table::Table;
use loadtests::cost::Costs;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Jobs per second of shared browsers, at least as a multiple.
const FASTER: f64 = 2.0;
/// Memory per job of shared browsers, at most as a part.
const LIGHTER: f64 = 1.0 / 3.0;

/// What was measured.
pub(crate) struct Report {
    rows: Vec<Row>,
    identical: bool,
    /// Memory in MiB of a browser with one job where as many stand side by side as jobs run at once, and share the pages of
    /// the program.
    side_by_side_mib: f64,
}

/// A shared browser, as parts of a browser per job.
struct Gain {
    /// Jobs per second.
    faster: f64,
    /// Memory per job, slot by slot.
    lighter: f64,
    /// The same where browsers with a job each stand side by side.
    side_by_side: f64,
}

struct Row {
    name: &'static str,
    contexts: u32,
    on_grid: bool,
    jobs: u32,
    jobs_per_s: f64,
    cpu_ms_per_job: f64,
    mib_per_job: f64,
    /// Different jobs, and those of them that passed whenever they ran.
    different: usize,
    passed: usize,
}

impl Report {
    /// `at_once` jobs ran at the same time in every setting. `alone_mib` is the memory of a browser with one job that is the
    /// only one on the machine, as a shared browser is.
    pub(crate) fn of(at_once: u32, settings: &[Setting], tallies: &[Tally], alone_mib: f64) -> Report {
        let mib_per_job = |tally: &Tally| tally.peak_mib / f64::from(at_once);
        let row = |(setting, tally): (&Setting, &Tally)| Row {
            name: setting.name,
            contexts: setting.contexts,
            on_grid: setting.node.is_some(),
            jobs: tally.jobs,
            jobs_per_s: f64::from(tally.jobs) / tally.took.as_secs_f64(),
            cpu_ms_per_job: tally.cpu.as_secs_f64() * 1000.0 / f64::from(tally.jobs),
            mib_per_job: if setting.contexts == 1 { alone_mib } else { mib_per_job(tally) },
            different: tally.verdicts.len(),
            passed: tally.verdicts.values().filter(|verdict| *verdict == "PASSED").count(),
        };
        let identical = tallies.windows(2).all(|pair| pair[0].verdicts == pair[1].verdicts);
        let side_by_side_mib = tallies.first().map_or(0.0, mib_per_job);
        Report { rows: settings.iter().zip(tallies).map(row).collect(), identical, side_by_side_mib }
    }

    /// On standard output.
    pub(crate) fn print(&self) {
        let mut table = Table::new();
        table.set_header([
            "setting",
            "contexts per browser",
            "jobs timed",
            "jobs/s",
            "CPU ms per job",
            "MiB per job",
            "passed",
        ]);
        for row in &self.rows {
            table.add_row([
                row.name.to_owned(),
                row.contexts.to_string(),
                row.jobs.to_string(),
                format!("{:.2}", row.jobs_per_s),
                format!("{:.0}", row.cpu_ms_per_job),
                format!("{:.0}", row.mib_per_job),
                format!("{} of {}", row.passed, row.different),
            ]);
        }
        println!("{table}");
        for (name, Gain { faster, lighter, side_by_side }) in self.gains() {
            println!("{name}: {faster:.2} times the jobs/s of a browser per job, {lighter:.2} of the memory per job");
            println!(
                "where browsers with a job each stand side by side on one machine and share the program's pages, each holds \
                 {:.0} MiB: against them {side_by_side:.2}",
                self.side_by_side_mib
            );
        }
        println!("verdicts: {}", if self.identical { "identical, job by job" } else { "NOT identical" });
    }

    /// To `results/density.json` in the target directory.
    pub(crate) fn write(&self) -> Result<()> {
        let of = |row: &Row| {
            json!({"name": row.name, "n": row.contexts, "jobs_per_s": round(row.jobs_per_s),
                "cpu_ms_per_job": round(row.cpu_ms_per_job), "mib_per_job": round(row.mib_per_job),
                "jobs": row.jobs, "passed": row.passed})
        };
        let local: Vec<Value> = self.rows.iter().filter(|row| !row.on_grid).map(of).collect();
        let grid: Option<Value> = self.rows.iter().find(|row| row.on_grid).map(of);
        let json = json!({"contexts": local, "grid_slot": grid,
            "mib_per_browser_side_by_side": round(self.side_by_side_mib), "identical_verdicts": self.identical});
        let path = results()?.join("density.json");
        std::fs::create_dir_all(path.parent().context("a directory")?).context("make the directory of results")?;
        std::fs::write(&path, format!("{json:#}\n")).with_context(|| format!("write {}", path.display()))?;
        eprintln!("wrote {}", path.display());
        Ok(())
    }

    /// What the pipeline costs beside these browsers, on standard output.
    pub(crate) fn print_costs(&self) -> Result<()> {
        let pipeline = Costs::written(&results()?).pipeline;
        let browsers = self.rows.iter().map(|row| (row.name.to_owned(), row.cpu_ms_per_job)).collect();
        println!("{}", Costs { browsers, pipeline, client: None }.table());
        if pipeline.is_none() {
            println!("the pipeline is measured by `make load`");
        }
        Ok(())
    }

    /// What each setting with shared browsers gains, by its name.
    fn gains(&self) -> Vec<(&'static str, Gain)> {
        let Some((alone, shared)) = self.rows.split_first() else { return Vec::new() };
        let gain = |row: &Row| Gain {
            faster: row.jobs_per_s / alone.jobs_per_s,
            lighter: row.mib_per_job / alone.mib_per_job,
            side_by_side: row.mib_per_job / self.side_by_side_mib,
        };
        shared.iter().map(|row| (row.name, gain(row))).collect()
    }

    /// Fails when verdicts differ or say nothing, and where the gain is too small.
    pub(crate) fn judge(&self) -> Result<()> {
        if !self.identical {
            bail!("the same job had different verdicts in different settings");
        }
        for row in &self.rows {
            // Some of the pages stop counting half-way.
            if row.passed == 0 || row.passed == row.different {
                bail!(
                    "{}: {} of {} jobs passed, though some must and some must not",
                    row.name,
                    row.passed,
                    row.different
                );
            }
        }
        for (name, Gain { faster, lighter, .. }) in self.gains() {
            if faster < FASTER || lighter > LIGHTER {
                bail!(
                    "{name}: sharing must give at least {FASTER} times the jobs/s at {LIGHTER:.2} of the memory per job or less"
                );
            }
        }
        Ok(())
    }
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The results in the target directory, which is two above the program: that stands in the directory of its profile.
fn results() -> Result<PathBuf> {
    let program = std::env::current_exe().context("find the program")?;
    Ok(program.ancestors().nth(2).context("find the target directory")?.join("results"))
}
