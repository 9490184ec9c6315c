//! One stage of a wizard as a list of boxes.

use super::{ANSWER, Move, NEXT, PAGES, code, completion, first_stage, page_of, path, right_move};

/// Boxes beside the way through the wizard.
const DISTRACTIONS: u32 = 320;
const COLUMNS: u32 = 10;
/// The first key of elements that a stage puts in place of others; each stage has its own, as new elements have.
const KEYS_PER_STAGE: u64 = 10;

/// What a page shows at one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Title of the document.
    pub title: String,
    /// Everything that can be seen, in document order.
    pub elements: Vec<Element>,
}

/// One box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Stays the same for as long as the element is on the page.
    pub key: u64,
    /// The attribute `id`; empty for none.
    pub id: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Its text; of a field its value.
    pub text: String,
    /// Where it stands.
    pub bounds: Rect,
}

/// What an element is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The page's heading.
    Heading,
    /// Text.
    Text,
    /// A button.
    Button,
    /// A link with its address.
    Link(String),
    /// A text field with its label.
    Field(&'static str),
}

/// A box in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: i64,
    /// Top edge.
    pub y: i64,
    /// Width.
    pub width: i64,
    /// Height.
    pub height: i64,
}

impl Rect {
    /// Whether a point lies within.
    pub fn contains(&self, x: i64, y: i64) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

impl Element {
    /// Whether a stage put it there, rather than the page.
    pub fn is_control(&self) -> bool {
        matches!(self.id, "next" | "answer")
    }
}

impl Scene {
    /// Everything that a person could read, one line per element.
    pub fn text(&self) -> String {
        let texts = self.elements.iter().filter(|element| !matches!(element.kind, Kind::Field(_)));
        texts.map(|element| element.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// The scene of a wizard at a stage.
pub fn scene(wizard: u32, stage: u8) -> Scene {
    let page = page_of(stage);
    let title = format!("Wizard {wizard}, page {} of {PAGES}", page + 1);
    let note = match page {
        0 => "Press Next to begin.".to_owned(),
        page if page + 1 == PAGES => completion(wizard),
        page => format!("Press Next, then answer with the code {}.", code(wizard, page)),
    };
    let at = |x, y, width, height| Rect { x, y, width, height };
    let mut elements = vec![
        Element { key: 1, id: "title", kind: Kind::Heading, text: title.clone(), bounds: at(20, 8, 800, 30) },
        Element { key: 2, id: "note", kind: Kind::Text, text: note, bounds: at(20, 40, 800, 20) },
    ];
    elements.extend(controls(wizard, stage));
    elements.extend((0..DISTRACTIONS).map(|number| distraction(wizard, page, number)));
    Scene { title, elements }
}

/// What leads on.
fn controls(wizard: u32, stage: u8) -> Vec<Element> {
    let page = page_of(stage);
    let key = 1000 + KEYS_PER_STAGE * u64::from(stage);
    let next = |kind| Element {
        key,
        id: "next",
        kind,
        text: NEXT.to_owned(),
        bounds: Rect { x: 20, y: 66, width: 80, height: 24 },
    };
    let follow = || next(Kind::Link(path(wizard, page + 1)));
    // A field stays when it has been filled: its key is that of the stage which brought it.
    let answer = |value: String| Element {
        key: 1000 + KEYS_PER_STAGE * u64::from(first_stage(page) + 1) + 1,
        id: "answer",
        kind: Kind::Field(ANSWER),
        text: value,
        bounds: Rect { x: 120, y: 66, width: 200, height: 24 },
    };
    match right_move(stage) {
        Move::Over => Vec::new(),
        Move::Press => vec![next(Kind::Button)],
        Move::Fill => vec![answer(String::new())],
        Move::Follow if page == 0 => vec![follow()],
        Move::Follow => vec![answer(code(wizard, page)), follow()],
    }
}

fn distraction(wizard: u32, page: u8, number: u32) -> Element {
    let item = 10_000 * (wizard % 90 + 1) + 1000 * u32::from(page) + number;
    let is_button = number.is_multiple_of(3);
    let (kind, text) = if is_button {
        (Kind::Button, format!("Add item {item}"))
    } else {
        (Kind::Text, format!("Item {item}, {} left", number % 17))
    };
    let (column, row) = (i64::from(number % COLUMNS), i64::from(number / COLUMNS));
    let bounds = Rect { x: 10 + 126 * column, y: 98 + 24 * row, width: 120, height: 22 };
    Element { key: 100 + u64::from(number), id: "", kind, text, bounds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_page_has_more_than_three_hundred_elements_that_do_not_overlap_and_are_in_view() {
        for stage in 0..=super::super::ACTIONS {
            let scene = scene(3, stage);
            assert!(scene.elements.len() > 300);
            let keys: HashSet<u64> = scene.elements.iter().map(|element| element.key).collect();
            assert_eq!(keys.len(), scene.elements.len(), "a key is used twice at stage {stage}");
            for (index, element) in scene.elements.iter().enumerate() {
                let Rect { x, y, width, height } = element.bounds;
                assert!(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 900, "{element:?}");
                let middle = (x + width / 2, y + height / 2);
                let hits = scene.elements.iter().filter(|other| other.bounds.contains(middle.0, middle.1)).count();
                assert_eq!(hits, 1, "element {index} of stage {stage}");
            }
        }
    }

    #[test]
    fn there_is_one_thing_to_do_at_each_stage() {
        for stage in 0..super::super::ACTIONS {
            let controls: Vec<Element> = controls(1, stage);
            let next = controls.iter().filter(|element| element.id == "next").count();
            let empty = controls.iter().filter(|element| element.id == "answer" && element.text.is_empty()).count();
            assert_eq!(next + empty, 1, "stage {stage}");
        }
    }
}
