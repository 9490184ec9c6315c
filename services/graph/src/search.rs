//! Finds states by topic: the cosine between the embeddings of the query and of states' summaries.

use crate::error::Error;
use domain::language::Embedder;
use domain::state::State;
use std::sync::Arc;

/// The states nearest to a query, best first.
///
/// # Errors
/// [`Error::Embedding`].
pub async fn search(
    states: &[Arc<State>],
    embedder: &dyn Embedder,
    words: &str,
    limit: usize,
) -> Result<Vec<(State, f64)>, Error> {
    // Summaries come first; the embedder's cache holds those of earlier queries.
    let mut texts: Vec<String> = states.iter().map(|state| state.summary.clone()).collect();
    texts.push(words.to_owned());
    let mut vectors = embedder.embed(&texts).await.map_err(|cause| Error::Embedding(cause.to_string()))?;
    let Some(wanted) = vectors.pop() else { return Ok(Vec::new()) };
    let likeness = |vector: &[f32]| vector.iter().zip(&wanted).map(|(one, other)| f64::from(one * other)).sum::<f64>();
    let mut found: Vec<(&State, f64)> =
        states.iter().zip(&vectors).map(|(state, vector)| (state.as_ref(), likeness(vector))).collect();
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.id.cmp(&other.0.id)));
    Ok(found.into_iter().take(limit).map(|(state, likeness)| (state.clone(), likeness)).collect())
}
