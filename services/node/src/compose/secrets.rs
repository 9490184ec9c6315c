//! The values of a task's secrets. They are read for the browser room alone, which types them and keeps them out of
//! everything else.

use browser::SecretSource;
use domain::job::Work;
use domain::secret::SecretRef;
use domain::task::Parameter;
use std::collections::BTreeMap;

/// Resolves the references of one task.
pub(crate) struct TaskSecrets(BTreeMap<String, SecretRef>);

impl TaskSecrets {
    /// The secrets among parameters.
    pub(crate) fn of(parameters: &BTreeMap<String, Parameter>) -> Self {
        let secret = |parameter: &Parameter| match parameter {
            Parameter::Secret { secret } => Some(secret.clone()),
            Parameter::Text(_) => None,
        };
        Self(parameters.iter().filter_map(|(name, value)| Some((name.clone(), secret(value)?))).collect())
    }
}

/// Fewer characters than this are found by chance in much that is no secret, and are guessed.
const SHORTEST: usize = 8;

/// The names of a piece of work's secrets that are so short that redacting them is no sure protection.
pub fn short_secrets(work: &Work) -> Vec<String> {
    let secrets = TaskSecrets::of(&work.parameters());
    let is_short = |name: &String| secrets.secret(name).is_ok_and(|value| value.chars().count() < SHORTEST);
    secrets.names().into_iter().filter(is_short).collect()
}

impl SecretSource for TaskSecrets {
    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn secret(&self, name: &str) -> Result<String, String> {
        match self.0.get(name) {
            None => Err("the task has no secret parameter of this name".into()),
            Some(SecretRef::Env(variable)) => {
                std::env::var(variable).map_err(|_| format!("the environment variable `{variable}` is not set"))
            }
            Some(SecretRef::File(path)) => std::fs::read_to_string(path)
                .map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
                .map_err(|error| format!("read {}: {error}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(reference: SecretRef) -> TaskSecrets {
        TaskSecrets(BTreeMap::from([("password".to_owned(), reference)]))
    }

    #[test]
    fn a_file_loses_its_last_line_break_only() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), " open sesame \r\n").expect("written");
        let found = secrets(SecretRef::File(file.path().to_owned())).secret("password");
        assert_eq!(found.as_deref(), Ok(" open sesame "));
    }

    #[test]
    fn what_is_missing_is_named_without_any_value() {
        let missing = secrets(SecretRef::Env("RUTTER_NO_SUCH_VARIABLE".into()));
        assert!(missing.secret("password").expect_err("not set").contains("RUTTER_NO_SUCH_VARIABLE"));
        assert!(missing.secret("other").expect_err("unknown").contains("no secret parameter"));
    }
}
