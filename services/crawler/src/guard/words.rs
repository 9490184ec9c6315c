//! Words by which a page says that something cannot be taken back.

/// Words of commands that cannot be taken back. Two words stand for a phrase, in which articles do not count.
const DESTRUCTIVE: [&str; 52] = [
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
    "empty trash",
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
];
/// Those of them by which something ends, whoever chooses them.
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
/// Words by which a question says that its answer cannot be taken back.
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
/// Words that say nothing by themselves.
const ARTICLES: [&str; 10] = ["the", "a", "an", "this", "that", "these", "your", "my", "our", "all"];
/// What a button says that only agrees to what stands beside it.
pub(super) const AGREEING: [&str; 14] = [
    "ok", "okay", "yes", "confirm", "continue", "proceed", "submit", "apply", "agree", "accept", "go", "do it", "sure",
    "",
];
/// What a question begins with.
pub(super) const ASKING: [&str; 12] =
    ["what", "how", "why", "when", "where", "who", "which", "about", "can", "may", "is", "are"];
/// The same in other languages: delete, pay, buy, log out.
const FOREIGN: [&str; 113] = [
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
];
/// The same in languages that are written without spaces.
const UNSPACED: [&str; 15] = [
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
];

/// The first destructive word or phrase of a text.
pub(super) fn command(text: &str) -> Option<String> {
    found(text, |word| DESTRUCTIVE.contains(&word) || is_foreign(word))
}

/// The first word of a text that ends something.
pub(crate) fn deletion(text: &str) -> Option<String> {
    found(text, |word| DELETING.contains(&word) || is_foreign(word))
}

/// The first word of a text that says that something cannot be taken back.
pub(super) fn irrevocable(text: &str) -> Option<String> {
    found(text, |word| IRREVOCABLE.contains(&word))
}

/// Whether a word is a command of another language than English.
pub(super) fn is_foreign(word: &str) -> bool {
    FOREIGN.contains(&word) || UNSPACED.iter().any(|command| word.contains(command))
}

fn found(text: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let all = words(text);
    let telling: Vec<&str> = all.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
    let plain: Vec<&str> = all.iter().map(String::as_str).collect();
    let pairs = plain.windows(2).chain(telling.windows(2)).map(|pair| pair.join(" "));
    all.iter().cloned().chain(pairs).find(|word| is_it(word))
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// A name such as `btnDelete` or `delete_all` as words.
pub(super) fn spaced(name: &str) -> String {
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
