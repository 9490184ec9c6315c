//! The reference of values in README.md, made from the comments of values.yaml.

use super::{chart, check_fresh, read};

const BEGIN: &str = "<!-- Made from the comments of values.yaml. -->\n";

#[test]
fn the_reference_of_values_is_made_from_their_comments() {
    let path = chart("README.md");
    let readme = read(&path);
    let (before, _) = readme.split_once(BEGIN).expect("the line that begins the reference");
    check_fresh(&path, &format!("{before}{BEGIN}\n{}", table(&read(&chart("values.yaml")))));
}

/// One row for each value that is no table of others, with the comments above it. A value without a comment is a mistake.
fn table(values: &str) -> String {
    let mut rows = String::from("| value | usual | what |\n|---|---|---|\n");
    let mut parents: Vec<&str> = Vec::new();
    let mut comment = String::new();
    let lines: Vec<&str> = values.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        let depth = (line.len() - text.len()) / 2;
        if text.is_empty() {
            comment.clear();
            continue;
        }
        if let Some(said) = text.strip_prefix('#') {
            comment = format!("{comment} {}", said.trim()).trim().to_owned();
            continue;
        }
        let (key, usual) = text.split_once(':').expect("a key");
        // What stands below `resources` is a value of its own.
        if parents.get(depth.saturating_sub(1)) == Some(&"resources") && depth > 1 {
            continue;
        }
        parents.truncate(depth);
        parents.push(key);
        assert!(!comment.is_empty(), "line {} of values.yaml: `{key}` has no comment", number + 1);
        let has_parts = lines.get(number + 1).is_some_and(|next| next.starts_with(&"  ".repeat(depth + 1)));
        if !has_parts || key == "resources" {
            let usual = usual.trim();
            let shown = if usual.is_empty() { "see `values.yaml`".to_owned() } else { format!("`{usual}`") };
            rows += &format!("| `{}` | {shown} | {} |\n", parents.join("."), comment.replace('|', "\\|"));
        }
        comment.clear();
    }
    rows
}
