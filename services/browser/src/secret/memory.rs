//! What texts said before they were redacted, for the judge alone. Pure.

use std::collections::HashMap;

/// Most bytes that are kept; then it begins anew.
const MOST: usize = 8 << 20;

/// Redacted texts with what they said. Its `Debug` shows how many.
#[derive(Default)]
pub(super) struct Memory {
    said: HashMap<String, String>,
    bytes: usize,
}

impl Memory {
    /// Keeps what a text said.
    pub(super) fn remember(&mut self, redacted: &str, said: String) {
        let bytes = redacted.len() + said.len();
        if self.bytes + bytes > MOST {
            self.said.clear();
            self.bytes = 0;
        }
        if self.said.insert(redacted.to_owned(), said).is_none() {
            self.bytes += bytes;
        }
    }

    /// What a text said.
    pub(super) fn get(&self, redacted: &str) -> Option<String> {
        self.said.get(redacted).cloned()
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} texts", self.said.len())
    }
}
