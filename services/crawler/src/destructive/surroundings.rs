//! What stands around a control: the question that it answers, a price, a place that is marked as dangerous.

use super::control::told;
use super::{Refusal, form, is_dialog, is_submit};
use domain::destructive::{AGREEING, spaced};
use domain::harm::{Rule, creates, is_price, names_price, of_danger, opens_question, puts_into_collection};
use domain::{ElementId, Node, Observation};

/// Longest text of a dialog or form, in characters, that is searched for what its button confirms.
const READ: usize = 400;
/// Nodes before a control that may ask what it answers.
const NEAR: usize = 6;

/// The rule that agreeing to the dialog or form around a button breaks; in `any` case, that of the question right before it.
pub(super) fn of_surroundings(page: &Observation, element: ElementId, any: bool) -> Option<Refusal> {
    let is_around = |node: &Node| is_dialog(node) || node.role == "form" || node.tag == "form";
    let around: Vec<ElementId> =
        page.ancestors(element).filter(|(_, node)| is_around(node)).map(|(id, _)| id).collect();
    let found = around.into_iter().find_map(|around| {
        let node = page.node(around)?;
        let named = spaced(&format!("{} {}", node.attribute("id"), node.attribute("name")));
        let said: String = format!("{} {named} {}", node.name, text_of(page, around)).chars().take(READ).collect();
        told(&said, is_dialog(node))
    });
    found.or_else(|| if any { of_question(page, element) } else { None })
}

/// The rule that answering a question breaks that no dialog holds: a text before the button, within the same part of the page.
fn of_question(page: &Observation, element: ElementId) -> Option<Refusal> {
    let said = text_before(page, element);
    if opens_question(&said) { told(&said, true) } else { None }
}

/// The text that stands before a control and beside it: of the nearest nodes that are no controls.
fn text_before(page: &Observation, element: ElementId) -> String {
    let own = page.node(element).map(|node| node.context.as_str()).unwrap_or_default();
    let before = (0..element.index()).rev().take(NEAR).filter_map(|at| page.nodes.get(at));
    let mut texts: Vec<&str> =
        before.take_while(|node| !leads_off(node)).filter(|node| !node.is_interactive()).map(Node::label).collect();
    texts.reverse();
    format!("{} {own}", texts.join(" ")).chars().take(READ).collect()
}

/// Whether a text before a control belongs to something else: a field or a link stands between.
fn leads_off(node: &Node) -> bool {
    matches!(node.tag.as_str(), "input" | "select" | "textarea" | "a" | "nav" | "header")
}

/// The rule that a control breaks which stands in a place that is marked as dangerous.
pub(super) fn in_danger(page: &Observation, element: ElementId) -> Option<Refusal> {
    let named = |node: &Node| {
        of_danger(&node.name)
            || of_danger(&spaced(node.attribute("id")))
            || of_danger(&spaced(node.attribute("class")).replace('-', " "))
    };
    let holds = page.ancestors(element).any(|(_, node)| named(node));
    // A heading rules what follows, until the next one.
    let heading = (0..element.index()).rev().filter_map(|at| page.nodes.get(at)).find(|node| node.role == "heading");
    let is_below = heading.is_some_and(|heading| of_danger(heading.label()));
    let section = || {
        let of_section = |node: &&Node| matches!(node.tag.as_str(), "section" | "fieldset" | "article");
        page.ancestors(element).find(|(_, node)| of_section(node)).is_some_and(|(id, _)| of_danger(&text_of(page, id)))
    };
    (holds || is_below || section()).then(|| Refusal::new(Rule::Deletes, "danger zone"))
}

/// The rule that a button breaks which costs what stands on it or beside it.
pub(super) fn of_price(page: &Observation, element: ElementId, label: &str) -> Option<Refusal> {
    let node = page.node(element)?;
    // `Add a bag for €35`: what it is to cost is said in one sentence with what is done.
    let is_sold = names_price(node.label());
    if !is_sold && (creates(label) || puts_into_collection(label)) {
        return None;
    }
    let on_it = is_price(node.label()) || is_price(node.attribute("title"));
    let is_button = is_submit(node) || node.role == "button";
    let commits = is_submit(node) || AGREEING.contains(&label);
    let beside = || {
        let around =
            form(page, element).or_else(|| page.ancestors(element).find(|(_, node)| is_dialog(node)).map(|(id, _)| id));
        let asks = around
            .and_then(|id| page.node(id))
            .is_some_and(|node| node.tag == "form" && !node.attribute("method").eq_ignore_ascii_case("post"));
        !asks && (around.is_some_and(|id| is_price(&text_of(page, id))) || is_price(&text_before(page, element)))
    };
    (is_button && (on_it || (commits && beside()))).then(|| Refusal::new(Rule::Pays, "a price"))
}

/// The texts within an element that are no controls.
pub(super) fn text_of(page: &Observation, around: ElementId) -> String {
    let within = |(id, _): &(ElementId, &Node)| page.ancestors(*id).any(|(above, _)| above == around);
    let texts = page.elements().skip(around.index()).filter(within).filter(|(_, inner)| !inner.is_interactive());
    let mut said = String::new();
    for (_, inner) in texts {
        said.push_str(inner.label());
        said.push(' ');
        if said.len() > 4 * READ {
            break;
        }
    }
    said.chars().take(READ).collect()
}
