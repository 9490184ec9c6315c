//! What is measured of one store.

use anyhow::{Context, Result, bail};
use backends::map::bare::{Bare, Ready};
use domain::StateId;
use domain::service::GraphService;
use domain::storage::graph::{GraphStore, Merged};
use graph::{Dependencies, Graph, Options};
use loadtests::child::Child;
use loadtests::process::usage;
use loadtests::shop::{Shop, WAYS};
use platform::SystemClock;
use platform::clock::Clock;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// States that are written at once, each with what belongs to it.
const BATCH: u64 = 250;

/// How much there is.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) sites: u64,
    pub(crate) states_each: u64,
    pub(crate) questions: usize,
}

/// A store.
pub(crate) enum Store {
    /// The embedded database.
    Sqlite,
    /// A server, by its address.
    Postgres(String),
}

/// What was measured.
#[derive(Serialize)]
pub(crate) struct Measured {
    pub(crate) store: String,
    /// States, sightings and transitions written per second by the store.
    pub(crate) ingest_rows_per_s: f64,
    /// The same rows inserted bare into the same tables and indexes.
    pub(crate) bare_rows_per_s: f64,
    pub(crate) ratio: f64,
    #[serde(flatten)]
    pub(crate) asked: Asked,
    pub(crate) took_s: f64,
}

/// How long something took.
#[derive(Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) most_ms: f64,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        let at = |part: f64| {
            let place = ((times.len() as f64 * part).ceil() as usize).clamp(1, times.len().max(1)) - 1;
            times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        Self { p50_ms: at(0.50), p99_ms: at(0.99), most_ms: at(1.0) }
    }
}

impl Measured {
    /// Whether it is as quick as it has to be.
    pub(crate) fn is_good(&self) -> bool {
        self.ratio >= 0.5 && self.asked.locate.p99_ms < 5.0 && self.asked.path.p99_ms < 5.0
    }
}

/// What was asked of the service, in a process that holds the maps and nothing else.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    /// Locating a page that is known, with the transition that led there, one after the other.
    pub(crate) locate: Times,
    /// Paths between pairs drawn at random within a site.
    pub(crate) path: Times,
    /// Reading a whole map for the first time.
    pub(crate) load: Times,
    /// What the process holds with every map in memory, beyond what it held before.
    pub(crate) memory_mib: f64,
}

/// Measures a store from an empty one on.
pub(crate) async fn measure(store: Store, size: Size) -> Result<Measured> {
    let clock = SystemClock::default();
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let (name, address, bare) = match &store {
        Store::Sqlite => {
            let address = folders[0].path().to_str().context("the path of a temporary directory")?.to_owned();
            ("sqlite", address, Bare::embedded(folders[1].path()).await?)
        }
        Store::Postgres(url) => {
            let base = url.rsplit_once('/').context("the address of a database")?.0;
            for database in ["maps", "bare"] {
                backends::testing::on_database(url, &format!("CREATE DATABASE {database}")).await;
            }
            ("postgres", format!("{base}/maps"), Bare::postgres(&format!("{base}/bare")).await?)
        }
    };
    let opened = Opened::at(&address).await?;
    let (ingest, bare_rate) = write(opened.maps.as_ref(), &bare, size, &clock).await?;
    bare.close().await;
    opened.close().await;
    let child = Child::start("maps", &arguments(&address, size))?;
    let asked: Asked = serde_json::from_value(child.said.clone()).context("read what was asked")?;
    eprintln!("{name}: {} maps in memory, {:.0} MiB", size.sites, asked.memory_mib);
    Ok(Measured {
        store: name.to_owned(),
        ingest_rows_per_s: ingest,
        bare_rows_per_s: bare_rate,
        ratio: ingest / bare_rate,
        asked,
        took_s: clock.monotonic().as_secs_f64(),
    })
}

/// The arguments with which this program only asks.
fn arguments(address: &str, size: Size) -> Vec<String> {
    let states = (size.states_each * size.sites).to_string();
    let (sites, questions) = (size.sites.to_string(), size.questions.to_string());
    let arguments = ["--ask", address, "--states", &states, "--sites", &sites, "--questions", &questions];
    arguments.map(str::to_owned).to_vec()
}

/// Maps of a directory or of a server.
struct Opened {
    maps: Arc<dyn GraphStore>,
    embedded: Option<backends::Embedded>,
}

impl Opened {
    async fn at(address: &str) -> Result<Self> {
        if address.contains("://") {
            return Ok(Self { maps: backends::postgres::open(address, 4).await?.maps, embedded: None });
        }
        let embedded = backends::open(Path::new(address)).await?;
        Ok(Self { maps: embedded.maps.clone(), embedded: Some(embedded) })
    }

    async fn close(self) {
        if let Some(embedded) = self.embedded {
            embedded.close().await;
        }
    }
}

/// Reads every map of a store, locates pages and finds paths.
pub(crate) async fn ask(address: &str, size: Size) -> Result<Asked> {
    let clock = SystemClock::default();
    let opened = Opened::at(address).await?;
    let own = std::process::id();
    let before = usage(own).context("what this process uses")?.rss_mib;
    let options = Options { maps_in_memory: size.sites as usize, ..Options::default() };
    let store = opened.maps.clone();
    let service = Graph::new(Dependencies { store, clock: Arc::new(clock), embedder: None, history: None }, options)?;
    let shops: Vec<Shop> = (0..size.sites).map(|number| Shop::new(number, size.states_each)).collect();
    let mut load = Vec::new();
    for shop in &shops {
        let begun = clock.monotonic();
        service.versions(&shop.version.site).await?;
        load.push(clock.monotonic() - begun);
    }
    let memory_mib = usage(own).context("what this process uses")?.rss_mib - before;
    let mut random = SmallRng::seed_from_u64(7);
    let (mut locate, mut path) = (Vec::new(), Vec::new());
    for number in 0..size.questions {
        let shop = &shops[random.random_range(0..shops.len())];
        let (from, way) = (random.random_range(1..=size.states_each), random.random_range(0..WAYS));
        let (request, to) = shop.visit("measured", number as u64 + 1, from, way);
        let begun = clock.monotonic();
        let located = service.locate(request).await?;
        locate.push(clock.monotonic() - begun);
        if located.state != to || located.is_new {
            bail!("a page of state {to} was taken for state {}", located.state);
        }
        let pair = [0; 2].map(|_| StateId(random.random_range(1..=size.states_each)));
        let begun = clock.monotonic();
        let route = service.shortest_path(&shop.version.site, Some(pair[0]), pair[1]).await?;
        path.push(clock.monotonic() - begun);
        if route.is_none() {
            bail!("no way from state {} to {} was found, though there is one", pair[0], pair[1]);
        }
    }
    opened.close().await;
    Ok(Asked { locate: Times::of(locate), path: Times::of(path), load: Times::of(load), memory_mib })
}

/// Writes every map, and the same rows bare, site by site in turns; the rows per second of either.
async fn write(maps: &dyn GraphStore, bare: &Bare, size: Size, clock: &SystemClock) -> Result<(f64, f64)> {
    let (mut rows, mut ingest, mut inserted) = (0usize, Duration::ZERO, Duration::ZERO);
    for number in 0..size.sites {
        let shop = Shop::new(number, size.states_each);
        let (mut known, mut first) = (0, 1);
        while first <= size.states_each {
            let last = (first + BATCH - 1).min(size.states_each);
            let now = clock.wall();
            let changes = shop.changes(known, first..=last, now);
            let ready = Ready::of(&changes)?;
            rows += ready.rows();
            let begun = clock.monotonic();
            let Merged::Done { change, .. } = maps.merge(&shop.version, &changes, now).await? else {
                bail!("somebody else writes the map of {}", shop.version.site);
            };
            let between = clock.monotonic();
            bare.insert(number as i64, change as i64, &ready).await?;
            inserted += clock.monotonic() - between;
            ingest += between - begun;
            (known, first) = (change, last + 1);
        }
        if (number + 1) % 20 == 0 {
            eprintln!("{} of {} sites written", number + 1, size.sites);
        }
    }
    let rate = |time: Duration| rows as f64 / time.as_secs_f64();
    Ok((rate(ingest), rate(inserted)))
}
