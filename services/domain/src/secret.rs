//! Secrets are references. Only the browser room resolves them, at the moment of typing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a secret's value stands. The value itself never travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SecretRef {
    /// An environment variable of the process that drives the browser.
    Env(String),
    /// A file; trailing line breaks are dropped.
    File(PathBuf),
}

/// The placeholder by which instructions and actions name a secret.
pub fn placeholder(name: &str) -> String {
    format!("${{secret:{name}}}")
}

/// The placeholders that a text holds, in order.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("${secret:").filter_map(|(start, _)| {
        let end = text[start..].find('}')?;
        Some(&text[start..=start + end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_whole_and_in_order() {
        let text = format!("a {} b {}c ${{secret:open", placeholder("ONE"), placeholder("TWO"));
        assert_eq!(placeholders(&text).collect::<Vec<_>>(), ["${secret:ONE}", "${secret:TWO}"]);
    }
}
