//! Words for kinds of things, places and collections that applications have. Pure.

use super::verbs::bare;
use crate::ground::commands::same_concept;
use crate::ground::words::tokens;

/// Kinds of things that applications keep, in the singular.
const KINDS: &str = "event appointment meeting task todo to-do item entry note issue ticket bug post article page product user \
    account customer member contact message email e-mail mail comment reply conversation chat thread order booking \
    reservation invoice bill payment expense project board card list folder file document category tag label group \
    team channel column lane room song playlist album photo picture video place location route review question poll \
    reminder alarm goal milestone section tab link button menu setting option subscription coupon record row flight \
    hotel recipe book movie app application screen view panel dialog notification person device employee student \
    course vendor supplier asset server service seat slot token dashboard report letter tool module notebook \
    invitation request deal campaign claim deck spreadsheet workspace repository department bookmark keyword participant topic redirect template backup certificate job webhook \
    transaction receipt draft";

/// Further ones, which are parts of names as well: `cat food`, `machine oil`. In front of a name they are its kind.
const NOUNS: &str = "loan vehicle permit pet dog cat visit owner subscriber licence license patient lesson exam contract machine \
    sensor domain vaccine venue speaker edition warehouse species collection visitor volume season";

/// Kinds that are the last word of what they name: `the users section`.
const PLACE_KINDS: &str = "page section tab app application screen view panel menu dialog dashboard module list";

/// Kinds of things that somebody sent or wrote.
const WRITTEN: &str =
    "message email e-mail mail comment post review reply letter conversation chat thread note draft article";

/// Collections that things are put into and taken from.
const COLLECTIONS: &str = "list calendar cart basket wishlist wish favourites favorites agenda inbox trash bin library collection board \
    folder playlist bag bookmarks schedule backlog archive queue planner";

/// Kinds of which people say one for another, a line each.
const ALIKE: [&str; 6] = [
    "task todo to-do issue ticket bug card reminder goal",
    "message email e-mail mail comment reply conversation chat thread letter",
    "user account customer member contact person employee student participant owner subscriber visitor patient speaker",
    "invoice bill payment expense receipt transaction",
    "event appointment meeting booking reservation lesson slot",
    "booking ticket reservation flight hotel seat",
];

/// Kinds that hold things of other kinds: what is listed under their name may be either.
const HOLDERS: &str = "project board list folder team channel column lane group category label tag notebook album playlist workspace \
    campaign course season section milestone room module deck collection topic department";

/// Kinds that say nothing of what they are.
const UNSPECIFIC: &str = "entry item record row setting option button link tab section view screen panel menu dialog tool page request claim deal";

/// The singular of a kind in lower case; none where the word is no kind.
pub(crate) fn kind_of(word: &str) -> Option<String> {
    let word = bare(word);
    let singular = [
        Some(word.clone()),
        word.strip_suffix('s').map(str::to_owned),
        word.strip_suffix("ies").map(|stem| format!("{stem}y")),
    ];
    let plural = match word.as_str() {
        "people" => Some("person".to_owned()),
        _ => None,
    };
    plural.or_else(|| singular.into_iter().flatten().find(|form| is_among(KINDS, form) || is_among(NOUNS, form)))
}

/// Whether somebody sends or writes things of this kind.
pub(super) fn is_written(kind: &str) -> bool {
    is_among(WRITTEN, kind)
}

/// Whether words end with the name of a collection: `my to-do list`.
pub(crate) fn is_collection(words: &[&str]) -> bool {
    words.last().is_some_and(|word| is_among(COLLECTIONS, &bare(word)))
}

/// Whether a kind is known as one only in front of a name: a word that begins with a capital, a digit or `#`.
pub(super) fn needs_name(kind: &str) -> bool {
    is_among(NOUNS, kind)
}

/// Whether a kind is the last word of what it names: `the users section`.
pub(super) fn is_place_kind(kind: &str) -> bool {
    is_among(PLACE_KINDS, kind)
}

/// Whether a kind says nothing of what is of it: `item`, `row`.
pub(crate) fn is_unspecific(kind: &str) -> bool {
    is_among(UNSPECIFIC, kind)
}

/// Whether a kind holds things of other kinds.
pub(crate) fn is_holder(kind: &str) -> bool {
    is_among(HOLDERS, kind)
}

/// Whether people say one word for the other, as kinds of things.
pub(crate) fn are_used_alike(word: &str, kind: &str) -> bool {
    let singular = kind_of(word).unwrap_or_else(|| bare(word));
    let both = |line: &&str| is_among(line, &singular) && is_among(line, kind);
    same_concept(word, kind) || same_concept(&singular, kind) || ALIKE.iter().any(both)
}

/// Words behind a kind that make the name of its list: `Order history`.
const LISTING: [&str; 9] =
    ["history", "list", "overview", "log", "archive", "table", "management", "administration", "directory"];

/// Whether a text names one thing of a kind, whose page may list anything that belongs to it: `Order 118`.
pub(crate) fn is_record(text: &str) -> bool {
    let words = tokens(text);
    let is_one = |(at, word): (usize, &String)| {
        !heads_list(&words, at)
            && !is_unspecific(word)
            && !is_place_kind(word)
            && kind_of(word).is_some_and(|singular| singular == *word)
    };
    words.len() > 1 && words.iter().enumerate().any(is_one)
}

/// Whether a text is the name of a list of a kind: it says that in the plural, and little else.
pub(crate) fn names_list_of(text: &str, kind: &str) -> bool {
    let words = tokens(text);
    let is_plural = |word: &String| kind_of(word).is_some_and(|singular| singular != *word);
    words.len() < 4 && words.iter().any(|word| is_plural(word) && are_used_alike(word, kind))
}

/// Whether a text is the name of a list of something, where things of a kind are looked for: `Orders`, `Order history`. Words for whatever is
/// listed, and for what holds other things, tell nothing.
pub(crate) fn names_some_list(text: &str, kind: &str) -> bool {
    let tells = |singular: &String| !is_unspecific(singular) && (!is_holder(singular) || is_holder(kind));
    let words = tokens(text);
    let mut listed = words
        .iter()
        .enumerate()
        .filter_map(|(at, word)| kind_of(word).filter(|singular| singular != word || heads_list(&words, at)));
    !is_unspecific(kind) && listed.any(|singular| tells(&singular))
}

/// Whether the word behind one makes a name of a list of it.
fn heads_list(words: &[String], at: usize) -> bool {
    words.get(at + 1).is_some_and(|next| LISTING.contains(&next.as_str()))
}

fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Whether what is added right behind the opening of a thing is added to that thing.
pub(super) fn belongs_to_opened(kind: &str, opened: &str) -> bool {
    let holds_things =
        matches!(opened, "folder" | "notebook" | "list" | "board" | "calendar" | "tab" | "section" | "page" | "app");
    is_part_of_another(kind)
        || matches!(kind, "reply" | "review")
        || (kind == "note" && !opened.is_empty() && !holds_things)
}

/// Whether things of a kind are parts of others.
pub(super) fn is_part_of_another(kind: &str) -> bool {
    matches!(kind, "comment" | "label" | "tag")
}
