//! Reading what is to be made or put somewhere, and the values it is to have.

use super::Reader;
use super::sum::amount;
use super::web::is_web_address;
use crate::ground::clause::OPEN_MARK;
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::understand::moment;
use crate::ground::understand::phrase::{self, Part, is_collection, parts, place, thing};
use crate::ground::understand::verbs::{bare, is_verb};

impl Reader<'_> {
    pub(super) fn add(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let first = rest.first().map(|word| bare(word))?;
        // `make sure that …` makes nothing.
        if self.phrase == "make" && matches!(first.as_str(), "sure" | "certain") {
            return None;
        }
        // `leave a comment` makes one; `leave the group` does not.
        const SAID: [&str; 10] =
            ["comment", "note", "message", "review", "reply", "feedback", "rating", "answer", "remark", "tip"];
        if self.phrase == "leave" && !rest.iter().any(|word| SAID.contains(&bare(word).as_str())) {
            return None;
        }
        let (rest, tail) = self.take_tail(rest);
        let rest = rest.as_slice();
        // `make the site cheaper`, `set up`, `plan ahead`: nothing is made where no thing follows.
        let makes_a_thing = matches!(first.as_str(), "a" | "an" | "new" | "another")
            || phrase::quote(self.quoted, rest).is_some()
            || (rest.iter().any(|word| matches!(bare(word).as_str(), "to" | "on" | "into" | "in"))
                && self.phrase != "make")
            || (self.phrase != "make" && self.phrase != "leave" && self.phrase != "plan");
        // `make the event ⟦0⟧ an all-day event` changes one that is there.
        let is_there = (self.phrase == "make"
            && matches!(first.as_str(), "the" | "my" | "our" | "this" | "that" | "it"))
            || (matches!(self.phrase, "register" | "file" | "note" | "draft")
                && matches!(first.as_str(), "this" | "that"));
        if !makes_a_thing
            || is_there
            || (matches!(self.phrase, "book" | "reserve")
                && phrase::quote(self.quoted, rest).is_none()
                && !rest.iter().any(|word| bare(word) == "called" || bare(word) == "named"))
        {
            return None;
        }
        // `a contact: first name Ann, last name Lind`
        if let Some(at) = rest.iter().position(|word| word.ends_with(':')).filter(|at| *at < 3)
            && phrase::quote(self.quoted, rest.get(..=at)?).is_none()
            && let Some(values) = self.pairs(rest.get(at + 1..)?).filter(|values| values.len() > 1)
        {
            let kind = rest.get(at)?.trim_end_matches(':');
            let words: Vec<&str> = rest.get(..at)?.iter().copied().chain([kind]).collect();
            return Some(vec![Task { act: TaskAct::Add, thing: self.referred(&words), values }]);
        }
        // `3 of the socks`
        let counted = rest.get(1).is_some_and(|word| bare(word) == "of") && moment::number(rest.first()?).is_some();
        let rest: Vec<&str> =
            rest.iter().enumerate().filter(|(at, _)| !(counted && *at == 1)).map(|(_, word)| *word).collect();
        let joined = rest.join(" ");
        let cut = parts(&joined);
        // Text that is put into a field is left to the reading of controls.
        let is_field = |part: &Part<'_>| {
            part.words
                .iter()
                .any(|word| matches!(bare(word).as_str(), "field" | "fields" | "box" | "textbox" | "input"))
                || (part.lead == "into" && phrase::quote(self.quoted, &part.words).is_some())
        };
        if matches!(self.phrase, "put" | "insert" | "place")
            && cut.iter().any(|part| matches!(part.lead.as_str(), "into" | "in") && is_field(part))
        {
            return None;
        }
        // Without quotes, words in front of the place are a part of the name: `call the dentist`.
        let mut task = Task { act: TaskAct::Add, ..Task::default() };
        let mut cut = cut.into_iter();
        let head = cut.next()?;
        let mut head_words = self.take_quantity(&head.words, &mut task);
        let mut values: Vec<Given> = Vec::new();
        let is_plain = phrase::quote(self.quoted, &head_words).is_none();
        let mut rest_parts: Vec<Part<'_>> = cut.collect();
        if is_plain
            && !rest_parts.iter().any(|part| {
                phrase::quote(self.quoted, &part.words).is_some() || part.lead == "called" || part.lead == "named"
            })
        {
            // Only the last place, and moments, are cut off an unquoted name.
            // `buy a ticket to event Gala` is one name.
            let is_sentence = head.words.first().is_some_and(|word| is_verb(&bare(word)));
            // `Jo on the waiting list for the yoga course`: a proper name ends where its places begin.
            let is_placed = phrase::is_proper(&head.words)
                && rest_parts.first().is_some_and(|part| self.is_place_of_making(part) || self.names_place(part))
                && rest_parts.iter().all(|part| PLACING.contains(&part.lead.as_str()));
            // `a visitor permit for Martin Berg`: whose it is, and no part of what it is called.
            let mut named = thing(self.quoted, &head_words);
            let has_kind = !named.kind.is_empty();
            phrase::as_kind(&mut named);
            let is_kind =
                !has_kind && named.name.is_empty() && matches!(first.as_str(), "a" | "an" | "another" | "new");
            let is_whose = |part: &Part<'_>| is_kind && part.lead == "for" && phrase::is_proper(&part.words);
            // `oat milk to the Weekly shop`: the last of it, of what has no kind.
            let last = rest_parts.last().filter(|part| !has_kind && goes_to_proper(part)).cloned();
            let is_last = |part: &Part<'_>| last.as_ref() == Some(part);
            let keeps = |part: &Part<'_>| {
                is_placed
                    || is_whose(part)
                    || self.is_place_of_making(part)
                    || (!is_sentence && (self.names_place(part) || is_last(part)))
                    || self.moment(part).is_some()
                    || amount(part).is_some()
                    || part.words.last().is_some_and(|word| is_web_address(word))
                    || part.lead == "with"
            };
            while let Some(at) = rest_parts.iter().position(|part| !keeps(part)) {
                for part in rest_parts.drain(..=at) {
                    let lead = joined.split_whitespace().find(|word| bare(word) == part.lead).unwrap_or_default();
                    head_words.push(lead);
                    head_words.extend(part.words);
                }
            }
        }
        self.take_trailing_moment(&mut head_words, &mut values);
        // `an internal note`: who sees it is a part of what is asked for, whatever the form calls it.
        let who_sees = head_words.iter().position(|word| WHO_SEES.contains(&bare(word).as_str()));
        if let Some(at) =
            who_sees.filter(|at| head_words.get(at + 1).is_some_and(|next| phrase::kind_of(next).is_some()))
        {
            values.push(Given { field: bare(head_words.remove(at)), value: "yes".to_owned(), quoted: false });
        }
        task.thing = self.referred(&head_words);
        let is_one = matches!(first.as_str(), "a" | "an" | "another" | "new") || !task.thing.name.contains(' ');
        if (!rest_parts.is_empty() || !tail.is_empty()) && is_one {
            phrase::as_kind(&mut task.thing);
        }
        let is_to_do = matches!(task.thing.kind.as_str(), "task" | "todo" | "to-do" | "reminder") && !task.thing.quoted;
        if is_to_do && let Some(name) = task.thing.name.strip_prefix("to ") {
            task.thing.name = name.to_owned();
        }
        for part in &rest_parts {
            self.hang_on_new(&mut task.thing, &mut values, part)?;
        }
        // `Yusuf Demir to the channel #design`: somebody is let in, and nothing is made of this name.
        let joins = |part: &Part<'_>| {
            const JOINED: [&str; 5] = ["channel", "group", "team", "workspace", "committee"];
            part.words.iter().filter_map(|word| phrase::kind_of(word)).any(|kind| JOINED.contains(&kind.as_str()))
        };
        if task.thing.kind.is_empty()
            && !task.thing.quoted
            && head_words.len() > 1
            && phrase::is_proper(&head_words)
            && rest_parts.iter().any(joins)
        {
            task.thing.kind = "person".to_owned();
        }
        if let Some(at) = values.iter().position(|given| given.field == "title" || given.field == "name")
            && task.thing.name.is_empty()
        {
            let title = values.remove(at);
            (task.thing.name, task.thing.quoted) = (title.value, title.quoted);
        }
        task.values.extend(values);
        task.values.extend(tail);
        let is_nothing = task.thing.name.is_empty() && task.thing.kind.is_empty();
        if is_nothing || super::sum::begins_with_sum(&task.thing) {
            return None;
        }
        Some(vec![task])
    }

    /// `two ⟦0⟧` → the quantity, and the words without it.
    fn take_quantity<'w>(&self, words: &[&'w str], task: &mut Task) -> Vec<&'w str> {
        let is_quantity =
            words.len() > 1 && words.first().is_some_and(|word| moment::number(word).is_some_and(|number| number > 0));
        let Some(first) =
            words.first().filter(|_| is_quantity && matches!(self.phrase, "add" | "put" | "order" | "place"))
        else {
            return words.to_vec();
        };
        // `one ticket` says no more than `a ticket`.
        if bare(first) == "one" {
            return words.get(1..).unwrap_or_default().to_vec();
        }
        let number = moment::number(first).unwrap_or(1).to_string();
        task.give("quantity", &number, false);
        // `two more chairs`
        let more = words.get(1).is_some_and(|word| matches!(bare(word).as_str(), "more" | "extra" | "additional"));
        words.get(1 + usize::from(more)..).unwrap_or_default().to_vec()
    }

    /// `⟦0⟧ tomorrow`: a day behind a quoted name.
    fn take_trailing_moment(&self, words: &mut Vec<&str>, values: &mut Vec<Given>) {
        let Some(at) = words.iter().rposition(|word| word.starts_with(OPEN_MARK)) else {
            // `Team lunch next Friday`; `Black Friday` is a name.
            let is_day = |at: &usize| {
                words[*at].starts_with(|sign: char| sign.is_lowercase() || sign.is_ascii_digit())
                    && moment::is_day(&words[*at..].join(" "))
            };
            if let Some(at) = (1..words.len()).find(is_day) {
                let value = phrase::text(self.quoted, &words[at..]);
                values.push(Given { field: "date".into(), value, quoted: false });
                words.truncate(at);
            }
            return;
        };
        let tail = words.get(at + 1..).unwrap_or_default().join(" ");
        if !tail.is_empty() && moment::is_day(&tail) {
            values.push(Given {
                field: "date".into(),
                value: phrase::text(self.quoted, &[tail.as_str()]),
                quoted: false,
            });
            words.truncate(at + 1);
        }
    }

    fn is_place_of_making(&self, part: &Part<'_>) -> bool {
        let begins = part.words.first().map(|word| bare(word)).unwrap_or_default();
        let leads = PLACING.contains(&part.lead.as_str()) && part.lead != "for";
        let points = part.words.len() == 1 && super::is_pronoun(&part.words);
        leads && (points || is_collection(&part.words) || matches!(begins.as_str(), "my" | "our"))
    }

    /// Whether a part names one thing by its kind: `to room B`.
    fn names_place(&self, part: &Part<'_>) -> bool {
        PLACING.contains(&part.lead.as_str())
            && part.lead != "for"
            && matches!(phrase::without_determiners(&part.words)[..], [kind, name]
                if (phrase::kind_of(kind).is_some() || is_collection(&[kind]))
                    && kind.starts_with(char::is_lowercase)
                    && name.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit() || sign == '#'))
    }

    /// The day or time that a part names.
    pub(super) fn moment(&self, part: &Part<'_>) -> Option<Vec<Given>> {
        if !matches!(
            part.lead.as_str(),
            "on" | "for" | "at" | "by" | "due" | "in" | "from" | "until" | "to" | "starting"
        ) {
            return None;
        }
        let text = phrase::text(self.quoted, &part.words);
        let words: Vec<&str> = text.split_whitespace().collect();
        let quoted = phrase::quote(self.quoted, &part.words).is_some();
        let given = |field: &str, value: &str| Given { field: field.into(), value: value.to_owned(), quoted };
        let day_field = match part.lead.as_str() {
            "due" | "by" => "due date",
            "until" => "end date",
            _ => "date",
        };
        if moment::time(&text).is_some() {
            return Some(vec![given(
                if matches!(part.lead.as_str(), "until" | "to") { "end time" } else { "time" },
                &text,
            )]);
        }
        if part.lead == "to" {
            return None; // `to Monday` is where it goes
        }
        if moment::is_day(&text) {
            return Some(vec![given(day_field, &text)]);
        }
        // `tomorrow 9 am`
        (1..words.len()).find_map(|at| {
            let (day, time) = (words.get(..at)?.join(" "), words.get(at..)?.join(" "));
            (moment::is_day(&day) && moment::time(&time).is_some())
                .then(|| vec![given(day_field, &day), given("time", &time)])
        })
    }

    fn hang_on_new(&self, thing: &mut Thing, values: &mut Vec<Given>, part: &Part<'_>) -> Option<()> {
        if let Some(moments) = self.moment(part) {
            values.extend(moments);
            return Some(());
        }
        if let Some(mut amount) = amount(part).filter(|_| !thing.kind.is_empty()) {
            const PAID: [&str; 7] = ["expense", "invoice", "bill", "payment", "claim", "donation", "loan"];
            // What something costs is no amount of it.
            if !PAID.contains(&thing.kind.as_str()) {
                amount.field = "price".to_owned();
            }
            values.push(amount);
            return Some(());
        }
        if part.words.is_empty() {
            return Some(());
        }
        if let Some(address) = self.web_address(thing, part) {
            values.push(address);
            return Some(());
        }
        // `to the calendar: ⟦0⟧`
        if let Some(at) = part.words.iter().position(|word| self.quoted.part(word).is_some())
            && at > 0
            && part.words.get(at - 1).is_some_and(|word| word.ends_with(':'))
            && thing.name.is_empty()
        {
            let (to, name) = part.words.split_at(at);
            self.name(thing, name);
            thing.places.push(place(self.quoted, to)?);
            return Some(());
        }
        match part.lead.as_str() {
            "called" | "named" | "titled" | "entitled" | "labelled" | "labeled" => {
                // `titled ⟦0⟧ and the priority ⟦1⟧`
                match part.words.iter().position(|word| bare(word) == "and") {
                    Some(at) => {
                        self.name(thing, part.words.get(..at)?);
                        values.extend(self.pairs(part.words.get(at + 1..)?)?);
                    }
                    None => {
                        let mut words = part.words.clone();
                        self.take_trailing_moment(&mut words, values);
                        self.name(thing, &words);
                    }
                }
            }
            "saying" | "says" | "that" => values.push(self.value("text", &part.words)),
            "with" | "using" | "having" => match phrase::quote(self.quoted, &part.words) {
                Some(_) => values.extend(self.pairs(&part.words)?),
                None if is_event(&thing.kind) && thing.name.is_empty() && super::is_person(&part.words[..1]) => {
                    // `a meeting with Bob tomorrow`
                    let at = (1..part.words.len())
                        .find(|at| moment::is_day(&part.words[*at..].join(" ")))
                        .unwrap_or(part.words.len());
                    let (people, day) = part.words.split_at(at);
                    thing.name = format!("{} with {}", thing.kind, phrase::text(self.quoted, people));
                    if !day.is_empty() {
                        values.push(Given {
                            field: "date".into(),
                            value: phrase::text(self.quoted, day),
                            quoted: false,
                        });
                    }
                }
                None if thing.name.is_empty() || !thing.quoted => match self.pairs(&part.words) {
                    Some(pairs) => values.extend(pairs),
                    None => values.push(self.value("people", &part.words)),
                },
                None => values.extend(self.pairs(&part.words)?),
            },
            "for" if moment::is_span(&part.words) => values.push(self.value("duration", &part.words)),
            "for" | "about" if thing.name.is_empty() => self.name(thing, &part.words),
            // A value that runs on behind another: `with the description ⟦0⟧ of ⟦1⟧` is not understood.
            "in" | "at" if is_event(&thing.kind) && !is_collection(&part.words) && !begins_with_my(&part.words) => {
                values.push(self.value("location", &part.words));
            }
            // `an issue called Broken chair as a wish`
            "as" if !thing.name.is_empty()
                && !thing.kind.is_empty()
                && part.words.first().is_some_and(|word| matches!(bare(word).as_str(), "a" | "an")) =>
            {
                values.push(self.value("type", &part.words));
            }
            "as" => values.push(Given {
                field: phrase::text(self.quoted, &phrase::without_determiners(&part.words)),
                value: std::mem::take(&mut thing.name),
                quoted: std::mem::take(&mut thing.quoted),
            }),
            "to" | "into" | "in" | "on" | "onto" | "for" | "under" | "within" | "inside" | "at" | "from" => {
                thing.places.push(self.place(&part.words)?);
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn value(&self, field: &str, words: &[&str]) -> Given {
        match phrase::quote(self.quoted, words) {
            Some(value) => Given { field: field.into(), value: value.to_owned(), quoted: true },
            None => Given {
                field: field.into(),
                value: phrase::text(self.quoted, &phrase::without_determiners(words)),
                quoted: false,
            },
        }
    }

    /// Fields with their values: `the title ⟦0⟧ and the priority high`, `⟦0⟧ as the title`.
    pub(super) fn pairs(&self, words: &[&str]) -> Option<Vec<Given>> {
        let mut pairs = Vec::new();
        // `the date 30 May, the text …`: a comma within a date is none between fields.
        let mut pieces: Vec<Vec<&str>> = vec![Vec::new()];
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map(|next| bare(next)).unwrap_or_default();
            // `name Zoe, email zoe@mail.test`
            let is_value = |value: &&str| {
                value.contains('@')
                    || value.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit() || sign == OPEN_MARK)
            };
            let is_field =
                |word: &&&str| word.chars().all(char::is_lowercase) && !crate::ground::words::is_function_word(word);
            let begins_field = || {
                let field = words.iter().skip(at + 1).take(2).take_while(is_field).count();
                field > 0 && words.get(at + 1 + field).is_some_and(is_value)
            };
            let ends =
                word.ends_with(',') && *word != "," && (matches!(next.as_str(), "the" | "a" | "an") || begins_field());
            let plain = if ends { word.trim_end_matches(',') } else { word };
            match bare(word) == "and" || *word == "," {
                true => pieces.push(Vec::new()),
                false => pieces.last_mut().into_iter().for_each(|piece| piece.push(plain)),
            }
            if ends {
                pieces.push(Vec::new());
            }
        }
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            pairs.push(self.pair(piece)?);
        }
        (!pairs.is_empty()).then_some(pairs)
    }

    fn pair(&self, words: &[&str]) -> Option<Given> {
        // `Root as its parent`
        if let Some(at) = words.iter().position(|word| bare(word) == "as").filter(|at| *at > 0 && *at + 1 < words.len())
            && words.get(at + 1).is_some_and(|word| bare(word) == "its")
            && phrase::quote(self.quoted, words).is_none()
        {
            let field: Vec<&str> = words.iter().skip(at + 1).filter(|word| bare(word) != "its").copied().collect();
            let field = field_name(&phrase::text(self.quoted, &phrase::without_determiners(&field)));
            let value = phrase::text(self.quoted, &phrase::without_determiners(words.get(..at)?));
            return (!field.is_empty() && !value.is_empty()).then_some(Given { field, value, quoted: false });
        }
        let content: Vec<&str> = phrase::without_determiners(words)
            .into_iter()
            .filter(|word| !matches!(bare(word).as_str(), "is" | "being" | "set" | "to" | "of" | "equal" | "the"))
            .filter(|word| !bare(word).is_empty() || word.starts_with(OPEN_MARK))
            .collect();
        if let Some(at) = content.iter().position(|word| self.quoted.part(word).is_some()) {
            let value = content.get(at).and_then(|word| self.quoted.part(word))?.to_owned();
            let around: Vec<&str> = if at > 0 { content.get(..at)?.to_vec() } else { content.get(at + 1..)?.to_vec() };
            let around: Vec<&str> =
                around.into_iter().filter(|word| !matches!(bare(word).as_str(), "as" | "for")).collect();
            let field = field_name(&phrase::text(self.quoted, &phrase::without_determiners(&around)));
            return Some(Given { field, value, quoted: true });
        }
        // `an oak handle`, `a steel handle`: of what one has, the value stands in front.
        let is_described = words.first().is_some_and(|word| matches!(bare(word).as_str(), "a" | "an"));
        if let (true, Some((field, value))) = (is_described, content.split_last())
            && !value.is_empty()
            && content.iter().all(|word| word.starts_with(|sign: char| sign.is_lowercase()))
        {
            let field = field_name(&phrase::text(self.quoted, &[*field]));
            return Some(Given { field, value: phrase::text(self.quoted, value), quoted: false });
        }
        // `high priority`: of such fields the value may stand in front.
        if let [value, field] = content.as_slice()
            && super::tail::is_field_of_words(field)
            && !super::tail::is_field_of_words(value)
            && value.chars().all(char::is_lowercase)
        {
            let field = field_name(&phrase::text(self.quoted, &[*field]));
            return Some(Given { field, value: phrase::text(self.quoted, &[*value]), quoted: false });
        }
        let at = content
            .iter()
            .position(|word| {
                word.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit() || sign == '$')
                    || word.contains('@')
            })
            .filter(|at| *at > 0)
            .unwrap_or(content.len().checked_sub(1)?);
        if at == 0 {
            return None;
        }
        let field = field_name(&phrase::text(self.quoted, content.get(..at)?));
        Some(Given { field, value: phrase::text(self.quoted, content.get(at..)?), quoted: false })
    }
}

/// Words that lead to where something is put.
const PLACING: [&str; 9] = ["to", "into", "in", "on", "onto", "under", "within", "inside", "for"];

/// Whether a part names where something goes by a proper name: `to the Weekly shop`.
fn goes_to_proper(part: &Part<'_>) -> bool {
    let is_lead = matches!(part.lead.as_str(), "to" | "onto" | "into") && (2..=4).contains(&part.words.len());
    let begins = part.words.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "my" | "our"));
    is_lead && begins && part.words.get(1).is_some_and(|word| word.starts_with(char::is_uppercase))
}

/// The name of a field by which its kind is known: what is written goes into the text.
pub(super) fn field_name(words: &str) -> String {
    match words.to_lowercase().as_str() {
        "text" | "body" | "message" | "content" | "contents" | "words" | "following text" => "text".to_owned(),
        known @ ("title" | "name") => known.to_owned(),
        _ => words.to_owned(),
    }
}

/// Words that say who sees what is made.
const WHO_SEES: [&str; 7] = ["internal", "public", "private", "hidden", "anonymous", "confidential", "secret"];

pub(super) fn is_event(kind: &str) -> bool {
    matches!(kind, "event" | "appointment" | "meeting" | "reminder" | "booking" | "reservation")
}

fn begins_with_my(words: &[&str]) -> bool {
    words.first().is_some_and(|word| matches!(bare(word).as_str(), "my" | "our"))
}
