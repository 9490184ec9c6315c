//! Exports a map as JSON, GraphML, DOT and Mermaid. Page content is escaped: it is data, never markup.

use domain::Descriptor;
use domain::action::Action;
use domain::listing::titles;
use domain::state::{Map, State, Transition};
use domain::words::{self, Detail};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The published types as they are.
    Json,
    /// GraphML, for graph editors.
    GraphMl,
    /// Graphviz.
    Dot,
    /// Mermaid, for documents.
    Mermaid,
}

/// A map in a format.
pub fn export(map: &Map, format: Format) -> String {
    match format {
        // Maps hold nothing that JSON cannot say: keys are texts, numbers are finite.
        Format::Json => serde_json::to_string_pretty(map).unwrap_or_default(),
        Format::GraphMl => graph_ml(map),
        Format::Dot => dot(map),
        Format::Mermaid => mermaid(map),
    }
}

/// An action in words.
pub fn described(action: &Action<Descriptor>) -> String {
    words::action(action, &Detail::BRIEF)
}

/// The share of tries that led here and succeeded, in per cent.
fn per_cent(transition: &Transition) -> u64 {
    100 * transition.tally.succeeded / transition.tally.count.max(1)
}

fn graph_ml(map: &Map) -> String {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let _ = write_graph_ml(map, &mut out);
    String::from_utf8(out.into_inner()).unwrap_or_default()
}

/// The data that nodes and edges carry: name, of what, type.
const KEYS: [[&str; 3]; 6] = [
    ["title", "node", "string"],
    ["url", "node", "string"],
    ["action", "edge", "string"],
    ["count", "edge", "long"],
    ["succeeded", "edge", "long"],
    ["latency_ms", "edge", "long"],
];

fn write_graph_ml(map: &Map, out: &mut Writer<Vec<u8>>) -> io::Result<()> {
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let namespace = ("xmlns", "http://graphml.graphdrawing.org/xmlns");
    out.create_element("graphml").with_attribute(namespace).write_inner_content(|out| {
        for [key, of, kind] in KEYS {
            let attributes = [("id", key), ("for", of), ("attr.name", key), ("attr.type", kind)];
            out.create_element("key").with_attributes(attributes).write_empty()?;
        }
        out.create_element("graph").with_attribute(("edgedefault", "directed")).write_inner_content(|out| {
            let titles = titles(&map.states);
            map.states.iter().try_for_each(|state| write_node(state, &titles[&state.id], out))?;
            map.transitions.iter().try_for_each(|transition| write_edge(transition, out))
        })?;
        Ok(())
    })?;
    Ok(())
}

fn write_node(state: &State, title: &str, out: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let id = format!("s{}", state.id);
    out.create_element("node").with_attribute(("id", id.as_str())).write_inner_content(|out| {
        write_data("title", title, out)?;
        write_data("url", &state.url, out)
    })?;
    Ok(())
}

fn write_edge(transition: &Transition, out: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let Transition { from, to, action, tally, .. } = transition;
    let (from, to) = (format!("s{from}"), format!("s{to}"));
    let ends = [("source", from.as_str()), ("target", to.as_str())];
    out.create_element("edge").with_attributes(ends).write_inner_content(|out| {
        write_data("action", &described(action), out)?;
        write_data("count", &tally.count.to_string(), out)?;
        write_data("succeeded", &tally.succeeded.to_string(), out)?;
        write_data("latency_ms", &tally.latency_ms.to_string(), out)
    })?;
    Ok(())
}

fn write_data(key: &str, value: &str, out: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let value = allowed_in_xml(value);
    out.create_element("data").with_attribute(("key", key)).write_text_content(BytesText::new(&value))?;
    Ok(())
}

/// Removes characters that XML 1.0 forbids; the writer escapes but does not check for them.
fn allowed_in_xml(text: &str) -> String {
    let is_allowed = |letter: &char| match letter {
        '\t' | '\n' | '\r' => true,
        letter => !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}'),
    };
    text.chars().filter(is_allowed).collect()
}

fn dot(map: &Map) -> String {
    let mut text = String::from("digraph map {\n  rankdir=LR;\n  node [shape=box];\n");
    for (id, title) in titles(&map.states) {
        let _ = writeln!(text, "  s{id} [label={}];", quoted(&title));
    }
    for transition in &map.transitions {
        let label = format!("{} ({} %)", described(&transition.action), per_cent(transition));
        let _ = writeln!(text, "  s{} -> s{} [label={}];", transition.from, transition.to, quoted(&label));
    }
    text.push_str("}\n");
    text
}

fn mermaid(map: &Map) -> String {
    let mut text = String::from("flowchart LR\n");
    for (id, title) in titles(&map.states) {
        let _ = writeln!(text, "  s{id}[\"{}\"]", entities(&title));
    }
    for transition in &map.transitions {
        let label = entities(&described(&transition.action));
        let _ = writeln!(text, "  s{} -->|\"{label}\"| s{}", transition.from, transition.to);
    }
    text
}

/// Text of a page on one line: white space folded, without control characters.
pub fn one_line(text: &str) -> String {
    let shown: String = text.chars().filter(|letter| letter.is_whitespace() || !letter.is_control()).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A string of DOT.
fn quoted(text: &str) -> String {
    let escaped = one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// Text of Mermaid: everything that is not a plain character as an entity.
fn entities(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if letter.is_alphanumeric() || " .,:/-_?!".contains(letter) {
            escaped.push(letter);
        } else {
            let _ = write!(escaped, "#{};", u32::from(letter));
        }
    }
    escaped
}
