//! Reading back what was stored as JSON with the version of its format in it.

use crate::Error;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// What a stored file says of itself, whatever else is in it.
#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

/// What the text of a file says. Its format is looked at first, for one of another version need not have the same fields.
///
/// # Errors
/// [`Error::RunFormat`] for another format than the known one; [`Error::RunSettings`] for what cannot be read.
pub(crate) fn parse<T: DeserializeOwned>(file: PathBuf, text: &str, known: u32) -> Result<T, Error> {
    let read = serde_json::from_str::<Versioned>(text).and_then(|stored| match stored.format == known {
        true => serde_json::from_str(text).map(Ok),
        false => Ok(Err(stored.format)),
    });
    match read {
        Ok(Ok(settings)) => Ok(settings),
        Ok(Err(format)) => Err(Error::RunFormat { file, format, known }),
        Err(source) => Err(Error::RunSettings { file, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Named {
        name: String,
    }

    fn read(text: &str) -> Result<String, Error> {
        parse::<Named>(PathBuf::from("named.json"), text, 2).map(|named| named.name)
    }

    #[test]
    fn another_version_is_named_though_its_fields_differ_and_what_is_broken_is_told_by_its_file() {
        assert_eq!(read(r#"{"format": 2, "name": "a"}"#).expect("readable"), "a");
        assert!(matches!(read(r#"{"format": 3, "title": "a"}"#), Err(Error::RunFormat { format: 3, known: 2, .. })));
        for broken in ["", "{}", r#"{"format": 2, "title": "a"}"#] {
            let error = read(broken).expect_err("broken").to_string();
            assert!(error.contains("named.json"), "{error}");
        }
    }
}
