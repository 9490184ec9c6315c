//! Blobs by content.

mod directory;
mod memory;
mod objects;
pub mod suite;
mod sweep;
#[cfg(test)]
mod tests;

pub use directory::BlobDirectory;
pub use memory::BlobMemory;
pub use objects::{BlobObjects, S3Options};
pub use sweep::{Sweep, Swept};

use domain::BlobRef;

/// The reference of some content.
pub fn reference(content: &[u8]) -> BlobRef {
    BlobRef(blake3::hash(content).to_hex().to_string())
}

/// Whether this can be the reference of some content; nothing else may become part of a path.
fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
