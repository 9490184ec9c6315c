//! The reference store: functionalities, each with a concrete task of it (NaviQAte, retrieval-augmented concretisation).

use crate::rank::{RankOptions, rank};
use domain::decision::PlannerError;
use domain::language::Embedder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The pairs that come with the product.
static BUILT_IN: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("references.json"))
        .expect("the pairs that come with the product are a list of pairs")
});

/// A functionality without parameters, and a task that is an instance of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// In words, with its parameters left open.
    pub functionality: String,
    /// In words, with its parameters filled in.
    pub task: String,
}

/// From which pairs a functionality is made concrete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReferenceOptions {
    /// How many of the most similar pairs are shown; 0 for none.
    pub nearest: usize,
    /// Whether the pairs that come with the product are among them.
    pub built_in: bool,
    /// One's own pairs: a list of records with `functionality` and `task`.
    pub pairs: Vec<Pair>,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        Self { nearest: 3, built_in: true, pairs: Vec::new() }
    }
}

impl ReferenceOptions {
    /// All pairs, one's own first.
    pub fn all(&self) -> Vec<Pair> {
        let built_in = BUILT_IN.iter().filter(|_| self.built_in);
        self.pairs.iter().chain(built_in).cloned().collect()
    }

    /// The pairs that are most similar to a functionality, the nearest first.
    ///
    /// # Errors
    /// The encoder fails.
    pub(super) async fn nearest(&self, embedder: &dyn Embedder, wanted: &str) -> Result<Vec<Pair>, PlannerError> {
        if self.nearest == 0 {
            return Ok(Vec::new());
        }
        let pairs = self.all();
        let texts: Vec<String> = pairs.iter().map(|pair| pair.functionality.clone()).collect();
        let options = RankOptions { keep: self.nearest, used_factor: 1.0 };
        let ranked = rank(embedder, wanted, &texts, |_| false, &options).await?;
        Ok(ranked.into_iter().filter_map(|ranked| pairs.get(ranked.index).cloned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_store_has_forty_pairs_and_more_and_no_functionality_twice() {
        let all = ReferenceOptions::default().all();
        let different: BTreeSet<&str> = all.iter().map(|pair| pair.functionality.as_str()).collect();
        assert!(all.len() >= 40 && different.len() == all.len(), "{}", all.len());
    }

    #[test]
    fn own_pairs_come_first_and_can_be_the_only_ones() {
        let own = Pair { functionality: "Water a plant".into(), task: "Water the fern".into() };
        let options = ReferenceOptions { pairs: vec![own.clone()], ..ReferenceOptions::default() };
        assert_eq!(options.all()[0], own);
        assert_eq!(ReferenceOptions { built_in: false, ..options }.all(), [own]);
    }
}
