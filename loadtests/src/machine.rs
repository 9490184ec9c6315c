//! What the whole machine uses, as the kernel counts it (`/proc/stat`, Linux).

use std::fs;
use std::time::Duration;

/// The kernel counts processor time in these.
const TICK: Duration = Duration::from_millis(10);

/// Processor time of everything that ran so far, whoever started it and whether it has ended.
pub fn busy() -> Duration {
    fs::read_to_string("/proc/stat").ok().and_then(|stat| ticks(&stat)).map_or(Duration::ZERO, |ticks| TICK * ticks)
}

/// The ticks of the first line but those of idling and of waiting for disks.
fn ticks(stat: &str) -> Option<u32> {
    let fields = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u32> = fields.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let [user, nice, system, _idle, _waiting, interrupts, soft, ..] = ticks[..] else { return None };
    Some(user + nice + system + interrupts + soft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_runs_is_busy_and_idling_is_not_counted() {
        assert!(busy() > Duration::ZERO);
        assert_eq!(ticks("cpu  100 20 30 9000 500 4 6 0 0 0\ncpu0 1 2 3 4 5 6 7\n"), Some(160));
        assert_eq!(ticks("intr 1 2 3"), None);
    }
}
