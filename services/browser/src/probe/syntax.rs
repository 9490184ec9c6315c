//! Checks our scripts without a browser. A probe that does not parse, or declares a name twice, would leave every page
//! undescribed.

use super::{ADOPT, ELEMENT, FILL, FRAMES, INSTALL, LETTERS, LOCATE, LOCATE_OPTION, MARK_LATE, STAYS, STEP, UNVEIL};
use std::collections::HashSet;
use tree_sitter::{Node, Parser};

/// Syntax errors, and names that a scope declares twice, functions included: of those the last would silently win.
fn faults(script: &str) -> Vec<String> {
    // Scripts are anonymous function expressions.
    let text = format!("({script})");
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).expect("the grammar is of the parser's version");
    let tree = parser.parse(&text, None).expect("a parser without a time limit ends");
    let mut faults = Vec::new();
    let mut left = vec![tree.root_node()];
    while let Some(node) = left.pop() {
        if node.is_error() || node.is_missing() {
            let line = node.start_position().row;
            let shown = text.lines().nth(line).unwrap_or_default();
            faults.push(format!("line {}, `{}`: {}", line + 1, shown.trim(), node.kind()));
        }
        let mut known = HashSet::new();
        let names = declared(node).into_iter().map(|name| &text[name.byte_range()]);
        faults.extend(names.filter(|name| !known.insert(*name)).map(|name| format!("`{name}` is declared twice")));
        left.extend(children(node));
    }
    faults
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// Names that a block itself declares, plus the parameters if it is a function body.
fn declared(block: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    if block.kind() != "statement_block" {
        return names;
    }
    let function = block.parent().filter(|parent| parent.child_by_field_name("body") == Some(block));
    if let Some(function) = function {
        let parameters = ["parameters", "parameter"].into_iter().find_map(|name| function.child_by_field_name(name));
        parameters.into_iter().for_each(|parameters| bound(parameters, &mut names));
    }
    for statement in children(block) {
        match statement.kind() {
            "lexical_declaration" | "variable_declaration" => {
                let declarators = children(statement).into_iter();
                let bindings = declarators.filter_map(|declarator| declarator.child_by_field_name("name"));
                bindings.for_each(|binding| bound(binding, &mut names));
            }
            "function_declaration" | "generator_function_declaration" | "class_declaration" => {
                names.extend(statement.child_by_field_name("name"));
            }
            _ => {}
        }
    }
    names
}

/// Names bound by a pattern, without its keys and defaults.
fn bound<'a>(pattern: Node<'a>, names: &mut Vec<Node<'a>>) {
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => names.push(pattern),
        "assignment_pattern" | "object_assignment_pattern" => {
            pattern.child_by_field_name("left").into_iter().for_each(|left| bound(left, names));
        }
        "pair_pattern" => pattern.child_by_field_name("value").into_iter().for_each(|value| bound(value, names)),
        _ => children(pattern).into_iter().for_each(|part| bound(part, names)),
    }
}

#[test]
fn every_script_parses_and_no_scope_declares_a_name_twice() {
    for script in
        [INSTALL, STEP, ADOPT, LOCATE, UNVEIL, LOCATE_OPTION, FILL, LETTERS, MARK_LATE, STAYS, ELEMENT, FRAMES]
    {
        assert_eq!(faults(script), [""; 0], "{script:.60}…");
    }
}

#[test]
fn what_a_browser_would_refuse_is_found() {
    let twice = [
        "() => { const a = 1; const b = 2; let a = 3; }",
        "() => { const { a, b: [c = d] } = x; function c() {} }",
        "() => { function a() {} if (x) { let b; } function a() {} }",
        "(a, { b }) => { const b = a; }",
    ];
    for script in twice {
        let found = faults(script);
        assert!(found.len() == 1 && found[0].ends_with("declared twice"), "{script}: {found:?}");
    }
    assert!(!faults("() => { const = 1; }").is_empty() && !faults("() => { f(; }").is_empty());
    assert_eq!(faults("(a) => { const b = a; if (b) { const a = b; } for (const b of a) f(b); }"), [""; 0]);
}
