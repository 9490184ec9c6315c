//! What controls are called that carry out common commands, and what parts of pages are called, in a few languages. Closed lists of
//! general words of user interfaces; no application's own names.

mod concepts;
pub(crate) mod deeds;
pub(crate) mod fields;
pub(crate) mod states;

use super::words::{begins_with_words, same_word, tokens};

/// Commands that controls carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Add,
    Remove,
    Edit,
    Open,
    HandIn,
    Cancel,
    Confirm,
    LogIn,
    LogOut,
    Send,
    Reply,
    Forward,
    Search,
    More,
}

/// The names of controls for a command, the plainest first: English, German, French, Spanish, Italian, Dutch, Portuguese.
pub(crate) fn names(command: Command) -> &'static [&'static str] {
    match command {
        Command::Add => &[
            "add",
            "new",
            "create",
            "insert",
            "plus",
            "+",
            "compose",
            "write",
            "schedule",
            "post",
            "hinzufügen",
            "neu",
            "neue",
            "neuer",
            "neues",
            "anlegen",
            "erstellen",
            "ajouter",
            "nouveau",
            "nouvelle",
            "créer",
            "añadir",
            "agregar",
            "nuevo",
            "nueva",
            "crear",
            "aggiungi",
            "nuovo",
            "nuova",
            "crea",
            "toevoegen",
            "nieuw",
            "nieuwe",
            "maken",
            "adicionar",
            "novo",
            "nova",
            "criar",
        ],
        Command::Remove => &[
            "remove",
            "delete",
            "trash",
            "bin",
            "discard",
            "erase",
            "löschen",
            "entfernen",
            "supprimer",
            "retirer",
            "eliminar",
            "borrar",
            "quitar",
            "elimina",
            "rimuovi",
            "cancella",
            "verwijderen",
            "wissen",
            "excluir",
            "remover",
            "apagar",
            "\u{1F5D1}",
            "\u{00D7}",
            "\u{2715}",
            "\u{2716}",
            "x",
        ],
        Command::Edit => &[
            "edit",
            "change",
            "rename",
            "modify",
            "update",
            "pencil",
            "pen",
            "bearbeiten",
            "ändern",
            "umbenennen",
            "modifier",
            "éditer",
            "renommer",
            "editar",
            "modificar",
            "cambiar",
            "modifica",
            "rinomina",
            "bewerken",
            "wijzigen",
            "alterar",
            "\u{270E}",
            "\u{270F}",
        ],
        Command::Open => &[
            "open", "view", "details", "show", "öffnen", "anzeigen", "ansehen", "ouvrir", "voir", "afficher", "abrir",
            "ver", "apri", "vedi", "openen", "bekijken", "abrir",
        ],
        Command::HandIn => &[
            "save",
            "add",
            "create",
            "submit",
            "ok",
            "done",
            "apply",
            "update",
            "post",
            "publish",
            "schedule",
            "book",
            "confirm",
            "continue",
            "save changes",
            "speichern",
            "anlegen",
            "erstellen",
            "hinzufügen",
            "übernehmen",
            "absenden",
            "fertig",
            "enregistrer",
            "ajouter",
            "créer",
            "valider",
            "envoyer",
            "guardar",
            "añadir",
            "agregar",
            "crear",
            "aceptar",
            "salva",
            "aggiungi",
            "crea",
            "conferma",
            "opslaan",
            "toevoegen",
            "maken",
            "salvar",
            "adicionar",
            "criar",
            "enviar",
            "rename",
            "change",
            "set",
            "file",
            "leave",
            "comment",
            "go",
        ],
        Command::Cancel => &[
            "cancel",
            "close",
            "back",
            "reset",
            "no",
            "dismiss",
            "abort",
            "clear",
            "abbrechen",
            "schließen",
            "zurück",
            "annuler",
            "fermer",
            "cancelar",
            "cerrar",
            "annulla",
            "chiudi",
            "annuleren",
            "sluiten",
            "fechar",
        ],
        Command::Confirm => &[
            "yes",
            "confirm",
            "ok",
            "delete",
            "remove",
            "yes, i'm sure",
            "yes, delete",
            "ja",
            "bestätigen",
            "löschen",
            "entfernen",
            "oui",
            "confirmer",
            "supprimer",
            "sí",
            "si",
            "confirmar",
            "eliminar",
            "sì",
            "conferma",
            "elimina",
            "bevestigen",
            "verwijderen",
            "sim",
            "excluir",
            "continue",
            "proceed",
        ],
        Command::LogIn => &[
            "log in",
            "login",
            "sign in",
            "signin",
            "log on",
            "anmelden",
            "einloggen",
            "connexion",
            "se connecter",
            "iniciar sesión",
            "entrar",
            "acceder",
            "accedi",
            "inloggen",
            "aanmelden",
        ],
        Command::LogOut => &[
            "log out",
            "logout",
            "sign out",
            "signout",
            "log off",
            "abmelden",
            "ausloggen",
            "déconnexion",
            "se déconnecter",
            "cerrar sesión",
            "salir",
            "esci",
            "uitloggen",
            "afmelden",
            "sair",
            "terminar sessão",
        ],
        Command::Send => &[
            "send",
            "submit",
            "senden",
            "absenden",
            "verschicken",
            "envoyer",
            "enviar",
            "invia",
            "versturen",
            "verzenden",
            "post",
            "\u{27A4}",
            "reply",
            "forward",
        ],
        Command::Reply => {
            &["reply", "respond", "answer", "antworten", "répondre", "responder", "rispondi", "beantwoorden"]
        }
        Command::Forward => {
            &["forward", "fwd", "share", "weiterleiten", "transférer", "reenviar", "inoltra", "doorsturen"]
        }
        Command::Search => &[
            "search",
            "find",
            "go",
            "suchen",
            "suche",
            "rechercher",
            "buscar",
            "cerca",
            "zoeken",
            "pesquisar",
            "procurar",
            "look up",
        ],
        Command::More => &[
            "more", "menu", "actions", "options", "\u{2026}", "\u{22EE}", "\u{22EF}", "mehr", "plus", "más", "altro",
            "meer", "mais",
        ],
    }
}

/// Whether a word of a control or link says by itself that something new is made: a name of [`Command::Add`], but for those that are
/// said of other things as well.
pub(crate) fn makes_new(word: &str) -> bool {
    const OTHERS: [&str; 7] = ["insert", "plus", "compose", "write", "schedule", "post", "maken"];
    names(Command::Add).contains(&word) && !OTHERS.contains(&word)
}

/// Whether a label begins with a name of a command.
pub(crate) fn begins_with(label: &str, command: Command) -> bool {
    tokens(label).first().is_some_and(|word| names(command).contains(&word.as_str()))
}

/// Whether a control leaves a question or a form as it is, by other words than that of the command.
pub(crate) fn leaves(label: &str) -> bool {
    const WAYS: [&str; 11] =
        ["no", "never mind", "nevermind", "not now", "don", "do not", "go back", "stay", "nicht", "nein", "non"];
    WAYS.iter().any(|name| begins_with_words(label, name))
}

/// Whether a label says that something is kept for another time or as something else, and so hands nothing in: `Save for later`, `Save as
/// draft`.
pub(crate) fn puts_aside(label: &str) -> bool {
    const KEEPING: [&str; 9] =
        ["save", "store", "keep", "speichern", "merken", "enregistrer", "guardar", "salva", "bewaren"];
    const AS_WHAT: [&str; 12] =
        ["later", "as", "for", "draft", "template", "copy", "als", "für", "später", "comme", "como", "come"];
    let words = tokens(label);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    words.len() > 1 && has(&KEEPING) && has(&AS_WHAT)
}

/// Words that tell nothing about which part of an application is meant.
const GENERAL: &[&str] = &[
    "page",
    "section",
    "list",
    "lists",
    "app",
    "application",
    "screen",
    "view",
    "tab",
    "area",
    "panel",
    "the",
    "my",
    "your",
    "our",
    "a",
    "an",
    "all",
    "of",
    "to",
    "menu",
    "module",
    "liste",
    "seite",
    "site",
    "here",
    "new",
    "item",
    "items",
];

/// Whether two lower-case words mean one kind of thing: forms of one word, or words of one concept.
pub(crate) fn same_concept(left: &str, right: &str) -> bool {
    same_word(left, right) || concepts::share_one(left, right)
}

/// Whether a lower-case word stands for a concept that applications have.
pub(crate) fn is_known(word: &str) -> bool {
    concepts::is_known(word)
}

/// The words of a text by which a part of an application is told from others; all of them where none does. `to-do` is one word.
pub(crate) fn telling_words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace("to-do", "todo").replace("to do", "todo").replace("e-mail", "email");
    let all: Vec<String> = tokens(&text).into_iter().map(without_ending).collect();
    let telling: Vec<String> = all.iter().filter(|word| !GENERAL.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// A German compound without the end that only says what part of an application it is: `Benutzerliste`.
fn without_ending(word: String) -> String {
    const ENDINGS: [&str; 4] = ["liste", "übersicht", "verwaltung", "seite"];
    if concepts::is_known(&word) {
        return word;
    }
    let stem = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
    stem.and_then(|stem| [stem, stem.trim_end_matches('s')].into_iter().find(|stem| concepts::is_known(stem)))
        .map_or_else(|| word.clone(), str::to_owned)
}

/// Whether a name tells no part of an application from another: `my list`, `the page`.
pub(crate) fn is_general_part(name: &str) -> bool {
    tokens(name).iter().all(|word| GENERAL.contains(&word.as_str()))
}

/// Whether two names of parts of an application mean the same: each telling word of either has one of the other that means the same.
pub(crate) fn same_part(left: &str, right: &str) -> bool {
    let (left, right) = (telling_words(left), telling_words(right));
    let covers = |of: &[String], by: &[String]| of.iter().all(|word| by.iter().any(|other| same_concept(word, other)));
    !left.is_empty() && !right.is_empty() && covers(&left, &right) && covers(&right, &left)
}

/// Whether a text speaks of a concept: each telling word of what is wanted is among its words.
pub(crate) fn speaks_of(text: &str, wanted: &str) -> bool {
    let (text, wanted) = (telling_words(text), telling_words(wanted));
    !wanted.is_empty() && wanted.iter().all(|word| text.iter().any(|other| same_concept(word, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_applications_are_the_same_by_meaning_and_not_by_a_shared_word() {
        for (wanted, shown) in [
            ("to-do list", "Todos"),
            ("settings page", "Einstellungen"),
            ("invoices", "Rechnungen"),
            ("mail", "Inbox"),
            ("calendar app", "Calendar"),
            ("users section", "Users"),
            ("users", "Benutzerliste"),
        ] {
            assert!(same_part(wanted, shown), "{wanted} {shown}");
        }
        for (wanted, shown) in [
            ("user settings", "User groups"),
            ("shopping list", "To-do list"),
            ("reports", "Report a problem"),
            ("calendar", "Map"),
        ] {
            assert!(!same_part(wanted, shown), "{wanted} {shown}");
        }
    }
}
