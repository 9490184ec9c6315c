//! Browsers shared by jobs: each job has a profile of its own, several profiles may live in one browser.
//!
//! A recycled browser takes no further profile and ends with its last one. So does a failed browser: its profiles fail,
//! and their jobs are retried elsewhere.

use crate::browser::{Browser, driver_client};
use crate::error::Error;
use crate::options::{Options, ProfileOptions};
use crate::profile::Profile;
use parking_lot::{Mutex, MutexGuard};
use platform::clock::{Clock as _, SystemClock};
use platform::spawn;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::task::JoinError;
use tracing::Instrument as _;

/// How browsers are shared, and when they are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Profiles that live in one browser at the same time; at least 1. Sessions without user contexts hold one.
    pub contexts_per_browser: u32,
    /// Profiles after which a browser is replaced, to bound its leaks.
    pub profiles_per_browser: u32,
    /// Memory of a browser's processes in MiB after which it is replaced. Not seen of browsers on other machines.
    pub mib_per_browser: u64,
    /// For how long a browser is kept that is somebody else's, such as a Grid's; one of this pool's own is kept until it is worn.
    pub lent: Option<Lent>,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self { contexts_per_browser: 1, profiles_per_browser: 200, mib_per_browser: 1536, lent: None }
    }
}

/// When a browser is given back, so that others get it, and a node that is to end does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    /// After so long without a profile.
    pub idle: Duration,
    /// After so long it takes no further profile.
    pub age: Duration,
}

/// Profiles between two looks at a browser's memory.
const LOOK_EVERY: u32 = 10;

/// A pool of equal browsers, started on demand.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<PoolState>,
}

struct PoolState {
    options: Options,
    limits: PoolOptions,
    clock: SystemClock,
    /// Made with the first browser.
    clients: OnceCell<reqwest::Client>,
    // Lock order: this list before the occupancy of any browser in it.
    entries: Mutex<Vec<Arc<PooledBrowser>>>,
}

impl PoolState {
    async fn browser(&self) -> Result<Browser, Error> {
        let clients = self.clients.get_or_try_init(async || driver_client()).await?;
        Browser::start_with(self.options.clone(), clients.clone()).await
    }

    /// Whether a browser that is lent was kept for long enough.
    fn is_old(&self, entry: &PooledBrowser) -> bool {
        self.limits.lent.is_some_and(|lent| self.clock.monotonic() - entry.began >= lent.age)
    }
}

/// A pooled browser, started by the first profile that needs it.
#[derive(Default)]
struct PooledBrowser {
    browser: OnceCell<Browser>,
    occupancy: Mutex<Occupancy>,
    /// When it was first asked for, by the pool's clock.
    began: Duration,
}

#[derive(Default)]
struct Occupancy {
    taken: u32,
    /// Profiles so far.
    given: u32,
    retired: bool,
}

impl Pool {
    /// A pool that has no browser yet.
    pub fn new(options: Options, limits: PoolOptions) -> Pool {
        let (clients, entries) = (OnceCell::new(), Mutex::default());
        Pool { shared: Arc::new(PoolState { options, limits, clock: SystemClock::default(), clients, entries }) }
    }

    /// Starts a browser now, so that a machine that has none is told at once.
    ///
    /// # Errors
    /// As [`Browser::start`].
    pub async fn warm_up(&self) -> Result<(), Error> {
        let entry = PooledBrowser::new(&self.shared.clock);
        entry.browser.get_or_try_init(|| self.shared.browser()).await?;
        self.entries().push(entry);
        Ok(())
    }

    /// Opens a fresh profile in a browser with room. If the caller gives up, the profile is closed as soon as it is
    /// open.
    ///
    /// # Errors
    /// As [`Browser::start`] and [`Browser::profile`], after a browser that was used before has been replaced.
    pub async fn profile(&self, options: ProfileOptions) -> Result<PooledProfile, Error> {
        let pool = self.clone();
        // Runs in its own task, since opening must not be cancelled midway: a Grid creates the requested session
        // whether or not anybody waits.
        let opening = spawn::detached("open a profile", async move { pool.open(options).await }.in_current_span());
        let panicked = |panic: JoinError| Error::Session { doing: "open a profile", cause: panic.to_string() };
        opening.await.map_err(panicked)?
    }

    async fn open(&self, options: ProfileOptions) -> Result<PooledProfile, Error> {
        loop {
            let slot = self.take_slot();
            let is_used = slot.entry.browser.initialized();
            let browser = match slot.entry.browser.get_or_try_init(|| self.shared.browser()).await {
                Ok(browser) => browser,
                Err(error) => {
                    slot.retire();
                    slot.leave().await;
                    return Err(error);
                }
            };
            match browser.profile(options.clone()).await {
                Ok(profile) => return Ok(PooledProfile { profile, slot }),
                Err(error) => {
                    slot.retire();
                    slot.leave().await;
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
        (entries.len(), entries.iter().map(|entry| entry.occupancy().taken).sum())
    }

    /// Memory of all browsers' processes in MiB, shared pages counted in proportion.
    pub fn memory_mib(&self) -> u64 {
        self.entries().iter().filter_map(|entry| entry.browser.get()?.memory_mib()).sum()
    }

    /// Ends every idle browser, waits for its processes, and accepts no further profiles.
    pub async fn stop(&self) {
        let entries = std::mem::take(&mut *self.entries());
        for entry in entries {
            entry.occupancy().retired = true;
            end(entry).await;
        }
    }

    /// Reserves a slot in the fullest browser with room, else in a new browser.
    fn take_slot(&self) -> ProfileSlot {
        let mut entries = self.entries();
        let limit = self.shared.limits.contexts_per_browser.max(1);
        let room = |entry: &PooledBrowser| {
            let contexts = match entry.browser.get() {
                Some(browser) if !browser.capabilities().shared_profiles => 1,
                _ => limit,
            };
            let occupancy = entry.occupancy();
            (!occupancy.retired && !self.shared.is_old(entry) && occupancy.taken < contexts).then_some(occupancy.taken)
        };
        let found = entries.iter().filter_map(|entry| Some((room(entry)?, entry))).max_by_key(|(taken, _)| *taken);
        let entry = match found {
            Some((_, entry)) => entry.clone(),
            None => {
                let entry = PooledBrowser::new(&self.shared.clock);
                entries.push(entry.clone());
                entry
            }
        };
        entry.occupancy().taken += 1;
        ProfileSlot { entry, pool: self.clone(), is_left: false }
    }

    /// Ends a browser of somebody else's, if it serves nobody until it has been idle for long enough.
    fn end_when_idle(&self, entry: &Arc<PooledBrowser>) {
        let Some(Lent { idle, .. }) = self.shared.limits.lent else { return };
        let given = entry.occupancy().given;
        let (shared, entry) = (Arc::downgrade(&self.shared), Arc::downgrade(entry));
        let waiting = async move {
            tokio::time::sleep(idle).await;
            let (Some(shared), Some(entry)) = (shared.upgrade(), entry.upgrade()) else { return };
            {
                let mut entries = shared.entries.lock();
                let mut occupancy = entry.occupancy();
                if occupancy.taken == 0 && occupancy.given == given {
                    occupancy.retired = true;
                    entries.retain(|other| !Arc::ptr_eq(other, &entry));
                }
            }
            end(entry).await;
        };
        spawn::detached("end an idle browser", waiting.in_current_span());
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Arc<PooledBrowser>>> {
        self.shared.entries.lock()
    }
}

impl PooledBrowser {
    fn new(clock: &SystemClock) -> Arc<Self> {
        Arc::new(Self { began: clock.monotonic(), ..Self::default() })
    }

    fn occupancy(&self) -> MutexGuard<'_, Occupancy> {
        self.occupancy.lock()
    }
}

/// Stops the browser if nobody else holds the entry.
async fn end(entry: Arc<PooledBrowser>) {
    if let Some(browser) = Arc::into_inner(entry).and_then(|entry| entry.browser.into_inner()) {
        browser.stop().await;
    }
}

/// A reserved profile slot in a browser. If it is dropped without [`ProfileSlot::leave`], the browser is retired, since
/// a profile may still live in it.
struct ProfileSlot {
    entry: Arc<PooledBrowser>,
    pool: Pool,
    is_left: bool,
}

impl ProfileSlot {
    /// Retires the browser: it takes no further profile.
    fn retire(&self) {
        self.entry.occupancy().retired = true;
    }

    /// Frees the slot; the last slot of a retired browser ends it.
    async fn leave(mut self) {
        let entry = self.give_back();
        self.pool.end_when_idle(&entry);
        end(entry).await;
    }

    /// Frees the slot and returns the browser's entry; whoever holds it last must end it.
    fn give_back(&mut self) -> Arc<PooledBrowser> {
        let entry = std::mem::take(&mut self.entry);
        self.is_left = true;
        let limits = self.pool.shared.limits;
        let given = {
            let mut occupancy = entry.occupancy();
            occupancy.given += 1;
            occupancy.given
        };
        let is_heavy = || {
            let used = entry.browser.get().and_then(Browser::memory_mib).unwrap_or(0);
            given.is_multiple_of(LOOK_EVERY) && used > limits.mib_per_browser
        };
        let is_worn = given >= limits.profiles_per_browser || self.pool.shared.is_old(&entry) || is_heavy();
        {
            // The list first, as the lock order has it: a retired, empty browser leaves it.
            let mut entries = self.pool.entries();
            let mut occupancy = entry.occupancy();
            occupancy.taken -= 1;
            occupancy.retired |= is_worn;
            if occupancy.retired && occupancy.taken == 0 {
                entries.retain(|other| !Arc::ptr_eq(other, &entry));
            }
        }
        entry
    }
}

impl Drop for ProfileSlot {
    fn drop(&mut self) {
        if self.is_left {
            return;
        }
        self.retire();
        let entry = self.give_back();
        // Without a runtime no command can be sent; the browser then ends by its guard a moment later.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(end(entry));
        }
    }
}

/// A profile in a shared browser.
pub struct PooledProfile {
    profile: Profile,
    slot: ProfileSlot,
}

impl PooledProfile {
    /// Closes the profile and frees its slot. `is_sound` is false when the browser failed; then it is not reused.
    pub async fn close(self, is_sound: bool) {
        self.profile.close().await;
        if !is_sound {
            self.slot.retire();
        }
        self.slot.leave().await;
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
        let pool = Pool::new(Options { wire: crate::Protocol::Bidi, ..Options::default() }, limits);
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
