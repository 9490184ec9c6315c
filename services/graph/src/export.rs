//! A map for other programs: JSON, GraphML, DOT and Mermaid. What pages say is escaped: it is data there, never markup.

use domain::Descriptor;
use domain::action::Action;
use domain::state::{Map, State, Transition};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

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

/// What is done, for people.
pub fn described(action: &Action<Descriptor>) -> String {
    let kind = serde_json::to_value(action.kind()).ok().and_then(|kind| kind.as_str().map(str::to_owned));
    let kind = kind.unwrap_or_default();
    match action {
        Action::Goto { url } => format!("{kind} {url}"),
        other => other.element().map_or(kind.clone(), |element| format!("{kind} {}", element.title())),
    }
}

fn name(state: &State) -> &str {
    [&state.title, &state.template].into_iter().find(|name| !name.is_empty()).map_or("", String::as_str)
}

/// The share of tries that led here and succeeded, in per cent.
fn per_cent(transition: &Transition) -> u64 {
    100 * transition.tally.succeeded / transition.tally.count.max(1)
}

fn graph_ml(map: &Map) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    let keys = [
        ("title", "node", "string"),
        ("url", "node", "string"),
        ("action", "edge", "string"),
        ("count", "edge", "long"),
        ("succeeded", "edge", "long"),
        ("latency_ms", "edge", "long"),
    ];
    for (key, of, kind) in keys {
        let _ = writeln!(text, "  <key id=\"{key}\" for=\"{of}\" attr.name=\"{key}\" attr.type=\"{kind}\"/>");
    }
    text.push_str("  <graph edgedefault=\"directed\">\n");
    for state in &map.states {
        let (title, url) = (xml(name(state)), xml(&state.url));
        let data = format!("<data key=\"title\">{title}</data><data key=\"url\">{url}</data>");
        let _ = writeln!(text, "    <node id=\"s{}\">{data}</node>", state.id);
    }
    for transition in &map.transitions {
        let Transition { from, to, action, tally, .. } = transition;
        let mut data = format!("<data key=\"action\">{}</data>", xml(&described(action)));
        for (key, number) in [("count", tally.count), ("succeeded", tally.succeeded), ("latency_ms", tally.latency_ms)]
        {
            let _ = write!(data, "<data key=\"{key}\">{number}</data>");
        }
        let _ = writeln!(text, "    <edge source=\"s{from}\" target=\"s{to}\">{data}</edge>");
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn dot(map: &Map) -> String {
    let mut text = String::from("digraph map {\n  rankdir=LR;\n  node [shape=box];\n");
    for state in &map.states {
        let _ = writeln!(text, "  s{} [label={}];", state.id, quoted(name(state)));
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
    for state in &map.states {
        let _ = writeln!(text, "  s{}[\"{}\"]", state.id, entities(name(state)));
    }
    for transition in &map.transitions {
        let label = entities(&described(&transition.action));
        let _ = writeln!(text, "  s{} -->|\"{label}\"| s{}", transition.from, transition.to);
    }
    text
}

/// Text of XML. Characters that XML does not allow are left out.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            letter if letter.is_control() && !matches!(letter, '\t' | '\n' | '\r') => {}
            letter => escaped.push(letter),
        }
    }
    escaped
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
