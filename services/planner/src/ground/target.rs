//! Reading how an instruction speaks of an element: label, kind, order, number, and where it stands.

use super::clause::{CLOSE_MARK, OPEN_MARK, Quoted};
use super::described::Description;
use super::goal::{Count, Kind, PagePart, Target};
use super::named_places::places_in;
use super::numbered::is_numbered;
use super::understand::kinds::kind_of;
use super::understand::moment;
use super::words::{fold, is_entry_word, is_function_word};

/// Names of kinds, longest first, so that `text field` is read before `field`.
const KINDS: [(&str, Kind); 54] = [
    ("input textbox", Kind::Field),
    ("input text box", Kind::Field),
    ("text area", Kind::TextArea),
    ("text input", Kind::Field),
    ("text fields", Kind::Field),
    ("text field", Kind::Field),
    ("text boxes", Kind::Field),
    ("text box", Kind::Field),
    ("input field", Kind::Field),
    ("input box", Kind::Field),
    ("search box", Kind::Field),
    ("search bar", Kind::Field),
    ("search field", Kind::Field),
    ("search results", Kind::Result),
    ("search result", Kind::Result),
    ("password field", Kind::Password),
    ("radio button", Kind::Radio),
    ("check boxes", Kind::Checkbox),
    ("check box", Kind::Checkbox),
    ("dialog box", Kind::Dialog),
    ("scroll list", Kind::Select),
    ("drop down", Kind::Select),
    ("select box", Kind::Select),
    ("list box", Kind::Select),
    ("menu item", Kind::Item),
    ("list item", Kind::Item),
    ("textarea", Kind::TextArea),
    ("textboxes", Kind::Field),
    ("textbox", Kind::Field),
    ("checkboxes", Kind::Checkbox),
    ("checkbox", Kind::Checkbox),
    ("dropdown", Kind::Select),
    ("combobox", Kind::Select),
    ("buttons", Kind::Button),
    ("button", Kind::Button),
    ("hyperlink", Kind::Link),
    ("links", Kind::Link),
    ("link", Kind::Link),
    ("fields", Kind::Field),
    ("field", Kind::Field),
    ("input", Kind::Field),
    ("radio", Kind::Radio),
    ("tabs", Kind::Tab),
    ("tab", Kind::Tab),
    ("items", Kind::Item),
    ("item", Kind::Item),
    ("option", Kind::Item),
    ("icon", Kind::Icon),
    ("image", Kind::Icon),
    ("dialog", Kind::Dialog),
    ("popup", Kind::Dialog),
    ("sections", Kind::Section),
    ("section", Kind::Section),
    ("results", Kind::Result),
];

/// The kind that a whole text names, e.g. `textarea`.
pub(crate) fn kind_named(text: &str) -> Option<Kind> {
    let lower = fold(text).to_lowercase();
    match lower.as_str() {
        "text" => Some(Kind::Field),
        "password" => Some(Kind::Password),
        "select" => Some(Kind::Select),
        _ => KINDS.iter().find(|(name, _)| *name == lower).map(|(_, kind)| *kind),
    }
}

/// Words that only lead from an element to its label.
const LABEL_LEADS: [&str; 13] = [
    "labeled", "labelled", "named", "called", "titled", "marked", "text", "label", "name", "widget", "folder", "file",
    "says",
];

/// Words that lead from an element to the record or place in which it stands.
const PLACE_LEADS: [&str; 12] = [
    " by ",
    " of ",
    " for ",
    " next to ",
    " beside ",
    " in the row of ",
    " under ",
    " on ",
    " near ",
    " in ",
    " with ",
    " from ",
];

/// Reads how a text speaks of an element.
pub(crate) fn parse_target(quoted: &Quoted, text: &str) -> Target {
    let text = strip_lead(text);
    let (head, place) = split_head(quoted, &text);
    let mut target = Target { in_dialog: speaks_of_dialog(&text), count: count_in(&head, &text), ..Target::default() };
    target.ordinal = ordinal_in(&head);
    target.kind = kind_in(&head).or_else(|| {
        kind_in(&without_named_places(&text)).filter(|kind| *kind != Kind::Dialog || !head.contains("button"))
    });
    if target.in_dialog && target.kind == Some(Kind::Dialog) && (quoted.parts_in(&text).next().is_some()) {
        target.kind = None;
    }
    target.any = is_any(&text);
    let named_kind = quoted.parts_in(&text).next().and_then(kind_named);
    if let Some(kind) = named_kind.filter(|_| format!(" {text} ").to_lowercase().contains(" widget ")) {
        // A quoted kind names no element: any of that kind will do.
        return Target { kind: Some(kind), any: true, ..target };
    }
    // `the pencil icon for ⟦0⟧`: the words name the control, and what is quoted names where it stands.
    let words = label_words(&head);
    let before = text.split(OPEN_MARK).next().unwrap_or_default().to_lowercase();
    let labels = ["with", "text", "label", "says", "named", "called", "titled", "labelled", "that"];
    let is_labelled = before.split_whitespace().any(|word| LABEL_LEADS.contains(&word) || labels.contains(&word));
    let named_by_words =
        target.kind.is_some() && !words.is_empty() && !is_labelled && quoted.parts_in(&head).next().is_none();
    if let Some(label) = quoted.parts_in(&text).next().filter(|_| named_by_words && quoted.parts_in(&text).count() == 1)
    {
        target.texts.push(words.join(" "));
        target.within = Some(label.to_owned());
        return target;
    }
    if let Some(label) = quoted.parts_in(&text).next() {
        target.around = around(quoted, &text);
        target.quoted = true;
        if target.ordinal.is_none() {
            target.ordinal = ordinal_of_entry(&text);
            target.of_entry = target.ordinal.is_some();
        }
        target.texts.push(label.to_owned());
        target.within = place.and_then(|place| anchor_of_place(quoted, place)).filter(|anchor| anchor != label);
        target.told = place
            .filter(|_| target.within.is_some() && target.count == Count::One)
            .and_then(|place| Description::of_more_than_a_name(quoted, place));
        let is_further = |place: &PagePart| place.name != *label && Some(&place.name) != target.within.as_ref();
        target.places = places_in(quoted, &text).into_iter().filter(is_further).collect();
        return target;
    }
    let mut words = label_words(&head);
    // `as the name`: words that lead to a label are the label where nothing else is said.
    let alone: Vec<&str> = head
        .split_whitespace()
        .filter(|word| matches!(word.to_lowercase().as_str(), "name" | "label" | "text"))
        .collect();
    if words.is_empty() && target.kind.is_none() && alone.len() == 1 {
        words = alone;
    }
    if !words.is_empty() {
        let whole = fold(head.trim_start_matches(|c: char| c.is_whitespace()));
        let bare = words.join(" ");
        if target.ordinal.is_none() && whole != bare && !is_only_kind(&whole) {
            target.texts.push(strip_lead(&whole));
        }
        target.texts.push(bare);
        target.texts.extend(words.iter().filter(|word| is_salient(word)).map(|word| (*word).to_owned()));
        target.texts.dedup();
    }
    target.within = place.and_then(|place| anchor_of_place(quoted, place));
    target.told = place
        .filter(|_| target.within.is_some() && target.count == Count::One)
        .and_then(|place| Description::of_more_than_a_name(quoted, place));
    target.around = label_words(&text[head.len().min(text.len())..]).join(" ");
    target
}

/// The words of a clause beside the quoted ones, without those that only name a kind or an order.
fn around(quoted: &Quoted, text: &str) -> String {
    let plain: Vec<&str> = text.split_whitespace().filter(|word| quoted.part(word).is_none()).collect();
    label_words(&plain.join(" "))
        .into_iter()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a text leaves open which element it speaks of.
fn is_any(text: &str) -> bool {
    let lower = format!(" {} ", text.to_lowercase());
    [" any ", " any one ", " whichever ", " one of "].iter().any(|word| lower.contains(word))
}

/// The text by which a record is recognised: what is quoted, a handle, a proper name, a number, or else the last words.
pub(crate) fn anchor_of(quoted: &Quoted, text: &str) -> Option<String> {
    // The first word of a clause is written large whatever it is.
    anchor_in(quoted, text, 1)
}

/// The same of the words behind one that leads to a place, of which also the first may be a name.
fn anchor_of_place(quoted: &Quoted, text: &str) -> Option<String> {
    anchor_in(quoted, text, 0)
}

fn anchor_in(quoted: &Quoted, text: &str, from: usize) -> Option<String> {
    if let Some(part) = quoted.parts_in(text).next() {
        return Some(part.to_owned());
    }
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_end_matches([',', '.', ';', ':']).trim_end_matches("'s").trim_end_matches("\u{2019}s"))
        .filter(|word| !word.is_empty())
        .collect();
    if let Some(handle) = words.iter().find(|word| word.starts_with('@') || word.starts_with('#')) {
        return Some((*handle).to_owned());
    }
    let proper: Vec<&str> = words
        .iter()
        .enumerate()
        .skip_while(|(index, word)| !(is_proper(word) && (*index >= from || words.len() == 1)))
        .take_while(|(_, word)| is_proper(word))
        .map(|(_, word)| *word)
        .collect();
    if !proper.is_empty() {
        return Some(proper.join(" "));
    }
    // `for pitch 7`, `in the row of mail2`; `2nd` and `3pm` name nothing.
    let is_order = |word: &str| ordinal_word(&word.to_lowercase()).is_some() || moment::time(word).is_some();
    let counts_parts = |word: &str| matches!(word, "page" | "step" | "week" | "column" | "day" | "slide" | "level");
    let is_code = |word: &str| {
        word.chars().any(|sign| sign.is_ascii_digit())
            && word.chars().any(char::is_alphabetic)
            && !word.contains(OPEN_MARK)
    };
    let telling: Vec<&str> =
        words.iter().copied().filter(|word| !is_function_word(&word.to_lowercase()) && !is_entry_word(word)).collect();
    match telling.as_slice() {
        [code] if is_code(code) && !is_order(code) => Some((*code).to_owned()),
        [kind, number]
            if is_numbered(kind, number) && kind_named(kind).is_none() && !counts_parts(kind) && !is_order(number) =>
        {
            Some(format!("{kind} {number}"))
        }
        _ => None,
    }
}

/// A text without determiners and words for kinds: `the folder or file ⟦0⟧` keeps only what names something.
pub(crate) fn without_kind_words(text: &str) -> String {
    let mut rest = format!(" {} ", strip_lead(text));
    for (name, _) in KINDS {
        let spaced = format!(" {name} ");
        if let Some(at) = rest.to_lowercase().find(&spaced) {
            rest.replace_range(at..at + spaced.len(), " ");
        }
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    let from = words.iter().position(|word| !is_filler(word)).unwrap_or(words.len());
    words[from..].join(" ")
}

fn is_filler(word: &str) -> bool {
    matches!(word.to_lowercase().as_str(), "the" | "a" | "an" | "and" | "both" | "all" | "option" | "options" | "value")
}

fn strip_lead(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let from = words
        .iter()
        .position(|word| {
            !matches!(word.to_lowercase().as_str(), "on" | "onto" | "in" | "into" | "to" | "the" | "a" | "an" | "at")
        })
        .unwrap_or(words.len());
    words[from..].join(" ").trim_end_matches(['.', ',']).to_owned()
}

fn speaks_of_dialog(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["dialog", "popup", "pop-up", "modal"].iter().any(|word| lower.contains(word))
}

/// Separates the element from the place in which it stands.
fn split_head<'a>(quoted: &Quoted, text: &'a str) -> (String, Option<&'a str>) {
    let lower = text.to_lowercase();
    let first_lead = PLACE_LEADS.iter().filter_map(|lead| lower.find(lead).map(|at| (at, lead.len()))).min();
    match first_lead {
        Some((at, length)) => {
            let place = &text[at + length..];
            let names_a_record = anchor_of_place(quoted, place).is_some();
            (text[..at].to_owned(), names_a_record.then_some(place))
        }
        None => (text.to_owned(), None),
    }
}

/// A text without the places in it that have quoted names, whose kinds are not that of the element: `on the ⟦1⟧ tab`.
fn without_named_places(text: &str) -> String {
    const LEADS: [&str; 6] = [" in the ", " on the ", " under the ", " within the ", " in ", " under "];
    let mut rest = text.to_owned();
    let Some(first) = rest.find(CLOSE_MARK) else { return rest };
    let lead_in =
        |text: &str, from: usize| LEADS.iter().filter_map(|lead| Some(text.get(from..)?.find(lead)? + from)).min();
    while let Some(at) = lead_in(&rest, first) {
        let next = lead_in(&rest, at + 1).unwrap_or(rest.len());
        if !rest.get(at..next).is_some_and(|place| place.contains(OPEN_MARK)) {
            break;
        }
        rest.replace_range(at..next, "");
    }
    rest
}

fn kind_in(text: &str) -> Option<Kind> {
    let lower = format!(" {} ", text.to_lowercase());
    KINDS.iter().find(|(name, _)| lower.contains(&format!(" {name} "))).map(|(_, kind)| *kind)
}

fn is_only_kind(text: &str) -> bool {
    label_words(text).is_empty()
}

/// The words of a text that are neither of its kind, its order nor its grammar.
fn label_words(text: &str) -> Vec<&str> {
    let lower = format!(" {} ", text.to_lowercase());
    let of_kind: Vec<&str> = KINDS
        .iter()
        .filter(|(name, _)| lower.contains(&format!(" {name} ")))
        .flat_map(|(name, _)| name.split(' '))
        .collect();
    text.split_whitespace()
        .filter(|word| {
            let lower = word.to_lowercase();
            let lower = lower.trim_end_matches([',', '.']);
            !is_function_word(lower)
                && !of_kind.contains(&lower)
                && !LABEL_LEADS.contains(&lower)
                && ordinal_word(lower).is_none()
                && !matches!(lower, "below" | "above" | "only" | "both" | "each" | "every")
        })
        .map(|word| word.trim_end_matches([',', '.']))
        .collect()
}

/// Words that can name an element on their own: with digits or marks, or written in capitals.
fn is_salient(word: &str) -> bool {
    let has_mark = word.chars().any(|c| c.is_ascii_digit() || "#@()-/".contains(c));
    let in_capitals = word.len() > 1 && word.chars().all(|c| c.is_uppercase());
    has_mark || in_capitals
}

fn is_proper(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase())
}

/// `in the first row`: the number of the entry, which is that of its control among those of one name.
fn ordinal_of_entry(text: &str) -> Option<i32> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_matches(['.', ','])).collect();
    // `of the second order`: what the entries are called is left to the page.
    let belongs = |at: usize| {
        let lead = words.get(..at).unwrap_or_default().iter().rev().find(|word| **word != "the");
        lead.is_some_and(|lead| matches!(*lead, "of" | "for" | "in" | "from"))
    };
    let is_entry = |at: usize, noun: &str| is_entry_word(noun) || noun == "result" || belongs(at);
    words
        .windows(2)
        .enumerate()
        .find_map(|(at, pair)| ordinal_word(pair[0]).filter(|_| is_entry(at, pair[1]) && kind_named(pair[1]).is_none()))
}

fn ordinal_in(text: &str) -> Option<i32> {
    text.to_lowercase().split_whitespace().find_map(ordinal_word)
}

/// The number that a lower-case word counts by: 1 is the first, -1 the last.
pub(crate) fn ordinal_word(word: &str) -> Option<i32> {
    const NAMES: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    if word == "last" {
        return Some(-1);
    }
    if let Some(index) = NAMES.iter().position(|name| *name == word) {
        return Some(index as i32 + 1);
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix))?;
    digits.parse().ok().filter(|number| *number > 0)
}

/// How many are meant. A number counts where it stands among the words for the element itself, and in front of a plural of places:
/// `on 2 posts`, `on 1 post`, but not `for Ann on 14 May`. `All` with a capital letter behind the first word begins a name.
fn count_in(head: &str, text: &str) -> Count {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches([',', '.'])).collect();
    let is_every = |word: &str| matches!(word, "all" | "both" | "every" | "each");
    if words.first().is_some_and(|first| is_every(&first.to_lowercase())) || words.iter().any(|word| is_every(word)) {
        return Count::All;
    }
    let own = head.split_whitespace().count();
    let leads_to_place = |word: &&str| matches!(*word, "on" | "of" | "in" | "under");
    words
        .windows(2)
        .enumerate()
        .find_map(|(at, pair)| {
            let number: u32 = pair[0].parse().ok()?;
            let counts_places = || {
                at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(leads_to_place)
                    && (pair[1].ends_with('s') || (number == 1 && kind_of(pair[1]).is_some()))
                    && !moment::is_span(pair)
            };
            let counts = pair[1].chars().all(char::is_alphabetic) && (at < own || counts_places());
            counts.then_some(Count::Exactly(number))
        })
        .unwrap_or_default()
}
