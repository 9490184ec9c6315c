//! What only tries or looks: a preview, a dry run, a check that says that nothing is done. A control is believed as far as what it sends
//! says the same.

use super::link::without_program;
use super::request::{is_off, names_command, of_field};
use super::{Sent, creates, decides, is_price, posts, puts_into_collection, updates};
use crate::destructive::{AGREEING, command, command_in_path, folded, is_of_view, spaced, words};

/// Words for what shows or reckons something and does nothing, by their beginnings and without accents.
const TRYING: [&str; 40] = [
    "calcolo",
    "plausib",
    "pishnamayesh",
    "preview",
    "previsual",
    "render",
    "lint",
    "explain",
    "estimat",
    "schatz",
    "ansehen",
    "vorschau",
    "apercu",
    "anteprima",
    "voorbeeldweergave",
    "podglad",
    "forhandsvis",
    "forhandsgransk",
    "esikatsel",
    "onizle",
    "dryrun",
    "simul",
    "probelauf",
    "testlauf",
    "symul",
    "spellcheck",
    "spelling",
    "rechtschreib",
    "orthograph",
    "ortograf",
    "calculate",
    "berechnen",
    "calculer",
    "calcular",
    "calcola",
    "bereken",
    "oblicz",
    "предпросмотр",
    "симуляц",
    "рассчитать",
];
/// The same in scripts that put no spaces between words.
const TRYING_UNSPACED: [&str; 8] = ["پیش‌نمایش", "پیش نمایش", "プレビュー", "下見", "試算", "预览", "試し", "미리보기"];
/// Words that look something over, and elsewhere settle it: they count where the control says that nothing is done.
const CHECKING: [&str; 27] = [
    "probe",
    "predict",
    "ελεγχος",
    "check",
    "test",
    "validate",
    "verify",
    "try",
    "prufen",
    "testen",
    "controler",
    "verifier",
    "tester",
    "essayer",
    "comprobar",
    "verificar",
    "probar",
    "controlla",
    "verifica",
    "prova",
    "controleer",
    "controleren",
    "sprawdz",
    "kontroll",
    "tarkista",
    "проверить",
    "проверка",
];
/// What of a text is looked over and not settled.
const OF_TEXT: [&str; 12] = [
    "syntax",
    "logic",
    "spelling",
    "grammar",
    "formula",
    "links",
    "availability",
    "syntaxe",
    "sintaxis",
    "sintassi",
    "syntaks",
    "rechtschreibung",
];
/// What is looked for, said by the name of a button or its value.
const LOOKING: [&str; 34] = [
    "suchergebnis",
    "chercher",
    "rechercher",
    "trouver",
    "busca",
    "pesquisar",
    "procurar",
    "cercare",
    "ricerca",
    "trova",
    "zoek",
    "wyszukaj",
    "sok",
    "sog",
    "hae",
    "ara",
    "hledat",
    "keres",
    "найти",
    "поиск",
    "count",
    "compter",
    "search",
    "find",
    "filter",
    "removefilter",
    "lookup",
    "suche",
    "suchen",
    "recherche",
    "buscar",
    "cerca",
    "zoeken",
    "szukaj",
];
/// Words that deny what follows.
const DENYING: [&str; 27] = [
    "χωρις",
    "nothing",
    "without",
    "no",
    "not",
    "nichts",
    "ohne",
    "nicht",
    "kein",
    "keine",
    "rien",
    "sans",
    "aucun",
    "nada",
    "sin",
    "sem",
    "niente",
    "senza",
    "niets",
    "zonder",
    "geen",
    "bez",
    "nic",
    "utan",
    "uden",
    "без",
    "ничего",
];
/// Words that allow what is named and nothing else.
const LIMITING: [&str; 12] =
    ["only", "just", "nur", "seulement", "solo", "apenas", "somente", "tylko", "alleen", "bara", "kun", "только"];

/// Whether a control says that it only tries or shows something. What it does not do may be named behind a word that denies it:
/// `Check accounts (no transfer)`.
pub fn only_tries(label: &str) -> bool {
    // Where it is shown: `Preview in new tab`.
    let lower = label.to_lowercase();
    let lower =
        ["in a new tab", "in new tab", "in a new window"].iter().fold(lower, |said, place| said.replace(place, ""));
    let label = lower.as_str();
    let all: Vec<String> = words(label).iter().map(|word| folded(word)).collect();
    let (told, denied) = match all.iter().position(|word| DENYING.contains(&word.as_str())) {
        Some(at) => (all.get(..at).unwrap_or_default(), true),
        None => (all.as_slice(), all.iter().any(|word| LIMITING.contains(&word.as_str()))),
    };
    let said = told.join(" ");
    let head = told.get(..told.len().min(2)).unwrap_or_default();
    let tries = tries_in(head) || TRYING_UNSPACED.iter().any(|word| label.contains(word));
    let is_check = |word: &String| CHECKING.contains(&word.as_str());
    // `Check syntax`; a dose or a member is not only looked at.
    let of_text = || told.first().is_some_and(is_check) && told.get(1).is_some_and(|of| OF_TEXT.contains(&of.as_str()));
    // In German the verb comes last: `Nur auf Plausibilität prüfen`.
    let checks = || denied && (head.iter().any(is_check) || told.last().is_some_and(is_check)) || of_text();
    // `Save estimate`, `Approve preview`, `Check in only`: what does something beside it is no trial.
    let plain = said.replace("dry run", "dry");
    let does = ["in", "out", "off"].iter().any(|word| told.iter().any(|said| said == word))
        || creates(&plain)
        || updates(&plain)
        || decides(&plain)
        || posts(&plain)
        || puts_into_collection(&plain);
    (tries || checks()) && told.len() <= 5 && !does && command(&said).is_none() && !is_price(label)
}

/// Whether a control only looks for something, or takes away by what was looked for.
pub fn only_looks(label: &str) -> bool {
    let all = words(label);
    matches!(all.as_slice(), [verb, rest @ ..] if rest.len() <= 2 && LOOKING.contains(&verb.as_str()))
        || is_of_view(label)
}

/// Whether a request says by its own words what [`only_tries`] says of a control: the last part of its path, or a field.
pub(super) fn tries(sent: &Sent<'_>, path: &str) -> bool {
    let last = path.rsplit('/').find(|segment| !segment.is_empty()).unwrap_or_default();
    let parts = |text: &str| words(&spaced(text)).iter().map(|word| folded(word)).collect::<Vec<String>>();
    let is_one = |word: &String| CHECKING.contains(&word.as_str()) || LOOKING.contains(&word.as_str());
    let is_trial = |all: &[String]| (1..=3).contains(&all.len()) && tries_in(all);
    let is_check = |all: &[String]| (1..=2).contains(&all.len()) && all.iter().any(is_one);
    // Names such as `filter[state]` and `quote.total` are those of data.
    let of_field_said = |(name, value): &(String, String)| {
        let (called, held) = (parts(name), parts(value));
        let is_button = called.iter().any(|word| matches!(word.as_str(), "button" | "btn" | "submit"));
        let looks = is_button && called.iter().any(|word| LOOKING.contains(&word.as_str()));
        let by_name = !name.contains(['[', '.']) && !is_off(value) && (is_trial(&called) || looks);
        let by_value = is_trial(&held) && held.len() <= 2 || (names_command(name) && is_check(&held));
        by_name || by_value
    };
    let other = |(name, value): &(String, String)| of_field(name, value).is_some();
    let is_other_command = |(name, value): &(String, String)| {
        let held = parts(value);
        names_command(name) && !is_off(value) && !is_trial(&held) && !is_check(&held)
    };
    let last = parts(without_program(last));
    (is_trial(&last) || is_check(&last) || sent.fields.iter().any(of_field_said))
        && command_in_path(&spaced(path)).is_none()
        && !sent.fields.iter().any(|field| other(field) || is_other_command(field))
}

/// Whether one of several words says that something is only tried: `preview`, `dry run`.
pub(super) fn tries_in(all: &[String]) -> bool {
    let is_dry = |pair: &[String]| pair.iter().map(String::as_str).eq(["dry", "run"]);
    all.windows(2).any(is_dry) || all.iter().any(|word| word == "dry" || begins(word, &TRYING))
}

fn begins(word: &str, list: &[&str]) -> bool {
    list.iter().any(|stem| word.strip_prefix(stem).is_some_and(|rest| rest.chars().count() <= 6))
}

/// Whether the label of a button that was sent along only says that something is looked for or shown.
pub(super) fn asks_by_label(label: &str) -> bool {
    let said = words(label).join(" ");
    AGREEING.contains(&said.as_str()) || reads_by_verb(&said)
}

/// Whether a command begins with a verb that only looks.
pub fn reads_by_verb(said: &str) -> bool {
    const VERBS: [&str; 54] = [
        "describe", "get", "fetch", "load", "find", "read", "browse", "display", "open", "select", "view", "show",
        "list", "search", "lookup", "render", "compose", "filter", "go", "refresh", "sort", "download", "preview",
        "print", "export", "count", "match", "lire", "lister", "lesen", "leer", "ler", "leggi", "lezen", "ver", "voir",
        "mostrar", "mostra", "afficher", "anzeigen", "zeigen", "zeige", "bekijken", "bekijk", "toon", "zobacz",
        "pokaz", "pokaż", "visa", "näytä", "göster", "compare", "quote", "estimate",
    ];
    // `viewsource`, `editcomment`
    const JOINED: [&str; 5] = ["view", "show", "edit", "print", "list"];
    let is_joined = |verb: &str| JOINED.iter().any(|looks| verb.strip_prefix(looks).is_some_and(|rest| rest.len() > 3));
    said.split_whitespace().next().is_some_and(|verb| VERBS.contains(&verb) || is_joined(verb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    #[test]
    fn what_says_that_nothing_is_done_only_tries() {
        for label in [
            "Show preview",
            "Vorschau, nichts wird versendet",
            "Contrôler sans transmettre",
            "Simular sem gravar",
            "Podgląd bez zapisu",
            "Только проверить зону",
            "プレビュー",
            "Check accounts (no transfer)",
            "Dry run, nothing is posted",
            "Test (moves nothing)",
            "Explain (does not execute)",
            "Estimate only",
            "Nur ansehen, nicht senden",
        ] {
            assert!(only_tries(label), "{label}");
        }
        for label in [
            "Send preview",
            "Check",
            "Validate",
            "Delete without preview",
            "Pay now, no fees",
            "Check out",
            "Only admins",
            "Save estimate",
            "Approve preview",
            "Just check in",
            "Request a quote",
            "Recalculate",
        ] {
            assert!(!only_tries(label), "{label}");
        }
        assert!(only_looks("Search") && only_looks("Clear filters") && !only_looks("Find and replace all words"));
    }

    #[test]
    fn a_request_says_so_too_or_is_not_sent() {
        let tries = |path: &str, fields: &[(&str, &str)]| {
            let url = Url::parse("http://a.example").unwrap().join(path).unwrap();
            let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            super::tries(
                &Sent { method: "POST", url: &url, instead: None, fields, opens: crate::harm::Opens::Nothing },
                url.path(),
            )
        };
        assert!(tries("/payroll/runs/6", &[("do", "dry-run")]));
        assert!(tries("/wiki/index.php", &[("text", "A"), ("wpPreview", "1")]));
        assert!(tries("/api/filters/invoices/test", &[("dry", "true")]));
        assert!(tries("/list.php", &[("button_search", "x")]));
        assert!(tries("/db/sql", &[("do", "explain")]) && tries("/store/shipping-estimate", &[]));
        assert!(!tries("/payroll/runs/6", &[("do", "approve")]));
        assert!(!tries("/payroll/runs/6", &[("do", "approve"), ("preview", "1")]));
        assert!(!tries("/items/6/delete", &[("preview", "1")]));
        assert!(!tries("/orders/6", &[("payment", "check")]));
        assert!(!tries("/estimates/6", &[("filter[state]", "approved")]));
        assert!(!tries("/payroll/runs/6", &[]));
    }
}
