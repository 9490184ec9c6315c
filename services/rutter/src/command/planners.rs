//! `rutter planners`: what there is to decide, what each needs, and all of its options.

use crate::cli::{Output, Planners};
use crate::exit::{Exit, OrExit as _, Outcome};
use crate::print;
use planner::Registry;
use planner::registry::{Entry, OptionRow};
use serde_json::Value;
use std::fmt::Write as _;

/// Lists the planners.
pub(crate) fn execute(args: &Planners) -> Outcome {
    let registry = Registry::default();
    let entries: Vec<&Entry> = match &args.name {
        Some(name) => vec![registry.entry(name).or_exit(Exit::Usage)?],
        None => registry.entries().iter().collect(),
    };
    match args.output.output {
        Output::Json => print::json(&entries.iter().map(|entry| entry.to_json()).collect::<Vec<Value>>())?,
        Output::Table => print::text_out(table(&entries).trim_end())?,
    }
    Ok(Exit::Success)
}

fn table(entries: &[&Entry]) -> String {
    let mut page = String::new();
    for entry in entries {
        // Writing to memory does not fail.
        let _ = writeln!(page, "{}: {}\n  needs {}", entry.name, entry.help, entry.needs_in_words());
        let presets: Vec<&str> = entry.presets.iter().map(|preset| preset.name()).collect();
        if !presets.is_empty() {
            let _ = writeln!(page, "  presets {}", presets.join(", "));
        }
        let options = entry.options();
        let width = options.iter().map(|row| row.key.len()).max().unwrap_or_default();
        for row in options {
            let _ = writeln!(
                page,
                "  {:width$}  {}\n  {:width$}  {}; {}",
                row.key,
                row.help,
                "",
                row.values,
                defaults(&row, &presets)
            );
        }
        page.push('\n');
    }
    page
}

/// What an option is where nobody sets it: once where all presets agree.
fn defaults(row: &OptionRow, presets: &[&str]) -> String {
    let is_same = row.defaults.windows(2).all(|pair| pair[0] == pair[1]);
    match row.defaults.first() {
        Some(value) if is_same => format!("default {value}"),
        _ => {
            let each = presets.iter().zip(&row.defaults).map(|(preset, value)| format!("{value} in {preset}"));
            format!("default {}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planner_is_listed_with_what_it_needs_and_every_option() {
        let registry = Registry::default();
        let page = table(&registry.entries().iter().collect::<Vec<_>>());
        for entry in registry.entries() {
            assert!(page.contains(entry.help), "{page}");
            for row in entry.options() {
                assert!(page.contains(&format!("  {} ", row.key)), "{} of {}: {page}", row.key, entry.name);
            }
        }
        assert!(page.contains("needs model (reasoner), [describer], [vision], [grounder], [marks]"), "{page}");
        assert!(page.contains("default \"second_question\" in published, \"with_choice\" in ours"), "{page}");
    }
}
