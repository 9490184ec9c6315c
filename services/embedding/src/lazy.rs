//! An embedder that loads its weights on first use, since most processes never need them.

use crate::{Batched, Cached, Error, MiniLm, in_process, minilm};
use async_trait::async_trait;
use domain::language::{EmbedError, Embedder};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The embedder that Rutter uses by default. Clones share it; it is loaded once.
#[derive(Clone, Default)]
pub struct LazyEmbedder {
    loaded: Arc<OnceCell<Cached<Batched<MiniLm>>>>,
}

impl LazyEmbedder {
    /// Loads it if it is not loaded yet.
    ///
    /// # Errors
    /// [`Error`] when the weights are missing or damaged; a later call tries again.
    pub async fn load(&self) -> Result<&impl Embedder, Error> {
        let load = || async {
            let loaded = tokio::task::spawn_blocking(in_process).await;
            loaded.unwrap_or_else(|died| Err(Error::Encode(format!("loading died: {died}"))))
        };
        self.loaded.get_or_try_init(load).await
    }
}

#[async_trait]
impl Embedder for LazyEmbedder {
    fn dimension(&self) -> usize {
        self.loaded.get().map_or(minilm::DIMENSION, Embedder::dimension)
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.load().await?.embed(texts).await
    }
}
