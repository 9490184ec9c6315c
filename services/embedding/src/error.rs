//! What can go wrong in this room.

use std::path::PathBuf;

/// Why text cannot be embedded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The weights are nowhere.
    #[error(
        "find the sentence encoder: no {missing} in {}; run `make setup`, or set {variable} to a directory with \
         model.safetensors, tokenizer.json and config.json of all-MiniLM-L6-v2",
        looked_in.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    Missing {
        /// The first file that is missing.
        missing: String,
        /// The directories that were looked into.
        looked_in: Vec<PathBuf>,
        /// The environment variable that names the directory.
        variable: &'static str,
    },
    /// A file cannot be read.
    #[error("read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("load {}: {cause}; remove the file and run `make setup`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: String,
    },
    /// The encoder failed on a text.
    #[error("encode text: {0}")]
    Encode(String),
}

impl From<Error> for domain::language::EmbedError {
    fn from(error: Error) -> Self {
        domain::language::EmbedError(error.to_string())
    }
}
