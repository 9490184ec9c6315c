//! What speaks for a link that it only leads somewhere, where its address leaves that open. Without anything that speaks for it, it is
//! left alone: words for commands cannot be listed, reasons to follow a link can.

use super::memory::path;
use super::{Refusal, label, led_to, of_address};
use domain::exploration::Guards;
use domain::harm::{Rule, is_doubtful, is_doubtful_by};
use domain::{ElementId, Node, Observation};
use std::collections::BTreeSet;
use url::Url;

/// Links that lead to as many names below one place are a list.
const LIST: usize = 4;
/// Links of a page that are compared at most.
const COMPARED: usize = 500;

/// The rule that following a link of a careful exploration breaks: nothing says that it only leads somewhere.
pub(super) fn of_doubtful_link(page: &Observation, element: ElementId, guards: &Guards) -> Option<Refusal> {
    let node = page.node(element)?;
    let url = led_to(page, node)?;
    // An address of the page itself says how it is shown, where no words say more.
    let by_words = is_doubtful_by(node.label(), &url);
    let is_doubtful = by_words || (url.path() != path(&page.url) && is_doubtful(&url));
    if !is_doubtful || guards.allow.names_path(url.path()) {
        return None;
    }
    let speaks = is_navigation(page, element)
        || is_title(page, element)
        || asks(node)
        || is_of_list(page, &url, by_words, guards);
    (!speaks).then(|| Refusal::new(Rule::UnknownCommand, url.path()))
}

/// Whether a link stands where a site has its ways: a navigation, the head or foot of the page. A menu of a row is none, nor is the foot
/// of a post.
fn is_navigation(page: &Observation, element: ElementId) -> bool {
    const ROLES: [&str; 3] = ["navigation", "tablist", "menubar"];
    const PARTS: [&str; 7] = ["article", "section", "main", "li", "td", "dialog", "aside"];
    let is_part = |id: ElementId| page.ancestors(id).any(|(_, node)| PARTS.contains(&node.tag.as_str()));
    let is_it = |(id, node): (ElementId, &Node)| {
        let is_edge =
            matches!(node.tag.as_str(), "header" | "footer") || matches!(node.role.as_str(), "banner" | "contentinfo");
        ROLES.contains(&node.role.as_str()) || node.tag == "nav" || (is_edge && !is_part(id))
    };
    page.ancestors(element).any(is_it) || page.node(element).is_some_and(|node| node.role == "tab")
}

/// Whether a link is a heading, or the whole of one: what follows is about what it leads to.
fn is_title(page: &Observation, element: ElementId) -> bool {
    let is_heading =
        |node: &Node| node.role == "heading" || matches!(node.tag.as_str(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    let own = page.node(element).map(label).unwrap_or_default();
    let is_whole = |heading: &Node| is_heading(heading) && (heading.label().is_empty() || label(heading) == own);
    let beside = |id: ElementId| page.children(id).filter(|(_, node)| !label(node).is_empty()).count();
    page.ancestors(element).any(|(id, node)| is_whole(node) && beside(id) <= 1)
        || page.children(element).any(|(_, node)| is_heading(node))
}

/// Whether a link's words are a question: behind it stands the answer. Of the words that ask, those that begin commands or statements as
/// well, such as `can` and `about`, need their sign.
fn asks(node: &Node) -> bool {
    const ASKING: [&str; 11] =
        ["how", "why", "what", "when", "where", "wie", "warum", "pourquoi", "cómo", "hoe", "jak"];
    let said = label(node);
    node.label().trim_end().ends_with(['?', '？']) || ASKING.iter().any(|word| said.split(' ').next() == Some(*word))
}

/// Whether a link is one of a list of names: each of them is called otherwise, and leads to another name below the same place. Commands
/// of many rows are called alike, and a tool bar mostly has one that says what it does.
fn is_of_list(page: &Observation, url: &Url, by_words: bool, guards: &Guards) -> bool {
    let of_place = parent(url.path());
    let links = page.interactive().filter_map(|(_, node)| Some((led_to(page, node)?, label(node)))).take(COMPARED);
    // Where the path says nothing, those of the same path are compared.
    let is_beside = |other: &Url| match by_words {
        true => other.path() == url.path() && other.query().is_some(),
        false => parent(other.path()) == of_place,
    };
    let beside: Vec<(Url, String)> =
        links.filter(|(other, _)| other.origin() == url.origin() && is_beside(other)).collect();
    let is_harmless = |(other, _): &(Url, String)| of_address(other, guards).is_none_or(|rule| rule == Rule::LogsOut);
    // `Poke Anna`, `Poke Ben`: a command of each.
    let alike = |word: fn(&str) -> Option<&str>| {
        let words: BTreeSet<Option<&str>> = beside.iter().map(|(_, name)| word(name)).collect();
        words.len() == 1
    };
    let is_command = alike(|name| name.split(' ').next()) || alike(|name| name.split(' ').next_back());
    let addresses: BTreeSet<&str> = beside.iter().map(|(other, _)| other.as_str()).collect();
    let names: BTreeSet<&str> = beside.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty()).collect();
    !is_command && names.len() >= LIST && names.len() * 4 >= addresses.len() * 3 && beside.iter().all(is_harmless)
}

/// A path without its last segment.
fn parent(path: &str) -> &str {
    path.trim_end_matches('/').rsplit_once('/').map_or("", |(before, _)| before)
}
