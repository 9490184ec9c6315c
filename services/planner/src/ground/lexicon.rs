//! Words that applications use for the same control. General English of user interfaces; no application's own names.

/// Groups of labels that mean the same control.
const SYNONYMS: [&[&str]; 17] = [
    &["close", "x", "\u{00D7}", "\u{2715}", "\u{2716}", "dismiss"],
    &["delete", "trash", "remove", "bin", "discard"],
    &["remove", "delete", "trash", "bin"],
    &["edit", "change", "pencil", "pen", "modify"],
    &["star", "favorite", "favourite", "important", "flag", "bookmark"],
    &["reply", "respond", "answer"],
    &["forward", "fwd", "share", "pass"],
    &["send", "submit", "reply", "forward", "share"],
    &["submit", "search", "go", "ok", "done", "save", "send", "apply", "confirm", "find", "continue"],
    &["login", "log in", "sign in", "signin", "log on", "submit"],
    &["logout", "log out", "sign out", "signout"],
    &["register", "sign up", "signup", "create account", "join"],
    &["search", "find", "go", "lookup", "submit"],
    &["add", "plus", "new", "create", "+"],
    &["like", "heart", "love", "upvote", "thumbs up"],
    &["cancel", "abort", "no"],
    &["settings", "preferences", "options"],
];

/// Other words for a control with this label; the first of its groups' words is the word itself.
pub(crate) fn synonyms(label: &str) -> impl Iterator<Item = &'static str> {
    let label = label.to_lowercase();
    SYNONYMS
        .iter()
        .filter({
            let label = label.clone();
            move |group| {
                group.first().is_some_and(|head| *head == label)
                    || (label.chars().count() == 1 && group.contains(&label.as_str()))
            }
        })
        .flat_map(|group| group.iter().copied())
        .filter(move |word| *word != label)
}

/// Words by which controls say that they open something.
pub(crate) const DISCLOSURE_WORDS: [&str; 23] = [
    "more",
    "menu",
    "expand",
    "expandable",
    "collapsed",
    "toggle",
    "show",
    "open",
    "dropdown",
    "caret",
    "hamburger",
    "ellipsis",
    "details",
    "accordion",
    "plus",
    "unfold",
    "folder",
    "arrow",
    "chevron",
    "options",
    "spread",
    "closed",
    "triangle",
];

/// Those of [`DISCLOSURE_WORDS`] by which a text that people read says so, as its first word or its last: `Show prices`, `More
/// options`. The others are names of pictures there, or of things.
pub(crate) const UNFOLDING_TEXTS: [&str; 9] =
    ["more", "menu", "expand", "toggle", "show", "open", "details", "options", "unfold"];

/// Words of classes and ids which say that something unfolds even where the control shows a name of its own. The others of
/// [`DISCLOSURE_WORDS`] do not: a class such as `menu-item` or `open-file` stands on what carries out a command.
pub(crate) const UNFOLDING_WORDS: [&str; 12] = [
    "accordion",
    "caret",
    "chevron",
    "closed",
    "collapsed",
    "dropdown",
    "expand",
    "expandable",
    "folder",
    "toggle",
    "triangle",
    "unfold",
];

/// Labels by which pagination goes on.
pub(crate) const NEXT_WORDS: [&str; 24] = [
    "next",
    ">",
    "\u{203A}",
    "\u{00BB}",
    ">>",
    "next page",
    "older",
    "load more",
    "weiter",
    "n\u{e4}chste",
    "n\u{e4}chste seite",
    "suivant",
    "suivante",
    "page suivante",
    "siguiente",
    "p\u{e1}gina siguiente",
    "pr\u{f3}ximo",
    "pr\u{f3}xima",
    "avanti",
    "successiva",
    "volgende",
    "nast\u{119}pna",
    "n\u{e4}sta",
    "n\u{e6}ste",
];

/// Labels by which pagination goes back or to an end.
pub(crate) const BACK_WORDS: [&str; 16] = [
    "previous",
    "prev",
    "<",
    "\u{2039}",
    "\u{00AB}",
    "<<",
    "first",
    "newer",
    "back",
    "zur\u{fc}ck",
    "vorige",
    "pr\u{e9}c\u{e9}dent",
    "pr\u{e9}c\u{e9}dente",
    "anterior",
    "precedente",
    "indietro",
];

/// The names of the months, January first.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The names of the days of a week.
pub(crate) const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
