//! Binding: which elements of the page a target may mean, the best first. Pure.

use super::described;
use super::goal::{Kind, Target};
use super::item::{is_dialog, is_item, item_of};
use super::places::stands_in;
use super::region::{self, Region};
use super::score;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::{Node, Observation};

/// An element and how well it fits, in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The element.
    pub element: ElementId,
    /// The fit.
    pub score: f64,
}

/// The page as binding sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// What the page shows.
    pub observation: &'a Observation,
    /// Which nodes only repeat the instruction.
    pub echoes: &'a [bool],
}

impl Scene<'_> {
    /// Whether a node only repeats the instruction.
    pub(crate) fn is_echo(&self, element: ElementId) -> bool {
        self.echoes.get(element.index()).copied().unwrap_or(false)
    }

    /// Nodes that do not repeat the instruction.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.observation.elements().filter(|(id, _)| !self.is_echo(*id))
    }
}

/// The elements that a target may mean, the best first. Where the target stands within a record, only that record's; a record
/// that an earlier clause named says nothing about what stands in no record at all.
pub(crate) fn bind(scene: &Scene<'_>, target: &Target) -> Vec<Candidate> {
    let Some(anchor) = &target.within else {
        let mut found = bind_in(scene, target, None);
        found.retain(|candidate| in_places(scene, target, candidate.element));
        return found;
    };
    if let Some(told) = described::region_of(scene, target) {
        let found = bind_in(scene, target, Some(&told));
        if top(&found) >= score::STRONG {
            return found;
        }
    } else if described::is_of_another(scene, target) {
        return Vec::new();
    }
    let mut found: Vec<Candidate> = bind_in_records(scene, target, anchor).into_iter().flatten().collect();
    // `Mute @ann` is the `Mute` of what is called `@ann`.
    if target.quoted && top_of(&found) < score::STRONG {
        for spelled in [format!("{} {anchor}", target.text()), format!("{anchor} {}", target.text())] {
            let spelled = Target { texts: vec![spelled], ..target.clone() };
            found.extend(bind_in_records(scene, &spelled, anchor).into_iter().flatten());
        }
    }
    if found.is_empty() && target.carried {
        found = bind_in(scene, target, None);
        found.retain(|candidate| {
            let item = item_of(scene.observation, candidate.element).and_then(|item| scene.observation.node(item));
            item.is_none_or(is_dialog)
        });
    }
    found.retain(|candidate| in_places(scene, target, candidate.element));
    by_fit(scene.observation, &mut found);
    let mut seen: Vec<ElementId> = Vec::new();
    found.retain(|candidate| {
        let is_new = !seen.contains(&candidate.element);
        seen.push(candidate.element);
        is_new
    });
    found
}

fn in_places(scene: &Scene<'_>, target: &Target, element: ElementId) -> bool {
    target.places.iter().all(|place| stands_in(scene, element, place))
}

/// The best first; of those that fit alike, the usable ones first.
fn by_fit(observation: &Observation, candidates: &mut [Candidate]) {
    let usability = |candidate: &Candidate| observation.node(candidate.element).map_or(0, score::usability);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(usability(b).cmp(&usability(a))));
}

/// The elements that a target may mean, for each record that shows the anchor text; records without any are left out.
pub(crate) fn bind_in_records(scene: &Scene<'_>, target: &Target, anchor: &str) -> Vec<Vec<Candidate>> {
    region::anchors(scene.observation, scene.echoes, anchor)
        .into_iter()
        .filter_map(|anchor| {
            let regions = region::records(scene.observation, anchor);
            let found: Vec<Vec<Candidate>> = regions
                .iter()
                .map(|region| bind_in(scene, target, Some(region)))
                .filter(|found| !found.is_empty())
                .collect();
            let strong = found.iter().find(|found| top(found) >= score::STRONG);
            strong.or(found.iter().max_by(|a, b| top(a).total_cmp(&top(b)))).cloned()
        })
        .collect()
}

fn top_of(candidates: &[Candidate]) -> f64 {
    candidates.iter().map(|candidate| candidate.score).fold(0.0, f64::max)
}

fn top(candidates: &[Candidate]) -> f64 {
    candidates.first().map_or(0.0, |best| best.score)
}

/// The elements of a region, or of the page, that a target may mean.
pub(crate) fn bind_in(scene: &Scene<'_>, target: &Target, region: Option<&Region>) -> Vec<Candidate> {
    let observation = scene.observation;
    let mut candidates: Vec<Candidate> = scene
        .elements()
        .filter(|(id, _)| region.is_none_or(|region| region.holds(observation, *id)))
        .filter(|(id, _)| !target.in_dialog || in_dialog(observation, *id))
        .map(|(id, node)| Candidate { element: id, score: fit(observation, target, id, node) })
        .filter(|candidate| candidate.score > 0.0)
        .collect();
    prefer_inner(observation, &mut candidates);
    if let Some(Region::Subtree(item)) = region {
        prefer_own(observation, *item, &mut candidates);
    }
    match target.ordinal {
        Some(ordinal) => nth(observation, target, candidates, ordinal),
        None => {
            by_fit(observation, &mut candidates);
            candidates
        }
    }
}

/// Of an item that holds further items, its own controls are meant, not those of the items within it that fit no better.
fn prefer_own(observation: &Observation, item: ElementId, candidates: &mut Vec<Candidate>) {
    let is_own = |candidate: &Candidate| item_of(observation, candidate.element) == Some(item);
    let best = candidates.iter().filter(|candidate| is_own(candidate)).map(|own| own.score).fold(0.0, f64::max);
    candidates.retain(|candidate| is_own(candidate) || candidate.score > best);
}

/// Text that nothing listens to can be meant as well, since listeners may sit further up; it fits less, the least where no
/// element around it is known to listen.
fn fit(observation: &Observation, target: &Target, element: ElementId, node: &Node) -> f64 {
    if node.is_interactive() {
        let by_name = score::fit(target, node);
        let own = if by_name < score::STRONG { own_name(observation, element, node) } else { None };
        return own.map_or(by_name, |name| {
            by_name.max(score::fit(target, &Node { text: name.clone(), name, ..node.clone() }))
        });
    }
    let is_container = matches!(
        node.role.as_str(),
        "dialog"
            | "list"
            | "table"
            | "row"
            | "rowgroup"
            | "form"
            | "navigation"
            | "region"
            | "group"
            | "tablist"
            | "tree"
            | "main"
            | "document"
            | "tabpanel"
    );
    if is_container || target.texts.is_empty() {
        return 0.0;
    }
    // The nearest listener around may be a whole page; only an item or something as small is pressed through its text.
    let listener = observation.ancestors(element).take(3).find(|(_, node)| node.is_interactive());
    let is_part = listener.is_some_and(|(_, node)| !node.allows(ActionKind::Type) && node.bounds.height <= 400.0);
    if is_part { 0.9 * score::fit(target, node) } else { 0.75 * score::fit(target, node) }
}

/// What a control is called without the names of the controls within it: `Season 2` where a summary holds a button `Erase`. None where
/// it holds none.
fn own_name(observation: &Observation, element: ElementId, node: &Node) -> Option<String> {
    let is_within = |id: ElementId| observation.ancestors(id).any(|(above, _)| above == element);
    let after = observation.elements().skip(element.index() + 1).take_while(|(id, _)| is_within(*id));
    let inner = after.filter(|(_, inner)| inner.is_interactive() && !inner.label().is_empty());
    let mut words: Vec<&str> = node.name.split_whitespace().collect();
    for (_, inner) in inner {
        let of_inner: Vec<&str> = inner.label().split_whitespace().collect();
        let at = words.windows(of_inner.len().max(1)).rposition(|part| part == of_inner);
        at.into_iter().for_each(|at| drop(words.drain(at..at + of_inner.len())));
    }
    let own = words.join(" ");
    (!own.is_empty() && own != node.name).then_some(own)
}

fn in_dialog(observation: &Observation, element: ElementId) -> bool {
    observation.ancestors(element).any(|(_, node)| is_dialog(node))
}

/// Where an element and one that contains it fit alike, the inner one is meant.
fn prefer_inner(observation: &Observation, candidates: &mut Vec<Candidate>) {
    let outer: Vec<ElementId> = candidates
        .iter()
        .flat_map(|inner| {
            let is_control = observation.node(inner.element).is_some_and(Node::is_interactive);
            candidates
                .iter()
                .filter(move |outer| is_control && outer.element != inner.element && outer.score <= inner.score + 1e-9)
                .filter_map(|outer| {
                    observation
                        .ancestors(inner.element)
                        .any(|(ancestor, _)| ancestor == outer.element)
                        .then_some(outer.element)
                })
        })
        .collect();
    candidates.retain(|candidate| !outer.contains(&candidate.element));
}

/// The nth of the elements that fit, in document order.
fn nth(observation: &Observation, target: &Target, mut fitting: Vec<Candidate>, ordinal: i32) -> Vec<Candidate> {
    fitting.retain(|candidate| candidate.score >= if target.texts.is_empty() { 0.5 } else { score::STRONG });
    if target.kind == Some(Kind::Result) {
        keep_largest_family(observation, &mut fitting);
    }
    fitting.sort_by_key(|candidate| candidate.element.0);
    if let Some(entries) =
        target.of_entry.then(|| entries_of(observation, &fitting)).filter(|entries| entries.len() > 1)
    {
        let entry = at(&entries, ordinal);
        let is_within =
            |candidate: &Candidate| observation.ancestors(candidate.element).any(|(around, _)| Some(around) == entry);
        return fitting.into_iter().find(is_within).into_iter().collect();
    }
    at(&fitting, ordinal).into_iter().collect()
}

/// The entries of the list in which elements stand: the items beside that of the first of them.
fn entries_of(observation: &Observation, fitting: &[Candidate]) -> Vec<ElementId> {
    let first = fitting.iter().find_map(|candidate| item_of(observation, candidate.element));
    let Some((first, node)) = first.and_then(|first| Some((first, observation.node(first)?))) else {
        return Vec::new();
    };
    let Some(list) = node.parent.filter(|_| !is_dialog(node)) else { return vec![first] };
    let is_head = |id: ElementId| {
        let mut cells = observation.children(id).map(|(_, cell)| cell.role.as_str()).peekable();
        cells.peek().is_some() && cells.all(|role| role == "columnheader")
    };
    let is_entry = |id: ElementId, other: &Node| is_item(other) && other.tag == node.tag && !is_head(id);
    observation.children(list).filter(|(id, other)| is_entry(*id, other)).map(|(id, _)| id).collect()
}

/// The one of a list at a place: 1 is the first, -1 the last.
fn at<T: Copy>(all: &[T], ordinal: i32) -> Option<T> {
    let index = if ordinal < 0 { all.len() as i32 + ordinal } else { ordinal - 1 };
    usize::try_from(index).ok().and_then(|index| all.get(index)).copied()
}

/// Keeps the elements of the most frequent tag and class: results of a list look alike, links around it do not.
fn keep_largest_family(observation: &Observation, candidates: &mut Vec<Candidate>) {
    let family = |candidate: &Candidate| {
        observation
            .node(candidate.element)
            .map(|node| (node.tag.clone(), node.attribute("class").to_owned()))
            .unwrap_or_default()
    };
    let is_page_number = |candidate: &Candidate| observation.node(candidate.element).is_some_and(is_pagination);
    candidates.retain(|candidate| !is_page_number(candidate));
    let families: Vec<(String, String)> = candidates.iter().map(family).collect();
    let largest = families.iter().max_by_key(|family| families.iter().filter(|other| other == family).count()).cloned();
    if let Some(largest) = largest {
        candidates.retain(|candidate| family(candidate) == largest);
    }
}

/// Whether an element leads from page to page of a list.
pub(crate) fn is_pagination(node: &Node) -> bool {
    let label = node.label().trim().to_lowercase();
    let classes = node.attribute("class").to_lowercase();
    label.parse::<u32>().is_ok()
        || classes.contains("page-")
        || super::lexicon::NEXT_WORDS.contains(&label.as_str())
        || super::lexicon::BACK_WORDS.contains(&label.as_str())
        || label == "last"
}

/// How many results a list shows.
pub(crate) fn results_shown(scene: &Scene<'_>, target: &Target) -> usize {
    let any = Target { ordinal: None, ..target.clone() };
    let mut fitting = bind_in(scene, &any, None);
    fitting.retain(|candidate| candidate.score >= 0.5);
    keep_largest_family(scene.observation, &mut fitting);
    fitting.len()
}
