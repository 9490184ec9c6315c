//! What handed-in work asks of the machine that does it, beside a browser: programs, files, variables. Handing in is not running:
//! the configuration of the machine says what it allows. Pure.

use crate::job::Work;
use crate::scope::Scope;
use crate::secret::{SecretName, SecretRef};
use crate::task::{Parameter, ResetHook};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// One thing of the machine that work asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Privilege {
    /// A program with its arguments is started.
    Command(Vec<String>),
    /// A file is read.
    File(PathBuf),
    /// A file is given to the site.
    Upload(PathBuf),
    /// An environment variable is read.
    Variable(String),
    /// A secret that the machine keeps is typed.
    Secret {
        /// Its name.
        name: SecretName,
        /// Where the work would type it, as entries of a scope.
        origins: Vec<String>,
    },
    /// What is typed, or a key, is sent to a server that is not the site's.
    Server(String),
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Privilege::Command(words) => write!(f, "to start the program `{}`", words.join(" ")),
            Privilege::File(path) => write!(f, "to read the file {}", path.display()),
            Privilege::Upload(path) => write!(f, "to give the file {} to its site", path.display()),
            Privilege::Variable(name) => write!(f, "to read the environment variable `{name}`"),
            Privilege::Secret { name, origins } => {
                write!(f, "to type its secret `{}` at {}", name.as_str(), origins.join(", "))
            }
            Privilege::Server(address) => write!(f, "to work through the server {address}"),
        }
    }
}

impl Privilege {
    /// What is read for a secret that is typed at these origins.
    pub fn of_secret(secret: &SecretRef, origins: Vec<String>) -> Privilege {
        match secret {
            SecretRef::Env(variable) => Privilege::Variable(variable.clone()),
            SecretRef::File(path) => Privilege::File(path.clone()),
            SecretRef::Named(name) => Privilege::Secret { name: name.clone(), origins },
        }
    }

    /// Everything that a piece of work asks for.
    pub fn of_work(work: &Work) -> BTreeSet<Privilege> {
        let secret = |parameter: Parameter| match parameter {
            Parameter::Secret { secret, origins } => {
                Some(Privilege::of_secret(&secret, [work.origins(), origins].concat()))
            }
            Parameter::File { file } => Some(Privilege::Upload(file)),
            Parameter::Text(_) => None,
        };
        let mut asked: BTreeSet<Privilege> = work.parameters().into_values().filter_map(secret).collect();
        match work {
            Work::Task { site, .. } | Work::Exploration { site, .. } => {
                asked.extend(site.login_state.clone().map(Privilege::File));
            }
            Work::Benchmark(_) | Work::Study(_) => {}
        }
        if let Work::Exploration { exploration, .. } = work {
            asked.extend(exploration.coverage.privileges());
        }
        if let Work::Task { site, .. } = work
            && let Some(ResetHook::Command(words)) = &site.reset
        {
            asked.insert(Privilege::Command(words.clone()));
        }
        asked
    }
}

/// What a machine allows handed-in work. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Allowed {
    /// Commands, each as a program and all its arguments: `[["make", "reset-shop"]]`.
    pub commands: Vec<Vec<String>>,
    /// Folders whose files, and those of folders below, may be read.
    pub folders: Vec<PathBuf>,
    /// Folders whose files, and those of folders below, may be given to the site that a task is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<PathBuf>,
    /// Environment variables that may be read.
    pub variables: Vec<String>,
    /// Secrets of this machine that may be typed, each with the origins that it is for, as entries of a scope:
    /// `{shop-password = ["https://shop.example"]}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<SecretName, Vec<String>>,
}

impl Allowed {
    /// Allows these and nothing else: what work asks for that was written, or looked at, by who started the process.
    pub fn exactly(asked: impl IntoIterator<Item = Privilege>) -> Allowed {
        let mut allowed = Allowed::default();
        for privilege in asked {
            match privilege {
                Privilege::Command(words) => allowed.commands.push(words),
                Privilege::File(path) => allowed.folders.push(path),
                Privilege::Upload(path) => allowed.uploads.push(path),
                Privilege::Variable(name) => allowed.variables.push(name),
                Privilege::Secret { name, origins } => allowed.secrets.entry(name).or_default().extend(origins),
                Privilege::Server(_) => {} // no job asks for one
            }
        }
        allowed
    }

    /// The first of these privileges that is not allowed, in words that say what to do.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(&self, asked: &BTreeSet<Privilege>) -> Result<(), String> {
        self.check_as("allowed", asked)
    }

    /// The same of what stands in this table of a crawler's settings.
    ///
    /// # Errors
    /// A sentence.
    pub fn check_as(&self, table: &str, asked: &BTreeSet<Privilege>) -> Result<(), String> {
        let Some(refused) = asked.iter().find(|privilege| !self.allows(privilege)) else { return Ok(()) };
        let setting = match refused {
            Privilege::Command(_) => "commands",
            Privilege::File(_) => "folders",
            Privilege::Upload(_) => "uploads",
            Privilege::Variable(_) => "variables",
            Privilege::Secret { .. } => "secrets",
            Privilege::Server(_) => return Err(format!("the work asks {refused}, which no machine allows")),
        };
        Err(format!(
            "the work asks {refused}, which this machine does not allow; \
             who runs it can allow it by `crawler.{table}.{setting}` of its settings"
        ))
    }

    /// Whether a privilege is allowed. Paths are compared as they are written: whoever asks resolves links first.
    pub fn allows(&self, privilege: &Privilege) -> bool {
        match privilege {
            Privilege::Command(words) => self.commands.contains(words),
            Privilege::File(path) => self.folders.iter().any(|folder| is_within(path, folder)),
            Privilege::Upload(path) => self.uploads.iter().any(|folder| is_within(path, folder)),
            Privilege::Variable(name) => self.variables.contains(name),
            // Where exactly it may be typed is decided on the page. Work that has nothing to do with its origins is refused at once.
            Privilege::Secret { name, origins } => self.secrets.get(name).is_some_and(|listed| {
                let listed = Scope { hosts: listed.clone() };
                origins.iter().any(|origin| listed.hosts.contains(origin) || listed.covers_entry(origin))
            }),
            Privilege::Server(_) => false,
        }
    }
}

fn is_within(path: &Path, folder: &Path) -> bool {
    let climbs = path.components().any(|component| component == Component::ParentDir);
    !climbs && folder.is_absolute() && path.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::CoverageOptions;
    use crate::exploration::{Exploration, Guards};
    use crate::state::Version;
    use crate::task::{Site, Task};
    use crate::{RunId, SiteId};

    fn work() -> Work {
        let task: Task = serde_json::from_value(serde_json::json!({
            "id": "t", "start_url": "http://a.test/", "instruction": "log in",
            "parameters": {"user": "ada", "password": {"secret": {"env": "PASSWORD"}}, "pin": {"secret": {"file": "/run/pins/1"}},
                           "cv": {"file": "/home/ada/cv.pdf"}},
        }))
        .unwrap();
        let site: Site = serde_json::from_value(serde_json::json!({
            "reset": {"command": ["make", "reset"]}, "login_state": "/home/ada/state.json",
        }))
        .unwrap();
        Work::Task { task: Box::new(task), site: Box::new(site) }
    }

    #[test]
    fn work_asks_for_the_programs_files_and_variables_that_it_names() {
        let asked = Privilege::of_work(&work());
        let expected = [
            Privilege::Command(vec!["make".into(), "reset".into()]),
            Privilege::File("/home/ada/state.json".into()),
            Privilege::File("/run/pins/1".into()),
            Privilege::Upload("/home/ada/cv.pdf".into()),
            Privilege::Variable("PASSWORD".into()),
        ];
        assert_eq!(asked, BTreeSet::from(expected));
    }

    #[test]
    fn what_measures_an_exploration_asks_for_its_program_and_files_and_not_for_addresses_of_the_site() {
        let coverage = CoverageOptions {
            command: vec!["refresh".into(), "lines.json".into()],
            reports: vec!["/srv/lines.json".to_owned().into(), "https://shop.test/lines".to_owned().into()],
            ..CoverageOptions::default()
        };
        let exploration = Exploration {
            version: Version { site: SiteId::new("shop"), run: RunId::new("run"), role: "guest".into() },
            start_url: "https://shop.test/".into(),
            strategy: "frontier".into(),
            seconds: 60,
            guards: Guards::default(),
            login: None,
            coverage,
        };
        let asked = Privilege::of_work(&Work::Exploration { exploration: Box::new(exploration), site: Box::default() });
        let expected = [
            Privilege::Command(vec!["refresh".into(), "lines.json".into()]),
            Privilege::File("/srv/lines.json".into()),
        ];
        assert_eq!(asked, BTreeSet::from(expected));
    }

    #[test]
    fn nothing_is_allowed_but_what_is_listed() {
        let asked = Privilege::of_work(&work());
        let refused = Allowed::default().check(&asked).unwrap_err();
        assert!(refused.contains("`make reset`") && refused.contains("crawler.allowed.commands"), "{refused}");
        let listed = Allowed {
            commands: vec![vec!["make".into(), "reset".into()]],
            folders: vec!["/home/ada".into(), "/run/pins".into()],
            uploads: vec!["/home/ada".into()],
            variables: vec!["PASSWORD".into()],
            secrets: BTreeMap::new(),
        };
        assert_eq!(listed.check(&asked), Ok(()));
        // What may be read for a log-in may not be given away.
        let refused = Allowed { uploads: Vec::new(), ..listed.clone() }.check(&asked).unwrap_err();
        assert!(refused.contains("cv.pdf") && refused.contains("crawler.allowed.uploads"), "{refused}");
        let other = Privilege::Command(vec!["make".into(), "reset".into(), "--eval=$(shell id)".into()]);
        assert!(!listed.allows(&other), "another argument is another command");
        assert!(!listed.allows(&Privilege::Variable("HOME".into())));
        let exactly = Allowed::exactly(asked.clone());
        assert_eq!(exactly.check(&asked), Ok(()));
        assert!(!exactly.allows(&other) && !exactly.allows(&Privilege::File("/run/pins/2".into())));
    }

    #[test]
    fn a_folder_allows_no_neighbour_and_no_way_out() {
        let listed = Allowed { folders: vec!["/run/pins".into()], ..Allowed::default() };
        for path in ["/run/pins2/1", "/run/pins/../../etc/passwd", "run/pins/1", "/run"] {
            assert!(!listed.allows(&Privilege::File(path.into())), "{path}");
        }
        assert!(
            !Allowed { folders: vec!["".into()], ..Allowed::default() }.allows(&Privilege::File("/etc/passwd".into()))
        );
    }

    #[test]
    fn a_secret_of_the_machine_is_for_the_origins_that_the_machine_lists() {
        let name = SecretName::new("shop-password").unwrap();
        let asked = |start: &str, login: Option<&str>, origins: &[&str]| {
            let login = login.map(|url| serde_json::json!({"url": url, "fill": {}}));
            let task: Task = serde_json::from_value(serde_json::json!({
                "id": "t", "start_url": start, "instruction": "log in",
                "parameters": {"password": {"secret": "shop-password", "origins": origins}},
            }))
            .unwrap();
            let site: Site = serde_json::from_value(serde_json::json!({"login": login})).unwrap();
            Privilege::of_work(&Work::Task { task: Box::new(task), site: Box::new(site) })
        };
        let at = |origins: &[&str]| Allowed {
            secrets: BTreeMap::from([(name.clone(), origins.iter().map(|origin| (*origin).to_owned()).collect())]),
            ..Allowed::default()
        };
        let shop = at(&["https://shop.test"]);
        assert_eq!(shop.check(&asked("https://shop.test/a", None, &[])), Ok(()));
        assert_eq!(shop.check(&asked("http://shop.test/", None, &[])), Ok(()), "it leads to the encrypted pages");
        assert_eq!(at(&["https://*.shop.test"]).check(&asked("https://www.shop.test/", None, &[])), Ok(()));
        assert_eq!(at(&["https://id.test"]).check(&asked("https://shop.test/", None, &["https://id.test"])), Ok(()));
        assert_eq!(
            at(&["https://id.test"]).check(&asked("https://shop.test/", Some("https://id.test/in"), &[])),
            Ok(())
        );
        let refused = shop.check(&asked("https://thief.test/", None, &[])).unwrap_err();
        assert!(
            refused.contains("`shop-password` at https://thief.test") && refused.contains("allowed.secrets"),
            "{refused}"
        );
        assert!(at(&[]).check(&asked("https://shop.test/", None, &[])).is_err(), "an empty list allows nothing");
        assert!(Allowed::default().check(&asked("https://shop.test/", None, &[])).is_err());
        let own = asked("https://shop.test/", None, &[]);
        assert_eq!(Allowed::exactly(own.clone()).check(&own), Ok(()));
    }

    #[test]
    fn no_configuration_allows_everything() {
        assert!(serde_json::from_str::<Allowed>(r#"{"everything": true}"#).is_err());
        assert!(!serde_json::from_str::<Allowed>("{}").unwrap().allows(&Privilege::Variable("HOME".into())));
    }
}
