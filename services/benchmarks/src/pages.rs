//! Serves the pages of a benchmark, byte for byte, on the loopback interface.

use crate::Error;
use axum::Router;
use axum::http::{HeaderValue, header};
use platform::spawn;
use std::net::Ipv4Addr;
use std::path::Path;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;
use url::Url;

/// Pages are fetched once per profile: every episode reloads its page, and the scripts around it never change.
const CACHE: HeaderValue = HeaderValue::from_static("private, max-age=86400, immutable");

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
