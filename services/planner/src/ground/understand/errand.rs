//! Reading one command in people's words into tasks: what is done, to which thing, with which values. Pure.

mod act;
mod arrange;
mod change;
mod code;
mod make;
mod mark;
mod named;
mod open;
mod sum;
mod tail;
mod talk_to;
mod verb;
mod web;

use super::expense::{self, Expense};
use super::moment;
use super::phrase::{self, is_proper, parts};
use super::verbs::{Verb, at_start, bare};
use crate::ground::clause::Quoted;
use crate::ground::goal::{Goal, Target};
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::words::{self, is_function_word};
pub(super) use tail::is_common_field;

/// What earlier commands spoke of.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// The thing spoken of last: `it`, `that email`.
    pub last: Option<Thing>,
    /// The thing that an earlier clause opened for changes.
    pub edited: Option<Thing>,
    /// What was searched for.
    pub searched: Option<String>,
    /// What was told of somebody's new value: `Dirk has a new e-mail address, …`.
    pub news: Option<(Thing, Given)>,
    /// What somebody was told to have done something with: never `him` or `her`.
    pub object: Option<Thing>,
    /// What somebody or something is no longer: `active`.
    pub state: Option<String>,
    /// What somebody was told to have paid for.
    pub expense: Option<Expense>,
    /// Whether a later clause said what is changed of it.
    pub was_edited: bool,
}

/// Reads a command; none where it is no task of this kind.
pub(super) fn read(quoted: &Quoted, clause: &str, context: &Context) -> Option<Vec<Goal>> {
    let words: Vec<&str> = clause.split_whitespace().collect();
    // `let Ann know that …`
    if let Some(at) = words
        .iter()
        .position(|word| bare(word) == "know")
        .filter(|at| *at > 1 && words.first().is_some_and(|word| bare(word) == "let"))
    {
        let told = format!("tell {} {}", words.get(1..at)?.join(" "), words.get(at + 1..)?.join(" "));
        return read(quoted, &told, context);
    }
    if let Some(tasks) = (Reader { quoted, context, phrase: "add" }).kept_address(&words) {
        return Some(tasks.into_iter().map(Goal::Task).collect());
    }
    if let Some(task) = expense::command(quoted, &words, context.expense.as_ref()) {
        return Some(vec![Goal::Task(task)]);
    }
    // `enter the grade 12 for Ann`: nobody types such words into a field.
    if let Some((verb, rest)) = words.split_first()
        && matches!(bare(verb).as_str(), "enter" | "type" | "input" | "record")
        && let Some(tasks) = (Reader { quoted, context, phrase: "enter" }).enter_for(rest)
    {
        return Some(tasks.into_iter().map(Goal::Task).collect());
    }
    // `reply ⟦0⟧ to the thread ⟦1⟧`: the thread is opened first.
    if let Some(told) = talk_to::replied(quoted, &words) {
        let mut goals = Vec::new();
        for clause in told {
            goals.extend(read(quoted, &clause, context)?);
        }
        return Some(goals);
    }
    // `post ⟦0⟧ in the channel #news`
    if let Some(told) = talk_to::posted(quoted, &words) {
        return read(quoted, &told, context);
    }
    let plain = Reader { quoted, context, phrase: "do" };
    if let Some(goals) = plain.rated(&words).or_else(|| plain.queued(&words)).or_else(|| plain.reported(&words)) {
        return Some(goals);
    }
    if let Some(tasks) = (Reader { quoted, context, phrase: "add" }).noted(&words) {
        return Some(tasks.into_iter().map(Goal::Task).collect());
    }
    let turned = turning(&words);
    let is_turned = turned.is_some();
    let begun = at_start(&words);
    let taken = begun.as_ref().map_or(1, |(_, _, taken)| *taken);
    let (verb, phrase) = turned.or_else(|| begun.map(|(verb, phrase, _)| (verb, phrase)))?;
    let phrase = if phrase == "sign up" { "enrol".to_owned() } else { phrase };
    let rest = words.get(taken..words.len() - usize::from(is_turned)).unwrap_or_default();
    let reader = Reader { quoted, context, phrase: &phrase };
    // `place the order` hands in what is there.
    if phrase == "place"
        && let [article, order] = rest
        && matches!(bare(article).as_str(), "the" | "my" | "your")
        && bare(order) == "order"
    {
        return Some(vec![Goal::Activate(Target::labelled("place order"))]);
    }
    // What is there already is done with at a time, or for so long.
    const TAKING: [&str; 14] = [
        "book", "reserve", "schedule", "rent", "renew", "extend", "snooze", "mute", "pause", "enrol", "enroll", "join",
        "borrow", "suspend",
    ];
    let is_new = phrase == "schedule" && !reader.is_there_to_schedule(rest);
    if TAKING.contains(&phrase.as_str())
        && !is_new
        // A journey, and the cheapest of several, are chosen by what the page shows.
        && !speaks_of_route(rest)
        && !super::torn::compares(&rest.join(" "))
        && let Some(goals) = reader.act_with(rest)
    {
        return Some(goals);
    }
    let tasks = match verb {
        Verb::Open => reader.open(rest),
        Verb::Add => match (reader.made_so(rest), reader.listed(rest)) {
            (Some(made), _) => Some(made),
            (None, Some(listed)) => {
                listed.iter().map(|words| reader.add(words)).collect::<Option<Vec<_>>>().map(|tasks| tasks.concat())
            }
            // `reserve the book ⟦0⟧`: it is there already.
            (None, None) if matches!(phrase.as_str(), "book" | "reserve") && is_one_that_is_there(rest) => {
                return reader.do_verb(rest);
            }
            (None, None) if phrase == "leave" && rest.iter().any(|word| LEFT.contains(&bare(word).as_str())) => {
                return reader.do_verb(rest);
            }
            (None, None) => match reader.add(rest) {
                None if matches!(phrase.as_str(), "book" | "reserve") && !speaks_of_route(rest) => {
                    return reader.do_verb(rest);
                }
                added => added,
            },
        },
        Verb::Save => reader.save(rest),
        // Whoever drops a course leaves it.
        Verb::Remove
            if phrase == "drop"
                && reader
                    .thing_of(rest)
                    .is_some_and(|thing| matches!(thing.kind.as_str(), "course" | "lesson" | "module")) =>
        {
            return reader.do_verb(rest);
        }
        // What is cancelled stays where it is kept, and is not deleted.
        Verb::Remove
            if phrase == "cancel" && reader.thing_of(rest).is_some_and(|thing| KEPT.contains(&thing.kind.as_str())) =>
        {
            return reader.do_verb(rest);
        }
        Verb::Remove | Verb::Take => reader.remove(verb, rest),
        Verb::Mark => reader.mark(rest),
        Verb::MarkAs(state) => reader.mark_as(TaskAct::Mark, state, rest),
        Verb::UnmarkAs(state) => reader.mark_as(TaskAct::Unmark, state, rest),
        Verb::Check => reader.check(TaskAct::Mark, rest),
        Verb::Uncheck => reader.check(TaskAct::Unmark, rest),
        Verb::Change => reader.change(rest),
        Verb::Raise if reader.names_new_number(rest) => reader.change(rest),
        Verb::Raise if phrase == "raise" => reader.add(rest),
        Verb::Raise => None,
        Verb::Rename => reader.rename(rest),
        Verb::Move => reader.relocate(rest),
        Verb::Assign => reader.assign(rest),
        Verb::Give => reader.give(rest),
        Verb::Send => match reader.send(rest) {
            Some(sent) => Some(sent),
            None => return reader.send_notice(rest),
        },
        Verb::Write => reader.write(rest),
        Verb::Reply => reader.reply(rest),
        Verb::Forward => reader.forward(rest),
        Verb::LogIn => reader.log_in(rest),
        Verb::LogOut if rest.iter().all(|word| is_filler(word)) => {
            Some(vec![Task { act: TaskAct::LogOut, ..Task::default() }])
        }
        // A device, or somebody else, is signed out by a control of its own.
        Verb::LogOut => return reader.do_verb(rest),
        Verb::Search => reader.search(rest),
        Verb::Find => None,
        Verb::Sort if reader.orders_by(rest) => reader.sort(rest),
        Verb::Sort if speaks_of_route(rest) => None,
        Verb::Sort => return reader.do_verb(rest),
        Verb::Fill => reader.fill(rest),
        Verb::Filter => reader.filter(rest),
        Verb::Invite => match reader.invite(rest) {
            Some(invited) => Some(invited),
            None => return reader.do_verb(rest),
        },
        Verb::Share => match reader.share(rest) {
            Some(shared) => Some(shared),
            None => return reader.do_verb(rest),
        },
        Verb::Redeem => reader.code(rest),
        // `start a topic called ⟦0⟧` makes one.
        Verb::Do if phrase == "start" && reader.names_new(rest) => reader.add(rest),
        // `submit an expense claim for 184.20` fills in a new one.
        Verb::Do
            if (matches!(phrase.as_str(), "submit" | "file" | "lodge") || (phrase == "report" && is_fault(rest)))
                && rest.first().is_some_and(|word| matches!(bare(word).as_str(), "a" | "an"))
                && !rest
                    .get(1)
                    .is_some_and(|word| matches!(bare(word).as_str(), "draft" | "open" | "pending" | "existing"))
                && rest.iter().skip(1).take(3).any(|word| phrase::kind_of(word).is_some_and(|kind| kind != "form")) =>
        {
            reader.add(rest)
        }
        Verb::Do => return reader.do_verb(rest).or_else(|| reader.do_with(rest)),
    };
    tasks.map(|tasks| tasks.into_iter().map(Goal::Task).collect())
}

/// Reads `apply the voucher code X` and `use the coupon X`, whose verbs mean other things elsewhere.
pub(super) fn read_code(quoted: &Quoted, words: &[&str], context: &Context) -> Option<Vec<Goal>> {
    let (verb, rest) = words.split_first()?;
    // `enter the postal code 0150` only fills a field.
    let is_paid_with =
        || words.iter().any(|word| matches!(bare(word).as_str(), "voucher" | "coupon" | "promo" | "discount" | "gift"));
    match bare(verb).as_str() {
        "apply" | "use" => {}
        "enter" if is_paid_with() => {}
        _ => return None,
    }
    let tasks = Reader { quoted, context, phrase: "redeem" }.code(rest)?;
    Some(tasks.into_iter().map(Goal::Task).collect())
}

/// Reads a command whose verb is in no list: `refund order 4711`. It is a control of the thing that is called so, where the thing is
/// named.
pub(super) fn read_unknown(quoted: &Quoted, words: &[&str], context: &Context) -> Option<Vec<Goal>> {
    let (verb, rest) = words.split_first()?;
    let phrase = bare(verb);
    let is_word = phrase.chars().count() > 2 && phrase.chars().all(char::is_alphabetic);
    const LEADS: [&str; 9] = ["under", "within", "inside", "below", "above", "after", "before", "until", "near"];
    if !is_word || LEADS.contains(&phrase.as_str()) || is_function_word(&phrase) || super::verbs::is_verb(&phrase) {
        return None;
    }
    let reader = Reader { quoted, context, phrase: &phrase };
    if is_pronoun(rest) && rest.len() == 1 {
        return reader.do_verb(rest);
    }
    // `the pump P4` is one that is there.
    let is_definite = rest.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "my" | "our"))
        || rest.iter().any(|word| quoted.part(word).is_none() && word.contains(|sign: char| sign.is_ascii_digit()));
    let is_of_somebody =
        |thing: &Thing| thing.name.is_empty() && !thing.kind.is_empty() && thing.of.starts_with(char::is_uppercase);
    let named = |thing: &Thing| {
        is_of_somebody(thing)
            || !thing.name.is_empty()
                && (!thing.kind.is_empty() || is_definite)
                && (thing.quoted
                    || (is_definite && thing.name.contains(' '))
                    || thing.name.contains(|sign: char| sign.is_ascii_digit() || sign.is_uppercase()))
    };
    let things = reader.several(rest)?;
    things.iter().all(named).then(|| things.into_iter().map(|thing| reader.done_to(thing)).collect())
}

/// `turn the dark mode on`, `take ⟦0⟧ offline`: a word of the verb stands at the end.
fn turning(words: &[&str]) -> Option<(Verb, String)> {
    let (first, last) = (words.first().map(|word| bare(word))?, words.last().map(|word| bare(word))?);
    if words.len() < 3 {
        return None;
    }
    if let "take" | "bring" | "put" = first.as_str() {
        let is_state = matches!(last.as_str(), "offline" | "online" | "live");
        return is_state.then(|| (Verb::Do, format!("{first} {last}")));
    }
    if !matches!(first.as_str(), "turn" | "switch") {
        return None;
    }
    match last.as_str() {
        "on" => Some((Verb::MarkAs("on"), "turn on".to_owned())),
        "off" => Some((Verb::UnmarkAs("on"), "turn off".to_owned())),
        _ => None,
    }
}

/// The thing that a clause such as `find the email by Ann` names for what follows.
pub(super) fn found(quoted: &Quoted, rest: &str, context: &Context) -> Option<Thing> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    Reader { quoted, context, phrase: "find" }.thing_of(&words)
}

pub(super) struct Reader<'a> {
    pub quoted: &'a Quoted,
    pub context: &'a Context,
    /// The verb as the instruction has it.
    pub phrase: &'a str,
}

impl Reader<'_> {
    fn remove(&self, verb: Verb, rest: &[&str]) -> Option<Vec<Task>> {
        if verb == Verb::Take && !rest.iter().any(|word| matches!(bare(word).as_str(), "off" | "out" | "from")) {
            return None;
        }
        // To cancel is to say no to a question, unless a thing is named.
        let mut things = self.several(rest)?;
        // `my appointment on 3 June` is called by its day.
        for thing in things.iter_mut().filter(|thing| thing.anchor().is_empty() && !thing.all) {
            if let Some(at) = thing.places.iter().position(|place| moment::is_day(&place.name)) {
                let day = thing.places.remove(at);
                (thing.name, thing.quoted) = (day.name, day.quoted);
            }
        }
        let only_kind = |thing: &Thing| thing.anchor().is_empty() && !thing.all && thing.ordinal.is_none();
        if self.phrase == "cancel" && things.iter().any(|thing| only_kind(thing) || thing.kind == "dialog") {
            return None;
        }
        Some(things.into_iter().map(|thing| Task { act: TaskAct::Remove, thing, values: Vec::new() }).collect())
    }

    /// One thing, or each of several quoted names: `⟦0⟧ and ⟦1⟧ from the list`.
    fn several(&self, rest: &[&str]) -> Option<Vec<Thing>> {
        match self.listed(rest) {
            Some(listed) => listed.iter().map(|words| self.thing_of(words)).collect(),
            None => self.thing_of(rest).map(|thing| vec![thing]),
        }
    }

    /// The words for each of several quoted names that stand in a list.
    fn listed<'w>(&self, rest: &[&'w str]) -> Option<Vec<Vec<&'w str>>> {
        let names: Vec<&str> = rest.iter().filter_map(|word| self.quoted.part(word)).collect();
        let joined =
            |pair: &[&str]| self.quoted.part(pair[0]).is_some() && matches!(bare(pair[1]).as_str(), "and" | "");
        let is_list = names.len() > 1
            && rest
                .windows(2)
                .any(|pair| joined(pair) || (pair[0].ends_with(',') && self.quoted.part(pair[0]).is_some()));
        if !is_list {
            return None;
        }
        let from = rest.iter().position(|word| self.quoted.part(word).is_some())?;
        let last = from
            + rest
                .iter()
                .skip(from)
                .take_while(|word| self.quoted.part(word).is_some() || matches!(bare(word).as_str(), "and" | ""))
                .count();
        let listed = rest.get(from..last)?;
        let (before, after) = (rest.get(..from)?, rest.get(last..)?);
        let names = listed.iter().filter(|word| self.quoted.part(word).is_some());
        let listed: Vec<Vec<&str>> = names.map(|word| [before, &[*word], after].concat()).collect();
        (listed.len() > 1).then_some(listed)
    }

    /// Whether words name one that is to be made: `a topic called ⟦0⟧`, `a new thread ⟦0⟧`.
    fn names_new(&self, rest: &[&str]) -> bool {
        let begins = rest.iter().take_while(|word| matches!(bare(word).as_str(), "a" | "an" | "new")).count();
        let has_kind = rest.get(begins).is_some_and(|word| phrase::kind_of(word).is_some());
        let is_named = phrase::quote(self.quoted, rest).is_some()
            || rest.iter().any(|word| matches!(bare(word).as_str(), "called" | "named" | "titled"));
        begins > 0 && has_kind && is_named
    }

    fn orders_by(&self, rest: &[&str]) -> bool {
        rest.iter().any(|word| bare(word) == "by")
    }

    /// `the form with the name ⟦0⟧ and the city ⟦1⟧`
    fn fill(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let at = rest.iter().position(|word| bare(word) == "with")?;
        let (head, values) = (rest.get(..at)?, rest.get(at + 1..)?);
        if values.iter().any(|word| bare(word) == "these") {
            return None;
        }
        let mut task = Task { act: TaskAct::Edit, ..Task::default() };
        let named: Vec<&str> = head.iter().filter(|word| !is_filler(word) && !is_general(word)).copied().collect();
        let listed = self.pairs(values);
        // `the contact form with …`: the values say of which fields.
        let is_form = head.iter().any(|word| bare(word) == "form");
        match listed {
            listed if named.is_empty() => task.values = listed?,
            Some(listed) if is_form && listed.len() > 1 => task.values = listed,
            _ => task.values.push(self.value(&phrase::text(self.quoted, &named), values)),
        }
        Some(vec![task])
    }
}

/// Kinds of things that are kept when they are cancelled.
const KEPT: [&str; 8] = ["invoice", "bill", "payment", "transaction", "job", "campaign", "deal", "claim"];

/// What somebody leaves who is in it.
const LEFT: [&str; 6] = ["group", "channel", "team", "room", "chat", "project"];

/// Whether words name one thing that is there, and nothing else: `the book ⟦0⟧`.
fn is_one_that_is_there(words: &[&str]) -> bool {
    words.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "this" | "that"))
        && parts(&words.join(" ")).len() == 1
}

/// Whether words describe a journey, which fills a form: `from Oslo to Bergen`.
fn speaks_of_route(words: &[&str]) -> bool {
    let has = |wanted: &str| words.iter().any(|word| bare(word) == wanted);
    has("from") && has("to")
}

/// Whether words name something that is wrong, which is made by being reported: `an issue called ⟦0⟧`.
fn is_fault(words: &[&str]) -> bool {
    words
        .iter()
        .take(3)
        .any(|word| matches!(bare(word).as_str(), "issue" | "bug" | "problem" | "ticket" | "incident" | "fault"))
}

/// Whether words only point back: `it`, `them`.
fn is_pronoun(words: &[&str]) -> bool {
    words.iter().any(|word| matches!(bare(word).as_str(), "it" | "them" | "this" | "that"))
}

/// Words that say nothing about the thing.
pub(super) fn is_filler(word: &str) -> bool {
    let word = bare(word);
    is_function_word(&word) || matches!(word.as_str(), "again" | "now" | "out" | "up" | "off" | "account" | "" | "just")
}

/// Whether a word, whatever signs stand around it, is one for what a page has only one of.
pub(super) fn is_general(word: &str) -> bool {
    words::is_general(&bare(word))
}

/// Whether words are a person or an address.
pub(super) fn is_person(words: &[&str]) -> bool {
    is_proper(&phrase::without_determiners(words))
}
