//! What happened, line by line: as a hash, by which two runs are compared, and the last lines, for people.

use parking_lot::{Mutex, MutexGuard};
use platform::clock::Clock;
use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::Arc;

/// A trace that is being written. Clones write the same one.
#[derive(Clone)]
pub struct Trace {
    clock: Arc<dyn Clock>,
    written: Arc<Mutex<Written>>,
}

#[derive(Default)]
struct Written {
    hasher: blake3::Hasher,
    line: String,
    keep: usize,
    last: VecDeque<String>,
}

impl Trace {
    /// An empty trace that keeps its last lines, at most so many.
    pub fn new(clock: Arc<dyn Clock>, keep: usize) -> Self {
        Self { clock, written: Arc::new(Mutex::new(Written { keep, ..Written::default() })) }
    }

    /// Adds a line, with the time before it.
    pub fn write(&self, what: fmt::Arguments<'_>) {
        let now = self.clock.monotonic();
        let mut guard = self.written();
        let written = &mut *guard;
        written.line.clear();
        // Writing to a string does not fail.
        let _ = writeln!(written.line, "{:9.3} {what}", now.as_secs_f64());
        written.hasher.update(written.line.as_bytes());
        if written.keep > 0 {
            if written.last.len() == written.keep {
                written.last.pop_front();
            }
            written.last.push_back(written.line.trim_end().to_owned());
        }
    }

    /// The hash of all lines so far.
    pub fn digest(&self) -> String {
        self.written().hasher.finalize().to_hex().to_string()
    }

    /// The last lines.
    pub fn last(&self) -> Vec<String> {
        self.written().last.iter().cloned().collect()
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock()
    }
}
