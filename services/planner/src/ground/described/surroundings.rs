//! What stands around the entries of a page and says something of them. Pure.

use super::{Entry, Fact, says_word};
use crate::ground::bind::Scene;
use crate::ground::item::{is_group, item_of};
use crate::ground::region::{self, Region};
use domain::ElementId;
use domain::observation::{Node, Observation};

/// How much higher than a row a cell is that reaches over several.
const HIGHER: f64 = 1.5;

/// What stands around the entries of a page: headings, named parts, cells that reach over several rows, and the page's own names.
pub(super) struct Surroundings<'o> {
    observation: &'o Observation,
    pub(super) headings: Vec<(ElementId, &'o Node)>,
    /// The cells of tables that are higher than the lowest: they may reach over several rows.
    tall: Vec<(ElementId, &'o Node)>,
}

impl<'o> Surroundings<'o> {
    pub(super) fn of(scene: &Scene<'o>) -> Self {
        let observation = scene.observation;
        let is_heading =
            |node: &Node| node.role == "heading" || matches!(node.tag.as_str(), "legend" | "caption" | "summary");
        let headings = observation.elements().filter(|(_, node)| is_heading(node)).collect();
        let is_cell = |node: &Node| matches!(node.role.as_str(), "cell" | "gridcell" | "rowheader");
        let cells = || observation.elements().filter(|(_, node)| is_cell(node) && node.bounds.height > 0.0);
        let lowest = cells().map(|(_, node)| node.bounds.height).fold(f64::INFINITY, f64::min);
        let tall = cells().filter(|(_, node)| node.bounds.height > lowest * HIGHER).collect();
        Self { observation, headings, tall }
    }

    /// What stands below a heading, where there is another of its level and neither stands in an item.
    pub(super) fn stretch_below(&self, heading: ElementId, node: &Node) -> Option<Region> {
        let level = region::heading_level(node)?;
        let is_beside = |(id, other): &&(ElementId, &Node)| {
            *id != heading && region::heading_level(other) == Some(level) && item_of(self.observation, *id).is_none()
        };
        let is_one_of_several =
            item_of(self.observation, heading).is_none() && self.headings.iter().any(|other| is_beside(&other));
        is_one_of_several.then(|| region::below_heading(self.observation, heading)).flatten()
    }

    /// The texts that say where an entry stands.
    pub(super) fn texts(&self, entry: &Entry<'_>) -> Vec<&'o str> {
        // A heading within another entry is that entry's.
        let is_over = |id: ElementId| {
            let around = item_of(self.observation, id);
            around.is_none_or(|item| item == entry.id || self.observation.ancestors(entry.id).any(|(at, _)| at == item))
        };
        let own = self.observation.node(entry.id).and_then(region::heading_level).unwrap_or(u32::MAX);
        let is_above = |node: &Node| region::heading_level(node).is_none_or(|level| level < own);
        let heading = self.headings.iter().rfind(|(id, node)| id.0 < entry.id.0 && is_over(*id) && is_above(node));
        let mut texts: Vec<&str> = heading.map(|(_, node)| node.label()).into_iter().collect();
        let around = self.observation.ancestors(entry.id);
        texts.extend(around.filter(|(_, node)| is_group(node)).map(|(_, node)| node.name.as_str()));
        let middle = entry.bounds.y + entry.bounds.height / 2.0;
        let reaches = |node: &Node| {
            node.bounds.height > entry.bounds.height * HIGHER
                && node.bounds.y <= middle
                && middle <= node.bounds.bottom()
        };
        let cells = self.tall.iter().filter(|(_, node)| reaches(node));
        texts.extend(cells.filter(|(id, _)| self.is_in_same_table(*id, entry.id)).map(|(_, node)| node.text.as_str()));
        texts
    }

    pub(super) fn is_in_same_table(&self, one: ElementId, other: ElementId) -> bool {
        let table = |id: ElementId| {
            self.observation
                .ancestors(id)
                .find(|(_, node)| matches!(node.role.as_str(), "table" | "grid" | "treegrid"))
                .map(|(id, _)| id)
        };
        table(one).is_some() && table(one) == table(other)
    }

    pub(super) fn say(&self, entry: &Entry<'_>, fact: &Fact) -> bool {
        self.texts(entry).into_iter().any(|text| fact.is_said_by(text))
    }

    pub(super) fn say_word(&self, entry: &Entry<'_>, word: &str) -> bool {
        self.texts(entry).into_iter().any(|text| says_word(text, word))
    }

    /// Whether the page speaks of such things in its title, its headings, its columns or the labels of its fields.
    pub(super) fn page_says(&self, word: &str) -> bool {
        let is_name = |node: &Node| {
            matches!(node.role.as_str(), "columnheader" | "heading" | "tab" | "term")
                || matches!(node.tag.as_str(), "label" | "dt")
        };
        says_word(&self.observation.title, word)
            || self.headings.iter().any(|(_, node)| says_word(node.label(), word))
            || self.observation.nodes.iter().any(|node| is_name(node) && says_word(node.label(), word))
    }
}
