//! Words for what opens something to whoever knows it, and whether a control makes such a secret anew.

use super::{contains, creates};

/// What opens something to whoever knows it.
const SECRETS: [&str; 14] = [
    "code",
    "codes",
    "pin",
    "passcode",
    "passphrase",
    "password",
    "passwords",
    "key",
    "keys",
    "token",
    "tokens",
    "secret",
    "secrets",
    "credentials",
];
/// The same in other languages: beginnings of words, or a part of the text where words are not set apart.
const FOREIGN_SECRETS: [&str; 30] = [
    "passwort",
    "kennwort",
    "schlüssel",
    "zugangsdaten",
    "mot de passe",
    "contraseña",
    "clave",
    "senha",
    "palavra passe",
    "chiave",
    "wachtwoord",
    "sleutel",
    "hasło",
    "klucz",
    "lösenord",
    "nyckel",
    "adgangskode",
    "nøkkel",
    "passord",
    "salasana",
    "heslo",
    "klíč",
    "jelszó",
    "şifre",
    "parol",
    "ключ",
    "пароль",
    "密码",
    "パスワード",
    "비밀번호",
];

/// Whether a control lets somebody in from then on: `Add SSH key`, `New webhook`, `Add collaborator`.
pub(in crate::harm) fn grants_access(all: &[String]) -> bool {
    const KEYS: [&str; 8] = ["ssh", "gpg", "public", "deploy", "access", "signing", "security", "api"];
    const WAYS: [&str; 12] = [
        "webhook",
        "webhooks",
        "passkey",
        "collaborator",
        "collaborators",
        "administrator",
        "admin",
        "moderator",
        "superuser",
        "maintainer",
        "delegate",
        "trustee",
    ];
    let says = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    let is_key = says(&["key", "keys"]) && says(&KEYS);
    all.len() <= 5 && creates(&all.join(" ")) && (is_key || says(&WAYS))
}

/// Whether a control makes a secret anew, by which the old one opens nothing any more: `Make a new code`.
pub(in crate::harm) fn renews_secret(all: &[String]) -> bool {
    const RENEWING: [&str; 6] = ["regenerate", "rotate", "renew", "reissue", "reset", "roll"];
    const MAKING: [&str; 5] = ["make", "generate", "issue", "get", "create"];
    let says = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    let is_new = all.iter().any(|word| word == "new");
    let joined = all.join(" ");
    // Other languages say with one word that a secret is made and that it is made anew.
    let makes_foreign = || names_foreign_secret(all) && creates(&joined);
    all.len() <= 6 && ((says(&SECRETS) && (says(&RENEWING) || (says(&MAKING) && is_new))) || makes_foreign())
}

/// Whether a text speaks of a secret in another language than English, in whatever case; a key word is none.
fn names_foreign_secret(all: &[String]) -> bool {
    const ENDING: usize = 2;
    const NONE: [&str; 3] = ["palabra clave", "palavra chave", "parola chiave"];
    let joined = all.join(" ");
    let is_form =
        |word: &String, secret: &str| word.strip_prefix(secret).is_some_and(|rest| rest.chars().count() <= ENDING);
    // Where words are not set apart, a part of the text is a word.
    let is_unspaced = |secret: &str| secret.contains(' ') || secret.chars().all(|sign| sign > '\u{2fff}');
    let is_named = |secret: &str| match is_unspaced(secret) {
        true => joined.contains(secret),
        false => all.iter().any(|word| is_form(word, secret)),
    };
    // `overførselskode`, `Zugangscode`: a code for something, in one word. What such a code marks or takes off a price opens nothing.
    const CODES: [&str; 10] = ["kode", "koden", "code", "codes", "kod", "koodi", "kód", "schlüssel", "nyckel", "nøgle"];
    const MARKS: [&str; 14] = [
        "barcode",
        "qrcode",
        "postcode",
        "sourcecode",
        "quellcode",
        "unicode",
        "strekkode",
        "stregkode",
        "streckkod",
        "postkode",
        "gutscheincode",
        "rabattcode",
        "rabattkode",
        "rabatkode",
    ];
    let is_code = |word: &String| {
        let is_joined = |end: &str| word.strip_suffix(end).is_some_and(|first| first.chars().count() >= 3);
        CODES.iter().any(|end| is_joined(end)) && !MARKS.contains(&word.as_str())
    };
    if all.iter().any(is_code) {
        return true;
    }
    !contains(&joined, &NONE) && FOREIGN_SECRETS.iter().any(|secret| is_named(secret))
}
