//! The pages that steps are measured on, and the measuring.

use anyhow::Context as _;
use browser::{Browser, Options, Profile, ProfileOptions, Protocol};
use domain::scope::Scope;
use domain::{Action, Effect, ElementId, Observation, Page as _};
use harness::site::{RunningSite, Site};
use platform::{Clock, SystemClock};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::sleep;

/// Measured steps per page, and steps before that are thrown away.
const STEPS: usize = 60;
const WARM_UP: usize = 10;
/// Pause between measurements.
const REST: Duration = Duration::from_millis(60);

/// A page, and two elements that are clicked in turn; each click changes the page.
pub(crate) struct PageUnderTest {
    pub(crate) name: &'static str,
    path: &'static str,
    /// Run after loading.
    prepare: &'static str,
    clicks: [&'static str; 2],
}

/// Pages of MiniWoB++. Their own START cover begins an episode, and their own button ends it, which covers the page again.
pub(crate) const PAGES: [PageUnderTest; 3] = [
    PageUnderTest {
        name: "click-button",
        path: "/miniwob/click-button.html",
        prepare: "0",
        clicks: ["#sync-task-cover", "button"],
    },
    PageUnderTest {
        name: "enter-text",
        path: "/miniwob/enter-text.html",
        prepare: "0",
        clicks: ["#sync-task-cover", "#subbtn"],
    },
    PageUnderTest {
        name: "email-inbox",
        path: "/miniwob/email-inbox.html",
        prepare: "core.EPISODE_MAX_TIME = 600000, core.startEpisodeReal()",
        clicks: [".email-thread", "#close-email"],
    },
];

/// A page of 5,000 elements of our own.
pub(crate) const LARGE: PageUnderTest =
    PageUnderTest { name: "large", path: "/large", prepare: "0", clicks: ["#toggle7", "#toggle12"] };

/// What the pages come from.
pub(crate) struct Pages {
    miniwob: RunningSite,
    own: RunningSite,
}

/// Serves the pages.
pub(crate) async fn serve() -> anyhow::Result<Pages> {
    let folder = miniwob_folder()?;
    Ok(Pages {
        miniwob: Site::new().folder("/", &folder).start().await,
        own: Site::new().page("/large", &large()).start().await,
    })
}

fn miniwob_folder() -> anyhow::Result<PathBuf> {
    let cache = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/miniwob/html");
    let folder = std::env::var_os("RUTTER_MINIWOB_DIR").map_or(cache, PathBuf::from);
    anyhow::ensure!(
        folder.join("core/core.js").is_file(),
        "no MiniWoB++ pages at {}; run `make setup`",
        folder.display()
    );
    Ok(folder)
}

/// 500 rows of ten elements: cells, text, links, fields, buttons.
fn large() -> String {
    let rows: String = (0..500)
        .map(|row| {
            format!(
                "<tr><td>done</td><td><span>Name {row}</span></td><td><a href='/item/{row}'>Item {row}</a></td>\
                 <td><input value='v{row}' aria-label='Field {row}'></td><td><button id=toggle{row}>Open {row}</button></td></tr>"
            )
        })
        .collect();
    format!(
        "<h1>Large</h1><table><tbody>{rows}</tbody></table><script>for (const b of document.querySelectorAll('button')) \
         b.onclick = () => {{ const cell = b.closest('tr').firstElementChild; cell.textContent = cell.textContent === 'open' ? 'done' : 'open'; }};</script>"
    )
}

/// Times of one step in milliseconds, and where the page spent its part of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) step: f64,
    pub(crate) settle: f64,
    pub(crate) observe: f64,
    pub(crate) round_trip: f64,
    pub(crate) click: f64,
    pub(crate) elements: usize,
}

/// One page in a browser.
pub(crate) struct Stage {
    browser: Browser,
    page: Profile,
    clicks: [&'static str; 2],
    clock: SystemClock,
}

impl Stage {
    /// Opens a page.
    pub(crate) async fn open(wire: Protocol, pages: &Pages, page: &PageUnderTest) -> anyhow::Result<Stage> {
        let browser = Browser::start(Options { wire, ..Options::default() }).await?;
        let site = if page.name == LARGE.name { &pages.own } else { &pages.miniwob };
        let url = site.url(page.path).parse()?;
        let mut profile =
            browser.profile(ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() }).await?;
        profile.open(&url).await?;
        profile.evaluate(page.prepare).await?;
        Ok(Stage { browser, page: profile, clicks: page.clicks, clock: SystemClock::default() })
    }

    /// Takes bare pairs and steps in turns.
    pub(crate) async fn measure(mut self) -> anyhow::Result<Vec<Sample>> {
        let elements =
            self.page.evaluate("document.querySelectorAll('*').length").await?.as_u64().unwrap_or(0) as usize;
        let mut seen = self.page.observe().await?;
        let mut samples = Vec::new();
        for turn in 0..WARM_UP + STEPS {
            // What one measurement leaves for the page to draw is not the next one's to pay for.
            sleep(REST).await;
            let round_trip = self.clock.monotonic();
            self.page.bare_round_trip().await.map_err(anyhow::Error::msg)?;
            let click = self.clock.monotonic();
            self.page.bare_click(1270.0, 2.0).await.map_err(anyhow::Error::msg)?;
            let bare = self.clock.monotonic();
            sleep(REST).await;
            // The bare click takes the focus away; what is seen must be the latest again.
            seen = if turn == 0 { self.page.observe().await? } else { seen };
            let selector = self.clicks[turn % 2];
            let element = match self.element(&seen, selector).await? {
                Some(element) => element,
                None => {
                    // Something that loaded late has moved it.
                    seen = self.page.observe().await?;
                    self.element(&seen, selector).await?.with_context(|| format!("{selector} is not seen"))?
                }
            };
            let begin = self.clock.monotonic();
            let acted = self.page.act(&Action::click(element), &seen).await?;
            let end = self.clock.monotonic();
            anyhow::ensure!(
                matches!(acted.effect, Effect::Changed { .. }),
                "the click changed nothing: {:?}",
                acted.effect
            );
            let timing = self.page.timing();
            let ms = |from: std::time::Duration, to: std::time::Duration| (to - from).as_secs_f64() * 1000.0;
            if turn >= WARM_UP {
                samples.push(Sample {
                    step: ms(begin, end),
                    settle: timing.settle_ms,
                    observe: timing.observe_ms,
                    round_trip: ms(round_trip, click),
                    click: ms(click, bare),
                    elements,
                });
            }
            seen = acted.observation;
        }
        self.page.close().await;
        self.browser.stop().await;
        Ok(samples)
    }

    /// The node of a selector, by its place on the page; none when no node is seen there.
    async fn element(&mut self, seen: &Observation, selector: &str) -> anyhow::Result<Option<ElementId>> {
        let place = self
            .page
            .evaluate(&format!("(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); return [b.x, b.y, b.width]; }})()"))
            .await?;
        let near = |at: usize, value: f64| place[at].as_f64().is_some_and(|wanted| (wanted - value).abs() < 1.0);
        Ok(seen
            .interactive()
            .find(|(_, node)| near(0, node.bounds.x) && near(1, node.bounds.y) && near(2, node.bounds.width))
            .map(|(element, _)| element))
    }
}
