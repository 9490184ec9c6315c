//! Finds what a page has that is nearest to what a check wanted, for readers of a verdict. Pure.
//!
//! Nothing here affects a verdict.

use crate::text::{describe, excerpt, find, words_of};
use domain::observation::Request;
use domain::page::VisibleText;
use domain::task::{ElementCheck, RequestCheck, TextMatch};
use domain::text::fold;
use domain::{Node, Observation};
use std::collections::HashSet;

/// Most alternatives named.
const NAMED: usize = 5;
/// Longest name shown, in characters.
const NAME: usize = 60;
/// Most nodes or lines compared.
const COMPARED: usize = 4_000;
/// Characters compared of each.
const LENGTH: usize = 120;
/// Least similarity of a near match.
const NEAR: f64 = 0.4;

/// Describes what is there instead of an element.
pub(crate) fn element(wanted: &ElementCheck, observation: &Observation) -> String {
    let sought = describe_element(wanted);
    let of_role: Vec<&Node> = match &wanted.role {
        Some(role) => observation.nodes.iter().filter(|node| role.eq_ignore_ascii_case(&node.role)).collect(),
        None => Vec::new(),
    };
    let (label, words): (fn(&Node) -> &str, &str) = match (&wanted.name, &wanted.text) {
        (Some(name), _) => (|node| node.name.as_str(), words_of(name)),
        (None, Some(text)) => (|node| node.text.as_str(), words_of(text)),
        (None, None) => (Node::label, ""),
    };
    let named = |nodes: &[&Node]| nearest(words, nodes.iter().map(|node| label(node)));
    let here = match &wanted.role {
        Some(role) if !of_role.is_empty() => {
            let names = names_of(named(&of_role).into_iter().map(|(name, _)| name));
            if names.is_empty() {
                format!("; {} here, none with such a label", count(of_role.len(), role))
            } else {
                format!("; {} here: {names}", plural(role))
            }
        }
        _ => {
            let all: Vec<&Node> = observation.nodes.iter().take(COMPARED).collect();
            let near = named(&all).into_iter().filter(|(_, likeness)| *likeness >= NEAR).map(|(name, _)| name);
            let none = wanted.role.as_ref().map(|role| format!("; no {role} is here")).unwrap_or_default();
            match names_of(near.take(2)) {
                names if names.is_empty() || words.is_empty() => none,
                names => format!("{none}; nearest: {names}"),
            }
        }
    };
    let state = of_role
        .iter()
        .find(|node| wanted.checked.is_some() && *label(node) != *"" && fold(label(node)) == fold(words))
        .map(|node| format!("; its checked state is {:?}", node.states.checked))
        .unwrap_or_default();
    format!("no {sought} among those that can be seen{here}{state}")
}

fn describe_element(wanted: &ElementCheck) -> String {
    let role = wanted.role.as_deref().unwrap_or("element").to_owned();
    let name = wanted.name.as_ref().map(|name| format!(" with a name {}", describe(name)));
    let text = wanted.text.as_ref().map(|text| format!(" with a text {}", describe(text)));
    let attributes = wanted.attributes.iter().map(|(name, value)| format!(" with {name}=\"{value}\""));
    let checked =
        wanted.checked.map(|checked| if checked { " that is checked" } else { " that is not checked" }.to_owned());
    role + &name.into_iter().chain(text).chain(attributes).chain(checked).collect::<String>()
}

/// The line of a page that is most similar to the wanted text.
pub(crate) fn line(wanted: &TextMatch, texts: &[VisibleText], length: usize) -> String {
    let lines = texts.iter().flat_map(|text| text.text.lines()).filter(|line| !line.trim().is_empty());
    match nearest(words_of(wanted), lines).first() {
        Some((line, likeness)) if *likeness >= NEAR => {
            let near = line_of(wanted, line, length);
            format!("the page shows no text {}; nearest: \"{near}\"", describe(wanted))
        }
        _ => format!("the page shows no text {}, nor the like of it", describe(wanted)),
    }
}

/// The line of a text that contains the match, cut to a length around it.
pub(crate) fn line_of(wanted: &TextMatch, text: &str, length: usize) -> String {
    let holds = |line: &&str| find(wanted, line).is_ok_and(|found| !found.is_empty());
    let folded = fold(text.lines().find(holds).unwrap_or(text));
    let part = find(wanted, &folded).ok().and_then(|found| found.into_iter().next()).unwrap_or_default();
    match folded.find(&part) {
        Some(at) if !part.is_empty() && folded[..at + part.len()].chars().count() > length => {
            let lead: usize = folded[..at].char_indices().rev().nth(20).map_or(at, |(start, _)| start);
            format!("…{}", excerpt(&folded[lead..], length))
        }
        _ => excerpt(&folded, length),
    }
}

/// The requests most similar to the wanted one, with their responses.
pub(crate) fn requests<'a>(wanted: &RequestCheck, sent: impl Iterator<Item = &'a Request>) -> String {
    let words = words_of(&wanted.url).to_owned();
    let mut rated: Vec<(f64, &Request)> = sent
        .take(COMPARED)
        .map(|request| {
            let same_method = wanted.method.as_ref().is_some_and(|method| method.eq_ignore_ascii_case(&request.method));
            let path = request.url.splitn(4, '/').nth(3).unwrap_or_default();
            (likeness(&words, path) + if same_method { 0.5 } else { 0.0 }, request)
        })
        .collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> = rated.iter().take(3).map(|(_, request)| describe_request(request)).collect();
    if named.is_empty() { String::new() } else { format!("; nearest: {}", named.join(", ")) }
}

/// A request with its response.
pub(crate) fn describe_request(request: &Request) -> String {
    let answer = request.status.map_or("not answered".to_owned(), |status| format!("answered {status}"));
    format!("{} {} ({answer})", request.method, excerpt(&request.url, 120))
}

/// Distinct labels by similarity, highest first; ties keep the page's order.
fn nearest<'a>(words: &str, labels: impl Iterator<Item = &'a str>) -> Vec<(String, f64)> {
    let mut known = HashSet::new();
    let mut rated: Vec<(String, f64)> = labels
        .take(COMPARED)
        .map(fold)
        .filter(|label| !label.is_empty() && known.insert(label.clone()))
        .map(|label| {
            let likeness = likeness(words, &label);
            (label, likeness)
        })
        .collect();
    rated.sort_by(|a, b| b.1.total_cmp(&a.1));
    rated
}

/// Similarity of a label to the wanted text in 0..=1: by characters, and by the share of wanted words it has.
fn likeness(wanted: &str, label: &str) -> f64 {
    let cut = |text: &str| fold(text).chars().take(LENGTH).collect::<String>().to_lowercase();
    let (wanted, label) = (cut(wanted), cut(label));
    if wanted.is_empty() || label.is_empty() {
        return 0.0;
    }
    let has: HashSet<&str> = label.split(|character: char| !character.is_alphanumeric()).collect();
    let words: Vec<&str> =
        wanted.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let shared = words.iter().filter(|word| has.contains(*word)).count() as f64 / words.len().max(1) as f64;
    // If one text is more than twice as long, their character similarity is below one half.
    let is_comparable = wanted.len() <= 2 * label.len() && label.len() <= 2 * wanted.len();
    if is_comparable { strsim::normalized_levenshtein(&wanted, &label).max(shared) } else { shared }
}

fn names_of(names: impl Iterator<Item = String>) -> String {
    names.take(NAMED).map(|name| excerpt(&name, NAME)).collect::<Vec<_>>().join(", ")
}

fn plural(role: &str) -> String {
    let role = role.to_lowercase();
    match role.as_str() {
        "generic" => "unnamed elements".to_owned(),
        other if other.ends_with(['x', 's', 'h']) => format!("{other}es"),
        other => format!("{other}s"),
    }
}

fn count(number: usize, role: &str) -> String {
    if number == 1 { format!("1 {role} is") } else { format!("{number} {} are", plural(role)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(nodes: &[(&str, &str)]) -> Observation {
        let node = |(role, name): &(&str, &str)| Node { role: (*role).into(), name: (*name).into(), ..Node::default() };
        Observation { nodes: nodes.iter().map(node).collect(), ..Observation::default() }
    }

    fn named(role: Option<&str>, name: &str) -> ElementCheck {
        ElementCheck {
            role: role.map(str::to_owned),
            name: Some(TextMatch::Equals(name.into())),
            ..ElementCheck::default()
        }
    }

    #[test]
    fn a_missing_element_is_told_with_those_of_its_role_the_most_like_first() {
        let page = page(&[("button", "Roles"), ("button", "Create*"), ("textbox", "Surname"), ("button", "Roles")]);
        let said = element(&named(Some("button"), "Create"), &page);
        assert!(said.ends_with("; buttons here: Create*, Roles"), "{said}");
        let said = element(&named(Some("link"), "Surnames"), &page);
        assert!(said.contains("no link is here; nearest: Surname"), "{said}");
        assert!(said.starts_with("no link with a name equal to \"Surnames\""), "{said}");
    }

    #[test]
    fn the_nearest_line_is_named_and_not_the_beginning_of_the_page() {
        let text = format!("{}\nYour order was not accepted\nHelp", "Words of welcome. ".repeat(30));
        let texts = [VisibleText { frame: 0, text }];
        let said = line(&TextMatch::Contains("order was accepted".into()), &texts, 160);
        assert!(said.ends_with("nearest: \"Your order was not accepted\""), "{said}");
        let said = line(&TextMatch::Contains("Zebra".into()), &texts, 160);
        assert!(said.ends_with("nor the like of it"), "{said}");
    }

    #[test]
    fn what_was_found_far_in_a_long_line_is_shown() {
        let text = format!("{} It was declined at last.", "x ".repeat(300));
        let shown = line_of(&TextMatch::Contains("declined".into()), &text, 60);
        assert!(shown.contains("declined") && shown.chars().count() < 70, "{shown}");
    }

    #[test]
    fn requests_are_told_with_their_answers() {
        let request = |method: &str, url: &str, status| Request {
            method: method.into(),
            url: url.into(),
            status,
            ..Request::default()
        };
        let sent = [request("GET", "http://a.test/", Some(200)), request("POST", "http://a.test/orders", Some(422))];
        let wanted =
            RequestCheck { method: Some("POST".into()), url: TextMatch::Contains("/order/".into()), status: None };
        let said = requests(&wanted, sent.iter());
        assert!(said.starts_with("; nearest: POST http://a.test/orders (answered 422), GET"), "{said}");
    }
}
