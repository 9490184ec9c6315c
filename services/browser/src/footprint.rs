//! The memory of a browser's processes, as the kernel counts it.

/// Memory in MiB of all processes of a POSIX session; shared pages count proportionally (PSS). None where the kernel
/// does not report it.
#[cfg(target_os = "linux")]
pub(crate) fn session_mib(leader: u32) -> Option<u64> {
    let processes = procfs::process::all_processes().ok()?.flatten();
    let is_member = |process: &procfs::process::Process| {
        process.stat().is_ok_and(|stat| u32::try_from(stat.session).is_ok_and(|session| session == leader))
    };
    // A process may exit meanwhile; one that cannot be read counts 0.
    let rollups = processes.filter(is_member).filter_map(|process| process.smaps_rollup().ok());
    let bytes: u64 = rollups
        .flat_map(|rollup| rollup.memory_map_rollup)
        .filter_map(|map| map.extension.map.get("Pss").copied())
        .sum();
    Some(bytes / (1 << 20))
}

/// Only Linux reports proportional shares of pages.
#[cfg(not(target_os = "linux"))]
pub(crate) fn session_mib(_: u32) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_processes_of_a_session_have_memory_and_those_of_no_session_have_none() {
        let own = procfs::process::Process::myself().and_then(|own| own.stat()).expect("its own status").session;
        assert!(session_mib(own.try_into().expect("a session")) > Some(0));
        assert_eq!(session_mib(u32::MAX), Some(0));
    }
}
