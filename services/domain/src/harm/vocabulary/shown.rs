//! Words of an address that only show something of the record before them, as in `/boats/3/history`. Addresses are written without
//! accents.

use super::addressed::is_done_to_record;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Views of a record, and what belongs to one, in English. Words of this list that are verbs as well ask for a form first.
const ENGLISH: &str = "about abstract access account activity add address admin agenda album all analysis analytics api area article \
     atom attachment attribute audio audit author avatar backlink backlog balance biography blame blob blog board body budget calendar \
     captain career cart cast catalog catalogue category chapter chart chat child client code comment commit commitdiff company compare compose configure console \
     contact content contract damage course cover create crew csv customer cv dashboard data date day department detail diagram \
     diff discography discuss discussion doc document download draft edit editor email embed episode event excerpt expense explore export \
     family faq feed feedback field file floor flow folder form forum forumdisplay full gallery gantt general goal graph grid group guide hardware \
     health help history home hour html ical icon id idea image inbox income index info inventory invoice item job journal \
     json kanban label language lastpost layout legal lesson level license licence line list listing location log login logo main manager manual \
     map market media member menu message meta milestone month more music name network new news next note notice offer office \
     outline overview owner page parent partner patient payment pdf people permalink permission photo picture plan player podcast \
     policy portfolio position post poster preview previous price print problem product profile program progress project properties \
     property pulse qr query question quiz quote raw readme register receipt recent recipe reference related result review revision \
     risk roadmap role room roster route rss rule sample schedule schema search season seat section security series service \
     shop show showthread signin simple site size slide slip source spec sprint staff statement station status step stock store story \
     stream structure student subject summary supplier support svg table tag talk target task team template terms text theme \
     thread ticket time timeline timetable title today tool topic total tour trail transcript trend tree txt type unit usage \
     user value variant vcard vehicle vendor version video view viewforum viewtopic volume wall week weather wiki work workflow workload xml year zip";
/// The same in other languages.
const OTHERS: &str = "ansehen ansicht anzeigen bearbeiten bild bericht betreuer daten drucken einstellungen inhalt karte kommentare \
     konto kunde liste lebenslauf plan postfach rechnung rechte seite stunden suche suchen team termin termine text uebersicht \
     ubersicht verlauf vorschau wochenplan zeiten accueil afficher agenda aide carte consulter detail devis editer equipe fiche \
     image imprimer journal liste modifier nouveau nouvelle page photo plan profil recherche resume statut stock suivi telecharger \
     voir vue agenda buscar consultar descargar detalle detalhe detalhes editar equipo equipe ficha foto historial historico imagen \
     imprimir inicio lista mapa mostrar nueva nuevo nova novo perfil precio resumen resumo ver visualizar aggiungi anteprima apri \
     cerca dettagli dettaglio elenco elenchi foto immagine mappa membri messaggi modifica mostra nuova profilo riepilogo scarica \
     scheda stampa storico vedi visualizza afdrukken bekijken bewerken bestanden details foto geschiedenis instellingen leden lijst \
     nieuw overzicht pagina profiel team toevoegen wijzigen zoeken drukuj dodaj edycja edytuj historia lista mapa nowa nowy podglad \
     podsumowanie pokaz profil strona szczegoly szukaj zdjecia detaljer historik lagg ny nytt oversikt oversigt profil rediger \
     redigera sok skriv tidslinje utskrift visa vis duzenle gecmis goruntule liste ozet profil yazdir yeni";
/// Verbs that only look, and what most records have, in further languages.
const LOOKING: &str = "lostpassword forgotpassword lostpw retrievepassword browse display find inspect lookup open read render zoom \
     employee payslip period sql stat lesen oeffnen zeigen anhaenge \
     anmerkungen ausdruck auszug bemerkungen bestellung dateien druckansicht druckvorschau historie jahr kalender kontoauszug mahnverlauf \
     monat notizen protokoll statistik tag vertrag woche lire ouvrir apercu modif calendrier chronologie commande commentaires contrat facture fichiers \
     historique jour mois notes pieces rapport releve remarques semaine statistiques tri leer abrir vista adjuntos archivos calendario \
     comentarios contrato cronologia dia estadisticas extracto factura informe mes notas pedido semana leggi allegati calendario commenti \
     contratto estratto fattura file giorno mese note ordine rapporto settimana statistiche ler anexos arquivos estatisticas extrato fatura \
     historico relatorio bekijk lees afschrift bestelling bijlagen dag factuur geschiedenis kalender maand notities opmerkingen rapport \
     statistieken week zobacz czytaj otworz dzien faktura kalendarz komentarze miesiac notatki pliki raport statystyki tydzien umowa uwagi \
     wyciag zadanie zalaczniki zamowienie zobrazit cist otevrit den detail historie kalendar komentare mesic objednavka podrobnosti \
     poznamky prilohy seznam smlouva soubory statistiky tyden ukol uloha vypis zprava las oppna anteckningar avtal bilagor bestallning filer \
     kommentarer logg manad utdrag vecka les aapne apne aftale avtale bestilling bilag historikk lan laan maaned notater statistikk uge uke \
     vedlegg nayta lue avaa kalenteri kommentit kuukausi lasku liitteet loki muistiinpanot paiva raportti sopimus tiedostot tiedot tilastot \
     tilaus viikko megnyit mutat olvas elozmenyek fajlok honap jegyzetek jelentes megjegyzesek mellekletek naplo naptar rendeles reszletek \
     statisztika szamla szerzodes vezi citeste deschide atasamente comanda comentarii contract detalii fisiere istoric jurnal luna saptamana \
     statistici goster oku ayrinti ayrintilar detay detaylar dosyalar ekler fatura hafta istatistik kayitlar notlar rapor siparis sozlesme \
     takvim yorumlar istoriya otchet podrobno pokazat prosmotr spisok otpuska zakaz zakazy история комментарии отчет отчёт открыть подробности показать \
     просмотр список статистика читать файлы звіт історія перегляд показати список ichiran rireki shosai hyoji chakan liebiao lishi xiangqing bogi \
     mokrok naeyeok sangse istoriko leptomereies provoli 一覧 履歴 表示 詳細 列表 历史 查看 详情 詳情 목록 내역 상세 보기";
/// How programs of terminals shorten the same.
const SHORT: &str =
    "lst dsp disp nxt prv prev fwd bwd rpt srch inq inqy qry vw shw prt dtl det hst idx brw sel drill drilldown";
/// Endings of names of things; verbs that commands are made of do not have them.
const OF_THINGS: [&str; 44] = [
    "ion", "ions", "ment", "ments", "ung", "ungen", "keit", "heit", "schaft", "tät", "taet", "ity", "ities", "ness",
    "ance", "ence", "ship", "ics", "logy", "graphy", "cion", "ciones", "cao", "coes", "zione", "zioni", "idad", "dad",
    "sheet", "list", "board", "book", "line", "log", "page", "info", "view", "map", "card", "path", "tree", "ing",
    "ed", "stunden",
];
/// Letters of a plural at least.
const PLURAL: usize = 4;
/// Letters of a word that is known by its ending at least.
const LONG: usize = 6;

/// Whether a word is known as a view of a record.
pub(in crate::harm) fn is_view(word: &str) -> bool {
    static VIEWS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| [ENGLISH, OTHERS, LOOKING, SHORT].iter().flat_map(|words| words.split_whitespace()).collect());
    VIEWS.contains(word)
}

/// Whether a word behind a record only shows something of it: a view, a thing that belongs to it, or a collection of them.
pub(in crate::harm) fn shows(word: &str) -> bool {
    let is_plural = || word.len() >= PLURAL && word.ends_with(['s', 'x']) && !word.ends_with("ss");
    let is_thing = || word.len() >= LONG && OF_THINGS.iter().any(|ending| word.ends_with(ending));
    // `trashcomment` is no kind of comment: a verb stands before its object.
    const VERBS: [&str; 8] = ["delete", "remove", "trash", "spam", "approve", "clear", "close", "purge"];
    let is_joined = || VERBS.iter().any(|verb| word.strip_prefix(verb).is_some_and(|rest| rest.len() > 2));
    is_view(word) || (!is_done_to_record(word) && !is_joined() && (is_plural() || is_thing()))
}

/// What only answers, though it may be asked by `POST`.
pub(in crate::harm) const READING: [&str; 54] = [
    "chercher",
    "rechercher",
    "buscar",
    "busqueda",
    "pesquisar",
    "procurar",
    "cerca",
    "cercare",
    "ricerca",
    "zoek",
    "zoeken",
    "szukaj",
    "wyszukaj",
    "sok",
    "sog",
    "haku",
    "ara",
    "hledat",
    "keres",
    "kensaku",
    "calculator",
    "calcul",
    "markdown",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_things_and_collections_are_shown() {
        for word in [
            "edit",
            "members",
            "history",
            "invoice",
            "classification",
            "rechnungen",
            "travaux",
            "datasheet",
            "refunded",
        ] {
            assert!(shows(word), "{word}");
        }
        for word in ["sunset", "shift", "calloff", "cancellation", "dismiss", "pasear", "kapatma", "annulla", "abholen"]
        {
            assert!(!shows(word), "{word}");
        }
    }
}
