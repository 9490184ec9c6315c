//! Commands in words of people's own, in the words that the readings know. Pure.

use super::everyday;
use super::moment;
use super::phrase::kind_of;
use super::talk::after_words;
use super::verbs::bare;
use crate::ground::clause::{CLOSE_MARK, OPEN_MARK};

/// A command that people say in words of their own, in the words that are known: `sign me up for …` → `enrol in …`.
pub(super) fn in_known_words(sentence: &str) -> String {
    const KNOWN: [(&str, &str); 7] = [
        ("sign me up for", "enrol in"),
        ("sign us up for", "enrol in"),
        ("sign up for", "enrol in"),
        ("enrol me for", "enrol in"),
        ("take me back to", "open"),
        ("bring me back to", "open"),
        ("do away with", "remove"),
    ];
    let goes_back = |rest: &str| {
        rest.split_whitespace().any(|word| matches!(bare(word).as_str(), "previous" | "last" | "earlier" | "before"))
    };
    // A verb with its particle is the name of what it presses.
    let whole = sentence.to_lowercase();
    if matches!(whole.as_str(), "check out" | "check in") {
        return format!("click {whole}");
    }
    let dated = day_of_month(sentence);
    let sentence = dated.as_deref().unwrap_or(sentence);
    let known = KNOWN.iter().find_map(|(said, known)| {
        let rest = after_words(sentence, said).filter(|rest| *known != "open" || !goes_back(rest))?;
        Some(format!("{known} {rest}"))
    });
    let sentence = known
        .or_else(|| counted_in(sentence))
        .or_else(|| held_back(sentence))
        .or_else(|| of_subscription(sentence))
        .or_else(|| headcount(sentence))
        .or_else(|| for_changes(sentence))
        .or_else(|| tagged(sentence))
        .or_else(|| issued(sentence))
        .or_else(|| as_kind(sentence))
        .or_else(|| handed_to(sentence))
        .or_else(|| everyday::in_known_words(sentence))
        .or_else(|| copied(sentence))
        .unwrap_or_else(|| sentence.to_owned());
    // `… that belongs to Ben`: of what is made.
    let makes = ["create ", "add ", "make "].iter().any(|verb| sentence.to_lowercase().starts_with(verb));
    // Behind anything else it tells which.
    let is_named =
        |made: &str| made.ends_with(CLOSE_MARK) || [" called ", " named "].iter().any(|lead| made.contains(lead));
    match sentence.split_once(" that belongs to ").filter(|(made, _)| makes && is_named(made)) {
        Some((made, owner)) => format!("{made} with the owner {owner}"),
        // `the record that has the value 10.0.0.9`
        None if !makes => sentence.replace(" that has the ", " with the ").replace(" which has the ", " with the "),
        None => sentence,
    }
}

/// `choose the 3rd of May 2031` → `choose 3 May 2031`: a day, and none of several.
fn day_of_month(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let chooses = words.first().map(|verb| bare(verb))?;
    if !matches!(chooses.as_str(), "choose" | "select" | "pick" | "click" | "press" | "tap") {
        return None;
    }
    let is_day = |day: &&str, of: &&str, month: &&str| {
        *of == "of"
            && month.starts_with(char::is_uppercase)
            && moment::is_month(&bare(month))
            && moment::is_day_number(day)
    };
    let at = words.windows(3).position(|part| matches!(part, [day, of, month] if is_day(day, of, month)))?;
    let day = moment::ordinal(&bare(words[at])).filter(|day| *day > 0)?;
    let begins = at - usize::from(at > 0 && words[at - 1] == "the");
    Some([&words[..begins], &[day.to_string().as_str()], &words[at + 2..]].concat().join(" "))
}

/// `make a copy of the file ⟦0⟧` → `duplicate the file ⟦0⟧`.
fn copied(sentence: &str) -> Option<String> {
    let rest = ["make", "create", "take"].iter().find_map(|verb| after_words(sentence, verb))?;
    let rest = ["me a", "another", "a", "one"].iter().find_map(|lead| after_words(rest, lead))?;
    let rest = ["copy of", "duplicate of", "clone of"].iter().find_map(|lead| after_words(rest, lead))?;
    Some(format!("duplicate {rest}"))
}

/// `open the page ⟦0⟧ for editing`, `edit the page ⟦0⟧: its title should be ⟦1⟧` → `edit the page ⟦0⟧ and set …`.
fn for_changes(sentence: &str) -> Option<String> {
    const ENDS: [&str; 4] = [" for editing", " to edit it", " in edit mode", " in the editor"];
    if let Some(rest) = after_words(sentence, "open") {
        let thing = ENDS.iter().find_map(|end| rest.trim_end_matches('.').strip_suffix(end))?;
        return Some(format!("edit {thing}"));
    }
    let rest = after_words(sentence, "edit").or_else(|| after_words(sentence, "change"))?;
    let (thing, said) = rest.split_once(": ")?;
    let (field, value) =
        [" should be ", " should read ", " is now ", " is "].iter().find_map(|verb| said.split_once(verb))?;
    let is_field = ["its ", "the "].iter().any(|lead| field.starts_with(lead)) && field.split(' ').count() <= 4;
    is_field.then(|| format!("edit {thing} and set {field} to {value}"))
}

/// `show everything tagged travel` → `open the tag travel`.
fn tagged(sentence: &str) -> Option<String> {
    let rest = ["show me", "show", "list", "open", "display"].iter().find_map(|verb| after_words(sentence, verb))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let at = words.iter().position(|word| matches!(bare(word).as_str(), "tagged" | "labelled" | "labeled"))?;
    let begins = words.first().is_some_and(|word| matches!(bare(word).as_str(), "everything" | "all" | "anything"));
    let name = words.get(at + 1..)?;
    let lead = usize::from(name.first().is_some_and(|word| matches!(bare(word).as_str(), "as" | "with")));
    // `all orders tagged urgent` are orders, and no page of a tag.
    let name = name.get(lead..).filter(|name| begins && at == 1 && (1..=3).contains(&name.len()))?;
    Some(format!("open the tag called {}", name.join(" ")))
}

/// `sign up 2 people for the tour ⟦0⟧` → `enrol in the tour ⟦0⟧ with the people 2`.
fn counted_in(sentence: &str) -> Option<String> {
    let rest = ["sign up", "enrol", "enroll", "register"].iter().find_map(|verb| after_words(sentence, verb))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ([number, who, lead], what) = (words.get(..3)?, words.get(3..)?) else { return None };
    let is_people = matches!(bare(who).as_str(), "people" | "persons" | "person" | "guests" | "participants");
    let is_whole = is_people && matches!(*lead, "for" | "in" | "to") && !what.is_empty();
    let count = moment::number(number).filter(|_| is_whole)?;
    Some(format!("enrol in {} with the people {count}", what.join(" ").trim_end_matches('.')))
}

/// `put the order 17 on hold` → `hold the order 17`.
fn held_back(sentence: &str) -> Option<String> {
    let rest = after_words(sentence, "put").or_else(|| after_words(sentence, "place"))?;
    rest.trim_end_matches('.').strip_suffix(" on hold").map(|thing| format!("hold {thing}"))
}

/// `pause my subscription to the Veg box` → `pause the Veg box`.
fn of_subscription(sentence: &str) -> Option<String> {
    ["pause", "resume", "renew"].iter().find_map(|verb| {
        let rest = after_words(sentence, verb)?;
        let leads = ["my subscription to ", "the subscription to ", "your subscription to "];
        let thing = leads.iter().find_map(|lead| rest.strip_prefix(lead))?;
        Some(format!("{verb} {thing}"))
    })
}

/// `change the number of guests for the Oak room booking to 5` → `change the guests of …`; `book a room … for 6 people` → `… with the
/// people 6`.
fn headcount(sentence: &str) -> Option<String> {
    const COUNTED: [&str; 7] = ["people", "persons", "guests", "participants", "adults", "children", "attendees"];
    const OF: [(&str, &str); 4] = [(" for the ", "the"), (" for my ", "my"), (" of the ", "the"), (" of my ", "my")];
    let counted = COUNTED.iter().find_map(|who| {
        OF.iter().find_map(|(of, whose)| {
            let (before, rest) = sentence.split_once(&format!("the number of {who}{of}"))?;
            Some(format!("{before}the {who} of {whose} {rest}"))
        })
    });
    counted.or_else(|| {
        ["book", "reserve"].iter().find_map(|verb| after_words(sentence, verb))?;
        let (before, count) = sentence.trim_end_matches('.').rsplit_once(" for ")?;
        let (number, who) = count.split_once(' ').filter(|(_, who)| COUNTED.contains(who))?;
        let number = moment::number(number)?;
        Some(format!("{before} with the {who} {number}"))
    })
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

/// `add Dana as a participant` → `add the participant Dana`.
fn as_kind(sentence: &str) -> Option<String> {
    let rest = after_words(sentence, "add")?;
    let (name, kind) = rest.split_once(" as a ").or_else(|| rest.split_once(" as an "))?;
    // Such words are roles, and the value of a field.
    const ROLES: [&str; 9] = ["owner", "member", "user", "customer", "admin", "editor", "manager", "guest", "viewer"];
    let is_kind = !kind.contains(' ') && kind_of(kind).is_some() && !ROLES.contains(&kind);
    let is_placed = [" to ", " in ", " on ", " into "].iter().any(|lead| name.contains(lead));
    let is_name = name.starts_with(|sign: char| sign.is_uppercase() || sign == OPEN_MARK)
        && !name.contains([',', ':'])
        && !is_placed;
    (is_kind && is_name).then(|| format!("add the {kind} {name}"))
}

/// `give this one to Ben` → `set its assignee to Ben`.
fn handed_to(sentence: &str) -> Option<String> {
    let rest = after_words(sentence, "give")?;
    let to = ["it to ", "this to ", "this one to ", "that one to "].iter().find_map(|lead| rest.strip_prefix(lead))?;
    to.starts_with(char::is_uppercase).then(|| format!("set its assignee to {to}"))
}
