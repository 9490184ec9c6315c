//! Options of planners as JSON: read, overlaid, set one by one, compared. Every mistake names its option.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// What is wrong with an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The option, its parts joined by `.`; empty for the options as a whole.
    pub key: String,
    /// What is wrong, and what is possible.
    pub cause: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "options: {}", self.cause),
            key => write!(f, "option `{key}`: {}", self.cause),
        }
    }
}

impl std::error::Error for Mistake {}

impl Mistake {
    fn new(key: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { key: key.into(), cause: cause.into() }
    }

    /// The same mistake in an option that is part of another.
    #[must_use]
    pub fn within(mut self, key: &str) -> Self {
        self.key = if self.key.is_empty() { key.to_owned() } else { format!("{key}.{}", self.key) };
        self
    }
}

/// Reads options into their type.
///
/// # Errors
/// The first option that cannot be read, and what is possible instead.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Mistake> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let key = error.path().to_string();
        let key = if key == "." { String::new() } else { key };
        Mistake::new(key, error.into_inner().to_string())
    })
}

/// Puts the given options over others, part by part. A record takes the place of a record option by option; anything else
/// takes the place of what was there.
///
/// # Errors
/// What is given is no record.
pub fn overlay(all: &mut Value, given: &Value) -> Result<(), Mistake> {
    match given {
        Value::Null => Ok(()),
        Value::Object(given) => {
            put_over(all, given);
            Ok(())
        }
        other => Err(Mistake::new("", format!("expected a record of options, got {other}"))),
    }
}

/// Puts the fields of a record over others.
pub(super) fn put_over(all: &mut Value, given: &Map<String, Value>) {
    if !all.is_object() {
        *all = Value::Object(Map::new());
    }
    let Value::Object(all) = all else { return };
    for (key, value) in given {
        match (all.get_mut(key), value) {
            (Some(below @ Value::Object(_)), Value::Object(value)) => put_over(below, value),
            (_, value) => drop(all.insert(key.clone(), value.clone())),
        }
    }
}

/// Sets one option by a text `key=value`. The value is JSON where it reads as such, and a text otherwise.
///
/// # Errors
/// The text has no `=`.
pub fn set(options: &mut Value, assignment: &str) -> Result<(), Mistake> {
    let expected = || Mistake::new("", format!("`{assignment}` sets nothing: expected KEY=VALUE, e.g. `steps=20`"));
    let (key, text) = assignment.split_once('=').ok_or_else(expected)?;
    if key.trim().is_empty() {
        return Err(expected());
    }
    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    let nested =
        key.trim().rsplit('.').fold(value, |inner, part| Value::Object(Map::from_iter([(part.to_owned(), inner)])));
    overlay(options, &nested)
}

/// Holds values against the ranges of their schema.
///
/// # Errors
/// The first option out of its range.
pub fn check_ranges(all: &Value, schema: &Value) -> Result<(), Mistake> {
    let validator = jsonschema::validator_for(schema)
        .map_err(|cause| Mistake::new("", format!("the schema of the options is invalid: {cause}")))?;
    match validator.iter_errors(all).next() {
        Some(error) => {
            let key = error.instance_path().to_string().trim_start_matches('/').replace('/', ".");
            Err(Mistake::new(key, error.to_string()))
        }
        None => Ok(()),
    }
}

/// Every option of `all` that differs from `usual`, as `key=value`; of a value that is no number or word, a short fingerprint.
pub fn differences(usual: &Value, all: &Value) -> Vec<String> {
    let mut found = Vec::new();
    differ("", usual, all, &mut found);
    found
}

fn differ(at: &str, usual: &Value, own: &Value, found: &mut Vec<String>) {
    match (usual, own) {
        (Value::Object(usual), Value::Object(own)) => {
            for (key, own) in own {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                differ(&at, usual.get(key).unwrap_or(&Value::Null), own, found);
            }
        }
        (usual, own) if usual == own => {}
        (_, Value::String(word)) if word.len() <= 40 => found.push(format!("{at}={word}")),
        (_, Value::Object(_) | Value::Array(_) | Value::String(_)) => {
            let text = own.to_string();
            let short = text.len() <= 40;
            found.push(if short {
                format!("{at}={text}")
            } else {
                format!("{at}=#{:08x}", xxh3_64(text.as_bytes()) as u32)
            });
        }
        (_, own) => found.push(format!("{at}={own}")),
    }
}
