//! Scores a comparison of Harbour's two versions against the declared differences. Pure.
//!
//! A comparison names states of its own maps; by the observations behind them they are states of the truth. What is declared
//! and what is named are written in the same words, `renamed: services/gallery`, and compared word by word:
//!
//! | declared | named |
//! |---|---|
//! | a state added, removed | the state appeared, vanished |
//! | a page moved, renamed | one of the page's states moved, has another title |
//! | a form's field added, removed | the field is new, is gone, in one of the page's states |
//! | a control added, removed in a state | the control is new, is gone in that state |
//! | a fault added; a page broken | the fault appeared; one says so in one of the page's states |
//!
//! What a broken page lost is part of its being broken, and not counted. Every other named difference without a
//! declaration is *too much*. States that only a replay reached have no number in either map: they count as the page
//! with their path and heading. A difference in a state that neither run reached counts as missed, but is listed
//! separately.

use super::truth::{Changes, Role, Truth, path_matches};
use domain::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// How much was named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// Changes that the role can come across.
    pub declared: usize,
    /// The part of them that was named, from 0 to 1.
    pub recall: f64,
    /// The part of what was named that is declared, from 0 to 1.
    pub precision: f64,
    /// Declared changes that were not named.
    pub missed: Vec<String>,
    /// Those of them that the comparison says it knows nothing about, because a run did not reach them.
    pub not_reached: Vec<String>,
    /// What was named and is not declared.
    pub too_much: Vec<String>,
}

/// What a comparison needs to be scored.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// The truth of the first version.
    pub one: &'a Truth,
    /// The truth of the second version.
    pub two: &'a Truth,
    /// The true states behind those of the first map.
    pub before: &'a BTreeMap<u64, String>,
    /// The true states behind those of the second map.
    pub after: &'a BTreeMap<u64, String>,
}

/// Scores what `rutter graph diff --output json` said.
pub fn compared(sides: Sides<'_>, role: Role, changes: &Changes, answer: &Value) -> Named {
    let declared = declared(sides, role, changes);
    let (mut named, mut unseen) = (BTreeSet::new(), BTreeSet::new());
    for layer in list(&answer["layers"]) {
        sides.layer(layer, &mut named, &mut unseen);
    }
    let of_broken = |said: &String| {
        let is_gone = said.starts_with("vanished: ") || said.starts_with("lost control: ");
        let state = said.rsplit([' ']).next().unwrap_or_default();
        is_gone && changes.broken.iter().any(|(page, ..)| *page == page_of(state))
    };
    named.retain(|said| declared.contains(said) || !of_broken(said));
    let hits = declared.intersection(&named).count();
    let ratio = |all: usize| if all == 0 { 1.0 } else { hits as f64 / all as f64 };
    let missed: Vec<String> = declared.difference(&named).cloned().collect();
    Named {
        declared: declared.len(),
        recall: ratio(declared.len()),
        precision: ratio(named.len()),
        not_reached: missed.iter().filter(|missed| unseen.contains(*missed)).cloned().collect(),
        missed,
        too_much: named.difference(&declared).cloned().collect(),
    }
}

/// What is declared, as far as the role can come across it.
fn declared(sides: Sides<'_>, role: Role, changes: &Changes) -> BTreeSet<String> {
    let reach = |truth: &Truth| truth.reachable(role).iter().map(|state| state.id.clone()).collect::<BTreeSet<_>>();
    let (before, after) = (reach(sides.one), reach(sides.two));
    let sees = |page: &str| before.contains(page);
    let mut declared = BTreeSet::new();
    declared.extend(changes.added.iter().filter(|id| after.contains(*id)).map(|id| format!("appeared: {id}")));
    declared.extend(changes.removed.iter().filter(|id| before.contains(*id)).map(|id| format!("vanished: {id}")));
    declared.extend(changes.moved.iter().filter(|(page, ..)| sees(page)).map(|(page, ..)| format!("moved: {page}")));
    declared
        .extend(changes.renamed.iter().filter(|(page, ..)| sees(page)).map(|(page, ..)| format!("renamed: {page}")));
    declared.extend(changes.broken.iter().filter(|(page, ..)| sees(page)).map(|(page, ..)| format!("broken: {page}")));
    for (page, form, gained, lost) in changes.forms.iter().filter(|(page, ..)| sees(page)) {
        declared.extend(gained.iter().map(|field| format!("new field: {form}.{field} on {page}")));
        declared.extend(lost.iter().map(|field| format!("lost field: {form}.{field} on {page}")));
    }
    let controls = |list: &[(String, &str)], seen: &BTreeSet<String>, what: &str| {
        let seen = list.iter().filter(|(state, _)| seen.contains(state));
        seen.map(|(state, name)| format!("{what}: {name} on {state}")).collect::<Vec<_>>()
    };
    declared.extend(controls(&changes.controls_added, &after, "new control"));
    declared.extend(controls(&changes.controls_removed, &before, "lost control"));
    let faults: BTreeSet<&str> = sides.two.faults_of(role).iter().map(|shown| shown.fault.id).collect();
    declared.extend(changes.faults_added.iter().filter(|id| faults.contains(*id)).map(|id| format!("new fault: {id}")));
    declared
}

impl Sides<'_> {
    fn layer(&self, layer: &Value, named: &mut BTreeSet<String>, unseen: &mut BTreeSet<String>) {
        let states = &layer["states"];
        let (before, after) = ((self.before, self.one), (self.after, self.two));
        let of = |row: &Value, (states, truth): (&BTreeMap<u64, String>, &Truth)| id(row, states, truth);
        named.extend(list(&states["appeared"]).iter().map(|row| format!("appeared: {}", of(row, after))));
        named.extend(list(&states["vanished"]).iter().map(|row| format!("vanished: {}", of(row, before))));
        let not_reached = &states["not_reached"];
        unseen.extend(list(&not_reached["by_before"]).iter().map(|row| format!("appeared: {}", of(row, after))));
        unseen.extend(list(&not_reached["by_after"]).iter().map(|row| format!("vanished: {}", of(row, before))));
        for row in list(&states["changed"]) {
            // What a replay alone saw before has no number there.
            let is_numbered = !row["before"]["state"].is_null();
            let state = if is_numbered { of(&row["before"], before) } else { of(&row["after"], after) };
            named.extend(list(&row["what"]).iter().map(|aspect| change(&state, aspect)));
        }
        for kind in ["appeared", "vanished"] {
            let ways = list(&layer["transitions"][kind]).iter();
            named.extend(
                ways.map(|way| format!("way {kind}: {} on {}", text(&way["action"]), text(&way["from_title"]))),
            );
        }
        let faults = &layer["faults"];
        for row in list(&faults["appeared"]) {
            named.extend(self.fault(row));
        }
        named.extend(list(&faults["vanished"]).iter().map(|row| format!("lost fault: {}", text(&row["message"]))));
        for row in list(&faults["not_reached"]["by_before"]) {
            unseen.extend(self.fault(row));
        }
    }

    /// What the appearance of a fault says: which of those that are seeded it is, and that a page answers with a failure.
    fn fault(&self, row: &Value) -> Vec<String> {
        let unknown = || vec![format!("new fault: {}", text(&row["message"]))];
        let Ok(fault) = serde_json::from_value::<Fault>(row.clone()) else { return unknown() };
        let known = self.two.faults.iter().find(|shown| shown.fault.is(&fault));
        let Some(known) = known else { return unknown() };
        let mut said = vec![format!("new fault: {}", known.fault.id)];
        let state = id(&row["in"], self.after, self.two);
        if let Some(page) = self.two.page(page_of(&state)).filter(|page| page.status >= 400)
            && fault.message.contains(&page.status.to_string())
        {
            said.push(format!("broken: {}", page.id));
        }
        said
    }
}

/// Something that is different about a state, in the words of what is declared.
fn change(state: &str, aspect: &Value) -> String {
    let page = page_of(state);
    let (new, part) = (text(&aspect["is"]) == "won", text(&aspect["part"]));
    match (text(&aspect["is"]), part) {
        ("moved" | "renamed", _) => format!("{}: {page}", text(&aspect["is"])),
        ("won" | "lost", "field") => {
            // `textbox email`: the role, and what its author calls it.
            let name = text(&aspect["name"]).split_once(' ').map_or("", |(_, name)| name);
            format!("{} field: {}.{name} on {page}", if new { "new" } else { "lost" }, text(&aspect["form"]))
        }
        ("won" | "lost", "control") => {
            format!("{} control: {} on {state}", if new { "new" } else { "lost" }, text(&aspect["name"]))
        }
        (other, part) => format!("{other} {part} {}: {state}", text(&aspect["name"])),
    }
}

/// The page that a state is a view of.
fn page_of(state: &str) -> &str {
    state.split(['#', '~']).next().unwrap_or(state)
}

/// The true state of a row; its page where the row is of no map, and its address where it is nothing of the truth.
fn id(row: &Value, states: &BTreeMap<u64, String>, truth: &Truth) -> String {
    let known = row["state"].as_u64().and_then(|number| states.get(&number)).cloned();
    let page = || row["state"].is_null().then(|| page_at(row, truth)).flatten();
    known.or_else(page).unwrap_or_else(|| format!("unknown {}", text(&row["url"])))
}

/// The one page that has the path of a row, and its title.
fn page_at(row: &Value, truth: &Truth) -> Option<String> {
    let url = Url::parse(text(&row["url"])).ok()?;
    let title = text(&row["title"]).strip_suffix(" · Harbour")?;
    let mut pages = truth.pages.iter().filter(|page| page.heading == title && path_matches(page.path, url.path()));
    let page = pages.next()?;
    pages.next().is_none().then(|| page.id.to_owned())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harbour::Version;
    use crate::harbour::truth::changes;
    use serde_json::json;

    fn scored(states: Value, faults: Value) -> Named {
        let (one, two) = (Truth::of(Version::One), Truth::of(Version::Two));
        let numbers = |names: &[&str]| (1..).zip(names.iter().map(|name| (*name).to_owned())).collect();
        let before = numbers(&["newsletter/topics", "services/gallery", "catalogue/sale#seconds", "help"]);
        let after = numbers(&["help/lost", "services/gallery", "catalogue/sale#seconds", "help/contact"]);
        let sides = Sides { one: &one, two: &two, before: &before, after: &after };
        let answer = json!({ "layers": [{ "states": states, "faults": faults }] });
        compared(sides, Role::Customer, &changes(&one, &two), &answer)
    }

    #[test]
    fn what_is_named_as_declared_counts_and_what_is_not_is_too_much() {
        let row = |state: u64| json!({ "state": state, "title": "", "url": "" });
        let states = json!({
            "appeared": [row(1)],
            "vanished": [row(4)],
            "changed": [
                { "before": row(2), "after": row(2), "what": [{ "is": "renamed" }] },
                { "before": row(3), "after": row(3), "what": [
                    { "is": "lost", "part": "control", "role": "tab", "name": "By the crate" },
                    { "is": "won", "part": "control", "role": "tab", "name": "By the ton" },
                ] },
            ],
            "not_reached": { "by_before": [], "by_after": [row(1)] },
        });
        let fault = json!({
            "category": "java_script", "message": "TypeError: words is not iterable", "source": "http://a/script.js",
            "first_party": true, "in": row(4),
        });
        let named = scored(states, json!({ "appeared": [fault] }));
        assert_eq!(named.too_much, ["new control: By the ton on catalogue/sale#seconds", "vanished: help"]);
        assert_eq!(named.not_reached, ["vanished: newsletter/topics"]);
        assert_eq!(named.precision, 4.0 / 6.0);
        assert_eq!(named.recall, 4.0 / named.declared as f64);
        assert!(!named.missed.contains(&"new fault: words-uncounted".to_owned()));
    }

    #[test]
    fn what_a_replay_alone_came_across_counts_as_its_page() {
        let row = |path: &str, title: &str| json!({ "state": null, "title": format!("{title} · Harbour"), "url": format!("http://127.0.0.1:1{path}") });
        let appeared = [row("/help/lost", "Lost and found"), row("/help/lost", "Found"), row("/help/track", "Lost")];
        let vanished = [row("/workshop/rules", "Rules of the shed")];
        let named = scored(json!({ "appeared": appeared, "vanished": vanished }), json!({}));
        assert!(!named.missed.contains(&"appeared: help/lost".to_owned()));
        let unknown =
            ["appeared: unknown http://127.0.0.1:1/help/lost", "appeared: unknown http://127.0.0.1:1/help/track"];
        assert_eq!(named.too_much, unknown);
    }

    #[test]
    fn who_names_nothing_misses_everything_and_says_nothing_wrong() {
        let named = scored(json!({}), json!({}));
        assert_eq!((named.recall, named.missed.len(), named.too_much.len()), (0.0, named.declared, 0));
        assert!(named.declared > 25, "{}", named.declared);
    }
}
