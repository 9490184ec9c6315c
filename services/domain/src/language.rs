//! Seams to models: text to vectors.

use async_trait::async_trait;

/// Turns texts into vectors.
///
/// Contract: vectors come in the order of the texts, all of one length, of unit norm; a batch gives the same vectors as
/// the single texts (within 1e-4 per component).
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Length of each vector.
    fn dimension(&self) -> usize;

    /// The vectors of the texts.
    ///
    /// # Errors
    /// A sentence about the cause.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why texts could not be embedded.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct EmbedError(pub String);
