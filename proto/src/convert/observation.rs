//! Observations. They are large: nothing is sent that is absent or empty.

use super::NOTHING;
use crate::error::{Error, required};
use crate::v1;
use domain::action::ActionKind;
use domain::observation::{
    Constraints, Dialog, Frame, Interactivity, OpenRequest, Request, RequestKind, SelectOption, Settled, Stamp, States,
    Tab, Unread, UnreadCause, Viewport, Visibility,
};
use domain::{ElementId, Node, Observation, Rect};

impl From<&Observation> for v1::Observation {
    fn from(seen: &Observation) -> Self {
        let Viewport { width, height, scroll_y, scroll_height } = seen.viewport;
        let dialog = |open: &Dialog| v1::Dialog { kind: open.kind.clone(), message: open.message.clone() };
        let tab = |tab: &Tab| v1::Tab { url: tab.url.clone(), current: tab.current };
        Self {
            stamp: Some(v1::Stamp { session: seen.stamp.session.clone(), number: seen.stamp.number }),
            url: seen.url.clone(),
            title: seen.title.clone(),
            description: seen.description.clone(),
            language: seen.language.clone(),
            nodes: seen.nodes.iter().map(Into::into).collect(),
            frames: seen.frames.iter().map(Into::into).collect(),
            viewport: Some(v1::Viewport { width, height, scroll_y, scroll_height }),
            dialog: seen.dialog.as_ref().map(dialog),
            tabs: seen.tabs.iter().map(tab).collect(),
            faults: seen.faults.iter().map(Into::into).collect(),
            requests: seen.requests.iter().map(Into::into).collect(),
            downloads: seen.downloads.clone(),
            settled: Some((&seen.settled).into()),
            truncated: seen.truncated,
            unread: seen.unread.iter().map(Into::into).collect(),
            open_requests: seen.open_requests.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<v1::Observation> for Observation {
    type Error = Error;

    fn try_from(message: v1::Observation) -> Result<Self, Error> {
        let stamp = required(message.stamp, "observation.stamp")?;
        let v1::Viewport { width, height, scroll_y, scroll_height } =
            required(message.viewport, "observation.viewport")?;
        let settled = required(message.settled, "observation.settled")?;
        Ok(Self {
            stamp: Stamp { session: stamp.session, number: stamp.number },
            url: message.url,
            title: message.title,
            description: message.description,
            language: message.language,
            nodes: message.nodes.into_iter().map(Node::try_from).collect::<Result<_, _>>()?,
            frames: message.frames.into_iter().map(Into::into).collect(),
            viewport: Viewport { width, height, scroll_y, scroll_height },
            dialog: message.dialog.map(|open| Dialog { kind: open.kind, message: open.message }),
            tabs: message.tabs.into_iter().map(|tab| Tab { url: tab.url, current: tab.current }).collect(),
            faults: message.faults.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            requests: message.requests.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            downloads: message.downloads,
            settled: settled.try_into()?,
            truncated: message.truncated,
            unread: message.unread.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            open_requests: message.open_requests.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
        })
    }
}

impl From<&Node> for v1::Node {
    fn from(node: &Node) -> Self {
        let Rect { x, y, width, height } = node.bounds;
        let option = |option: &SelectOption| v1::SelectOption {
            label: option.label.clone(),
            value: option.value.clone(),
            selected: option.selected,
        };
        Self {
            parent: node.parent.map(|parent| parent.0),
            frame: node.frame,
            role: node.role.clone(),
            tag: node.tag.clone(),
            name: node.name.clone(),
            text: node.text.clone(),
            value: node.value.clone(),
            attributes: node.attributes.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            states: (node.states != States::default()).then(|| (&node.states).into()),
            bounds: Some(v1::Rect { x, y, width, height }),
            visibility: v1::Visibility::from(node.visibility).into(),
            operations: node.operations.iter().map(|kind| v1::ActionKind::from(*kind).into()).collect(),
            interactive_by: interactive(node.interactive_by).into(),
            options: node.options.iter().map(option).collect(),
            constraints: node.constraints.as_deref().map(Into::into),
            context: node.context.clone(),
            xpath: node.xpath.clone(),
            in_shadow: node.in_shadow,
            color: node.color.clone(),
            is_item: node.is_item,
            icon: node.icon.clone(),
        }
    }
}

impl TryFrom<v1::Node> for Node {
    type Error = Error;

    fn try_from(message: v1::Node) -> Result<Self, Error> {
        let v1::Rect { x, y, width, height } = required(message.bounds, "node.bounds")?;
        let option = |option: v1::SelectOption| SelectOption {
            label: option.label,
            value: option.value,
            selected: option.selected,
        };
        Ok(Self {
            visibility: visibility(message.visibility())?,
            operations: message
                .operations()
                .map(|kind| operation(kind, "node.operations"))
                .collect::<Result<_, _>>()?,
            interactive_by: interactive_by(message.interactive_by),
            parent: message.parent.map(ElementId),
            frame: message.frame,
            role: message.role,
            tag: message.tag,
            name: message.name,
            text: message.text,
            value: message.value,
            attributes: message.attributes.into_iter().collect(),
            states: message.states.map(Into::into).unwrap_or_default(),
            bounds: Rect { x, y, width, height },
            options: message.options.into_iter().map(option).collect(),
            constraints: message.constraints.map(|constraints| Box::new(constraints.into())),
            context: message.context,
            xpath: message.xpath,
            in_shadow: message.in_shadow,
            color: message.color,
            is_item: message.is_item,
            icon: message.icon,
        })
    }
}

impl From<&States> for v1::States {
    fn from(states: &States) -> Self {
        let States { checked, selected, expanded, pressed, disabled, readonly, focused, invalid } = *states;
        Self { checked, selected, expanded, pressed, disabled, readonly, focused, invalid }
    }
}

impl From<v1::States> for States {
    fn from(message: v1::States) -> Self {
        let v1::States { checked, selected, expanded, pressed, disabled, readonly, focused, invalid } = message;
        Self { checked, selected, expanded, pressed, disabled, readonly, focused, invalid }
    }
}

impl From<Visibility> for v1::Visibility {
    fn from(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Visible => v1::Visibility::Visible,
            Visibility::Offscreen => v1::Visibility::Offscreen,
            Visibility::Covered => v1::Visibility::Covered,
            Visibility::OnHover => v1::Visibility::OnHover,
        }
    }
}

fn visibility(message: v1::Visibility) -> Result<Visibility, Error> {
    match message {
        v1::Visibility::Unspecified => Err(Error::Missing("node.visibility")),
        v1::Visibility::Visible => Ok(Visibility::Visible),
        v1::Visibility::Offscreen => Ok(Visibility::Offscreen),
        v1::Visibility::Covered => Ok(Visibility::Covered),
        v1::Visibility::OnHover => Ok(Visibility::OnHover),
    }
}

fn interactive(by: Option<Interactivity>) -> v1::Interactivity {
    match by {
        None => v1::Interactivity::Unspecified,
        Some(Interactivity::Native) => v1::Interactivity::Native,
        Some(Interactivity::Aria) => v1::Interactivity::Aria,
        Some(Interactivity::Listener) => v1::Interactivity::Listener,
        Some(Interactivity::Cursor) => v1::Interactivity::Cursor,
    }
}

/// A way that this program does not know yet is none: operations say what can be done.
fn interactive_by(message: i32) -> Option<Interactivity> {
    match v1::Interactivity::try_from(message) {
        Err(_) | Ok(v1::Interactivity::Unspecified) => None,
        Ok(v1::Interactivity::Native) => Some(Interactivity::Native),
        Ok(v1::Interactivity::Aria) => Some(Interactivity::Aria),
        Ok(v1::Interactivity::Listener) => Some(Interactivity::Listener),
        Ok(v1::Interactivity::Cursor) => Some(Interactivity::Cursor),
    }
}

macro_rules! operations {
    ($($kind:ident),* $(,)?) => {
        impl From<ActionKind> for v1::ActionKind {
            fn from(kind: ActionKind) -> Self {
                match kind {
                    $(ActionKind::$kind => v1::ActionKind::$kind,)*
                }
            }
        }

        /// The kind of action that the field of this name holds.
        pub(super) fn operation(message: v1::ActionKind, field: &'static str) -> Result<ActionKind, Error> {
            match message {
                v1::ActionKind::Unspecified => Err(Error::Missing(field)),
                $(v1::ActionKind::$kind => Ok(ActionKind::$kind),)*
            }
        }
    };
}

operations!(
    Click,
    Type,
    Select,
    Check,
    Hover,
    Press,
    Scroll,
    Drag,
    Upload,
    Goto,
    Back,
    Forward,
    NewTab,
    SwitchTab,
    CloseTab,
    AcceptDialog,
    DismissDialog,
    Wait,
    Stop,
);

impl From<&Constraints> for v1::Constraints {
    fn from(constraints: &Constraints) -> Self {
        let Constraints {
            required,
            pattern,
            min,
            max,
            step,
            min_length,
            max_length,
            autocomplete,
            accept,
            validation_message,
        } = constraints.clone();
        Self { required, pattern, min, max, step, min_length, max_length, autocomplete, accept, validation_message }
    }
}

impl From<v1::Constraints> for Constraints {
    fn from(message: v1::Constraints) -> Self {
        let v1::Constraints {
            required,
            pattern,
            min,
            max,
            step,
            min_length,
            max_length,
            autocomplete,
            accept,
            validation_message,
        } = message;
        Self { required, pattern, min, max, step, min_length, max_length, autocomplete, accept, validation_message }
    }
}

impl From<&Frame> for v1::Frame {
    fn from(frame: &Frame) -> Self {
        let Frame { parent, url, xpath, cross_origin } = frame.clone();
        Self { parent, url, xpath, cross_origin }
    }
}

impl From<v1::Frame> for Frame {
    fn from(message: v1::Frame) -> Self {
        let v1::Frame { parent, url, xpath, cross_origin } = message;
        Self { parent, url, xpath, cross_origin }
    }
}

impl From<&Request> for v1::Request {
    fn from(request: &Request) -> Self {
        Self {
            method: request.method.clone(),
            url: request.url.clone(),
            status: request.status.map(u32::from),
            refused: request.refused,
            number: request.number,
            kind: v1::RequestKind::from(request.kind).into(),
        }
    }
}

impl TryFrom<v1::Request> for Request {
    type Error = Error;

    fn try_from(message: v1::Request) -> Result<Self, Error> {
        let status = message.status.map(u16::try_from).transpose();
        let status = status.map_err(|error| Error::Invalid { field: "request.status", cause: error.to_string() })?;
        let kind = request_kind(message.kind());
        let v1::Request { method, url, refused, number, .. } = message;
        Ok(Self { method, url, status, refused, number, kind })
    }
}

impl From<RequestKind> for v1::RequestKind {
    fn from(kind: RequestKind) -> Self {
        match kind {
            RequestKind::Other => v1::RequestKind::Unspecified,
            RequestKind::Document => v1::RequestKind::Document,
            RequestKind::Script => v1::RequestKind::Script,
            RequestKind::Beacon => v1::RequestKind::Beacon,
            RequestKind::Stream => v1::RequestKind::Stream,
            RequestKind::Resource => v1::RequestKind::Resource,
        }
    }
}

fn request_kind(message: v1::RequestKind) -> RequestKind {
    match message {
        v1::RequestKind::Unspecified => RequestKind::Other,
        v1::RequestKind::Document => RequestKind::Document,
        v1::RequestKind::Script => RequestKind::Script,
        v1::RequestKind::Beacon => RequestKind::Beacon,
        v1::RequestKind::Stream => RequestKind::Stream,
        v1::RequestKind::Resource => RequestKind::Resource,
    }
}

impl From<&OpenRequest> for v1::OpenRequest {
    fn from(open: &OpenRequest) -> Self {
        Self { request: Some((&open.request).into()), age_ms: open.age_ms }
    }
}

impl TryFrom<v1::OpenRequest> for OpenRequest {
    type Error = Error;

    fn try_from(message: v1::OpenRequest) -> Result<Self, Error> {
        let request = required(message.request, "open_request.request")?.try_into()?;
        Ok(Self { request, age_ms: message.age_ms })
    }
}

impl From<&Unread> for v1::Unread {
    fn from(unread: &Unread) -> Self {
        let why = match unread.why {
            UnreadCause::Frame => v1::UnreadCause::Frame,
            UnreadCause::ClosedShadowRoot => v1::UnreadCause::ClosedShadowRoot,
            UnreadCause::TooLarge => v1::UnreadCause::TooLarge,
            UnreadCause::Document => v1::UnreadCause::Document,
            UnreadCause::Drawing => v1::UnreadCause::Drawing,
        };
        Self { why: why.into(), at: unread.at.clone() }
    }
}

impl TryFrom<v1::Unread> for Unread {
    type Error = Error;

    fn try_from(message: v1::Unread) -> Result<Self, Error> {
        let why = match message.why() {
            v1::UnreadCause::Unspecified => return Err(Error::Missing("unread.why")),
            v1::UnreadCause::Frame => UnreadCause::Frame,
            v1::UnreadCause::ClosedShadowRoot => UnreadCause::ClosedShadowRoot,
            v1::UnreadCause::TooLarge => UnreadCause::TooLarge,
            v1::UnreadCause::Document => UnreadCause::Document,
            v1::UnreadCause::Drawing => UnreadCause::Drawing,
        };
        Ok(Self { why, at: message.at })
    }
}

impl From<&Settled> for v1::Settled {
    fn from(settled: &Settled) -> Self {
        use v1::settled::Is;
        let is = match settled {
            Settled::Quiet => Is::Quiet(NOTHING),
            Settled::Never { pending } => Is::Never(v1::Pending { what: pending.clone() }),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::Settled> for Settled {
    type Error = Error;

    fn try_from(message: v1::Settled) -> Result<Self, Error> {
        use v1::settled::Is;
        Ok(match required(message.is, "settled.is")? {
            Is::Quiet(_) => Settled::Quiet,
            Is::Never(pending) => Settled::Never { pending: pending.what },
        })
    }
}
