//! All planners by name: what each is, what it needs, its options, and how it is built.
//!
//! A planner is added by its module and by one line in `lib.rs`.

mod error;
mod on_demand;
pub mod options;
mod parts;
mod preset;
mod table;

pub use error::BuildError;
pub use on_demand::{OnDemand, merged};
pub use parts::{Need, Needs, Parts};
pub use preset::Preset;
pub use table::{OptionRow, markdown, planners_markdown};

use crate::reply::ReplySchema;
use domain::Planner;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a planner says of itself to the registry.
pub trait Registered {
    /// Its name on the command line, in campaigns and results.
    const NAME: &'static str;
    /// What it is, in one line.
    const HELP: &'static str;
    /// What it needs beside the request.
    const NEEDS: Needs;
    /// The presets that its options know by a field `preset`; none where there is one way only.
    const PRESETS: &'static [Preset] = &[];
    /// Its parameters. Their schema, with the doc comments of the fields, is their documentation.
    type Options: Serialize + DeserializeOwned + JsonSchema + Default;

    /// The options of a preset.
    fn of_preset(_: Preset) -> Self::Options {
        Self::Options::default()
    }

    /// The schemas of everything that it asks a model to reply.
    fn replies() -> Vec<ReplySchema> {
        Vec::new()
    }

    /// Builds the planner.
    ///
    /// # Errors
    /// A part that it needs is missing.
    fn build(options: Self::Options, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError>;
}

/// Builds a planner of its options.
type Build = fn(Value, &Parts) -> Result<Arc<dyn Planner>, BuildError>;

/// A planner of the registry.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// What it needs beside the request.
    pub needs: Needs,
    /// The presets that it knows.
    pub presets: &'static [Preset],
    schema: fn() -> Value,
    defaults: fn(Preset) -> Value,
    replies: fn() -> Vec<ReplySchema>,
    check: fn(Value) -> Result<Value, options::Mistake>,
    build: Build,
}

impl Entry {
    /// The entry of a planner.
    pub fn of<P: Registered>() -> Self {
        Self {
            name: P::NAME,
            help: P::HELP,
            needs: P::NEEDS,
            presets: P::PRESETS,
            schema: || schemars::schema_for!(P::Options).to_value(),
            // Options are plain data: numbers, texts, lists, records.
            defaults: |preset| serde_json::to_value(P::of_preset(preset)).unwrap_or_default(),
            replies: P::replies,
            check: |value| {
                let read: P::Options = options::read(&value)?;
                Ok(serde_json::to_value(read).unwrap_or_default())
            },
            build: |value, parts| {
                let read = options::read(&value).map_err(|mistake| BuildError::option(P::NAME, mistake))?;
                P::build(read, parts)
            },
        }
    }

    /// The JSON Schema of its options.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// The options of a preset; of a planner without presets, its defaults.
    pub fn defaults(&self, preset: Preset) -> Value {
        (self.defaults)(preset)
    }

    /// The schemas of everything that it asks a model to reply.
    pub fn replies(&self) -> Vec<ReplySchema> {
        (self.replies)()
    }

    /// All options: those that are given, and of the others what the preset says that is asked for among them.
    ///
    /// # Errors
    /// Names an option that does not exist or has a value that cannot be, and says what is possible.
    pub fn complete(&self, given: &Value) -> Result<Value, BuildError> {
        let wrong = |mistake| BuildError::option(self.name, mistake);
        let asked = given.get("preset").filter(|_| !self.presets.is_empty());
        let preset =
            asked.map(options::read::<Preset>).transpose().map_err(|mistake| wrong(mistake.within("preset")))?;
        let mut all = self.defaults(preset.unwrap_or_default());
        options::overlay(&mut all, given).map_err(wrong)?;
        let all = (self.check)(all).map_err(wrong)?;
        options::check_ranges(&all, &self.schema()).map_err(wrong)?;
        Ok(all)
    }

    /// How results call the planner with these options: its name, its preset, and every option that differs from it.
    ///
    /// # Errors
    /// As [`Entry::complete`].
    pub fn label(&self, given: &Value) -> Result<String, BuildError> {
        let sets_nothing = given.as_object().is_none_or(serde_json::Map::is_empty);
        if self.presets.is_empty() && sets_nothing && (given.is_null() || given.is_object()) {
            return Ok(self.name.to_owned());
        }
        let all = self.complete(given)?;
        let preset = Preset::of(&all).filter(|_| !self.presets.is_empty());
        let mut said: Vec<String> = preset.map(|preset| preset.name().to_owned()).into_iter().collect();
        // An attempt that may begin again is no single one: every table says so.
        let trials = all.get("trials").and_then(Value::as_u64).filter(|trials| *trials > 1);
        said.extend(trials.map(|trials| format!("pass@{trials}")));
        let differs = options::differences(&self.defaults(preset.unwrap_or_default()), &all);
        said.extend(differs.into_iter().filter(|told| trials.is_none() || !told.starts_with("trials")));
        Ok(if said.is_empty() { self.name.to_owned() } else { format!("{} ({})", self.name, said.join(", ")) })
    }

    /// Builds the planner with these options.
    ///
    /// # Errors
    /// As [`Entry::complete`]; a part is missing.
    pub fn build(&self, given: &Value, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        (self.build)(self.complete(given)?, parts)
    }

    /// Its options, one row each, with what they are where nobody sets them.
    pub fn options(&self) -> Vec<OptionRow> {
        table::rows(&self.schema(), &self.presets_or_defaults())
    }

    fn presets_or_defaults(&self) -> Vec<Value> {
        match self.presets {
            [] => vec![self.defaults(Preset::default())],
            presets => presets.iter().map(|preset| self.defaults(*preset)).collect(),
        }
    }

    /// All that can be known of it.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "help": self.help,
            "needs": self.needs,
            "presets": self.presets,
            "options": self.options(),
            "schema": self.schema(),
        })
    }
}

/// The planners, by name.
#[derive(Clone)]
pub struct Registry {
    entries: Vec<Entry>,
}

impl Default for Registry {
    /// Every planner of this room.
    fn default() -> Self {
        Self { entries: crate::entries() }
    }
}

impl Registry {
    /// These planners and one more.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    /// All planners.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The planner of a name.
    ///
    /// # Errors
    /// There is none; says which there are.
    pub fn entry(&self, name: &str) -> Result<&Entry, BuildError> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| BuildError::Unknown {
            name: name.to_owned(),
            known: self.entries.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// Builds a planner by its name and options. Options that are not given are those of the preset that they name, and
    /// otherwise of its default preset.
    ///
    /// # Errors
    /// [`BuildError`]: no such planner, no such option, a value that cannot be, a part that is missing.
    pub fn build(&self, name: &str, options: &Value, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        self.entry(name)?.build(options, parts)
    }

    /// How results call a planner with these options.
    ///
    /// # Errors
    /// As [`Registry::build`], but for missing parts.
    pub fn label(&self, name: &str, options: &Value) -> Result<String, BuildError> {
        self.entry(name)?.label(options)
    }
}

#[cfg(test)]
mod tests;
