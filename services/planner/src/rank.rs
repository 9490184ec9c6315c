//! Ranking texts by how nearly they mean what is wanted, by embeddings.

use domain::decision::PlannerError;
use domain::language::Embedder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How texts are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RankOptions {
    /// How many are kept, the nearest first.
    #[schemars(range(min = 1))]
    pub keep: usize,
    /// What the similarity of something that was used before is multiplied by.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub used_factor: f64,
}

impl Default for RankOptions {
    fn default() -> Self {
        Self { keep: 40, used_factor: 0.5 }
    }
}

/// A text's place in a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its index among the texts.
    pub index: usize,
    /// How near it is.
    pub score: f64,
}

/// The cosine of each text with what is wanted, in the order of the texts.
///
/// # Errors
/// When the embedder fails.
pub async fn similarities(embedder: &dyn Embedder, wanted: &str, texts: &[String]) -> Result<Vec<f64>, PlannerError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    Ok(matrix(embedder, &[wanted.to_owned()], texts).await?.swap_remove(0))
}

/// The cosine of each text with each of several things that are wanted: a row for each of these.
///
/// # Errors
/// When the embedder fails.
pub async fn matrix(
    embedder: &dyn Embedder,
    wanted: &[String],
    texts: &[String],
) -> Result<Vec<Vec<f64>>, PlannerError> {
    let all = [wanted, texts].concat();
    let vectors = embedder.embed(&all).await.map_err(|error| PlannerError::Embedding(error.to_string()))?;
    let missing = || PlannerError::Embedding(format!("{} vectors for {} texts", vectors.len(), all.len()));
    let (wanted, texts) = vectors.split_at_checked(wanted.len()).ok_or_else(missing)?;
    let row = |wanted: &Vec<f32>| texts.iter().map(|text| cosine(wanted, text)).collect();
    Ok(wanted.iter().map(row).collect())
}

/// The nearest texts first. `used` says of an index whether it was used before; equals stay in their order.
///
/// # Errors
/// When the embedder fails.
pub async fn rank(
    embedder: &dyn Embedder,
    wanted: &str,
    texts: &[String],
    used: impl Fn(usize) -> bool,
    options: &RankOptions,
) -> Result<Vec<Ranked>, PlannerError> {
    let scores = similarities(embedder, wanted, texts).await?;
    let factor = |index| if used(index) { options.used_factor } else { 1.0 };
    let mut ranked: Vec<Ranked> =
        scores.into_iter().enumerate().map(|(index, score)| Ranked { index, score: score * factor(index) }).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked.truncate(options.keep);
    Ok(ranked)
}

/// The cosine of two vectors of unit norm.
fn cosine(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use domain::language::EmbedError;

    /// A text is its share of the letter `a` and of all others.
    struct Letters;

    #[async_trait]
    impl Embedder for Letters {
        fn dimension(&self) -> usize {
            2
        }

        async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            let vector = |text: &String| {
                let a = text.matches('a').count() as f32;
                let rest = text.len() as f32 - a;
                let norm = a.hypot(rest).max(f32::EPSILON);
                vec![a / norm, rest / norm]
            };
            Ok(texts.iter().map(vector).collect())
        }
    }

    fn texts() -> Vec<String> {
        ["bbb", "aab", "aaa"].map(String::from).to_vec()
    }

    async fn order(used: impl Fn(usize) -> bool, options: &RankOptions) -> Vec<usize> {
        let ranked = rank(&Letters, "aaaa", &texts(), used, options).await.expect("ranked");
        ranked.into_iter().map(|ranked| ranked.index).collect()
    }

    #[tokio::test]
    async fn the_nearest_come_first_and_no_more_than_are_kept() {
        assert_eq!(order(|_| false, &RankOptions::default()).await, [2, 1, 0]);
        assert_eq!(order(|_| false, &RankOptions { keep: 1, ..RankOptions::default() }).await, [2]);
    }

    #[tokio::test]
    async fn what_was_used_before_falls_behind_by_its_factor() {
        assert_eq!(order(|index| index == 2, &RankOptions::default()).await, [1, 2, 0]);
        let no_penalty = RankOptions { used_factor: 1.0, ..RankOptions::default() };
        assert_eq!(order(|index| index == 2, &no_penalty).await, [2, 1, 0]);
    }

    #[tokio::test]
    async fn nothing_is_embedded_where_there_is_nothing_to_rank() {
        assert_eq!(similarities(&Letters, "a", &[]).await.expect("none"), Vec::<f64>::new());
    }
}
