//! What forms call the fields that instructions speak of most often, in a few languages.

use crate::ground::words::tokens;
use std::sync::LazyLock;

/// The names of one field. Instructions may say any of them, and labels may: words of a label beside it count for nothing.
const FIELDS: &[&[&str]] = &[
    &["first name", "given name", "forename", "vorname", "prénom", "nombre", "nome", "voornaam", "primeiro nome"],
    &[
        "last name",
        "surname",
        "family name",
        "nachname",
        "familienname",
        "nom de famille",
        "nom",
        "apellido",
        "apellidos",
        "cognome",
        "achternaam",
        "sobrenome",
        "apelido",
    ],
    &["nickname", "spitzname", "surnom", "apodo", "soprannome", "bijnaam"],
    &[
        "birthday",
        "date of birth",
        "birth date",
        "birthdate",
        "geburtstag",
        "geburtsdatum",
        "anniversaire",
        "date de naissance",
        "cumpleaños",
        "fecha de nacimiento",
        "compleanno",
        "data di nascita",
        "verjaardag",
        "geboortedatum",
        "data de nascimento",
    ],
    &[
        "email",
        "e-mail",
        "email address",
        "e-mail address",
        "mail address",
        "e-mail-adresse",
        "mailadresse",
        "adresse e-mail",
        "courriel",
        "correo electrónico",
        "correo",
        "posta elettronica",
        "indirizzo e-mail",
        "e-mailadres",
        "endereço de e-mail",
    ],
    &[
        "phone",
        "phone number",
        "telephone",
        "telephone number",
        "mobile",
        "mobile number",
        "cell phone",
        "telefon",
        "telefonnummer",
        "handy",
        "handynummer",
        "mobilnummer",
        "téléphone",
        "numéro de téléphone",
        "teléfono",
        "móvil",
        "telefono",
        "cellulare",
        "telefoon",
        "telefoonnummer",
        "telefone",
        "celular",
        "telemóvel",
    ],
    &["address", "adresse", "anschrift", "dirección", "indirizzo", "adres", "endereço", "morada"],
    &["street", "street address", "straße", "strasse", "rue", "calle", "via", "straat", "rua"],
    &["city", "town", "stadt", "ort", "wohnort", "ville", "ciudad", "città", "stad", "woonplaats", "cidade"],
    &[
        "zip",
        "zip code",
        "postal code",
        "postcode",
        "post code",
        "plz",
        "postleitzahl",
        "code postal",
        "código postal",
        "cap",
    ],
    &["country", "land", "pays", "país", "paese"],
    &[
        "company",
        "organisation",
        "organization",
        "employer",
        "firma",
        "unternehmen",
        "entreprise",
        "société",
        "empresa",
        "azienda",
        "bedrijf",
    ],
    &[
        "job title",
        "position",
        "profession",
        "beruf",
        "stelle",
        "poste",
        "profesión",
        "puesto",
        "cargo",
        "professione",
        "functie",
    ],
    &[
        "cooking time",
        "cook time",
        "garzeit",
        "kochzeit",
        "backzeit",
        "temps de cuisson",
        "tiempo de cocción",
        "tempo di cottura",
        "kooktijd",
        "bereidingstijd",
    ],
    &[
        "preparation time",
        "prep time",
        "zubereitungszeit",
        "vorbereitungszeit",
        "temps de préparation",
        "tiempo de preparación",
        "tempo di preparazione",
        "tempo de preparo",
    ],
    &["servings", "portions", "serves", "portionen", "raciones", "porciones", "porzioni", "porties", "porções"],
    &["ingredients", "zutaten", "ingrédients", "ingredientes", "ingredienti", "ingrediënten"],
    &["sender", "absender", "expéditeur", "remitente", "mittente", "afzender", "remetente"],
    &[
        "sender address",
        "sender email",
        "sender e-mail",
        "absenderadresse",
        "adresse de l'expéditeur",
        "adresse d'expédition",
        "dirección del remitente",
        "indirizzo del mittente",
        "afzenderadres",
        "from address",
    ],
    &["sender name", "absendername", "nom de l'expéditeur", "nombre del remitente", "nome del mittente", "from name"],
    &["subject", "betreff", "objet", "sujet", "asunto", "oggetto", "onderwerp", "assunto"],
    &[
        "amount", "sum", "betrag", "summe", "montant", "somme", "importe", "monto", "importo", "somma", "bedrag",
        "valor",
    ],
    &["colour", "color", "farbe", "couleur", "colore", "kleur", "cor"],
    &["size", "größe", "grösse", "taille", "talla", "tamaño", "taglia", "maat", "tamanho"],
    &["weight", "gewicht", "poids", "peso"],
    &["height", "höhe", "hauteur", "altura", "altezza", "hoogte"],
    &["width", "breite", "largeur", "anchura", "larghezza", "breedte", "largura"],
    &["time zone", "timezone", "zeitzone", "fuseau horaire", "zona horaria", "fuso orario", "tijdzone", "fuso horário"],
    &["website", "homepage", "web site", "webseite", "site web", "sitio web", "página web", "sito web", "sito"],
    &["gender", "geschlecht", "sexe", "sexo", "genre", "género", "genere", "sesso", "geslacht"],
    &[
        "licence plate",
        "license plate",
        "number plate",
        "plate number",
        "plate",
        "registration number",
        "kennzeichen",
        "plaque d'immatriculation",
        "immatriculation",
        "matrícula",
        "targa",
        "kenteken",
    ],
    &["reason", "grund", "begründung", "motif", "raison", "motivo", "razón", "reden"],
    &[
        "due date",
        "due",
        "deadline",
        "fällig",
        "fällig am",
        "fälligkeitsdatum",
        "frist",
        "échéance",
        "date limite",
        "date d'échéance",
        "fecha límite",
        "fecha de vencimiento",
        "vencimiento",
        "scadenza",
        "data di scadenza",
        "vervaldatum",
        "prazo",
    ],
    &[
        "start date",
        "startdatum",
        "beginn",
        "date de début",
        "début",
        "fecha de inicio",
        "data di inizio",
        "begindatum",
    ],
    &["end date", "enddatum", "ende", "date de fin", "fecha de fin", "data di fine", "einddatum"],
    &["priority", "priorität", "dringlichkeit", "priorité", "prioridad", "priorità", "prioriteit", "prioridade"],
    &["status", "zustand", "statut", "état", "estado", "stato"],
    &["category", "kategorie", "catégorie", "categoría", "categoria", "categorie", "rubrik"],
    &["room", "raum", "zimmer", "salle", "sala", "habitación", "stanza", "kamer", "quarto"],
    &["group", "gruppe", "groupe", "grupo", "gruppo", "groep"],
    &[
        "people",
        "guests",
        "number of people",
        "number of guests",
        "persons",
        "personen",
        "anzahl personen",
        "gäste",
        "personnes",
        "nombre de personnes",
        "convives",
        "personas",
        "número de personas",
        "comensales",
        "persone",
        "numero di persone",
        "gasten",
        "aantal personen",
        "pessoas",
    ],
    &["author", "autor", "autorin", "auteur", "autore"],
    &["publisher", "verlag", "éditeur", "editorial", "editore", "uitgever", "editora"],
    &["year", "jahr", "année", "año", "anno", "jaar", "ano"],
    &["price", "preis", "prix", "precio", "prezzo", "prijs", "preço"],
    &["quantity", "menge", "anzahl", "stückzahl", "quantité", "cantidad", "quantità", "aantal", "quantidade"],
    &["duration", "length", "period", "dauer", "laufzeit", "durée", "duración", "durata", "duur", "duração"],
    &["language", "sprache", "langue", "idioma", "lingua", "taal"],
    &["caption", "bildunterschrift", "légende", "leyenda", "pie de foto", "didascalia", "bijschrift", "legenda"],
    &["description", "beschreibung", "descripción", "descrizione", "omschrijving", "beschrijving", "descrição"],
    &[
        "note",
        "notes",
        "remark",
        "remarks",
        "notiz",
        "notizen",
        "anmerkung",
        "bemerkung",
        "remarque",
        "remarques",
        "notas",
        "observaciones",
        "opmerking",
        "opmerkingen",
        "observações",
    ],
    &["comment", "kommentar", "commentaire", "comentario", "commento", "reactie", "comentário"],
];

/// The words of each name, for each field.
static WORDS: LazyLock<Vec<Vec<Vec<String>>>> =
    LazyLock::new(|| FIELDS.iter().map(|names| names.iter().map(|name| tokens(name)).collect()).collect());

/// Whether a label names the field that an instruction speaks of by another of its names. Of the names that a label holds the longest
/// says what it is: `Adresse e-mail` is no address.
pub(crate) fn is_field(said: &str, label: &str) -> bool {
    const BESIDE: usize = 3; // a unit, or a word such as `your`
    let (said, shown) = (tokens(said), tokens(label));
    let is_said = |names: &&Vec<Vec<String>>| names.contains(&said);
    if !WORDS.iter().any(|names| is_said(&names)) {
        return false;
    }
    let longest =
        |names: &Vec<Vec<String>>| names.iter().filter(|name| holds(&shown, name)).map(Vec::len).max().unwrap_or(0);
    let most = WORDS.iter().map(longest).max().unwrap_or(0);
    let mut named = WORDS.iter().filter(|names| longest(names) == most);
    // What two fields are called by says which it is only where it is the whole label: `Employer address`.
    let is_one = named.clone().count() == 1 || shown.len() == most;
    most > 0 && shown.len() <= most + BESIDE && is_one && named.any(|names| is_said(&names))
}

fn holds(words: &[String], name: &[String]) -> bool {
    !name.is_empty() && words.windows(name.len()).any(|part| part == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_known_by_its_names_in_other_languages_and_by_no_word_of_another() {
        for (said, label) in [
            ("birthday", "Geburtstag"),
            ("e-mail address", "Correo electrónico"),
            ("cooking time", "Garzeit (Minuten)"),
            ("sender address", "Adresse de l'expéditeur"),
            ("first name", "Prénom"),
            ("due date", "Fällig am"),
        ] {
            assert!(is_field(said, label), "{said} {label}");
        }
        for (said, label) in [
            ("first name", "Nachname"),
            ("address", "Adresse e-mail"),
            ("cooking time", "Zubereitungszeit"),
            ("colour", "Größe"),
            ("name", "Firma"),
            ("due date", "Amount due"),
            ("company", "Employer address"),
        ] {
            assert!(!is_field(said, label), "{said} {label}");
        }
    }
}
