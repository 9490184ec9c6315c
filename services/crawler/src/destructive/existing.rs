//! What was there before, in a careful exploration: forms that show records or settings are read and not sent, controls that are
//! saved at once change nothing, of each kind one thing is created.

use super::control::{asks_first, sent_to};
use super::memory::path;
use super::surroundings::text_of;
use super::{Memory, Refusal, form, is_submit, label, leads_somewhere, only_asks, words_of_path};
use domain::action::ActionKind;
use domain::destructive::{AGREEING, is_of_view, words};
use domain::exploration::Guards;
use domain::harm::{
    Licence, Opens, Rule, Sent, creates, decides, hands_in, is_of_settings, names_administration, only_looks,
    only_tries, posts, puts_into_collection, reads_by_verb, refused, replaces, updates,
};
use domain::{Action, ElementId, Node, Observation};
use url::Url;

/// Fields that hold a payment card.
const CARDS: [&str; 8] = ["card number", "cardnumber", "cc number", "cvc", "cvv", "iban", "credit card", "cc csc"];
/// Words for what is written to other people.
const MESSAGES: [&str; 26] = [
    "message",
    "comment",
    "comments",
    "reply",
    "review",
    "question",
    "inquiry",
    "enquiry",
    "feedback",
    "nachricht",
    "kommentar",
    "frage",
    "commentaire",
    "réponse",
    "avis",
    "mensaje",
    "comentario",
    "pregunta",
    "messaggio",
    "commento",
    "bericht",
    "reactie",
    "wiadomość",
    "komentarz",
    "meddelande",
    "сообщение",
];
/// Words for a field whose text is carried out by a server.
const COMMAND_LINES: [&str; 16] = [
    "sql",
    "bash",
    "groovy",
    "powershell",
    "command",
    "cmd",
    "console",
    "terminal",
    "shell",
    "rcon",
    "befehl",
    "kommando",
    "commande",
    "comando",
    "commando",
    "команда",
];
/// Words for who somebody is.
const IDENTITY: [&str; 12] = [
    "user",
    "username",
    "login",
    "email",
    "e",
    "mail",
    "nick",
    "nickname",
    "name",
    "benutzername",
    "identifiant",
    "usuario",
];

/// The rule that an action breaks.
pub(super) fn refusal(action: &Action, page: &Observation, memory: &Memory) -> Option<Refusal> {
    match action {
        Action::Click { element, .. } => of_click(page, *element, memory),
        Action::Type { element, submit, .. } => {
            let typed = || of_typing(page, *element, memory);
            if *submit { of_form(page, *element, memory).or_else(typed) } else { typed() }
        }
        Action::AcceptDialog { .. } => {
            let message =
                page.dialog.as_ref().filter(|dialog| dialog.kind == "confirm").map(|dialog| &dialog.message)?;
            // Nobody asks before what harms nothing.
            let rule = if names_administration(message) { Rule::Administration } else { Rule::Unclear };
            (!is_of_view(message)).then(|| Refusal::new(rule, message.as_str()))
        }
        _ => None,
    }
}

/// Whether the page's address is that of one thing among many.
pub(super) fn names_one(page: &Observation) -> bool {
    path(&page.url).split('/').any(|segment| segment.chars().any(|letter| letter.is_ascii_digit()))
}

fn of_click(page: &Observation, element: ElementId, memory: &Memory) -> Option<Refusal> {
    let node = page.node(element)?;
    if asks_first(node) {
        return Some(Refusal::new(Rule::Unclear, label(node)));
    }
    if leads_somewhere(node) || node.is_field() {
        return None;
    }
    let label = label(node);
    if only_tries(&label) || (is_submit(node) && only_looks(&label)) {
        return None;
    }
    let opens = node.states.expanded.is_some() || !node.attribute("aria-haspopup").is_empty() || node.role == "tab";
    if names_administration(&label) && !opens {
        return Some(Refusal::new(Rule::Administration, label));
    }
    // `View invoice` asks, whatever its form sends else, and its address is judged as that of a link.
    if is_submit(node) && node.attribute("formmethod").eq_ignore_ascii_case("get") && reads_by_verb(&label) {
        return None;
    }
    if is_submit(node) && form(page, element).is_some() {
        return of_form(page, element, memory);
    }
    // Where a script sends what stands in fields, no form says so: a button that saves concerns the fields around it.
    let saves = updates(&label) || AGREEING.contains(&label.as_str());
    let around =
        page.ancestors(element).map(|(id, _)| id).find(|id| fields(page, *id).any(|(_, field)| is_text(field)));
    let around = around.filter(|_| saves && !creates(&label) && !label.is_empty())?;
    of_fields(page, around, &label, memory)
}

/// Typing into a field that shows what was there before would change it, where that is saved at once.
fn of_typing(page: &Observation, element: ElementId, memory: &Memory) -> Option<Refusal> {
    let node = page.node(element)?;
    let of_form = form(page, element).and_then(|form| page.node(form));
    let keeps = || {
        form(page, element).is_some_and(|form| buttons_of(page, form).any(|label| saves_by_asking(page, form, &label)))
    };
    let asks = of_form.is_some_and(|form| only_asks(form) && !form.attribute("action").is_empty()) && !keeps()
        || is_search(node)
        || form(page, element).is_some_and(|form| is_for_looking(page, form));
    let is_edited = !node.is_field() || is_text(node);
    let shown = shown_by(node);
    let is_there = is_edited && !asks && !shown.is_empty() && !memory.is_ours(shown) && !memory.owns(page, element);
    is_there.then(|| Refusal::new(Rule::ExistingRecord, node.label()))
}

/// The rule that sending a form breaks.
fn of_form(page: &Observation, element: ElementId, memory: &Memory) -> Option<Refusal> {
    let of_form = form(page, element)?;
    let node = page.node(of_form)?;
    let label = page.node(element).filter(|node| is_submit(node)).map(label).unwrap_or_default();
    if only_asks(node) && !is_scripted(node, page, of_form) {
        // The key that sends a form does what its button does.
        let labels = if label.is_empty() { buttons_of(page, of_form).collect() } else { vec![label.clone()] };
        // Whatever its words: it saves.
        if labels.iter().any(|label| saves_by_asking(page, of_form, label))
            && let Some(refusal) = of_fields(page, of_form, "save", memory)
        {
            return Some(refusal);
        }
        return is_command_on_one(page, of_form, &sent_to(page, element)).then(|| Refusal::new(Rule::Unclear, label));
    }
    if is_log_in(page, element) {
        return None;
    }
    if asks_password_only(page, of_form) {
        return Some(Refusal::new(Rule::Password, label));
    }
    if let Some(refusal) = of_fields(page, of_form, &label, memory) {
        return Some(refusal);
    }
    if memory.may_delete(page, element) || owns_form(page, element, memory) {
        return None;
    }
    if let Some(rule) = foreseen(page, element) {
        return Some(Refusal::new(rule, sent_to(page, element)));
    }
    // By a number nobody recognises what explorations make.
    let is_plain = !fields(page, of_form).any(|(_, field)| is_text(field) && !is_number(field));
    let is_of_record = page.item(element).is_some() || names_one(page);
    let keeps = creates(&label) || puts_into_collection(&label) || says_collection(&sent_to(page, element));
    if is_plain && !keeps && (is_of_record || decides(&label)) {
        return Some(Refusal::new(Rule::ExistingRecord, label));
    }
    let said = fields(page, of_form).any(|(_, field)| replaces(field.label())) || replaces(&text_of(page, of_form));
    if said || replaces(&label) {
        return Some(Refusal::new(Rule::ExistingRecord, label));
    }
    if !keeps && !hands_in(&label) {
        return Some(Refusal::new(Rule::Unclear, label));
    }
    let kind = kind_of(page, element)?;
    memory.has_sent(&kind).then(|| Refusal::new(Rule::OncePerKind, label))
}

/// What the buttons are called that send a form.
fn buttons_of(page: &Observation, form: ElementId) -> impl Iterator<Item = String> + '_ {
    let is_within = move |id: ElementId| page.ancestors(id).any(|(above, _)| above == form);
    page.interactive().filter(move |(id, node)| is_submit(node) && is_within(*id)).map(|(_, node)| label(node))
}

/// Whether all buttons of a form say that they look for something.
fn is_for_looking(page: &Observation, form: ElementId) -> bool {
    let mut labels = buttons_of(page, form).peekable();
    labels.peek().is_some() && labels.all(|label| only_looks(&label))
}

/// Whether a form that is sent as a question says that it saves what it shows: `Submit your changes`, `Apply the settings`.
fn saves_by_asking(page: &Observation, form: ElementId, label: &str) -> bool {
    const CHANGES: [&str; 8] =
        ["changes", "änderungen", "modifications", "cambios", "modifiche", "wijzigingen", "alterações", "ändringar"];
    // `/reglages/maj`: what the application keeps, whatever the button says.
    let action = page.node(form).map(|form| form.attribute("action")).unwrap_or_default();
    let asks = only_looks(label) || reads_by_verb(label);
    let says = (!asks && is_of_settings(&words_of_path(action)))
        || updates(label)
        || posts(label)
        || decides(label)
        || is_of_settings(label)
        || label.split(' ').any(|word| CHANGES.contains(&word));
    says && !is_of_view(label) && !fields(page, form).any(|(_, field)| is_search(field))
}

/// Whether a form is a button and nothing else, and names one thing among many: it asks nothing, and does something with that thing.
fn is_command_on_one(page: &Observation, form: ElementId, address: &str) -> bool {
    let names_one = super::path_of(address).chars().any(|letter| letter.is_ascii_digit());
    names_one && !fields(page, form).any(|(_, field)| is_text(field) || is_choice(field))
}

/// A form without a method sends nothing by itself, or it only asks: one with a field for a text of several lines or a password does
/// not ask.
fn is_scripted(node: &Node, page: &Observation, form: ElementId) -> bool {
    let writes =
        |field: &Node| field.tag == "textarea" || field.attribute("type") == "password" || field.role == "switch";
    let is_search = node.role == "search" || fields(page, form).all(|(_, field)| !is_text(field) || is_search(field));
    node.attribute("method").is_empty()
        && node.attribute("action").is_empty()
        && (!is_search || fields(page, form).any(|(_, field)| writes(field)))
}

/// The rule that the fields of a form break, whatever it is sent to.
fn of_fields(page: &Observation, around: ElementId, label: &str, memory: &Memory) -> Option<Refusal> {
    let all: Vec<(ElementId, &Node)> = fields(page, around).filter(|(_, node)| !node.states.disabled).collect();
    let passwords: Vec<&Node> = all.iter().map(|(_, node)| *node).filter(|node| is_password(node)).collect();
    let texts: Vec<&Node> = all
        .iter()
        .map(|(_, node)| *node)
        .filter(|node| is_text(node) && !is_password(node) && !is_search(node))
        .collect();
    let is_named = texts.iter().any(|node| says(node, &IDENTITY) && !node.states.readonly);
    let fresh = |node: &&Node| {
        let token = node.constraints.as_ref().and_then(|constraints| constraints.autocomplete.as_deref());
        token == Some("new-password") || says(node, &["new", "neues", "nouveau", "nueva", "nuova", "nieuw", "nowe"])
    };
    if !passwords.is_empty() && !is_named && (passwords.len() > 1 || passwords.iter().any(fresh)) {
        return Some(Refusal::new(Rule::Password, label));
    }
    let is_card = |node: &&Node| {
        let token = node.constraints.as_ref().and_then(|constraints| constraints.autocomplete.as_deref());
        let said = called(node);
        token.is_some_and(|token| token.starts_with("cc-")) || CARDS.iter().any(|card| said.contains(card))
    };
    if let Some(card) = texts.iter().find(|node| is_card(node)) {
        return Some(Refusal::new(Rule::Pays, card.label()));
    }
    if let Some(line) = texts.iter().find(|node| says(node, &COMMAND_LINES)) {
        return Some(Refusal::new(Rule::Administration, line.label()));
    }
    if posts(label) || is_message(&texts) {
        return Some(Refusal::new(Rule::Sends, label));
    }
    let is_own = || memory.owns_page(page) || memory.owns_item(page, around);
    // Whoever creates something may find numbers filled in; whoever saves finds those that hold.
    let keeps_values = !creates(label) && (updates(label) || AGREEING.contains(&label)) && !is_day(&texts);
    let edits = |node: &&&Node| {
        let shown = shown_by(node);
        let begins = || {
            if keeps_values {
                is_first_number(shown)
            } else {
                creates(label) || is_usual_number(shown) || node.attribute("type") == "range"
            }
        };
        let may_be_new = is_number(node) && begins();
        !node.states.readonly && !shown.is_empty() && !may_be_new && !memory.is_ours(shown) && !is_beginning(shown)
    };
    let shown = texts.iter().find(edits).filter(|_| !is_own());
    let speaks = || {
        let said: Vec<String> = all.iter().map(|(_, node)| called(node)).collect();
        let form = page.node(around).map(called).unwrap_or_default();
        is_of_settings(&said.join(" "))
            || is_of_settings(&form)
            || is_of_settings(label)
            || is_of_settings(&words_of_path(&page.url))
    };
    if let Some(shown) = shown {
        let rule = if speaks() { Rule::Settings } else { Rule::ExistingRecord };
        return Some(Refusal::new(rule, shown.label()));
    }
    let chooses = all.iter().any(|(_, node)| is_choice(node) || node.allows(ActionKind::Upload));
    let keeps = !creates(label) && !puts_into_collection(label) && passwords.is_empty();
    if keeps && chooses && texts.is_empty() && (updates(label) || AGREEING.contains(&label)) && !is_own() {
        let rule = if speaks() { Rule::Settings } else { Rule::ExistingRecord };
        return Some(Refusal::new(rule, label));
    }
    (keeps && updates(label) && speaks() && !is_own()).then(|| Refusal::new(Rule::Settings, label))
}

/// Whether the fields of a form are those of a message to somebody: a text of several lines, and who writes it.
fn is_message(texts: &[&Node]) -> bool {
    const WRITER: [&str; 12] =
        ["name", "e", "email", "mail", "website", "url", "subject", "phone", "betreff", "sujet", "asunto", "firstname"];
    let (long, short): (Vec<&&Node>, Vec<&&Node>) = texts.iter().partition(|node| node.tag == "textarea");
    let is_written = long.len() == 1 && long.iter().any(|node| says(node, &MESSAGES));
    is_written && short.iter().all(|node| says(node, &WRITER))
}

/// The rule that the request breaks which a form would make.
fn foreseen(page: &Observation, element: ElementId) -> Option<Rule> {
    let base = Url::parse(&page.url).ok()?;
    let url = base.join(&sent_to(page, element)).ok()?;
    let hidden = page.node(element).map(|node| node.attribute("form-hidden")).unwrap_or_default();
    let pairs = hidden.split('&').filter_map(|pair| pair.split_once('='));
    let mut all: Vec<(String, String)> = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    // What is typed bears a name of ours by then.
    let around = form(page, element).into_iter();
    let typed = around.flat_map(|form| fields(page, form)).filter(|(_, field)| is_text(field) && !is_number(field));
    all.extend(typed.map(|(_, field)| (field.attribute("name").to_owned(), "Rutter".to_owned())));
    refused(
        &Sent { method: "POST", url: &url, instead: None, fields: all, opens: Opens::Nothing },
        Licence::Creating,
        &Guards::default(),
    )
}

/// Whether an element belongs to a form by which one logs in: one password, and somebody who is named.
pub(super) fn is_log_in(page: &Observation, element: ElementId) -> bool {
    let Some(around) = form(page, element) else { return false };
    let all: Vec<&Node> = fields(page, around).map(|(_, node)| node).filter(|node| is_text(node)).collect();
    let (passwords, texts): (Vec<&Node>, Vec<&Node>) = all.into_iter().partition(|node| is_password(node));
    let fresh = |node: &&Node| {
        node.constraints.as_ref().and_then(|constraints| constraints.autocomplete.as_deref()) == Some("new-password")
    };
    passwords.len() == 1
        && !passwords.iter().any(fresh)
        && (1..=2).contains(&texts.len())
        && texts.iter().any(|node| says(node, &IDENTITY))
}

/// Whether a form has fields for passwords and for nothing else: whoever is to be let in is asked who they are as well.
fn asks_password_only(page: &Observation, around: ElementId) -> bool {
    let mut texts = fields(page, around).map(|(_, node)| node).filter(|node| is_text(node)).peekable();
    texts.peek().is_some() && texts.all(is_password)
}

/// Whether a form shows what explorations typed, and nobody else: not what was typed into it just now.
pub(super) fn owns_form(page: &Observation, element: ElementId, memory: &Memory) -> bool {
    let Some(around) = form(page, element) else { return false };
    let texts = fields(page, around).map(|(_, node)| node).filter(|node| is_text(node) && !is_search(node));
    let shown: Vec<&str> = texts.map(shown_by).filter(|shown| !shown.is_empty()).collect();
    let bears_name = shown.iter().any(|shown| domain::harm::is_ours(shown));
    bears_name && !memory.has_typed_on(page) && shown.iter().all(|shown| memory.is_ours(shown))
}

/// The kind of what a form creates: where it is sent to, and its fields, without numbers.
pub(super) fn kind_of(page: &Observation, element: ElementId) -> Option<String> {
    let around = form(page, element)?;
    let node = page.node(around)?;
    let only_reads = || page.node(element).map(label).is_some_and(|label| only_looks(&label) || only_tries(&label));
    if (only_asks(node) && !is_scripted(node, page, around)) || is_log_in(page, element) || only_reads() {
        return None;
    }
    let to = sent_to(page, element);
    let to = if to.is_empty() { path(&page.url) } else { super::path_of(&to).to_owned() };
    let names = fields(page, around).map(|(_, node)| node.attribute("name").to_owned()).collect::<Vec<_>>().join(",");
    Some(format!("{to} {names}").chars().filter(|letter| !letter.is_ascii_digit()).collect())
}

/// The fields within an element.
pub(super) fn fields(page: &Observation, around: ElementId) -> impl Iterator<Item = (ElementId, &Node)> {
    let is_within = move |id: ElementId| page.ancestors(id).any(|(above, _)| above == around);
    page.interactive()
        .skip_while(move |(id, _)| *id <= around)
        .filter(move |(id, node)| node.is_field() && is_within(*id))
}

pub(super) fn is_text(node: &Node) -> bool {
    node.allows(ActionKind::Type)
}

fn is_choice(node: &Node) -> bool {
    node.allows(ActionKind::Select) || node.allows(ActionKind::Check)
}

fn is_password(node: &Node) -> bool {
    node.attribute("type") == "password"
}

pub(super) fn is_search(node: &Node) -> bool {
    // Whoever writes several lines looks for nothing.
    node.tag != "textarea"
        && (node.role == "searchbox"
            || node.attribute("type") == "search"
            || says(node, &["search", "suche", "q", "query", "filter"]))
}

/// Numbers, days and colours stand in empty forms too, since browsers and pages fill them in.
fn is_number(node: &Node) -> bool {
    matches!(
        node.attribute("type"),
        "number" | "range" | "date" | "time" | "datetime-local" | "month" | "week" | "color"
    ) || matches!(node.role.as_str(), "spinbutton" | "slider")
        || node
            .value
            .as_deref()
            .is_some_and(|value| value.chars().all(|letter| !letter.is_alphabetic()) && value.len() <= 4)
}

/// Whether a number is one that a form begins with.
fn is_first_number(shown: &str) -> bool {
    shown.parse::<f64>().is_ok_and(|number| number == 0.0 || (number - 1.0).abs() < f64::EPSILON)
}

/// Whether a number may be what any form begins with: up to three digits, a part of a whole, a day, a time or a year. `4100` is somebody's.
fn is_usual_number(shown: &str) -> bool {
    let is_whole = shown.chars().all(|sign| sign.is_ascii_digit());
    let is_year = shown.parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year));
    !is_whole || shown.len() <= 3 || is_year
}

/// Whether all fields that show numbers are for days, times or colours, which browsers and pages fill in.
fn is_day(texts: &[&Node]) -> bool {
    const FILLED: [&str; 7] = ["date", "time", "datetime-local", "month", "week", "color", "range"];
    texts.iter().filter(|node| is_number(node)).all(|node| FILLED.contains(&node.attribute("type")))
}

/// Whether a value is only the beginning of one.
fn is_beginning(value: &str) -> bool {
    matches!(value.trim(), "http://" | "https://" | "www." | "@" | "#" | "+")
}

/// What a field shows: its value, or the text of an element that is edited in place.
pub(super) fn shown_by(node: &Node) -> &str {
    let in_place =
        || if matches!(node.tag.as_str(), "input" | "select" | "textarea") { "" } else { node.text.as_str() };
    node.value.as_deref().filter(|value| !value.trim().is_empty()).unwrap_or_else(in_place).trim()
}

/// What a control is called, by its label, its name and what stands around it.
fn called(node: &Node) -> String {
    let names = [node.label(), node.attribute("name"), node.attribute("id"), node.attribute("placeholder")];
    words(&domain::destructive::spaced(&names.join(" "))).join(" ")
}

fn says(node: &Node, list: &[&str]) -> bool {
    called(node).split(' ').any(|word| list.contains(&word))
}

pub(super) fn says_collection(address: &str) -> bool {
    puts_into_collection(&words_of_path(address)) || creates(&words_of_path(address))
}
