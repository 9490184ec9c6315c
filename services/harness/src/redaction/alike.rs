//! Texts that look like a secret and are none.

use std::collections::BTreeSet;

/// At least five hundred texts near a secret: near words, other cases, parts of it, ordinary labels, codes of other texts.
pub fn look_alikes(secret: &str) -> Vec<String> {
    let signs: Vec<char> = secret.chars().collect();
    let text = |signs: &[char]| signs.iter().collect::<String>();
    let mut found: BTreeSet<String> = BTreeSet::new();
    // One letter is another one, is missing, stands twice, or changes places with the next.
    for at in 0..signs.len() {
        let (before, after) = (text(&signs[..at]), text(&signs[at + 1..]));
        for other in ['x', 'Q', '7', '-'] {
            if other != signs[at] {
                found.insert(format!("{before}{other}{after}"));
            }
        }
        // At its ends one letter less leaves a part, which is among the parts.
        if at > 0 && at + 1 < signs.len() && signs[at] != signs[at - 1] && !signs[at].is_whitespace() {
            found.insert(format!("{before}{after}"));
            found.insert(format!("{before}{0}{0}{after}", signs[at]));
        }
    }
    // Other cases.
    found.extend([secret.to_uppercase(), secret.to_lowercase(), swapped(secret)]);
    // Parts, in the midst of sentences and alone.
    let words: Vec<&str> = secret.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.len() > 1).collect();
    for word in &words {
        found.insert((*word).to_owned());
        for sentence in SENTENCES {
            found.insert(sentence.replace('*', word));
        }
    }
    for length in 2..signs.len() {
        found.insert(text(&signs[..length]));
        found.insert(text(&signs[signs.len() - length..]));
    }
    // Labels of every application, and numbers.
    for label in LABELS {
        found.insert((*label).to_owned());
        for sentence in SENTENCES {
            found.insert(sentence.replace('*', label));
        }
    }
    found.extend((1000..1100).map(|number| format!("Order {number}, {}.{:02} EUR", number % 97, number % 89)));
    found.remove(secret);
    // A part in which the whole stands is no look-alike.
    found.into_iter().filter(|text| !text.contains(secret)).collect()
}

fn swapped(text: &str) -> String {
    let swap = |sign: char| -> String {
        if sign.is_lowercase() { sign.to_uppercase().collect() } else { sign.to_lowercase().collect() }
    };
    text.chars().map(swap).collect()
}

const SENTENCES: [&str; 6] = [
    "Please enter your *",
    "* is required",
    "Welcome back, *!",
    "The * was changed on 24 November",
    "Forgot *?",
    "(*)",
];

const LABELS: [&str; 24] = [
    "Password",
    "password",
    "Passwort",
    "Secret",
    "Token",
    "User name",
    "E-mail",
    "Log in",
    "Log out",
    "admin",
    "Administration",
    "Search",
    "Open",
    "Sesame",
    "Hunter",
    "Troubadour",
    "Settings",
    "Save draft",
    "aGVsbG8gd29ybGQ=",
    "48656c6c6f20776f726c64",
    "%7B%22a%22%3A1%7D",
    "&lt;none&gt;",
    "2025-11-26T10:00:00Z",
    "d41d8cd98f00b204e9800998ecf8427e",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_hundreds_and_none_is_the_secret() {
        for secret in [super::super::AWKWARD, super::super::ORDINARY] {
            let found = look_alikes(secret);
            assert!(found.len() >= 250, "{}", found.len());
            assert!(found.iter().all(|text| !text.contains(secret)));
        }
    }
}
