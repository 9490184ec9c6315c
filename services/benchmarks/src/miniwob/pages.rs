//! Finds the benchmark's pages and serves them, byte for byte, on the loopback interface.

use crate::Error;
use axum::Router;
use axum::http::{HeaderValue, header};
use platform::spawn;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;
use url::Url;

/// The variable that says where the pages are.
pub const DIRECTORY_VARIABLE: &str = "RUTTER_MINIWOB_DIR";

/// Where the set-up puts the pages, below the root of the repository.
const SET_UP: &str = ".cache/miniwob/html";

/// Pages are fetched once per profile: every episode reloads its page, and the scripts around it never change.
const CACHE: HeaderValue = HeaderValue::from_static("private, max-age=86400, immutable");

/// The folder of the pages: what the variable says, or what the set-up left here or in a folder above.
///
/// # Errors
/// [`Error::PagesMissing`] with the folders that were tried.
pub fn find() -> Result<PathBuf, Error> {
    let given = std::env::var_os(DIRECTORY_VARIABLE).map(PathBuf::from);
    let here = std::env::current_dir().unwrap_or_default();
    find_in(given, &here)
}

fn find_in(given: Option<PathBuf>, here: &Path) -> Result<PathBuf, Error> {
    let candidates = match given {
        Some(folder) => vec![folder],
        None => here.ancestors().map(|folder| folder.join(SET_UP)).collect(),
    };
    match candidates.iter().find(|folder| folder.join("core/core.js").is_file()) {
        Some(folder) => Ok(folder.clone()),
        None => Err(Error::PagesMissing { looked: candidates.into_iter().take(1).collect() }),
    }
}

/// The served pages. They are served until this is dropped.
#[derive(Debug)]
pub struct Pages {
    base: Url,
    _stop: oneshot::Sender<()>,
}

impl Pages {
    /// Serves a folder of pages at a free port of 127.0.0.1.
    ///
    /// # Errors
    /// [`Error::Serve`].
    pub async fn start(folder: &Path) -> Result<Pages, Error> {
        let routes = routes(folder);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(Error::Serve)?;
        let address = listener.local_addr().map_err(Error::Serve)?;
        let base = Url::parse(&format!("http://{address}/"))
            .map_err(|cause| Error::Serve(std::io::Error::other(cause.to_string())))?;
        let (stop, stopped) = oneshot::channel::<()>();
        spawn::detached("pages of the benchmark", async move {
            let served = axum::serve(listener, routes).with_graceful_shutdown(async {
                // Ends by the sender being dropped; nothing is ever sent.
                let _ = stopped.await;
            });
            if let Err(cause) = served.await {
                tracing::error!(%cause, "serving the benchmark's pages ended");
            }
        });
        Ok(Pages { base, _stop: stop })
    }

    /// The address of the folder, with a slash at its end.
    pub fn base(&self) -> &Url {
        &self.base
    }
}

fn routes(folder: &Path) -> Router {
    Router::new()
        .fallback_service(ServeDir::new(folder))
        .layer(SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, CACHE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with_pages() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join(SET_UP).join("core")).unwrap();
        std::fs::write(root.path().join(SET_UP).join("core/core.js"), "var core = {};").unwrap();
        root
    }

    #[test]
    fn the_pages_of_the_set_up_are_found_from_any_folder_below_it() {
        let root = folder_with_pages();
        let below = root.path().join("services/harness");
        assert_eq!(find_in(None, &below).unwrap(), root.path().join(SET_UP));
    }

    #[test]
    fn a_given_folder_counts_alone() {
        let root = folder_with_pages();
        let elsewhere = root.path().join("nowhere");
        let error = find_in(Some(elsewhere), root.path()).unwrap_err().to_string();
        assert!(error.contains("nowhere") && error.contains("make setup"), "{error}");
    }

    #[test]
    fn missing_pages_are_an_error_that_says_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        let error = find_in(None, root.path()).unwrap_err().to_string();
        assert!(error.contains(SET_UP) && error.contains(DIRECTORY_VARIABLE), "{error}");
    }
}
