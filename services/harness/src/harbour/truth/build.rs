//! Short ways to declare pages.

use super::words::{
    Accepts, Ask, Block, By, DestructiveAction, DestructiveKind, DestructiveStyle, EVERYBODY, Embed, Field, Form,
    Frame, Kind, Link, Page, Panel, Picker, Role, Rule, Suggest, Trap,
};

pub(super) fn page(
    id: &'static str,
    path: &'static str,
    heading: &'static str,
    frame: Frame,
    blocks: Vec<Block>,
) -> Page {
    let roles = match frame {
        Frame::Account => &[Role::Customer] as &[Role],
        Frame::Admin => &[Role::Admin],
        _ => EVERYBODY,
    };
    let address = (!path.contains("{}")).then_some(path);
    Page { id, path, address, heading, frame, roles, alert: None, policy: None, status: 200, blocks }
}

impl Page {
    /// The address of one of several that show the same things.
    pub(super) fn at(self, address: &'static str) -> Page {
        Page { address: Some(address), ..self }
    }

    /// Shown only on the way there.
    pub(super) fn on_the_way(self) -> Page {
        Page { address: None, ..self }
    }

    pub(super) fn only(self, roles: &'static [Role]) -> Page {
        Page { roles, ..self }
    }

    /// Refused: what is said beside which field. Shown only on the way there.
    pub(super) fn refuses(self, field: &'static str, message: &'static str) -> Page {
        Page { alert: Some((field, message)), address: None, ..self }
    }

    pub(super) fn policy(self, policy: &'static str) -> Page {
        Page { policy: Some(policy), ..self }
    }

    pub(super) fn status(self, status: u16) -> Page {
        Page { status, ..self }
    }
}

pub(super) fn text(text: &'static str) -> Block {
    Block::Text(text)
}

pub(super) fn link(label: &'static str, to: &'static str) -> Block {
    Block::Link(Link { label, to: vec![to], href: None, new_tab: false })
}

pub(super) fn link_at(label: &'static str, to: &'static str, href: &'static str) -> Block {
    Block::Link(Link { label, to: vec![to], href: Some(href), new_tab: false })
}

/// A link whose end depends on what was done before.
pub(super) fn link_to_either(label: &'static str, href: &'static str, to: &[&'static str]) -> Block {
    Block::Link(Link { label, to: to.to_vec(), href: Some(href), new_tab: false })
}

pub(super) fn link_in_new_tab(label: &'static str, to: &'static str) -> Block {
    Block::Link(Link { label, to: vec![to], href: None, new_tab: true })
}

pub(super) fn cards(to: &'static str, items: &[(&'static str, &'static str)]) -> Block {
    Block::Cards(items.to_vec(), to)
}

pub(super) fn panel(view: &'static str, label: &'static str, blocks: Vec<Block>) -> Panel {
    Panel { view, label, blocks }
}

pub(super) fn dialog(opener: &'static str, view: &'static str, heading: &'static str, blocks: Vec<Block>) -> Block {
    Block::Dialog(opener, panel(view, heading, blocks))
}

pub(super) fn ask(label: &'static str, from: &'static str, shown: Panel) -> Block {
    Block::Ask(Ask { label, from, shown, failed: None })
}

pub(super) fn ask_or(label: &'static str, from: &'static str, shown: Panel, failed: Panel) -> Block {
    Block::Ask(Ask { label, from, shown, failed: Some(failed) })
}

pub(super) fn suggest(label: &'static str, to: &'static str, items: &[(&'static str, &'static str)]) -> Block {
    Block::Suggest(Suggest { label, view: "suggestions", items: items.to_vec(), to })
}

pub(super) fn picker(label: &'static str, view: &'static str) -> Block {
    Block::Picker(Picker { label, view })
}

pub(super) fn deed(label: &'static str, look: DestructiveStyle, kind: DestructiveKind, path: &'static str) -> Block {
    Block::DestructiveAction(DestructiveAction { label, look, kind, path, asks: None })
}

pub(super) fn trap(label: &'static str, href: &'static str, by: By) -> Block {
    Block::Trap(Trap { label, href, by })
}

pub(super) fn embed(page: &'static str, foreign: bool) -> Block {
    Block::Embed(Embed { page, foreign })
}

/// A form that is sent and accepted.
pub(super) fn form(
    name: &'static str,
    action: &'static str,
    submit: &'static str,
    to: &'static str,
    fields: Vec<Field>,
) -> Form {
    Form { name, gets: false, action, fields, submit, to, rule: None }
}

impl Form {
    /// It only asks: its fields stand in the address.
    pub(super) fn gets(self) -> Form {
        Form { gets: true, ..self }
    }

    /// What the server accepts of a field; a wrong value shows the page that refuses it.
    pub(super) fn rule(
        self,
        field: &'static str,
        accepts: Accepts,
        wrong: &'static str,
        refused: &'static str,
    ) -> Form {
        Form { rule: Some(Rule { field, accepts, wrong, refused }), ..self }
    }

    pub(super) fn block(&self) -> Block {
        Block::Form(self.clone())
    }
}

pub(super) fn field(name: &'static str, label: &'static str, kind: Kind, good: &'static str) -> Field {
    Field { name, label, kind, required: false, conditions: "", good }
}

impl Field {
    pub(super) fn required(self) -> Field {
        Field { required: true, ..self }
    }

    pub(super) fn with(self, conditions: &'static str) -> Field {
        Field { conditions, ..self }
    }
}
