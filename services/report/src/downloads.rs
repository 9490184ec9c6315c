//! Files that sites gave during a run, for people: each under its job, with a name that is safe.

use crate::Error;
use crate::directory::{Directory, file_name};
use crate::html::Attempt;
use crate::run::Sources;
use domain::JobId;
use serde::Serialize;
use std::collections::BTreeSet;

/// A file that a site offered for download.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Offered<'a> {
    job: &'a JobId,
    /// The name that the page gave it.
    name: &'a str,
    bytes: u64,
    /// Where it stands in the directory of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Why it does not.
    #[serde(skip_serializing_if = "str::is_empty")]
    missing: &'a str,
}

/// Writes what was kept, and tells of all that was offered.
///
/// # Errors
/// A store that cannot be read, a file that cannot be written.
pub(crate) async fn write<'a>(
    directory: &Directory,
    sources: &Sources,
    attempts: &'a [Attempt],
) -> Result<Vec<Offered<'a>>, Error> {
    let mut offered = Vec::new();
    for Attempt { outcome, trajectory } in attempts {
        let mut names = BTreeSet::new();
        for download in trajectory.iter().flat_map(|trajectory| &trajectory.downloads) {
            let mut row = Offered {
                job: &outcome.job,
                name: &download.name,
                bytes: download.bytes,
                file: None,
                missing: &download.missing,
            };
            if let Some(content) = &download.content {
                match sources.blobs.get(content).await? {
                    Some(bytes) => {
                        let file = format!(
                            "downloads/{}/{}",
                            file_name(outcome.job.as_str()),
                            own(&mut names, &download.name)
                        );
                        directory.write(&file, &bytes)?;
                        row.file = Some(file);
                    }
                    None => row.missing = "the blob store no longer has it",
                }
            }
            offered.push(row);
        }
    }
    Ok(offered)
}

/// A name that no other file of the job has.
fn own(names: &mut BTreeSet<String>, name: &str) -> String {
    let plain = file_name(name);
    let mut own = plain.clone();
    let mut number = 1;
    while !names.insert(own.clone()) {
        number += 1;
        own = format!("{number}-{plain}");
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_kept_apart_and_stay_in_their_folder() {
        let mut names = BTreeSet::new();
        let given = ["report.csv", "report.csv", "../../etc/passwd"].map(|name| own(&mut names, name));
        assert_eq!(given, ["report.csv", "2-report.csv", "etc-passwd"]);
    }
}
