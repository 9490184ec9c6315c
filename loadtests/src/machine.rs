//! What the whole machine uses, as the kernel counts it (`/proc/stat`, Linux).

use procfs::{CurrentSI as _, KernelStats};
use std::time::Duration;

/// Processor time of everything that ran so far, whoever started it and whether it has ended; zero where the kernel does not
/// tell.
pub fn busy() -> Duration {
    let Ok(KernelStats { total, .. }) = KernelStats::current() else { return Duration::ZERO };
    let interrupts = [total.irq_duration(), total.softirq_duration()].into_iter().flatten();
    [total.user_duration(), total.nice_duration(), total.system_duration()].into_iter().chain(interrupts).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_runs_is_busy() {
        assert!(busy() > Duration::ZERO);
    }
}
