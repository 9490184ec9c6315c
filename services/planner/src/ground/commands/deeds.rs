//! What controls are called that do what a verb says, in the languages that pages are in most often.

/// A verb of instructions with its other names.
const DEEDS: &[(&str, &[&str])] = &[
    (
        "duplicate",
        &[
            "copy",
            "make a copy",
            "create a copy",
            "duplicate",
            "clone",
            "duplizieren",
            "kopieren",
            "dupliquer",
            "copier",
            "duplicar",
            "copiar",
            "duplica",
            "dupliceren",
        ],
    ),
    ("archive", &["archive", "archivieren", "archiver", "archivar", "arquivar", "archivia", "archiveren"]),
    ("publish", &["publish", "veröffentlichen", "publier", "publicar", "pubblica", "publiceren"]),
    ("take offline", &["take offline", "unpublish", "offline", "set offline", "go offline"]),
    ("bring online", &["bring online", "publish", "online", "set online", "go online", "put online"]),
    ("put online", &["put online", "publish", "online", "set online", "go online", "bring online"]),
    ("put live", &["put live", "publish", "go live", "set live"]),
    ("bring live", &["bring live", "publish", "go live", "set live"]),
    ("approve", &["approve", "genehmigen", "freigeben", "approuver", "aprobar", "aprovar", "approva", "goedkeuren"]),
    ("reject", &["reject", "decline", "ablehnen", "refuser", "rejeter", "rechazar", "rejeitar", "rifiuta", "afwijzen"]),
    ("renew", &["renew", "verlängern", "erneuern", "renouveler", "prolonger", "renovar", "rinnova", "verlengen"]),
    ("restore", &["restore", "wiederherstellen", "restaurer", "restaurar", "ripristina", "herstellen"]),
    (
        "enrol",
        &[
            "enrol",
            "enroll",
            "sign up",
            "join",
            "anmelden",
            "einschreiben",
            "s'inscrire",
            "inscribirse",
            "inscribirme",
            "apuntarme",
            "apuntarse",
            "matricularme",
            "matricularse",
            "se inscrever",
            "iscriviti",
            "inschrijven",
        ],
    ),
    (
        "unsubscribe",
        &[
            "unsubscribe",
            "abmelden",
            "abbestellen",
            "se désabonner",
            "désabonner",
            "désinscrire",
            "darse de baja",
            "dar de baja",
            "disiscrivi",
            "uitschrijven",
        ],
    ),
    (
        "reserve",
        &["reserve", "place a hold", "reservieren", "vormerken", "réserver", "reservar", "prenota", "reserveren"],
    ),
    ("accept", &["accept", "annehmen", "akzeptieren", "accepter", "aceptar", "aceitar", "accetta", "accepteren"]),
    ("download", &["download", "herunterladen", "télécharger", "descargar", "baixar", "scarica", "downloaden"]),
    ("print", &["print", "drucken", "imprimer", "imprimir", "stampa", "afdrukken"]),
    ("pin", &["pin", "anheften", "épingler", "fijar", "fixar", "fissa", "vastzetten"]),
    ("mute", &["mute", "stummschalten", "muet", "silenciar", "silenzia", "dempen"]),
    ("block", &["block", "sperren", "blockieren", "bloquer", "bloquear", "blocca", "blokkeren"]),
    ("reopen", &["reopen", "wieder öffnen", "erneut öffnen", "rouvrir", "reabrir", "riapri", "heropenen"]),
    (
        "join the waiting list",
        &[
            "join the waiting list",
            "join waiting list",
            "join the waitlist",
            "join waitlist",
            "add me to the waiting list",
            "auf die warteliste",
            "warteliste beitreten",
            "rejoindre la liste d'attente",
            "apuntarme a la lista de espera",
            "unirse a la lista de espera",
            "iscriviti alla lista d'attesa",
            "op de wachtlijst",
        ],
    ),
    (
        "drop",
        &[
            "drop",
            "unenrol",
            "unenroll",
            "withdraw",
            "leave",
            "kurs verlassen",
            "vom kurs abmelden",
            "se désinscrire",
            "darse de baja",
            "darme de baja",
            "dejar el curso",
            "abandonar",
            "disiscriviti",
            "uitschrijven",
        ],
    ),
    (
        "schedule",
        &["schedule", "planen", "einplanen", "planifier", "programmer", "programar", "programma", "inplannen"],
    ),
    ("rent", &["rent", "mieten", "ausleihen", "louer", "alquilar", "noleggia", "huren"]),
    ("lock", &["lock", "sperren", "verrouiller", "bloquear", "blocca", "vergrendelen"]),
];

/// Whether a word is a name of a control for a deed.
pub(crate) fn is_name(word: &str) -> bool {
    DEEDS.iter().any(|(_, names)| names.contains(&word))
}

/// What a control may be called that does this; none where the verb is no such one.
pub(crate) fn names_of(verb: &str) -> Option<&'static [&'static str]> {
    let plain = match verb {
        "copy" | "clone" => "duplicate",
        "decline" => "reject",
        "enroll" => "enrol",
        other => other,
    };
    DEEDS.iter().find(|(known, _)| *known == plain).map(|(_, names)| *names)
}
