//! Taking the one of several records that has the least or most of something.

use super::{Pursuer, Pursuit};
use crate::ground::measure::{Superlative, read};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

impl Pursuer<'_> {
    /// Clicks the control of the best record. A record is the stretch of the page that ends, or begins, with one of
    /// several controls that look alike.
    pub(super) fn take_best(&mut self, superlative: Superlative) -> Pursuit {
        let controls = self.largest_family();
        if controls.len() < 2 {
            return match self.seek("several records to compare", None) {
                Some(step) => step,
                None => Pursuit::Stuck("found no records to compare".to_owned()),
            };
        }
        let before = |index: usize| (if index == 0 { 0 } else { controls[index - 1].0 + 1 }, controls[index].0 + 1);
        let after = |index: usize| {
            let end = controls.get(index + 1).map_or(self.scene.observation.nodes.len() as u32, |next| next.0);
            (controls[index].0, end)
        };
        let measured = |stretch: &dyn Fn(usize) -> (u32, u32)| -> Vec<(ElementId, f64)> {
            (0..controls.len())
                .filter_map(|index| {
                    let (from, to) = stretch(index);
                    self.quantity_in(superlative, from, to).map(|value| (controls[index], value))
                })
                .collect()
        };
        let ending = measured(&before);
        let records = if ending.len() == controls.len() { ending } else { measured(&after) };
        let best = records.iter().min_by(|a, b| {
            let order = a.1.total_cmp(&b.1);
            if superlative.most { order.reverse() } else { order }
        });
        match best {
            Some((control, _)) => self.click(*control, "belongs to the best of the records", 0.85, true),
            None => Pursuit::Stuck("the records show nothing to compare them by".to_owned()),
        }
    }

    /// The controls of the most frequent look; numbers in their labels may differ.
    fn largest_family(&self) -> Vec<ElementId> {
        let look = |node: &Node| {
            let label: String = node.label().chars().filter(|letter| letter.is_alphabetic()).collect();
            format!("{}|{}|{}|{label}", node.role, node.tag, node.attribute("class"))
        };
        let looks: Vec<(ElementId, String)> = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Click) && !node.allows(ActionKind::Type))
            .map(|(id, node)| (id, look(node)))
            .collect();
        let count = |look: &String| looks.iter().filter(|(_, other)| other == look).count();
        let most =
            looks.iter().map(|(_, look)| (count(look), look)).max_by_key(|(count, _)| *count).map(|(_, look)| look);
        looks.iter().filter(|(_, look)| Some(look) == most).map(|(id, _)| *id).collect()
    }

    fn quantity_in(&self, superlative: Superlative, from: u32, to: u32) -> Option<f64> {
        self.scene
            .elements()
            .filter(|(id, _)| id.0 >= from && id.0 < to)
            .filter(|(id, _)| self.scene.observation.children(*id).next().is_none())
            .find_map(|(_, node)| read(superlative.quantity, &node.text))
    }
}
