//! What processes use, as the kernel counts it (`/proc`, Linux).

use std::fs;
use std::path::Path;
use std::time::Duration;

/// The kernel counts processor time in these.
const TICK: Duration = Duration::from_millis(10);

/// What one process used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Processor time of all its threads so far, to 10 ms.
    pub cpu: Duration,
    /// Memory in MiB that it holds now, shared pages counted in full.
    pub rss_mib: f64,
    /// The most that it held.
    pub peak_rss_mib: f64,
}

/// What a process used; none when it is gone.
pub fn usage(process: u32) -> Option<Usage> {
    let directory = Path::new("/proc").join(process.to_string());
    let stat = fs::read_to_string(directory.join("stat")).ok()?;
    let status = fs::read_to_string(directory.join("status")).ok()?;
    Some(Usage {
        cpu: cpu(&stat)?,
        rss_mib: mib(&status, "VmRSS:").unwrap_or(0.0),
        peak_rss_mib: mib(&status, "VmHWM:").unwrap_or(0.0),
    })
}

/// Processor time so far of a process and of those that it started and that still live.
pub fn family_cpu(parent: u32) -> Duration {
    let Ok(processes) = fs::read_dir("/proc") else { return Duration::ZERO };
    let of_family = processes.flatten().filter_map(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        let is_parent = process.file_name() == parent.to_string().as_str();
        (is_parent || after_name(&stat, 1) == Some(parent)).then(|| cpu(&stat)).flatten()
    });
    of_family.sum()
}

/// Memory in MiB of all processes of a session but its leader, shared pages counted in proportion. A server that was started
/// as the leader of a session (`deploy/local/servers.sh`) has everything that it started in it.
pub fn followers_mib(leader: u32) -> f64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0.0 };
    let of_session = processes.flatten().filter(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        process.file_name() != leader.to_string().as_str() && after_name(&stat, 3) == Some(leader)
    });
    // Processes come and go: one that cannot be read any more counts nothing.
    of_session.filter_map(|process| mib(&fs::read_to_string(process.path().join("smaps_rollup")).ok()?, "Pss:")).sum()
}

/// Processor time, from `stat`.
fn cpu(stat: &str) -> Option<Duration> {
    let ticks: u32 = [11, 12].into_iter().map(|field| after_name::<u32>(stat, field)).sum::<Option<u32>>()?;
    Some(TICK * ticks)
}

/// A field of `stat` by its number after the name, from 0: the name may hold blanks and brackets.
fn after_name<T: std::str::FromStr>(stat: &str, field: usize) -> Option<T> {
    stat.rsplit_once(") ")?.1.split(' ').nth(field)?.parse().ok()
}

fn mib(text: &str, label: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_something_and_one_that_is_gone_nothing() {
        let own = usage(std::process::id()).unwrap();
        assert!(own.rss_mib > 1.0 && own.peak_rss_mib >= own.rss_mib, "{own:?}");
        assert_eq!(usage(u32::MAX), None);
    }

    #[test]
    fn the_kernels_words_are_read() {
        let stat = "42 (a) (b) S 7 41 40 0 -1 4194560 9 8 7 6 250 50 0 0 20 0 4 0";
        assert_eq!((after_name(stat, 3), after_name(stat, 11), after_name(stat, 12)), (Some(40), Some(250), Some(50)));
        assert_eq!(mib("5581 rollup\nPss:   2048 kB\n", "Pss:"), Some(2.0));
    }
}
