//! The question for consent that lies over a page and keeps everything from being pressed: what is not necessary is declined, once, where the
//! instruction does not speak of it.

use super::{Pursuer, Pursuit, aside};
use crate::ground::goal::Goal;
use crate::ground::item::is_dialog;
use crate::ground::names::same;
use crate::ground::region::Region;
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

/// What such a question speaks of.
const ABOUT: [&str; 8] =
    ["cookie", "cookies", "consent", "tracking", "einwilligung", "consentement", "consentimiento", "consenso"];
/// What declines, as a whole label.
const DECLINING: [&str; 16] = [
    "reject all",
    "reject",
    "decline all",
    "decline",
    "refuse all",
    "refuse",
    "deny all",
    "deny",
    "alle ablehnen",
    "ablehnen",
    "tout refuser",
    "refuser",
    "rechazar todo",
    "rechazar",
    "rifiuta tutto",
    "alles weigeren",
];
/// Words that take only what a page cannot do without.
const NECESSARY: [&str; 8] = [
    "necessary",
    "essential",
    "notwendige",
    "erforderliche",
    "nécessaires",
    "necesarias",
    "necessari",
    "noodzakelijke",
];

impl Pursuer<'_> {
    /// Declines what the page asks consent for.
    pub(super) fn decline_consent(&mut self, goal: &Goal) -> Option<Pursuit> {
        const KEY: &str = "consent|declined";
        if self.memory.tried.iter().any(|key| key == KEY) {
            return None;
        }
        let observation = self.scene.observation;
        let asks = |node: &Node| {
            is_dialog(node)
                && tokens(&format!("{} {}", node.name, node.text)).iter().any(|word| ABOUT.contains(&word.as_str()))
        };
        let dialog = self.scene.elements().find(|(_, node)| asks(node)).map(|(id, _)| Region::Subtree(id))?;
        let is_button = |id: ElementId, node: &Node| node.allows(ActionKind::Click) && dialog.holds(observation, id);
        let buttons: Vec<(ElementId, &Node)> =
            self.scene.elements().filter(|(id, node)| is_button(*id, node)).collect();
        // Who speaks of it answers it as they say.
        let names = |goal: &Goal| {
            let said = match goal {
                Goal::Activate(target) => target.text().to_owned(),
                Goal::Task(task) => format!("{} {} {}", task.act.verb(), task.thing.kind, task.thing.name),
                Goal::NotUnderstood(clause) => clause.clone(),
                _ => String::new(),
            };
            let words = tokens(&said);
            words.iter().any(|word| ABOUT.contains(&word.as_str()))
                || buttons.iter().any(|(_, node)| same(&said, node.label()))
        };
        if std::iter::once(goal).chain(self.later).any(names) {
            return None;
        }
        let declines = |node: &Node| {
            let words = tokens(node.label());
            let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
            DECLINING.iter().any(|name| same(name, node.label()))
                || (has(&NECESSARY) && !has(&["all", "alle", "toutes"]))
        };
        let mut found = buttons.iter().filter(|(_, node)| declines(node)).map(|(id, _)| *id);
        let only = found.next().filter(|_| found.next().is_none())?;
        self.memory.tried.push(KEY.to_owned());
        Some(aside(self.click(only, "declines what is not necessary, which lies over the page", 0.8, false)))
    }
}
