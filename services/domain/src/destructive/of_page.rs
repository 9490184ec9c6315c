//! What belongs to the view of a page and not to the application: taking it away harms nothing.

use super::drawn::{is_out_of, takes_unspaced};
use super::{ARTICLES, words};

/// Verbs that take something away, in front of it or, in many languages, behind it. The first are English.
const TAKING: [&str; 83] = [
    "remove",
    "delete",
    "clear",
    "discard",
    "drop",
    "disable",
    "reset",
    "stop",
    "dismiss",
    "erase",
    "cancel",
    "undo",
    "close",
    "hide",
    "löschen",
    "entfernen",
    "verwerfen",
    "zurücksetzen",
    "aufheben",
    "leeren",
    "stoppen",
    "anhalten",
    "effacer",
    "supprimer",
    "réinitialiser",
    "annuler",
    "enlever",
    "retirer",
    "arrêter",
    "borrar",
    "quitar",
    "limpiar",
    "eliminar",
    "restablecer",
    "anular",
    "detener",
    "rimuovi",
    "cancella",
    "azzera",
    "annulla",
    "elimina",
    "ripristina",
    "ferma",
    "limpar",
    "remover",
    "apagar",
    "redefinir",
    "wissen",
    "verwijderen",
    "verwijder",
    "herstellen",
    "opheffen",
    "wyczyść",
    "usuń",
    "resetuj",
    "rensa",
    "temizle",
    "kaldır",
    "sıfırla",
    "sil",
    "сбросить",
    "очистить",
    "убрать",
    "nulstil",
    "ryd",
    "tøm",
    "nollaa",
    "tyhjennä",
    "вимкнути",
    "vider",
    "hapus",
    "töm",
    "εκκαθάριση",
    "boşalt",
    "poista",
    "fjern",
    "svuota",
    "leegmaken",
    "esborra",
    "neteja",
    "xóa",
    "izbriši",
    "eemalda",
];
const ENGLISH: usize = 14;
/// Verbs of these that delete records too, and so say nothing of a thing that may be one.
const DELETING: [&str; 23] = [
    "remove",
    "delete",
    "drop",
    "löschen",
    "entfernen",
    "supprimer",
    "enlever",
    "retirer",
    "eliminar",
    "quitar",
    "elimina",
    "rimuovi",
    "remover",
    "apagar",
    "verwijderen",
    "verwijder",
    "usuń",
    "kaldır",
    "sil",
    "effacer",
    "borrar",
    "poista",
    "fjern",
];
/// What a list or a drawing shows of the data.
const SHOWN: [&str; 61] = [
    "searched",
    "αναζήτησης",
    "sökfältet",
    "kiếm",
    "sökord",
    "søkeord",
    "пошук",
    "фільтр",
    "фільтри",
    "cerca",
    "lọc",
    "filter",
    "filters",
    "filtre",
    "filtres",
    "filtro",
    "filtros",
    "filtri",
    "filtry",
    "filtreleri",
    "facet",
    "facets",
    "search",
    "sort",
    "sorting",
    "highlight",
    "highlights",
    "highlighting",
    "zoom",
    "formatting",
    "grouping",
    "columns",
    "column",
    "preview",
    "sortierung",
    "tri",
    "sortering",
    "filtrering",
    "suche",
    "suchbegriff",
    "suchfeld",
    "recherche",
    "búsqueda",
    "ricerca",
    "zoekopdracht",
    "zoekterm",
    "wyszukiwanie",
    "sökning",
    "pesquisa",
    "busca",
    "arama",
    "поиск",
    "фильтр",
    "фильтры",
    "filtern",
    "filtret",
    "korostus",
    "korostukset",
    "zoekveld",
    "hakukenttä",
    "sökfält",
];
/// What a page has beside its data and no application keeps, by the beginning of its word.
const PASSING: [&str; 27] = [
    "selection",
    "selecci",
    "sélection",
    "selezion",
    "seleç",
    "selectie",
    "auswahl",
    "zaznaczen",
    "markering",
    "seçim",
    "hint",
    "tooltip",
    "toast",
    "popup",
    "overlay",
    "hinweis",
    "animation",
    "transition",
    "scroll",
    "autoscroll",
    "aloud",
    "vorlesen",
    "countdown",
    "stopwatch",
    "comparison",
    "vergleich",
    "contrast",
];
/// What a page has beside its data, and what in other applications is a record, by its word.
const BESIDE: [&str; 65] = [
    "ticks",
    "loop",
    "markers",
    "slide",
    "eingaben",
    "marcados",
    "rajaus",
    "terminal",
    "area",
    "arrows",
    "board",
    "route",
    "drawings",
    "legend",
    "graph",
    "path",
    "output",
    "screen",
    "display",
    "tip",
    "calendar",
    "dates",
    "metronome",
    "chart",
    "guides",
    "ruler",
    "grid",
    "refreshing",
    "reading",
    "banner",
    "notice",
    "tour",
    "motion",
    "slideshow",
    "carousel",
    "playback",
    "video",
    "audio",
    "sound",
    "music",
    "speech",
    "narration",
    "clock",
    "timer",
    "sketch",
    "drawing",
    "canvas",
    "brush",
    "calculator",
    "text",
    "font",
    "spacing",
    "view",
    "layout",
    "map",
    "input",
    "fields",
    "form",
    "changes",
    "änderungen",
    "editing",
    "ticker",
    "sounds",
    "refresh",
    "editor",
];
/// What makes a text speak of data all the same. Whatever is taken `from` something was put there before.
const OF_DATA: [&str; 25] = [
    "from",
    "aus",
    "uit",
    "all",
    "everything",
    "everyone",
    "everybody",
    "forever",
    "permanently",
    "saved",
    "stored",
    "shared",
    "server",
    "database",
    "records",
    "account",
    "accounts",
    "file",
    "files",
    "service",
    "notes",
    "alle",
    "tous",
    "todo",
    "tutto",
];

/// Whether a text takes away what only narrows or orders what is shown, such as a filter, or names a view: `Block view`.
pub fn is_of_view(text: &str) -> bool {
    // Places, which may be looked at and not emptied.
    const PLACES: [[&str; 2]; 2] = [["ban", "list"], ["block", "list"]];
    const VIEWS: [[&str; 2]; 6] = [
        ["drop", "down"],
        ["block", "view"],
        ["block", "layout"],
        ["block", "quote"],
        ["drop", "zone"],
        ["transfer", "speed"],
    ];
    let all = words(text);
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let names_view = |pair: &[&str]| VIEWS.iter().any(|view| view == pair);
    let is_view = |pair: &[&str]| matches!(pair, [first, second, ..] if names_view(&[*first, *second]));
    if takes_unspaced(text) {
        return true;
    }
    let takes_view = matches!(telling.as_slice(), [verb, rest @ ..] if TAKING.contains(verb) && is_view(rest));
    let is_place = matches!(telling.as_slice(), [first, second] if PLACES.contains(&[*first, *second]));
    is_place || is_view(&telling) || takes_view || takes(&telling, |word| SHOWN.contains(&word))
}

/// Whether a text takes away what a page has beside its data: a selection, a hint, an animation. A control that says so may be
/// pressed where nothing can be sent.
pub fn takes_from_page(text: &str) -> bool {
    let all = words(text);
    // The plain words count here: `Clear all fields` may mean more than the page.
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    // `Remove spouses from the chart`: what is shown in a drawing.
    let taken = match telling.as_slice() {
        [verb, taken @ ..] if TAKING.contains(verb) => taken,
        [taken @ .., verb] if TAKING[ENGLISH..].contains(verb) => taken,
        _ => &[],
    };
    if taken.len() > 2 && taken.windows(2).last().is_some_and(is_out_of) {
        return true;
    }
    let speaks_of_data = all.iter().any(|word| OF_DATA.contains(&word.as_str()));
    let deletes = telling.iter().any(|word| DELETING.contains(word));
    let is_it = |word: &str| begins(word, &PASSING) || (!deletes && BESIDE.contains(&word));
    is_of_view(text) || (!speaks_of_data && takes(&telling, is_it))
}

fn takes(telling: &[&str], is_it: impl Fn(&str) -> bool) -> bool {
    let begins = telling.first().is_some_and(|word| TAKING.contains(word));
    // In English the verb comes first: `/columns/3/delete` is an address.
    let ends = telling.last().is_some_and(|word| TAKING[ENGLISH..].contains(word));
    (2..=5).contains(&telling.len())
        && (begins || ends)
        && telling.iter().any(|word| !TAKING.contains(word) && is_it(word))
}

/// Whether a word is one of these, or one of them with an ending.
fn begins(word: &str, list: &[&str]) -> bool {
    list.iter().any(|stem| word.strip_prefix(stem).is_some_and(|rest| rest.chars().count() <= 4))
}

/// What code does to the page alone, though it sounds like more.
const CALLS: [&str; 11] = [
    "classList.remove",
    "removeAttribute",
    "removeEventListener",
    "removeClass",
    "removeChild",
    "removeProperty",
    "removeAllRanges",
    "removeRange",
    "deleteFromDocument",
    "Storage.removeItem",
    "style.remove",
];
/// How code takes an element off the page.
const ELEMENT_CALLS: [&str; 5] =
    ["parentElement.remove()", "parentNode.remove()", "this.remove()", "target.remove()", ").remove()"];

/// Whether code takes an element off the page.
pub fn takes_element(code: &str) -> bool {
    code.contains("removeChild(") || ELEMENT_CALLS.iter().any(|call| code.contains(call))
}

/// Code without what it does to the page alone, and without what it copies.
pub(super) fn without_page(code: &str) -> String {
    const COPIES: &str = "writeText(";
    let copied = code.find(COPIES).and_then(|from| Some((from, from + code.get(from..)?.rfind(')')?)));
    let code = match copied {
        Some((from, to)) => format!("{}{}", &code[..from], &code[to..]),
        None => code.to_owned(),
    };
    CALLS.iter().chain(&ELEMENT_CALLS).fold(code, |code, own| code.replace(own, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_belongs_to_the_page_may_be_taken_away() {
        for text in [
            "Clear filters",
            "Effacer les filtres",
            "Borrar filtros",
            "Rimuovi filtri",
            "Filters wissen",
            "重置排序",
            "필터 초기화",
        ] {
            assert!(is_of_view(text) && takes_from_page(text), "{text}");
        }
        for text in [
            "Clear selection",
            "Discard changes",
            "Reset text size",
            "Disable animations on this page",
            "Stop auto-scroll",
            "Erase sketch",
            "Dismiss this hint",
            "Stop reading aloud",
            "Quitar selección",
            "Selectie wissen",
            "Seçimi kaldır",
            "Quitar capa del mapa",
            "Reeks uit grafiek verwijderen",
        ] {
            assert!(takes_from_page(text) && !is_of_view(text), "{text}");
        }
        for text in [
            "Delete",
            "Clear",
            "Empty bin",
            "Delete text",
            "Remove video",
            "Remove from comparison",
            "Delete saved searches",
            "Remove member",
            "删除客户",
            "清空搜索记录",
            "Delete ban list",
            "Reset all fields",
            "Stop server",
            "Erase saved sketches",
        ] {
            assert!(!takes_from_page(text), "{text}");
        }
    }

    #[test]
    fn code_that_takes_an_element_off_the_page_deletes_nothing() {
        assert_eq!(super::super::handled("this.parentElement.remove(); count(4)"), None);
        assert_eq!(super::super::handled("getSelection().removeAllRanges()"), None);
        assert!(super::super::handled("boats.remove(4)").is_some());
    }
}
