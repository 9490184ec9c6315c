//! Actions, claims and effects.

use super::NOTHING;
use crate::error::{Error, required};
use crate::v1;
use domain::action::{Claim, Direction};
use domain::{Action, Descriptor, Effect};

type Recorded = Action<Descriptor>;

impl From<&Recorded> for v1::Action {
    fn from(action: &Recorded) -> Self {
        use v1::action::Kind;
        let kind = match action {
            Action::Click { element, at, count } => Kind::Click(v1::Click {
                element: Some(element.into()),
                at: at.map(Into::into),
                count: u32::from(*count),
            }),
            Action::Type { element, text, submit } => {
                Kind::Type(v1::Type { element: Some(element.into()), text: text.clone(), submit: *submit })
            }
            Action::Select { element, options } => {
                Kind::Select(v1::Select { element: Some(element.into()), options: options.clone() })
            }
            Action::Check { element, checked } => {
                Kind::Check(v1::CheckBox { element: Some(element.into()), checked: *checked })
            }
            Action::Hover { element } => Kind::Hover(element.into()),
            Action::Press { keys } => Kind::Press(keys.clone()),
            Action::Scroll { element, direction } => Kind::Scroll(v1::Scroll {
                element: element.as_ref().map(Into::into),
                direction: v1::Direction::from(*direction).into(),
            }),
            Action::Drag { element, onto } => {
                Kind::Drag(v1::Drag { element: Some(element.into()), onto: Some(onto.into()) })
            }
            Action::Upload { element, files } => {
                Kind::Upload(v1::Upload { element: Some(element.into()), files: files.clone() })
            }
            Action::Goto { url } => Kind::Goto(url.clone()),
            Action::Back => Kind::Back(NOTHING),
            Action::Forward => Kind::Forward(NOTHING),
            Action::NewTab => Kind::NewTab(NOTHING),
            Action::SwitchTab { tab } => Kind::SwitchTab(*tab),
            Action::CloseTab => Kind::CloseTab(NOTHING),
            Action::AcceptDialog { text } => Kind::AcceptDialog(v1::AcceptDialog { text: text.clone() }),
            Action::DismissDialog => Kind::DismissDialog(NOTHING),
            Action::Wait { milliseconds } => Kind::WaitMs(*milliseconds),
            Action::Stop { claim, answer } => Kind::Stop(stop(claim, answer.as_ref())),
        };
        Self { kind: Some(kind) }
    }
}

impl TryFrom<v1::Action> for Recorded {
    type Error = Error;

    fn try_from(message: v1::Action) -> Result<Self, Error> {
        use v1::action::Kind;
        Ok(match required(message.kind, "action.kind")? {
            Kind::Click(click) => Action::Click {
                element: element(click.element, "click.element")?,
                at: click.at.map(Into::into),
                count: u8::try_from(click.count)
                    .map_err(|error| Error::Invalid { field: "click.count", cause: error.to_string() })?,
            },
            Kind::Type(typed) => Action::Type {
                element: element(typed.element, "type.element")?,
                text: typed.text,
                submit: typed.submit,
            },
            Kind::Select(select) => {
                Action::Select { element: element(select.element, "select.element")?, options: select.options }
            }
            Kind::Check(check) => {
                Action::Check { element: element(check.element, "check.element")?, checked: check.checked }
            }
            Kind::Hover(hovered) => Action::Hover { element: hovered.try_into()? },
            Kind::Press(keys) => Action::Press { keys },
            Kind::Scroll(scroll) => Action::Scroll {
                direction: direction(scroll.direction())?,
                element: scroll.element.map(TryInto::try_into).transpose()?,
            },
            Kind::Drag(drag) => {
                Action::Drag { element: element(drag.element, "drag.element")?, onto: element(drag.onto, "drag.onto")? }
            }
            Kind::Upload(upload) => {
                Action::Upload { element: element(upload.element, "upload.element")?, files: upload.files }
            }
            Kind::Goto(url) => Action::Goto { url },
            Kind::Back(_) => Action::Back,
            Kind::Forward(_) => Action::Forward,
            Kind::NewTab(_) => Action::NewTab,
            Kind::SwitchTab(tab) => Action::SwitchTab { tab },
            Kind::CloseTab(_) => Action::CloseTab,
            Kind::AcceptDialog(dialog) => Action::AcceptDialog { text: dialog.text },
            Kind::DismissDialog(_) => Action::DismissDialog,
            Kind::WaitMs(milliseconds) => Action::Wait { milliseconds },
            Kind::Stop(message) => {
                let (claim, answer) = stopped(message)?;
                Action::Stop { claim, answer }
            }
        })
    }
}

fn element(message: Option<v1::Descriptor>, field: &'static str) -> Result<Descriptor, Error> {
    required(message, field)?.try_into()
}

/// A claim with its answer.
pub(super) fn stop(claim: &Claim, answer: Option<&String>) -> v1::Stop {
    use v1::claim::Is;
    let is = match claim {
        Claim::Done => Is::Done(NOTHING),
        Claim::Infeasible { reason } => Is::Infeasible(reason.clone()),
        Claim::GaveUp { reason } => Is::GaveUp(reason.clone()),
    };
    v1::Stop { claim: Some(v1::Claim { is: Some(is) }), answer: answer.cloned() }
}

/// The reverse of [`stop`].
pub(super) fn stopped(message: v1::Stop) -> Result<(Claim, Option<String>), Error> {
    use v1::claim::Is;
    let claim = required(message.claim, "stop.claim")?;
    let claim = match required(claim.is, "claim.is")? {
        Is::Done(_) => Claim::Done,
        Is::Infeasible(reason) => Claim::Infeasible { reason },
        Is::GaveUp(reason) => Claim::GaveUp { reason },
    };
    Ok((claim, message.answer))
}

impl From<Direction> for v1::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Up => v1::Direction::Up,
            Direction::Down => v1::Direction::Down,
            Direction::Left => v1::Direction::Left,
            Direction::Right => v1::Direction::Right,
        }
    }
}

fn direction(message: v1::Direction) -> Result<Direction, Error> {
    match message {
        v1::Direction::Unspecified => Err(Error::Missing("scroll.direction")),
        v1::Direction::Up => Ok(Direction::Up),
        v1::Direction::Down => Ok(Direction::Down),
        v1::Direction::Left => Ok(Direction::Left),
        v1::Direction::Right => Ok(Direction::Right),
    }
}

impl From<&Effect> for v1::Effect {
    fn from(effect: &Effect) -> Self {
        use v1::effect::Is;
        let is = match effect.clone() {
            Effect::Changed { what } => Is::Changed(v1::Changed { what }),
            Effect::NoChange => Is::NoChange(NOTHING),
            Effect::Rejected { message } => Is::Rejected(message),
            Effect::Failed { cause } => Is::Failed(cause),
            Effect::LeftScope { url } => Is::LeftScope(url),
            Effect::Unconfirmed { cause } => Is::Unconfirmed(cause),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::Effect> for Effect {
    type Error = Error;

    fn try_from(message: v1::Effect) -> Result<Self, Error> {
        use v1::effect::Is;
        Ok(match required(message.is, "effect.is")? {
            Is::Changed(changed) => Effect::Changed { what: changed.what },
            Is::NoChange(_) => Effect::NoChange,
            Is::Rejected(message) => Effect::Rejected { message },
            Is::Failed(cause) => Effect::Failed { cause },
            Is::LeftScope(url) => Effect::LeftScope { url },
            Is::Unconfirmed(cause) => Effect::Unconfirmed { cause },
        })
    }
}
