//! What earlier clauses spoke of, for words that point back: `it`, `that email`. Pure.

use super::expense::Expense;
use super::talk::{TELLING, only_tells, without_courtesy};
use super::verbs::bare;
use super::{Task, TaskAct, Thing, Whole, errand, is_part_of_another, phrase};
use crate::ground::clause::{OPEN_MARK, Quoted};
use crate::ground::goal::Goal;
use crate::ground::task::Given;

impl Whole<'_> {
    pub(super) fn remember(&mut self, task: &Task) {
        if task.act == TaskAct::Search {
            self.context.searched = Some(task.thing.name.clone());
            return;
        }
        // What a comment is left on is spoken of on, not the comment.
        let is_part = task.act == TaskAct::Add && is_part_of_another(&task.thing.kind);
        match task.thing.places.first().filter(|_| is_part) {
            Some(place) => self.context.last = Some(Thing::of_place(place)),
            None if !task.thing.anchor().is_empty() || task.thing.ordinal.is_some() => {
                self.context.last = Some(task.thing.clone());
            }
            None => {}
        }
    }

    /// What somebody is about to do names what they then ask for.
    pub(super) fn remember_plan(&mut self, sentence: &str) {
        let read = errand::read(self.quoted, &without_courtesy(sentence), &self.context).unwrap_or_default();
        if let Some(Goal::Task(task)) = read.first() {
            self.remember(task);
        }
    }

    /// What was told may name the thing that is asked for afterwards.
    pub(super) fn remember_told(&mut self, told: &str) {
        let words: Vec<&str> = told.split_whitespace().collect();
        if let Some(expense) = Expense::told(self.quoted, &words) {
            self.context.expense = Some(expense);
        }
        if let Some((who, given)) = news(self.quoted, &words) {
            self.context.news = Some((who.clone(), given));
            self.context.last = Some(who);
            return;
        }
        // `This user is no longer active`: what is then said of `that` is the state.
        if let [.., "is", "no", "longer", state] = words.as_slice()
            && phrase::quote(self.quoted, &words).is_none()
            && words.first().is_some_and(|word| matches!(bare(word).as_str(), "this" | "the"))
            && words.len() <= 7
        {
            self.context.state = Some(bare(state));
            self.context.last = None;
            return;
        }
        if let Some(name) = phrase::quote(self.quoted, &words) {
            self.context.last = Some(Thing { name: name.to_owned(), quoted: true, ..Thing::default() });
            return;
        }
        // `Sabine Ott has moved`
        if let Some(count) = tells_of_somebody(&words) {
            // `Ada paid the bill ⟦0⟧. Archive it.`: who did something with a thing is not what is spoken of.
            // `Tom brought back the velvet cloak`: what that was done with is.
            if does_with_thing(words.get(count..).unwrap_or_default()) {
                let done = words.get(count + 1..).unwrap_or_default();
                let particle = usize::from(
                    done.first()
                        .is_some_and(|word| matches!(*word, "back" | "in" | "out" | "up" | "off" | "down" | "away")),
                );
                let object = done.get(particle..).filter(|object| {
                    object.first().is_some_and(|word| matches!(*word, "the" | "a" | "an"))
                        && (2..=4).contains(&object.len())
                });
                let thing = object.and_then(|object| errand::found(self.quoted, &object.join(" "), &self.context));
                self.context.last = thing.filter(|thing| !thing.name.is_empty() && thing.places.is_empty());
                self.context.object = self.context.last.clone();
                return;
            }
            // `Maja has replaced Jonas`: nobody can tell which of them is then meant.
            const WITH_SOMEBODY: [&str; 9] =
                ["replaced", "told", "asked", "left", "met", "called", "invited", "helped", "joined"];
            let is_of_two = words
                .windows(2)
                .skip(count.saturating_sub(1))
                .any(|pair| WITH_SOMEBODY.contains(&pair[0]) && pair[1].starts_with(char::is_uppercase));
            let name = phrase::text(self.quoted, words.get(..count).unwrap_or_default());
            self.context.last = (!is_of_two).then(|| Thing { name, ..Thing::default() });
            return;
        }
        // `We don't need the redirect /shop any more`, `We need one more keyword, heating`
        if let Some(thing) = self.needed(told) {
            self.context.last = Some(thing);
            return;
        }
        // `We have enough balloons`
        if let Some(name) = told_amount(&words).filter(|_| self.context.last.is_none()) {
            self.context.last = Some(Thing { name, ..Thing::default() });
            return;
        }
        // `The rent was wrong`
        if let ["The", name @ .., "was" | "is", how] = words.as_slice()
            && (1..=3).contains(&name.len())
            && !name.iter().any(|word| phrase::kind_of(word).is_some())
            && matches!(
                bare(how).as_str(),
                "wrong" | "outdated" | "incorrect" | "old" | "mistaken" | "misspelt" | "misspelled"
            )
        {
            self.context.last = Some(Thing { name: phrase::text(self.quoted, name), ..Thing::default() });
            return;
        }
        // `I met Alice today`: a proper name that is not the first word.
        let proper = |word: &&&str| word.starts_with(|letter: char| letter.is_uppercase()) && word.chars().count() > 1;
        let name: Vec<&str> =
            words.iter().skip(1).skip_while(|word| !proper(word)).take_while(proper).copied().collect();
        if !name.is_empty() {
            self.context.last = Some(Thing { name: phrase::text(self.quoted, &name), ..Thing::default() });
        }
    }

    /// `Add it`, where nothing was spoken of that it could be: a control that is called like the verb is no answer.
    pub(super) fn points_at_nothing(&self, words: &[&str]) -> bool {
        const VERBS: [&str; 22] = [
            "add", "create", "delete", "remove", "erase", "edit", "change", "rename", "move", "archive", "mark",
            "close", "open", "buy", "pay", "cancel", "approve", "reject", "publish", "assign", "book", "renew",
        ];
        let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
        let is_pointing = matches!(plain.iter().map(String::as_str).collect::<Vec<_>>().as_slice(),
            [verb, "it" | "them" | "this" | "that" | "him" | "her", rest @ ..]
                if VERBS.contains(verb) && rest.iter().all(|word| matches!(*word, "now" | "again" | "too" | "please")));
        is_pointing && self.context.last.is_none() && self.goals.is_empty()
    }

    /// What somebody says that they need, or need no longer: one thing that is named.
    fn needed(&self, told: &str) -> Option<Thing> {
        const LEADS: [&str; 12] = [
            "we don't need",
            "we do not need",
            "we no longer need",
            "i don't need",
            "i do not need",
            "i no longer need",
            "nobody needs",
            "we need",
            "i need",
            "we still need",
            "we want",
            "there is",
        ];
        let rest = LEADS.iter().find_map(|lead| super::talk::after_words(told.trim(), lead))?;
        let rest = [" any more", " anymore", " any longer", " yet", " again"]
            .iter()
            .find_map(|tail| rest.strip_suffix(tail))
            .unwrap_or(rest);
        let rest = ["one more ", "another ", "a new ", "an extra "]
            .iter()
            .find_map(|lead| rest.strip_prefix(lead).map(|rest| format!("a {rest}")))
            .unwrap_or_else(|| rest.to_owned());
        // `a keyword, heating`
        let named = match rest.split_once(", ") {
            Some((kind, name)) if !name.contains(' ') && kind.split(' ').count() <= 2 => {
                format!("{kind} called {name}")
            }
            Some(_) => return None,
            None => rest,
        };
        let thing = errand::found(self.quoted, &named, &self.context)?;
        (!thing.kind.is_empty() && !thing.name.is_empty()).then_some(thing)
    }
}

/// `Dirk Fry has a new e-mail address, dirk@mail.test`: whose value is which from now on.
pub(super) fn news(quoted: &Quoted, words: &[&str]) -> Option<(Thing, Given)> {
    let count = words.iter().take_while(|word| word.starts_with(char::is_uppercase)).count();
    let (who, said) = words.split_at(count);
    let (value, field) = said.split_last()?;
    let field = field.strip_prefix(["has", "a", "new"].as_slice())?;
    let is_value = value.contains(['@']) || value.starts_with(|sign: char| sign.is_ascii_digit() || sign == OPEN_MARK);
    let leads = field.last().is_some_and(|word| word.ends_with([',', ':']));
    let thing = Thing { name: phrase::text(quoted, who), ..Thing::default() };
    let quote = quoted.part(value);
    let text = quote.map_or_else(|| phrase::text(quoted, &[*value]), str::to_owned);
    let given = Given { field: phrase::text(quoted, field), value: text, quoted: quote.is_some() };
    ((1..=3).contains(&count) && is_value && leads && field.len() <= 3).then_some((thing, given))
}

/// What somebody says that they have enough or none of.
fn told_amount(words: &[&str]) -> Option<String> {
    const AMOUNTS: [&str; 6] = ["enough", "too many", "too much", "plenty of", "out of", "no more"];
    let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let at = AMOUNTS.iter().find_map(|amount| {
        let amount: Vec<&str> = amount.split(' ').collect();
        (1..plain.len())
            .find(|at| plain.get(*at..at + amount.len()).is_some_and(|part| part == amount))
            .map(|at| at + amount.len())
    })?;
    let rest: Vec<&String> =
        plain.iter().skip(at).filter(|word| !matches!(word.as_str(), "already" | "now" | "the" | "")).collect();
    let is_name = (1..=3).contains(&rest.len())
        && rest
            .iter()
            .all(|word| word.chars().all(char::is_alphabetic) && !crate::ground::words::is_function_word(word));
    is_name.then(|| rest.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" "))
}

/// A command without the reason that follows it: `…, nobody likes it`, `…, I found it elsewhere`.
pub(super) fn before_reason(text: &str) -> Option<&str> {
    let tells_of_others = [", nobody ", ", as nobody "].iter().find_map(|lead| text.split_once(lead));
    let tells_of_self = || {
        let said =
            [", I ", ", we ", ", it ", ", they ", ", she ", ", he "].iter().find_map(|lead| text.split_once(lead));
        said.filter(|(command, why)| gives_reason(command, why))
    };
    tells_of_others.or_else(tells_of_self).filter(|(_, why)| only_tells(why)).map(|(command, _)| command)
}

/// Whether what somebody says of themselves behind a command is a reason for it, and no part of it: `…, I found it elsewhere`.
fn gives_reason(command: &str, why: &str) -> bool {
    const REASONS: [&str; 18] = [
        "never",
        "is old",
        "is wrong",
        "is not needed",
        "is no longer",
        "was never",
        "was wrong",
        "was a mistake",
        "made a mistake",
        "don't need it",
        "do not need it",
        "don't need them",
        "no longer need",
        "found it",
        "bought it",
        "sold it",
        "already have",
        "changed my mind",
    ];
    let tells = command.split_whitespace().any(|word| {
        matches!(
            bare(word).as_str(),
            "saying"
                | "says"
                | "that"
                | "tell"
                | "write"
                | "send"
                | "message"
                | "reply"
                | "text"
                | "comment"
                | "note"
                | "post"
                | "review"
                | "reason"
                | "description"
                | "title"
                | "caption"
                | "remark"
        )
    });
    !tells && REASONS.iter().any(|reason| why.starts_with(reason))
}

/// Whether somebody is told to have done something with a thing: `lost the badge`.
fn does_with_thing(words: &[&str]) -> bool {
    const OBJECTS: [&str; 7] = ["the", "a", "an", "his", "her", "their", "some"];
    const MOVED: [&str; 4] = ["left", "moved", "went", "is"];
    let verb = words.first().copied().unwrap_or_default();
    !MOVED.contains(&verb) && words.iter().skip(1).take(2).any(|word| OBJECTS.contains(word))
        || matches!(
            verb,
            "bought"
                | "paid"
                | "lost"
                | "found"
                | "sent"
                | "wrote"
                | "got"
                | "changed"
                | "asked"
                | "called"
                | "brought"
                | "returned"
        )
}

/// How many words name whom a sentence tells something of: `Sabine Ott has moved`. What somebody has to do is asked for.
pub(super) fn tells_of_somebody(words: &[&str]) -> Option<usize> {
    let count = words.iter().take_while(|word| word.starts_with(char::is_uppercase)).count();
    const TELLING_VERBS: [&str; 20] = [
        "has", "have", "had", "was", "bought", "paid", "left", "moved", "went", "sent", "wrote", "asked", "lost",
        "found", "got", "changed", "called", "brought", "returned", "arrived",
    ];
    let is_gone = words.get(count..count + 3).is_some_and(|rest| rest == ["is", "no", "longer"]);
    let tells = is_gone || words.get(count).is_some_and(|word| TELLING_VERBS.contains(word));
    // `Jon has left, deactivate his account` asks for something.
    let goes_on = |word: &str| {
        word.ends_with([',', ';', ':']) || matches!(word, "to" | "be" | "should" | "must" | "and" | "so" | "but")
    };
    let is_somebody = words.first().is_some_and(|word| !TELLING.contains(&bare(word).as_str()));
    let only_tells = !words.iter().skip(count).any(|word| goes_on(word)) && words.len() < 12;
    ((1..=3).contains(&count) && tells && is_somebody && only_tells).then_some(count)
}
