//! A large scripted site to be explored: pages without end to speak of, each of which can be told from all others by what can
//! be done on it, and leads to some that no other page leads to. Pure.

use crate::shop::word;
use crate::wizard::{Element, Kind, Rect, Scene, document};

/// Pages: more than anybody explores in a while.
pub const PAGES: u32 = 1_000_000;

/// Links of a page to pages of its own.
const BRANCHES: u32 = 4;

/// Pages of one folder.
const FOLDER: u32 = 20;

/// What stands at the top of every page.
const FRAME: [&str; 5] = ["Home", "Search", "Basket", "Help", "Contact"];

/// Path of a page, by its number from 0.
pub fn path(page: u32) -> String {
    format!("/maze/{}/{page}", word(u64::from(page / FOLDER)))
}

/// The page of a path.
pub fn parse_path(of: &str) -> Option<u32> {
    let (_, page) = of.strip_prefix("/maze/")?.split_once('/')?;
    page.parse().ok().filter(|page| *page < PAGES && path(*page) == of)
}

/// Where the links of a page lead.
fn targets(page: u32) -> impl Iterator<Item = u32> {
    (1..=BRANCHES).map(move |branch| (page * BRANCHES + branch) % PAGES)
}

/// What a page shows.
pub fn scene(page: u32) -> Scene {
    let name = |page: u32| format!("{} {}", word(u64::from(page / FOLDER)), word(u64::from(page % FOLDER)));
    let mut elements = Vec::new();
    let mut add = |kind: Kind, text: String| {
        let key = elements.len() as u64 + 1;
        let bounds = Rect { x: 20, y: 8 + 24 * (key as i64 - 1), width: 300, height: 22 };
        elements.push(Element { key, id: "", kind, text, bounds });
    };
    for (number, label) in (0..).zip(FRAME) {
        add(Kind::Link(path(number)), label.to_owned());
    }
    add(Kind::Heading, name(page));
    add(Kind::Button, format!("Mark {}", name(page)));
    for target in targets(page) {
        add(Kind::Link(path(target)), name(target));
    }
    add(Kind::Text, format!("Everything about {}.", name(page)));
    Scene { title: name(page), elements }
}

/// The document of a page.
pub fn html(page: u32) -> String {
    document(&scene(page), "", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_path_names_one_page() {
        assert_eq!(parse_path(&path(4711)), Some(4711));
        assert_eq!((parse_path("/maze/ba/4711"), parse_path("/maze/ba")), (None, None));
    }

    #[test]
    fn every_page_leads_to_pages_of_its_own() {
        let reached: BTreeSet<u32> = (0..1000).flat_map(targets).collect();
        assert_eq!(reached.len(), 4000);
    }
}
