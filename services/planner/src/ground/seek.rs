//! Seeking: what could be opened, switched or turned over to show what is not visible yet. Pure.

use super::bind::{Scene, is_pagination};
use super::commands::{self, Command};
use super::item::{form_holds, is_in_entry, modal_of};
use super::lexicon::{BACK_WORDS, DISCLOSURE_WORDS, NEXT_WORDS, UNFOLDING_TEXTS, UNFOLDING_WORDS};
use super::memory::Memory;
use super::region::Region;
use super::rivals;
use super::score::DOTS;
use super::tabs::is_drawn_tab;
use super::words::{is_consequential, is_function_word, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::{Node, Observation};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Something that may show more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disclosure {
    /// The element.
    pub element: ElementId,
    /// How likely it is to show more, in 0..=1.
    pub score: f64,
    /// By this it is remembered as tried.
    pub key: String,
}

/// What has not been tried yet, the most promising first; in a region when one is given.
pub(crate) fn disclosures(scene: &Scene<'_>, memory: &Memory, region: Option<&Region>) -> Vec<Disclosure> {
    let observation = scene.observation;
    let content = content_hash(observation);
    let value_lists = observation.interactive().filter(|(_, node)| opens_values(node)).count();
    let is_menu_of_entry = |id: ElementId, node: &Node| opens_menu(node) && is_in_entry(observation, id);
    let entry_menus = observation.interactive().filter(|(id, node)| is_menu_of_entry(*id, node)).count();
    let next_number = next_page(observation);
    let modal = modal_of(observation).map(Region::Subtree);
    let mut found: Vec<Disclosure> = scene
        .elements()
        .filter(|(id, node)| node.is_interactive() && region.is_none_or(|region| region.holds(observation, *id)))
        .filter(|(id, _)| modal.as_ref().is_none_or(|modal| modal.holds(observation, *id)))
        .filter_map(|(id, node)| {
            // A value is chosen in the list that is named, never in another that happens to offer it.
            if value_lists > 1 && region.is_none() && opens_values(node) {
                return None;
            }
            // The menu of an entry holds commands on that entry. Of several, none is opened that was not asked for.
            if entry_menus > 1 && region.is_none() && is_menu_of_entry(id, node) {
                return None;
            }
            // What hands a form in sends it, and a button that is called "Next" turns no page of a list unless it stands with its pages.
            if hands_in(observation, id, node) || (is_next(node) && !turns_pages(observation, id, node)) {
                return None;
            }
            if is_one_of_many(observation, node)
                || counts_up(observation, id, node)
                || memory.tried.contains(&sent_by(&node.role, node.label()))
                || rivals::is_among(&memory.passed_by, node)
            {
                return None;
            }
            let score = match next_number == Some(id) {
                true => NEXT_PAGE,
                // In the cell of a table `+` adds something there.
                false
                    if node.label().trim() == "+" && is_in_cell(observation, id) && node.states.expanded.is_none() =>
                {
                    0.0
                }
                false if is_drawn_tab(observation, memory, id) => TAB,
                // So is a menu that was opened: there "Open" is a command on what it belongs to.
                false => {
                    likelihood(node, is_command_of_menu(node) || (region.is_none() && is_in_entry(observation, id)))
                }
            };
            let key = if is_pagination(node) {
                format!("{}#{content:x}", key(node))
            } else {
                group_key(observation, id, node)
            };
            (score > 0.0 && !memory.tried.contains(&key)).then_some(Disclosure { element: id, score, key })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut seen = Vec::new();
    found.retain(|disclosure| {
        let new = !seen.contains(&disclosure.key);
        seen.push(disclosure.key.clone());
        new
    });
    found
}

/// The most that is scrolled for one goal.
const SCROLLS: usize = 60;
/// How often a list is scrolled on that shows nothing new.
const SAME: u32 = 2;

/// What can be scrolled on, as long as that shows something new: a part of the page that holds controls, then the page itself, which
/// is no element. With it the key by which it is remembered as tried.
pub(crate) fn unscrolled(
    scene: &Scene<'_>,
    memory: &Memory,
    region: Option<&Region>,
) -> Option<(Option<ElementId>, String)> {
    const SCROLL: &str = "scroll|";
    let observation = scene.observation;
    if memory.tried.iter().filter(|key| key.starts_with(SCROLL)).count() >= SCROLLS {
        return None;
    }
    let content = content_hash(observation);
    // What is loaded on scrolling may come only some screens later.
    let next_key = |of: &str| {
        (0..SAME).map(|time| format!("{SCROLL}{of}|{content:x}|{time}")).find(|key| !memory.tried.contains(key))
    };
    let holds_control = |area: ElementId| {
        observation.interactive().any(|(id, _)| observation.ancestors(id).any(|(around, _)| around == area))
    };
    let belongs = |id: ElementId| region.is_none_or(|region| region.holds(observation, id));
    let areas = scene.elements().filter(|(id, node)| {
        node.allows(ActionKind::Scroll) && !matches!(node.tag.as_str(), "html" | "body" | "textarea") && belongs(*id)
    });
    let part = areas
        .filter_map(|(id, node)| Some((Some(id), next_key(&node.xpath)?)))
        .find(|(area, _)| area.is_some_and(holds_control));
    let view = &observation.viewport;
    let has_more = region.is_none() && view.scroll_y + view.height + 2.0 < view.scroll_height;
    part.or_else(|| {
        has_more.then(|| next_key(&format!("page at {:.0}", view.scroll_y))).flatten().map(|key| (None, key))
    })
}

/// Whether a button hands a form in: one of a form with something to fill in, which does not only unfold.
fn hands_in(observation: &Observation, element: ElementId, node: &Node) -> bool {
    let unfolds = node.states.expanded.is_some() || opens_popup(node);
    let is_plain = matches!(node.attribute("type"), "button" | "reset");
    let is_button = (node.tag == "button" && !is_plain) || matches!(node.attribute("type"), "submit" | "image");
    if !is_button || unfolds || matches!(node.role.as_str(), "tab" | "link") {
        return false;
    }
    form_holds(observation, element, &[ActionKind::Type, ActionKind::Select])
}

/// Whether a control turns the pages of a list, or shows more of it each time that it is pressed.
pub(crate) fn turns_on(node: &Node) -> bool {
    let says_more =
        tokens(node.label()).iter().any(|word| matches!(word.as_str(), "more" | "mehr" | "plus" | "m\u{e1}s"));
    is_next(node) || is_pagination(node) || says_more
}

fn is_next(node: &Node) -> bool {
    NEXT_WORDS.contains(&without_arrows(&node.label().trim().to_lowercase()))
}

/// Whether controls of a list are called alike but for their numbers: `Open berth 1`, `Open berth 2`. Each is a command of its own.
fn is_one_of_many(observation: &Observation, node: &Node) -> bool {
    const MANY: usize = 3;
    let has_number = node.label().contains(|sign: char| sign.is_ascii_digit());
    let pattern = |node: &Node| node.label().chars().filter(|sign| !sign.is_ascii_digit()).collect::<String>();
    let own = pattern(node);
    let unfolds =
        node.states.expanded.is_some() || matches!(node.role.as_str(), "tab" | "link") || node.tag == "summary";
    has_number
        && own.chars().any(char::is_alphabetic)
        && !unfolds
        && observation
            .interactive()
            .filter(|(_, other)| other.role == node.role && pattern(other) == own)
            .take(MANY)
            .count()
            == MANY
}

/// Whether an element stands in a cell of a table.
fn is_in_cell(observation: &Observation, element: ElementId) -> bool {
    observation.ancestors(element).any(|(_, node)| matches!(node.role.as_str(), "cell" | "gridcell"))
}

/// Whether a control counts a number up by one: beside one that counts it down, or by its name, such as `One more`.
fn counts_up(observation: &Observation, element: ElementId, node: &Node) -> bool {
    const DOWN: [&str; 5] = ["-", "\u{2212}", "\u{2013}", "\u{2012}", "\u{FF0D}"];
    const BY_ONE: [&str; 3] = ["one", "1", "another"];
    let words = tokens(node.label());
    let parent = observation.node(element).and_then(|node| node.parent);
    let is_down =
        |(id, other): (ElementId, &Node)| id != element && other.parent == parent && DOWN.contains(&other.text.trim());
    let says = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    says(&["increase", "increment"])
        || (says(&BY_ONE) && says(&["more", "add", "up"]))
        || (matches!(node.text.trim(), "+" | "\u{FF0B}") && observation.interactive().any(is_down))
}

/// By this is remembered that pressing such controls, in search of something else, sent what changes the site.
pub(crate) fn sent_by(role: &str, label: &str) -> String {
    let first = tokens(label).into_iter().next().unwrap_or_default();
    format!("sent|{role}|{first}")
}

/// A label without the arrows around its words: `Next \u{203A}`.
fn without_arrows(label: &str) -> &str {
    let words = label.trim_matches(|sign: char| !sign.is_alphanumeric());
    if words.is_empty() { label } else { words }
}

/// How far around a button its pages are looked for.
const AROUND: usize = 3;

/// Whether a part of the page is one for turning the pages of a list.
fn is_paging(part: &Node) -> bool {
    part.role == "navigation"
        || part.tag == "nav"
        || part.attribute("class").to_lowercase().contains("pag")
        || is_in_words_of_pages(&part.text)
}

/// Whether an element that is called "Next" turns the pages of a list: a link, or a button that stands with the numbers of pages. In a
/// player it skips what is played.
fn turns_pages(observation: &Observation, element: ElementId, node: &Node) -> bool {
    if node.role == "link" || node.tag == "a" || node.label().to_lowercase().contains("page") {
        return true;
    }
    let mut near = observation.ancestors(element).take(AROUND);
    near.any(|(id, around)| {
        is_paging(around)
            || observation.elements().any(|(other, shown)| {
                let is_number = shown.label().trim().parse::<u32>().is_ok();
                (is_number && shown.is_interactive() || is_in_words_of_pages(&shown.text))
                    && observation.ancestors(other).any(|(outer, _)| outer == id)
            })
    })
}

/// The number of the page behind the one that is marked as shown, where a list turns its pages by numbers.
fn next_page(observation: &Observation) -> Option<ElementId> {
    let number = |node: &Node| node.label().trim().parse::<u32>().ok();
    let is_shown = |node: &Node| {
        matches!(node.attribute("aria-current"), "page" | "true" | "location")
            || node.states.selected == Some(true)
            || tokens(node.attribute("class")).iter().any(|word| matches!(word.as_str(), "active" | "current"))
    };
    let mut shown = observation.elements().filter(|(id, node)| {
        let around = observation.ancestors(*id).next();
        number(node).is_some() && (is_shown(node) || around.is_some_and(|(_, around)| is_shown(around)))
    });
    shown.find_map(|(current, node)| {
        let next = number(node)? + 1;
        // Days of a calendar, marks and sizes are numbers too, of which one is marked.
        const PAGES: [&str; 6] = ["pagination", "paginator", "pager", "paging", "pages", "pagenav"];
        let is_for_pages = |part: &Node| {
            part.role == "navigation"
                || tokens(part.attribute("class")).iter().any(|word| PAGES.contains(&word.as_str()))
        };
        let is_of_pages = node.attribute("aria-current") == "page"
            || observation.ancestors(current).take(AROUND).any(|(_, around)| is_for_pages(around));
        if !is_of_pages {
            return None;
        }
        let around: Vec<ElementId> = observation.ancestors(current).take(AROUND).map(|(id, _)| id).collect();
        let mut others = observation.interactive().filter(|(_, other)| number(other) == Some(next));
        let belongs = |id: &ElementId| observation.ancestors(*id).take(AROUND).any(|(id, _)| around.contains(&id));
        others.find(|(id, node)| belongs(id) && node.allows(ActionKind::Click)).map(|(id, _)| id)
    })
}

/// Whether a short text says which part of a list is shown: `Page 2`, `1\u{2013}10 of 52`, `3 / 7`.
fn is_in_words_of_pages(text: &str) -> bool {
    let words = tokens(text);
    let numbers = words.iter().filter(|word| word.parse::<u32>().is_ok()).count();
    words.len() <= 8
        && numbers > 0
        && (words.iter().any(|word| matches!(word.as_str(), "page" | "seite" | "p\u{e1}gina" | "pagina"))
            || (numbers > 1
                && (text.contains('/') || words.iter().any(|word| matches!(word.as_str(), "of" | "von" | "de")))))
}

/// Whether an element says that it opens something over the page: a menu, a list, a dialog.
pub(crate) fn opens_popup(node: &Node) -> bool {
    !matches!(node.attribute("aria-haspopup"), "" | "false")
}

/// Whether an element opens the list of values of a field.
pub(crate) fn opens_values(node: &Node) -> bool {
    node.attribute("aria-haspopup") == "listbox" || node.role == "combobox"
}

/// Whether an element opens a menu of commands: by its markup, or by the dots that people know.
fn opens_menu(node: &Node) -> bool {
    let says_so = matches!(node.attribute("aria-haspopup"), "menu" | "true");
    says_so
        || shows_dots(node)
        || matches!(node.text.trim(), "\u{2026}" | "..." | "\u{22EE}" | "\u{22EF}" | "\u{2807}" | "\u{FE19}")
}

/// Whether a control without a name shows the dots of a menu as its icon.
fn shows_dots(node: &Node) -> bool {
    let is_dots = |word: &String| word == "more" || DOTS.contains(&word.as_str());
    node.label().is_empty() && tokens(&node.icon).iter().any(is_dots)
}

/// By this an element is recognised in later observations.
pub(crate) fn key(node: &Node) -> String {
    format!("{}|{}|{}", node.role, node.label(), node.xpath)
}

/// The toggle and the label of one tree item or list item open the same thing: they share a key.
fn group_key(observation: &Observation, element: ElementId, node: &Node) -> String {
    let parent = observation.ancestors(element).next().map(|(_, parent)| parent);
    match parent {
        Some(item) if matches!(item.role.as_str(), "listitem" | "treeitem") => {
            node.xpath.rsplit_once('/').map_or_else(|| key(node), |(path, _)| path.to_owned())
        }
        _ => key(node),
    }
}

/// How likely a tab that is not shown is to show what is wanted.
const TAB: f64 = 0.9;

/// How likely the next page of a list is to show what is wanted.
pub(crate) const NEXT_PAGE: f64 = 0.4;

/// How likely a click on a node is to show more, in 0..=1; 0 when it must not be tried without being asked for. In an entry
/// that was not asked for, "Open" or "Details" is a command on that entry: there its role and state must say that it unfolds.
fn likelihood(node: &Node, is_in_entry: bool) -> f64 {
    let clickable = node.allows(ActionKind::Click) && !node.allows(ActionKind::Type) && !node.allows(ActionKind::Check);
    if !clickable || node.states.disabled || node.states.expanded == Some(true) || node.states.selected == Some(true) {
        return 0.0;
    }
    let label = node.label().trim().to_lowercase();
    if is_consequential(&label) {
        return 0.0;
    }
    if node.states.expanded == Some(false) || node.tag == "summary" {
        return 0.95;
    }
    if node.role == "tab" {
        return TAB;
    }
    if opens_popup(node) {
        return 0.85;
    }
    if NEXT_WORDS.contains(&without_arrows(&label)) {
        return NEXT_PAGE;
    }
    if BACK_WORDS.contains(&label.as_str()) || is_pagination(node) {
        return 0.0;
    }
    // `+` with a title such as "Add to the list" is a command.
    if begins_with_command(node.attribute("title")) {
        return 0.0;
    }
    if shows_dots(node)
        || label == "+"
        || label == "\u{2026}"
        || label == "..."
        || label == "\u{25B8}"
        || label == "\u{25B6}"
    {
        return 0.75;
    }
    let shows_a_name = node.text.chars().any(char::is_alphabetic);
    let markup: &[&str] = if shows_a_name { &UNFOLDING_WORDS } else { &DISCLOSURE_WORDS };
    let shows_a_command = shows_a_name && is_in_entry;
    let is_marked = ["class", "id", "name"]
        .iter()
        .flat_map(|attribute| tokens(node.attribute(attribute)))
        .any(|word| markup.contains(&word.as_str()));
    let says_so = if shows_a_name { reads_as_opening(&node.text) } else { is_called_opening(node) };
    // `Save details`: a command first of all.
    if shows_a_name && begins_with_command(&label) {
        return 0.0;
    }
    // `dropdown-item` stands on a command of what was unfolded, and what an entry shows in words is a command on it.
    let is_part =
        || tokens(node.attribute("class")).iter().any(|word| matches!(word.as_str(), "item" | "entry" | "option"));
    let is_marked = is_marked && !(shows_a_name && (is_in_entry || is_part()));
    if is_marked || (says_so && !shows_a_command) {
        return if node.text.is_empty() { 0.75 } else { 0.7 };
    }
    0.0
}

/// Whether a node is an entry of a menu that leads nowhere by itself.
fn is_command_of_menu(node: &Node) -> bool {
    node.role.starts_with("menuitem") && node.attribute("href").is_empty()
}

/// What of a page is opened or toggled to be looked at. To open anything else, such as a gate, does something to it.
const PARTS: [&str; 29] = [
    "menu",
    "submenu",
    "navigation",
    "nav",
    "sidebar",
    "bar",
    "dropdown",
    "details",
    "options",
    "more",
    "list",
    "filters",
    "filter",
    "panel",
    "section",
    "settings",
    "info",
    "information",
    "description",
    "history",
    "comments",
    "replies",
    "actions",
    "all",
    "search",
    "profile",
    "record",
    "page",
    "full",
];

/// Whether a word names a part of a page.
pub(crate) fn is_part(word: &str) -> bool {
    PARTS.contains(&word)
}

/// Whether a label opens a part of the page and nothing else: `Open menu`.
pub(crate) fn opens_a_part(label: &str) -> bool {
    let words = tokens(label);
    words.len() > 1 && opens_only_parts(&words) && reads_as_opening(label)
}

/// Whether words that open or toggle something name a part of the page.
fn opens_only_parts(words: &[String]) -> bool {
    let is_deed = |word: &String| matches!(word.as_str(), "open" | "toggle");
    let named = words.iter().rfind(|word| !is_deed(word) && !is_function_word(word));
    !words.iter().any(is_deed) || named.is_none_or(|word| is_part(word))
}

/// Whether a short text that is shown says that more will be: by its first word or its last.
fn reads_as_opening(text: &str) -> bool {
    let words = tokens(text);
    let says_so = |word: Option<&String>| word.is_some_and(|word| UNFOLDING_TEXTS.contains(&word.as_str()));
    words.len() <= 3 && (says_so(words.first()) || says_so(words.last())) && opens_only_parts(&words)
}

/// Whether a label begins with a command that hands something in, makes or changes it.
pub(super) fn begins_with_command(label: &str) -> bool {
    let words = tokens(label);
    let commands = [Command::HandIn, Command::Send, Command::Add, Command::Edit, Command::Remove];
    // `Post options`: the first word may be a noun.
    let names_menu = words.last().is_some_and(|last| matches!(last.as_str(), "options" | "menu" | "actions"));
    !names_menu
        && words.len() > 1
        && words
            .first()
            .is_some_and(|first| commands.into_iter().any(|command| commands::names(command).contains(&first.as_str())))
}

/// Whether the name of a picture says so.
fn is_called_opening(node: &Node) -> bool {
    ["title", "aria-label"].into_iter().any(|attribute| {
        let words = tokens(node.attribute(attribute));
        words.iter().any(|word| DISCLOSURE_WORDS.contains(&word.as_str())) && opens_only_parts(&words)
    })
}

/// A hash of everything the page says, so that a list's next page can be told from the page before.
fn content_hash(observation: &Observation) -> u64 {
    let mut hasher = DefaultHasher::new();
    for node in observation.nodes.iter().filter(|node| !node.text.is_empty()) {
        node.text.hash(&mut hasher);
    }
    hasher.finish()
}
