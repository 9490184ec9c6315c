//! Encodes what this room stores as bytes: fingerprints, and what was learnt of a site.

use crate::abstraction::Fingerprint;
use crate::error::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Format version, the first byte of every encoding.
const FORMAT: u8 = 1;

/// A fingerprint as stores keep it.
///
/// # Errors
/// [`Error::Corrupt`] when it cannot be encoded.
pub fn encoded(fingerprint: &Fingerprint) -> Result<Vec<u8>, Error> {
    encode("the fingerprint of a state", fingerprint)
}

/// A value as bytes.
pub(crate) fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, Error> {
    postcard::to_extend(value, vec![FORMAT]).map_err(|cause| Error::Corrupt { what, cause: cause.to_string() })
}

/// Back from bytes.
pub(crate) fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, Error> {
    match bytes.split_first() {
        Some((&FORMAT, rest)) => {
            postcard::from_bytes(rest).map_err(|cause| Error::Corrupt { what, cause: cause.to_string() })
        }
        Some((format, _)) => Err(Error::Corrupt { what, cause: format!("it has format {format}, {FORMAT} is known") }),
        None => Err(Error::Corrupt { what, cause: "it is empty".to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_read_back_and_other_formats_are_refused() {
        let bytes = encode("numbers", &vec![1u64, 2, 3]).unwrap();
        assert_eq!(decode::<Vec<u64>>("numbers", &bytes).unwrap(), [1, 2, 3]);
        let newer = [&[9], &bytes[1..]].concat();
        let refused = decode::<Vec<u64>>("numbers", &newer).unwrap_err().to_string();
        assert_eq!(refused, "read numbers: it has format 9, 1 is known; was it written by a newer version?");
    }
}
