//! The second question: content for an action that takes some (HxAgent, the input of an action).
//!
//! Whatever the model writes here is typed, pressed or opened as it is, never interpreted.

use crate::ask::{Ask, NoReply};
use crate::model::{ModelRole, Part};
use crate::page::{Act, Actions, complete};
use crate::reply::content::{Address, ChosenOptions, DialogText, DropTarget, FieldText, FieldTextOrClick, Keys};
use crate::reply::{Reply, ReplySchema};
use domain::action::ActionKind;
use domain::{Action, Observation};
use minijinja::{Value, context};

const TEXT_FOR_FIELD: &str =
    "Which text goes into this field? It replaces what is there. press_enter submits it by Enter.";
const TEXT_OR_CLICK: &str = "Which text goes into this field? It replaces what is there; null only clicks the field. \
    press_enter submits it by Enter.";
const NUMBERS_OF_OPTIONS: &str = "Which of these options? Reply with their numbers.";
const TARGET_OF_DRAG: &str = "Onto which element is it dropped? Reply with any number of that element.";
const KEYS_TO_PRESS: &str = "Which key? A name such as Enter, Escape, Tab, ArrowDown, or a chord such as Control+A; several after each other with \
    blanks between them.";
const ADDRESS_TO_OPEN: &str = "Which address? An absolute http or https URL of the site under test.";
const ANSWER_TO_DIALOG: &str = "The dialog asks for a text. Which?";

/// The schemas of everything that is asked here.
pub fn replies() -> Vec<ReplySchema> {
    vec![
        ReplySchema::of::<FieldText>(),
        ReplySchema::of::<FieldTextOrClick>(),
        ReplySchema::of::<ChosenOptions>(),
        ReplySchema::of::<DropTarget>(),
        ReplySchema::of::<Keys>(),
        ReplySchema::of::<Address>(),
        ReplySchema::of::<DialogText>(),
    ]
}

/// What a chosen action still lacks: the values of the shared template `chosen`.
pub struct Missing {
    /// What was chosen, in words.
    pub chosen: String,
    /// What is asked for.
    pub demand: &'static str,
    /// The options among which to choose.
    pub options: Vec<String>,
    /// Whether the answer is a number of the list of actions.
    pub needs_actions: bool,
}

impl Missing {
    /// The values of the template.
    pub fn values(&self) -> Value {
        context! { chosen => self.chosen.clone(), demand => self.demand, options => self.options.clone() }
    }
}

/// The whole action of what was chosen. `prompt` puts the question into words.
///
/// # Errors
/// No reply, or one that does not fit.
pub async fn fill_in(
    ask: &mut Ask<'_>,
    observation: &Observation,
    actions: &Actions,
    act: Act,
    description: &str,
    prompt: &(dyn Fn(&Missing) -> String + Sync),
) -> Result<Action, NoReply> {
    let line = if let Act::On(element, _) = act { actions.line_of(element) } else { None };
    let missing = |demand: &'static str| Missing {
        chosen: format!("{description} {}", line.clone().unwrap_or_default()),
        demand,
        options: Vec::new(),
        needs_actions: false,
    };
    match act {
        Act::On(element, ActionKind::Type) if actions.is_in_place() => {
            let field: FieldTextOrClick = put(ask, prompt(&missing(TEXT_OR_CLICK))).await?;
            Ok(match field.text {
                Some(text) => Action::Type { element, text, submit: field.press_enter },
                None => Action::click(element),
            })
        }
        Act::On(element, ActionKind::Type) => {
            let field: FieldText = put(ask, prompt(&missing(TEXT_FOR_FIELD))).await?;
            Ok(Action::Type { element, text: field.text, submit: field.press_enter })
        }
        Act::On(element, ActionKind::Select) => {
            let options = complete::labels(observation, element);
            let asked = Missing { options, ..missing(NUMBERS_OF_OPTIONS) };
            let chosen: ChosenOptions = put(ask, prompt(&asked)).await?;
            complete::select(observation, element, &chosen.chosen_options).map_err(NoReply::Invalid)
        }
        Act::On(element, ActionKind::Drag) => {
            let asked = Missing { needs_actions: true, ..missing(TARGET_OF_DRAG) };
            let target: DropTarget = put(ask, prompt(&asked)).await?;
            complete::drag(actions, element, target.drop_onto).map_err(NoReply::Invalid)
        }
        Act::Do(ActionKind::Press) => {
            let keys: Keys = put(ask, prompt(&missing(KEYS_TO_PRESS))).await?;
            complete::keys(keys.text).map_err(NoReply::Invalid)
        }
        Act::Do(ActionKind::Goto) => {
            let address: Address = put(ask, prompt(&missing(ADDRESS_TO_OPEN))).await?;
            complete::address(address.text).map_err(NoReply::Invalid)
        }
        Act::Do(ActionKind::AcceptDialog) if complete::asks_for_text(observation) => {
            let reply: DialogText = put(ask, prompt(&missing(ANSWER_TO_DIALOG))).await?;
            Ok(Action::AcceptDialog { text: Some(reply.text) })
        }
        other => complete::without_content(observation, other).map_err(NoReply::Invalid),
    }
}

async fn put<T: Reply>(ask: &mut Ask<'_>, prompt: String) -> Result<T, NoReply> {
    ask.reply(ModelRole::Grounder, vec![Part::Text(prompt)]).await
}
