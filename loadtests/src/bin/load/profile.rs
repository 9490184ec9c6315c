//! Where the time goes: what Rutter's processes do while they work, sampled by `perf`, by library and by function.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Samples per second and processor. No round number, so that nothing periodic keeps step with it.
const FREQUENCY: &str = "199";

/// Functions that are listed.
const FUNCTIONS: usize = 40;

/// Libraries that are listed.
const LIBRARIES: usize = 25;

/// A profile that is being taken.
pub(crate) struct Profile {
    perf: Child,
    samples: PathBuf,
}

impl Profile {
    /// Begins to sample some processes.
    ///
    /// # Errors
    /// When `perf` cannot be started.
    pub(crate) fn begin(processes: &[u32], directory: &Path) -> Result<Profile> {
        let samples = directory.join("perf.data");
        let list: Vec<String> = processes.iter().map(u32::to_string).collect();
        let perf = Command::new("perf")
            .args(["record", "--quiet", "--freq", FREQUENCY, "--pid", &list.join(",")])
            .arg("--output")
            .arg(&samples)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("start perf; install it (Debian: linux-perf)")?;
        Ok(Profile { perf, samples })
    }

    /// Ends it; answers what was found, as text.
    ///
    /// # Errors
    /// When `perf` fails.
    pub(crate) fn end(mut self) -> Result<String> {
        let interrupted = Command::new("kill").args(["-INT", &self.perf.id().to_string()]).status();
        ensure!(interrupted.context("end perf")?.success(), "perf ended before it was asked to");
        self.perf.wait().context("wait for perf")?;
        let report = Command::new("perf")
            .args(["report", "--stdio", "--no-children", "--percent-limit", "0.02", "--sort", "symbol"])
            .arg("--input")
            .arg(&self.samples)
            .stdin(Stdio::null())
            .output()
            .context("run perf report")?;
        ensure!(report.status.success(), "perf report: {}", String::from_utf8_lossy(&report.stderr));
        Ok(summary(&String::from_utf8_lossy(&report.stdout)))
    }
}

/// Parts of all samples, by library and by function.
fn summary(report: &str) -> String {
    let mut functions: Vec<(f64, &str)> = report.lines().filter_map(line).collect();
    functions.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut libraries: BTreeMap<String, f64> = BTreeMap::new();
    for (part, function) in &functions {
        *libraries.entry(library(function)).or_default() += part;
    }
    let mut libraries: Vec<(String, f64)> = libraries.into_iter().collect();
    libraries.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut text = String::from("by library\n");
    for (library, part) in libraries.iter().take(LIBRARIES) {
        let _ = writeln!(text, "{part:6.2} %  {library}");
    }
    text.push_str("\nby function\n");
    for (part, function) in functions.iter().take(FUNCTIONS) {
        let _ = writeln!(text, "{part:6.2} %  {function}");
    }
    text
}

/// A line of the report: `12.34%  [.] name`, with `k` for the kernel, and columns that say nothing after it.
fn line(line: &str) -> Option<(f64, &str)> {
    let (part, rest) = line.trim().split_once('%')?;
    let (_, function) = rest.trim().split_once(['.', 'k'])?;
    let function = function.strip_prefix(']')?.trim();
    let function = function.split_once("  ").map_or(function, |(name, _)| name);
    Some((part.trim().parse().ok()?, function))
}

/// The library of a function, by the first word of its path.
fn library(function: &str) -> String {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| function.starts_with(prefix));
    let path = function.trim_start_matches(['<', '&', '_', ' ']);
    match path.split_once("::") {
        Some((first, _)) => first.rsplit(|character| !is_word(character)).next().unwrap_or(first).to_owned(),
        None if begins(&["mi_", "_mi_", "malloc", "_int_", "cfree", "free", "realloc"]) => "allocator".to_owned(),
        None if begins(&["__mem", "mem"]) => "copying and comparing of bytes".to_owned(),
        None if begins(&["ZSTD", "HUF", "FSE"]) => "zstd".to_owned(),
        None if begins(&["rd_", "rko_"]) => "librdkafka".to_owned(),
        None => "kernel, C library and the rest".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_added_up_by_library() {
        let report = "# comment\n    10.50%  [.] tokio::runtime::task::poll\n     4.00%  [.] <tokio::io::Driver as core::Thing>::turn\n\
                      \x20    2.00%  [k] do_syscall_64\n     1.00%  [.] ZSTD_compressBlock\n";
        let text = summary(report);
        assert!(text.contains(" 14.50 %  tokio\n"), "{text}");
        assert!(
            text.contains("  2.00 %  kernel, C library and the rest\n") && text.contains("  1.00 %  zstd\n"),
            "{text}"
        );
        assert!(text.contains(" 10.50 %  tokio::runtime::task::poll\n"), "{text}");
    }
}
