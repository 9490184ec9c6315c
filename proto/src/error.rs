//! Why bytes are no message of ours.

/// Why a record, request or answer could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are no protobuf message of this kind.
    #[error("read message: {0}")]
    Malformed(String),
    /// A field that must be there is not.
    #[error("read message: field `{0}` is missing")]
    Missing(&'static str),
    /// A field holds something that cannot be.
    #[error("read message: field `{field}`: {cause}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        cause: String,
    },
    /// It was written by a newer version.
    #[error("read message: schema version {found} is newer than {known}; update this program")]
    Newer {
        /// Its version.
        found: u32,
        /// Newest version that this program knows.
        known: u32,
    },
}

/// The value of a field that must be there.
pub(crate) fn required<T>(value: Option<T>, field: &'static str) -> Result<T, Error> {
    value.ok_or(Error::Missing(field))
}
