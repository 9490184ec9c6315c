//! Why bytes are no record.

/// Why a record could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are no protobuf message of this kind.
    #[error("read record: {0}")]
    Malformed(String),
    /// A field that must be there is not.
    #[error("read record: field `{0}` is missing")]
    Missing(&'static str),
    /// A field holds something that cannot be.
    #[error("read record: field `{field}`: {cause}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        cause: String,
    },
    /// The record was written by a newer version.
    #[error("read record: schema version {found} is newer than {known}; update this program")]
    Newer {
        /// Version of the record.
        found: u32,
        /// Newest version that this program knows.
        known: u32,
    },
}

/// The value of a field that must be there.
pub(crate) fn required<T>(value: Option<T>, field: &'static str) -> Result<T, Error> {
    value.ok_or(Error::Missing(field))
}
