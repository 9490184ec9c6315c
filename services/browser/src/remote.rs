//! Browsers of other machines: where they are, and how files of this machine come to them.

use crate::error::Error;
use crate::gate::look_up;
use crate::grid::{Grid, GridError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::text::shorten;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{Cursor, Write as _};
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;
use url::{Host, Url};
use zip::write::{SimpleFileOptions, ZipWriter};

/// Bytes of a file that is sent to a browser's machine: the message holds it whole, in memory.
const LARGEST: u64 = 64 << 20;
/// Characters of an error's answer that are told.
const SAID: usize = 200;
/// How long a file may take on its way.
const CARRY: Duration = Duration::from_secs(60);

/// The addresses of the machine on which a session's browser runs: that of its node, or of the driver where there is no Grid.
///
/// # Errors
/// [`Error::Session`]: nobody says where it is, or its name has no address.
pub(crate) async fn addresses_of(endpoint: &Url, session: &str, client: Client) -> Result<Vec<IpAddr>, Error> {
    let failed = |cause: String| Error::Session { doing: "find the machine of a browser", cause };
    let node = match Grid::asked_by(client, endpoint.clone()).node_of(session).await {
        Ok(Some(node)) => node,
        Ok(None) => return Err(failed("the Grid does not say on which node its session is".to_owned())),
        Err(GridError::NoGrid { .. }) => endpoint.clone(),
        Err(away) => return Err(failed(away.to_string())),
    };
    match node.host() {
        Some(Host::Ipv4(address)) => Ok(vec![address.into()]),
        Some(Host::Ipv6(address)) => Ok(vec![address.into()]),
        Some(Host::Domain(name)) => look_up(name).await.map_err(|error| failed(error.to_string())),
        None => Err(failed(format!("`{node}` names no host"))),
    }
}

/// Brings files of this machine to that of a session's browser.
#[derive(Clone, Debug)]
pub(crate) struct Carrier {
    client: Client,
    /// Where a Grid takes files, and where a driver of its own does.
    addresses: [Url; 2],
}

#[derive(Deserialize)]
struct Placed {
    value: String,
}

impl Carrier {
    /// The way to a session's browser.
    pub(crate) fn to(endpoint: &Url, session: &str, client: Client) -> Carrier {
        let at = |rest: &[&str]| {
            let mut address = endpoint.clone();
            if let Ok(mut path) = address.path_segments_mut() {
                path.pop_if_empty().extend(["session", session]).extend(rest);
            }
            address
        };
        Carrier { client, addresses: [at(&["se", "file"]), at(&["file"])] }
    }

    /// Where a file stands on the browser's machine after it was brought there.
    ///
    /// # Errors
    /// Why it could not be brought, for people.
    pub(crate) async fn carry(&self, file: &str) -> Result<String, String> {
        let packed = pack(Path::new(file)).map_err(|cause| format!("upload {file}: {cause}"))?;
        let failed = |cause: String| format!("send {file} to the browser's machine: {cause}");
        let message = json!({"file": packed});
        let [of_grid, of_driver] = &self.addresses;
        let mut answer = self.send(of_grid, &message).await.map_err(failed)?;
        if answer.status() == StatusCode::NOT_FOUND {
            answer = self.send(of_driver, &message).await.map_err(failed)?;
        }
        let status = answer.status();
        if !status.is_success() {
            let said = answer.text().await.unwrap_or_default();
            return Err(failed(format!("the Grid or driver answers {status}: {}", shorten(&said, SAID))));
        }
        let placed: Placed = answer.json().await.map_err(|error| failed(error.without_url().to_string()))?;
        Ok(placed.value)
    }

    async fn send(&self, address: &Url, message: &Value) -> Result<Response, String> {
        // A Grid takes JSON only where its encoding is named.
        let asked = self.client.post(address.clone()).header(CONTENT_TYPE, "application/json; charset=utf-8");
        let sent = asked.timeout(CARRY).json(message).send().await;
        sent.map_err(|error| error.without_url().to_string())
    }
}

/// A file as a ZIP archive in base64, the form in which WebDriver servers take one.
fn pack(file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > LARGEST {
        return Err(format!("it has {size} bytes, and at most {LARGEST} are sent to a browser of another machine"));
    }
    let name = file.file_name().ok_or("it is no file")?.to_string_lossy();
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = archive.start_file(name, SimpleFileOptions::default()).map_err(|error| error.to_string());
    packed.and_then(|()| archive.write_all(&bytes).map_err(|error| error.to_string()))?;
    let archive = archive.finish().map_err(|error| error.to_string())?;
    Ok(BASE64_STANDARD.encode(archive.into_inner()))
}

#[cfg(test)]
mod tests;
