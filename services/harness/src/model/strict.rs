//! Strict reading of requests: every field is known, of its type and in its range, or the request is refused.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

/// A sentence about what is wrong, with its place.
pub(super) type Check<T> = Result<T, String>;

/// A JSON object and where it stands.
pub(super) struct Object<'a> {
    map: &'a Map<String, Value>,
    at: String,
}

impl<'a> Object<'a> {
    /// An object that has no fields but these.
    pub(super) fn new(value: &'a Value, at: &str, known: &[&str]) -> Check<Self> {
        let map = value.as_object().ok_or_else(|| format!("{at}: expected an object, got {value}"))?;
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!("{at}: unknown field `{key}`")),
            None => Ok(Self { map, at: at.to_owned() }),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    pub(super) fn get(&self, key: &str) -> Check<&'a Value> {
        self.map.get(key).ok_or_else(|| format!("{}: `{key}` is missing", self.at))
    }

    pub(super) fn text(&self, key: &str) -> Check<&'a str> {
        self.get(key)?.as_str().ok_or_else(|| format!("{}.{key}: expected a string", self.at))
    }

    /// A field that must have exactly this text.
    pub(super) fn literal(&self, key: &str, expected: &str) -> Check<()> {
        let got = self.text(key)?;
        if got == expected { Ok(()) } else { Err(format!("{}.{key}: expected `{expected}`, got `{got}`", self.at)) }
    }

    pub(super) fn list(&self, key: &str) -> Check<&'a [Value]> {
        let list = self.get(key)?.as_array().ok_or_else(|| format!("{}.{key}: expected an array", self.at))?;
        if list.is_empty() { Err(format!("{}.{key}: must not be empty", self.at)) } else { Ok(list) }
    }

    /// A number between these, if it is there.
    pub(super) fn number(&self, key: &str, least: f64, most: f64) -> Check<Option<f64>> {
        let Some(value) = self.map.get(key) else { return Ok(None) };
        let number = value.as_f64().ok_or_else(|| format!("{}.{key}: expected a number", self.at))?;
        if (least..=most).contains(&number) {
            Ok(Some(number))
        } else {
            Err(format!("{}.{key}: {number} is not between {least} and {most}", self.at))
        }
    }

    /// A whole number from 0, if it is there.
    pub(super) fn whole(&self, key: &str) -> Check<Option<u64>> {
        let Some(value) = self.map.get(key) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| format!("{}.{key}: expected a whole number, got {value}", self.at))
    }

    /// The limit of the reply.
    pub(super) fn limit(&self, key: &str) -> Check<u64> {
        let limit = self.whole(key)?.ok_or_else(|| format!("{}: `{key}` is missing", self.at))?;
        if (1..=128_000).contains(&limit) {
            Ok(limit)
        } else {
            Err(format!("{}.{key}: {limit} is out of range", self.at))
        }
    }

    /// Streaming is not spoken.
    pub(super) fn no_stream(&self) -> Check<()> {
        match self.map.get("stream") {
            None | Some(Value::Bool(false)) => Ok(()),
            Some(other) => Err(format!("{}.stream: only false is supported here, got {other}", self.at)),
        }
    }
}

/// Width and height of a PNG file given in Base64; the file is decoded whole.
pub(super) fn png(base64: &str, at: &str) -> Check<(u32, u32)> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|cause| format!("{at}: no Base64: {cause}"))?;
    let picture = image::load_from_memory_with_format(&bytes, image::ImageFormat::Png)
        .map_err(|cause| format!("{at}: no PNG picture: {cause}"))?;
    Ok((picture.width(), picture.height()))
}

/// A schema that compiles; with `closed`, one whose objects require all their properties and allow no others.
pub(super) fn schema(value: &Value, at: &str, closed: bool) -> Check<()> {
    jsonschema::meta::validate(value).map_err(|cause| format!("{at}: no valid JSON Schema: {cause}"))?;
    jsonschema::validator_for(value).map_err(|cause| format!("{at}: no valid JSON Schema: {cause}"))?;
    objects(value, at, closed)
}

fn objects(value: &Value, at: &str, closed: bool) -> Check<()> {
    match value {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                if map.get("additionalProperties") != Some(&Value::Bool(false)) {
                    return Err(format!("{at}: `additionalProperties` must be false"));
                }
                let required = map.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let missing = properties.keys().find(|key| !required.iter().any(|name| name == key.as_str()));
                if let Some(missing) = missing.filter(|_| closed) {
                    return Err(format!("{at}: `required` must name `{missing}`"));
                }
            }
            map.iter().try_for_each(|(key, inner)| objects(inner, &format!("{at}.{key}"), closed))
        }
        Value::Array(list) => list.iter().try_for_each(|inner| objects(inner, at, closed)),
        _ => Ok(()),
    }
}

/// The speakers take turns, the user first and last.
pub(super) fn turns(by_model: &[bool], at: &str) -> Check<()> {
    let alternate = by_model.iter().enumerate().all(|(index, model)| *model == (index % 2 == 1));
    if alternate && by_model.len() % 2 == 1 {
        Ok(())
    } else {
        Err(format!("{at}: the speakers must take turns, the user first and last"))
    }
}
