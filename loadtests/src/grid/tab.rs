//! A tab of a simulated browser: which stage of which wizard it shows, or which page of the maze, and what pointer and keys do to
//! it. Pure.

use crate::maze;
use crate::wizard::{self, Description, Kind, Move, ReceiverCopy};
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

/// The descriptions of all wizards, each made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Book(Mutex<HashMap<u32, Arc<[Description]>>>);

impl Book {
    fn wizard(&self, number: u32) -> Arc<[Description]> {
        let mut wizards = self.0.lock();
        wizards.entry(number).or_insert_with(|| Description::of_wizard(number).into()).clone()
    }

    /// What the page of a path shows, with all its stages: number, first stage, descriptions.
    fn page(&self, path: &str) -> Option<(u32, u8, Arc<[Description]>)> {
        if let Some((number, page)) = wizard::parse_path(path) {
            return Some((number, wizard::first_stage(page), self.wizard(number)));
        }
        let page = maze::parse_path(path)?;
        // Seldom seen twice.
        Some((page, 0, [Description::of_scene(maze::scene(page), None)].into()))
    }
}

/// A tab.
#[derive(Debug)]
pub(super) struct Tab {
    /// Its user context.
    pub(super) profile: String,
    pub(super) url: String,
    /// Whether its page crashed.
    pub(super) crashed: bool,
    /// The page; none where it is none of the site's.
    page: Option<Shown>,
    /// Counts documents.
    document: u64,
    history: Vec<String>,
    /// Where in the history it is.
    at: usize,
    /// Where the pointer was left.
    pointer: (f64, f64),
}

#[derive(Debug)]
struct Shown {
    stages: Arc<[Description]>,
    number: u32,
    stage: u8,
    /// What the field holds when it is not what the stage says.
    typed: Option<String>,
    has_focus: bool,
    /// Whether Control is held, and whether all is selected.
    control: bool,
    selected: bool,
    /// The latest observation: its number and stage.
    sent: (u64, u8),
}

/// A source of `input.performActions`.
#[derive(Debug, Deserialize)]
pub(super) struct Source {
    actions: Vec<Tick>,
}

/// What a source does in one tick.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Tick {
    PointerMove {
        x: f64,
        y: f64,
    },
    PointerDown,
    PointerUp,
    KeyDown {
        value: char,
    },
    KeyUp {
        value: char,
    },
    #[serde(other)]
    Other,
}

const CONTROL: char = '\u{E009}';
const DELETE: char = '\u{E017}';
/// Keys without a character of their own (WebDriver, "keyboard actions").
const SPECIAL: std::ops::RangeInclusive<char> = '\u{E000}'..='\u{E05D}';

impl Tab {
    pub(super) fn new(profile: &str) -> Tab {
        Tab {
            profile: profile.to_owned(),
            url: "about:blank".to_owned(),
            crashed: false,
            page: None,
            document: 1,
            history: vec!["about:blank".to_owned()],
            at: 0,
            pointer: (0.0, 0.0),
        }
    }

    /// Shows the document of an address; `found` is whether the site has it. A step through the history leaves it as it is.
    pub(super) fn arrive(&mut self, book: &Book, url: &url::Url, found: bool, in_history: Option<usize>) {
        self.url = url.to_string();
        self.document += 1;
        match in_history {
            Some(at) => self.at = at,
            None => {
                self.history.truncate(self.at + 1);
                self.history.push(self.url.clone());
                self.at += 1;
            }
        }
        let page = if found { book.page(url.path()) } else { None };
        self.page = page.map(|(number, stage, stages)| Shown {
            stages,
            number,
            stage,
            typed: None,
            has_focus: false,
            control: false,
            selected: false,
            sent: (0, 0),
        });
    }

    /// The place in the history and the address that a step through it leads to.
    pub(super) fn in_history(&self, by: i64) -> Option<(usize, &str)> {
        let at = usize::try_from(self.at as i64 + by).ok()?;
        Some((at, self.history.get(at)?))
    }

    /// The probe's answer to a step, as the inside of a JSON string.
    pub(super) fn observe(&mut self, have: &str) -> String {
        let token = |number: u64| format!("{}:{number}", self.document);
        let Some(page) = &mut self.page else { return blank(&self.url, &token(1)) };
        let (number, stage) = page.sent;
        let held = match page.stage.checked_sub(stage) {
            _ if number == 0 || have != token(number) => ReceiverCopy::Nothing,
            Some(0) => ReceiverCopy::This,
            Some(1) => ReceiverCopy::Before,
            _ => ReceiverCopy::Nothing,
        };
        page.sent = (number + 1, page.stage);
        let description = &page.stages[usize::from(page.stage)];
        description.reply(&token(number + 1), held, &self.url, page.typed.as_deref())
    }

    /// The probe's answer to where an element is.
    pub(super) fn locate(&self, key: u64) -> String {
        let found = self.page.as_ref().and_then(|page| page.scene().elements.iter().find(|other| other.key == key));
        let (Some(element), Some(page)) = (found, &self.page) else {
            return r#"{"refused":"the element is gone"}"#.to_owned();
        };
        let wizard::Rect { x, y, width, height } = element.bounds;
        let (tag, kind, value) = match &element.kind {
            Kind::Heading => ("h1", "", ""),
            Kind::Text => ("div", "", ""),
            Kind::Button => ("button", "submit", ""),
            Kind::Link(_) => ("a", "", ""),
            Kind::Field(_) => ("input", "text", page.typed.as_deref().unwrap_or(&element.text)),
        };
        format!(
            "{{\"x\":{},\"y\":{},\"width\":{width},\"height\":{height},\"tag\":\"{tag}\",\"type\":\"{kind}\",\
             \"focused\":{},\"moves\":false,\"value\":\"{value}\",\"state\":{{\"checked\":false,\"editable\":false}}}}",
            x + width / 2,
            y + height / 2,
            page.has_focus && matches!(element.kind, Kind::Field(_))
        )
    }

    /// The visible text.
    pub(super) fn text(&self) -> &str {
        self.page.as_ref().map_or("", |page| page.stages[usize::from(page.stage)].text())
    }

    /// The stage of the wizard, where there is one.
    pub(super) fn stage(&self) -> Option<u8> {
        self.page.as_ref().map(|page| page.stage)
    }

    /// Carries out input; answers the address that it leads to, if any.
    pub(super) fn perform(&mut self, sources: &[Source]) -> Option<String> {
        let page = self.page.as_mut()?;
        let ticks = sources.iter().map(|source| source.actions.len()).max().unwrap_or(0);
        let pointer = &mut self.pointer;
        let mut leads_to = None;
        for tick in 0..ticks {
            for action in sources.iter().filter_map(|source| source.actions.get(tick)) {
                match action {
                    Tick::PointerMove { x, y } => *pointer = (*x, *y),
                    Tick::PointerDown => page.focus(pointer.0 as i64, pointer.1 as i64),
                    Tick::PointerUp => leads_to = page.click(pointer.0 as i64, pointer.1 as i64).or(leads_to),
                    Tick::KeyDown { value } => page.key(*value),
                    Tick::KeyUp { value } if *value == CONTROL => page.control = false,
                    Tick::KeyUp { .. } | Tick::Other => {}
                }
            }
        }
        leads_to
    }
}

impl Shown {
    fn scene(&self) -> &wizard::Scene {
        self.stages[usize::from(self.stage)].scene()
    }

    fn at(&self, x: i64, y: i64) -> Option<&wizard::Element> {
        self.scene().elements.iter().find(|element| element.bounds.contains(x, y))
    }

    /// A button of the pointer goes down: what it is over takes the focus.
    fn focus(&mut self, x: i64, y: i64) {
        self.has_focus = self.at(x, y).is_some_and(|hit| matches!(hit.kind, Kind::Field(_)));
    }

    fn click(&mut self, x: i64, y: i64) -> Option<String> {
        let hit = self.at(x, y)?;
        let is_next = hit.id == "next";
        match hit.kind.clone() {
            Kind::Link(address) => Some(address),
            Kind::Button if is_next => {
                self.stage += 1;
                None
            }
            _ => None,
        }
    }

    fn key(&mut self, key: char) {
        if key == CONTROL {
            self.control = true;
        }
        if !self.has_focus {
            return;
        }
        let field = self.scene().elements.iter().find(|element| matches!(element.kind, Kind::Field(_)));
        let held = field.map(|field| field.text.clone()).unwrap_or_default();
        let mut text = self.typed.take().unwrap_or_else(|| held.clone());
        match key {
            'a' if self.control => self.selected = true,
            DELETE if self.selected => text.clear(),
            key if SPECIAL.contains(&key) || self.control => {}
            key => {
                if self.selected {
                    text.clear();
                }
                text.push(key);
            }
        }
        self.selected = key == 'a' && self.control || (key == CONTROL && self.selected);
        if wizard::right_move(self.stage) == Move::Fill
            && text == wizard::code(self.number, wizard::page_of(self.stage))
        {
            self.stage += 1;
        } else if text != held {
            self.typed = Some(text);
        }
    }
}

/// A document with nothing in it.
fn blank(url: &str, token: &str) -> String {
    let reply = serde_json::json!({
        "have": token, "fresh": true, "url": url, "title": "", "description": "", "language": "", "changed": [],
        "moved": [], "seen": [], "head": 0, "tail": 0, "between": [], "frames": [{"url": url}], "foreign": [],
        "viewport": {"width": 1280, "height": 900, "scroll_y": 0, "scroll_height": 900}, "truncated": false,
        "pending": [], "waited": [], "late": false, "scripted": true, "unread": [], "texts": [], "downloads": 0, "errors": 0, "violations": [],
        "settle_ms": 0, "observe_ms": 0,
    });
    wizard::within_string(&reply.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tab(path: &str) -> Tab {
        let mut tab = Tab::new("profile");
        tab.arrive(&Book::default(), &format!("http://a.org{path}").parse().unwrap(), true, None);
        tab
    }

    fn click(tab: &mut Tab, id: &str) -> Option<String> {
        let page = tab.page.as_ref().unwrap();
        let bounds = page.scene().elements.iter().find(|element| element.id == id).unwrap().bounds;
        let actions = json!([{"actions": [{"type": "pointerMove", "x": bounds.x + 1, "y": bounds.y + 1, "duration": 0},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]);
        tab.perform(&serde_json::from_value::<Vec<Source>>(actions).unwrap())
    }

    fn press(tab: &mut Tab, keys: &str) {
        let each = |key: char| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        let actions = json!([{"actions": keys.chars().flat_map(each).collect::<Vec<_>>()}]);
        tab.perform(&serde_json::from_value::<Vec<Source>>(actions).unwrap());
    }

    #[test]
    fn a_button_changes_the_page_and_a_link_leads_away() {
        let mut tab = tab("/wizard/3/1");
        assert_eq!((tab.stage(), click(&mut tab, "next"), tab.stage()), (Some(1), None, Some(2)));
        click(&mut tab, "answer");
        press(&mut tab, &wizard::code(3, 1));
        assert_eq!(tab.stage(), Some(3));
        assert_eq!(click(&mut tab, "next").as_deref(), Some("/wizard/3/2"));
    }

    #[test]
    fn only_the_code_leads_on_and_keys_go_where_the_focus_is() {
        let mut tab = tab("/wizard/3/1");
        click(&mut tab, "next");
        press(&mut tab, &wizard::code(3, 1));
        assert_eq!(tab.stage(), Some(2), "nothing has the focus");
        click(&mut tab, "answer");
        press(&mut tab, "wrong");
        assert!(tab.stage() == Some(2) && tab.observe("").contains("wrong"));
    }

    #[test]
    fn a_click_beside_everything_does_nothing() {
        let mut tab = tab("/wizard/3/0");
        assert_eq!((click(&mut tab, "note"), tab.stage()), (None, Some(0)));
    }

    #[test]
    fn the_history_is_walked() {
        let mut tab = tab("/wizard/3/0");
        tab.arrive(&Book::default(), &"http://a.org/wizard/3/1".parse().unwrap(), true, None);
        assert_eq!(tab.in_history(-1), Some((1, "http://a.org/wizard/3/0")));
        assert_eq!(tab.in_history(1), None);
    }
}
