//! The second question: content for an action that takes some (METHODS section 1, step 4).
//!
//! Whatever the model writes here is typed, pressed or opened as it is, never interpreted; a secret may only be named
//! when the task names it, so that no page can ask for one.

use super::choices::Act;
use super::replies::{self, ChosenOptions, DropTarget, FieldText, Line};
use super::turn::{Halt, Turn};
use crate::model::{ModelRole, Part, ReplySchema};
use crate::prompts::render;
use domain::action::ActionKind;
use domain::{Action, ElementId};
use minijinja::context;
use regex::Regex;
use serde::de::DeserializeOwned;
use std::sync::LazyLock;

static SECRET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{secret:[^}]*\}").expect("a literal is a regular expression"));
static KEYS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([A-Za-z0-9]{1,20}\+){0,3}([A-Za-z0-9]{1,20}|\S)$").expect("a literal is one"));

const TEXT_FOR_FIELD: &str =
    "Which text goes into this field? It replaces what is there. press_enter submits it by Enter.";
const NUMBERS_OF_OPTIONS: &str = "Which of these options? Reply with their numbers.";
const TARGET_OF_DRAG: &str = "Onto which element is it dropped? Reply with any number of that element in ACTIONS.";
const KEYS_TO_PRESS: &str = "Which key? A name such as Enter, Escape, Tab, ArrowDown, or a chord such as Control+A.";
const ADDRESS_TO_OPEN: &str = "Which address? An absolute http or https URL of the site under test.";
const ANSWER_TO_DIALOG: &str = "The dialog asks for a text. Which?";

impl Turn<'_> {
    /// The whole action of what was chosen.
    pub(super) async fn fill_in(&mut self, act: Act, description: &str) -> Result<Action, Halt> {
        Ok(match act {
            Act::On(element, ActionKind::Type) => {
                let field: FieldText =
                    self.ask_input(act, description, TEXT_FOR_FIELD, &[], replies::field_text()).await?;
                self.type_text(element, field.text, field.press_enter)?
            }
            Act::On(element, ActionKind::Select) => {
                let labels = self.labels(element);
                let schema = replies::chosen_options();
                let chosen: ChosenOptions =
                    self.ask_input(act, description, NUMBERS_OF_OPTIONS, &labels, schema).await?;
                Action::Select { element, options: pick(&labels, &chosen.chosen_options)? }
            }
            Act::On(element, ActionKind::Drag) => {
                let schema = replies::drop_target();
                let target: DropTarget = self.ask_input(act, description, TARGET_OF_DRAG, &[], schema).await?;
                match self.act(Some(target.drop_onto))? {
                    Act::On(onto, _) | Act::ScrollIn(onto, _) => Action::Drag { element, onto },
                    _ => return Err(Halt::Invalid(format!("{} is no element to drop on", target.drop_onto))),
                }
            }
            Act::Do(ActionKind::Press) => {
                let line: Line = self.ask_input(act, description, KEYS_TO_PRESS, &[], replies::line("keys")).await?;
                if !KEYS.is_match(&line.text) {
                    return Err(Halt::Invalid(format!("`{}` is no key", line.text)));
                }
                Action::Press { keys: line.text }
            }
            Act::Do(ActionKind::Goto) => {
                let line: Line =
                    self.ask_input(act, description, ADDRESS_TO_OPEN, &[], replies::line("address")).await?;
                if !line.text.starts_with("http://") && !line.text.starts_with("https://") {
                    return Err(Halt::Invalid(format!("`{}` is no http or https address", line.text)));
                }
                Action::Goto { url: line.text }
            }
            Act::Do(ActionKind::AcceptDialog) => {
                Action::AcceptDialog { text: self.dialog_text(act, description).await? }
            }
            other => self.without_content(other)?,
        })
    }

    /// The action of a choice that takes no content.
    pub(super) fn without_content(&self, act: Act) -> Result<Action, Halt> {
        Ok(match act {
            Act::On(element, ActionKind::Click) => Action::click(element),
            Act::On(element, ActionKind::Hover) => Action::Hover { element },
            Act::On(element, ActionKind::Check) => {
                let checked = self.request.observation.node(element).and_then(|node| node.states.checked);
                Action::Check { element, checked: !checked.unwrap_or(false) }
            }
            Act::ScrollIn(element, direction) => Action::Scroll { element: Some(element), direction },
            Act::Scroll(direction) => Action::Scroll { element: None, direction },
            Act::SwitchTab(tab) => Action::SwitchTab { tab },
            Act::Do(ActionKind::Back) => Action::Back,
            Act::Do(ActionKind::Forward) => Action::Forward,
            Act::Do(ActionKind::NewTab) => Action::NewTab,
            Act::Do(ActionKind::CloseTab) => Action::CloseTab,
            Act::Do(ActionKind::DismissDialog) => Action::DismissDialog,
            Act::Do(ActionKind::AcceptDialog) => Action::AcceptDialog { text: None },
            Act::Do(ActionKind::Wait) => Action::Wait { milliseconds: 1_000 },
            other => return Err(Halt::Invalid(format!("{other:?} needs content"))),
        })
    }

    /// Typing, with the one rule about secrets.
    pub(super) fn type_text(&self, element: ElementId, text: String, submit: bool) -> Result<Action, Halt> {
        let stranger = SECRET.find_iter(&text).find(|secret| !self.request.instruction.contains(secret.as_str()));
        match stranger {
            Some(secret) => Err(Halt::Invalid(format!("the task does not name the secret {}", secret.as_str()))),
            None => Ok(Action::Type { element, text, submit }),
        }
    }

    pub(super) fn labels(&self, element: ElementId) -> Vec<String> {
        let node = self.request.observation.node(element);
        node.map(|node| node.options.iter().map(|option| option.label.clone()).collect()).unwrap_or_default()
    }

    async fn dialog_text(&mut self, act: Act, description: &str) -> Result<Option<String>, Halt> {
        let asks = self.request.observation.dialog.as_ref().is_some_and(|dialog| dialog.kind == "prompt");
        if !asks {
            return Ok(None);
        }
        let line: Line = self.ask_input(act, description, ANSWER_TO_DIALOG, &[], replies::line("dialog_text")).await?;
        Ok(Some(line.text))
    }

    async fn ask_input<T: DeserializeOwned>(
        &mut self,
        act: Act,
        description: &str,
        demand: &str,
        options: &[String],
        schema: ReplySchema,
    ) -> Result<T, Halt> {
        let element = match act {
            Act::On(element, _) => self.choices.line_of(element),
            _ => None,
        };
        let chosen = format!("{description} {}", element.unwrap_or_default());
        let mut shown = self.shown.clone();
        if !matches!(act, Act::On(_, ActionKind::Drag)) {
            shown.actions.clear();
            shown.page.clone_from(&self.words);
        }
        let shown = shown.values();
        let prompt = render("input", context! { chosen, demand, options => options.to_vec(), ..shown });
        self.ask(ModelRole::Reasoner, vec![Part::Text(prompt)], schema).await
    }
}

fn pick(labels: &[String], numbers: &[i64]) -> Result<Vec<String>, Halt> {
    if numbers.is_empty() {
        return Err(Halt::Invalid("no option was chosen".to_owned()));
    }
    let label =
        |number: &i64| usize::try_from(*number).ok()?.checked_sub(1).and_then(|index| labels.get(index)).cloned();
    numbers
        .iter()
        .map(|number| {
            label(number).ok_or_else(|| {
                Halt::Invalid(format!("chosen option {number} is not among the {} listed", labels.len()))
            })
        })
        .collect()
}
