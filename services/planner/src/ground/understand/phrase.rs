//! Reading noun phrases: which thing a text speaks of, and the parts that prepositions hang on it. Pure.

pub(super) use super::kinds::{is_collection, is_written, kind_of};
use super::kinds::{is_holder, is_place_kind, needs_name};
use super::moment;
use super::verbs::bare;
use crate::ground::clause::{OPEN_MARK, Quoted};
use crate::ground::goal::PagePart;
use crate::ground::task::Thing;
use crate::ground::words::{fold, is_function_word};

/// A stretch of a clause: the word that leads to it, and its words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part<'a> {
    /// The leading word; empty for what stands first.
    pub lead: String,
    /// The words behind it.
    pub words: Vec<&'a str>,
}

/// Words that lead to a part of a clause.
const PART_LEADS: &[&str] = &[
    "called", "named", "titled", "entitled", "labelled", "labeled", "with", "saying", "says", "as", "to", "from",
    "off", "into", "in", "inside", "within", "onto", "on", "at", "for", "by", "of", "under", "using", "due", "about",
    "that", "via", "starting", "out", "between", "until", "is", "having", "than",
];

/// Cuts a text at the words that lead to its parts.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut parts = vec![Part { lead: String::new(), words: Vec::new() }];
    for (at, word) in words.iter().enumerate() {
        let lead = bare(word);
        // `the About us page`: within a phrase, what begins with a capital is a part of a name.
        let is_named = word.starts_with(char::is_uppercase)
            && words.get(at + 1).is_some_and(|next| next.starts_with(char::is_lowercase));
        let is_lead = PART_LEADS.contains(&lead.as_str()) && !word.starts_with(OPEN_MARK) && !is_named;
        // `off of`, `out of` are one lead; a moment such as `3rd of May` is not cut, nor is `out` apart from `of`.
        let previous = parts.last().map(|part| (part.lead.clone(), part.words.len()));
        let joins = lead == "of"
            && previous.as_ref().is_some_and(|(lead, words)| *words == 0 && matches!(lead.as_str(), "off" | "out"));
        let of_moment = lead == "of"
            && at > 0
            && moment::is_day_number(words.get(at - 1).copied().unwrap_or_default())
            && words.get(at + 1).is_some_and(|next| moment::is_month(next));
        let is_bare_out = lead == "out" && words.get(at + 1).is_none_or(|next| bare(next) != "of");
        // `my list of favourite places` is one place.
        let of_list = lead == "of" && at > 0 && words.get(at - 1).is_some_and(|word| bare(word) == "list");
        let in_time = lead == "in" && words.get(at + 1..).is_some_and(moment::is_distance);
        // `that email` points at one that was spoken of.
        let points = lead == "that" && previous.as_ref().is_some_and(|(_, words)| *words == 0);
        if joins {
            continue;
        }
        if is_lead && !points && !of_list && !of_moment && !is_bare_out && !in_time {
            parts.push(Part { lead, words: Vec::new() });
        } else if let Some(part) = parts.last_mut() {
            part.words.push(word);
        }
    }
    parts
}

/// The words of a text without the determiners that they begin with and the signs at their end.
pub(super) fn without_determiners<'a>(words: &[&'a str]) -> Vec<&'a str> {
    const DETERMINERS: [&str; 22] = [
        "any",
        "the",
        "a",
        "an",
        "my",
        "our",
        "your",
        "his",
        "her",
        "their",
        "this",
        "that",
        "these",
        "those",
        "new",
        "some",
        "existing",
        "another",
        "also",
        "following",
        "own",
        "of",
    ];
    let is_capital = |word: Option<&&str>| word.is_some_and(|word| word.starts_with(char::is_uppercase));
    // `publish New Pricing`: a part of the name.
    let begins_name = |at: usize| {
        bare(words.get(at).copied().unwrap_or_default()) == "new"
            && is_capital(words.get(at))
            && is_capital(words.get(at + 1))
    };
    let from = (0..words.len())
        .find(|at| {
            let word = words.get(*at).copied().unwrap_or_default();
            // `the A record`: a letter behind a determiner is a name.
            let is_letter = *at > 0 && word == "A";
            word.starts_with(OPEN_MARK) || !DETERMINERS.contains(&bare(word).as_str()) || begins_name(*at) || is_letter
        })
        .unwrap_or(words.len());
    words.get(from..).unwrap_or_default().to_vec()
}

/// The text of some words, quoted parts put back.
pub(super) fn text(quoted: &Quoted, words: &[&str]) -> String {
    let text = quoted.restore(&words.join(" "));
    fold(text.trim_end_matches([',', '.', ';', ':', '!', '?']))
}

/// The first quoted part among some words.
pub(super) fn quote<'q>(quoted: &'q Quoted, words: &[&str]) -> Option<&'q str> {
    words.iter().find_map(|word| quoted.part(word))
}

/// The thing that words speak of: kind, name, which of several, and whose.
pub(super) fn thing(quoted: &Quoted, words: &[&str]) -> Thing {
    let mut thing = Thing::default();
    let mut words = words.to_vec();
    if let Some(first) = words.first().map(|word| bare(word))
        && matches!(first.as_str(), "all" | "every" | "each" | "everything" | "both")
    {
        thing.all = true;
        words.remove(0);
    }
    let mut words = without_determiners(&words);
    let counts = words.len() > 1 || words.first().is_some_and(|word| bare(word) == "last");
    if let Some(ordinal) = words.first().and_then(|word| moment::ordinal(&bare(word))).filter(|_| counts) {
        thing.ordinal = Some(ordinal);
        words.remove(0);
    }
    // `Bob's last email`: where there are several of his, it is asked which is meant.
    if let Some(at) = words.iter().position(|word| owner(word).is_some()) {
        let newest = words.iter().skip(at + 1).take_while(|word| is_newest(&bare(word))).count();
        if words.get(at + 1 + newest).is_some_and(|word| kind_of(word).is_some()) {
            words.drain(at + 1..at + 1 + newest);
        }
    }
    // `Bob's email`, `Eva's leave request`
    let is_kind = |words: &[&str]| {
        let mut two = words.iter().take(2);
        two.next().is_some_and(|word| kind_of(word).is_some())
            || ((2..=4).contains(&words.len())
                && words.iter().all(|word| is_plain(word))
                && words.last().is_some_and(|word| kind_of(word).is_some()))
    };
    if let Some(at) = words.iter().position(|word| owner(word).is_some() && !word.starts_with(OPEN_MARK))
        && at + 1 < words.len()
        && quote(quoted, words.get(at + 1..).unwrap_or_default()).is_none()
        && is_kind(words.get(at + 1..).unwrap_or_default())
    {
        let name: Vec<&str> = words
            .get(..at)
            .unwrap_or_default()
            .iter()
            .copied()
            .chain(words.get(at).and_then(|word| owner(word)))
            .collect();
        thing.of = text(quoted, &name);
        words = words.split_off(at + 1);
    } else if let Some(at) = words.iter().position(|word| matches!(*word, "'s" | "\u{2019}s"))
        && at > 0
        && words.get(at + 1).is_some_and(|word| kind_of(word).is_some())
    {
        let whose = words.get(..at).unwrap_or_default();
        thing.of = text(quoted, whose);
        thing.of_quoted = quote(quoted, whose).is_some();
        words = words.split_off(at + 1);
    }
    name_and_kind(quoted, &words, &mut thing);
    thing
}

/// Whether a word only says that the newest is meant.
fn is_newest(word: &str) -> bool {
    matches!(word, "last" | "latest" | "newest" | "most" | "recent" | "only")
}

fn owner(word: &str) -> Option<&str> {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).filter(|name| !name.is_empty())
}

fn name_and_kind(quoted: &Quoted, words: &[&str], thing: &mut Thing) {
    let words = &without_number_word(words)[..];
    if let Some(at) = words.iter().position(|word| quoted.part(word).is_some()) {
        thing.name = words.get(at).and_then(|word| quoted.part(word)).unwrap_or_default().to_owned();
        thing.quoted = true;
        let around = words.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, word)| *word);
        thing.kind = around.filter_map(kind_of).next().unwrap_or_default();
        return;
    }
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    if words.len() == 1 {
        let is_kind = |kind: &String| !needs_name(kind) && !first.starts_with(|letter: char| letter.is_uppercase());
        match kind_of(first).filter(is_kind) {
            Some(kind) => thing.kind = kind,
            None => thing.name = text(quoted, words),
        }
        return;
    }
    // `the pull request about …`: a kind of two words.
    if let Some((name, kind)) = words.len().checked_sub(2).map(|at| words.split_at(at))
        && let [which, "request"] = kind
        && matches!(*which, "pull" | "merge" | "change" | "feature")
    {
        thing.kind = format!("{which} request");
        thing.name = text(quoted, name);
        return;
    }
    if is_collection(words) {
        // `the Running playlist` is called Running.
        let (kind, name) = (bare(last), words.get(..words.len() - 1).unwrap_or_default());
        let is_name = name.iter().all(|word| word.starts_with(char::is_uppercase)) && is_plain(last);
        if is_name && is_holder(&kind) && kind != "list" {
            (thing.kind, thing.name) = (kind, text(quoted, name));
        } else {
            thing.name = text(quoted, words);
        }
        return;
    }
    // `the user account jdoe42`, `the wiki page Atlas`: the last plain word in front of the name is its kind.
    let names_one = |word: &&str| {
        word.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit() || sign == '#')
            || has_digit(word)
            || word.contains('@')
    };
    let plain = words.iter().take_while(|word| is_plain(word) && !has_digit(word)).count();
    let is_modifier = |at: usize| {
        let before = words.get(at).map(|word| bare(word)).unwrap_or_default();
        let is_compound =
            at + 2 == plain && before == "user" && words.get(at + 1).is_some_and(|word| bare(word) == "account");
        let is_word = !is_function_word(&before) && !PART_LEADS.contains(&before.as_str());
        is_compound || (is_word && kind_of(&before).is_none() && !super::verbs::is_verb(&before))
    };
    if plain > 1
        && (0..plain - 1).all(is_modifier)
        && let Some(kind) = words.get(plain - 1).and_then(|word| kind_of(word))
        && words.get(plain).is_some_and(names_one)
    {
        thing.kind = kind;
        thing.name = text(quoted, words.get(plain..).unwrap_or_default());
        return;
    }
    let last_kind = kind_of(last).filter(|kind| !needs_name(kind));
    // `the button contrast card` is a card.
    if words.len() > 2
        && words.iter().all(|word| is_plain(word) && !has_digit(word))
        && kind_of(first).is_some()
        && let Some(kind) = last_kind.clone().filter(|kind| *kind == bare(last) && !is_place_kind(kind))
    {
        thing.kind = kind;
        thing.name = text(quoted, words.get(..words.len() - 1).unwrap_or_default());
        return;
    }
    if let Some(kind) = last_kind.clone().filter(|kind| is_place_kind(kind) && kind != "list") {
        thing.kind = kind;
        thing.name = text(quoted, words.get(..words.len() - 1).unwrap_or_default());
    } else if let (2, Some(_), Some(kind)) = (words.len(), kind_of(first), last_kind.clone().filter(|_| is_plain(last)))
        && kind != "list"
        && is_plain(first)
        && !matches!(*first, "label" | "tag")
    {
        // `a student ticket` is a ticket.
        thing.kind = kind;
        thing.name = text(quoted, words.get(..1).unwrap_or_default());
    } else if let Some(kind) = kind_of(first)
        .filter(|_| !first.starts_with(|letter: char| letter.is_uppercase()))
        .filter(|kind| !needs_name(kind) || words.get(1).is_some_and(names_one))
    {
        thing.kind = kind;
        thing.name = text(quoted, words.get(1..).unwrap_or_default());
    } else if let Some(kind) = last_kind.filter(|kind| kind != "list") {
        thing.kind = kind;
        thing.name = text(quoted, words.get(..words.len() - 1).unwrap_or_default());
    } else {
        thing.name = text(quoted, words);
    }
}

fn has_digit(word: &str) -> bool {
    word.contains(|sign: char| sign.is_ascii_digit())
}

/// Words without the one that only says that a number follows: `order no. 4711`.
fn without_number_word<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let says = |at: usize| {
        words.get(at).is_some_and(|word| matches!(bare(word).as_str(), "no" | "nr" | "number"))
            && words.get(at + 1).is_some_and(|next| next.starts_with(|sign: char| sign.is_ascii_digit() || sign == '#'))
    };
    (0..words.len()).filter(|at| !says(*at)).filter_map(|at| words.get(at).copied()).collect()
}

fn is_plain(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_lowercase())
}

/// A place that words name: what is quoted, a proper name behind a kind, else all of them.
pub(super) fn place(quoted: &Quoted, words: &[&str]) -> Option<PagePart> {
    let named = thing(quoted, words);
    if named.quoted {
        return Some(PagePart { kind: named.kind, name: named.name, quoted: true });
    }
    let is_number = named.name.starts_with(|sign: char| sign.is_ascii_digit() || sign == '#' || sign.is_uppercase());
    let plain = text(quoted, &without_determiners(words));
    let has_kind = !named.kind.is_empty() && is_number && !named.name.is_empty();
    let (kind, name) = if has_kind { (named.kind, named.name) } else { (String::new(), plain) };
    // `the Archive folder` is called `Archive`.
    let part = [" folder", " mailbox"].iter().find_map(|part| name.strip_suffix(part));
    let name = part.filter(|part| part.starts_with(char::is_uppercase)).map_or(name.clone(), str::to_owned);
    (!name.is_empty()).then_some(PagePart { kind, name, quoted: false })
}

/// Whether words are one proper name, an address or a handle.
pub(super) fn is_proper(words: &[&str]) -> bool {
    !words.is_empty()
        && words.iter().all(|word| {
            word.starts_with(OPEN_MARK)
                || word.starts_with(|letter: char| letter.is_uppercase() || letter == '@')
                || word.contains('@')
        })
}

/// The code that words give a field, which tells a thing as its name does: `the plate ZR-118-QA`.
pub(super) fn code_of_field<'a>(words: &[&'a str]) -> Option<&'a str> {
    let words = without_determiners(words);
    let (code, field) = words.split_last()?;
    const NUMBERED: [&str; 14] = [
        "plate",
        "number",
        "code",
        "id",
        "serial",
        "sku",
        "reference",
        "isbn",
        "address",
        "value",
        "amount",
        "price",
        "sum",
        "total",
    ];
    let is_numbered = field.last().is_some_and(|field| NUMBERED.contains(&bare(field).as_str()));
    let is_code = has_digit(code)
        && (is_numbered || code.contains(|sign: char| sign.is_alphabetic()))
        && code.chars().all(|sign| sign.is_uppercase() || sign.is_ascii_digit() || "-/#.,".contains(sign));
    let is_field = (1..=3).contains(&field.len()) && field.iter().all(|word| word.chars().all(char::is_lowercase));
    (is_code && is_field).then_some(*code)
}

/// Takes a name that is only a word for a kind as the kind: of `my loan of ⟦0⟧` the name follows. `visitor permit` is one too.
pub(super) fn as_kind(thing: &mut Thing) {
    let words: Vec<&str> = thing.name.split(' ').collect();
    if let [which, kind] = words.as_slice()
        && !thing.quoted
        && thing.kind.is_empty()
        && is_plain(which)
        && !has_digit(which)
        && let Some(kind) = kind_of(kind).filter(|kind| is_plain(kind) && needs_name(kind) && !is_collection(&[kind]))
        && kind_of(which).is_none_or(|which| needs_name(&which))
    {
        thing.kind = format!("{which} {kind}");
        thing.name.clear();
        return;
    }
    if !thing.quoted && thing.kind.is_empty() && kind_of(&thing.name).is_some_and(|kind| needs_name(&kind)) {
        thing.kind = kind_of(&std::mem::take(&mut thing.name)).unwrap_or_default();
    }
}
