//! How a page says that something is still under way, or that it can still be taken back. Pure.

use crate::observation::{Node, Observation, RequestKind, Settled};

/// What is written while something is under way, with or without dots behind it.
const WAITING: [&str; 20] = [
    "loading",
    "please wait",
    "one moment",
    "searching",
    "working on it",
    "processing",
    "preparing",
    "fetching",
    "bitte warten",
    "einen moment",
    "wird geladen",
    "chargement",
    "veuillez patienter",
    "un instant",
    "cargando",
    "espere",
    "un momento",
    "caricamento",
    "attendere",
    "even geduld",
];
/// What says so with dots behind it only, beside words in `-ing`: parts at the beginning or the end.
const WITH_DOTS: [&str; 14] = [
    "wird ",
    "werden ",
    "envoi ",
    "enregistrement",
    "en cours",
    "enviando",
    "guardando",
    "subiendo",
    "invio ",
    "salvataggio",
    "in corso",
    "bezig",
    "verzenden",
    "opslaan",
];
/// Words in `-ing` that name no work.
const NO_WORK: [&str; 6] = ["nothing", "something", "anything", "everything", "missing", "remaining"];
/// How a control is called that takes back what was just done.
const TAKE_BACK: [&str; 14] = [
    "undo",
    "rückgängig",
    "widerrufen",
    "annuler",
    "deshacer",
    "annulla",
    "desfazer",
    "ongedaan",
    "cofnij",
    "ångra",
    "fortryd",
    "angre",
    "zpět",
    "отменить",
];

/// Whether a text says that something is under way: `Loading`, `Sending…`, `Wird gespeichert …`.
pub fn is_under_way(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let has_dots = text.ends_with("...") || text.ends_with('\u{2026}');
    let bare = text.trim_end_matches(['.', '\u{2026}', ' ']);
    let words = bare.split_whitespace().count();
    let first = bare.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', '\u{2026}']);
    let waits = WAITING.iter().any(|lead| bare.starts_with(lead));
    let works = first.len() > 4 && first.ends_with("ing") && !NO_WORK.contains(&first)
        || WITH_DOTS.iter().any(|part| bare.starts_with(part) || bare.ends_with(part));
    // `Exporting, 25 %`; `Housing 25 %` is a part of something.
    let counts_up = bare.contains([',', ':', '\u{2026}'])
        && bare.ends_with('%')
        && !bare.ends_with("100 %")
        && !bare.ends_with("100%");
    (waits && words <= 5 && (has_dots || words <= 2)) || (works && words <= 4 && (has_dots || counts_up))
}

/// The waits, in milliseconds, for what a page announces: few and growing, each another action than the one before.
pub const WAITS: [u32; 4] = [1000, 2000, 3000, 4000];
/// A request that is older than this, in milliseconds, is a stream or hangs.
const OLD: u64 = 10_000;

/// Whether a page announces that it will show more: requests that are open, a navigation, marks of being busy.
pub fn is_coming(observation: &Observation) -> bool {
    let is_open = observation.open_requests.iter().any(|open| {
        open.age_ms < OLD
            && !matches!(open.request.kind, RequestKind::Stream | RequestKind::Resource | RequestKind::Beacon)
    });
    let is_pending = match &observation.settled {
        Settled::Quiet => false,
        Settled::Never { pending } => {
            pending.iter().any(|what| ["requests", "navigation", "refresh"].contains(&what.as_str()))
        }
    };
    let is_busy = |node: &Node| {
        node.is_busy()
            || node.role == "progressbar"
            || (!node.is_interactive() && is_under_way(&node.text))
            || ((!node.is_interactive() || node.states.disabled) && counts_down(&node.text))
    };
    is_blank(observation) || is_open || is_pending || observation.nodes.iter().any(is_busy)
}

/// Whether a short text says that something comes within seconds: `Resend code in 7 s`.
fn counts_down(text: &str) -> bool {
    const WORDS: usize = 8;
    const LONGEST: u32 = 15;
    let text = text.trim().to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_in = |word: &str| matches!(word, "in" | "dans" | "en" | "tra" | "over" | "om" | "em" | "za" | "через");
    let is_unit = |word: &str| {
        word == "s" || word == "с" || ["sec", "sek", "seg", "сек"].iter().any(|unit| word.starts_with(unit))
    };
    let seconds = match words.as_slice() {
        [.., before, number, unit] if is_in(before) && is_unit(unit) => number.parse().ok(),
        [.., before, number] if is_in(before) => number.strip_suffix('s').and_then(|number| number.parse().ok()),
        _ => None,
    };
    words.len() <= WORDS && seconds.is_some_and(|seconds: u32| seconds <= LONGEST)
}

/// Whether a tab was opened that shows nothing yet: pages open an empty one and say later what it is to show.
pub fn is_blank(observation: &Observation) -> bool {
    observation.url == "about:blank" && observation.tabs.len() > 1
}

/// Whether a few words end in dots: what is under way mostly says so, and some titles that are cut do.
pub fn trails_off(text: &str) -> bool {
    let text = text.trim();
    (text.ends_with("...") || text.ends_with('\u{2026}')) && (1..=4).contains(&text.split_whitespace().count())
}

/// Whether a control takes back what was just done, by its name.
pub fn takes_back(label: &str) -> bool {
    let first = label.split_whitespace().next().unwrap_or_default().to_lowercase();
    label.split_whitespace().count() <= 3
        && TAKE_BACK.contains(&first.trim_matches(|sign: char| !sign.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_in_its_own_words_that_something_is_under_way() {
        for text in [
            "Loading",
            "Loading…",
            "Sending…",
            "Saving changes...",
            "Please wait",
            "Wird gesendet …",
            "Envoi en cours…",
            "Exporting, 25 %",
        ] {
            assert!(is_under_way(text), "{text}");
        }
        for text in [
            "Nothing…",
            "Sending letters",
            "Saving plans",
            "Read more…",
            "Something went wrong...",
            "Loading the boat took a day",
            "Exporting, 100 %",
            "Housing 25%",
        ] {
            assert!(!is_under_way(text), "{text}");
        }
    }

    #[test]
    fn what_takes_back_says_so() {
        for label in ["Undo", "Undo send", "Rückgängig machen"] {
            assert!(takes_back(label), "{label}");
        }
        for label in ["Cancel", "Undone tasks of the week before", "Do it"] {
            assert!(!takes_back(label), "{label}");
        }
    }

    #[test]
    fn a_count_of_seconds_says_that_something_comes() {
        for text in ["Resend code in 7 s", "Neuer Code in 12 Sekunden", "Try again in 9s", "Renvoyer dans 3 s"] {
            assert!(counts_down(text), "{text}");
        }
        for text in ["Resend code", "Delivered in 45 s", "Ready in 2 days", "In 7 steps", "Sold in 2019"] {
            assert!(!counts_down(text), "{text}");
        }
    }
}
