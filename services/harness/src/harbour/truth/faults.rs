//! Seeded faults: what the browser will say, and the markup that makes it say so. Where a fault shows is not declared here:
//! it is the state in which its block stands.

use domain::Fault;
use domain::fault::FaultCategory::{self, ContentSecurity, JavaScript, Network, Other};
use serde::Serialize;

/// A fault that is there on purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seeded {
    /// Its name in the truth.
    pub id: &'static str,
    /// The button that brings it about; none where the page does by itself.
    pub control: Option<&'static str>,
    /// Its category.
    pub category: FaultCategory,
    /// Whether it is the shop's own.
    pub first_party: bool,
    /// A part of what the browser says.
    pub message: &'static str,
    /// A part of the address that it comes from; empty where that does not tell it apart.
    pub source: &'static str,
    /// What stands in the page; `{widgets}` is the other origin of the shop.
    #[serde(skip)]
    pub markup: &'static str,
}

const fn seeded(
    id: &'static str,
    category: FaultCategory,
    message: &'static str,
    source: &'static str,
    markup: &'static str,
) -> Seeded {
    Seeded { id, control: None, category, first_party: true, message, source, markup }
}

impl Seeded {
    /// It shows when a button is pressed. Its script is the page script's `faults[id]`.
    const fn on(self, control: &'static str) -> Seeded {
        Seeded { control: Some(control), ..self }
    }

    /// Whether a browser that says this speaks of it.
    pub fn is(&self, fault: &Fault) -> bool {
        self.category == fault.category
            && self.first_party == fault.first_party
            && fault.message.contains(self.message)
            && (fault.source.contains(self.source) || fault.message.contains(self.source))
    }

    /// It is that of somebody else's script or resource.
    const fn foreign(self) -> Seeded {
        Seeded { first_party: false, ..self }
    }
}

/// All of them.
pub const SEEDED: &[Seeded] = &[
    // Pages that answer with an error.
    seeded("page-not-found", Network, "answered 404", "/knots/of-the-month", ""),
    seeded("page-gone", Network, "answered 410", "/prices/1998", ""),
    seeded("page-broken", Network, "answered 500", "/tidal-power", ""),
    seeded("page-forbidden", Network, "answered 403", "/back-room", ""),
    // Resources that do.
    seeded(
        "imprint-picture",
        Network,
        "answered 404",
        "/media/figurehead.png",
        "<img src='/media/figurehead.png' alt=''>",
    ),
    seeded(
        "charts-script",
        Network,
        "answered 500",
        "/media/soundings.js",
        "<script src='/media/soundings.js'></script>",
    ),
    seeded(
        "services-style",
        Network,
        "answered 404",
        "/media/pennants.css",
        "<link rel=stylesheet href='/media/pennants.css'>",
    ),
    seeded("status-lights", Network, "answered 502", "/api/lights", "<script>fetch('/api/lights')</script>"),
    seeded("courses-cut-off", Network, "net::ERR_", "/media/cut-off.png", "<img src='/media/cut-off.png' alt=''>"),
    seeded("weather-image", Network, "answered 404", "/media/cloud.png", "<img src='/media/cloud.png' alt=''>")
        .foreign(),
    seeded("stock-flaky", Network, "answered 503", "/api/stock", "").on("Check the stock"),
    seeded("bill-logo", Network, "answered 404", "/media/seal.png", "<img src='/media/seal.png' alt=''>"),
    seeded("rules-broken", Network, "answered 500", "/workshop/rules", ""),
    seeded("coupons-gone", Network, "answered 503", "/api/printer", "<script>fetch('/api/printer')</script>"),
    // Scripts that throw.
    seeded("ropes-undefined", JavaScript, "(reading 'splice')", "", "<script>({}).reel.splice()</script>"),
    seeded(
        "guest-book-late",
        JavaScript,
        "the ink is dry",
        "",
        "<script>setTimeout(() => { throw new Error('the ink is dry') }, 40)</script>",
    ),
    seeded("bundle-weight", JavaScript, "scales.weigh is not a function", "", "").on("Weigh the set"),
    seeded("berth-depth", JavaScript, "no sounding at this pier", "", "").on("Check the depth"),
    seeded("islands-ferry", JavaScript, "is not valid JSON", "", "").on("Show the ferry"),
    seeded(
        "delivery-undeclared",
        JavaScript,
        "carriers is not defined",
        "",
        "<script>carriers.forEach(String)</script>",
    ),
    seeded("gallery-enlarge", JavaScript, "Invalid array length", "", "").on("Enlarge"),
    seeded("words-uncounted", JavaScript, "words is not iterable", "", "").on("Count my words"),
    seeded(
        "weather-throws",
        JavaScript,
        "the barometer broke",
        "/barometer.js",
        "<script src='{widgets}/barometer.js'></script>",
    )
    .foreign(),
    seeded("loyalty-null", JavaScript, "(reading 'points')", "", "<script>null.points</script>"),
    seeded(
        "reports-parse",
        JavaScript,
        "ledger.draw is not a function",
        "",
        "<script>{ const ledger = {}; ledger.draw() }</script>",
    ),
    // Policies that block.
    seeded("privacy-inline", ContentSecurity, "script-src", "", "<script>document.title += ' *'</script>"),
    seeded("work-picture", ContentSecurity, "img-src", "", "<img src='{widgets}/media/crew.png' alt=''>"),
    seeded("films-frame", ContentSecurity, "frame-src", "", "<iframe src='{widgets}/embed/film' title=Film></iframe>"),
    seeded("cookies-connect", ContentSecurity, "connect-src", "", "").on("Ask who counts"),
    seeded("tides-cors", ContentSecurity, "", "/abroad/tides", "").on("Compare with abroad").foreign(),
    seeded(
        "sale-cors",
        ContentSecurity,
        "",
        "/abroad/prices",
        "<script>fetch('{widgets}/abroad/prices').catch(() => 0)</script>",
    )
    .foreign(),
    // Scripts that complain.
    seeded(
        "search-console",
        Other,
        "the index is a day old",
        "",
        "<script>console.error('search: the index is a day old')</script>",
    ),
    seeded("sizes-in-feet", Other, "no feet in this country", "", "").on("In feet"),
    seeded(
        "gallery-assert",
        Other,
        "a picture hangs askew",
        "",
        "<script>console.assert(false, 'a picture hangs askew')</script>",
    ),
    seeded("weather-console", Other, "no reading since noon", "/wind.js", "<script src='{widgets}/wind.js'></script>")
        .foreign(),
    seeded("notices-console", Other, "the gull is tired", "", "").on("Try the gull"),
];

/// The fault of a name.
pub fn seeded_fault(id: &str) -> Option<&'static Seeded> {
    SEEDED.iter().find(|fault| fault.id == id)
}
