//! Taking a thing away.

use super::super::{Pursuer, Pursuit};
use super::locate::Located;
use crate::ground::commands::{self, Command};
use crate::ground::task::{Task, Thing};

impl Pursuer<'_> {
    pub(super) fn remove(&mut self, task: &Task) -> Pursuit {
        if task.thing.all && self.memory.done.is_empty() && self.locate(&task.thing) == Located::None {
            return self.elsewhere(task, &task.thing.title());
        }
        self.act_on(task, commands::names(Command::Remove), "remove")
    }

    /// Whether the thing is gone where it was.
    pub(super) fn is_gone(&self, thing: &Thing) -> bool {
        let bare = Thing { ordinal: None, all: true, ..thing.clone() };
        self.anchors_of(&bare).is_empty()
    }
}
