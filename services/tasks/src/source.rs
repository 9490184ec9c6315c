//! Text to values that remember their place: a JSON pointer leads back to line and column.

mod bounds;

use super::problem::Problem;
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the parts of a parsed text stand.
pub(super) struct Source {
    file: PathBuf,
    first_line: usize,
    places: BTreeMap<String, Position>,
}

#[derive(Clone, Copy)]
struct Position {
    line: usize,
    column: usize,
}

impl Source {
    /// A mistake at a JSON pointer, or at the nearest enclosing part whose place is known.
    pub(super) fn problem(&self, pointer: &str, message: &str, hint: Option<&str>) -> Problem {
        let place = self.place(pointer);
        Problem {
            file: self.file.clone(),
            line: Some(place.map_or(self.first_line, |place| place.line)),
            column: place.map(|place| place.column),
            message: message.to_owned(),
            hint: hint.map(str::to_owned),
        }
    }

    /// `file:line` of a pointer.
    pub(super) fn location(&self, pointer: &str) -> String {
        let line = self.place(pointer).map_or(self.first_line, |place| place.line);
        format!("{}:{line}", self.file.display())
    }

    /// The folder of the file, from which relative paths in it count.
    pub(super) fn folder(&self) -> PathBuf {
        self.file.parent().map_or_else(PathBuf::new, Path::to_owned)
    }

    fn place(&self, pointer: &str) -> Option<Position> {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return Some(*place);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }
}

/// Parses one line of JSONL.
pub(super) fn json_line(file: &Path, number: usize, line: &str) -> Result<(Source, Value), Problem> {
    match serde_json::from_str(line) {
        Ok(value) => Ok((Source { file: file.to_owned(), first_line: number, places: BTreeMap::new() }, value)),
        Err(error) => Err(Problem {
            file: file.to_owned(),
            line: Some(number),
            column: Some(error.column()),
            message: format!("not JSON: {}", without_place(&error.to_string())),
            hint: Some("in a .jsonl file every line is one task as a JSON object".into()),
        }),
    }
}

fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text)
}

/// Parses a YAML document.
pub(super) fn yaml(file: &Path, text: &str) -> Result<(Source, Value), Problem> {
    let at = |line, column, message| Problem {
        file: file.to_owned(),
        line: Some(line),
        column: Some(column),
        message,
        hint: None,
    };
    bounds::check(text).map_err(|found| at(found.line, found.column, found.message))?;
    let documents = MarkedYaml::load_from_str(text)
        .map_err(|error| at(error.marker().line(), error.marker().col() + 1, format!("not YAML: {}", error.info())))?;
    let document = match documents.as_slice() {
        [] => return Err(Problem::of_file(file, "the file is empty".into())),
        [document] => document,
        [_, second, ..] => {
            let start = second.span.start;
            return Err(at(start.line(), start.col() + 1, "a task file holds one YAML document, not several".into()));
        }
    };
    let mut source = Source { file: file.to_owned(), first_line: 1, places: BTreeMap::new() };
    let value = convert(document, String::new(), &mut source.places)
        .map_err(|(pointer, message)| source.problem(&pointer, &message, None))?;
    Ok((source, value))
}

fn convert(
    node: &MarkedYaml<'_>,
    pointer: String,
    places: &mut BTreeMap<String, Position>,
) -> Result<Value, (String, String)> {
    let start = node.span.start;
    // A key's place, when it is already known, says more than the start of its value on a later line.
    places.entry(pointer.clone()).or_insert(Position { line: start.line(), column: start.col() + 1 });
    Ok(match &node.data {
        YamlData::Value(Scalar::Null) => Value::Null,
        YamlData::Value(Scalar::Boolean(value)) => Value::Bool(*value),
        YamlData::Value(Scalar::Integer(value)) => Value::Number((*value).into()),
        YamlData::Value(Scalar::FloatingPoint(value)) => {
            Number::from_f64(value.into_inner()).map_or(Value::Null, Value::Number)
        }
        YamlData::Value(Scalar::String(value)) => Value::String(value.to_string()),
        YamlData::Sequence(items) => {
            let mut values = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                values.push(convert(item, format!("{pointer}/{index}"), places)?);
            }
            Value::Array(values)
        }
        YamlData::Mapping(entries) => {
            let mut fields = Map::new();
            for (key, item) in entries {
                let YamlData::Value(scalar) = &key.data else {
                    return Err((pointer, "a key must be plain text".into()));
                };
                let name = key_text(scalar);
                let inner = format!("{pointer}/{}", escape(&name));
                let place = Position { line: key.span.start.line(), column: key.span.start.col() + 1 };
                places.insert(inner.clone(), place);
                fields.insert(name, convert(item, inner, places)?);
            }
            Value::Object(fields)
        }
        YamlData::Tagged(tag, _) => return Err((pointer, format!("the YAML tag `{tag}` has no meaning here"))),
        _ => return Err((pointer, "this YAML construct is not supported in task files".into())),
    })
}

fn key_text(scalar: &Scalar<'_>) -> String {
    match scalar {
        Scalar::Null => "null".into(),
        Scalar::Boolean(value) => value.to_string(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::FloatingPoint(value) => value.to_string(),
        Scalar::String(value) => value.to_string(),
    }
}

/// A key as a part of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
