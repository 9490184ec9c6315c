//! The second question: content for an action that takes some (HxAgent, the input of an action).
//!
//! Whatever the model writes here is typed, pressed or opened as it is, never interpreted.

use super::render;
use super::turn::{Halt, Turn};
use crate::page::{Act, complete};
use crate::reply::Reply;
use crate::reply::content::{Address, ChosenOptions, DialogText, DropTarget, FieldText, Keys};
use domain::Action;
use domain::action::ActionKind;
use minijinja::context;

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
        let observation = &self.request.observation;
        match act {
            Act::On(element, ActionKind::Type) => {
                let field: FieldText = self.ask_input(act, description, TEXT_FOR_FIELD, &[]).await?;
                Ok(Action::Type { element, text: field.text, submit: field.press_enter })
            }
            Act::On(element, ActionKind::Select) => {
                let labels = complete::labels(observation, element);
                let chosen: ChosenOptions = self.ask_input(act, description, NUMBERS_OF_OPTIONS, &labels).await?;
                complete::select(observation, element, &chosen.chosen_options).map_err(Halt::Invalid)
            }
            Act::On(element, ActionKind::Drag) => {
                let target: DropTarget = self.ask_input(act, description, TARGET_OF_DRAG, &[]).await?;
                complete::drag(&self.actions, element, target.drop_onto).map_err(Halt::Invalid)
            }
            Act::Do(ActionKind::Press) => {
                let keys: Keys = self.ask_input(act, description, KEYS_TO_PRESS, &[]).await?;
                complete::keys(keys.text).map_err(Halt::Invalid)
            }
            Act::Do(ActionKind::Goto) => {
                let address: Address = self.ask_input(act, description, ADDRESS_TO_OPEN, &[]).await?;
                complete::address(address.text).map_err(Halt::Invalid)
            }
            Act::Do(ActionKind::AcceptDialog) if complete::asks_for_text(observation) => {
                let reply: DialogText = self.ask_input(act, description, ANSWER_TO_DIALOG, &[]).await?;
                Ok(Action::AcceptDialog { text: Some(reply.text) })
            }
            other => complete::without_content(observation, other).map_err(Halt::Invalid),
        }
    }

    async fn ask_input<T: Reply>(
        &mut self,
        act: Act,
        description: &str,
        demand: &str,
        options: &[String],
    ) -> Result<T, Halt> {
        let element = match act {
            Act::On(element, _) => self.actions.line_of(element),
            _ => None,
        };
        let chosen = format!("{description} {}", element.unwrap_or_default());
        let mut shown = self.shown.clone();
        if !matches!(act, Act::On(_, ActionKind::Drag)) {
            shown.view.actions.clear();
            shown.view.page.clone_from(&self.words);
        }
        let prompt = render("input", context! { chosen, demand, options => options.to_vec(), ..shown.values() });
        self.ask_text(prompt).await
    }
}
