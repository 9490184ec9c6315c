//! What a campaign refers to, read from the API server: the texts of task files and log-in recipes.

use crate::Error;
use crate::api::{CampaignSpec, ConfigMapKey};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use std::path::PathBuf;

/// A text, and what it is called in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The name.
    pub(crate) name: PathBuf,
    /// The text.
    pub(crate) text: String,
}

/// The texts of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    /// The task file.
    pub(crate) tasks: Option<Text>,
    /// The log-in recipe.
    pub(crate) login: Option<Text>,
}

/// Why a text is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Missing {
    /// There is no such ConfigMap.
    #[error("waiting for ConfigMap `{0}`: there is none of this name in the namespace")]
    ConfigMap(String),
    /// It does not have the key.
    #[error("waiting for key `{key}` in ConfigMap `{name}`; it has {has}")]
    Key {
        /// The ConfigMap.
        name: String,
        /// The key.
        key: String,
        /// The keys that it has.
        has: String,
    },
}

/// Reads them.
///
/// # Errors
/// [`Error`] where the API server cannot be asked. What is not there is no error.
pub(crate) async fn texts(
    client: &Client,
    namespace: &str,
    spec: &CampaignSpec,
) -> Result<Result<Texts, Missing>, Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let mut texts = Texts::default();
    if let Some(source) = &spec.tasks {
        if let Some(inline) = &source.inline {
            texts.tasks = Some(Text { name: PathBuf::from("tasks.inline"), text: inline.clone() });
        }
        if let Some(wanted) = &source.config_map {
            match read(&maps, wanted).await? {
                Ok(text) => texts.tasks = Some(text),
                Err(missing) => return Ok(Err(missing)),
            }
        }
    }
    if let Some(wanted) = spec.exploration.as_ref().and_then(|exploration| exploration.login.as_ref()) {
        match read(&maps, wanted).await? {
            Ok(text) => texts.login = Some(text),
            Err(missing) => return Ok(Err(missing)),
        }
    }
    Ok(Ok(texts))
}

async fn read(maps: &Api<ConfigMap>, wanted: &ConfigMapKey) -> Result<Result<Text, Missing>, Error> {
    Ok(match maps.get_opt(&wanted.name).await? {
        Some(map) => of_map(&map, wanted),
        None => Err(Missing::ConfigMap(wanted.name.clone())),
    })
}

fn of_map(map: &ConfigMap, wanted: &ConfigMapKey) -> Result<Text, Missing> {
    let ConfigMapKey { name, key } = wanted;
    let data = map.data.clone().unwrap_or_default();
    match data.get(key) {
        Some(text) => Ok(Text { name: PathBuf::from(format!("ConfigMap {name}, {key}")), text: text.clone() }),
        None => {
            let keys: Vec<&str> = data.keys().map(String::as_str).collect();
            let has = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
            Err(Missing::Key { name: name.clone(), key: key.clone(), has })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_not_there_is_told_with_those_that_are() {
        let data = [("shop.yaml".to_owned(), "tasks: []".to_owned())].into();
        let map = ConfigMap { data: Some(data), ..ConfigMap::default() };
        let wanted = |key: &str| ConfigMapKey { name: "shop".into(), key: key.into() };
        assert_eq!(of_map(&map, &wanted("shop.yaml")).expect("there").name, PathBuf::from("ConfigMap shop, shop.yaml"));
        let missing = of_map(&map, &wanted("shop.yml")).expect_err("missing").to_string();
        assert_eq!(missing, "waiting for key `shop.yml` in ConfigMap `shop`; it has shop.yaml");
    }
}
