//! Reading questions that the page answers: a value, a number, a list, yes or no, a sum. Pure.

use super::phrase::{self, parts};
use super::talk::after_words;
use super::verbs::bare;
use crate::ground::clause::Quoted;
use crate::ground::task::{Question, Task, TaskAct, Thing};

/// Reads a question; none where a text is none that is understood.
pub(super) fn read(quoted: &Quoted, text: &str) -> Option<Task> {
    let text = text.trim_end_matches(['?', '.', ' ']);
    let text = ["tell me", "let me know", "please tell me", "find out", "check"]
        .iter()
        .find_map(|lead| after_words(text, lead).filter(|rest| begins_question(rest)))
        .unwrap_or(text);
    let reader = Reader { quoted };
    // `whether ⟦0⟧ is done`
    if let Some(rest) = after_words(text, "whether").or_else(|| after_words(text, "if").filter(|_| !text.contains(',')))
    {
        let (subject, state) = rest.split_once(" is ").or_else(|| rest.split_once(" are "))?;
        return reader.whether(&format!("{subject} {state}"));
    }
    let rest = |lead: &str| after_words(text, lead);
    if let Some(rest) = rest("how many") {
        return reader.count(rest);
    }
    if let Some(rest) = rest("how much do all").or_else(|| rest("how much do the")).or_else(|| rest("how much do")) {
        let rest = ["cost in total", "cost altogether", "cost together", "cost"]
            .iter()
            .find_map(|tail| rest.strip_suffix(tail))?;
        return reader.about(Question::Sum, "cost", rest);
    }
    if let Some(rest) = rest("how much does").and_then(|rest| rest.strip_suffix("cost")) {
        return reader.about(Question::Value, "cost", rest);
    }
    if let Some(rest) = rest("how much is") {
        return reader.about(Question::Value, "cost", rest);
    }
    // `when is the invoice 2210 due`
    if let Some(rest) = rest("when is").and_then(|rest| rest.strip_suffix(" due")) {
        return reader.about(Question::Value, "due date", rest);
    }
    for (lead, attribute) in [
        ("who is assigned to", "assignee"),
        ("who is responsible for", "assignee"),
        ("who wrote", "author"),
        ("who created", "author"),
        ("who sent", "sender"),
        ("when is", "date"),
        ("when was", "date"),
        ("where is", "location"),
    ] {
        if let Some(rest) = rest(lead) {
            return reader.about(Question::Value, attribute, rest);
        }
    }
    for lead in ["what is the total", "what's the total", "what is the sum of", "how much is the total"] {
        if let Some(rest) = rest(lead) {
            // `the total of order 4711` is one of its values.
            if let Some(one) = after_words(rest, "of").or_else(|| after_words(rest, "for"))
                && one.contains(|sign: char| sign.is_ascii_digit())
                && !one.split_whitespace().any(|word| {
                    matches!(bare(word).as_str(), "all" | "every" | "both")
                        || (word.ends_with('s') && phrase::kind_of(word).is_some())
                })
            {
                return reader.about(Question::Value, "total", one);
            }
            let (attribute, things) = rest.split_once(" of ").or_else(|| rest.split_once(" for "))?;
            return reader.about(Question::Sum, attribute.trim_start_matches("the "), things);
        }
    }
    for lead in ["what is", "what's", "what are", "who is", "give me", "tell me", "which is"] {
        if let Some(rest) = rest(lead) {
            return reader.value(rest);
        }
    }
    for lead in ["which", "list all", "list the", "list", "what"] {
        if let Some(rest) = rest(lead) {
            return reader.list(rest);
        }
    }
    for lead in ["is there", "are there", "do i have", "does it have"] {
        if let Some(rest) = rest(lead) {
            return reader.whether_there(rest);
        }
    }
    for lead in ["is", "are", "was"] {
        if let Some(rest) = rest(lead) {
            return reader.whether(rest);
        }
    }
    None
}

/// Whether a text asks in a way that no reading is for: `does the hotel allow pets`.
pub(super) fn is_other(text: &str) -> bool {
    let first = text.split_whitespace().next().map(bare).unwrap_or_default();
    matches!(first.as_str(), "does" | "did" | "has" | "have" | "were" | "will" | "why")
        && text.split_whitespace().count() > 2
}

fn begins_question(text: &str) -> bool {
    let first = text.split_whitespace().next().map(bare).unwrap_or_default();
    matches!(first.as_str(), "what" | "which" | "who" | "how" | "when" | "where" | "is" | "are" | "whether" | "if")
}

struct Reader<'a> {
    quoted: &'a Quoted,
}

impl Reader<'_> {
    fn plain(&self, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        match phrase::quote(self.quoted, &words) {
            Some(name) => name.to_owned(),
            None => phrase::text(self.quoted, &phrase::without_determiners(&words)),
        }
    }

    fn task(&self, question: Question, thing: Thing) -> Option<Task> {
        (!thing.name.is_empty()).then(|| Task { act: TaskAct::Answer(question), thing, values: Vec::new() })
    }

    fn about(&self, question: Question, attribute: &str, of: &str) -> Option<Task> {
        let words: Vec<&str> = of.split_whitespace().collect();
        // `⟦0⟧ in production`: behind a quoted name stands where it is.
        let name_at = words.iter().position(|word| self.quoted.part(word).is_some());
        let lead = |word: &&str| matches!(bare(word).as_str(), "in" | "on" | "under" | "within");
        let place_at = name_at.and_then(|at| words.iter().skip(at).position(lead).map(|behind| at + behind));
        let (words, place) = words.split_at(place_at.unwrap_or(words.len()));
        let places = match place.get(1..) {
            // `in kg` is no place.
            Some([unit]) if unit.chars().count() <= 3 && unit.chars().all(char::is_lowercase) => Vec::new(),
            Some(place) => vec![phrase::place(self.quoted, place)?],
            None => Vec::new(),
        };
        let named = phrase::thing(self.quoted, words);
        let of = if named.name.is_empty() { self.plain(of) } else { named.name };
        let name = attribute.trim().to_owned();
        self.task(question, Thing { name, of, quoted: named.quoted, places, ..Thing::default() })
    }

    fn count(&self, rest: &str) -> Option<Task> {
        let rest = [" are there", " do i have", " are", " exist", " does it have", " can you see", " have i"]
            .iter()
            .find_map(|inner| {
                let at = rest.to_ascii_lowercase().find(inner)?;
                Some(format!("{}{}", rest.get(..at)?, rest.get(at + inner.len()..)?))
            })
            .unwrap_or_else(|| rest.to_owned());
        let cut = parts(&rest);
        let mut thing = Thing { name: self.plain(&cut.first()?.words.join(" ")), ..Thing::default() };
        for part in cut.iter().skip(1) {
            thing.places.push(phrase::place(self.quoted, &part.words)?);
        }
        self.task(Question::Count, thing)
    }

    fn value(&self, rest: &str) -> Option<Task> {
        // `⟦0⟧ 's price`, `the price of ⟦0⟧`
        for possessive in [" 's ", " \u{2019}s ", "'s ", "\u{2019}s "] {
            if let Some((of, attribute)) = rest.split_once(possessive) {
                return self.about(Question::Value, attribute, of);
            }
        }
        let (attribute, of) = [" of ", " for ", " in ", " on "]
            .iter()
            .filter_map(|lead| rest.split_once(lead))
            .min_by_key(|(before, _)| before.len())
            .unwrap_or((rest, ""));
        let attribute = self.plain(attribute);
        if of.is_empty() {
            return self.task(Question::Value, Thing { name: attribute, ..Thing::default() });
        }
        self.about(Question::Value, &attribute, of)
    }

    fn list(&self, rest: &str) -> Option<Task> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let at = words
            .iter()
            .position(|word| matches!(bare(word).as_str(), "are" | "is" | "cost" | "costs" | "have" | "has"));
        let name = self.plain(&words.get(..at.unwrap_or(words.len()))?.join(" "));
        let mut task = self.task(Question::List, Thing { name, ..Thing::default() })?;
        if let Some(at) = at {
            let condition: Vec<String> = words.get(at + 1..)?.iter().map(|word| bare(word)).collect();
            let condition: Vec<&str> = condition.iter().map(String::as_str).collect();
            match condition.as_slice() {
                ["less" | "under" | "below" | "fewer" | "cheaper", rest @ ..] => {
                    task.give("less than", number_of(rest)?, false)
                }
                ["more" | "over" | "above", rest @ ..] => task.give("more than", number_of(rest)?, false),
                [] | ["there"] => {}
                _ => task.give("state", &self.plain(&words.get(at + 1..)?.join(" ")), false),
            }
        }
        Some(task)
    }

    fn whether_there(&self, rest: &str) -> Option<Task> {
        let words: Vec<&str> = rest.split_whitespace().filter(|word| bare(word) != "any").collect();
        self.task(Question::Whether, Thing { name: self.plain(&words.join(" ")), ..Thing::default() })
    }

    fn whether(&self, rest: &str) -> Option<Task> {
        let is_said = |word: &&str| !matches!(*word, "already" | "still" | "yet" | "now" | "currently");
        let words: Vec<&str> = rest.split_whitespace().filter(is_said).collect();
        let at = match words.iter().position(|word| self.quoted.part(word).is_some()) {
            Some(at) => at + 1,
            None => words.len().checked_sub(1)?,
        };
        let named = phrase::thing(self.quoted, words.get(..at)?);
        let state = self.plain(&words.get(at..)?.join(" "));
        let mut task = self.task(
            Question::Whether,
            Thing { name: named.anchor().to_owned(), quoted: named.quoted, ..Thing::default() },
        )?;
        let negated = state.strip_prefix("not ");
        task.give(if negated.is_some() { "not" } else { "state" }, negated.unwrap_or(&state), false);
        task.values.first()?;
        Some(task)
    }
}

fn number_of<'a>(words: &[&'a str]) -> Option<&'a str> {
    words.iter().find(|word| word.starts_with(|sign: char| sign.is_ascii_digit())).copied()
}
