//! Reading which thing words name, with all that hangs on it: its name, whose it is, where it is.

use super::act::{which_edition, with_whole_names};
use super::{Reader, is_person, is_pronoun};
use crate::ground::goal::PagePart;
use crate::ground::task::Thing;
use crate::ground::understand::kinds::is_holder;
use crate::ground::understand::moment;
use crate::ground::understand::phrase::{self, Part, is_collection, is_written, parts, thing};
use crate::ground::understand::verbs::bare;
use crate::ground::words::{self, is_function_word};

impl Reader<'_> {
    /// The thing that words name with all that hangs on it; none where they name none, or say more than is understood.
    pub(super) fn thing_of(&self, words: &[&str]) -> Option<Thing> {
        // `the order that is found`: by what was searched for.
        let found = ["that is found", "that was found", "that you found", "you found", "in the results"];
        let text = words.join(" ");
        if let (Some(name), Some(plain)) =
            (&self.context.searched, found.iter().find_map(|tail| text.strip_suffix(tail)))
        {
            let words: Vec<&str> = plain.split_whitespace().collect();
            let thing = thing(self.quoted, &words);
            return Some(if thing.name.is_empty() { Thing { name: name.clone(), ..thing } } else { thing });
        }
        if let Some(thing) = self.told_by_its_words(words) {
            return Some(thing);
        }
        let (words, sum) = self.without_sum(words);
        let text = words.join(" ");
        let mut cut = with_whole_names(parts(&text)).into_iter();
        let head = cut.next()?;
        let mut thing = self.referred(&head.words);
        let is_owned = head.words.iter().any(|word| word.ends_with("'s") || word.ends_with("\u{2019}s"));
        for part in cut {
            // `the comment that says ⟦0⟧`
            if part.lead == "that" && part.words.is_empty() {
                continue;
            }
            // `Ann's booking of the Oak room`
            if part.lead == "of" && is_owned && !thing.of.is_empty() && thing.name.is_empty() {
                let named = phrase::thing(self.quoted, &part.words);
                self.name(&mut thing, &part.words);
                if !named.kind.is_empty() && !named.name.is_empty() {
                    (thing.name, thing.quoted) = (named.name, named.quoted);
                }
                continue;
            }
            self.hang(&mut thing, &part)?;
        }
        thing.places.extend(sum);
        (!thing.is_empty()).then_some(thing)
    }

    /// `the comment that says where the code is`, `the thread about the new lock on the shed`: all that follows is what it says.
    fn told_by_its_words(&self, words: &[&str]) -> Option<Thing> {
        let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
        let at = |lead: &[&str]| plain.windows(lead.len()).position(|part| part == lead).map(|at| (at, lead.len()));
        let says = at(&["that", "says"]).or_else(|| at(&["which", "says"])).or_else(|| at(&["saying"]));
        // `the page on how to sharpen a knife`
        let how = at(&["on", "how"]).or_else(|| at(&["about", "how"])).map(|(at, _)| (at, 1));
        if let Some((at, _)) = how.filter(|_| phrase::quote(self.quoted, words).is_none()) {
            let mut thing = self.referred(words.get(..at)?);
            thing.name = phrase::text(self.quoted, words.get(at + 1..)?);
            return (!thing.kind.is_empty()).then_some(thing);
        }
        let (from, length) = says.or_else(|| at(&["about"]))?;
        let (head, said) = (words.get(..from)?, words.get(from + length..)?);
        let mut thing = self.referred(head);
        let is_work = matches!(
            thing.kind.as_str(),
            "ticket"
                | "issue"
                | "card"
                | "task"
                | "bug"
                | "pull request"
                | "merge request"
                | "change request"
                | "feature request"
        );
        let is_told =
            is_written(&thing.kind) || is_work || matches!(thing.kind.as_str(), "topic" | "question" | "request");
        if !is_told || !thing.name.is_empty() || said.len() < 2 || phrase::quote(self.quoted, words).is_some() {
            return None;
        }
        // `about the trip from Ann`, `about the trip in the inbox`: where it is, and whose.
        let text = said.join(" ");
        let is_place = |words: &[&str]| is_collection(words) || words.last().is_some_and(|last| is_holder(&bare(last)));
        let goes_on = |part: &Part<'_>| {
            let words = phrase::without_determiners(&part.words);
            !is_place(&part.words) && (is_work || !phrase::is_proper(&words))
        };
        let mut parts = parts(&text).into_iter().skip(1).peekable();
        // What work is about is told in any words, such as `the typo in the README`; a list or a folder is where it is.
        if says.is_none() && (parts.peek().is_none() && !is_work || !parts.all(|part| goes_on(&part))) {
            return None;
        }
        let article = said.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "a" | "an" | "my" | "our"));
        thing.name = phrase::text(self.quoted, said.get(usize::from(article)..)?);
        Some(thing)
    }

    /// The thing of a head: by its words, or by a word such as `it`.
    pub(super) fn referred(&self, words: &[&str]) -> Thing {
        let only: Vec<String> = words.iter().map(|word| bare(word)).collect();
        let names: Vec<&str> = only.iter().map(String::as_str).collect();
        let last = self.context.last.clone();
        match names.as_slice() {
            ["him" | "her"] => last.filter(|last| self.context.object.as_ref() != Some(last)).unwrap_or_default(),
            ["it" | "them" | "this" | "that"] => last.unwrap_or_default(),
            ["that" | "this" | "these" | "the" | "those", kind] => match (phrase::kind_of(kind), last) {
                // `that email` may be one that was only named; `the email` is one that was called so.
                (Some(kind), Some(last))
                    if !last.anchor().is_empty()
                        && (last.kind == kind
                            || (last.kind.is_empty() && matches!(names.first(), Some(&("that" | "this"))))) =>
                {
                    last
                }
                _ => thing(self.quoted, words),
            },
            // `her account`: of whom was spoken of.
            ["his" | "her" | "their", kind]
                if last.as_ref().is_some_and(|last| self.is_somebody(last)) && phrase::kind_of(kind).is_some() =>
            {
                let (of, of_quoted) = last.map(|last| (last.name, last.quoted)).unwrap_or_default();
                Thing { kind: phrase::kind_of(kind).unwrap_or_default(), of, of_quoted, ..Thing::default() }
            }
            // `its public link`: of what was spoken of, and of nothing else.
            ["its" | "their", _, ..] if last.is_some() => {
                let mut own = thing(self.quoted, words.get(1..).unwrap_or_default());
                own.places.push(last.unwrap_or_default().place());
                own
            }
            _ => thing(self.quoted, words),
        }
    }

    /// Hangs a part on a thing: its name, whose it is, where it is. None where the part means something else.
    pub(super) fn hang(&self, thing: &mut Thing, part: &Part<'_>) -> Option<()> {
        if part.words.is_empty() {
            return None;
        }
        // `my loan of …`, `the vehicle with …`: what is said of it makes it a kind.
        if matches!(part.lead.as_str(), "of" | "with" | "called" | "named") {
            phrase::as_kind(thing);
        }
        // `the 2019 edition of ⟦0⟧`
        if let Some(which) = which_edition(thing, self.phrase).filter(|_| part.lead == "of") {
            thing.kind.clear();
            self.name(thing, &part.words);
            thing.places.push(PagePart { name: which, ..PagePart::default() });
            return Some(());
        }
        match part.lead.as_str() {
            "called" | "named" | "titled" | "entitled" | "labelled" | "labeled" => self.name(thing, &part.words),
            // `the prescription of Klara Beck of 2 March`
            "of" if moment::is_day(&phrase::text(self.quoted, &part.words)) => {
                thing.places.push(PagePart { name: phrase::text(self.quoted, &part.words), ..PagePart::default() });
            }
            // `the list Party of Five`: names of more than one word.
            "of" if goes_on(thing, &part.words) => {
                thing.name = format!("{} of {}", thing.name, phrase::text(self.quoted, &part.words));
            }
            // `my loan of Salt Roads of Europe`: the title goes on.
            "of" if !thing.of.is_empty() && thing.name.is_empty() && title_goes_on(&thing.of, &part.words) => {
                thing.of = format!("{} of {}", thing.of, phrase::text(self.quoted, &part.words));
            }
            // `Ada Lind's loan of ⟦0⟧`: whose it is was said before, and not only of what was spoken of last.
            "of" if !thing.of.is_empty()
                && thing.name.is_empty()
                && self.context.last.as_ref().is_none_or(|last| last.of != thing.of) =>
            {
                self.name(thing, &part.words);
            }
            "by" | "of" if is_written(&thing.kind) || part.lead == "of" => {
                // `of Ines Falk's dog Luna`
                let whose = phrase::thing(self.quoted, &part.words);
                self.own(thing, &part.words);
                if !whose.of.is_empty() && !whose.name.is_empty() {
                    thing.places.push(PagePart { name: whose.of, ..PagePart::default() });
                }
            }
            "from"
                if (is_written(&thing.kind) && !holds_mail(&part.words))
                    || (matches!(thing.kind.as_str(), "invitation" | "request") && is_person(&part.words)) =>
            {
                self.own(thing, &part.words);
            }
            "with" if matches!(thing.kind.as_str(), "conversation" | "chat" | "thread") => {
                self.name(thing, &part.words)
            }
            // `the vehicle with the plate ZR-118-QA`
            "with" if thing.name.is_empty() && phrase::code_of_field(&part.words).is_some() => {
                thing.name = phrase::code_of_field(&part.words).unwrap_or_default().to_owned();
            }
            "with" => {
                let lead = part.words.iter().map(|word| bare(word)).find(|word| !is_function_word(word));
                let names = ["title", "name", "subject", "label", "text", "number"];
                if !lead.is_some_and(|lead| names.contains(&lead.as_str()))
                    || phrase::quote(self.quoted, &part.words).is_none()
                {
                    return None;
                }
                self.name(thing, &part.words);
            }
            "says" | "saying" if is_written(&thing.kind) && phrase::quote(self.quoted, &part.words).is_some() => {
                self.name(thing, &part.words);
            }
            "for" | "about" if thing.name.is_empty() => self.name(thing, &part.words),
            "to" if thing.kind == "invitation" && thing.name.is_empty() => self.name(thing, &part.words),
            // `in the row of ⟦0⟧`: the part behind it says of which.
            "in" | "on" | "from" if is_entry(&part.words) => {}
            "in" | "from" | "on" | "off" | "out" | "within" | "inside" | "under" | "at" | "into" | "to" | "for"
            | "of" => {
                thing.places.push(self.place(&part.words)?);
            }
            _ => return None,
        }
        Some(())
    }

    /// The place that words name, or point at: `the folder Plans inside it`.
    pub(super) fn place(&self, words: &[&str]) -> Option<PagePart> {
        let pointed = self.context.last.as_ref().filter(|_| words.len() == 1 && is_pronoun(words));
        // `in her account`
        if let ([whose, kind], Some(last)) = (words, self.context.last.as_ref().filter(|last| self.is_somebody(last)))
            && matches!(bare(whose).as_str(), "his" | "her" | "their")
            && let Some(kind) = phrase::kind_of(kind)
        {
            return Some(PagePart { kind, name: last.name.clone(), quoted: last.quoted });
        }
        pointed.map(Thing::place).or_else(|| phrase::place(self.quoted, words))
    }

    /// Whether a thing is somebody who was told of, and nothing that was done something with.
    fn is_somebody(&self, thing: &Thing) -> bool {
        thing.kind.is_empty()
            && thing.name.starts_with(char::is_uppercase)
            && self.context.object.as_ref() != Some(thing)
    }

    pub(super) fn name(&self, thing: &mut Thing, words: &[&str]) {
        match phrase::quote(self.quoted, words) {
            Some(name) => {
                thing.name = name.to_owned();
                thing.quoted = true;
            }
            None => thing.name = phrase::text(self.quoted, &phrase::without_determiners(words)),
        }
    }

    /// Says whose a thing is.
    fn own(&self, thing: &mut Thing, words: &[&str]) {
        thing.of = self.anchor(words);
        thing.of_quoted = phrase::quote(self.quoted, words).is_some();
    }

    pub(super) fn anchor(&self, words: &[&str]) -> String {
        let named = thing(self.quoted, words);
        if named.name.is_empty() { phrase::text(self.quoted, &phrase::without_determiners(words)) } else { named.name }
    }
}

/// Whether a title of several words goes on behind `of`; a name of somebody does not.
fn title_goes_on(title: &str, words: &[&str]) -> bool {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    title.contains(' ')
        && title.split(' ').all(is_capital)
        && words.iter().all(|word| is_capital(word))
        && words.len() == 1
}

/// Whether a name that is not in quotes goes on behind `of`.
fn goes_on(thing: &Thing, words: &[&str]) -> bool {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    !thing.quoted
        && (!is_written(&thing.kind) || thing.name.contains(' '))
        && thing.name.split(' ').next_back().is_some_and(is_capital)
        && words.first().is_some_and(|word| is_capital(word))
        && words.last().is_some_and(|word| is_capital(word))
}

/// Whether words name what letters are kept in, such as the inbox. `The library` is who wrote one.
fn holds_mail(words: &[&str]) -> bool {
    let writes = words.last().is_some_and(|word| matches!(bare(word).as_str(), "library" | "board" | "planner"));
    is_collection(words) && !writes
}

/// Whether words say only that something stands in an entry: `the row`.
fn is_entry(part: &[&str]) -> bool {
    let telling = phrase::without_determiners(part);
    matches!(telling.as_slice(), [word] if words::is_entry_word(&bare(word)))
}
