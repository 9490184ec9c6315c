//! Words for kinds of things, places and collections that applications have. Pure.

use super::verbs::bare;

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
pub(super) fn is_collection(words: &[&str]) -> bool {
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

fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}
