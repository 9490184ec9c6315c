//! Answering a dialog of the browser: as the instruction says; without a word about it, so that nothing is destroyed. Pure.

use super::goal::{DialogAnswer, Goal, Target, Value};
use super::task::{Task, TaskAct};
use super::words::{is_consequential, stem, tokens};
use domain::observation::Dialog;

/// What is done about an open dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The answer.
    pub answer: DialogAnswer,
    /// Whether the goal being pursued asked for it, and is reached by it.
    pub reaches: bool,
    /// What was refused that the instruction did not speak of; nothing follows from it.
    pub refused: Option<String>,
}

/// The answer to a dialog, by the goal that is pursued now, if that goal speaks of it.
pub(crate) fn reply(dialog: &Dialog, goal: Option<&Goal>, pressed: &str) -> Reply {
    if let Some(answer) = goal.and_then(|goal| asked_answer(dialog, goal)) {
        return Reply { answer, reaches: true, refused: None };
    }
    if let Some(Goal::Task(task)) = goal
        && let Some(answer) = answer_of_task(dialog, task)
    {
        // Whether the task had its effect the page tells afterwards.
        return Reply { answer, reaches: false, refused: None };
    }
    let quiet = |answer| Reply { answer, reaches: false, refused: None };
    let question = format!("the page asks \"{}\", and the instruction does not say what to answer", dialog.message);
    match dialog.kind.as_str() {
        // Only a step of the task makes a page be left.
        "alert" | "beforeunload" => quiet(DialogAnswer::Accept),
        "prompt" => Reply { answer: DialogAnswer::Dismiss, reaches: false, refused: Some(question) },
        _ if is_destructive(&dialog.message) || is_destructive(pressed) => {
            Reply { answer: DialogAnswer::Dismiss, reaches: false, refused: Some(question) }
        }
        _ => quiet(DialogAnswer::Accept),
    }
}

/// The answer that a goal asks for.
fn asked_answer(dialog: &Dialog, goal: &Goal) -> Option<DialogAnswer> {
    match goal {
        Goal::Answer(answer) => Some(answer.clone()),
        Goal::Enter { value: Value::Literal(text), target } if target.in_dialog || dialog.kind == "prompt" => {
            Some(DialogAnswer::Text(text.clone()))
        }
        Goal::Activate(target) => named_answer(target),
        Goal::Press(keys) if keys == "Enter" => Some(DialogAnswer::Accept),
        Goal::Press(keys) if keys == "Escape" => Some(DialogAnswer::Dismiss),
        _ => None,
    }
}

/// The answer that a task gives by itself: yes to what it asks for, and to nothing more; its text to a question for one.
fn answer_of_task(dialog: &Dialog, task: &Task) -> Option<DialogAnswer> {
    let for_all = tokens(&dialog.message)
        .iter()
        .any(|word| matches!(word.as_str(), "all" | "every" | "everything" | "alle" | "alles"));
    match (&task.act, dialog.kind.as_str()) {
        // What is to be done to a dialog says which: it is no yes to any that comes.
        (TaskAct::Do(_), _) if task.thing.ordinal.is_some() && speaks_of_dialogs(&task.thing.kind) => None,
        (TaskAct::Remove | TaskAct::Do(_) | TaskAct::LogOut, "confirm") if !for_all || task.thing.all => {
            Some(DialogAnswer::Accept)
        }
        (TaskAct::Add, "prompt") if !task.thing.name.is_empty() => Some(DialogAnswer::Text(task.thing.name.clone())),
        (TaskAct::Edit | TaskAct::Reply | TaskAct::Send, "prompt") => {
            let text = task.values.iter().find(|given| given.field != "to").map(|given| given.value.clone());
            text.map(DialogAnswer::Text)
        }
        _ => None,
    }
}

fn speaks_of_dialogs(kind: &str) -> bool {
    matches!(kind, "dialog" | "dialogue" | "prompt" | "popup" | "alert" | "confirmation")
}

/// The answer that a button's name means.
fn named_answer(target: &Target) -> Option<DialogAnswer> {
    let name = target.text().trim().to_lowercase();
    match name.as_str() {
        "cancel" | "no" | "dismiss" | "close" | "abort" | "stay" | "x" | "stay on page" => Some(DialogAnswer::Dismiss),
        "ok" | "okay" | "yes" | "accept" | "confirm" | "continue" | "leave" | "proceed" | "agree" => {
            Some(DialogAnswer::Accept)
        }
        _ => None,
    }
}

/// Whether a text speaks of getting rid of something, or of what cannot be taken back.
pub(crate) fn is_destructive(text: &str) -> bool {
    const WORDS: [&str; 20] = [
        "erase",
        "discard",
        "overwrite",
        "lose",
        "lost",
        "permanently",
        "undone",
        "irreversible",
        "destroy",
        "wipe",
        "drop",
        "revoke",
        "terminate",
        "uninstall",
        "deactivate",
        "unfriend",
        "leave",
        "archive",
        "close",
        "empty",
    ];
    // A question says what will be done in whatever form of the word: "40 prices will be deleted".
    is_consequential(text) || tokens(text).iter().any(|word| WORDS.iter().any(|other| stem(word) == stem(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog(kind: &str, message: &str) -> Dialog {
        Dialog { kind: kind.into(), message: message.into() }
    }

    #[test]
    fn a_dialog_is_answered_as_the_instruction_says() {
        let cancel = Goal::Activate(Target { quoted: true, in_dialog: true, ..Target::labelled("Cancel") });
        let enter = Goal::Enter { value: Value::Literal("Plans".into()), target: Target::default() };
        for (kind, goal, expected) in [
            ("confirm", &Goal::Answer(DialogAnswer::Accept), DialogAnswer::Accept),
            ("confirm", &Goal::Answer(DialogAnswer::Dismiss), DialogAnswer::Dismiss),
            ("confirm", &cancel, DialogAnswer::Dismiss),
            ("prompt", &enter, DialogAnswer::Text("Plans".into())),
        ] {
            let reply = reply(&dialog(kind, "Erase the disk?"), Some(goal), "Erase");
            assert_eq!((reply.answer, reply.reaches), (expected, true));
        }
    }

    #[test]
    fn without_a_word_about_it_nothing_is_destroyed() {
        let goal = Goal::Activate(Target::labelled("Reports"));
        let answer = |kind: &str, message: &str, pressed: &str| {
            let reply = reply(&dialog(kind, message), Some(&goal), pressed);
            (reply.answer, reply.refused.is_some())
        };
        assert_eq!(answer("confirm", "Delete 3 disks?", "Go"), (DialogAnswer::Dismiss, true));
        assert_eq!(answer("confirm", "All 40 disks will be deleted. Go on?", "Format"), (DialogAnswer::Dismiss, true));
        assert_eq!(answer("confirm", "Are you sure?", "Remove disk"), (DialogAnswer::Dismiss, true));
        assert_eq!(answer("confirm", "Show the tour?", "Start"), (DialogAnswer::Accept, false));
        assert_eq!(answer("alert", "Disks are deleted at night", "Go"), (DialogAnswer::Accept, false));
        assert_eq!(answer("beforeunload", "", "Reports"), (DialogAnswer::Accept, false));
        assert_eq!(answer("prompt", "Name?", "New"), (DialogAnswer::Dismiss, true));
    }
}
