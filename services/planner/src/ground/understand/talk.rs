//! Telling commands from the talk around them: greetings, politeness, and what somebody says about their day. Pure.

use super::recall::{before_reason, tells_of_somebody};
use super::verbs::{bare, begins_command, plain_form};

/// Words that may stand in front of a command and say nothing about it.
const LEADS: &[&str] = &[
    "when you get a minute",
    "when you have a minute",
    "when you get a chance",
    "when you have time",
    "sorry to bother you",
    "quick one",
    "one more thing",
    "by the way",
    "hi there",
    "hello there",
    "good morning",
    "good afternoon",
    "good evening",
    "after that",
    "at the end",
    "in the end",
    "to begin with",
    "to finish",
    "first of all",
    "last of all",
    "when that is done",
    "once that is done",
    "when you are done",
    "as a next step",
    "and then",
    "hi",
    "hello",
    "hey",
    "dear",
    "ok",
    "okay",
    "alright",
    "well",
    "so",
    "now",
    "then",
    "next",
    "also",
    "and",
    "but",
    "please",
    "pls",
    "plz",
    "kindly",
    "just",
    "first",
    "second",
    "finally",
    "lastly",
    "afterwards",
    "quickly",
    "immediately",
    "directly",
    "simply",
];

/// Frames in which a command is asked for politely.
const REQUESTS: &[&str] = &[
    "would you be so kind as to",
    "it would be great if you could",
    "it would be nice if you could",
    "i would appreciate it if you could",
    "i'd appreciate it if you could",
    "i was wondering if you could",
    "i need you to help me",
    "i would like you to",
    "i'd like you to",
    "i would like to",
    "i'd like to",
    "i want you to",
    "i want to",
    "i need you to",
    "i need to",
    "i have to",
    "i think we should",
    "i think you should",
    "we would like to",
    "we want to",
    "we need to",
    "we have to",
    "we should",
    "i should",
    "you should",
    "you need to",
    "you have to",
    "you must",
    "you can",
    "your task is to",
    "the task is to",
    "your job is to",
    "do me a favour and",
    "do me a favor and",
    "is it possible to",
    "go ahead and",
    "make sure you",
    "make sure to",
    "be sure to",
    "remember to",
    "don't forget to",
    "do not forget to",
    "try to",
    "proceed to",
    "let us",
    "let's",
    "can you please",
    "could you please",
    "would you please",
    "will you please",
    "can you",
    "could you",
    "would you",
    "will you",
    "may i ask you to",
    "help me to",
    "help me",
    "have a look and",
];

/// Frames that are followed by the form in `-ing`.
const GERUND_REQUESTS: [&str; 6] =
    ["would you mind", "do you mind", "how about", "start by", "finish by", "continue by"];

/// Frames that are followed by the past form.
const PAST_REQUESTS: &[&str] = &[
    "i would love it if you",
    "i'd love it if you",
    "i would be happy if you",
    "i'd be happy if you",
    "it would be great if you",
    "it would be nice if you",
    "it would help if you",
];

/// What may stand behind a command and says nothing about it.
const TAILS: &[&str] = &[
    "as soon as possible",
    "when you have a moment",
    "when you are done",
    "when you're done",
    "if you don't mind",
    "if possible",
    "if you can",
    "thanks a lot",
    "thank you very much",
    "thank you",
    "thanks",
    "right now",
    "right away",
    "immediately",
    "for me",
    "for us",
    "please",
    "will you",
    "would you",
    "asap",
    "no rush",
    "no hurry",
    "now",
    "as well",
];

/// How sentences begin that tell about somebody or something and ask for nothing.
pub(super) const TELLING: &[&str] = &[
    "i",
    "we",
    "my",
    "our",
    "he",
    "she",
    "they",
    "his",
    "her",
    "their",
    "there",
    "it",
    "it's",
    "that",
    "this",
    "i'm",
    "i've",
    "i'd",
    "we're",
    "we've",
    "he's",
    "she's",
    "they're",
    "that's",
    "there's",
    "today",
    "yesterday",
    "tomorrow",
    "these",
    "those",
    "since",
    "because",
    "as",
    "what",
    "such",
    "the",
    "a",
    "an",
    "everyone",
    "everybody",
    "nobody",
    "hope",
    "sorry",
    "thanks",
    "thank",
    "cheers",
    "greetings",
    "regards",
    "you",
];

/// The command of a text without the talk around it.
pub(super) fn without_courtesy(text: &str) -> String {
    let mut text = text.trim().to_owned();
    loop {
        let before = text.clone();
        text = text.trim_matches([' ', ',', '.', '!', ';', ':', '?']).to_owned();
        if let Some(rest) = LEADS.iter().find_map(|lead| after_words(&text, lead)) {
            text = rest.to_owned();
        }
        if let Some(rest) = GERUND_REQUESTS.iter().find_map(|frame| after_words(&text, frame)) {
            text = with_plain_verb(rest);
        }
        if let Some(rest) = PAST_REQUESTS.iter().find_map(|frame| after_words(&text, frame))
            && !rest.starts_with("could")
        {
            text = with_plain_verb(rest);
        }
        if let Some(rest) = REQUESTS.iter().find_map(|frame| after_words(&text, frame)) {
            text = rest.to_owned();
        }
        if let Some(rest) = TAILS.iter().find_map(|tail| before_words(&text, tail)) {
            text = rest.to_owned();
        }
        if text == before {
            break;
        }
    }
    // What somebody has as a reason asks for nothing.
    if let Some((command, _)) = text.split_once(" because ") {
        text = command.trim_end_matches([',', ' ']).to_owned();
    }
    if let Some(command) = before_reason(&text) {
        text = command.to_owned();
    }
    // `for me` within: `Add bread for me to the list`.
    for inner in [" for me ", " please "] {
        if let Some(at) = text.to_lowercase().find(inner).filter(|_| text.is_ascii()) {
            text.replace_range(at..at + inner.len(), " ");
        }
    }
    text
}

/// Whether a reason names nothing and asks for nothing.
pub(super) fn only_tells(why: &str) -> bool {
    let names = |word: &str| {
        word.contains(|sign: char| {
            sign.is_uppercase() || sign.is_ascii_digit() || sign == crate::ground::clause::OPEN_MARK
        })
    };
    let goes_on = |word: &str| matches!(word, "and" | "but" | "so" | "then" | "one");
    why.split_whitespace().all(|word| !names(word) && !goes_on(&bare(word)))
}

/// A text whose first word is a form of a verb, with the plain verb.
pub(super) fn with_plain_verb(text: &str) -> String {
    let text = text.trim();
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    match plain_form(first) {
        Some(plain) => format!("{plain} {rest}").trim_end().to_owned(),
        None => text.to_owned(),
    }
}

/// Whether a sentence without its courtesy asks for nothing: it is empty, greets, or tells something.
pub(super) fn is_talk(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let Some(first) = words.first() else { return true };
    if begins_command(&words, 0) {
        return false;
    }
    let first = bare(first);
    // `No rush.`, `Thanks a lot!`
    TAILS.iter().any(|tail| after_words(sentence, tail).is_some_and(str::is_empty))
        || tells_of_somebody(&words).is_some()
        || TELLING.contains(&first.as_str())
        || LEADS.iter().any(|lead| *lead == first)
        || words.iter().all(|word| bare(word).is_empty())
}

/// The command behind what was told: `I am out of milk, so add it to the list`.
pub(super) fn command_behind_telling(sentence: &str) -> Option<(&str, &str)> {
    // `Pay rent is not done yet: mark it as done`
    if let Some((told, command)) = sentence.split_once(": ") {
        let tells = told
            .split_whitespace()
            .any(|word| matches!(word, "is" | "are" | "was" | "were" | "has" | "have" | "isn't" | "aren't"));
        let command_words = without_courtesy(command);
        if tells && begins_command(&command_words.split_whitespace().collect::<Vec<_>>(), 0) {
            return Some((told, command));
        }
    }
    let first = sentence.split_whitespace().next().map(bare)?;
    // `Ben has left us, so please retire his account`
    let tells_of = |told: &str| tells_of_somebody(&told.split_whitespace().collect::<Vec<_>>()).is_some();
    if !TELLING.contains(&first.as_str()) && !sentence.split_once(", ").is_some_and(|(told, _)| tells_of(told)) {
        return None;
    }
    const LEADS: [&str; 8] = [
        ", so please ",
        ", so could you ",
        ", so ",
        ", therefore ",
        ", please ",
        " so please ",
        ", could you ",
        ", can you ",
    ];
    LEADS
        .iter()
        .find_map(|lead| sentence.split_once(lead))
        .filter(|(told, command)| {
            let command = without_courtesy(command);
            let words: Vec<&str> = command.split_whitespace().collect();
            // `Ben has left us, so please retire his account`: a verb that is in no list.
            let is_done_to = |word: &&str| matches!(*word, "his" | "her" | "their" | "the" | "him" | "them" | "it");
            begins_command(&words, 0)
                || (tells_of(told)
                    && words.first().is_some_and(|word| word.chars().all(char::is_lowercase) && !is_adverb(word))
                    && words.get(1).is_some_and(is_done_to))
        })
        .or_else(|| {
            sentence.split_once(", ").filter(|(told, command)| {
                !begins_command(&told.split_whitespace().collect::<Vec<_>>(), 0)
                    && begins_command(&command.split_whitespace().collect::<Vec<_>>(), 0)
            })
        })
}

/// Whether a word in front of `the` is no verb: `half the team`, `maybe the account`.
fn is_adverb(word: &str) -> bool {
    const ADVERBS: [&str; 14] = [
        "half", "maybe", "perhaps", "both", "even", "only", "just", "then", "now", "probably", "also", "not", "most",
        "nearly",
    ];
    ADVERBS.contains(&word) || crate::ground::words::is_function_word(word)
}

/// Whether a sentence only says what somebody is about to do: no name in quotes, in the first person.
pub(super) fn is_plan(sentence: &str) -> bool {
    const FRAMES: &[&str] = &[
        "i need to",
        "i want to",
        "i have to",
        "i would like to",
        "i'd like to",
        "i am going to",
        "i'm going to",
        "we need to",
        "we want to",
        "we have to",
    ];
    !sentence.contains(crate::ground::clause::OPEN_MARK)
        && FRAMES.iter().any(|frame| after_words(sentence.trim(), frame).is_some())
}

/// `⟦0⟧ should be marked as done` → `mark ⟦0⟧ as done`.
pub(super) fn active(sentence: &str) -> Option<String> {
    const FRAMES: &[&str] = &[
        " should be ",
        " must be ",
        " needs to be ",
        " need to be ",
        " has to be ",
        " have to be ",
        " can be ",
        " is to be ",
    ];
    if let Some(command) = wanted_done(sentence) {
        return Some(command);
    }
    let (subject, rest) = FRAMES.iter().find_map(|frame| sentence.split_once(frame))?;
    let (participle, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let plain = plain_form(participle)?;
    Some(format!("{plain} {subject} {tail}").trim_end().to_owned())
}

/// What somebody says that they need or want.
pub(super) fn wanted(sentence: &str) -> Option<&str> {
    ["i need", "i want", "i would like", "i'd like"].iter().find_map(|lead| after_words(sentence, lead))
}

/// `I need the invoice ⟦0⟧ marked as paid` → `mark the invoice ⟦0⟧ as paid`; none where the word may tell which thing is meant, as in
/// `the deleted file ⟦0⟧`.
fn wanted_done(sentence: &str) -> Option<String> {
    let rest = wanted(sentence)?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_form = |word: &str| word.ends_with("ed") && plain_form(word).is_some();
    let at = words.iter().position(|word| is_form(word)).filter(|at| *at > 1)?;
    let (subject, done) = words.split_at(at);
    let (participle, tail) = done.split_first()?;
    let names_one = subject.last().is_some_and(|word| {
        word.starts_with(crate::ground::clause::OPEN_MARK) || word.contains(|sign: char| sign.is_ascii_digit())
    });
    let is_only = words.iter().filter(|word| is_form(word)).count() == 1
        && !words.iter().any(|word| matches!(*word, "that" | "which" | "who"));
    let command = format!("{} {} {}", plain_form(participle)?, subject.join(" "), tail.join(" "));
    (names_one && is_only).then(|| command.trim_end().to_owned())
}

/// How sentences begin that say what is to be so.
const ENSURING: [&str; 7] =
    ["make sure that", "make sure", "ensure that", "ensure", "make certain that", "be sure that", "see to it that"];

/// Whether a sentence says what is to be so, whoever does it.
pub(super) fn ensures(sentence: &str) -> bool {
    ENSURING.iter().any(|lead| after_words(sentence, lead).is_some())
}

/// `make sure that ⟦0⟧ is on` → `turn on ⟦0⟧`; none where the state is none that a command brings about, where it is denied, and
/// where more than one thing is to be so.
pub(super) fn ensured(sentence: &str) -> Option<String> {
    const DENIED: [&str; 9] = ["no", "not", "none", "nothing", "nobody", "neither", "nor", "never", "only"];
    let rest = ENSURING.iter().find_map(|lead| after_words(sentence, lead))?;
    if rest.split_whitespace().any(|word| DENIED.contains(&bare(word).as_str())) {
        return None;
    }
    // What somebody may do is a box in the row of who may.
    const ALLOWED: [&str; 4] = [" may ", " can ", " is allowed to ", " are allowed to "];
    if let Some((who, right)) = ALLOWED.iter().find_map(|verb| rest.split_once(verb)) {
        let is_right = right.split_whitespace().count() <= 4 && !right.starts_with("be ");
        return is_right.then(|| format!("tick {right} for {who}"));
    }
    let (subject, state) = rest.split_once(" is ").or_else(|| rest.split_once(" are "))?;
    if [" is ", " are "].iter().any(|verb| state.contains(verb)) {
        return None;
    }
    let (first, tail) = state.split_once(' ').unwrap_or((state, ""));
    let verb = match bare(first).as_str() {
        "set" => return after_words(tail, "to").map(|value| format!("set {subject} to {value}")),
        "switched" | "turned" if matches!(tail, "on" | "off") => return Some(format!("turn {tail} {subject}")),
        // `is on the list`
        _ if !tail.is_empty() => return None,
        "on" | "enabled" | "active" | "activated" => "turn on",
        "off" | "disabled" | "inactive" | "deactivated" => "turn off",
        "shown" | "visible" | "displayed" => "show",
        "checked" | "ticked" => "tick",
        "unchecked" | "unticked" => "untick",
        other => return plain_form(other).map(|plain| format!("{plain} {subject}")),
    };
    Some(format!("{verb} {subject}"))
}

/// `edit ⟦0⟧ so that its text is ⟦1⟧` → `edit ⟦0⟧ and set its text to ⟦1⟧`
pub(super) fn with_plain_purpose(sentence: &str) -> String {
    let edits = |command: &str| {
        command.split_whitespace().any(|word| matches!(bare(word).as_str(), "edit" | "change" | "update" | "modify"))
    };
    let reads = |rest: &str| {
        if let Some(text) = ["it says ", "it reads "].iter().find_map(|lead| rest.strip_prefix(lead)) {
            return Some(format!("its text to {text}"));
        }
        let (field, value) = [" is ", " reads ", " says "].iter().find_map(|verb| rest.split_once(verb))?;
        let first = field.split_whitespace().next().map(bare)?;
        let is_field = matches!(first.as_str(), "its" | "their") && field.split_whitespace().count() <= 4;
        is_field.then(|| format!("{field} to {value}"))
    };
    [" so that ", " such that "]
        .iter()
        .find_map(|lead| sentence.split_once(lead).filter(|(command, _)| edits(command)))
        .and_then(|(command, rest)| Some(format!("{command} and set {}", reads(rest)?)))
        .unwrap_or_else(|| sentence.to_owned())
}

/// The rest of a text that begins with these words.
pub(super) fn after_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let start = text.get(..words.len())?;
    let rest = text.get(words.len()..)?;
    let apart = rest.is_empty() || rest.starts_with([' ', ',', '!', ':', '.']);
    (start.replace('\u{2019}', "'").eq_ignore_ascii_case(words) && apart)
        .then(|| rest.trim_start_matches([' ', ',', '!', ':', '.']))
}

fn before_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(words.len())?;
    let (rest, end) = (text.get(..at)?, text.get(at..)?);
    (end.eq_ignore_ascii_case(words) && rest.ends_with([' ', ','])).then(|| rest.trim_end_matches([' ', ',']))
}
