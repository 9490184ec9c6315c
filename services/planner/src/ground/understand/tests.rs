//! Everyday wordings and their goals.

use super::explain;

/// A wording, and the goals that it means.
fn wordings(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut cases: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("  "), cases.last_mut()) {
            (Some(goal), Some((_, goals))) => goals.push(goal),
            _ => cases.push((line, Vec::new())),
        }
    }
    cases
}

/// The wordings of a table that mean other goals to the grammar than the table says.
fn misread(table: &str) -> Vec<String> {
    let cases = wordings(table);
    assert!(cases.len() >= 40);
    let read = |instruction: &str| explain(instruction).iter().map(ToString::to_string).collect::<Vec<_>>();
    cases
        .into_iter()
        .filter(|(instruction, goals)| read(instruction) != *goals)
        .map(|(instruction, goals)| format!("{instruction}\n  is {:#?}\n  not {goals:#?}", read(instruction)))
        .collect()
}

#[test]
fn everyday_wordings_are_understood() {
    let misread = misread(include_str!("wordings.txt"));
    assert!(misread.is_empty(), "{}\n{} are misread", misread.join("\n"), misread.len());
}

#[test]
fn wordings_that_the_grammar_was_not_made_for_are_understood() {
    let misread = misread(include_str!("wordings_kept_back.txt"));
    assert!(misread.is_empty(), "{}", misread.join("\n"));
}

/// The examples of the documentation, as a table of the same form.
fn documented() -> String {
    let page = include_str!("../../../../../docs/planners.md");
    let (_, rest) = page.split_once("<!-- wordings -->").expect("the table begins");
    let (table, _) = rest.split_once("<!-- /wordings -->").expect("the table ends");
    let lines = table.lines().filter(|line| !line.starts_with("```"));
    lines.map(|line| line.replace("  -> ", "  ") + "\n").collect()
}

#[test]
fn the_documentation_has_sixty_examples_that_are_read_as_it_says() {
    let documented = documented();
    assert!(wordings(&documented).len() >= 60);
    let misread = misread(&documented);
    assert!(misread.is_empty(), "{}", misread.join("\n"));
}
