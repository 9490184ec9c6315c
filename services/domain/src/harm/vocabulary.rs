//! Words for what changes something without destroying it, in the languages of [`crate::destructive`]: creating, saving, deciding,
//! posting, settings, administration. Whoever uses them decides what follows.

use super::upkeep::{calls_somebody, tends_storage};
use crate::destructive::words;

/// What creates something new.
pub(super) const CREATING: [&str; 58] = [
    "new",
    "add",
    "create",
    "copy",
    "duplicate",
    "clone",
    "register",
    "registration",
    "signup",
    "join",
    "insert",
    "import",
    "append",
    "draft",
    "hinzufügen",
    "neu",
    "neue",
    "neuer",
    "neues",
    "anlegen",
    "erstellen",
    "registrieren",
    "ajouter",
    "créer",
    "nouveau",
    "nouvelle",
    "inscription",
    "añadir",
    "agregar",
    "crear",
    "nuevo",
    "nueva",
    "registrarse",
    "aggiungi",
    "aggiungere",
    "crea",
    "creare",
    "nuovo",
    "nuova",
    "toevoegen",
    "nieuw",
    "nieuwe",
    "aanmaken",
    "dodaj",
    "utwórz",
    "nowy",
    "nowa",
    "skapa",
    "ny",
    "nytt",
    "adicionar",
    "criar",
    "novo",
    "nova",
    "добавить",
    "создать",
    "новый",
    "новая",
];
const CREATING_UNSPACED: [&str; 7] = ["添加", "新建", "创建", "新增", "追加", "作成", "新規"];

/// What is collected for oneself on the way: what is put there can be taken out again.
pub(super) const COLLECTIONS: [&str; 26] = [
    "cart",
    "basket",
    "bag",
    "trolley",
    "comparison",
    "compare",
    "wishlist",
    "favorites",
    "favourites",
    "watchlist",
    "bookmarks",
    "shortlist",
    "selection",
    "warenkorb",
    "vergleich",
    "merkliste",
    "wunschliste",
    "panier",
    "comparateur",
    "carrito",
    "cesta",
    "carrello",
    "confronto",
    "winkelwagen",
    "koszyk",
    "varukorg",
];

/// What keeps a changed value.
pub(super) const UPDATING: [&str; 59] = [
    "save",
    "update",
    "change",
    "rename",
    "edit",
    "modify",
    "set",
    "store",
    "overwrite",
    "replace",
    "speichern",
    "aktualisieren",
    "ändern",
    "übernehmen",
    "umbenennen",
    "bearbeiten",
    "enregistrer",
    "sauvegarder",
    "actualiser",
    "modifier",
    "renommer",
    "guardar",
    "actualizar",
    "cambiar",
    "modificar",
    "salva",
    "salvare",
    "aggiorna",
    "aggiornare",
    "modifica",
    "opslaan",
    "bewaren",
    "bijwerken",
    "wijzigen",
    "zapisz",
    "aktualizuj",
    "zaktualizuj",
    "zmień",
    "spara",
    "uppdatera",
    "ändra",
    "lagre",
    "gem",
    "tallenna",
    "salvar",
    "atualizar",
    "alterar",
    "uložit",
    "mentés",
    "kaydet",
    "güncelle",
    "сохранить",
    "обновить",
    "изменить",
    "зберегти",
    "lưu",
    "simpan",
    "αποθήκευση",
    "salvează",
];
const UPDATING_UNSPACED: [&str; 6] = ["保存", "更新", "修改", "变更", "変更", "저장"];

/// What settles the fate of a record that is there.
pub(super) const DECIDING: [&str; 109] = [
    "approve",
    "reject",
    "accept",
    "decline",
    "deny",
    "confirm",
    "assign",
    "unassign",
    "reassign",
    "close",
    "reopen",
    "resolve",
    "merge",
    "lock",
    "unlock",
    "vote",
    "upvote",
    "downvote",
    "like",
    "unlike",
    "star",
    "unstar",
    "follow",
    "unfollow",
    "mark",
    "promote",
    "demote",
    "hide",
    "unhide",
    "pin",
    "unpin",
    "archive",
    "unarchive",
    "restore",
    "activate",
    "enable",
    "disable",
    "complete",
    "finish",
    "toggle",
    "move",
    "flag",
    "report",
    "cancel",
    "kick",
    "mute",
    "rate",
    "grant",
    "release",
    "deploy",
    "escalate",
    "verify",
    "snooze",
    "dismiss",
    "start",
    "stop",
    "pause",
    "resume",
    "retry",
    "rerun",
    "run",
    "trigger",
    "reset",
    "book",
    "reserve",
    "claim",
    "redeem",
    "swap",
    "split",
    "renew",
    "extend",
    "genehmigen",
    "ablehnen",
    "annehmen",
    "bestätigen",
    "zuweisen",
    "schließen",
    "archivieren",
    "aktivieren",
    "deaktivieren",
    "freigeben",
    "approuver",
    "refuser",
    "accepter",
    "attribuer",
    "archiver",
    "activer",
    "désactiver",
    "aprobar",
    "rechazar",
    "aceptar",
    "asignar",
    "archivar",
    "activar",
    "desactivar",
    "approva",
    "rifiuta",
    "accetta",
    "archivia",
    "attiva",
    "disattiva",
    "goedkeuren",
    "afwijzen",
    "zatwierdź",
    "odrzuć",
    "godkänn",
    "avslå",
    "одобрить",
    "отклонить",
];

/// What other people read at once.
const POSTING: [&str; 48] = [
    "post",
    "reply",
    "comment",
    "tweet",
    "share",
    "announce",
    "notify",
    "respond",
    "repost",
    "forward",
    "answer",
    "ask",
    "antworten",
    "kommentieren",
    "teilen",
    "posten",
    "benachrichtigen",
    "répondre",
    "commenter",
    "partager",
    "poster",
    "responder",
    "comentar",
    "compartir",
    "rispondi",
    "commenta",
    "condividi",
    "beantwoorden",
    "reageren",
    "delen",
    "plaatsen",
    "odpowiedz",
    "skomentuj",
    "udostępnij",
    "svara",
    "kommentera",
    "dela",
    "kommenter",
    "svar",
    "del",
    "compartilhar",
    "publica",
    "ответить",
    "комментировать",
    "поделиться",
    "bagikan",
    "paylaş",
    "yanıtla",
];
const POSTING_UNSPACED: [&str; 7] = ["回复", "评论", "分享", "返信", "コメント", "投稿", "共有"];

/// What belongs to an account or to the application as a whole.
const SETTINGS: [&str; 82] = [
    "settings",
    "setting",
    "preferences",
    "preference",
    "configuration",
    "config",
    "profile",
    "notification",
    "notifications",
    "timezone",
    "locale",
    "language",
    "avatar",
    "privacy",
    "newsletter",
    "subscription",
    "signature",
    "einstellungen",
    "einstellung",
    "profil",
    "benachrichtigungen",
    "zeitzone",
    "sprache",
    "datenschutz",
    "paramètres",
    "préférences",
    "réglages",
    "langue",
    "fuseau",
    "confidentialité",
    "ajustes",
    "configuración",
    "preferencias",
    "perfil",
    "notificaciones",
    "idioma",
    "zona",
    "privacidad",
    "impostazioni",
    "preferenze",
    "profilo",
    "notifiche",
    "lingua",
    "fuso",
    "instellingen",
    "voorkeuren",
    "profiel",
    "meldingen",
    "taal",
    "tijdzone",
    "ustawienia",
    "preferencje",
    "powiadomienia",
    "język",
    "strefa",
    "inställningar",
    "aviseringar",
    "språk",
    "tidszon",
    "innstillinger",
    "indstillinger",
    "sprog",
    "configurações",
    "preferências",
    "notificações",
    "настройки",
    "профиль",
    "уведомления",
    "язык",
    "nastavení",
    "beállítások",
    "ayarlar",
    "profili",
    "ρυθμίσεις",
    "setări",
    "налаштування",
    "pengaturan",
    "asetukset",
    "kieli",
    "2fa",
    "mfa",
    "webhook",
];
const SETTINGS_UNSPACED: [&str; 7] = ["设置", "设定", "偏好", "設定", "プロフィール", "通知", "설정"];
/// The same in two words.
const SETTINGS_PAIRS: [&str; 12] = [
    "time zone",
    "two factor",
    "dark mode",
    "display name",
    "e mail",
    "email address",
    "home page",
    "default language",
    "log in",
    "site name",
    "site title",
    "company name",
];

/// What only administrators have: ends, starts and switches of it concern everybody.
pub(super) const ADMINISTERED: [&str; 57] = [
    "database",
    "databases",
    "cache",
    "caches",
    "queue",
    "queues",
    "maintenance",
    "token",
    "tokens",
    "apikey",
    "server",
    "servers",
    "service",
    "services",
    "daemon",
    "worker",
    "workers",
    "backup",
    "backups",
    "migration",
    "migrations",
    "index",
    "reindex",
    "cron",
    "scheduler",
    "cluster",
    "node",
    "firewall",
    "license",
    "certificate",
    "credentials",
    "secret",
    "secrets",
    "failover",
    "replica",
    "shutdown",
    "restart",
    "reboot",
    "datenbank",
    "wartung",
    "warteschlange",
    "dienst",
    "zwischenspeicher",
    "sicherung",
    "serveur",
    "mantenimiento",
    "servidor",
    "servicio",
    "cola",
    "manutenzione",
    "servizio",
    "onderhoud",
    "wachtrij",
    "baza",
    "kolejka",
    "usługa",
    "underhåll",
];
/// Words of addresses for it. Fewer: `/index.php` and `/services` belong to anybody.
pub(super) const ADMINISTERED_PATHS: [&str; 24] = [
    "database",
    "databases",
    "cache",
    "caches",
    "queue",
    "queues",
    "maintenance",
    "token",
    "tokens",
    "apikey",
    "apikeys",
    "daemon",
    "workers",
    "backup",
    "backups",
    "migrations",
    "reindex",
    "cron",
    "scheduler",
    "failover",
    "replica",
    "shutdown",
    "restart",
    "reboot",
];
/// What is done to it. A word that only shows something is none of these.
const OPERATING: [&str; 67] = [
    "enable",
    "disable",
    "activate",
    "deactivate",
    "start",
    "stop",
    "restart",
    "run",
    "rotate",
    "regenerate",
    "generate",
    "reset",
    "rebuild",
    "flush",
    "clear",
    "restore",
    "pause",
    "resume",
    "install",
    "upgrade",
    "switch",
    "toggle",
    "set",
    "renew",
    "empty",
    "drop",
    "truncate",
    "purge",
    "recreate",
    "create",
    "replace",
    "reload",
    "reboot",
    "drain",
    "kill",
    "put",
    "turn",
    "enter",
    "force",
    "leeren",
    "starten",
    "stoppen",
    "anhalten",
    "neustarten",
    "aktivieren",
    "erneuern",
    "vider",
    "démarrer",
    "arrêter",
    "redémarrer",
    "activer",
    "vaciar",
    "iniciar",
    "detener",
    "reiniciar",
    "activar",
    "svuota",
    "avvia",
    "ferma",
    "riavvia",
    "attiva",
    "legen",
    "wyczyść",
    "uruchom",
    "zatrzymaj",
    "töm",
    "starta",
];

/// What only answers, though it may be asked by `POST`.
pub(super) const READING: [&str; 34] = [
    "search",
    "query",
    "filter",
    "filters",
    "find",
    "lookup",
    "autocomplete",
    "suggest",
    "suggestions",
    "validate",
    "check",
    "preview",
    "count",
    "calculate",
    "quote",
    "estimate",
    "translate",
    "render",
    "login",
    "signin",
    "session",
    "collect",
    "analytics",
    "track",
    "telemetry",
    "metrics",
    "beacon",
    "ping",
    "heartbeat",
    "poll",
    "sort",
    "compare",
    "suche",
    "recherche",
];

/// Parts of addresses below which texts stand that explain things.
const TEXTS: [&str; 40] = [
    "help",
    "docs",
    "doc",
    "documentation",
    "guide",
    "guides",
    "faq",
    "blog",
    "news",
    "article",
    "articles",
    "wiki",
    "manual",
    "learn",
    "knowledge",
    "tips",
    "tutorial",
    "tutorials",
    "topics",
    "glossary",
    "how",
    "howto",
    "policy",
    "policies",
    "terms",
    "legal",
    "story",
    "stories",
    "press",
    "recipes",
    "hilfe",
    "ratgeber",
    "aide",
    "ayuda",
    "aiuto",
    "hulp",
    "pomoc",
    "hjälp",
    "about",
    "category",
];

fn says(text: &str, list: &[&str]) -> bool {
    words(text).iter().any(|word| list.contains(&word.as_str()))
}

fn contains(text: &str, list: &[&str]) -> bool {
    list.iter().any(|word| text.contains(word))
}

/// Whether a text begins or ends with one of these verbs: languages differ in where the verb stands.
pub(super) fn says_verb(text: &str, list: &[&str]) -> bool {
    let all = words(text);
    let is_it = |word: Option<&String>| word.is_some_and(|word| list.contains(&word.as_str()));
    is_it(all.first()) || is_it(all.last())
}

/// Whether a part of an address says that texts stand below it.
pub(super) fn sentence_of(word: &str) -> bool {
    TEXTS.contains(&word)
}

/// Whether an address is that of a text that explains something, and of no thing among many.
pub fn explains(path: &str) -> bool {
    !path.contains(|letter: char| letter.is_ascii_digit())
        && words(path.split('?').next().unwrap_or_default()).iter().any(|word| sentence_of(word))
}

/// Whether a button creates something new.
pub fn creates(label: &str) -> bool {
    says(label, &CREATING) || contains(label, &CREATING_UNSPACED)
}

/// Whether a button keeps a changed value.
pub fn updates(label: &str) -> bool {
    says_verb(label, &UPDATING) || contains(label, &UPDATING_UNSPACED)
}

/// Whether a control settles the fate of a record.
pub fn decides(label: &str) -> bool {
    words(label).len() <= 4 && says_verb(label, &DECIDING)
}

/// Whether a button makes other people read something.
pub fn posts(label: &str) -> bool {
    calls_somebody(label)
        || words(label).len() <= 4 && (says_verb(label, &POSTING) || contains(label, &POSTING_UNSPACED))
}

/// Whether a text speaks of settings of the account or the application.
pub fn is_of_settings(text: &str) -> bool {
    let joined = words(text).join(" ");
    says(text, &SETTINGS)
        || contains(text, &SETTINGS_UNSPACED)
        || SETTINGS_PAIRS.iter().any(|pair| format!(" {joined} ").contains(&format!(" {pair} ")))
}

/// Whether the words of an address say the same.
pub(super) fn is_of_settings_path(all: &[String]) -> bool {
    all.iter().any(|word| SETTINGS.contains(&word.as_str()))
}

/// Whether a control starts, stops or switches something that administrators have.
pub fn names_administration(label: &str) -> bool {
    let all = words(label);
    let is_key = all.windows(2).any(|pair| pair[0] == "api" && pair[1] == "key" || pair[1] == "mode");
    let names = is_key || all.iter().any(|word| ADMINISTERED.contains(&word.as_str()));
    let operates = all.iter().any(|word| OPERATING.contains(&word.as_str()));
    // Whoever looks for a mode of showing the page administers nothing.
    let is_look =
        all.iter().any(|word| matches!(word.as_str(), "dark" | "light" | "view" | "edit" | "reading" | "compact"));
    tends_storage(label) || (all.len() <= 6 && names && operates && !is_look)
}

/// Whether a text marks a place as dangerous.
pub fn of_danger(text: &str) -> bool {
    const PLACES: [&str; 12] = [
        "danger zone",
        "dangerous actions",
        "gefahrenzone",
        "gefahrenbereich",
        "zone de danger",
        "zone dangereuse",
        "zona de peligro",
        "zona pericolosa",
        "gevarenzone",
        "strefa zagrożenia",
        "zona de perigo",
        "riskzon",
    ];
    let text = text.to_lowercase();
    PLACES.iter().any(|place| text.contains(place)) || text.contains("опасная зона") || text.contains("危险")
}

/// Whether a text asks something.
pub fn opens_question(text: &str) -> bool {
    text.contains(['?', '？', '¿', '؟']) || text.to_lowercase().contains("are you sure")
}

/// Whether a text names an amount of money: a currency beside a number.
pub fn is_price(text: &str) -> bool {
    const SIGNS: [char; 9] = ['€', '$', '£', '¥', '₽', '₹', '₩', '₺', '₴'];
    const NAMES: [&str; 14] =
        ["eur", "usd", "gbp", "chf", "jpy", "pln", "zł", "kr", "sek", "nok", "dkk", "euro", "euros", "dollars"];
    let has_digit = |text: &str| text.chars().any(|letter| letter.is_ascii_digit());
    let near = |at: usize, sign: char| {
        let before: String = text[..at].chars().rev().take(8).collect();
        let after: String = text[at + sign.len_utf8()..].chars().take(8).collect();
        has_digit(&before) || has_digit(&after)
    };
    let all = words(text);
    let named = all.windows(2).any(|pair| {
        let is_name = |word: &String| NAMES.contains(&word.as_str());
        (is_name(&pair[0]) && has_digit(&pair[1])) || (has_digit(&pair[0]) && is_name(&pair[1]))
    });
    named || text.char_indices().any(|(at, letter)| SIGNS.contains(&letter) && near(at, letter))
}

/// Whether a text is one that explorations type: it bears the name.
pub fn is_ours(text: &str) -> bool {
    text.to_lowercase().contains("rutter")
}

/// Whether a control puts something into a collection of one's own, such as a cart.
pub fn puts_into_collection(label: &str) -> bool {
    says(label, &COLLECTIONS) && !takes_something_out(label)
        || matches!(label, "compare" | "bookmark" | "save for later")
}

/// Whether a control takes something out of such a collection; `place` is where it stands: the address of the page.
pub fn takes_from_collection(label: &str, place: &str) -> bool {
    takes_something_out(label) && (says(label, &COLLECTIONS) || says(place, &COLLECTIONS))
}

fn takes_something_out(label: &str) -> bool {
    crate::destructive::deletion(label).is_some()
}
