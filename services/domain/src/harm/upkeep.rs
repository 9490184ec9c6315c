//! Words of those who keep an application running, and of those who want somebody's attention.

use crate::destructive::{ARTICLES, words};

/// What is done to the storage of an application, and to nothing else.
const UPKEEP: [&str; 12] = [
    "vacuum",
    "reindex",
    "defragment",
    "defrag",
    "migrate",
    "resync",
    "reshard",
    "checkpoint",
    "failover",
    "garbage collect",
    "reindizieren",
    "réindexer",
];
/// What may be done to it, and to other things too.
const MENDING: [&str; 14] = [
    "optimise",
    "optimize",
    "compact",
    "repair",
    "analyse",
    "analyze",
    "rebuild",
    "prune",
    "warm",
    "recalculate",
    "optimieren",
    "optimiser",
    "optimizar",
    "ottimizza",
];
/// What an application keeps its data in.
const STORAGE: [&str; 16] = [
    "table",
    "tables",
    "index",
    "indexes",
    "indices",
    "schema",
    "storage",
    "database",
    "databases",
    "log",
    "logs",
    "tabellen",
    "tabelle",
    "tablas",
    "tabelas",
    "cache",
];
/// Verbs that want the attention of people.
const CALLING: [&str; 10] =
    ["wave", "nudge", "poke", "ping", "notify", "remind", "alert", "anstupsen", "erinnern", "benachrichtigen"];

/// Whether a control tends the storage of an application.
pub(super) fn tends_storage(label: &str) -> bool {
    let all = words(label);
    let says = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    let first = all.first().map(String::as_str).unwrap_or_default();
    let pair = all.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" ");
    let tends = UPKEEP.contains(&first) || UPKEEP.contains(&pair.as_str());
    all.len() <= 6 && (tends || (says(&MENDING) && says(&STORAGE)))
}

/// Whether a control moves what keeps people or water out.
pub(super) fn moves_barrier(label: &str) -> bool {
    const MOVING: [&str; 26] = [
        "open",
        "close",
        "lock",
        "unlock",
        "raise",
        "lower",
        "öffnen",
        "schließen",
        "sperren",
        "entsperren",
        "ouvrir",
        "fermer",
        "verrouiller",
        "abrir",
        "cerrar",
        "fechar",
        "apri",
        "chiudi",
        "openen",
        "sluiten",
        "otwórz",
        "zamknij",
        "öppna",
        "stäng",
        "открыть",
        "закрыть",
    ];
    const BARRIERS: [&str; 40] = [
        "gate",
        "gates",
        "door",
        "doors",
        "valve",
        "valves",
        "barrier",
        "shutter",
        "shutters",
        "garage",
        "sluice",
        "turnstile",
        "tor",
        "tür",
        "ventil",
        "schranke",
        "schleuse",
        "portail",
        "porte",
        "vanne",
        "barrière",
        "puerta",
        "válvula",
        "barrera",
        "porta",
        "portão",
        "barreira",
        "cancello",
        "valvola",
        "poort",
        "deur",
        "klep",
        "brama",
        "bramę",
        "zawór",
        "drzwi",
        "grind",
        "dörr",
        "ворота",
        "дверь",
    ];
    let all = words(label);
    let all: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let Some(at) = all.iter().position(|word| BARRIERS.contains(word)) else { return false };
    // `Open gate of dock 3`; an open door policy is none.
    const OF: [&str; 10] = ["of", "no", "nr", "at", "in", "von", "de", "des", "del", "nummer"];
    let is_named = |next: &&str| OF.contains(next) || next.chars().any(|sign| sign.is_ascii_digit());
    let begins = at == 1 && MOVING.contains(&all[0]) && all.get(2).is_none_or(is_named);
    all.len() <= 6 && (begins || all.last().is_some_and(|last| MOVING.contains(last)))
}

/// Whether a control calls somebody: the verb comes first, or is all that it says.
pub(super) fn calls_somebody(label: &str) -> bool {
    let all = words(label);
    all.len() <= 5 && all.first().is_some_and(|word| CALLING.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tending_and_calling_are_known_by_their_verbs() {
        for label in ["Optimise tables", "Vacuum", "Reindex everything", "Compact the database", "Rebuild index"] {
            assert!(tends_storage(label), "{label}");
        }
        for label in ["Optimise picture", "Compact view", "Table of contents", "Analyse text"] {
            assert!(!tends_storage(label), "{label}");
        }
        for label in ["👋 Wave at the team", "Nudge", "Ping Ada", "Remind everybody"] {
            assert!(calls_somebody(label), "{label}");
        }
        for label in ["Last alert", "Heat wave", "Reminders"] {
            assert!(!calls_somebody(label), "{label}");
        }
    }
}
