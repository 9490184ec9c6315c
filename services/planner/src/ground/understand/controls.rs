//! Reading clauses that speak of the controls of the page: what hands a form in, a menu, an answer to a dialog, values in a row. Pure.

use super::errand;
use super::phrase;
use super::verbs::bare;
use super::{DialogAnswer, Goal, Target, TaskAct, Whole};

impl Whole<'_> {
    /// `save the profile`, `apply the filters`: what was changed before is handed in by a control that is called so, near what was
    /// changed. Where nothing was changed before, it is something else.
    pub(super) fn handed_in(&self, command: &str, words: &[&str]) -> Option<Goal> {
        let around = match self.goals.last()? {
            Goal::Task(task)
                if matches!(task.act, TaskAct::Edit | TaskAct::Add)
                    || (matches!(task.act, TaskAct::Mark | TaskAct::Unmark)
                        && matches!(task.value("state"), Some("on" | "checked"))) =>
            {
                let field = task.values.last().map(|given| given.field.clone()).filter(|field| field != "state");
                match task.thing.anchor() {
                    "" => field.unwrap_or_default(),
                    anchor => anchor.to_owned(),
                }
            }
            Goal::Enter { target, .. } | Goal::Choose { target, .. } => target.text().to_owned(),
            _ => return None,
        };
        let (article, named) = (words.get(1)?, words.get(2..)?);
        let is_named = matches!(bare(article).as_str(), "the" | "my" | "this" | "these" | "all" | "your");
        let is_plain =
            |word: &&str| word.chars().all(|sign| sign.is_lowercase() || matches!(sign, '-' | ',' | '.' | '\''));
        let is_general = named.iter().all(|word| errand::is_general(word) || errand::is_filler(word));
        // `save the file`: a thing that can be saved itself.
        let is_thing = |word: &&str| {
            phrase::kind_of(word).is_some_and(|kind| !matches!(kind.as_str(), "setting" | "notification" | "account"))
        };
        let is_writing = |word: &&str| phrase::kind_of(word).is_some_and(|kind| phrase::is_written(&kind));
        // `save the notes`: by a control that is called so.
        if command == "save" && is_named && named.len() == 1 && named.iter().any(is_writing) {
            let name = phrase::text(self.quoted, named);
            return Some(Goal::Activate(Target { around, ..Target::labelled(format!("{command} {name}")) }));
        }
        (is_named
            && !is_general
            && (1..=3).contains(&named.len())
            && named.iter().all(is_plain)
            && !named.iter().any(is_thing)
            && !named.iter().any(|word| bare(word).starts_with("attachment")))
        .then(|| Goal::Activate(Target { around, ..Target::labelled(command) }))
    }

    /// `open the ⟦0⟧ menu in the row of ⟦1⟧`: a control of that row.
    pub(super) fn menu_of(&self, words: &[&str]) -> Option<Goal> {
        let opens = matches!(bare(words.first()?).as_str(), "open" | "show" | "expand");
        let is_menu = words.iter().any(|word| matches!(bare(word).as_str(), "menu" | "button" | "dropdown"));
        let parts: Vec<&str> = words.iter().filter_map(|word| self.quoted.part(word)).collect();
        let [name, of] = parts.as_slice() else { return None };
        let within = Some((*of).to_owned());
        (opens && is_menu).then(|| Goal::Activate(Target { quoted: true, within, ..Target::labelled(*name) }))
    }

    /// `accept the first dialog`, `cancel the second one`: each answer is for one dialog.
    pub(super) fn answer_in_turn(&self, words: &[&str]) -> Option<Goal> {
        const DIALOGS: [&str; 9] =
            ["dialog", "dialogue", "popup", "prompt", "alert", "confirmation", "question", "box", "message"];
        const IN_TURN: [&str; 8] = ["first", "second", "third", "next", "last", "other", "following", "final"];
        let answer = match bare(words.first()?).as_str() {
            "accept" | "confirm" | "approve" | "agree" => DialogAnswer::Accept,
            "dismiss" | "cancel" | "decline" | "reject" | "refuse" => DialogAnswer::Dismiss,
            _ => return None,
        };
        let rest: Vec<String> = words.iter().skip(1).map(|word| bare(word)).collect();
        let is_dialog = |word: &String| DIALOGS.contains(&word.as_str());
        let is_in_turn = |word: &String| IN_TURN.contains(&word.as_str());
        let follows = matches!(self.goals.last(), Some(Goal::Answer(_))) && rest.iter().any(|word| word == "one");
        let is_other = |word: &String| matches!(word.as_str(), "the" | "to" | "browser" | "one" | "native");
        (rest.iter().any(is_in_turn)
            && (rest.iter().any(is_dialog) || follows)
            && rest.iter().all(|word| is_dialog(word) || is_in_turn(word) || is_other(word)))
        .then_some(Goal::Answer(answer))
    }

    /// `answer the prompt with ⟦0⟧`.
    pub(super) fn answer_to_page(&self, words: &[&str]) -> Option<Goal> {
        let leads = matches!(bare(words.first()?).as_str(), "answer" | "reply" | "respond" | "fill");
        let speaks_of_dialog =
            words.iter().any(|word| matches!(bare(word).as_str(), "prompt" | "dialog" | "dialogue" | "popup"));
        let text = words.iter().find_map(|word| self.quoted.part(word)).filter(|_| leads && speaks_of_dialog)?;
        Some(Goal::Answer(DialogAnswer::Text(text.to_owned())))
    }

    /// `pay the bill with ⟦0⟧`, `confirm with ⟦0⟧`: the control by which it is done.
    pub(super) fn by_its_control(&self, words: &[&str]) -> Option<Goal> {
        const DONE_BY_ONE: [&str; 10] =
            ["pay", "confirm", "submit", "buy", "order", "purchase", "finish", "complete", "accept", "continue"];
        let verb = bare(words.first()?);
        let (last, before) = words.split_last()?;
        let by = before.last().map(|word| bare(word)).unwrap_or_default();
        let name = self.quoted.part(last).filter(|_| self.quoted.parts_in(&before.join(" ")).next().is_none())?;
        let is_by = matches!(by.as_str(), "with" | "by" | "using" | "via") && DONE_BY_ONE.contains(&verb.as_str());
        is_by.then(|| Goal::Activate(Target { quoted: true, ..Target::labelled(name) }))
    }

    /// `enter ⟦0⟧ as the name and ⟦1⟧ as the city`: a clause for each value.
    pub(super) fn each_value(&self, clause: &str) -> Vec<String> {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let whole = vec![clause.to_owned()];
        let Some(command) = words.first().filter(|word| {
            matches!(bare(word).as_str(), "enter" | "type" | "input" | "write" | "put" | "choose" | "select" | "pick")
        }) else {
            return whole;
        };
        let leads = |word: &&str| matches!(bare(word).as_str(), "as" | "for" | "into" | "in");
        let mut pieces: Vec<Vec<&str>> = Vec::new();
        for (at, word) in words.iter().enumerate().skip(1) {
            let is_place = words.get(at - 1).is_some_and(leads);
            let joined = words.get(at - 1).is_some_and(|before| bare(before) == "and");
            let is_value = self.quoted.part(word).is_some() || (joined && is_plain_value(word));
            let begins = !is_place && is_value && words.get(at + 1).is_some_and(leads);
            if begins || pieces.is_empty() {
                pieces.push(Vec::new());
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(word);
            }
        }
        let is_value = |piece: &Vec<&str>| {
            let is_given = |word: &&str| self.quoted.part(word).is_some() || is_plain_value(word);
            piece.first().is_some_and(is_given) && piece.get(1).is_some_and(leads)
        };
        if pieces.len() < 2 || !pieces.iter().all(is_value) {
            return whole;
        }
        let clause = |mut piece: Vec<&str>| {
            if piece.last().is_some_and(|word| bare(word) == "and") {
                piece.pop();
            }
            format!("{command} {}", piece.join(" "))
        };
        pieces.into_iter().map(clause).collect()
    }
}

/// Whether a word is a value without quotes: `34`, `Kiel`.
fn is_plain_value(word: &str) -> bool {
    word.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit())
}
