//! What the shape of a task file cannot say: ids are unique, addresses can be opened, parameters are defined.

use super::hint::{self, Advice};
use super::problem::{Problem, Problems};
use super::source::{Source, escape};
use super::{Loaded, compact};
use domain::exploration::Login;
use domain::scope::Scope;
use domain::secret::SecretRef;
use domain::task::{Check, Parameter, ResetHook, Site};
use domain::{SiteId, Task, TaskId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// Collects tasks and mistakes over all files of a run.
#[derive(Default)]
pub(super) struct Session {
    pub(super) problems: Vec<Problem>,
    tasks: Vec<Loaded>,
    places: BTreeMap<TaskId, String>,
    for_others: bool,
}

impl Session {
    /// For tasks that are done on other machines, where their files and variables are.
    pub(super) fn for_others() -> Self {
        Self { for_others: true, ..Self::default() }
    }

    /// The tasks, unless there was a mistake.
    pub(super) fn finish(self) -> Result<Vec<Loaded>, Problems> {
        if self.problems.is_empty() { Ok(self.tasks) } else { Err(Problems(self.problems)) }
    }

    /// Reads the settings of the sites.
    pub(super) fn sites(&mut self, source: &Source, value: Option<&Value>) -> BTreeMap<String, Site> {
        let mut sites = BTreeMap::new();
        match value {
            None | Some(Value::Null) => {}
            Some(Value::Object(entries)) => {
                for (name, settings) in entries {
                    let pointer = format!("/sites/{}", escape(name));
                    // `shop:` with nothing below it means a site with default settings.
                    let settings = if settings.is_null() { &Value::Object(serde_json::Map::new()) } else { settings };
                    let site: Option<Site> = self.read(source, &pointer, settings);
                    // A site with mistakes still counts as known, so that tasks naming it are not blamed too.
                    let mut site = site.unwrap_or_default();
                    self.check_site(source, &pointer, &mut site);
                    sites.insert(name.clone(), site);
                }
            }
            Some(_) => self.say(source, "/sites", "`sites` must be a mapping from names to settings", None),
        }
        sites
    }

    /// Reads one task.
    pub(super) fn task(&mut self, source: &Source, pointer: &str, value: &Value, sites: &BTreeMap<String, Site>) {
        let Some(mut task) = self.read::<Task>(source, pointer, value) else { return };
        let before = self.problems.len();
        self.check_id(source, pointer, &task);
        self.check_start(source, pointer, &task);
        self.check_instruction(source, pointer, &mut task);
        if let Some(check) = &task.check {
            for mistake in evaluation::validate::validate(check).err().unwrap_or_default() {
                let place = format!("{pointer}{}", pointer_of(&mistake.path));
                self.say(source, &place, &mistake.cause, Some(&mistake.hint));
            }
        }
        for (name, zero) in [("steps", task.limits.steps == 0), ("seconds", task.limits.seconds == 0)] {
            if zero {
                self.say(source, &format!("{pointer}/limits/{name}"), "a limit must be at least 1", None);
            }
        }
        let site = match &task.site {
            None => Some(Site::default()),
            Some(SiteId(name)) => sites.get(name).cloned().or_else(|| {
                let hint = hint::did_you_mean(name, sites.keys().map(String::as_str))
                    .unwrap_or_else(|| "define it under `sites`, or leave `site` out".into());
                self.say(source, &format!("{pointer}/site"), &format!("unknown site `{name}`"), Some(&hint));
                None
            }),
        };
        if let (Some(site), true) = (site, self.problems.len() == before) {
            self.tasks.push(Loaded { task, site });
        }
    }

    /// Reads a log-in recipe.
    pub(super) fn login(&mut self, source: &Source, value: &Value) -> Option<Login> {
        let mut login: Login = self.read(source, "", value)?;
        self.check_login(source, "", &mut login);
        Some(login)
    }

    fn check_login(&mut self, source: &Source, pointer: &str, login: &mut Login) {
        if login.fill.is_empty() {
            let hint = "name the fields, e.g. `fill: {E-mail: anna@shop.example}`";
            self.say(source, &format!("{pointer}/fill"), "nothing is filled in", Some(hint));
        }
        self.check_parameters(source, &format!("{pointer}/fill"), &mut login.fill);
        if let Some(check) = &login.logged_in {
            for mistake in evaluation::validate::validate(check).err().unwrap_or_default() {
                let path = mistake.path.trim_start_matches("check").trim_start_matches('.');
                let place = format!("{pointer}{}", pointer_of(&format!("logged_in.{path}")));
                self.say(source, &place, &mistake.cause, Some(&mistake.hint));
            }
        }
    }

    fn say(&mut self, source: &Source, pointer: &str, message: &str, hint: Option<&str>) {
        self.problems.push(source.problem(pointer, message, hint));
    }

    fn read<T: DeserializeOwned>(&mut self, source: &Source, pointer: &str, value: &Value) -> Option<T> {
        match serde_path_to_error::deserialize(value) {
            Ok(read) => Some(read),
            Err(error) => {
                let mut inner: String = error.path().iter().map(segment).collect();
                let cause = error.inner().to_string();
                let Advice { message, hint } = hint::explain(&cause, &inner, value.pointer(&inner));
                // The path ends at the mapping; the word that is not known stands on a line of its own in it.
                if let Some(word) = cause.strip_prefix("unknown variant `").and_then(|rest| rest.split('`').next()) {
                    let word = format!("{inner}/{}", escape(word));
                    if value.pointer(&word).is_some() {
                        inner = word;
                    }
                }
                self.say(source, &format!("{pointer}{inner}"), &message, hint.as_deref());
                None
            }
        }
    }

    fn check_id(&mut self, source: &Source, pointer: &str, task: &Task) {
        let pointer = format!("{pointer}/id");
        if task.id.as_str().trim().is_empty() {
            self.say(source, &pointer, "the id is empty", None);
        } else if let Some(first) = self.places.get(&task.id) {
            let message = format!("the id `{}` is taken", task.id);
            let hint = format!("it is first used at {first}; ids are unique among all tasks of a run");
            self.say(source, &pointer, &message, Some(&hint));
        } else {
            self.places.insert(task.id.clone(), source.location(&pointer));
        }
    }

    fn check_start(&mut self, source: &Source, pointer: &str, task: &Task) {
        if let Err((message, hint)) = start_url(&task.start_url) {
            self.say(source, &format!("{pointer}/start_url"), &message, Some(&hint));
        }
    }

    fn check_instruction(&mut self, source: &Source, pointer: &str, task: &mut Task) {
        let place = format!("{pointer}/instruction");
        if task.instruction.trim().is_empty() {
            self.say(source, &place, "the instruction is empty", None);
        }
        for name in placeholders(&task.instruction) {
            if !task.parameters.contains_key(&name) {
                let message = format!("the instruction uses `{{{name}}}`, which is no parameter of the task");
                let hint = hint::did_you_mean(&name, task.parameters.keys().map(String::as_str))
                    .unwrap_or_else(|| format!("define it: `parameters: {{{name}: …}}`"));
                self.say(source, &place, &message, Some(&hint));
            }
        }
        self.check_parameters(source, &format!("{pointer}/parameters"), &mut task.parameters);
    }

    fn check_parameters(&mut self, source: &Source, pointer: &str, parameters: &mut BTreeMap<String, Parameter>) {
        let folder = source.folder();
        for (name, parameter) in parameters {
            let place = format!("{pointer}/{}", escape(name));
            let (secret, origins) = match parameter {
                Parameter::Secret { secret, origins } => (secret, origins),
                Parameter::File { file } => {
                    self.check_file(source, &place, &folder, file);
                    continue;
                }
                Parameter::Text(_) => continue,
            };
            if let Err(cause) = (Scope { hosts: origins.clone() }).validate() {
                self.say(source, &format!("{place}/origins"), &cause, None);
            }
            match secret {
                SecretRef::File(path) => self.check_file(source, &place, &folder, path),
                SecretRef::Env(variable) => {
                    if !self.for_others && std::env::var_os(&*variable).is_none() {
                        let message = format!("the environment variable `{variable}` is not set");
                        self.say(source, &place, &message, Some("set it before running; its value is never stored"));
                    }
                }
                // Whether there is one, only the machine knows on which it will be typed.
                SecretRef::Named(_) => {}
            }
        }
    }

    /// Makes a path absolute, and looks whether there is such a file.
    fn check_file(&mut self, source: &Source, place: &str, folder: &std::path::Path, path: &mut PathBuf) {
        if self.for_others {
            if !path.is_absolute() {
                let hint = "write its whole path on the crawlers, e.g. /run/rutter/secrets/shop-password";
                self.say(source, place, &format!("`{}` is no absolute path", path.display()), Some(hint));
            }
            return;
        }
        *path = absolute(folder, path);
        if !path.is_file() {
            self.say(source, place, &format!("there is no file {}", path.display()), None);
        }
    }

    fn check_site(&mut self, source: &Source, pointer: &str, site: &mut Site) {
        if let Err(cause) = site.scope.validate() {
            self.say(source, &format!("{pointer}/scope/hosts"), &cause, None);
        }
        if let Some(path) = &mut site.login_state {
            self.check_file(source, &format!("{pointer}/login_state"), &source.folder(), path);
        }
        if let Some(login) = &mut site.login {
            self.check_login(source, &format!("{pointer}/login"), login);
        }
        match &site.reset {
            Some(ResetHook::Command(words)) if words.is_empty() => {
                self.say(source, &format!("{pointer}/reset"), "the command is empty", None);
            }
            Some(ResetHook::Post(url)) => {
                if let Err((message, hint)) = start_url(url) {
                    self.say(source, &format!("{pointer}/reset"), &message, Some(&hint));
                }
            }
            _ => {}
        }
        if let Some(proxy) = &site.proxy
            && Url::parse(proxy).is_err()
        {
            let hint = "write it as an address, e.g. `http://127.0.0.1:3128`";
            self.say(source, &format!("{pointer}/proxy"), "the proxy is no address", Some(hint));
        }
    }
}

fn segment(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", escape(key)),
        Segment::Enum { variant } => format!("/{}", escape(variant)),
        Segment::Unknown => String::new(),
    }
}

/// `check.all[1].url` as a JSON pointer.
fn pointer_of(path: &str) -> String {
    format!("/{}", path.replace(['.', '['], "/").replace(']', ""))
}

/// A path of a task file, which counts from the file's folder.
fn absolute(folder: &std::path::Path, path: &std::path::Path) -> PathBuf {
    let joined = folder.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}

/// An address that a task may start at, or what is wrong with it and what to do.
pub(super) fn start_url(text: &str) -> Result<Url, (String, String)> {
    let example = "write an absolute address, e.g. `https://shop.example/`".to_owned();
    match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") && text.contains("://") => Err((
            format!("`{text}`: the scheme `{}` is not allowed", url.scheme()),
            "Rutter opens http and https only; serve files with a local web server".into(),
        )),
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ if Url::parse(&format!("https://{text}"))
            .is_ok_and(|url| url.host_str().is_some_and(|host| host.contains('.'))) =>
        {
            Err((format!("`{text}` is no absolute address"), format!("did you mean `https://{text}`?")))
        }
        Ok(url) => Err((format!("`{text}`: the scheme `{}` is not allowed", url.scheme()), example)),
        Err(error) => Err((format!("`{text}` is no address: {error}"), example)),
    }
}

/// The names that stand in braces in an instruction.
fn placeholders(instruction: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = instruction;
    while let Some((_, after)) = rest.split_once('{') {
        let end =
            after.find(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter))).unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        if !name.is_empty() && tail.starts_with('}') && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        rest = tail;
    }
    names
}

/// Reads a check of the command line: JSON, or the compact form.
pub(super) fn command_line_check(text: &str) -> Result<Check, String> {
    let check = if text.trim_start().starts_with('{') {
        let mut json = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let inner: String = error.path().iter().map(segment).collect();
            let advice = hint::explain(&error.inner().to_string(), &format!("/check{inner}"), None);
            advice.hint.map_or(advice.message.clone(), |hint| format!("{}; {hint}", advice.message))
        })?
    } else {
        compact::parse(text)?
    };
    match evaluation::validate::validate(&check).err().unwrap_or_default().first() {
        Some(mistake) => Err(format!("{}; {}", mistake.cause, mistake.hint)),
        None => Ok(check),
    }
}
