//! The memory of a browser's processes, as the kernel counts it.

use std::fs;

/// Memory in MiB of all processes of a session, pages that several share counted in proportion. None where the kernel does
/// not tell.
pub(crate) fn session_mib(leader: u32) -> Option<u64> {
    let mut kib = 0;
    for process in fs::read_dir("/proc").ok()?.flatten() {
        let path = process.path();
        // Processes come and go: one that cannot be read any more counts nothing.
        let Ok(stat) = fs::read_to_string(path.join("stat")) else { continue };
        if session(&stat) == Some(leader) {
            kib += fs::read_to_string(path.join("smaps_rollup")).ok().and_then(|text| share(&text)).unwrap_or(0);
        }
    }
    Some(kib / 1024)
}

/// The session of a process: the fourth field after its name, which may hold blanks and brackets.
fn session(stat: &str) -> Option<u32> {
    stat.rsplit_once(") ")?.1.split(' ').nth(3)?.parse().ok()
}

/// The proportional share in KiB.
fn share(rollup: &str) -> Option<u64> {
    rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_words_are_read() {
        assert_eq!(session("42 (chrome) (x) S 7 41 40 0 -1 4194560"), Some(40));
        assert_eq!(share("5581 rollup\nRss:  123 kB\nPss:     77 kB\nPss_Anon: 5 kB\n"), Some(77));
    }

    #[test]
    fn a_session_of_nobody_has_no_memory() {
        assert_eq!(session_mib(u32::MAX), Some(0));
    }
}
