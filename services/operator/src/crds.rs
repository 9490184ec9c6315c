//! The definitions of the resources as YAML, for `helm/rutter/crds`.

use crate::api::{Campaign, Fleet, Schedule};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use saphyr::{LoadableYamlNode, Yaml, YamlEmitter};

/// Why a definition cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("write the definition of {resource} as YAML: {cause}")]
pub struct Error {
    resource: String,
    cause: String,
}

/// Each definition with the name of its file, in the order of their names.
///
/// # Errors
/// [`Error`], which would be a mistake of this program.
pub fn files() -> Result<Vec<(String, String)>, Error> {
    [Campaign::crd(), Fleet::crd(), Schedule::crd()].iter().map(file).collect()
}

fn file(definition: &CustomResourceDefinition) -> Result<(String, String), Error> {
    let resource = definition.spec.names.plural.clone();
    let failed = |cause: String| Error { resource: resource.clone(), cause };
    let json = serde_json::to_string(definition).map_err(|error| failed(error.to_string()))?;
    // JSON is YAML, so that what reads YAML also turns one into the other.
    let documents = Yaml::load_from_str(&json).map_err(|error| failed(error.to_string()))?;
    let document = documents.first().ok_or_else(|| failed("nothing was written".to_owned()))?;
    let mut text = String::from("# Made from the types of services/operator/src/api: change those.\n");
    YamlEmitter::new(&mut text).dump(document).map_err(|error| failed(error.to_string()))?;
    text.push('\n');
    Ok((format!("{resource}.yaml"), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helm/rutter/crds")
    }

    #[test]
    fn the_definitions_of_the_chart_are_fresh() {
        for (name, text) in files().expect("definitions") {
            let path = folder().join(&name);
            if std::env::var_os("UPDATE_REFERENCE").is_some() {
                std::fs::create_dir_all(folder()).expect("a folder");
                std::fs::write(&path, &text).expect("written");
            }
            let there = std::fs::read_to_string(&path).unwrap_or_default();
            let how = "UPDATE_REFERENCE=1 cargo nextest run -p operator crds";
            assert!(there == text, "{} is stale: {how}", path.display());
        }
    }
}
