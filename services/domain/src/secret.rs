//! Secrets are references. Only the browser room resolves them, at the moment of typing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a secret's value stands. The value itself never travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SecretRef {
    /// An environment variable of the process that drives the browser.
    Env(String),
    /// A file; trailing line breaks are dropped.
    File(PathBuf),
    /// A secret that the machine which drives the browser keeps under this name.
    #[serde(untagged)]
    Named(SecretName),
}

/// The name of a secret that a machine keeps: lower-case letters, digits, dots and hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct SecretName(String);

/// Longest name of a secret, in characters.
const LONGEST_NAME: usize = 63;

impl SecretName {
    /// The name. It begins with a letter or a digit, so that as the name of a file it stays within its folder.
    ///
    /// # Errors
    /// A sentence that does not repeat the text: it may be the secret itself.
    pub fn new(name: impl Into<String>) -> Result<SecretName, String> {
        let name = name.into();
        let is_plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit();
        let is_right = name.starts_with(is_plain)
            && name.len() <= LONGEST_NAME
            && name.chars().all(|sign| is_plain(sign) || ".-".contains(sign));
        let wrong = "the name of a secret is made of lower-case letters, digits, dots and hyphens, and begins with a letter or a digit";
        if is_right { Ok(SecretName(name)) } else { Err(wrong.to_owned()) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SecretName {
    type Error = String;

    fn try_from(name: String) -> Result<SecretName, String> {
        SecretName::new(name)
    }
}

impl From<SecretName> for String {
    fn from(name: SecretName) -> String {
        name.0
    }
}

/// The placeholder by which instructions and actions name a secret.
pub fn placeholder(name: &str) -> String {
    format!("${{secret:{name}}}")
}

/// The placeholders that a text holds, in order.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("${secret:").filter_map(|(start, _)| {
        let end = text[start..].find('}')?;
        Some(&text[start..=start + end])
    })
}

/// The name of the secret that stands in an address as its password: `https://anna:${secret:shop-password}@shop.example/`, with its
/// braces escaped or not.
pub fn of_address(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    let password = password.replace("%7B", "{").replace("%3A", ":").replace("%7D", "}");
    Some(password.strip_prefix("${secret:")?.strip_suffix('}')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_a_variable_a_file_or_a_name_and_a_value_is_none() {
        let read = |text: &str| serde_json::from_str::<SecretRef>(text);
        for (text, expected) in [
            (r#"{"env":"SHOP"}"#, SecretRef::Env("SHOP".into())),
            (r#"{"file":"/run/pin"}"#, SecretRef::File("/run/pin".into())),
            (r#""shop-password""#, SecretRef::Named(SecretName::new("shop-password").unwrap())),
        ] {
            assert_eq!(read(text).unwrap(), expected);
            assert_eq!(serde_json::to_string(&expected).unwrap(), text);
        }
        for text in [r#""Sesam öffne dich""#, r#""../shadow""#, r#"".hidden""#, r#""""#, r#"{"value":"x"}"#, "7"] {
            let error = read(text).unwrap_err().to_string();
            assert!(!error.contains("Sesam") && !error.contains("shadow"), "{error}");
        }
    }

    #[test]
    fn a_reference_in_an_address_stands_where_its_password_would() {
        for address in ["https://anna:${secret:pin}@a.test/", "http://anna:$%7Bsecret%3Apin%7D@a.test:81?x=@"] {
            assert_eq!(of_address(address).as_deref(), Some("pin"), "{address}");
        }
        for address in ["https://anna:plain@a.test/", "https://a.test/x:${secret:pin}@b", "https://anna@a.test/", "a"] {
            assert_eq!(of_address(address), None, "{address}");
        }
    }

    #[test]
    fn placeholders_are_found_whole_and_in_order() {
        let text = format!("a {} b {}c ${{secret:open", placeholder("ONE"), placeholder("TWO"));
        assert_eq!(placeholders(&text).collect::<Vec<_>>(), ["${secret:ONE}", "${secret:TWO}"]);
    }
}
