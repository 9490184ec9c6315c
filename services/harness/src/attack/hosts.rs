//! Names, as a file that the machine's resolver reads at every look-up. Within the attack's own namespace it stands at `/etc/hosts`.

use super::site::ADDRESSES;
use super::ways::{ALL, Kind, Target, Way};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names and where they lead, whatever is tried.
const ALWAYS: &str = "\
127.0.0.1 localhost
203.0.113.10 shop.test
127.0.0.66 private.shop.test
10.0.0.66 intern.shop.test
169.254.169.254 metadata.shop.test
127.0.0.2 loop.shop.test
fd00::66 six.shop.test
::1 one.shop.test
::ffff:127.0.0.2 mapped.shop.test
0.0.0.0 zero.shop.test
127.0.0.66 two.shop.test
203.0.113.10 two.shop.test
203.0.113.10 two-first.shop.test
127.0.0.66 two-first.shop.test
127.0.0.1 driver.shop.test
203.0.113.66 shop.test.evil.test
203.0.113.66 evilshop.test
203.0.113.66 evil.test
203.0.113.66 xn--hop-ehd.test
";

/// The file of names.
#[derive(Clone)]
pub struct Hosts(Arc<Inner>);

struct Inner {
    file: PathBuf,
    moved: Mutex<BTreeMap<String, &'static str>>,
}

impl Hosts {
    /// Names in a file.
    pub fn at(file: &Path) -> Hosts {
        Hosts(Arc::new(Inner { file: file.to_owned(), moved: Mutex::default() }))
    }

    /// The name that a way moves, in one run.
    pub fn name(way: &Way, target: Target) -> String {
        format!("moves-{}-{}.shop.test", way.number, target.run)
    }

    /// Begins a run: every name that will move leads to the site. In a run `from_the_beginning`, it has moved already.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(&self, target: Target, from_the_beginning: bool) -> io::Result<()> {
        let mut moved = self.0.moved.lock();
        moved.clear();
        for way in ALL.iter() {
            if let Kind::Rebind(address) = way.kind {
                moved.insert(Hosts::name(way, target), if from_the_beginning { address } else { ADDRESSES[1] });
            }
        }
        self.write(&moved)
    }

    /// Lets the name of a way lead elsewhere.
    pub fn moved(&self, way: &Way, target: Target, address: &'static str) {
        let mut moved = self.0.moved.lock();
        moved.insert(Hosts::name(way, target), address);
        if let Err(error) = self.write(&moved) {
            eprintln!("the file of names cannot be written: {error}");
        }
    }

    /// Writes in place: what is mounted elsewhere is this very file.
    fn write(&self, moved: &BTreeMap<String, &'static str>) -> io::Result<()> {
        let lines: String = moved.iter().map(|(name, address)| format!("{address} {name}\n")).collect();
        std::fs::write(&self.0.file, format!("{ALWAYS}{lines}"))
    }
}
