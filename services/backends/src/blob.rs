//! Blobs by content.

mod directory;
mod memory;
pub mod suite;

pub use directory::BlobDirectory;
pub use memory::BlobMemory;

use domain::BlobRef;

/// The reference of some content.
pub fn reference(content: &[u8]) -> BlobRef {
    BlobRef(blake3::hash(content).to_hex().to_string())
}
