//! Which ports of the machine belong to the program that is attacked: all that are open within the attack's own namespace and are
//! not the attack's.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

/// Those of the attack itself.
static OURS: OnceLock<BTreeSet<u16>> = OnceLock::new();

/// Says that all ports that are open now are the attack's.
pub fn ours_until_now() {
    let _ = OURS.set(open());
}

/// Ports of the program. What stands behind a stand-in is no port of it.
pub fn of_the_program(folder: &Path) -> Vec<u16> {
    let open = open();
    let behind = named(folder, "inner-");
    let ours = OURS.get();
    open.into_iter().filter(|port| !behind.contains(port) && ours.is_none_or(|ours| !ours.contains(port))).collect()
}

/// Ports that open to requests which are judged: those of the program that are no stand-in's.
pub fn of_gates(folder: &Path) -> Vec<u16> {
    let of_program = of_the_program(folder);
    // Read after the open ports, since a stand-in is written down before it opens.
    let stand_ins = named(folder, "outer-");
    of_program.into_iter().filter(|port| !stand_ins.contains(port)).collect()
}

/// The ports that stand-ins wrote down as names of files.
fn named(folder: &Path, start: &str) -> BTreeSet<u16> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_prefix(start)?.parse().ok()).collect()
}

fn open() -> BTreeSet<u16> {
    let mut ports = BTreeSet::new();
    for list in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        let text = std::fs::read_to_string(list).unwrap_or_default();
        for line in text.lines().skip(1) {
            let words: Vec<&str> = line.split_whitespace().collect();
            // The fourth word is the state; 0A listens (include/net/tcp_states.h of Linux).
            if let (Some(local), Some(&"0A")) = (words.get(1), words.get(3)) {
                ports.extend(local.rsplit(':').next().and_then(|port| u16::from_str_radix(port, 16).ok()));
            }
        }
    }
    ports
}
