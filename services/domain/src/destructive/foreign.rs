//! Destructive commands in other languages than English, by the rule that each falls under. Verbs in the forms that stand on buttons.

use crate::harm::Rule;
use std::collections::HashSet;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Commands whose words are separated by spaces; two words form a phrase.
const COMMANDS: [(Rule, &[&str]); 4] = [
    (
        Rule::Deletes,
        &[
            "löschen",
            "entfernen",
            "irtisano",
            "disdire",
            "disdici",
            "recedi",
            "rescindir",
            "wypowiedz",
            "vypovědět",
            "feshet",
            "расторгнуть",
            "felmond",
            "opsig",
            "verwerfen",
            "kündigen",
            "stornieren",
            "leeren",
            "deaktivieren",
            "sperren",
            "widerrufen",
            "deinstallieren",
            "supprimer",
            "effacer",
            "détruire",
            "résilier",
            "retirer",
            "vider",
            "purger",
            "écraser",
            "désactiver",
            "bloquer",
            "bannir",
            "désinstaller",
            "révoquer",
            "eliminar",
            "borrar",
            "suprimir",
            "quitar",
            "vaciar",
            "retirar",
            "desactivar",
            "bloquear",
            "revocar",
            "desinstalar",
            "excluir",
            "apagar",
            "remover",
            "deletar",
            "esvaziar",
            "desativar",
            "revogar",
            "elimina",
            "eliminare",
            "cancella",
            "cancellare",
            "rimuovi",
            "rimuovere",
            "svuota",
            "svuotare",
            "ritira",
            "disattiva",
            "disattivare",
            "blocca",
            "bloccare",
            "revoca",
            "disinstalla",
            "verwijderen",
            "verwijder",
            "wissen",
            "leegmaken",
            "intrekken",
            "deactiveren",
            "blokkeren",
            "radera",
            "ta bort",
            "töm",
            "inaktivera",
            "blockera",
            "återkalla",
            "avinstallera",
            "slett",
            "slette",
            "slet",
            "fjern",
            "tøm",
            "deaktiver",
            "bloker",
            "blokker",
            "poista",
            "tyhjennä",
            "estä",
            "usuń",
            "skasuj",
            "opróżnij",
            "dezaktywuj",
            "zablokuj",
            "odinstaluj",
            "smazat",
            "odstranit",
            "vyprázdnit",
            "deaktivovat",
            "zablokovat",
            "törlés",
            "șterge",
            "sil",
            "kaldır",
            "boşalt",
            "engelle",
            "διαγραφή",
            "εκκαθάριση",
            "удалить",
            "стереть",
            "очистить",
            "заблокировать",
            "отключить",
            "видалити",
            "очистити",
            "заблокувати",
            "изтрий",
            "מחק",
            "حذف",
            "हटाएं",
            "hapus",
            "xóa",
            "forigi",
            "esborra",
            "suprimeix",
            "elimineu",
        ],
    ),
    (
        Rule::Pays,
        &[
            "bezahlen",
            "kaufen",
            "zahlungspflichtig",
            "überweisen",
            "spenden",
            "payer",
            "acheter",
            "rembourser",
            "pagar",
            "comprar",
            "reembolsar",
            "donar",
            "doar",
            "paga",
            "pagare",
            "acquista",
            "acquistare",
            "rimborsa",
            "betalen",
            "kopen",
            "overmaken",
            "terugbetalen",
            "doneren",
            "betala",
            "köp",
            "betal",
            "køb",
            "kjøp",
            "maksa",
            "osta",
            "zapłać",
            "kup",
            "przelej",
            "zaplatit",
            "koupit",
            "öde",
            "satın al",
            "оплатить",
            "купить",
            "сплатити",
            "купити",
        ],
    ),
    (
        Rule::Sends,
        &[
            "senden",
            "versenden",
            "verschicken",
            "einladen",
            "veröffentlichen",
            "absenden",
            "envoyer",
            "inviter",
            "publier",
            "expédier",
            "diffuser",
            "enviar",
            "invitar",
            "publicar",
            "convidar",
            "divulgar",
            "invia",
            "inviare",
            "invita",
            "invitare",
            "pubblica",
            "pubblicare",
            "spedisci",
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
            "udgiv",
            "lähetä",
            "kutsu",
            "julkaise",
            "odeslat",
            "pozvat",
            "zveřejnit",
            "gönder",
            "yayınla",
            "davet et",
            "отправить",
            "пригласить",
            "опубликовать",
            "надіслати",
            "запросити",
            "опублікувати",
            "αποστολή",
            "δημοσίευση",
            "πρόσκληση",
            "إرسال",
            "نشر",
            "دعوة",
        ],
    ),
    (
        Rule::LogsOut,
        &[
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
            "çıkış yap",
            "αποσύνδεση",
            "выйти",
            "вийти",
            "התנתק",
            "خروج",
            "تسجيل الخروج",
            "keluar",
            "đăng xuất",
        ],
    ),
];
/// Commands of languages without spaces, wherever they stand in a text.
const UNSPACED: [(Rule, &[&str]); 4] = [
    (
        Rule::Deletes,
        &[
            "删除",
            "刪除",
            "清空",
            "禁用",
            "停用",
            "冻结",
            "削除",
            "空にする",
            "無効",
            "解約",
            "退会",
            "삭제",
            "비우기",
            "차단",
            "탈퇴",
            "해지",
            "ลบ",
        ],
    ),
    (Rule::Pays, &["付款", "支付", "购买", "转账", "購入", "支払", "결제"]),
    (Rule::Sends, &["发送", "发布", "邀请", "送信", "招待", "公開する", "초대", "발송", "보내기"]),
    (Rule::LogsOut, &["登出", "退出", "注销", "ログアウト", "로그아웃"]),
];
/// Signs by which such a language says what was done, and commands nothing: `削除した`, `已删除`.
const TELLING: [&str; 7] = ["した", "された", "済", "已", "的", "된", "되었"];

/// The rule that a word or phrase falls under; none where it is no command of these languages.
pub(super) fn rule_of(word: &str) -> Option<Rule> {
    let spaced = COMMANDS.iter().find(|(_, commands)| commands.contains(&word));
    let unspaced = || {
        let is_said = TELLING.iter().any(|sign| word.contains(sign));
        UNSPACED.iter().find(|(_, commands)| !is_said && commands.iter().any(|command| word.contains(command)))
    };
    spaced.or_else(unspaced).map(|(rule, _)| *rule)
}

/// Whether a word is such a command without its accents, as addresses are written.
pub(super) fn is_folded(word: &str) -> bool {
    static FOLDED: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let all = COMMANDS.iter().flat_map(|(_, commands)| commands.iter());
        all.map(|command| folded(command)).filter(|command| command.len() >= SHORTEST).collect()
    });
    FOLDED.contains(word)
}

/// Shortest command that is known without its accents: `tom` is also a name.
const SHORTEST: usize = 4;

/// A word without accents.
pub(crate) fn folded(word: &str) -> String {
    let plain = |letter: char| match letter {
        'ł' => 'l',
        'ø' => 'o',
        'đ' => 'd',
        'ı' => 'i',
        other => other,
    };
    word.nfd().filter(|letter| !is_combining_mark(*letter)).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_stands_under_two_rules() {
        let all: Vec<&str> =
            COMMANDS.iter().chain(&UNSPACED).flat_map(|(_, commands)| commands.iter().copied()).collect();
        let several: Vec<&&str> =
            all.iter().filter(|one| all.iter().filter(|other| other == one).count() > 1).collect();
        assert!(several.is_empty(), "{several:?}");
    }

    #[test]
    fn what_was_done_is_no_command() {
        assert_eq!(rule_of("削除"), Some(Rule::Deletes));
        assert_eq!(rule_of("最近削除した項目"), None);
        assert_eq!(rule_of("已删除"), None);
    }
}
