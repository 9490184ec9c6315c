//! A cache in front of any embedder, keyed by the hash of the exact text.
//!
//! Bounded by the number of vectors. Entries never expire, since a vector depends on the text only.

use async_trait::async_trait;
use domain::language::{EmbedError, Embedder};
use moka::future::Cache;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A caching embedder.
pub struct Cached<E> {
    inner: E,
    vectors: Cache<[u8; 32], Arc<[f32]>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// How often the cache had the vector, and how often it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Texts answered from the cache, repetitions within one call included.
    pub hits: u64,
    /// Texts that were embedded.
    pub misses: u64,
}

impl<E: Embedder> Cached<E> {
    /// Remembers up to `capacity` vectors of `inner`.
    pub fn new(inner: E, capacity: u64) -> Self {
        Self { inner, vectors: Cache::new(capacity), hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// How well the cache has done so far.
    pub fn hits(&self) -> Hits {
        Hits { hits: self.hits.load(Ordering::Relaxed), misses: self.misses.load(Ordering::Relaxed) }
    }
}

#[async_trait]
impl<E: Embedder> Embedder for Cached<E> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let keys: Vec<[u8; 32]> = texts.iter().map(|text| *blake3::hash(text.as_bytes()).as_bytes()).collect();
        let mut known: HashMap<[u8; 32], Arc<[f32]>> = HashMap::new();
        let mut unknown: HashMap<[u8; 32], usize> = HashMap::new();
        let mut asked: Vec<String> = Vec::new();
        for (key, text) in keys.iter().zip(texts) {
            if known.contains_key(key) || unknown.contains_key(key) {
                continue;
            }
            if let Some(vector) = self.vectors.get(key).await {
                known.insert(*key, vector);
            } else {
                unknown.insert(*key, asked.len());
                asked.push(text.clone());
            }
        }
        self.misses.fetch_add(asked.len() as u64, Ordering::Relaxed);
        self.hits.fetch_add((texts.len() - asked.len()) as u64, Ordering::Relaxed);
        if !asked.is_empty() {
            let vectors = self.inner.embed(&asked).await?;
            if vectors.len() != asked.len() {
                return Err(EmbedError(format!("{} texts gave {} vectors", asked.len(), vectors.len())));
            }
            for (key, index) in unknown {
                let vector: Arc<[f32]> = vectors[index].as_slice().into();
                self.vectors.insert(key, Arc::clone(&vector)).await;
                known.insert(key, vector);
            }
        }
        Ok(keys.iter().filter_map(|key| known.get(key)).map(|vector| vector.to_vec()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with the length of each text, and counts what it is asked.
    #[derive(Default)]
    struct Lengths {
        asked: AtomicU64,
    }

    #[async_trait]
    impl Embedder for Lengths {
        fn dimension(&self) -> usize {
            1
        }

        async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.asked.fetch_add(texts.len() as u64, Ordering::Relaxed);
            Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
        }
    }

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[tokio::test]
    async fn a_text_is_embedded_once_and_order_is_kept() {
        let cached = Cached::new(Lengths::default(), 100);
        let first = cached.embed(&texts(&["a", "bbb", "a", "cc"])).await.expect("vectors");
        assert_eq!(first, [[1.0], [3.0], [1.0], [2.0]]);
        let second = cached.embed(&texts(&["cc", "dddd", "bbb"])).await.expect("vectors");
        assert_eq!(second, [[2.0], [4.0], [3.0]]);
        assert_eq!(cached.inner.asked.load(Ordering::Relaxed), 4);
        assert_eq!(cached.hits(), Hits { hits: 3, misses: 4 });
    }

    #[tokio::test]
    async fn the_cache_never_holds_more_than_its_capacity() {
        let cached = Cached::new(Lengths::default(), 8);
        for number in 0..200 {
            cached.embed(&[format!("text {number}")]).await.expect("vector");
        }
        cached.vectors.run_pending_tasks().await;
        assert!(cached.vectors.entry_count() <= 8, "{}", cached.vectors.entry_count());
    }
}
