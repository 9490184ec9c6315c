//! all-MiniLM-L6-v2 by candle: a BERT encoder, mean pooling over the real tokens, unit length.
//!
//! Texts are sorted by length and encoded in batches, so that little is spent on padding. The arithmetic runs on
//! blocking threads, at most one call per core, never on the async runtime.

use crate::{Error, Weights};
use async_trait::async_trait;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use domain::language::{EmbedError, Embedder};
use std::path::Path;
use std::sync::Arc;
use tokenizers::{Encoding, Tokenizer, TruncationParams};
use tokio::sync::Semaphore;

/// Texts per batch. Measured: 32 to 64 are alike, single texts take twice as long.
const BATCH: usize = 32;

/// Components of a vector of the published model.
pub(crate) const DIMENSION: usize = 384;

/// Tokens after which a text is cut, as in the published model.
const MAX_TOKENS: usize = 256;

/// The sentence encoder in this process.
#[derive(Clone)]
pub struct MiniLm {
    encoder: Arc<Encoder>,
    slots: Arc<Semaphore>,
    dimension: usize,
}

struct Encoder {
    model: BertModel,
    tokenizer: Tokenizer,
    device: Device,
}

impl MiniLm {
    /// Reads the weights. Takes a moment and blocks.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::Damaged`].
    pub fn load(weights: &Weights) -> Result<MiniLm, Error> {
        let config: Config = serde_json::from_slice(&read(&weights.config())?).map_err(damaged(&weights.config()))?;
        let mut tokenizer =
            Tokenizer::from_bytes(read(&weights.tokenizer())?).map_err(damaged(&weights.tokenizer()))?;
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() }))
            .map_err(damaged(&weights.tokenizer()))?;
        let device = Device::Cpu;
        let tensors = VarBuilder::from_buffered_safetensors(read(&weights.model())?, DType::F32, &device)
            .map_err(damaged(&weights.model()))?;
        let model = BertModel::load(tensors, &config).map_err(damaged(&weights.model()))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(MiniLm {
            encoder: Arc::new(Encoder { model, tokenizer, device }),
            slots: Arc::new(Semaphore::new(cores)),
            dimension: config.hidden_size,
        })
    }
}

#[async_trait]
impl Embedder for MiniLm {
    fn dimension(&self) -> usize {
        self.dimension
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|closed| EmbedError(closed.to_string()))?;
        let encoder = Arc::clone(&self.encoder);
        let texts = texts.to_vec();
        let encoded = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            encoder.encode(&texts)
        });
        Ok(encoded.await.map_err(|failed| EmbedError(format!("encode text: {failed}")))??)
    }
}

impl Encoder {
    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let inputs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let encodings = self.tokenizer.encode_batch(inputs, true).map_err(|e| Error::Encode(e.to_string()))?;
        let mut by_length: Vec<usize> = (0..encodings.len()).collect();
        by_length.sort_by_key(|&index| encodings[index].len());
        let mut vectors = vec![Vec::new(); encodings.len()];
        for batch in by_length.chunks(BATCH) {
            let members: Vec<&Encoding> = batch.iter().map(|&index| &encodings[index]).collect();
            let encoded = self.encode_batch(&members).map_err(|e| Error::Encode(e.to_string()))?;
            for (&index, vector) in batch.iter().zip(encoded) {
                vectors[index] = vector;
            }
        }
        Ok(vectors)
    }

    fn encode_batch(&self, encodings: &[&Encoding]) -> candle_core::Result<Vec<Vec<f32>>> {
        let rows = encodings.len();
        let longest = encodings.iter().map(|encoding| encoding.len()).max().unwrap_or(0);
        let mut ids = vec![0u32; rows * longest];
        let mut mask = vec![0f32; rows * longest];
        for (row, encoding) in encodings.iter().enumerate() {
            for (column, id) in encoding.get_ids().iter().enumerate() {
                ids[row * longest + column] = *id;
                mask[row * longest + column] = 1.0;
            }
        }
        let ids = Tensor::from_vec(ids, (rows, longest), &self.device)?;
        let mask = Tensor::from_vec(mask, (rows, longest), &self.device)?;
        let hidden = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        mean_of_unit_length(&hidden, &mask)?.to_vec2()
    }
}

/// The mean over the tokens that are no padding, scaled to unit length. Every text has at least its two marker tokens,
/// so that no row is empty.
fn mean_of_unit_length(hidden: &Tensor, mask: &Tensor) -> candle_core::Result<Tensor> {
    let sum = hidden.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?;
    let mean = sum.broadcast_div(&mask.sum_keepdim(1)?)?;
    let norm = mean.sqr()?.sum_keepdim(1)?.sqrt()?;
    mean.broadcast_div(&norm)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn damaged<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> Error {
    let path = path.to_owned();
    move |cause| Error::Damaged { path, cause: cause.to_string() }
}
