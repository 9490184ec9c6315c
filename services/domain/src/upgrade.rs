//! Two versions of this program beside each other, as during an upgrade: each process says what it reads, and what is new is
//! written only once all that are present read it.

use crate::campaign::Campaign;

/// What the processes of this version read. It grows by one with whatever the version before cannot make sense of:
/// - 1: what a newer version adds is passed over, or left to that version.
/// - 2: campaigns with stages.
pub const READS: u32 = 2;

/// What everyone who is present must read before a campaign with these settings is written; with the settings that say so.
pub fn needed(campaign: &Campaign) -> Option<(u32, &'static str)> {
    campaign.stages.is_some().then_some((2, "campaign.stages"))
}

/// The list of the processes that are present, whatever their roles.
pub const PROCESSES: &str = "process";

/// What a process says of itself on that list.
pub fn told() -> String {
    format!("reads={READS}")
}

/// What a process reads that says this of itself: nothing new where it does not tell.
pub fn reads(told: &str) -> u32 {
    told.strip_prefix("reads=").and_then(|level| level.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_understood_by_others_and_one_that_does_not_tell_reads_nothing_new() {
        assert_eq!(reads(&told()), READS);
        assert_eq!(["", "slots=4", "reads=", "reads=many"].map(reads), [0; 4]);
    }
}
