//! Text to vectors: the sentence encoder all-MiniLM-L6-v2 in this process, batched, off the async runtime and cached.
//!
//! This room never downloads anything and never talks to the network: weights are files that `make setup` put down.
//! Whoever needs vectors holds an `Arc<dyn domain::language::Embedder>` and knows nothing of this room.

mod batched;
mod cached;
mod error;
mod lazy;
mod minilm;
mod weights;

pub use batched::Batched;
pub use cached::{Cached, Hits};
pub use error::Error;
pub use lazy::LazyEmbedder;
pub use minilm::MiniLm;
pub use weights::{DIRECTORY_VARIABLE, Weights};

/// How many vectors the default cache holds; at 384 components they take about 25 MB.
pub const CACHE_CAPACITY: u64 = 16_384;

/// The embedder that Rutter uses by default: MiniLM from the weights that are found, which gathers
/// concurrent calls into batches, with a bounded cache in front.
///
/// Loading reads 90 MB and takes a moment: do it once per process, on a blocking thread where it matters.
///
/// # Errors
/// [`Error`] when the weights are missing or damaged.
pub fn in_process() -> Result<Cached<Batched<MiniLm>>, Error> {
    Ok(Cached::new(Batched::new(MiniLm::load(&Weights::find()?)?), CACHE_CAPACITY))
}
