//! What a person sees while a run is going on: a bar with the running score, on stderr and only on a terminal.
//!
//! Without a terminal, one line for each ended job.

use crate::print::note;
use crawler::worker::JobEvent;
use domain::text::spelled;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use node::run::Observer;
use std::io::IsTerminal as _;

/// Shows how far a run is.
#[derive(Default)]
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    total: usize,
    ended: usize,
    successes: usize,
    running: Vec<String>,
    /// What an exploration found so far.
    found: String,
}

impl Observer for Bar {
    fn begins(&mut self, jobs: usize, ended: usize, successes: usize) {
        self.bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(jobs as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:28.cyan/blue} {pos}/{len}  {msg}  {elapsed} (left: {eta})");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(std::time::Duration::from_millis(500));
            bar
        });
        (self.total, self.ended, self.successes) = (jobs, ended, successes);
        self.refresh();
    }

    fn progress(&mut self, news: &JobEvent) {
        match news {
            JobEvent::Began(job) => self.running.push(job.to_string()),
            JobEvent::Lost { job, cause } => {
                self.running.retain(|running| running != job.as_str());
                self.says(&format!("{job}: the attempt was lost: {cause}"));
            }
            JobEvent::Released(job) => self.running.retain(|running| running != job.as_str()),
            JobEvent::Ended(outcome) => {
                self.running.retain(|running| running != outcome.job.as_str());
                self.ended += 1;
                self.successes += usize::from(outcome.verdict.kind.is_success());
                if self.bar.is_none() {
                    let verdict = &outcome.verdict;
                    note!(
                        "[{}/{}] {} {}: {}",
                        self.ended,
                        self.total.max(self.ended),
                        outcome.job,
                        verdict.kind,
                        verdict.reason
                    );
                }
            }
        }
        self.refresh();
    }

    fn grows(&mut self, jobs: usize) {
        self.total = jobs;
        if let Some(bar) = &self.bar {
            bar.set_length(jobs as u64);
        }
    }

    fn found(&mut self, so_far: &str) {
        self.found = so_far.to_owned();
        self.refresh();
    }

    fn says(&mut self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(spelled(line)),
            None => note!("{line}"),
        }
    }

    fn interrupted(&mut self) {
        self.says("interrupted: giving unfinished tasks back (once more to end at once)");
    }

    fn ends(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Bar {
    fn refresh(&self) {
        let Some(bar) = &self.bar else { return };
        bar.set_position(self.ended as u64);
        let running = self.running.join(", ");
        if !self.found.is_empty() {
            bar.set_message(format!("{}  {running:.40}", self.found));
            return;
        }
        let percent = self.successes as f64 * 100.0 / self.ended.max(1) as f64;
        bar.set_message(format!("{} passed ({percent:.1} %)  {running:.40}", self.successes));
    }
}
