//! Browsers shared by jobs: each job has a profile of its own, several profiles may live in one browser.
//!
//! A browser that is recycled takes no further profile and ends with its last one. So does a browser that failed: the
//! profiles in it fail with it, and their jobs are tried again elsewhere.

use crate::browser::{Browser, driver_client};
use crate::error::Error;
use crate::options::{Options, ProfileOptions};
use crate::profile::Profile;
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::task::JoinError;
use tracing::Instrument as _;

/// How browsers are shared, and when they are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Profiles that live in one browser at the same time; at least 1. Sessions without user contexts hold one.
    pub contexts_per_browser: u32,
    /// Profiles after which a browser is replaced, so that what it leaks does not add up.
    pub profiles_per_browser: u32,
    /// Memory of a browser's processes in MiB after which it is replaced. Not seen of browsers on other machines.
    pub mib_per_browser: u64,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self { contexts_per_browser: 1, profiles_per_browser: 200, mib_per_browser: 1536 }
    }
}

/// Profiles between two looks at a browser's memory.
const LOOK_EVERY: u32 = 10;

/// A pool of equal browsers, started as they are needed.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    limits: PoolOptions,
    /// Made with the first browser.
    clients: OnceCell<reqwest::Client>,
    entries: Mutex<Vec<Arc<Entry>>>,
}

impl Shared {
    async fn browser(&self) -> Result<Browser, Error> {
        let clients = self.clients.get_or_try_init(async || driver_client()).await?;
        Browser::start_with(self.options.clone(), clients.clone()).await
    }
}

/// A browser, started by whoever needs it first.
#[derive(Default)]
struct Entry {
    browser: OnceCell<Browser>,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    taken: u32,
    /// Profiles so far.
    given: u32,
    retired: bool,
}

impl Pool {
    /// A pool that has no browser yet.
    pub fn new(options: Options, limits: PoolOptions) -> Pool {
        Pool { shared: Arc::new(Shared { options, limits, clients: OnceCell::new(), entries: Mutex::default() }) }
    }

    /// Starts a browser now, so that a machine that has none is told at once.
    ///
    /// # Errors
    /// As [`Browser::start`].
    pub async fn warm_up(&self) -> Result<(), Error> {
        let entry = Arc::new(Entry::default());
        entry.browser.get_or_try_init(|| self.shared.browser()).await?;
        self.entries().push(entry);
        Ok(())
    }

    /// A profile that nobody has used, in a browser with room for it. Whoever asks may give up at any moment: then the profile
    /// is ended as soon as it is there.
    ///
    /// # Errors
    /// As [`Browser::start`] and [`Browser::profile`], after a browser that was used before has been replaced.
    pub async fn profile(&self, options: ProfileOptions) -> Result<PooledProfile, Error> {
        let pool = self.clone();
        // A task of its own is not cut off in the middle: a Grid makes the session that it was asked for, heard or not.
        let opening = spawn::detached("open a profile", async move { pool.open(options).await }.in_current_span());
        let panicked = |panic: JoinError| Error::Session { doing: "open a profile", cause: panic.to_string() };
        opening.await.map_err(panicked)?
    }

    async fn open(&self, options: ProfileOptions) -> Result<PooledProfile, Error> {
        loop {
            let seat = self.sit();
            let is_used = seat.entry.browser.initialized();
            let browser = match seat.entry.browser.get_or_try_init(|| self.shared.browser()).await {
                Ok(browser) => browser,
                Err(error) => {
                    seat.retire();
                    seat.leave().await;
                    return Err(error);
                }
            };
            match browser.profile(options.clone()).await {
                Ok(profile) => return Ok(PooledProfile { profile, seat }),
                Err(error) => {
                    seat.retire();
                    seat.leave().await;
                    if !is_used || !error.is_retryable() {
                        return Err(error);
                    }
                    tracing::debug!(%error, "a used browser gives no profile any more, another one takes its place");
                }
            }
        }
    }

    /// Browsers started, and profiles open in them.
    pub fn size(&self) -> (usize, u32) {
        let entries = self.entries();
        (entries.len(), entries.iter().map(|entry| entry.places().taken).sum())
    }

    /// Memory of all browsers' processes in MiB, shared pages counted in proportion.
    pub fn memory_mib(&self) -> u64 {
        self.entries().iter().filter_map(|entry| entry.browser.get()?.memory_mib()).sum()
    }

    /// Ends every browser that no profile lives in, waits until its processes are gone, and lets no browser be used again.
    pub async fn stop(&self) {
        let entries = std::mem::take(&mut *self.entries());
        for entry in entries {
            entry.places().retired = true;
            end(entry).await;
        }
    }

    /// Takes a place in the fullest browser that has one, else in a new browser.
    fn sit(&self) -> Seat {
        let mut entries = self.entries();
        let limit = self.shared.limits.contexts_per_browser.max(1);
        let room = |entry: &Entry| {
            let contexts = match entry.browser.get() {
                Some(browser) if !browser.capabilities().shared_profiles => 1,
                _ => limit,
            };
            let places = entry.places();
            (!places.retired && places.taken < contexts).then_some(places.taken)
        };
        let found = entries.iter().filter_map(|entry| Some((room(entry)?, entry))).max_by_key(|(taken, _)| *taken);
        let entry = match found {
            Some((_, entry)) => entry.clone(),
            None => {
                let entry = Arc::new(Entry::default());
                entries.push(entry.clone());
                entry
            }
        };
        entry.places().taken += 1;
        Seat { entry, pool: self.clone(), is_left: false }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Arc<Entry>>> {
        self.shared.entries.lock()
    }
}

impl Entry {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock()
    }
}

/// Stops the browser if nobody else holds the entry.
async fn end(entry: Arc<Entry>) {
    if let Some(browser) = Arc::into_inner(entry).and_then(|entry| entry.browser.into_inner()) {
        browser.stop().await;
    }
}

/// A place in a browser. Dropped without having been left, it is given back all the same, and the browser takes nobody any
/// more: nobody knows what still lives in it.
struct Seat {
    entry: Arc<Entry>,
    pool: Pool,
    is_left: bool,
}

impl Seat {
    /// Lets nobody else into this browser.
    fn retire(&self) {
        self.entry.places().retired = true;
    }

    /// Gives the place back; the last one out of a retired browser ends it.
    async fn leave(mut self) {
        end(self.give_back()).await;
    }

    /// Gives the place back, and answers the entry: whoever is the last to hold it has to end it.
    fn give_back(&mut self) -> Arc<Entry> {
        let entry = std::mem::take(&mut self.entry);
        self.is_left = true;
        let limits = self.pool.shared.limits;
        let given = {
            let mut places = entry.places();
            places.given += 1;
            places.given
        };
        let is_heavy = || {
            let used = entry.browser.get().and_then(Browser::memory_mib).unwrap_or(0);
            given.is_multiple_of(LOOK_EVERY) && used > limits.mib_per_browser
        };
        let is_worn = given >= limits.profiles_per_browser || is_heavy();
        {
            let mut entries = self.pool.entries();
            let mut places = entry.places();
            places.taken -= 1;
            places.retired |= is_worn;
            if places.retired && places.taken == 0 {
                entries.retain(|other| !Arc::ptr_eq(other, &entry));
            }
        }
        entry
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.is_left {
            return;
        }
        self.retire();
        let entry = self.give_back();
        // Without a runtime nothing can be asked of the browser, which then ends by itself a moment later.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(end(entry));
        }
    }
}

/// A profile in a shared browser.
pub struct PooledProfile {
    profile: Profile,
    seat: Seat,
}

impl PooledProfile {
    /// Ends the profile and gives its place to the next. `is_sound` is false when the browser failed under it: then the
    /// browser is not used again.
    pub async fn close(self, is_sound: bool) {
        self.profile.close().await;
        if !is_sound {
            self.seat.retire();
        }
        self.seat.leave().await;
    }
}

impl Deref for PooledProfile {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        &self.profile
    }
}

impl DerefMut for PooledProfile {
    fn deref_mut(&mut self) -> &mut Profile {
        &mut self.profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Page as _;
    use domain::scope::Scope;
    use serde_json::json;
    use url::Url;
    use wiremock::matchers::{any, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    /// Leaves something in each kind of storage that outlives a page.
    const LEAVE: &str = "(async () => {
        const opened = indexedDB.open('mine');
        await new Promise((done, failed) => { opened.onsuccess = done; opened.onerror = failed; });
        await (await caches.open('mine')).put('/kept', new Response('mine'));
        await navigator.serviceWorker.register('/worker.js');
        await navigator.serviceWorker.ready;
    })()";

    /// What is found there, and whether the address that the worker answers is answered by it.
    const FIND: &str = "(async () => [
        (await indexedDB.databases()).length,
        (await caches.keys()).length,
        (await navigator.serviceWorker.getRegistrations()).length,
        await (await fetch('/asked')).text(),
    ])()";

    /// A site whose worker answers in its place, once it has one.
    async fn site() -> MockServer {
        let site = MockServer::start().await;
        let worker = "onactivate = (event) => event.waitUntil(clients.claim());
            onfetch = (event) => event.respondWith(new Response('worker'));";
        let worker = ResponseTemplate::new(200).set_body_raw(worker, "text/javascript");
        Mock::given(path("/worker.js")).respond_with(worker).mount(&site).await;
        let page = ResponseTemplate::new(200).set_body_raw("site", "text/html");
        Mock::given(any()).respond_with(page).mount(&site).await;
        site
    }

    #[tokio::test]
    async fn databases_caches_and_workers_of_a_profile_are_unknown_to_another_and_to_the_next_in_one_browser() {
        let site = site().await;
        let url: Url = site.uri().parse().unwrap();
        let limits = PoolOptions { contexts_per_browser: 2, ..PoolOptions::default() };
        let pool = Pool::new(Options { wire: crate::Wire::Bidi, ..Options::default() }, limits);
        let open = async || {
            let options = ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
            let mut profile = pool.profile(options).await.unwrap();
            profile.open(&url).await.unwrap();
            profile
        };
        let (mut first, mut second) = (open().await, open().await);
        first.evaluate(LEAVE).await.unwrap();
        assert_eq!(first.evaluate(FIND).await.unwrap(), json!([1, 1, 1, "worker"]));
        assert_eq!(second.evaluate(FIND).await.unwrap(), json!([0, 0, 0, "site"]));
        first.close(true).await;
        let mut third = open().await;
        assert_eq!(pool.size(), (1, 2), "one browser serves all");
        assert_eq!(third.evaluate(FIND).await.unwrap(), json!([0, 0, 0, "site"]));
        second.close(true).await;
        third.close(true).await;
        pool.stop().await;
    }
}
