//! Choosing among what is offered: checkboxes, radio buttons, options, items, or a date.

use super::{Pursuer, Pursuit, aside, calendar, labels};
use crate::ground::bind::Candidate;
use crate::ground::goal::{Kind, Manner, Target, Value};
use crate::ground::names::{common_lead, likeness, same};
use crate::ground::pick::{Pick, ambiguity, pick};
use crate::ground::places::stands_in;
use crate::ground::region::Region;
use crate::ground::score;
use crate::ground::seek;
use crate::ground::words::{fold, label_score, tokens};
use crate::rank;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::Node;

/// Something that can be chosen, with its label.
struct Offer {
    element: ElementId,
    label: String,
    /// The text around it, which may spell out what its name leaves out.
    context: String,
    chosen: Option<bool>,
}

impl Pursuer<'_> {
    pub(super) async fn choose(
        &mut self,
        values: &str,
        names: &[String],
        manner: Manner,
        target: &Target,
    ) -> Result<Pursuit, PlannerError> {
        if matches!(fold(values).to_lowercase().as_str(), "nothing" | "none" | "no option" | "") && names.is_empty() {
            return Ok(Pursuit::Reached);
        }
        // `the date ⟦0⟧`
        let written = values.strip_prefix("date ").unwrap_or(values);
        if let Some(date) = calendar::parse_date(written) {
            return Ok(self.choose_date(date, written, target));
        }
        if let Some(typed) = self.memory.awaiting.take() {
            let pursuit = self.after_typing(names.first().map_or(values, String::as_str), typed.clone());
            if matches!(pursuit, Pursuit::Reached) && self.takes_only_offers() {
                self.memory.awaiting = Some(typed);
                return Ok(Pursuit::Stuck(unoffered(values, &[])));
            }
            return Ok(pursuit);
        }
        let place = self.place(target);
        if place == ChoiceScope::Missing {
            let missing =
                || format!("found nothing on the page that is {}, to choose \"{values}\" in it", target.title());
            return Ok(self.seek_or(&target.title(), None, missing));
        }
        if let Some(step) = self.select_natively(values, names, &place) {
            return Ok(step);
        }
        let wanted_state = manner != Manner::Cleared;
        let offers = self.offers(&place);
        if manner == Manner::Similar {
            let chosen = self.most_similar(&split(values, &[]), &offers).await?;
            return Ok(self.take_next(&offers, &chosen, wanted_state));
        }
        let labels: Vec<String> = offers.iter().map(|offer| offer.label.clone()).collect();
        let wanted = if names.is_empty() { split(values, &labels) } else { names.to_vec() };
        let mut chosen = Vec::new();
        for name in &wanted {
            let fitting = named(name, &offers);
            match pick(&self.scene, &Target { quoted: true, ..around(target, name) }, &fitting) {
                Pick::One(one) => chosen.extend(offers.iter().position(|offer| offer.element == one.element)),
                Pick::Ambiguous(reason) => return Ok(Pursuit::Unclear(reason)),
                Pick::None => {}
            }
        }
        if !chosen.is_empty() && chosen.len() >= wanted.len() {
            return Ok(self.take_next(&offers, &chosen, wanted_state));
        }
        if let (ChoiceScope::Regions(regions), [name]) = (&place, names)
            && let Some(step) = self.choose_in_drawn(regions, name)
        {
            return Ok(step);
        }
        if let ChoiceScope::Control(control) = place {
            if let [name] = wanted.as_slice()
                && let Some(step) = self.choose_listed(control, name)
            {
                return Ok(step);
            }
            return Ok(self.open_list(control, values));
        }
        if target.kind == Some(Kind::Field) && names.is_empty() {
            return self.enter(&Value::Literal(values.to_owned()), target).await;
        }
        if self.may_come() {
            return Ok(Pursuit::Stuck(unoffered(values, &labels)));
        }
        if let Some(step) = self.seek(&format!("\"{values}\""), None) {
            return Ok(step);
        }
        match (wanted.as_slice(), &place) {
            // Several that are no choices may be controls that are pressed one after the other.
            ([_, _, ..], ChoiceScope::Anywhere) if !names.is_empty() => Ok(self.press_each(names)),
            // What is no choice may still be called so.
            ([only], ChoiceScope::Anywhere) => {
                let quoted = !names.is_empty();
                let control = Target { within: target.within.clone(), quoted, ..Target::labelled(only.clone()) };
                self.activate(&control).await
            }
            _ => Ok(Pursuit::Stuck(unoffered(values, &labels))),
        }
    }

    /// Takes a value from the only list of a record that is drawn without saying that it is one: an arrow behind what is chosen shows it, or
    /// words that ask to choose.
    fn choose_in_drawn(&mut self, regions: &[Region], name: &str) -> Option<Pursuit> {
        const ARROWS: [char; 6] = ['\u{25BE}', '\u{25BC}', '\u{25BF}', '\u{2304}', '\u{23F7}', '\u{1F783}'];
        const ASKING: [&str; 9] =
            ["choose", "select", "pick", "wählen", "auswählen", "choisir", "elegir", "seleccionar", "scegli"];
        // `Choose…`, `Please select`: no list shows a command so.
        let asks = |text: &str| {
            let words = tokens(text);
            words.len() <= 2 && words.iter().any(|word| ASKING.contains(&word.as_str()))
        };
        let observation = self.scene.observation;
        let is_list = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Click)
                && node.role != "link"
                && (node.text.trim_end().ends_with(ARROWS) || (node.role != "button" && asks(&node.text)))
                && regions.iter().any(|region| region.holds(observation, id))
        };
        let mut lists = self.scene.elements().filter(|(id, node)| is_list(*id, node));
        let (list, node) = lists.next()?;
        let is_within = |id: ElementId| observation.ancestors(id).any(|(around, _)| around == list);
        if lists.any(|(id, _)| !is_within(id)) {
            return None;
        }
        if same(name, &node.text) {
            return Some(Pursuit::Reached);
        }
        let key = format!("list|{}|{}", node.frame, node.xpath);
        if !self.memory.tried.contains(&key) {
            self.memory.tried.push(key);
            self.memory.menu_at = self.history.len() + 1;
            return Some(aside(self.click(list, "shows what can be chosen", 0.8, false)));
        }
        if self.memory.menu_at != self.history.len() {
            return None;
        }
        let is_offered = |node: &Node| node.allows(ActionKind::Click) && same(name, node.label());
        let mut offered = self.scene.elements().filter(|(id, node)| *id != list && !is_within(*id) && is_offered(node));
        let (only, _) = offered.next().filter(|_| offered.next().is_none())?;
        Some(self.click(only, "is what the instruction names", 0.88, true))
    }

    /// Takes what came with the list that was opened, and is called so, though nothing says that it is an option.
    fn choose_listed(&self, control: ElementId, name: &str) -> Option<Pursuit> {
        let observation = self.scene.observation;
        let opened = self.history.iter().rposition(|step| step.action.kind() != ActionKind::Wait)?;
        let came: Vec<&String> =
            self.history.get(opened..)?.iter().flat_map(|step| &step.difference.appeared).collect();
        let list = self.node(control)?;
        let pressed = self.history.get(opened)?.action.element().map(|pressed| &pressed.role);
        let opens_this = self.memory.tried.contains(&list_key(list)) && pressed == Some(&list.role);
        let is_it = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Click)
                && !node.allows(ActionKind::Type)
                && !matches!(node.role.as_str(), "link" | "button" | "tab")
                && same(name, node.label())
                && came.iter().any(|text| text.contains(node.label().trim()))
                && id != control
                && !observation.ancestors(id).any(|(around, _)| around == control)
        };
        let mut found = self.scene.elements().filter(|(id, node)| opens_this && is_it(*id, node));
        let (only, _) = found.next().filter(|_| found.next().is_none())?;
        Some(self.click(only, "came with the list, and is what the instruction names", 0.88, true))
    }

    /// Presses the controls that are called so, one after the other, where each is there.
    fn press_each(&mut self, names: &[String]) -> Pursuit {
        let mut next = None;
        for name in names {
            match self.one(&Target { quoted: true, ..Target::labelled(name.clone()) }) {
                Pick::One(found) if self.is_done(found.element) => {}
                Pick::One(found) => next = next.or(Some(found)),
                Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                Pick::None => return Pursuit::Stuck(unoffered(name, &[])),
            }
        }
        let Some(found) = next else { return Pursuit::Reached };
        self.memory.done.push(self.key_of(found.element));
        self.click(found.element, "is one of those that the instruction names", found.score, false)
    }

    /// Whether the field that was typed into has a list from which its value is chosen. What is typed there and not offered is no choice.
    fn takes_only_offers(&self) -> bool {
        let field = self.memory.place.as_ref().and_then(|place| place.find(self.scene.observation));
        field.is_some_and(|field| {
            field.role == "combobox"
                && field.attribute("list").is_empty()
                && matches!(field.attribute("aria-autocomplete"), "list" | "both")
        })
    }

    /// Whether a list is called so that is opened to choose in.
    pub(super) fn has_list(&self, target: &Target) -> bool {
        matches!(self.place(target), ChoiceScope::Control(_))
    }

    /// Where to choose: the control, or the groups, that the target names.
    fn place(&self, target: &Target) -> ChoiceScope {
        let region = self.regions_within(target);
        if target.text().is_empty() {
            return match region {
                Some(regions) if regions.is_empty() && !target.carried => ChoiceScope::Missing,
                Some(regions) if !regions.is_empty() => ChoiceScope::Regions(regions),
                _ => ChoiceScope::Anywhere,
            };
        }
        let lists: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(_, node)| {
                node.allows(ActionKind::Select)
                    || node.role == "combobox"
                    || (node.allows(ActionKind::Click) && seek::opens_popup(node))
            })
            .filter(|(id, _)| {
                let holds = |region: &Region| region.holds(self.scene.observation, *id);
                region.as_ref().is_none_or(|regions| regions.iter().any(holds))
            })
            .map(|(id, _)| id)
            .collect();
        let labels = labels::of_fields(&self.scene, &lists);
        let mut called: Vec<Candidate> = lists
            .iter()
            .zip(&labels)
            .filter_map(|(element, label)| {
                let node = self.node(*element)?;
                let own = score::best_label(target.text(), node, target.quoted);
                // Names of drawn lists often end with what is chosen.
                let bare = node.name.strip_suffix(node.text.as_str()).unwrap_or_default().trim();
                let by = |label: &str| label_score(target.text(), label, target.quoted);
                let score = own.max(by(label)).max(by(bare));
                (score >= 0.7).then_some(Candidate { element: *element, score })
            })
            .collect();
        called.sort_by(|a, b| b.score.total_cmp(&a.score));
        match pick(&self.scene, target, &called) {
            Pick::One(one) => return ChoiceScope::Control(one.element),
            Pick::Ambiguous(_) | Pick::None => {}
        }
        let mut regions = self.regions_of(target.text());
        if regions.len() > 1 && (target.within.is_some() || !target.places.is_empty()) {
            let stands = |region: &Region| {
                let mut within = lists.iter().filter(|id| region.holds(self.scene.observation, **id));
                within.any(|id| target.places.iter().all(|place| stands_in(&self.scene, *id, place)))
            };
            regions.retain(stands);
        }
        match regions.is_empty() {
            false => ChoiceScope::Regions(regions),
            true if target.quoted => ChoiceScope::Missing,
            true => ChoiceScope::Anywhere,
        }
    }

    /// The wanted option is not shown: the list is opened, or told what is looked for; once.
    fn open_list(&mut self, control: ElementId, values: &str) -> Pursuit {
        let Some(node) = self.node(control) else { return Pursuit::Reached };
        let key = list_key(node);
        let offered: Vec<String> = node.options.iter().map(|option| option.label.clone()).collect();
        let may_type = node.allows(ActionKind::Type) && !node.states.readonly;
        let is_native = node.allows(ActionKind::Select) && !offered.is_empty();
        if node
            .value
            .as_deref()
            .filter(|value| !value.is_empty())
            .or(Some(node.text.as_str()))
            .is_some_and(|shown| same(values, shown))
            && self.memory.tried.contains(&key)
        {
            return Pursuit::Reached;
        }
        if is_native || self.memory.tried.contains(&key) {
            return Pursuit::Stuck(unoffered(values, &offered));
        }
        self.memory.tried.push(key);
        if may_type {
            return self.type_into(Candidate { element: control, score: 0.8 }, values, false);
        }
        aside(self.click(control, "opens the list to choose in", 0.85, false))
    }

    fn take_next(&mut self, offers: &[Offer], chosen: &[usize], wanted: bool) -> Pursuit {
        for offer in chosen.iter().filter_map(|index| offers.get(*index)) {
            if offer.chosen == Some(wanted) || self.is_done(offer.element) {
                continue;
            }
            self.memory.done.push(self.key_of(offer.element));
            let reason = format!("\"{}\" is among the wanted choices", offer.label);
            let can_check = self.node(offer.element).is_some_and(|node| node.allows(ActionKind::Check));
            let action = if can_check {
                Action::Check { element: offer.element, checked: wanted }
            } else {
                Action::click(offer.element)
            };
            return self.step(action, reason, 0.9, false);
        }
        Pursuit::Reached
    }

    /// Everything on the page that can be chosen and is not a native select.
    fn offers(&self, place: &ChoiceScope) -> Vec<Offer> {
        let choosable = |node: &Node| {
            node.allows(ActionKind::Check)
                || matches!(
                    node.role.as_str(),
                    "option" | "menuitem" | "menuitemcheckbox" | "menuitemradio" | "treeitem"
                )
                || (node.allows(ActionKind::Click) && matches!(node.role.as_str(), "listitem"))
        };
        self.scene
            .elements()
            .filter(|(_, node)| choosable(node))
            .filter(|(id, node)| match place {
                ChoiceScope::Anywhere | ChoiceScope::Missing => true,
                ChoiceScope::Regions(regions) => regions.iter().any(|region| region.holds(self.scene.observation, *id)),
                // The options of a drawn list stand anywhere on the page while it is open.
                ChoiceScope::Control(_) => {
                    matches!(node.role.as_str(), "option" | "menuitem" | "menuitemradio" | "treeitem")
                }
            })
            .map(|(id, node)| Offer {
                element: id,
                label: offer_label(node),
                context: node.context.clone(),
                chosen: node.states.checked.or(node.states.selected),
            })
            .filter(|offer| !offer.label.is_empty())
            .collect()
    }

    /// All wanted options of the one native select that offers them, in one action.
    fn select_natively(&mut self, values: &str, names: &[String], place: &ChoiceScope) -> Option<Pursuit> {
        let observation = self.scene.observation;
        let mut offering: Vec<(ElementId, Vec<String>)> = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Select) && !node.options.is_empty())
            .filter(|(id, _)| match place {
                ChoiceScope::Control(control) => control == id,
                ChoiceScope::Regions(regions) => regions.iter().any(|region| region.holds(observation, *id)),
                ChoiceScope::Anywhere | ChoiceScope::Missing => true,
            })
            .filter_map(|(element, node)| {
                let labels: Vec<String> = node.options.iter().map(|option| option.label.clone()).collect();
                let wanted = if names.is_empty() { split(values, &labels) } else { names.to_vec() };
                let found: Option<Vec<String>> = wanted.iter().map(|value| only_option(value, &labels)).collect();
                found.filter(|found| !found.is_empty()).map(|found| (element, found))
            })
            .collect();
        if offering.len() > 1 {
            let equals: Vec<Candidate> =
                offering.iter().map(|(element, _)| Candidate { element: *element, score: 0.9 }).collect();
            return Some(Pursuit::Unclear(ambiguity(observation, &format!("lists that offer \"{values}\""), &equals)));
        }
        let (element, options) = offering.pop()?;
        if self.is_done(element) {
            return Some(Pursuit::Reached);
        }
        self.memory.done.push(self.key_of(element));
        let reason = format!("the list offers {}", options.join(", "));
        Some(self.step(Action::Select { element, options }, reason, 0.95, false))
    }

    /// For each wanted word the offer nearest in meaning, each offer at most once, the closest pairs first.
    async fn most_similar(&self, wanted: &[String], offers: &[Offer]) -> Result<Vec<usize>, PlannerError> {
        let labels: Vec<String> = offers.iter().map(|offer| offer.label.clone()).collect();
        let rows = rank::matrix(self.embedder, wanted, &labels).await?;
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (w, row) in rows.into_iter().enumerate() {
            pairs.extend(row.into_iter().enumerate().map(|(o, similarity)| (similarity, w, o)));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for (_, w, o) in pairs {
            if taken.iter().all(|(other_w, other_o)| *other_w != w && *other_o != o) {
                taken.push((w, o));
            }
        }
        let mut chosen: Vec<usize> = taken.into_iter().map(|(_, offer)| offer).collect();
        chosen.sort_unstable();
        Ok(chosen)
    }
}

/// A key by which a list that was opened is remembered; not by its name, which may hold what is chosen.
fn list_key(node: &Node) -> String {
    format!("list|{}|{}|{}", node.frame, node.role, node.xpath)
}

fn offer_label(node: &Node) -> String {
    let label = node.label();
    fold(if label.is_empty() { &node.context } else { label })
}

/// Where to choose.
#[derive(Clone, Debug, PartialEq)]
enum ChoiceScope {
    /// The instruction names no place.
    Anywhere,
    /// In this list.
    Control(ElementId),
    /// In these groups.
    Regions(Vec<Region>),
    /// The place that the instruction names is not to be seen.
    Missing,
}

/// The offers that are called so, the most literal first.
fn named(name: &str, offers: &[Offer]) -> Vec<Candidate> {
    let leads = ["Select ", "Choose ", common_lead(offers.iter().map(|offer| offer.label.as_str()))];
    let mut fitting: Vec<Candidate> = offers
        .iter()
        .filter_map(|offer| {
            likeness(name, &offer.label)
                .or_else(|| likeness(name, &offer.context))
                // A box that chooses an entry says so: `Select Notes`; and one of a question may say that before it.
                .or_else(|| likeness(name, leads.iter().find_map(|lead| offer.label.strip_prefix(lead))?))
                .map(|likeness| (offer.element, likeness.score()))
        })
        .map(|(element, score)| Candidate { element, score })
        .collect();
    fitting.sort_by(|a, b| b.score.total_cmp(&a.score));
    fitting
}

/// A target for one of several choices, with the words around the place.
fn around(target: &Target, name: &str) -> Target {
    Target { around: target.around.clone(), ..Target::labelled(name) }
}

/// The label of the one option that is called so; none where several are.
fn only_option(name: &str, labels: &[String]) -> Option<String> {
    let mut fitting: Vec<_> =
        labels.iter().filter_map(|label| likeness(name, label).map(|likeness| (likeness, label))).collect();
    fitting.sort_by_key(|(likeness, _)| *likeness);
    let (best, label) = *fitting.first()?;
    let alike = fitting.iter().filter(|(likeness, _)| *likeness == best).count();
    (alike == 1).then(|| label.clone())
}

fn unoffered(values: &str, labels: &[String]) -> String {
    if labels.is_empty() {
        return format!("found nothing to choose that is called \"{values}\"");
    }
    let mut offered: Vec<String> = labels.iter().take(6).map(|label| format!("\"{label}\"")).collect();
    if labels.len() > offered.len() {
        offered.push("\u{2026}".to_owned());
    }
    format!("\"{values}\" is not offered; offered are {}", offered.join(", "))
}

/// Cuts a list of values at commas and `and`, unless a known label itself holds them.
fn split(values: &str, labels: &[String]) -> Vec<String> {
    let known = |text: &str| labels.iter().any(|label| fold(label).eq_ignore_ascii_case(&fold(text)));
    if known(values) {
        return vec![fold(values)];
    }
    let mut parts = Vec::new();
    for part in values.split(',') {
        let part = part.trim().trim_start_matches("and ").trim();
        if part.is_empty() {
            continue;
        }
        if known(part) || !part.contains(" and ") {
            parts.push(part.to_owned());
        } else {
            parts.extend(part.split(" and ").map(|piece| piece.trim().to_owned()));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_holds_a_separator_is_not_cut() {
        let labels = ["Heard Island and McDonald Islands".to_owned(), "Nicaragua".to_owned()];
        assert_eq!(split("Heard Island and McDonald Islands, Nicaragua", &labels), labels);
        assert_eq!(split("red, green and blue", &[]), ["red", "green", "blue"]);
    }
}
