//! Recognizes text that changes on its own: clocks, counters, relative times. Pure.

use std::collections::HashSet;

/// Most texts remembered per profile.
const REMEMBERED: usize = 200;

/// Words found beside numbers that grow on their own.
const WORDS: [&str; 14] = [
    "ago",
    "second",
    "seconds",
    "sec",
    "secs",
    "minute",
    "minutes",
    "min",
    "mins",
    "hour",
    "hours",
    "ms",
    "remaining",
    "uptime",
];

/// Texts that changed between two observations without an action, with digits masked.
#[derive(Debug, Default)]
pub(crate) struct Ticking(HashSet<String>);

impl Ticking {
    /// Learns texts that changed without an action. Pairs that differ only in digits predict the next change.
    pub(crate) fn learn(&mut self, changed: Vec<(String, String)>) {
        for (old, new) in changed {
            let text = without_digits(&old);
            if text == without_digits(&new)
                && old.contains(|sign: char| sign.is_ascii_digit())
                && self.0.len() < REMEMBERED
            {
                self.0.insert(text);
            }
        }
    }

    /// Whether a change matches a learnt text.
    pub(super) fn knows(&self, old: &str, new: &str) -> bool {
        let text = without_digits(old);
        self.0.contains(&text) && text == without_digits(new)
    }
}

/// Replaces every run of digits by one sign.
pub(super) fn without_digits(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '0'..='9' if masked.ends_with('#') => {}
            '0'..='9' => masked.push('#'),
            other => masked.push(other),
        }
    }
    masked
}

/// Whether a text shows a time, a duration or an age.
pub(super) fn looks_like_a_clock(text: &str) -> bool {
    let masked = without_digits(text);
    let is_time = masked.match_indices("#:#").any(|(at, _)| {
        let minutes = text_after(text, &masked, at + 2);
        minutes.len() == 2
    });
    let words = text.split(|sign: char| !sign.is_alphabetic()).map(str::to_lowercase);
    let mut words = words.filter(|word| !word.is_empty());
    is_time || (masked.contains('#') && words.any(|word| WORDS.contains(&word.as_str()) || word == "s"))
}

/// The digits behind a sign of a masked text.
fn text_after<'t>(text: &'t str, masked: &str, at: usize) -> &'t str {
    let runs_before = masked[..at].matches('#').count();
    let mut runs = text.split(|sign: char| !sign.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.nth(runs_before).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_told_from_amounts() {
        for clock in ["14:05:33", "Updated 3 minutes ago", "Time left: 0:59", "12 s", "2026-04-03 14:05"] {
            assert!(looks_like_a_clock(clock), "{clock}");
        }
        for amount in ["Basket (1)", "3 items", "EUR 12.50", "1:1", "odds 10:1", "ago"] {
            assert!(!looks_like_a_clock(amount), "{amount}");
        }
    }

    #[test]
    fn what_changed_by_itself_is_known_by_its_words() {
        let mut ticking = Ticking::default();
        ticking
            .learn(vec![("17 visitors".into(), "18 visitors".into()), ("Basket empty".into(), "Basket full".into())]);
        assert!(ticking.knows("18 visitors", "19 visitors"));
        assert!(!ticking.knows("3 items", "4 items") && !ticking.knows("Basket empty", "Basket full"));
    }
}
