//! The one list of words for actions that cannot be undone. Pure: what looks at pages with it stands in the rooms that act.

mod of_page;

pub use of_page::takes_from_page;

use crate::harm::Rule;

/// Destructive commands. Two words form a phrase, in which articles are ignored.
const DESTRUCTIVE: [&str; 65] = [
    "delete",
    "remove",
    "erase",
    "destroy",
    "purge",
    "wipe",
    "discard",
    "drop",
    "trash",
    "uninstall",
    "revoke",
    "terminate",
    "deactivate",
    "disable",
    "ban",
    "block",
    "suspend",
    "pay",
    "buy",
    "purchase",
    "donate",
    "transfer",
    "withdraw",
    "refund",
    "send",
    "unsubscribe",
    "logout",
    "logoff",
    "signout",
    "signoff",
    "log out",
    "log off",
    "sign out",
    "sign off",
    "place order",
    "order now",
    "close account",
    "leave us",
    "cancel order",
    "cancel subscription",
    "cancel booking",
    "throw away",
    "throw it",
    "clear all",
    "reset all",
    "shut down",
    "deletion",
    "removal",
    "checkout now",
    "retire",
    "expunge",
    "end session",
    "close session",
    "destroy session",
    "charge",
    "charged",
    "billed",
    "debited",
    "dustbin",
    "garbage",
    "end subscription",
    "publish",
    "unpublish",
    "invite",
    "broadcast",
];
/// The subset that deletes or ends something.
const DELETING: [&str; 18] = [
    "delete",
    "deleted",
    "remove",
    "removed",
    "erase",
    "destroy",
    "purge",
    "wipe",
    "trash",
    "uninstall",
    "revoke",
    "terminate",
    "deactivate",
    "ban",
    "banned",
    "suspend",
    "retire",
    "expunge",
];
/// Words in a question that mark its answer as irrevocable.
const IRREVOCABLE: [&str; 19] = [
    "cancel",
    "cancelled",
    "permanently",
    "irreversible",
    "irrevocable",
    "irrevocably",
    "undone",
    "undo",
    "forever",
    "cannot be",
    "close account",
    "lose",
    "lost",
    "brings back",
    "share",
    "publish",
    "invite",
    "ship",
    "dispatch",
];
/// Labels that leave the application, if they are the whole label.
pub const LEAVING: [&str; 7] = ["bye", "goodbye", "leave", "exit", "quit", "end session", "disconnect"];

/// Words in a submit address that mean a payment or a commitment.
const BINDING: [&str; 6] = ["subscribe", "payment", "charge", "deletion", "deactivation", "termination"];

/// Icons that remove something. A cross may also just close an overlay.
const PICTURES: [&str; 10] =
    ["trash", "bin", "dustbin", "garbage", "delete", "remove", "eraser", "power", "log out", "logout"];

/// Words ignored in phrases.
const ARTICLES: [&str; 12] = ["the", "a", "an", "this", "that", "these", "your", "my", "our", "all", "me", "us"];
/// Labels that only confirm what stands beside the button.
pub const AGREEING: [&str; 14] = [
    "ok", "okay", "yes", "confirm", "continue", "proceed", "submit", "apply", "agree", "accept", "go", "do it", "sure",
    "",
];
/// First words of a question.
pub const ASKING: [&str; 12] =
    ["what", "how", "why", "when", "where", "who", "which", "about", "can", "may", "is", "are"];
/// Destructive commands in other languages: delete, pay, buy, log out, send, invite, publish.
const FOREIGN: [&str; 145] = [
    "löschen",
    "entfernen",
    "verwerfen",
    "kündigen",
    "stornieren",
    "bezahlen",
    "kaufen",
    "abmelden",
    "ausloggen",
    "zahlungspflichtig",
    "supprimer",
    "effacer",
    "détruire",
    "payer",
    "acheter",
    "déconnexion",
    "déconnecter",
    "résilier",
    "eliminar",
    "borrar",
    "suprimir",
    "quitar",
    "pagar",
    "comprar",
    "salir",
    "desconectar",
    "cerrar sesión",
    "excluir",
    "apagar",
    "remover",
    "deletar",
    "sair",
    "terminar sessão",
    "encerrar sessão",
    "elimina",
    "eliminare",
    "cancella",
    "cancellare",
    "rimuovi",
    "rimuovere",
    "paga",
    "pagare",
    "acquista",
    "esci",
    "disconnetti",
    "verwijderen",
    "verwijder",
    "wissen",
    "betalen",
    "kopen",
    "uitloggen",
    "afmelden",
    "radera",
    "ta bort",
    "logga ut",
    "betala",
    "köp",
    "slett",
    "slette",
    "slet",
    "fjern",
    "logg ut",
    "log ud",
    "betal",
    "køb",
    "kjøp",
    "poista",
    "kirjaudu ulos",
    "maksa",
    "osta",
    "usuń",
    "skasuj",
    "wyloguj",
    "zapłać",
    "kup",
    "smazat",
    "odstranit",
    "odhlásit",
    "zaplatit",
    "koupit",
    "törlés",
    "kijelentkezés",
    "șterge",
    "deconectare",
    "sil",
    "kaldır",
    "öde",
    "çıkış yap",
    "satın al",
    "διαγραφή",
    "αποσύνδεση",
    "удалить",
    "стереть",
    "выйти",
    "оплатить",
    "купить",
    "видалити",
    "вийти",
    "изтрий",
    "מחק",
    "התנתק",
    "حذف",
    "خروج",
    "تسجيل الخروج",
    "हटाएं",
    "hapus",
    "keluar",
    "xóa",
    "đăng xuất",
    "forigi",
    "esborra",
    "suprimeix",
    "elimineu",
    "senden",
    "versenden",
    "verschicken",
    "einladen",
    "veröffentlichen",
    "envoyer",
    "inviter",
    "publier",
    "enviar",
    "invitar",
    "publicar",
    "invia",
    "inviare",
    "invita",
    "invitare",
    "pubblica",
    "pubblicare",
    "verzenden",
    "versturen",
    "uitnodigen",
    "publiceren",
    "wyślij",
    "zaproś",
    "opublikuj",
    "publikuj",
    "skicka",
    "bjud in",
    "publicera",
    "convidar",
    "отправить",
    "пригласить",
    "опубликовать",
];
/// Destructive commands in languages without spaces.
const UNSPACED: [&str; 21] = [
    "删除",
    "刪除",
    "登出",
    "退出",
    "注销",
    "付款",
    "支付",
    "购买",
    "削除",
    "ログアウト",
    "購入",
    "支払",
    "삭제",
    "로그아웃",
    "ลบ",
    "发送",
    "发布",
    "邀请",
    "送信",
    "招待",
    "초대",
];

/// The first destructive word or phrase of a text.
pub fn command(text: &str) -> Option<String> {
    if of_page::is_of_view(text) {
        return None;
    }
    first_match(text, |word| DESTRUCTIVE.contains(&word) || is_foreign(word)).or_else(|| ending(text))
}

/// Verbs that end or undo what they are said of. By themselves they undo what was begun on the page, or say how something is.
const ENDING: [&str; 11] =
    ["empty", "cancel", "reset", "end", "stop", "flush", "restart", "reboot", "clear", "archive", "unpublish"];
/// What belongs to the page and not to the application: ending it harms nothing. After `and`, a second verb follows: `Cancel and close`.
const PARTS_OF_THE_PAGE: [&str; 26] = [
    "filter",
    "filters",
    "search",
    "form",
    "fields",
    "sort",
    "sorting",
    "view",
    "zoom",
    "selection",
    "edit",
    "editing",
    "query",
    "layout",
    "columns",
    "map",
    "timer",
    "preview",
    "playback",
    "video",
    "slideshow",
    "tour",
    "animation",
    "changes",
    "input",
    "and",
];

/// What ends for good where a verb behind it says so: in many languages, and in lists of commands, the verb comes last.
const ENDED: [&str; 40] = [
    "account",
    "membership",
    "subscription",
    "order",
    "booking",
    "reservation",
    "service",
    "server",
    "queue",
    "cache",
    "database",
    "session",
    "trash",
    "bin",
    "folder",
    "mailbox",
    "plan",
    "contract",
    "everything",
    "konto",
    "mitgliedschaft",
    "abo",
    "abonnement",
    "bestellung",
    "buchung",
    "dienst",
    "datenbank",
    "papierkorb",
    "vertrag",
    "compte",
    "commande",
    "adhésion",
    "cuenta",
    "pedido",
    "suscripción",
    "membresía",
    "abbonamento",
    "ordine",
    "lidmaatschap",
    "konta",
];
/// Verbs that end such a thing, beside those above.
const ENDING_LAST: [&str; 22] = [
    "leeren",
    "beenden",
    "zurücksetzen",
    "stoppen",
    "anhalten",
    "neustarten",
    "schließen",
    "aufheben",
    "vider",
    "annuler",
    "terminer",
    "fermer",
    "arrêter",
    "cancelar",
    "vaciar",
    "cerrar",
    "anular",
    "annulla",
    "svuota",
    "annuleren",
    "opzeggen",
    "anuluj",
];

/// A verb that ends something, in front of what it ends, or behind it.
fn ending(text: &str) -> Option<String> {
    let all = words(text);
    // Whoever says how something is commands nothing.
    let is_said =
        all.iter().any(|word| matches!(word.as_str(), "is" | "are" | "was" | "were" | "ist" | "est" | "está"));
    if all.len() <= 4
        && !is_said
        && let Some((verb, rest)) = all.split_last()
        && (ENDING.contains(&verb.as_str()) || ENDING_LAST.contains(&verb.as_str()))
        && rest.iter().any(|word| ENDED.contains(&word.as_str()))
    {
        return Some(all.join(" "));
    }
    let (verb, rest) = all.split_first()?;
    if ENDING_LAST.contains(&verb.as_str()) && rest.iter().any(|word| ENDED.contains(&word.as_str())) {
        return Some(all.join(" "));
    }
    let telling: Vec<&String> = rest.iter().filter(|word| !ARTICLES.contains(&word.as_str())).collect();
    let is_of_page = telling.iter().any(|word| PARTS_OF_THE_PAGE.contains(&word.as_str()));
    (ENDING.contains(&verb.as_str()) && !telling.is_empty() && !is_of_page).then(|| all.join(" "))
}

/// The destructive word in an icon's name.
pub fn picture(icon: &str) -> Option<String> {
    first_match(icon, |word| PICTURES.contains(&word) || DESTRUCTIVE.contains(&word) || is_foreign(word))
}

/// The name of a sign that stands for an icon.
pub fn glyph(text: &str) -> Option<&'static str> {
    const SIGNS: [(&[char], &str); 5] = [
        (&['🗑', '🚮', '♻', '⌫', '⌦'], "trash"),
        (&['✕', '✖', '×', '✗', '✘', '❌', '❎', '⨯', '╳', '🗙', '⊗', '☓'], "cross"),
        (&['⏻', '⏼', '⭘', '⏏'], "power"),
        (&['💳', '💰', '💸'], "pay"),
        (&['📤', '📨', '📧', '✉', '➤', '📢', '📣'], "send"),
    ];
    if text.chars().any(char::is_alphabetic) {
        return None;
    }
    SIGNS.iter().find(|(signs, _)| text.contains(*signs)).map(|(_, name)| *name)
}

/// Whether a text is a command and nothing else: a destructive word, and at most what it is done to.
pub fn is_plain_command(text: &str) -> bool {
    const THINGS: [&str; 28] = [
        "account",
        "item",
        "it",
        "now",
        "session",
        "message",
        "order",
        "user",
        "entry",
        "record",
        "file",
        "post",
        "comment",
        "project",
        "profile",
        "permanently",
        "everything",
        "everywhere",
        "membership",
        "subscription",
        "page",
        "row",
        "photo",
        "picture",
        "list",
        "konto",
        "compte",
        "cuenta",
    ];
    let all = words(text);
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let Some(word) = command(text) else { return false };
    let is_part = |part: &&str| word.split(' ').any(|of_it| of_it == *part);
    let rest: Vec<&&str> = telling.iter().filter(|part| !is_part(part)).collect();
    telling.len() <= 3 && (rest.is_empty() || rest.iter().all(|part| THINGS.contains(part)) || is_foreign(&word))
}

/// The first deleting word in a handler's code.
pub fn handled(code: &str) -> Option<String> {
    let told = spaced(&of_page::without_page(code));
    deletion(&told).or_else(|| first_match(&told, |word| matches!(word, "logout" | "log out" | "signout" | "sign out")))
}

/// The word in a submit address that means a payment or a commitment.
pub fn binding(address: &str) -> Option<String> {
    first_match(address, |word| BINDING.contains(&word))
}

/// The destructive phrase of an address, in either word order: `/account/close`.
pub fn command_in_path(path: &str) -> Option<String> {
    let backwards: Vec<String> = words(path).into_iter().rev().collect();
    command(path).or_else(|| command(&backwards.join(" ")))
}

/// Words that cost money.
const PAYING: [&str; 36] = [
    "pay",
    "buy",
    "purchase",
    "donate",
    "transfer",
    "withdraw",
    "order",
    "checkout",
    "charge",
    "charged",
    "billed",
    "debited",
    "bezahlen",
    "kaufen",
    "zahlungspflichtig",
    "payer",
    "acheter",
    "pagar",
    "comprar",
    "paga",
    "pagare",
    "acquista",
    "betalen",
    "kopen",
    "betala",
    "köp",
    "betal",
    "køb",
    "kjøp",
    "maksa",
    "osta",
    "zapłać",
    "kup",
    "zaplatit",
    "koupit",
    "оплатить",
];
/// Words that reach other people.
const REACHING: [&str; 37] = [
    "send",
    "publish",
    "invite",
    "broadcast",
    "share",
    "senden",
    "versenden",
    "verschicken",
    "einladen",
    "veröffentlichen",
    "envoyer",
    "inviter",
    "publier",
    "enviar",
    "invitar",
    "publicar",
    "invia",
    "inviare",
    "invita",
    "invitare",
    "pubblica",
    "pubblicare",
    "verzenden",
    "versturen",
    "uitnodigen",
    "publiceren",
    "wyślij",
    "zaproś",
    "opublikuj",
    "publikuj",
    "skicka",
    "publicera",
    "convidar",
    "отправить",
    "пригласить",
    "опубликовать",
    "bjud in",
];
/// Words that end a session, and the same in two.
const PARTING: [&str; 37] = [
    "logout",
    "logoff",
    "signout",
    "signoff",
    "log out",
    "log off",
    "sign out",
    "sign off",
    "end session",
    "close session",
    "destroy session",
    "abmelden",
    "ausloggen",
    "déconnexion",
    "déconnecter",
    "salir",
    "desconectar",
    "cerrar sesión",
    "sair",
    "terminar sessão",
    "encerrar sessão",
    "esci",
    "disconnetti",
    "uitloggen",
    "afmelden",
    "logga ut",
    "logg ut",
    "log ud",
    "kirjaudu ulos",
    "wyloguj",
    "odhlásit",
    "kijelentkezés",
    "deconectare",
    "выйти",
    "вийти",
    "登出",
    "ログアウト",
];

/// The rule that a destructive word falls under.
pub fn rule_of(word: &str) -> Rule {
    match word {
        paying if PAYING.contains(&paying) || paying.ends_with("order") || paying.starts_with("order") => Rule::Pays,
        reaching if REACHING.contains(&reaching) => Rule::Sends,
        parting if PARTING.contains(&parting) => Rule::LogsOut,
        _ => Rule::Deletes,
    }
}

/// The first deleting word of a text.
pub fn deletion(text: &str) -> Option<String> {
    first_match(text, |word| DELETING.contains(&word) || is_foreign(word))
}

/// The first word of a text that marks something as irrevocable.
pub fn irrevocable(text: &str) -> Option<String> {
    first_match(text, |word| IRREVOCABLE.contains(&word))
}

/// Whether a word is a command of another language than English.
pub fn is_foreign(word: &str) -> bool {
    FOREIGN.contains(&word) || UNSPACED.iter().any(|command| word.contains(command))
}

fn first_match(text: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let all = words(text);
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let plain: Vec<&str> = all.iter().map(String::as_str).collect();
    let pairs = plain.windows(2).chain(telling.windows(2)).map(|pair| pair.join(" "));
    all.iter().cloned().chain(pairs).find(|word| is_it(word))
}

/// The words of a text, lower case.
pub fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Splits a name such as `btnDelete` or `delete_all` into words.
pub fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    let mut before_is_lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && before_is_lower {
            text.push(' ');
        }
        before_is_lower = letter.is_lowercase();
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_or_published_is_a_command_in_other_languages_too() {
        for label in [
            "Bye, sign me out",
            "Publish",
            "Mitglied einladen",
            "Envoyer à tous",
            "Pubblica",
            "Wyślij list",
            "邀请成员",
        ] {
            assert!(command(label).is_some(), "{label}");
        }
        for label in ["Published", "Sender", "Prices", "Hilfe"] {
            assert!(command(label).is_none(), "{label}");
        }
    }

    #[test]
    fn a_verb_that_ends_something_is_a_command_in_front_of_what_it_ends() {
        let commands =
            ["Empty folder", "Empty the trash", "Cancel my membership", "Reset to factory settings", "Stop service"];
        for label in commands {
            assert!(command(label).is_some(), "{label}");
        }
        for label in [
            "Empty",
            "The folder is empty",
            "Cancel",
            "Reset",
            "Clear filters",
            "Reset the form",
            "Cancel editing",
            "End",
        ] {
            assert!(command(label).is_none(), "{label}");
        }
    }
}
