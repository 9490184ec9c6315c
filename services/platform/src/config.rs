//! Configuration in layers: defaults, then a TOML file, then the environment, then flags. An error names the field and where
//! its value came from.
//!
//! A variable is `RUTTER_` and the field's path with two underscores between its parts: `RUTTER_CAMPAIGNS__RPC__BIND` is
//! `campaigns.rpc.bind`. Variables without two underscores belong to others. A field that nobody knows is an error
//! wherever it stands.

use figment::providers::{Format, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// What the names of variables begin with.
pub const PREFIX: &str = "RUTTER_";

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is not there.
    #[error("read configuration `{}`: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// A value is invalid. Every line names field, cause and source.
    #[error("read configuration: {0}")]
    Value(String),
}

/// Merges the layers. `flags` serializes only given fields; absent ones are skipped.
///
/// # Errors
/// [`Error`].
pub fn load<T, F>(
    defaults: &T,
    file: Option<&Path>,
    variables: impl IntoIterator<Item = (String, String)>,
    flags: &F,
) -> Result<T, Error>
where
    T: Serialize + DeserializeOwned,
    F: Serialize,
{
    let mut figment = Figment::from(Serialized::defaults(defaults));
    if let Some(path) = file {
        std::fs::metadata(path).map_err(|cause| Error::File { path: path.to_owned(), cause })?;
        figment = figment.merge(Toml::file_exact(path));
    }
    for (name, text) in variables {
        if let Some(variable) = Variable::of(name, &text) {
            figment = figment.merge(variable);
        }
    }
    let flags = Serialized::defaults(flags);
    figment.merge(Flags(flags.data().map_err(|error| Error::Value(error.to_string()))?)).extract().map_err(described)
}

/// One variable of the environment.
struct Variable {
    name: String,
    value: Value,
}

impl Variable {
    fn of(name: String, text: &str) -> Option<Self> {
        let path = name.strip_prefix(PREFIX)?;
        if !path.contains("__") {
            return None;
        }
        let key = path.to_lowercase().replace("__", ".");
        // Numbers, truth values, lists and tables are written as in TOML; anything else is text.
        let value: Value = text.parse().unwrap_or_else(|_| Value::from(text));
        Some(Self { value: figment::util::nest(&key, value), name })
    }
}

impl Provider for Variable {
    fn metadata(&self) -> Metadata {
        Metadata::named(format!("variable `{}`", self.name))
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Profile::Default.collect(self.value.clone().into_dict().unwrap_or_default()))
    }
}

/// The command line as a layer.
struct Flags(Map<Profile, Dict>);

impl Provider for Flags {
    fn metadata(&self) -> Metadata {
        Metadata::named("the command line")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(self.0.clone())
    }
}

fn described(errors: figment::Error) -> Error {
    let lines = errors.into_iter().map(|error| {
        let from = error.metadata.as_ref().map(|from| match &from.source {
            Some(figment::Source::File(path)) => format!(", from file `{}`", path.display()),
            _ => format!(", from {}", from.name),
        });
        let field = if error.path.is_empty() { String::new() } else { format!("`{}`: ", error.path.join(".")) };
        format!("{field}{}{}", error.kind, from.unwrap_or_default())
    });
    Error::Value(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Node {
        crawler: Crawler,
        log: Log,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Crawler {
        slots: u32,
        queue: String,
    }

    impl Default for Crawler {
        fn default() -> Self {
            Self { slots: 2, queue: "http://127.0.0.1:7401".to_owned() }
        }
    }

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Log {
        brokers: Vec<String>,
    }

    #[derive(Default, Serialize)]
    struct Given {
        #[serde(skip_serializing_if = "Option::is_none")]
        crawler: Option<GivenCrawler>,
    }

    #[derive(Serialize)]
    struct GivenCrawler {
        slots: u32,
    }

    fn written(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        file
    }

    fn variables(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn each_layer_covers_the_one_below_it_field_by_field() {
        let file = written("[crawler]\nslots = 4\nqueue = \"http://file\"\n[log]\nbrokers = [\"a:1\"]");
        let environment = variables(&[
            ("RUTTER_CRAWLER__QUEUE", "http://environment"),
            ("RUTTER_LOG__BROKERS", "[\"b:2\", \"c:3\"]"),
            ("RUTTER_LOG", "info"),
            ("RUTTER_CRAWLER_PORT", "tcp://10.0.0.1"),
            ("HOME", "/"),
        ]);
        let flags = Given { crawler: Some(GivenCrawler { slots: 8 }) };
        let node = load(&Node::default(), Some(file.path()), environment, &flags).expect("a configuration");
        assert_eq!(node.crawler, Crawler { slots: 8, queue: "http://environment".to_owned() });
        assert_eq!(node.log.brokers, ["b:2", "c:3"]);
        let node = load(&Node::default(), None, Vec::new(), &Given::default()).expect("a configuration");
        assert_eq!(node, Node::default());
    }

    fn refused(file: &str, environment: &[(&str, &str)]) -> (String, String) {
        let file = written(file);
        let loaded: Result<Node, _> =
            load(&Node::default(), Some(file.path()), variables(environment), &Given::default());
        (loaded.expect_err("refused").to_string(), file.path().display().to_string())
    }

    #[test]
    fn a_value_that_cannot_be_meant_is_told_with_its_field_and_its_source() {
        let (error, path) = refused("[crawler]\nslots = \"many\"", &[]);
        assert!(error.contains("`crawler.slots`: invalid type") && error.contains(&path), "{error}");
        let (error, _) = refused("", &[("RUTTER_CRAWLER__SLOTS", "many")]);
        assert!(error.contains("`crawler.slots`: invalid type"), "{error}");
        assert!(error.contains("from variable `RUTTER_CRAWLER__SLOTS`"), "{error}");
    }

    #[test]
    fn a_field_that_nobody_knows_is_told_wherever_it_stands() {
        let (error, path) = refused("[crawler]\nslot = 4", &[]);
        assert!(error.contains("slot") && error.contains(&path), "{error}");
        let (error, _) = refused("", &[("RUTTER_CRAWLERS__SLOTS", "4")]);
        assert!(error.contains("crawlers") && error.contains("RUTTER_CRAWLERS__SLOTS"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_told() {
        let loaded: Result<Node, _> =
            load(&Node::default(), Some(Path::new("nowhere.toml")), Vec::new(), &Given::default());
        assert!(loaded.expect_err("refused").to_string().starts_with("read configuration `nowhere.toml`: "));
    }
}
