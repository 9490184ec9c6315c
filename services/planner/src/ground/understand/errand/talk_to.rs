//! Reading what is to be told to somebody, and who is to be let in.

use super::make::field_name;
use super::{Reader, is_filler, is_person};
use crate::ground::clause::Quoted;
use crate::ground::goal::PagePart;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::phrase::{self, Part, parts};
use crate::ground::understand::verbs::bare;

/// `reply ⟦0⟧ to the thread ⟦1⟧` as two commands: the thread is opened, and the reply is made there.
pub(super) fn replied(quoted: &Quoted, words: &[&str]) -> Option<[String; 2]> {
    let (verb, rest) = words.split_first()?;
    let (text, rest) = rest.split_first().filter(|_| matches!(bare(verb).as_str(), "reply" | "respond"))?;
    quoted.part(text)?;
    let (lead, place) = rest.split_first()?;
    let kind = place.iter().find_map(|word| phrase::kind_of(word))?;
    let is_place = matches!(kind.as_str(), "thread" | "topic" | "post" | "conversation" | "issue" | "ticket");
    let named = phrase::thing(quoted, place);
    (matches!(bare(lead).as_str(), "to" | "in" | "on") && is_place && named.quoted).then(|| {
        let name = place.iter().find(|word| quoted.part(word).is_some()).copied().unwrap_or_default();
        [format!("open {}", place.join(" ")), format!("add the reply {text} in {name}")]
    })
}

impl Reader<'_> {
    /// `comment ⟦0⟧ on ⟦1⟧`, `label ⟦0⟧ as urgent`: what is added to a thing.
    pub(super) fn noted(&self, words: &[&str]) -> Option<Vec<Task>> {
        let (verb, rest) = words.split_first()?;
        let lead =
            |leads: &[&str]| rest.iter().rposition(|word| leads.contains(&bare(word).as_str())).filter(|at| *at > 0);
        let cut = |at: usize| Some((rest.get(..at)?, rest.get(at + 1..).filter(|behind| !behind.is_empty())?));
        let (kind, what, on) = match bare(verb).as_str() {
            "comment" => {
                let (text, on) = cut(lead(&["on"])?)?;
                phrase::quote(self.quoted, text)?;
                ("comment", text, on)
            }
            "add" | "put" | "attach" => {
                let named = phrase::without_determiners(rest);
                let kind =
                    named.first().map(|word| bare(word)).filter(|kind| matches!(kind.as_str(), "tag" | "label"))?;
                let (what, on) = cut(lead(&["to", "on"])?)?;
                let what = what.get(what.iter().position(|word| bare(word) == kind)? + 1..)?;
                if what.is_empty() || self.quoted.parts_in(&rest.join(" ")).next().is_some() {
                    return None;
                }
                (if kind == "tag" { "tag" } else { "label" }, what, on)
            }
            kind @ ("label" | "tag") => {
                let (on, label) = cut(lead(&["as", "with"])?)?;
                (if kind == "tag" { "tag" } else { "label" }, label, on)
            }
            _ => return None,
        };
        // A name that holds words such as `on` cannot be told from two.
        if parts(&what.join(" ")).len() > 1 {
            return None;
        }
        let joined = on.join(" ");
        let place = match parts(&joined).as_slice() {
            [_] => self.place(on)?,
            // `the photo of the lighthouse`: one of a kind, told by what it is of.
            [one, of] if matches!(of.lead.as_str(), "of" | "about") => {
                let [kind] = phrase::without_determiners(&one.words)[..] else { return None };
                let name = phrase::place(self.quoted, &of.words)?;
                PagePart { kind: phrase::kind_of(kind)?, ..name }
            }
            _ => return None,
        };
        let mut thing = Thing { kind: kind.to_owned(), ..Thing::default() };
        self.name(&mut thing, what);
        thing.places.push(place);
        Some(vec![Task { act: TaskAct::Add, thing, values: Vec::new() }])
    }

    /// `a message to Alice saying ⟦0⟧`, `Bob the message ⟦0⟧`, `⟦0⟧ to Carol`.
    pub(super) fn send(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let joined = rest.join(" ");
        let cut = parts(&joined);
        let mut task = Task { act: TaskAct::Send, ..Task::default() };
        let head = cut.first()?;
        self.read_head_of_message(&head.words, &mut task)?;
        for part in cut.iter().skip(1) {
            self.hang_on_message(&mut task, part)?;
        }
        // `send her …`, or in the conversation that was opened.
        let last = self.context.last.as_ref().filter(|last| {
            last.kind.is_empty() || matches!(last.kind.as_str(), "conversation" | "chat" | "person" | "contact")
        });
        let points_back = rest.first().is_some_and(|word| matches!(bare(word).as_str(), "her" | "him" | "them"));
        if task.value("to").is_none()
            && (points_back || last.is_some_and(|last| !last.kind.is_empty()))
            && let Some(last) = last
        {
            let to = last.anchor().to_owned();
            task.give("to", &to, last.quoted);
        }
        // What is sent without words of its own is something else: a form, or a message that is there already.
        let has_words = task.value("text").is_some() || task.value("subject").is_some();
        task.values.sort_by_key(|given| given.field != "to");
        (has_words && task.value("to").is_some()).then(|| vec![task])
    }

    fn read_head_of_message(&self, words: &[&str], task: &mut Task) -> Option<()> {
        let quotes: Vec<&str> = words.iter().filter_map(|word| self.quoted.part(word)).collect();
        let kind_at = words.iter().position(|word| phrase::kind_of(word).is_some_and(|kind| phrase::is_written(&kind)));
        if let Some(at) = kind_at {
            task.thing.kind = words.get(at).and_then(|word| phrase::kind_of(word))?;
            let before: Vec<&str> = phrase::without_determiners(words.get(..at)?);
            let person: Vec<&str> = before
                .into_iter()
                .filter(|word| !matches!(bare(word).as_str(), "the" | "a" | "an" | "this" | "following"))
                .collect();
            if !person.is_empty() {
                self.give_person(task, &person);
            }
            match phrase::quote(self.quoted, words.get(at..)?) {
                Some(text) => task.give("text", text, true),
                None if words.len() > at + 1 => return None,
                None => {}
            }
            return Some(());
        }
        match (quotes.as_slice(), words) {
            ([], words) if is_person(words) => self.give_person(task, words),
            ([only], [_]) => {
                // `send ⟦0⟧ to Carol`; told to somebody first: `tell ⟦0⟧ …`
                let field = if matches!(self.phrase, "send" | "write") { "text" } else { "to" };
                task.give(field, only, true);
            }
            ([.., text], words) => {
                let person: Vec<&str> =
                    words.iter().take_while(|word| self.quoted.part(word).is_none()).copied().collect();
                if person.is_empty() {
                    task.give("to", quotes.first()?, true);
                } else {
                    self.give_person(task, &person);
                }
                task.give("text", text, true);
            }
            ([], []) if matches!(self.phrase, "write to") => {}
            ([], _) => return None,
        }
        Some(())
    }

    /// Whom a message goes to, with the quotes of the name.
    fn give_person(&self, task: &mut Task, words: &[&str]) {
        let quoted = phrase::quote(self.quoted, &phrase::without_determiners(words)).is_some();
        task.give("to", &self.person(words), quoted);
    }

    fn person(&self, words: &[&str]) -> String {
        let words = phrase::without_determiners(words);
        match phrase::quote(self.quoted, &words) {
            Some(name) => name.to_owned(),
            None => {
                let named = phrase::thing(self.quoted, &words);
                if named.kind.is_empty() || named.name.is_empty() {
                    phrase::text(self.quoted, &words)
                } else {
                    named.name
                }
            }
        }
    }

    fn hang_on_message(&self, task: &mut Task, part: &Part<'_>) -> Option<()> {
        match part.lead.as_str() {
            "to" | "for" if task.value("to").is_none() => {
                // `to Bob: ⟦0⟧`
                let quote_at = part
                    .words
                    .iter()
                    .position(|word| self.quoted.part(word).is_some())
                    .filter(|at| *at > 0 && task.value("text").is_none());
                let (person, text) = part.words.split_at(quote_at.unwrap_or(part.words.len()));
                let person: Vec<&str> = person.iter().filter(|word| phrase::kind_of(word).is_none()).copied().collect();
                let person = if person.iter().all(|word| is_filler(word)) { part.words.clone() } else { person };
                self.give_person(task, &person);
                task.give(
                    "text",
                    phrase::quote(self.quoted, text).filter(|_| person.len() < part.words.len()).unwrap_or_default(),
                    true,
                );
            }
            "saying" | "says" | "that" | "with" | "about" => {
                if part.words.is_empty() {
                    return Some(());
                }
                let named = phrase::quote(self.quoted, &part.words).is_some();
                let starts_quoted =
                    part.words.iter().find(|word| !bare(word).is_empty() || self.quoted.part(word).is_some());
                let is_bare_quote = starts_quoted.is_some_and(|word| self.quoted.part(word).is_some());
                if part.lead == "about" {
                    task.values.push(self.value("subject", &part.words));
                } else if named && is_bare_quote && part.words.len() == 1 {
                    task.values.push(self.value("text", &part.words));
                } else if part.lead == "with" {
                    task.values.extend(self.pairs(&part.words)?);
                } else {
                    task.values.push(self.value("text", &part.words));
                }
            }
            "titled" | "called" | "named" | "entitled" => task.values.push(self.value("subject", &part.words)),
            "in" | "via" | "on" | "using" => task.thing.places.push(phrase::place(self.quoted, &part.words)?),
            _ => return None,
        }
        Some(())
    }

    /// `an email to …` is sent; a post is made.
    pub(super) fn write(&self, rest: &[&str]) -> Option<Vec<Task>> {
        // `write ⟦0⟧ into Note`: the field may be called as a kind of thing is.
        let is_lead = |word: &&str| matches!(bare(word).as_str(), "into" | "in");
        let what = rest.split(is_lead).next().unwrap_or_default();
        let kind = what.iter().find_map(|word| phrase::kind_of(word));
        let is_sent =
            kind.as_deref().is_some_and(|kind| matches!(kind, "email" | "e-mail" | "mail" | "message" | "letter"));
        let goes_to = rest.iter().any(|word| bare(word) == "to");
        if is_sent && (goes_to || is_person(&rest[..1])) {
            return self.send(rest);
        }
        // Text that is written into a field is left to the controls.
        if kind.is_none() { None } else { self.add(rest) }
    }

    pub(super) fn reply(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let rest = if rest.first().is_some_and(|word| bare(word) == "to") { rest.get(1..)? } else { rest };
        let text_at = rest.iter().rposition(|word| self.quoted.part(word).is_some())?;
        let lead = rest
            .iter()
            .take(text_at)
            .rposition(|word| matches!(bare(word).as_str(), "with" | "saying" | "that" | "says" | ""));
        // `reply ⟦0⟧`
        let subject = rest.get(..lead.or_else(|| (text_at == 0).then_some(0))?)?;
        // `answer with ⟦0⟧`: where nothing was spoken of, what the page shows is answered.
        if subject.is_empty() && self.context.last.is_none() {
            let mut task = Task { act: TaskAct::Add, ..Task::default() };
            task.thing.kind = "comment".to_owned();
            (task.thing.name, task.thing.quoted) = (self.quoted.part(rest.get(text_at)?)?.to_owned(), true);
            return (text_at + 1 == rest.len()).then(|| vec![task]);
        }
        let thing = if subject.is_empty() { self.context.last.clone()? } else { self.thing_of(subject)? };
        let thing = self.as_message(thing);
        let mut task = Task { act: TaskAct::Reply, thing, values: Vec::new() };
        task.give("text", self.quoted.part(rest.get(text_at)?)?, true);
        (text_at + 1 == rest.len()).then(|| vec![task])
    }

    pub(super) fn forward(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let at = rest.iter().rposition(|word| bare(word) == "to")?;
        // `over to Ann`
        let is_particle =
            |word: &&&str| matches!(bare(word).as_str(), "over" | "on" | "along" | "straight" | "directly");
        let end = at - usize::from(at > 1 && rest.get(at - 1).as_ref().is_some_and(is_particle));
        let thing = self.as_message(self.thing_of(rest.get(..end)?)?);
        if thing.anchor().is_empty() {
            return None;
        }
        let mut task = Task { act: TaskAct::Forward, thing, values: Vec::new() };
        self.give_person(&mut task, rest.get(at + 1..)?);
        Some(vec![task])
    }

    /// `reply to Bob` means what Bob wrote.
    fn as_message(&self, thing: Thing) -> Thing {
        if thing.kind.is_empty() && thing.of.is_empty() && !thing.quoted {
            return Thing { of: thing.name.clone(), name: String::new(), ..thing };
        }
        thing
    }

    /// `ann@x.test as editor`, `Ann Lind to the team Sails`: who is let in, where, and as what.
    pub(super) fn invite(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let joined = rest.join(" ");
        let mut cut = parts(&joined).into_iter();
        let head = cut.next()?;
        // Somebody who is only named may stand on the page, with a control beside the name.
        let is_new = head.words.iter().any(|word| word.contains('@')) || rest.iter().any(|word| bare(word) == "as");
        if !is_person(&head.words) || !is_new {
            return None;
        }
        let who = phrase::text(self.quoted, &phrase::without_determiners(&head.words));
        let thing = Thing { kind: "person".to_owned(), name: who, ..Thing::default() };
        let mut task = Task { act: TaskAct::Add, thing, values: Vec::new() };
        for part in cut {
            match part.lead.as_str() {
                "as" => task.values.push(self.value("role", &part.words)),
                "to" | "into" => task.thing.places.push(phrase::place(self.quoted, &part.words)?),
                _ => return None,
            }
        }
        Some(vec![task])
    }

    /// `⟦0⟧ with ann@x.test so that she can edit it`: who is let in to what, and as what.
    pub(super) fn share(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let at = rest.iter().rposition(|word| bare(word) == "with").filter(|at| *at > 0)?;
        let shared = self.thing_of(rest.get(..at)?)?;
        let behind = rest.get(at + 1..)?;
        let purpose = behind.iter().position(|word| matches!(bare(word).as_str(), "so" | "who" | "as" | "and" | "to"));
        let (who, purpose) = behind.split_at(purpose.unwrap_or(behind.len()));
        if !is_person(who) && !who.iter().any(|word| word.contains('@')) || shared.name.is_empty() {
            return None;
        }
        let name = phrase::text(self.quoted, &phrase::without_determiners(who));
        let person = Thing { kind: "person".to_owned(), name, ..Thing::default() };
        let mut task = Task { act: TaskAct::Add, thing: person, values: Vec::new() };
        task.thing.places.push(PagePart { kind: shared.kind, name: shared.name, quoted: shared.quoted });
        let purpose: Vec<String> = purpose.iter().map(|word| bare(word)).collect();
        match purpose.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => {}
            ["as", role @ ..] => {
                task.give("role", &phrase::text(self.quoted, &phrase::without_determiners(role)), false)
            }
            // `so that she can edit it`
            [.., "he" | "she" | "they", "can" | "may", role]
            | [.., "he" | "she" | "they", "can" | "may", role, "it" | "this" | "them"] => {
                task.give("role", role, false)
            }
            _ => return None,
        }
        Some(vec![task])
    }

    /// `as admin with the password ⟦0⟧`, `with the username ⟦0⟧ and the password ⟦1⟧`.
    pub(super) fn log_in(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let joined = rest.join(" ");
        let mut task = Task { act: TaskAct::LogIn, ..Task::default() };
        let mut cut = parts(&joined).into_iter();
        let head = cut.next()?;
        if !head.words.iter().all(|word| is_filler(word)) {
            task.thing.places.extend(phrase::place(self.quoted, &head.words));
        }
        // `using ⟦0⟧ as the username and ⟦1⟧ as the password`
        let after: Vec<&str> = joined
            .split_whitespace()
            .skip_while(|word| !matches!(bare(word).as_str(), "using" | "with"))
            .skip(1)
            .collect();
        let both_orders = phrase::quote(self.quoted, &after[..after.len().min(1)]).is_some()
            && after.iter().any(|word| bare(word) == "as");
        if both_orders {
            for given in self.pairs(&after)? {
                task.values.push(crate::ground::task::Given { field: credential(&given.field)?, ..given });
            }
            return Some(vec![task]);
        }
        for part in cut {
            match part.lead.as_str() {
                "as" => {
                    let (name, more): (Vec<&str>, Option<Vec<&str>>) =
                        match part.words.iter().position(|word| bare(word) == "and") {
                            Some(at) => (part.words.get(..at)?.to_vec(), Some(part.words.get(at + 1..)?.to_vec())),
                            None => (part.words.clone(), None),
                        };
                    task.give("user", &self.person(&name), phrase::quote(self.quoted, &name).is_some());
                    if let Some(more) = more {
                        for given in self.pairs(&more)? {
                            task.give(&credential(&given.field)?, &given.value, given.quoted);
                        }
                    }
                }
                "with" | "using" => {
                    for given in self.pairs(&part.words)? {
                        task.give(&credential(&given.field)?, &given.value, given.quoted);
                    }
                }
                "to" | "into" | "in" | "on" | "at" => task.thing.places.extend(phrase::place(self.quoted, &part.words)),
                _ => return None,
            }
        }
        Some(vec![task])
    }
}

fn credential(field: &str) -> Option<String> {
    let field = field_name(field).to_lowercase();
    if field.contains("password") || field.contains("passphrase") || field == "pin" {
        return Some("password".to_owned());
    }
    let is_user =
        ["user", "name", "email", "e-mail", "login", "account", "mail"].iter().any(|word| field.contains(word));
    is_user.then(|| "user".to_owned())
}

/// What is posted where people talk is a message to them.
pub(super) fn posted(quoted: &Quoted, words: &[&str]) -> Option<String> {
    let [verb, text, lead, place @ ..] = words else { return None };
    let place = phrase::without_determiners(place);
    let talks = place.first().and_then(|word| phrase::kind_of(word));
    let is_told = matches!(bare(verb).as_str(), "post" | "write" | "say")
        && quoted.part(text).is_some()
        && matches!(bare(lead).as_str(), "in" | "to" | "into" | "on")
        && place.len() > 1
        && talks.is_some_and(|kind| matches!(kind.as_str(), "channel" | "room" | "chat" | "conversation" | "thread"));
    is_told.then(|| format!("send the message {text} to {}", place.get(1..).unwrap_or_default().join(" ")))
}
