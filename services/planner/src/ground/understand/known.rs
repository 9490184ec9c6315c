//! Commands in words of people's own, in the words that the readings know. Pure.

use super::talk::after_words;
use super::verbs::bare;
use crate::ground::clause::CLOSE_MARK;

/// A command that people say in words of their own, in the words that are known: `sign me up for …` → `enrol in …`.
pub(super) fn in_known_words(sentence: &str) -> String {
    const KNOWN: [(&str, &str); 6] = [
        ("sign me up for", "enrol in"),
        ("sign us up for", "enrol in"),
        ("sign up for", "enrol in"),
        ("enrol me for", "enrol in"),
        ("throw away", "remove"),
        ("do away with", "remove"),
    ];
    let known =
        KNOWN.iter().find_map(|(said, known)| after_words(sentence, said).map(|rest| format!("{known} {rest}")));
    let sentence = known.or_else(|| issued(sentence)).unwrap_or_else(|| sentence.to_owned());
    // `… that belongs to Ben`: of what is made.
    let makes = ["create ", "add ", "make "].iter().any(|verb| sentence.to_lowercase().starts_with(verb));
    // Behind anything else it tells which.
    let is_named =
        |made: &str| made.ends_with(CLOSE_MARK) || [" called ", " named "].iter().any(|lead| made.contains(lead));
    match sentence.split_once(" that belongs to ").filter(|(made, _)| makes && is_named(made)) {
        Some((made, owner)) => format!("{made} with the owner {owner}"),
        None => sentence,
    }
}

/// `issue a visitor permit for …` → `create a …`: of what offices and shops write out.
fn issued(sentence: &str) -> Option<String> {
    const WRITTEN_OUT: [&str; 11] = [
        "permit",
        "invoice",
        "ticket",
        "card",
        "licence",
        "license",
        "badge",
        "certificate",
        "pass",
        "voucher",
        "receipt",
    ];
    let rest = after_words(sentence, "issue")?;
    let begins = ["a ", "an ", "another "].iter().any(|article| rest.starts_with(article));
    let is_written = rest.split_whitespace().skip(1).take(2).any(|word| WRITTEN_OUT.contains(&bare(word).as_str()));
    (begins && is_written).then(|| format!("create {rest}"))
}
