//! What processes use, as the kernel counts it (`/proc`, Linux).

use procfs::process::{Process, Stat, all_processes};
use std::time::Duration;

const MIB: f64 = (1 << 20) as f64;

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
    let process = Process::new(process.try_into().ok()?).ok()?;
    let status = process.status().ok()?;
    let mib = |kib: Option<u64>| kib.unwrap_or(0) as f64 / 1024.0;
    Some(Usage { cpu: cpu(&process.stat().ok()?), rss_mib: mib(status.vmrss), peak_rss_mib: mib(status.vmhwm) })
}

/// Processor time so far of a process and of those that it started and that still live.
pub fn family_cpu(parent: u32) -> Duration {
    let is_parent = |id: i32| u32::try_from(id).is_ok_and(|id| id == parent);
    let family = living().filter(|(_, stat)| is_parent(stat.pid) || is_parent(stat.ppid));
    family.map(|(_, stat)| cpu(&stat)).sum()
}

/// Memory in MiB of all processes of a session but its leader, shared pages counted in proportion. A server that was started
/// as the leader of a session (`deploy/local/servers.sh`) has everything that it started in it.
pub fn followers_mib(leader: u32) -> f64 {
    let is_leader = |id: i32| u32::try_from(id).is_ok_and(|id| id == leader);
    let followers = living().filter(|(_, stat)| is_leader(stat.session) && !is_leader(stat.pid));
    let maps =
        followers.filter_map(|(process, _)| process.smaps_rollup().ok()).flat_map(|rollup| rollup.memory_map_rollup);
    maps.filter_map(|map| map.extension.map.get("Pss").map(|bytes| *bytes as f64 / MIB)).sum()
}

/// All processes; one that ends meanwhile is left out.
fn living() -> impl Iterator<Item = (Process, Stat)> {
    let processes = all_processes().into_iter().flatten().flatten();
    processes.filter_map(|process| process.stat().ok().map(|stat| (process, stat)))
}

fn cpu(stat: &Stat) -> Duration {
    Duration::from_secs_f64((stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_something_and_one_that_is_gone_nothing() {
        let own = usage(std::process::id()).unwrap();
        assert!(own.rss_mib > 1.0 && own.peak_rss_mib >= own.rss_mib, "{own:?}");
        assert_eq!(usage(u32::MAX), None);
        assert_eq!(usage(i32::MAX as u32), None);
    }

    #[test]
    fn a_family_uses_at_least_what_its_parent_does() {
        let own = std::process::id();
        let before = usage(own).unwrap().cpu;
        assert!(family_cpu(own) >= before);
        assert_eq!(family_cpu(u32::MAX), Duration::ZERO);
    }
}
