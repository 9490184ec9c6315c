//! What an exploration remembers of its own doing, so that it can tell what it created from what was there before: the texts that
//! it typed, the addresses that its creations led to, what it put into a cart, and of which kinds it created one.

use super::control::sent_to;
use super::existing::kind_of;
use super::{PROOFS, form, is_submit, label};
use domain::address::of_page;
use domain::destructive::{command_in_path, spaced};
use domain::harm::{is_ours, puts_into_collection, takes_from_collection};
use domain::observation::{Request, RequestKind};
use domain::state::Version;
use domain::{Action, ElementId, Node, Observation};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Weak};
use url::Url;

/// Paths that are remembered as having been there.
const PATHS: usize = 50_000;
/// Texts that are remembered as typed.
const TEXTS: usize = 5_000;
/// How often a form of one kind is sent until one is created: refusals are mended.
const ATTEMPTS: u32 = 4;
/// Letters of an item's name that are compared.
const NAME: usize = 60;

/// What the browsers of an exploration did, as far as they run in one process: what one of them made, the others know as their own.
#[derive(Clone, Debug, Default)]
pub struct Book(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    typed: BTreeSet<String>,
    own: BTreeSet<String>,
    collected: BTreeSet<String>,
    /// Where things were put, and by which hidden fields they are known there.
    put: BTreeSet<Entry>,
    /// Kinds of forms of which one was sent and taken.
    created: BTreeSet<String>,
}

/// A thing in a collection: the address of the collection, and the hidden fields that name the thing.
type Entry = (String, String);

/// Site and run of an exploration.
type Key = (String, String);

/// The books of the explorations that are under way in this process.
#[derive(Clone, Debug, Default)]
pub struct Books(Arc<Mutex<HashMap<Key, Weak<Mutex<Entries>>>>>);

impl Books {
    /// The book of an exploration, whoever explores.
    pub fn of(&self, version: &Version) -> Book {
        let mut books = self.0.lock();
        books.retain(|_, book| book.strong_count() > 0);
        let key = (version.site.to_string(), version.run.to_string());
        if let Some(book) = books.get(&key).and_then(Weak::upgrade) {
            return Book(book);
        }
        let book = Book::default();
        books.insert(key, Arc::downgrade(&book.0));
        book
    }
}

/// What an exploration remembers of its own doing. It learns from every action and every page.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    book: Book,
    /// The address at which something was typed last.
    typed_at: Option<String>,
    /// The paths of links, and of pages that were not the answer to something that was sent.
    readable: HashSet<String>,
    /// Those of pages that were.
    answered: HashSet<String>,
    /// The path of the page, where it is such an answer.
    answer: Option<String>,
    sent: BTreeMap<String, u32>,
    begun: Option<Begun>,
}

/// What is under way.
#[derive(Clone, Debug)]
struct Begun {
    /// The kind of form that is sent.
    kind: Option<String>,
    /// The item that is put into a collection.
    item: Option<String>,
    /// The same by what is sent.
    entry: Option<Entry>,
    /// The path of the page on which it began.
    from: String,
}

impl Memory {
    /// A memory that writes down what was made in a book that others read.
    pub fn with(book: Book) -> Self {
        Self { book, ..Self::default() }
    }

    /// An action is about to be carried out on a page.
    pub fn begins(&mut self, action: &Action, page: &Observation) {
        if matches!(action, Action::AcceptDialog { .. } | Action::DismissDialog | Action::Wait { .. }) {
            return;
        }
        let from = path(&page.url);
        let mut begun = Begun { kind: None, item: None, entry: None, from };
        match action {
            Action::Type { element, text, submit } => {
                let mut book = self.book.0.lock();
                if book.typed.len() < TEXTS && !text.is_empty() {
                    book.typed.insert(text.clone());
                }
                self.typed_at = Some(page.url.clone());
                begun.kind = submit.then(|| kind_of(page, *element)).flatten();
            }
            Action::Click { element, .. } => {
                let node = page.node(*element);
                let sends = node.is_some_and(is_submit) && form(page, *element).is_some();
                begun.kind = sends.then(|| kind_of(page, *element)).flatten();
                let puts = node.is_some_and(|node| puts_into_collection(&label(node)));
                begun.item = puts.then(|| name_of_item(page, *element)).flatten();
                begun.entry = puts.then(|| entry_of(page, *element)).flatten();
            }
            _ => {}
        }
        self.begun = Some(begun);
    }

    /// A page was seen.
    pub fn saw(&mut self, page: &Observation) {
        if let Some(begun) = self.begun.take() {
            self.learn(begun, page);
        }
        if self.typed_at.as_ref().is_some_and(|url| *url != page.url) {
            self.typed_at = None;
        }
        let Ok(base) = Url::parse(&page.url) else { return };
        let links = page.nodes.iter().map(|node| node.attribute("href")).filter(|href| !href.is_empty());
        let linked = links.filter_map(|href| base.join(href).ok()).map(|url| url.path().to_owned());
        let shown = base.path().to_owned();
        self.answer = match is_answer(&page.requests, &page.url) {
            Some(is_answer) => is_answer.then(|| shown.clone()),
            None => self.answer.take().filter(|answer| *answer == shown),
        };
        let readable = self.answer.is_none().then(|| shown.clone());
        for path in linked.chain(readable) {
            if self.readable.len() < PATHS {
                self.readable.insert(path);
            }
        }
        if self.answer.is_some() && self.answered.len() < PATHS {
            self.answered.insert(shown);
        }
    }

    /// What came of an action.
    fn learn(&mut self, begun: Begun, page: &Observation) {
        let sent = page.requests.iter().find(|request| !request.is_safe() && !request.refused);
        let Some(sent) = sent else { return };
        if let Some(item) = begun.item {
            self.book.0.lock().collected.insert(item);
        }
        if let Some(entry) = begun.entry {
            self.book.0.lock().put.insert(entry);
        }
        let Some(kind) = begun.kind else { return };
        let is_done = match sent.status {
            Some(300..=399) => true,
            // A document that is answered in place mostly shows what is wrong with the form.
            Some(200..=299) => sent.kind != RequestKind::Document,
            _ => false,
        };
        if is_done {
            self.book.0.lock().created.insert(kind);
        } else {
            *self.sent.entry(kind).or_default() += 1;
        }
        let led_to = path(&page.url);
        let is_below = led_to.starts_with(collection_of(&path(&sent.url))) && led_to != begun.from;
        let names_one = led_to.split('/').any(|segment| segment.chars().any(|letter| letter.is_ascii_digit()));
        if is_done && is_below && names_one && !self.was_there(&led_to) {
            self.book.0.lock().own.insert(led_to);
        }
    }

    /// Whether a page of this path was seen, or a link to it.
    fn was_there(&self, path: &str) -> bool {
        self.readable.contains(path) || self.answered.contains(path)
    }

    /// Whether a page of this path can be asked for: a link to it was seen, or the page itself otherwise than as the answer to something
    /// that was sent.
    pub(crate) fn knows_path(&self, path: &str) -> bool {
        self.readable.contains(path)
    }

    /// Whether a value is one that explorations put there.
    pub(super) fn is_ours(&self, value: &str) -> bool {
        is_ours(value) || self.book.0.lock().typed.contains(value) || crate::explore::is_usual_value(value)
    }

    /// Whether the page is that of something which was created.
    pub(super) fn owns_page(&self, page: &Observation) -> bool {
        let path = path(&page.url);
        let book = self.book.0.lock();
        book.own
            .iter()
            .any(|own| path.strip_prefix(own.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// Whether an element stands in an item, or a dialog, that bears the name of explorations.
    pub(super) fn owns_item(&self, page: &Observation, element: ElementId) -> bool {
        let Some(item) = page.item(element) else { return false };
        is_ours(&said_within(page, item))
    }

    /// Whether an element belongs to something that was created, or that was put into a collection where it is taken out again.
    pub(super) fn owns(&self, page: &Observation, element: ElementId) -> bool {
        self.owns_item(page, element) || (page.item(element).is_none() && self.owns_page(page))
    }

    /// Whether an exploration may delete what a control deletes.
    pub(super) fn may_delete(&self, page: &Observation, element: ElementId) -> bool {
        let takes_out = || {
            let node = page.node(element)?;
            let called = Some(label(node)).filter(|label| !label.is_empty());
            let called = called.unwrap_or_else(|| node.attribute("title").to_lowercase());
            let takes = takes_from_collection(&called, &spaced(&path(&page.url)));
            Some(takes && self.book.0.lock().collected.contains(&name_of_item(page, element)?))
        };
        let takes_entry = || {
            let to = path_sent_to(page, element)?;
            let last = spaced(to.rsplit('/').next().unwrap_or_default());
            let says = takes_from_collection(&label(page.node(element)?), &to) || command_in_path(&last).is_some();
            Some(
                (says || TAKING_OUT.contains(&last.as_str()))
                    && self.book.0.lock().put.contains(&entry_of(page, element)?),
            )
        };
        self.owns(page, element) || takes_out().unwrap_or_default() || takes_entry().unwrap_or_default()
    }

    /// Whether something was typed on the page since it was opened.
    pub(super) fn has_typed_on(&self, page: &Observation) -> bool {
        self.typed_at.as_deref() == Some(page.url.as_str())
    }

    /// Whether one of a kind was created, or could not be.
    pub(super) fn has_sent(&self, kind: &str) -> bool {
        self.book.0.lock().created.contains(kind) || self.sent.get(kind).is_some_and(|times| *times >= ATTEMPTS)
    }
}

/// Whether the page at an address is what the site answered to something that was sent there: asked for by itself it may not be there. None
/// where none of the requests was for it.
pub(crate) fn is_answer(requests: &[Request], url: &str) -> Option<bool> {
    let page = |url: &str| Url::parse(url).ok().map(of_page);
    let shown = page(url);
    let last = requests.iter().rev().find(|request| page(&request.url) == shown)?;
    Some(!last.is_safe())
}

/// The path of an address; empty where it has none.
pub(super) fn path(url: &str) -> String {
    Url::parse(url).map(|url| url.path().to_owned()).unwrap_or_default()
}

/// The collection that a creation is sent to: its path without the words that say so, as `/boats` of `/boats/new`.
fn collection_of(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_word = matches!(last, "new" | "add" | "create" | "save" | "store" | "insert");
    if is_word { path.strip_suffix(last).unwrap_or(path) } else { path }
}

/// The last part of an address that takes something out of a collection again.
const TAKING_OUT: [&str; 10] = ["out", "off", "minus", "menos", "moins", "togli", "sacar", "quitar", "zdejmij", "eraf"];

/// What a button puts into a collection or takes out of it, by what its form sends: none without hidden fields that name it.
fn entry_of(page: &Observation, element: ElementId) -> Option<Entry> {
    let proves = |pair: &&str| PROOFS.contains(&pair.split('=').next().unwrap_or_default().to_lowercase().as_str());
    let hidden = page.node(element)?.attribute("form-hidden");
    let hidden = hidden.split('&').filter(|pair| !proves(pair)).collect::<Vec<_>>().join("&");
    let to = path_sent_to(page, element)?;
    let (collection, _) = to.trim_end_matches('/').rsplit_once('/')?;
    (!hidden.is_empty() && !collection.is_empty()).then(|| (collection.to_owned(), hidden))
}

/// The path that a button sends its form to.
fn path_sent_to(page: &Observation, element: ElementId) -> Option<String> {
    Some(Url::parse(&page.url).ok()?.join(&sent_to(page, element)).ok()?.path().to_owned())
}

/// What an item is called: its first text.
fn name_of_item(page: &Observation, element: ElementId) -> Option<String> {
    let item = page.item(element)?;
    let within = |(id, _): &(ElementId, &Node)| page.ancestors(*id).any(|(above, _)| above == item);
    let mut inner = page.elements().skip(item.index()).filter(within).map(|(_, node)| node.label());
    let named = page.node(item).map(|node| node.name.as_str()).filter(|name| !name.is_empty());
    named.or_else(|| inner.find(|text| !text.is_empty())).map(|name| name.chars().take(NAME).collect())
}

/// Everything that is said within an element, by controls and values too.
fn said_within(page: &Observation, around: ElementId) -> String {
    let within = |(id, _): &(ElementId, &Node)| *id == around || page.ancestors(*id).any(|(above, _)| above == around);
    let mut said = String::new();
    for (_, node) in page.elements().skip(around.index()).take(500).filter(within) {
        said.push_str(&[node.label(), node.value.as_deref().unwrap_or_default(), ""].join(" "));
    }
    said
}
