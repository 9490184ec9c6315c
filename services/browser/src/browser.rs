//! A browser: starting it, asking it for profiles, ending it.

use crate::error::Error;
use crate::guard::Guard;
use crate::install;
use crate::options::{Capabilities, Options, ProfileOptions, ScopeEnforcement};
use crate::probe;
use crate::profile::Profile;
use crate::session::{self, Session};
use crate::wire::Trouble;
use crate::wire::bidi::BidiWire;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};
use thirtyfour::bidi::BiDi;

/// A started browser. [`Browser::stop`] waits until its processes are gone; when it is dropped instead, they go a moment
/// later, and so they do when this process is killed.
pub struct Browser {
    options: Options,
    capabilities: Capabilities,
    guard: Option<Guard>,
    session: Session,
    bidi: BiDi,
    profiles: AtomicU64,
}

impl Browser {
    /// Starts a browser, or connects to an endpoint.
    ///
    /// # Errors
    /// See [`Error`]; nothing is left behind.
    pub async fn start(options: Options) -> Result<Browser, Error> {
        let guard = match &options.endpoint {
            Some(_) => None,
            None => {
                install::browser(&options)?;
                Some(Guard::start(&install::driver(&options)?).await?)
            }
        };
        let url = match (&guard, &options.endpoint) {
            (Some(guard), _) => guard.url(),
            (None, Some(endpoint)) => endpoint.to_string(),
            (None, None) => String::new(),
        };
        let directory = guard.as_ref().map(|guard| guard.directory().join("profile"));
        let wanted = session::wanted(&options, session::tries_bidi(&options), directory.as_deref(), &[])?;
        let session = Session::start(&url, wanted).await?;
        let failed = |doing: &'static str| move |trouble: Trouble| Error::Session { doing, cause: trouble.to_string() };
        let bidi = session
            .driver()
            .bidi()
            .await
            .map_err(|error| Error::Session { doing: "connect BiDi", cause: error.to_string() })?;
        BidiWire::subscribe(&bidi).await.map_err(failed("subscribe to events"))?;
        BidiWire::preload(&bidi, probe::INSTALL).await.map_err(failed("install the probe"))?;
        let capabilities = Capabilities {
            browser: session.capability("browserName").to_owned(),
            browser_version: session.capability("browserVersion").to_owned(),
            driver_version: String::new(),
            bidi: true,
            shared_profiles: true,
            early_probe: true,
            scope: ScopeEnforcement::None,
        };
        Ok(Browser { options, capabilities, guard, session, bidi, profiles: AtomicU64::new(0) })
    }

    /// What the session can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Opens a profile that shares nothing with others, with one empty tab.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the session cannot do what is asked, [`Error::Session`] when it fails.
    pub async fn profile(&self, options: ProfileOptions) -> Result<Profile, Error> {
        let failed = |trouble: Trouble| Error::Session { doing: "open profile", cause: trouble.to_string() };
        let user_context = json!({"acceptInsecureCerts": options.accept_self_signed_certificates});
        let wire =
            BidiWire::open(self.bidi.clone(), &user_context, self.options.viewport, self.options.command_timeout)
                .await
                .map_err(failed)?;
        let number = self.profiles.fetch_add(1, Ordering::Relaxed) + 1;
        let name = format!("{}/{number}", self.session.handle().session_id());
        Ok(Profile::new(Box::new(wire), name, options, self.options.settle, self.options.max_nodes))
    }

    /// Ends the browser and waits until its processes are gone.
    pub async fn stop(self) {
        self.session.quit().await;
        if let Some(guard) = self.guard {
            guard.stop().await;
        }
    }
}
