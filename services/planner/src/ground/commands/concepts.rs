//! Words of several languages for one kind of thing, part of an application, field or state.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The words for one concept, a line each.
const CONCEPTS: &[&str] = &[
    "todo todos task tasks aufgabe aufgaben tâches tareas tarea taken compiti tarefas",
    "calendar calendars agenda kalender calendrier calendario event events termin termine appointment appointments meeting meetings schedule événements eventos eventi reminder reminders",
    "message messages messenger chat chats conversation conversations nachricht nachrichten mensajes berichten messaggi mensagens thread threads",
    "mail mails email emails inbox mailbox e posteingang courrier correo posta correio",
    "map maps karte karten carte mapa mappa kaart place places location locations orte",
    "shop store catalog catalogue goods product products produkte produits productos prodotti producten produtos item items artikel laden",
    "cart basket bag warenkorb panier carrito cesta carrello winkelwagen carrinho",
    "wish wunsch wünsche souhait deseo desiderio wens desejo",
    "feature features anforderung anforderungen funktion fonctionnalité funcionalidad funzionalità functie",
    "wishlist wish wunschliste merkzettel verlanglijst",
    "favourites favorites favourite favorite favoriten favoris favoritos preferiti favorieten saved bookmarks bookmark lesezeichen starred",
    "setting settings preferences options configuration einstellungen paramètres réglages ajustes configuración impostazioni instellingen configurações preference",
    "profile account profil konto compte perfil cuenta profilo profiel conta",
    "user users people member members benutzer nutzer mitglieder utilisateurs membres usuarios utenti gebruikers usuários person persons team",
    "contact contacts kontakte kontakt contactos contatti contacten contatos",
    "customer customers kunden kunde clients clientes clienti klanten client",
    "issue issues ticket tickets bug bugs probleme vorgänge incidencias segnalazioni",
    "order orders bestellung bestellungen commandes commande pedidos pedido ordini bestellingen",
    "invoice invoices bill bills rechnung rechnungen facture factures factura facturas fatture facturen faturas",
    "expense expenses ausgabe ausgaben dépenses dépense gastos gasto spese uitgaven despesas",
    "project projects projekt projekte projets projet proyectos proyecto progetti projecten projetos",
    "page pages seite seiten páginas página pagine pagina",
    "post posts article articles blog beitrag beiträge artículos articoli",
    "note notes notiz notizen notas appunti notities notebook",
    "comment comments kommentar kommentare commentaire commentaires comentarios commenti reacties",
    "file files datei dateien fichiers fichier archivos documents document dokumente editor code",
    "picture pictures image images photo photos gallery media bilder medien medias",
    "category categories kategorie kategorien catégories categorías categorie",
    "tag tags label labels schlagwörter étiquettes etiquetas etichette",
    "group groups gruppe gruppen groupes grupos gruppi groepen",
    "report reports bericht berichte rapports informes rapporti",
    "booking bookings reservation reservations buchung buchungen réservations reservas",
    "home start dashboard overview startseite übersicht accueil inicio overzicht",
    "help hilfe aide ayuda aiuto",
    "history verlauf historique historial cronologia",
    "list lists liste listes listen lista listas lijst",
    "title name subject summary headline what titel betreff bezeichnung titre nom título nombre titolo nome naam onderwerp caption",
    "text body message description content comment details note notes beschreibung inhalt nachricht texte contenu descripción contenido mensaje testo descrizione omschrijving reply bio",
    "date day when datum tag jour fecha data start starts begin from",
    "due deadline fällig échéance vencimiento scadenza until",
    "time hour uhrzeit zeit heure hora ora tijd",
    "location place where venue ort lieu lugar luogo plaats local address",
    "phone telephone tel mobile telefon telefonnummer téléphone teléfono telefone telefono telefoon",
    "duration length dauer durée duración durata duur",
    "to recipient recipients receiver an empfänger destinataire para destinatario aan",
    "quantity qty amount count number stock menge anzahl quantité cantidad quantità aantal quantidade",
    "user username login email account benutzername utilisateur usuario utente gebruikersnaam usuário",
    "password passwort kennwort passphrase contraseña wachtwoord senha",
    "price cost preis kosten prix precio prezzo prijs preço total",
    "assignee assigned owner responsible zuständig bearbeiter",
    "language sprache langue idioma lingua taal",
    "author by from sender autor absender auteur creator reporter user",
    "subscriber subscribers abonnent abonnenten abonné abonnés suscriptor suscriptores iscritto iscritti abonnee abonnees assinante assinantes",
    "collection collections sammlung sammlungen colección colecciones raccolta raccolte verzameling verzamelingen coleção coleções",
    "shopping grocery groceries einkaufsliste einkaufszettel einkäufe compra compras spesa boodschappen boodschappenlijst",
    "trash bin deleted papierkorb corbeille papelera cestino prullenbak lixeira",
    "campaign campaigns kampagne kampagnen campagne campagnes campaña campañas campagna",
    "recipe recipes rezept rezepte recette recettes receta recetas ricetta ricette recept recepten receita receitas",
    "course courses kurs kurse cours curso cursos corso corsi cursus cursussen",
    "album albums alben álbum álbumes álbuns",
    "student students schüler studierende étudiants élèves alumnos estudiantes studenti studenten alunos",
    "employee employees staff mitarbeiter mitarbeitende employés empleados dipendenti medewerkers funcionários",
    "subscription subscriptions abo abos abonnement abonnements suscripción suscripciones abbonamento abbonamenti assinatura assinaturas",
    "vehicle vehicles car cars fahrzeug fahrzeuge véhicule véhicules vehículo vehículos veicolo veicoli voertuig voertuigen veículo veículos",
    "room rooms raum räume zimmer salle salles sala salas stanza stanze kamer kamers",
    "book books buch bücher livre livres libro libros libri boek boeken livro livros",
    "loan loans ausleihe ausleihen prêt prêts préstamo préstamos prestito prestiti empréstimo empréstimos",
    "supplier suppliers vendor vendors lieferant lieferanten fournisseur fournisseurs proveedor proveedores fornitore fornitori leverancier leveranciers fornecedor fornecedores",
    "warehouse warehouses lager entrepôt almacén magazzino magazijn",
    "stock inventory bestand inventar inventaire inventario voorraad estoque",
    "survey surveys poll polls umfrage umfragen sondage sondages encuesta encuestas sondaggio sondaggi enquête enquêtes",
    "notification notifications benachrichtigung benachrichtigungen notificaciones notifiche meldingen notificações",
    "security sicherheit sécurité seguridad sicurezza beveiliging segurança",
    "privacy datenschutz confidentialité privacidad privacidade",
    "payment payments zahlung zahlungen paiement paiements pago pagos pagamento pagamenti betaling betalingen pagamentos",
    "visitor visitors besucher visiteur visiteurs visitante visitantes visitatori bezoeker bezoekers",
    "owner owners besitzer eigentümer propriétaire propriétaires propietario propietarios proprietario proprietari eigenaar eigenaars",
    "newsletter newsletters rundbrief infolettre infolettres boletín boletines nieuwsbrief",
    "patient patients patienten pacientes pazienti patiënten",
    "morning vormittag vormittags morgens matin mañana mattina ochtend manhã",
    "afternoon nachmittag nachmittags pomeriggio middag tarde",
    "evening abend abends soir soirée noche sera avond noite",
    "breakfast frühstück desayuno colazione ontbijt",
    "lunch mittagessen déjeuner almuerzo pranzo",
    "dinner supper abendessen dîner cena avondeten jantar",
    "channel channels kanal kanäle canal canaux canales canali kanaal kanalen canais",
    "song songs track tracks lied lieder chanson chansons canción canciones canzone canzoni",
    "reason grund begründung motif raison motivo reden razón",
    "redirect redirects redirigir rediriger umleiten redirección redirecciones redirection redirections weiterleitung weiterleitungen reindirizzamento",
    "progress arbeit bearbeitung curso corso",
    "urgent dringend urgente",
    "open offen ouvert ouverte abierto abierta aperto",
    "closed geschlossen fermé fermée cerrado cerrada chiuso",
    "resolved gelöst résolu résolue resuelto resuelta risolto",
    "high hoch élevée haute alta",
    "low niedrig basse faible baja bassa",
    "keyword keywords stichwort stichwörter palabra mot",
    "participant participants teilnehmer teilnehmerin teilnehmende participante participantes partecipante partecipanti deelnemer deelnemers",
    "topic topics thema themen sujet sujets tema temas",
    "period term laufzeit zeitraum période periodo período",
];

/// For each word the lines that it stands in.
static LINES: LazyLock<HashMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut lines: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, words) in CONCEPTS.iter().enumerate() {
        words.split(' ').for_each(|word| lines.entry(word).or_default().push(at));
    }
    lines
});

/// Whether a lower-case word is among them.
pub(super) fn is_known(word: &str) -> bool {
    LINES.contains_key(word)
}

/// Whether two lower-case words stand for one concept.
pub(super) fn share_one(left: &str, right: &str) -> bool {
    let (Some(left), Some(right)) = (LINES.get(left), LINES.get(right)) else { return false };
    left.iter().any(|line| right.contains(line))
}
