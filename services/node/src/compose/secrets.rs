//! The values of a task's secrets, and where each may be typed. They are read for the browser room alone, which types them and keeps
//! them out of everything else.

use crate::config::CrawlerConfig;
use browser::SecretSource;
use domain::job::Work;
use domain::project::ProjectId;
use domain::scope::Scope;
use domain::secret::{SecretName, SecretRef};
use domain::task::Parameter;
use platform::user_secrets;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// The secrets that this machine keeps, each with where it may be typed.
#[derive(Clone, Debug, Default)]
pub struct NamedSecrets {
    /// The folder with a file for each; the user's own when absent.
    folder: Option<PathBuf>,
    origins: BTreeMap<SecretName, Vec<String>>,
    /// The same for jobs of other projects than `default`, by their names.
    projects: BTreeMap<String, BTreeMap<SecretName, Vec<String>>>,
}

impl NamedSecrets {
    /// Those of a crawler.
    pub fn of(crawler: &CrawlerConfig) -> NamedSecrets {
        let projects = crawler.allowed_of.iter().map(|(project, allowed)| (project.clone(), allowed.secrets.clone()));
        NamedSecrets {
            folder: crawler.secrets_directory.clone(),
            origins: crawler.allowed.secrets.clone(),
            projects: projects.collect(),
        }
    }

    /// Those that jobs of a project may name.
    #[must_use]
    pub fn of_project(&self, project: &ProjectId) -> NamedSecrets {
        let origins = match project.is_default() {
            true => self.origins.clone(),
            false => self.projects.get(project.as_str()).cloned().unwrap_or_default(),
        };
        NamedSecrets { folder: self.folder.clone(), origins, projects: BTreeMap::new() }
    }

    fn value(&self, name: &SecretName) -> Result<String, String> {
        let name = name.as_str();
        if !self.origins.keys().any(|known| known.as_str() == name) {
            return Err(format!(
                "this machine does not allow its secret `{name}`; who runs it can list it in `crawler.allowed.secrets` of its settings"
            ));
        }
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => user_secrets::folder().map_err(|error| error.to_string())?,
        };
        user_secrets::read(&folder, name).map_err(|error| {
            format!(
                "read the secret `{name}` in {}: {error}; write its value into a file of this name there",
                folder.display()
            )
        })
    }
}

/// Resolves the references of one task.
pub(crate) struct TaskSecrets {
    secrets: BTreeMap<String, TaskSecret>,
    named: NamedSecrets,
}

struct TaskSecret {
    reference: SecretRef,
    /// Where it may be typed.
    origins: Scope,
}

impl TaskSecrets {
    /// The secrets among the parameters of a piece of work.
    pub(crate) fn of(work: &Work, named: &NamedSecrets) -> Self {
        let own = work.origins();
        let secret = |parameter: Parameter| match parameter {
            Parameter::Secret { secret, origins } => {
                let hosts = match &secret {
                    SecretRef::Named(name) => named.origins.get(name).cloned().unwrap_or_default(),
                    SecretRef::Env(_) | SecretRef::File(_) => [own.clone(), origins].concat(),
                };
                Some(TaskSecret { reference: secret, origins: Scope { hosts } })
            }
            Parameter::Text(_) | Parameter::File { .. } => None,
        };
        let secrets = work.parameters().into_iter().filter_map(|(name, value)| Some((name, secret(value)?))).collect();
        Self { secrets, named: named.clone() }
    }

    fn find(&self, name: &str) -> Result<&TaskSecret, String> {
        self.secrets.get(name).ok_or_else(|| "the task has no secret parameter of this name".to_owned())
    }
}

/// Fewer characters than this are found by chance in much that is no secret, and are guessed.
const SHORTEST: usize = 8;

/// The names of a piece of work's secrets that are so short that redacting them is no sure protection.
pub fn short_secrets(work: &Work, named: &NamedSecrets) -> Vec<String> {
    let secrets = TaskSecrets::of(work, named);
    let is_short = |name: &String| secrets.secret(name).is_ok_and(|value| value.chars().count() < SHORTEST);
    secrets.names().into_iter().filter(is_short).collect()
}

/// Why secrets of a piece of work that this machine keeps have no value, a sentence for each.
pub fn missing_secrets(work: &Work, named: &NamedSecrets) -> Vec<String> {
    let secrets = TaskSecrets::of(work, named);
    let names = secrets.secrets.values().filter_map(|secret| match &secret.reference {
        SecretRef::Named(name) => Some(name),
        SecretRef::Env(_) | SecretRef::File(_) => None,
    });
    names.filter_map(|name| named.value(name).err()).collect()
}

impl SecretSource for TaskSecrets {
    fn names(&self) -> Vec<String> {
        self.secrets.keys().cloned().collect()
    }

    fn secret(&self, name: &str) -> Result<String, String> {
        match &self.find(name)?.reference {
            SecretRef::Env(variable) => {
                std::env::var(variable).map_err(|_| format!("the environment variable `{variable}` is not set"))
            }
            SecretRef::File(path) => std::fs::read_to_string(path)
                .map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
                .map_err(|error| format!("read {}: {error}", path.display())),
            SecretRef::Named(name) => self.named.value(name),
        }
    }

    fn allows(&self, name: &str, page: &Url) -> Result<(), String> {
        let secret = self.find(name)?;
        if secret.origins.check(page).is_ok() {
            return Ok(());
        }
        let what_to_do = match &secret.reference {
            SecretRef::Named(name) => {
                format!(
                    "the settings of this machine say where its secret `{}` may be typed: `crawler.allowed.secrets`",
                    name.as_str()
                )
            }
            SecretRef::Env(_) | SecretRef::File(_) => {
                "if it is for this one as well, list it as `origins` beside the reference to the secret".to_owned()
            }
        };
        let (origin, own) = (page.origin().ascii_serialization(), secret.origins.hosts.join(", "));
        Err(format!("the secret `{name}` is for {own}, and not for {origin}; {what_to_do}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn work(secret: serde_json::Value, origins: &[&str]) -> Work {
        let task = json!({
            "id": "t", "start_url": "https://shop.test/", "instruction": "log in",
            "parameters": {"password": {"secret": secret, "origins": origins}},
        });
        Work::Task { task: serde_json::from_value(task).unwrap(), site: Box::default() }
    }

    fn secrets(secret: serde_json::Value, origins: &[&str]) -> TaskSecrets {
        TaskSecrets::of(&work(secret, origins), &NamedSecrets::default())
    }

    fn may(secrets: &TaskSecrets, page: &str) -> Result<(), String> {
        secrets.allows("password", &page.parse().unwrap())
    }

    #[test]
    fn a_file_loses_its_last_line_break_only() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), " open sesame \r\n").expect("written");
        let found = secrets(json!({"file": file.path()}), &[]).secret("password");
        assert_eq!(found.as_deref(), Ok(" open sesame "));
    }

    #[test]
    fn what_is_missing_is_named_without_any_value() {
        let missing = secrets(json!({"env": "RUTTER_NO_SUCH_VARIABLE"}), &[]);
        assert!(missing.secret("password").expect_err("not set").contains("RUTTER_NO_SUCH_VARIABLE"));
        assert!(missing.secret("other").expect_err("unknown").contains("no secret parameter"));
    }

    #[test]
    fn a_secret_is_for_its_site_unless_it_says_more() {
        let own = secrets(json!({"env": "X"}), &[]);
        assert_eq!(may(&own, "https://shop.test/login"), Ok(()));
        let refused = may(&own, "https://cdn.test/login").unwrap_err();
        assert!(
            refused.contains("for https://shop.test, and not for https://cdn.test") && refused.contains("`origins`"),
            "{refused}"
        );
        assert!(may(&own, "http://shop.test/login").is_err() && may(&own, "about:blank").is_err());
        let more = secrets(json!({"env": "X"}), &["https://*.id.test"]);
        assert_eq!(may(&more, "https://eu.id.test/").and(may(&more, "https://shop.test/")), Ok(()));
    }

    #[test]
    fn jobs_of_a_project_name_the_secrets_of_that_project_alone() {
        let folder = tempfile::tempdir().unwrap();
        user_secrets::keep(folder.path(), "shop-password", "open sesame").unwrap();
        let crawler: CrawlerConfig = serde_json::from_value(json!({
            "secrets_directory": folder.path(), "allowed_of": {"payments": {"secrets": {"shop-password": ["https://shop.test"]}}},
        }))
        .unwrap();
        let name: SecretName = serde_json::from_value(json!("shop-password")).unwrap();
        let value =
            |project: &str| NamedSecrets::of(&crawler).of_project(&ProjectId::parse(project).unwrap()).value(&name);
        assert_eq!(value("payments").as_deref(), Ok("open sesame"));
        for other in ["default", "wiki"] {
            assert!(value(other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_machine_gives_its_secrets_to_the_origins_that_it_lists_whatever_the_work_says() {
        let folder = tempfile::tempdir().unwrap();
        user_secrets::keep(folder.path(), "shop-password", "open sesame").unwrap();
        user_secrets::keep(folder.path(), "other", "x").unwrap();
        let crawler: CrawlerConfig = serde_json::from_value(json!({
            "secrets_directory": folder.path(), "allowed": {"secrets": {"shop-password": ["https://shop.test"], "gone": ["a.test"]}},
        }))
        .unwrap();
        let named = NamedSecrets::of(&crawler);
        let secrets = |name: &str| TaskSecrets::of(&work(json!(name), &["https://thief.test"]), &named);
        let listed = secrets("shop-password");
        assert_eq!(listed.secret("password").as_deref(), Ok("open sesame"));
        assert_eq!(may(&listed, "https://shop.test/"), Ok(()));
        let refused = may(&listed, "https://thief.test/").unwrap_err();
        assert!(refused.contains("crawler.allowed.secrets"), "{refused}");
        assert!(secrets("other").secret("password").unwrap_err().contains("does not allow its secret `other`"));
        let gone = secrets("gone").secret("password").unwrap_err();
        assert!(gone.contains("write its value into a file of this name"), "{gone}");
        assert_eq!(missing_secrets(&work(json!("gone"), &[]), &named), [gone]);
        assert_eq!(missing_secrets(&work(json!("shop-password"), &[]), &named), Vec::<String>::new());
    }
}
