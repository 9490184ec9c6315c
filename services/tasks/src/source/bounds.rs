//! How deep and how large a YAML document may be. Both are judged before anything is built of it: what nests too deeply would end
//! the process, and a few lines of references to references stand for more than any memory holds.

use saphyr_parser::{Event, Parser};
use std::collections::HashMap;

/// Parts within parts.
const DEPTH: usize = 64;
/// Parts in all, each as often as it is referred to.
const PARTS: usize = 200_000;
/// Parts that only references stand for: a few letters each, and so not bounded by the size of the file.
const REFERRED: usize = 20_000;

/// What is too much of a document, and where.
pub(super) struct TooMuch {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

/// A part that others may refer to.
#[derive(Clone, Copy, Default)]
struct Part {
    parts: usize,
    depth: usize,
}

/// A part that has begun.
struct Open {
    anchor: usize,
    /// Parts before it.
    before: usize,
    /// The depth of the deepest part in it.
    deepest: usize,
}

/// Refuses what is too deep or too large. What is no YAML is not judged here.
pub(super) fn check(text: &str) -> Result<(), TooMuch> {
    let (mut open, mut anchored): (Vec<Open>, HashMap<usize, Part>) = (Vec::new(), HashMap::new());
    let (mut parts, mut referred) = (0_usize, 0_usize);
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { return Ok(()) };
        let part = match event {
            Event::Scalar(_, _, anchor, _) => {
                anchored.insert(anchor, Part { parts: 1, depth: 1 });
                Part { parts: 1, depth: 1 }
            }
            Event::Alias(anchor) => {
                let part = anchored.get(&anchor).copied().unwrap_or_default();
                referred = referred.saturating_add(part.parts);
                part
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                open.push(Open { anchor, before: parts, deepest: open.len() + 1 });
                Part { parts: 1, depth: 0 }
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(ended) = open.pop() {
                    let depth = ended.deepest - open.len();
                    anchored.insert(ended.anchor, Part { parts: parts - ended.before, depth });
                    if let Some(around) = open.last_mut() {
                        around.deepest = around.deepest.max(ended.deepest);
                    }
                }
                continue;
            }
            _ => continue,
        };
        parts = parts.saturating_add(part.parts);
        let depth = open.len() + part.depth;
        if let Some(around) = open.last_mut() {
            around.deepest = around.deepest.max(depth);
        }
        let message = match (depth > DEPTH, parts > PARTS, referred > REFERRED) {
            (true, ..) => format!("parts lie within parts, more than {DEPTH} deep"),
            (_, true, _) => format!("the document has more than {PARTS} parts, those counted that it refers to"),
            (_, _, true) => format!("its references stand for more than {REFERRED} parts: write out what it refers to"),
            _ => continue,
        };
        return Err(TooMuch { line: span.start.line(), column: span.start.col() + 1, message });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Option<String> {
        check(text).err().map(|found| found.message)
    }

    #[test]
    fn what_nests_too_deeply_is_refused_in_every_form_and_through_references() {
        let deep = |times: usize| ["[".repeat(times), "- ".repeat(times), "{a: ".repeat(times)];
        for (fits, too_deep) in deep(DEPTH - 1).iter().zip(deep(DEPTH + 1)) {
            assert_eq!(message(fits), None, "{fits}");
            assert!(message(&too_deep).is_some_and(|message| message.contains("deep")), "{too_deep}");
        }
        let (half, inner) = ("[".repeat(40), "]".repeat(40));
        let twice = format!("a: &a {half}{inner}\nb: {half}*a{inner}\n");
        assert!(message(&twice).is_some_and(|message| message.contains("deep")));
    }

    #[test]
    fn references_count_as_what_they_stand_for() {
        let lines =
            (1..12).map(|line| format!("l{line}: &l{line} [{}]", vec![format!("*l{}", line - 1); 9].join(", ")));
        let bomb = format!("l0: &l0 x\n{}\n", lines.collect::<Vec<_>>().join("\n"));
        assert!(message(&bomb).is_some_and(|message| message.contains("refers to")));
        assert_eq!(message("a: &a [1, 2]\nb: [*a, *a]\n"), None);
        let hundred =
            |times: usize| format!("a: &a [{}]\nb: [{}]\n", ["x"; 99].join(", "), vec!["*a"; times].join(", "));
        assert_eq!(message(&hundred(REFERRED / 100)), None);
        assert!(message(&hundred(REFERRED / 100 + 1)).is_some_and(|message| message.contains("references stand")));
    }

    #[test]
    fn the_place_of_what_is_too_much_is_told() {
        let found = check(&format!("a: 1\nb: {}", "[".repeat(DEPTH + 1))).expect_err("too deep");
        assert_eq!((found.line, found.column > DEPTH), (2, true));
    }
}
