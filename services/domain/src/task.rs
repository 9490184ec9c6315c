//! The task file: sites, tasks and their checks. The JSON Schema that is published is generated from these types.

use crate::action::Action;
use crate::exploration::Login;
use crate::fault::FaultCategory;
use crate::id::{SiteId, TaskId};
use crate::locator::Descriptor;
use crate::scope::Scope;
use crate::secret::SecretRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A task file in YAML. In JSONL, every line is one [`Task`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskFile {
    /// Settings of the sites that the tasks name.
    #[serde(default)]
    pub sites: BTreeMap<String, Site>,
    /// The tasks.
    pub tasks: Vec<Task>,
}

/// Settings of one web application under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Site {
    /// Further hosts that belong to the test; the start URL's host always does.
    pub scope: Scope,
    /// How to log in before a task begins: a form, what is typed into it, and how one sees that it worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<Box<Login>>,
    /// Saved log-in state: cookies and local storage as JSON, put into the profile before the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_state: Option<PathBuf>,
    /// What brings the site back to its initial state; run before every attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<ResetHook>,
    /// Language tag for the browser, e.g. `de-DE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Forward proxy, e.g. `http://127.0.0.1:3128`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// Whether certificates that nobody signed are accepted.
    pub accept_self_signed_certificates: bool,
}

/// How a site is reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ResetHook {
    /// A program and its arguments, started without a shell; must end with exit code 0 within 60 s.
    Command(Vec<String>),
    /// An address that is sent a POST; must answer 2xx within 60 s.
    Post(String),
}

/// A task in words, with what confirms it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Unique within the file.
    pub id: TaskId,
    /// A name of `sites`; by default the origin of the start URL, with default settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<SiteId>,
    /// Where it starts: an absolute http or https URL.
    pub start_url: String,
    /// What is to be done, in words. `{name}` stands for a parameter.
    pub instruction: String,
    /// Values for the instruction's parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// What must hold in the end. Without a check the verdict of a claimed success is `UNVERIFIED`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// A known way of doing it, for exact and prefix match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<Vec<GoldStep>>,
    /// Limits of an attempt.
    #[serde(default)]
    pub limits: Limits,
    /// Whether files that the site offers for download are kept with the attempt. Otherwise a download is told of, and nothing is stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub downloads: bool,
    /// Whether it counts as a success when the check holds already before anything was done. Otherwise that is `UNVERIFIED`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_hold_at_start: bool,
}

impl Task {
    /// The site that it names, else the origin of its start URL; without the project.
    pub fn site_name(&self) -> SiteId {
        SiteId::named(self.site.as_ref().map(SiteId::as_str), &self.start_url)
    }
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parameter {
    /// Plain text.
    Text(String),
    /// A reference to a secret.
    Secret {
        /// Where its value stands: `{env: NAME}`, `{file: PATH}`, or the name of a secret that the machine keeps.
        secret: SecretRef,
        /// Where it may be typed beside the site's own origins, as entries of a scope: `https://login.shop.example`. A secret that a
        /// machine keeps may be typed where that machine says.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        origins: Vec<String>,
    },
    /// A file that is given to the site.
    File {
        /// Where it stands: on the machine that drives the browser, or beside the task file. It is sent to the browser when it is put into
        /// a field.
        file: PathBuf,
    },
}

impl Parameter {
    /// A secret that is for the site's own origins.
    pub fn secret(secret: SecretRef) -> Parameter {
        Parameter::Secret { secret, origins: Vec::new() }
    }
}

/// One step of a gold trajectory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoldStep {
    /// The action with its element.
    pub action: Action<Descriptor>,
}

/// Limits of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Executed actions.
    pub steps: u32,
    /// Wall time in seconds.
    pub seconds: u64,
    /// How often the same action may be tried on an unchanged observation.
    pub repeats: u32,
    /// Consecutive invalid decisions.
    pub invalid: u32,
    /// Seconds that what is announced, disabled or covered is waited for at a time.
    pub patience: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 30, seconds: 300, repeats: 3, invalid: 3, patience: 10 }
    }
}

/// Something that must hold when an attempt has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Check {
    /// The address of the current tab.
    Url(TextMatch),
    /// The visible text of the page.
    Text(TextMatch),
    /// An element that is there, or is not.
    Element(ElementCheck),
    /// The value of a field.
    Value(ValueCheck),
    /// The answer that the actor gave when it stopped.
    Answer(TextMatch),
    /// A request that the page made during the attempt.
    Request(RequestCheck),
    /// A fault that the browser reported during the attempt.
    Fault(FaultCheck),
    /// The value of a JavaScript expression in the page; written by the task's author, never by a model.
    PageState(PageStateCheck),
    /// All of these hold.
    All(Vec<Check>),
    /// At least one of these holds.
    Any(Vec<Check>),
    /// This does not hold.
    Not(Box<Check>),
}

/// How a text is compared. White space is folded on both sides first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TextMatch {
    /// The same text.
    Equals(String),
    /// Holds the text.
    Contains(String),
    /// A regular expression finds a match.
    Matches(String),
}

/// An element by role, name or text; whatever is absent is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ElementCheck {
    /// ARIA role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Accessible name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<TextMatch>,
    /// Visible text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<TextMatch>,
    /// Attributes with their exact values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Checked state of a checkbox or radio button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueCheck {
    /// Which field.
    pub of: ElementCheck,
    /// What its value must be.
    pub is: TextMatch,
}

/// A request that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestCheck {
    /// Method, any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Its address.
    pub url: TextMatch,
    /// Status of its response, any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// A fault that the browser reported; whatever is absent is not compared, so that an empty one is any fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FaultCheck {
    /// Its category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<FaultCategory>,
    /// Its message. Numbers and identifiers do not count, unless by a regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<TextMatch>,
    /// The address of the script or resource that it comes from. Query, fragment, numbers and identifiers do not count, unless
    /// by a regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<TextMatch>,
    /// Whether it is the site's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_party: Option<bool>,
    /// The address at which an attempt must end for the absence of the fault to say anything; compared like `source`. Without
    /// it, wherever it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<TextMatch>,
}

/// The value of an expression in the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageStateCheck {
    /// A JavaScript expression, evaluated in the top-level page.
    pub expression: String,
    /// What it must equal, as JSON.
    pub equals: Value,
}
