//! The feasible actions of a page, numbered and described for a model (HxAgent, the content extractor).
//!
//! One line of JSON per element: its operations with their numbers, then what tells it apart.

use super::Situation;
use super::act::{Act, named, offered, verb};
use super::bracket::bracket;
use super::cap::tokens;
use super::item::item_words;
use super::look::{Identity, common_start, identity, look};
use super::neighbours::neighbours;
use super::options::{Items, Layout, PageOptions};
use super::outline::outline;
use domain::action::{ActionKind, Direction};
use domain::observation::{Node, Visibility};
use domain::text::shorten;
use domain::{ElementId, Observation};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// What a page offers.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// The action of number n stands at n − 1.
    pub acts: Vec<Act>,
    /// One JSON object per line.
    pub lines: Vec<String>,
    /// First number of each listed element.
    pub numbers: BTreeMap<u32, u32>,
    /// Elements that were left out for lack of space.
    pub left_out: usize,
    /// Each element as it stands in the page's text, where the layout has them there.
    pub brackets: BTreeMap<u32, String>,
    /// What each listed element looks like in words, without its place.
    looks: HashMap<u32, String>,
    layout: Layout,
}

impl Actions {
    /// What a page offers in a situation.
    pub fn of(observation: &Observation, situation: Situation, options: &PageOptions) -> Self {
        let (listed, left_out) = listed(observation, options);
        let left_out = if observation.dialog.is_some() { 0 } else { left_out };
        Self { left_out, ..Self::list(observation, situation, options, listed, &BTreeMap::new()) }
    }

    /// These elements of a page in this order, each with a note where it has one, and what can be done besides.
    pub fn of_elements(
        observation: &Observation,
        situation: Situation,
        options: &PageOptions,
        elements: &[ElementId],
        notes: &BTreeMap<ElementId, String>,
    ) -> Self {
        let listed = elements.iter().filter_map(|id| Some((*id, observation.node(*id)?))).collect();
        let all = observation.interactive().filter(|(_, node)| !offered(node).is_empty()).count();
        Self {
            left_out: all.saturating_sub(elements.len()),
            ..Self::list(observation, situation, options, listed, notes)
        }
    }

    /// Whether elements are described where they stand in the page's text.
    pub fn is_in_place(&self) -> bool {
        self.layout == Layout::InPlace
    }

    fn list(
        observation: &Observation,
        situation: Situation,
        options: &PageOptions,
        listed: Vec<(ElementId, &Node)>,
        notes: &BTreeMap<ElementId, String>,
    ) -> Self {
        let mut actions = Actions::default();
        // A text that is over the limit is cut or summed up, and its elements with it.
        let fits = || {
            observation.dialog.is_some() || tokens(&outline(observation, &Actions::default())) <= options.token_limit
        };
        if options.layout == Layout::InPlace && fits() {
            actions.layout = Layout::InPlace;
        }
        if let Some(dialog) = &observation.dialog {
            let mut line = Map::new();
            line.insert("accept dialog".into(), actions.number(Act::Do(ActionKind::AcceptDialog)));
            line.insert("dismiss dialog".into(), actions.number(Act::Do(ActionKind::DismissDialog)));
            line.insert("kind".into(), json!(dialog.kind));
            line.insert("message".into(), json!(dialog.message));
            actions.lines.push(Value::Object(line).to_string());
            return actions;
        }
        actions.elements(observation, options, listed, notes);
        actions.general(observation, situation, options);
        actions
    }

    /// Lists a look at a picture of the page, where there is no question of the browser.
    pub fn offer_picture(&mut self, observation: &Observation) {
        if observation.dialog.is_none() {
            let line = json!({"look at a picture of the page": self.number(Act::Look)});
            self.lines.push(line.to_string());
        }
    }

    /// The action of a number, if there is one.
    pub fn get(&self, number: i64) -> Option<Act> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.acts.get(index).copied()
    }

    /// The numbers of all actions that read like this one, itself included.
    pub fn alike(&self, act: Act) -> Vec<u32> {
        let Act::On(element, kind) = act else { return Vec::new() };
        let look = self.looks.get(&element.0);
        let same = |other: &Act| match other {
            Act::On(id, other_kind) => *other_kind == kind && self.looks.get(&id.0) == look,
            _ => false,
        };
        (1u32..).zip(&self.acts).filter(|(_, other)| same(other)).map(|(number, _)| number).collect()
    }

    /// What was told of an element.
    pub fn line_of(&self, element: ElementId) -> Option<String> {
        self.looks.get(&element.0).cloned()
    }

    fn number(&mut self, act: Act) -> Value {
        self.acts.push(act);
        json!(self.acts.len())
    }

    fn elements(
        &mut self,
        observation: &Observation,
        options: &PageOptions,
        listed: Vec<(ElementId, &Node)>,
        notes: &BTreeMap<ElementId, String>,
    ) {
        let mut times: HashMap<Identity<'_>, usize> = HashMap::new();
        for (_, node) in &listed {
            *times.entry(identity(node)).or_default() += 1;
        }
        let reads_alike =
            |node: &Node| node.label().is_empty() || times.get(&identity(node)).is_some_and(|times| *times > 1);
        let looks: Vec<Map<String, Value>> = listed
            .iter()
            .map(|(id, node)| {
                let mut look = look(node);
                add_surroundings(&mut look, observation, *id, reads_alike(node), options);
                if let Some(note) = notes.get(id) {
                    look.insert("purpose".into(), json!(note));
                }
                look
            })
            .collect();
        let told: Vec<String> = looks.iter().map(|look| Value::Object(look.clone()).to_string()).collect();
        let mut same: HashMap<&str, usize> = HashMap::new();
        for told in &told {
            *same.entry(told).or_default() += 1;
        }
        let is_in_place = self.is_in_place();
        // In the page's text an element with words is told apart by where it stands.
        let is_nameless = |node: &Node| node.label().is_empty() && node.attribute("id").is_empty();
        let needs_path = |node: &Node, told: &str| {
            if is_in_place {
                is_nameless(node) || same.get(told).is_some_and(|times| *times > 1)
            } else {
                reads_alike(node)
            }
        };
        let by_place =
            |node: &Node, told: &str| (options.every_xpath || needs_path(node, told)) && !node.xpath.is_empty();
        let paths = listed.iter().zip(&told).filter(|((_, node), told)| by_place(node, told));
        let base = common_start(paths.map(|((_, node), _)| node.xpath.as_str()));
        if !base.is_empty() {
            self.lines.push(json!({"base": base}).to_string());
        }
        for (((id, node), mut look), told) in listed.into_iter().zip(looks).zip(&told) {
            let by_place = by_place(node, told);
            self.looks.insert(id.0, told.clone());
            if is_in_place && !node.label().is_empty() && !reads_alike(node) {
                look.remove("id");
            }
            if by_place {
                let path = if base.is_empty() { node.xpath.clone() } else { format!(".{}", &node.xpath[base.len()..]) };
                look.insert("xpath".into(), json!(path));
            }
            match node.visibility {
                Visibility::Visible => {}
                Visibility::Offscreen => drop(look.insert("seen".into(), json!("after scrolling"))),
                Visibility::Covered => drop(look.insert("seen".into(), json!("covered"))),
                Visibility::OnHover => drop(look.insert("seen".into(), json!("while its item is hovered"))),
            }
            let kinds = if is_in_place { named(node) } else { offered(node) };
            let operations = self.numbered(id, node, kinds);
            if is_in_place {
                self.brackets.insert(id.0, bracket(&operations, &look));
            } else {
                let numbers = operations.into_iter().map(|(verb, number)| (verb, json!(number)));
                self.lines.push(Value::Object(numbers.chain(look).collect()).to_string());
            }
        }
    }

    /// The operations of an element, each with a number of its own.
    fn numbered(&mut self, id: ElementId, node: &Node, kinds: Vec<ActionKind>) -> Vec<(String, u32)> {
        self.numbers.insert(id.0, self.acts.len() as u32 + 1);
        let acts = kinds.into_iter().flat_map(|kind| match kind {
            ActionKind::Scroll => vec![
                ("scroll down in", Act::ScrollIn(id, Direction::Down)),
                ("scroll up in", Act::ScrollIn(id, Direction::Up)),
            ],
            kind => vec![(verb(node, kind), Act::On(id, kind))],
        });
        let mut operations = Vec::new();
        for (verb, act) in acts {
            self.acts.push(act);
            operations.push((verb.to_owned(), self.acts.len() as u32));
        }
        operations
    }

    fn general(&mut self, observation: &Observation, situation: Situation, options: &PageOptions) {
        let mut line = Map::new();
        for kind in &options.general_actions {
            match kind {
                ActionKind::Press => drop(line.insert("press keys".into(), self.number(Act::Do(*kind)))),
                ActionKind::Goto => drop(line.insert("open address".into(), self.number(Act::Do(*kind)))),
                ActionKind::Wait => drop(line.insert("wait".into(), self.number(Act::Do(*kind)))),
                ActionKind::NewTab => drop(line.insert("open tab".into(), self.number(Act::Do(*kind)))),
                ActionKind::Back if situation.has_acted => {
                    drop(line.insert("go back".into(), self.number(Act::Do(*kind))));
                    if self.is_in_place() {
                        drop(line.insert("reload".into(), self.number(Act::Reload)));
                    }
                }
                ActionKind::Forward if situation.went_back => {
                    drop(line.insert("go forward".into(), self.number(Act::Do(*kind))));
                }
                ActionKind::CloseTab if observation.tabs.len() > 1 => {
                    drop(line.insert("close tab".into(), self.number(Act::Do(*kind))));
                }
                ActionKind::SwitchTab => {
                    for (index, tab) in (0u32..).zip(&observation.tabs).filter(|(_, tab)| !tab.current) {
                        let title = format!("switch to tab {}: {}", index + 1, shorten(&tab.url, 60));
                        let number = self.number(Act::SwitchTab(index));
                        line.insert(title, number);
                    }
                }
                ActionKind::Scroll => {
                    let view = &observation.viewport;
                    if view.scroll_y + view.height < view.scroll_height {
                        line.insert("scroll down".into(), self.number(Act::Scroll(Direction::Down)));
                    }
                    if view.scroll_y > 0.0 {
                        line.insert("scroll up".into(), self.number(Act::Scroll(Direction::Up)));
                    }
                }
                _ => {}
            }
        }
        if !line.is_empty() {
            self.lines.push(Value::Object(line).to_string());
        }
    }
}

/// What stands around an element, as far as it is asked for.
fn add_surroundings(
    look: &mut Map<String, Value>,
    observation: &Observation,
    element: ElementId,
    reads_alike: bool,
    options: &PageOptions,
) {
    if let Some(node) = observation.node(element).filter(|node| options.list_options > 0 && !node.options.is_empty()) {
        let mut labels: Vec<String> =
            node.options.iter().take(options.list_options).map(|option| shorten(&option.label, 60)).collect();
        let more = node.options.len() - labels.len();
        labels.extend((more > 0).then(|| format!("and {more} more")));
        look.insert("options".into(), json!(labels));
    }
    let tells_item = match options.items {
        Items::Never => false,
        Items::Alike => reads_alike,
        Items::Always => true,
    };
    if let Some(words) = item_words(observation, element).filter(|_| tells_item) {
        look.insert("in".into(), json!(words));
    }
    if let Some(node) =
        observation.node(element).filter(|node| reads_alike && node.tag == "a" && !node.label().is_empty())
    {
        let href = node.attribute("href");
        (!href.is_empty()).then(|| look.insert("href".into(), json!(shorten(href, 80))));
    }
    let near = neighbours(observation, element, &options.neighbours);
    if !near.is_empty() {
        look.insert("near".into(), json!(near));
    }
}

/// The elements to list, in document order, and how many are left out: those out of sight go first.
fn listed<'a>(observation: &'a Observation, options: &PageOptions) -> (Vec<(ElementId, &'a Node)>, usize) {
    let all: Vec<(ElementId, &Node)> =
        observation.interactive().filter(|(_, node)| !offered(node).is_empty()).collect();
    let count = all.len();
    if count <= options.max_elements && options.action_token_limit == 0 {
        return (all, 0);
    }
    let (seen, unseen): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, node)| node.visibility == Visibility::Visible);
    let mut used = 0;
    let mut fits = |(_, node): &(ElementId, &Node)| {
        used += tokens(&Value::Object(look(node)).to_string()) + NUMBERS;
        options.action_token_limit == 0 || used <= options.action_token_limit
    };
    let mut kept: Vec<_> =
        seen.into_iter().chain(unseen).take(options.max_elements).take_while(|element| fits(element)).collect();
    kept.sort_by_key(|(id, _)| *id);
    let left_out = count - kept.len();
    (kept, left_out)
}

/// Tokens of the numbers and the place of an element, about.
const NUMBERS: usize = 8;
