//! Understanding an instruction as a whole: what is talk and what is asked for, in which order it is done, and the goals that it
//! comes to. Pure: knows the language of commands, never a page.
//!
//! A clause that is not understood becomes a goal of its own, which nothing reaches: what stands in front of it is done, and the
//! claim to be done is not made.

mod awaited;
mod condition;
mod controls;
mod edges;
mod errand;
mod everyday;
mod expense;
mod files;
mod finish;
pub(crate) mod kinds;
mod known;
mod leading;
mod limits;
pub(crate) mod moment;
mod order;
mod outline;
mod phrase;
mod question;
mod recall;
mod residue;
mod sentences;
mod sequence;
mod talk;
mod told;
mod torn;
mod verbs;
mod whole;
mod written;

#[cfg(test)]
mod tests;

pub use self::outline::{ExplainedGoal, ExplainedValue};

use self::errand::Context;
use super::clause::{Quoted, set_quotes_aside, verb};
use super::goal::{DialogAnswer, Goal, PagePart, Plan, Target};
use super::parse::Reader;
use super::task::{Task, TaskAct, Thing};
use super::{record, slots};
use kinds::{belongs_to_opened, is_part_of_another};
use sentences::sentences;
use talk::{command_behind_telling, is_talk, without_courtesy};
pub(crate) use verbs::is_verb;
use verbs::{bare, begins_command};

/// The goals of an instruction, for people and programs.
pub fn explain(instruction: &str) -> Vec<ExplainedGoal> {
    understand(instruction).goals.iter().map(outline::explain).collect()
}

/// Reads an instruction.
pub(crate) fn understand(instruction: &str) -> Plan {
    if let Some(slots) = slots::of_lines(instruction) {
        return Plan { goals: vec![Goal::Fill { slots, verb: String::new() }] };
    }
    let mut quoted = set_quotes_aside(&written::put_in_quotes(&files::put_into_fields(instruction)));
    quoted.text = sequence::without_numbers(&quoted.text).into_owned();
    let mut whole = Whole {
        quoted: &quoted,
        reader: Reader::new(&quoted),
        context: Context::default(),
        goals: Vec::new(),
        forbidden: Vec::new(),
        seeks: false,
        torn: false,
    };
    let sentences = sentences(&quoted.text);
    for (at, sentence) in sentences.iter().enumerate() {
        let later = sentences.get(at + 1..).unwrap_or_default();
        if talk::is_plan(sentence) && later.iter().any(|later| is_command(later)) {
            // `I need to buy soap. Put it on the list.`
            whole.remember_plan(sentence);
        } else {
            whole.read_sentence(sentence);
        }
    }
    whole.finish()
}

/// An instruction that is being read.
struct Whole<'a> {
    quoted: &'a Quoted,
    reader: Reader<'a>,
    context: Context,
    goals: Vec<Goal>,
    /// What is not to be done, in the instruction's words.
    forbidden: Vec<String>,
    /// Whether the last clause only says what is looked for.
    seeks: bool,
    /// Whether a clause of the sentence was read as something that it is not.
    torn: bool,
}

impl Whole<'_> {
    fn read_sentence(&mut self, sentence: &str) {
        if let Some(rest) = order::before_the_last(sentence) {
            let done_after = self.goals.split_off(self.goals.len().saturating_sub(1));
            self.read_sentence(rest);
            self.goals.extend(done_after);
            return;
        }
        let courteous = without_courtesy(sentence);
        if let Some(turned) = leading::wait_first(&courteous).or_else(|| leading::field_behind(&courteous)) {
            return self.read_sentence(&turned);
        }
        if leading::acts_for_somebody(&courteous) {
            self.goals.push(Goal::NotUnderstood(self.quoted.restore(&courteous)));
            return;
        }
        if let Some((head, awaited, rest)) = awaited::split(self.quoted, &courteous) {
            if !head.is_empty() {
                self.read_sentence(&head);
            }
            self.goals.push(awaited);
            if !rest.is_empty() {
                self.read_sentence(&rest);
            }
            return;
        }
        let courteous = sequence::with_place_apart(&courteous);
        let courteous = known::in_known_words(&talk::with_plain_purpose(&courteous));
        let courteous = everyday::with_subject(&courteous).map_or(courteous, |command| without_courtesy(&command));
        if self.value_of_last(&courteous) {
            return;
        }
        if let Some(commands) = everyday::one_by_one(&courteous) {
            return commands.iter().for_each(|command| self.read_sentence(command));
        }
        // Behind a command it says what came of it.
        let is_first = self.goals.is_empty();
        if let Some(command) = told::value_that_is_due(self.quoted, &courteous).filter(|_| is_first) {
            return self.read_sentence(&command);
        }
        if let Some((plan, command)) =
            sentence.split_once(": ").filter(|(plan, command)| talk::is_plan(plan) && is_command(command))
        {
            self.remember_plan(plan);
            let command = command.to_owned();
            return self.read_sentence(&command);
        }
        if let Some((told, command)) = command_behind_telling(&courteous) {
            self.remember_told(told);
            let command = command.to_owned();
            return self.read_sentence(&command);
        }
        if let Some(question) = question::read(self.quoted, &courteous) {
            let question = Goal::Task(question);
            let is_torn = torn::is_torn(&question) || edges::is_cut(&question);
            self.goals.push(if is_torn { Goal::NotUnderstood(self.quoted.restore(&courteous)) } else { question });
            return;
        }
        if question::is_other(&courteous) {
            self.goals.push(Goal::NotUnderstood(self.quoted.restore(&courteous)));
            return;
        }
        if let Some((forbidden, command)) = limits::instead(&courteous) {
            self.forbidden.push(self.quoted.restore(forbidden));
            self.remember_plan(&limits::forbidden_act(forbidden));
            let command = command.to_owned();
            return self.read_sentence(&command);
        }
        if limits::forbids(&courteous) {
            self.forbidden.push(self.quoted.restore(&courteous));
            return;
        }
        let kept = limits::without_what_stays(&courteous);
        let Some(kept) = kept.filter(|_| !limits::leaves_out(&courteous)) else {
            self.goals.push(Goal::NotUnderstood(self.quoted.restore(&courteous)));
            return;
        };
        if let Some(turned) = limits::condition_first(&kept) {
            return self.read_sentence(&turned);
        }
        if kept.len() < courteous.len() {
            return self.read_sentence(&kept);
        }
        if let Some((condition, command)) = self.condition(&courteous) {
            let from = self.goals.len();
            self.context.last = condition.clone().or(self.context.last.take());
            self.read_sentence(&command);
            let governed = self.goals.len() - from;
            let goal = match condition {
                Some(thing) => Goal::OnlyIf { shown: thing.anchor().to_owned(), governed },
                None => Goal::NotUnderstood(self.quoted.restore(&courteous)),
            };
            self.goals.insert(from, goal);
            return;
        }
        // A message in everyday words: `Give Ann the message that Bob sent`. Only where no command in plain words is given.
        let is_command = begins_command(&courteous.split_whitespace().collect::<Vec<_>>(), 0);
        if !is_command && let Some(record) = self.record(&courteous) {
            self.goals.push(record);
            return;
        }
        if let Some(active) = talk::active(&courteous).or_else(|| talk::ensured(&courteous)) {
            return self.read_sentence(&active);
        }
        if let Some((place, command)) = leading::place(self.quoted, &courteous) {
            let from = self.goals.len();
            self.read_sentence(&command);
            let placed: Vec<bool> = self.goals.iter_mut().skip(from).map(|goal| goal.stand_in(&place)).collect();
            // What acts on no single control cannot be kept to a place.
            if placed.is_empty() || placed.contains(&false) {
                self.goals.insert(from, Goal::NotUnderstood(self.quoted.restore(&courteous)));
            }
            return;
        }
        let tells_news = recall::news(self.quoted, &courteous.split_whitespace().collect::<Vec<_>>()).is_some();
        if tells_news || is_talk(&courteous) {
            self.remember_told(&courteous);
            return;
        }
        let from = self.goals.len();
        self.torn = false;
        let mut leading: Vec<String> = Vec::new();
        for part in order::in_order(&courteous) {
            for clause in sequence::clauses(&part) {
                let read = self.goals.len();
                self.read_clause(&clause);
                if self.goals.len() == read {
                    leading.push(clause);
                }
            }
        }
        // `In the third row, click …`: where it happens, of which no goal knows.
        if leading
            .iter()
            .any(|clause| residue::is_lost_place(self.quoted, clause, self.goals.get(from..).unwrap_or_default()))
        {
            self.goals.insert(from, Goal::NotUnderstood(self.quoted.restore(&courteous)));
            self.torn = true;
        }
        // What is no plain command may still ask for something about a message.
        let read = self.goals.get(from..).unwrap_or_default();
        let is_open = read.is_empty() && self.context.last.is_none()
            || read.iter().any(|goal| matches!(goal, Goal::NotUnderstood(_)));
        if is_open
            && !self.torn
            && let Some(record) = self.record(&courteous)
        {
            self.goals.truncate(from);
            self.goals.push(record);
        }
    }

    fn read_command(&mut self, clause: &str) {
        let clause = known::in_known_words(&self.with_pronoun_named(&without_courtesy(clause)));
        if self.accepts_with_last(&clause) {
            return;
        }
        if let Some(goal) = self.told_change(&clause) {
            self.goals.push(goal);
            return;
        }
        let clause = match (talk::ensured(&clause), talk::ensures(&clause)) {
            (Some(command), _) => command,
            // What is to be so, and nothing that is done.
            (None, true) => {
                self.goals.push(Goal::NotUnderstood(self.quoted.restore(&clause)));
                return;
            }
            (None, false) => clause,
        };
        let words: Vec<&str> = clause.split_whitespace().collect();
        let Some(first) = words.first() else { return };
        let command = bare(first);
        if let Some(read) = question::read(self.quoted, &clause) {
            self.goals.push(Goal::Task(read));
            return;
        }
        let of_control = || self.by_its_control(&words).or_else(|| self.menu_of(&words));
        if let Some(goal) = self.answer_to_page(&words).or_else(|| self.answer_in_turn(&words)).or_else(of_control) {
            self.goals.push(goal);
            return;
        }
        if words.len() == 2 && command == "accept" && matches!(self.goals.last(), Some(Goal::Answer(_))) {
            return; // `… and accept it`: an answer is one
        }
        // `write an email … and send it`: it is sent already.
        if let ([_, pronoun], Some(Goal::Task(task))) = (words.as_slice(), self.goals.last())
            && command == "send"
            && task.act == TaskAct::Send
            && matches!(bare(pronoun).as_str(), "it" | "this" | "that")
        {
            return;
        }
        // `answer with ⟦0⟧ and publish it`: what is said to somebody is made by being handed in.
        if let ([_, pronoun], [Goal::Task(task)]) = (words.as_slice(), self.goals.as_slice())
            && task.thing.places.is_empty()
            && matches!(command.as_str(), "publish" | "post" | "send" | "submit")
            && (task.act == TaskAct::Reply
                || task.act == TaskAct::Add
                    && matches!(task.thing.kind.as_str(), "comment" | "reply" | "answer" | "message" | "review"))
            && matches!(bare(pronoun).as_str(), "it" | "this" | "that")
        {
            return;
        }
        // `zoom in on the map`: a control that is called so.
        if let ("zoom", Some(way @ ("in" | "out"))) = (command.as_str(), words.get(1).map(|word| bare(word)).as_deref())
            && words.iter().skip(2).all(|word| {
                matches!(bare(word).as_str(), "on" | "the" | "of" | "map" | "picture" | "image" | "page" | "plan")
            })
        {
            self.goals.push(Goal::Activate(Target::labelled(format!("zoom {way}"))));
            return;
        }
        // `… and save it`: what was changed is handed in by a control of that name.
        let hands_in = matches!(command.as_str(), "save" | "update" | "submit" | "confirm" | "apply");
        let changed = match self.goals.last() {
            Some(Goal::Task(task))
                if matches!(task.act, TaskAct::Edit | TaskAct::Move | TaskAct::Add | TaskAct::Mark) =>
            {
                Some(&task.thing)
            }
            _ => None,
        };
        if let ([_, pronoun], Some(thing)) = (words.as_slice(), changed)
            && matches!(bare(pronoun).as_str(), "it" | "them" | "this" | "that")
            && hands_in
        {
            let around = thing.anchor().to_owned();
            self.goals.push(Goal::Activate(Target { around, ..Target::labelled(command) }));
            return;
        }
        if hands_in && let Some(goal) = self.handed_in(&command, &words) {
            self.goals.push(goal);
            return;
        }
        if matches!(command.as_str(), "find" | "locate" | "identify") {
            let rest = words.get(1..).unwrap_or_default().join(" ");
            let found = errand::found(self.quoted, &rest, &self.context);
            self.seeks = found.is_some();
            self.context.last = found.or(self.context.last.take());
            self.reader.read(&clause);
            return;
        }
        // `choose ⟦0⟧ and ⟦1⟧ and hold them`: what is done to what was chosen is a control of the page.
        let chose = matches!(self.goals.last(), Some(Goal::Choose { .. }));
        if let ([verb, pronoun], true) = (words.as_slice(), chose)
            && bare(pronoun) == "them"
        {
            self.goals.push(Goal::Activate(Target::labelled(bare(verb))));
            return;
        }
        if let Some(read) = errand::read_code(self.quoted, &words, &self.context) {
            self.goals.extend(read);
            return;
        }
        // `search for Bob's email and delete it`: whose it is cannot be typed into a search field with it.
        if matches!(command.as_str(), "search" | "look") && words.get(1).is_some_and(|word| bare(word) == "for") {
            let rest = words.get(2..).unwrap_or_default().join(" ");
            let found = errand::found(self.quoted, &rest, &self.context);
            if let Some(thing) = found.filter(|thing| !thing.kind.is_empty() && !thing.of.is_empty()) {
                self.seeks = true;
                self.context.last = Some(thing);
                return;
            }
        }
        // `edit the event ⟦0⟧ and set …`: what is changed is said next.
        if matches!(command.as_str(), "edit" | "update" | "modify")
            && !words.iter().any(|word| matches!(bare(word).as_str(), "to" | "as" | "with"))
        {
            let rest = words.get(1..).unwrap_or_default().join(" ");
            if let Some(thing) =
                errand::found(self.quoted, &rest, &self.context).filter(|thing| !thing.anchor().is_empty())
            {
                self.context.edited = Some(thing);
                return;
            }
        }
        if self.points_at_nothing(&words) {
            self.goals.push(Goal::NotUnderstood(self.quoted.restore(&clause)));
            return;
        }
        if let Some(mut read) = errand::read(self.quoted, &clause, &self.context) {
            for goal in &mut read {
                // `open the thread ⟦0⟧ and post the reply ⟦1⟧`: there, and nowhere else.
                if let (Goal::Task(task), Some(Goal::Task(opened))) = (&mut *goal, self.goals.last())
                    && task.act == TaskAct::Add
                    && opened.act == TaskAct::Open
                    && opened.thing.quoted
                    && task.thing.places.is_empty()
                    && belongs_to_opened(&task.thing.kind, &opened.thing.kind)
                {
                    task.thing.places.push(PagePart {
                        name: opened.thing.name.clone(),
                        quoted: true,
                        ..PagePart::default()
                    });
                }
                // `edit the contact ⟦0⟧ and add the tag ⟦1⟧`
                if let Goal::Task(task) = goal
                    && task.act == TaskAct::Add
                    && is_part_of_another(&task.thing.kind)
                    && task.thing.places.is_empty()
                    && let Some(edited) = self.context.edited.as_ref()
                {
                    task.thing.places.push(edited.place());
                    self.context.was_edited = true;
                }
                // `assign ticket 9013 to Bruno and add the label billing`
                if let (Goal::Task(task), Some(Goal::Task(before))) = (&mut *goal, self.goals.last())
                    && task.act == TaskAct::Add
                    && is_part_of_another(&task.thing.kind)
                    && task.thing.places.is_empty()
                    && matches!(before.act, TaskAct::Edit | TaskAct::Mark)
                    && !before.thing.anchor().is_empty()
                {
                    task.thing.places.push(before.thing.place());
                }
                if let Goal::Task(task) = goal
                    && task.act == TaskAct::Edit
                    && task.thing.is_empty()
                    && let Some(edited) = &self.context.edited
                {
                    task.thing = edited.clone();
                }
                if let (Goal::Task(task), Some(edited)) = (&*goal, &self.context.edited)
                    && task.act == TaskAct::Edit
                    && task.thing == *edited
                {
                    self.context.was_edited = true;
                }
            }
            for goal in &read {
                if let Goal::Task(task) = goal {
                    if task.act == TaskAct::Open && self.context.was_edited {
                        (self.context.edited, self.context.was_edited) = (None, false);
                    }
                    self.remember(task);
                }
            }
            self.goals.extend(read);
            return;
        }
        if let Some(record) = self.record(&clause) {
            self.goals.push(record);
            return;
        }
        if let Some(read) = errand::read_unknown(self.quoted, &words, &self.context)
            && self.quoted.parts_in(&clause).count() == 1
        {
            self.goals.extend(read);
            return;
        }
        let from = self.goals.len();
        self.reader.is_first = from == 0;
        for clause in self.each_value(&clause) {
            self.reader.read(&clause);
        }
        self.goals.append(&mut self.reader.goals);
        let is_known = verb(&command).is_some();
        let second = words.get(1).map(|word| bare(word)).unwrap_or_default();
        let looks_around = matches!(command.as_str(), "scroll" | "use" | "using")
            || (matches!(command.as_str(), "look" | "navigate" | "switch" | "go" | "browse")
                && matches!(
                    second.as_str(),
                    "between" | "through" | "around" | "over" | "back" | "down" | "across" | "at"
                ));
        let names_a_place = matches!(command.as_str(), "for" | "in" | "on" | "under" | "from" | "within");
        if self.goals.len() == from && !(is_known && looks_around) && !names_a_place {
            // `empty the cart by removing …` says how.
            let how =
                clause.split_once(" by ").map(|(_, how)| talk::with_plain_verb(how)).filter(|how| is_command(how));
            let read = how.and_then(|how| errand::read(self.quoted, &how, &self.context));
            let read = read.or_else(|| errand::read_unknown(self.quoted, &words, &self.context));
            match read {
                Some(read) => self.goals.extend(read),
                None => self.goals.push(Goal::NotUnderstood(self.quoted.restore(&clause))),
            }
        }
    }

    /// A request about one message, by whom it is from and to whom it goes.
    fn record(&self, sentence: &str) -> Option<Goal> {
        let within = Quoted { text: sentence.to_owned(), parts: self.quoted.parts.clone() };
        let record = record::parse(&within).map(|record| Goal::Task(record.task()))?;
        let is_whole = outline::speak_of_all(std::slice::from_ref(&record), torn::names(sentence).into_iter());
        (is_whole && !torn::compares(sentence)).then_some(record)
    }
}

/// Whether a sentence asks for something in plain words.
fn is_command(sentence: &str) -> bool {
    let courteous = without_courtesy(sentence);
    begins_command(&courteous.split_whitespace().collect::<Vec<_>>(), 0)
}
