//! A small made-up shop, and somebody who walks through it.

use domain::action::{Action, ActionKind};
use domain::observation::{Attributes, Stamp};
use domain::service::GraphService;
use domain::state::{Arrival, FrontierGrant, LocateRequest, Located, Opportunity, Version};
use domain::{Descriptor, Effect, ElementId, Node, Observation, RunId, SiteId, StateId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A page: its address, title, and controls by role, name and address.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub(crate) path: &'static str,
    pub(crate) title: &'static str,
    pub(crate) controls: &'static [(&'static str, &'static str, &'static str)],
}

/// The start.
pub const HOME: Shown = Shown {
    path: "/",
    title: "Home",
    controls: &[("link", "Home", "/"), ("link", "Products", "/products"), ("link", "Cart", "/cart")],
};

/// The start with an advertisement on it.
pub(super) const ADVERTISED: Shown = Shown {
    path: "/",
    title: "Home",
    controls: &[
        ("link", "Home", "/"),
        ("link", "Products", "/products"),
        ("link", "Cart", "/cart"),
        ("link", "Half price", "/offers/today"),
    ],
};

/// A list of five products.
pub const LIST: Shown = Shown {
    path: "/products",
    title: "Products",
    controls: &[
        ("link", "Home", "/"),
        ("link", "Search", "/search"),
        ("link", "Product 1", "/products/1"),
        ("link", "Product 2", "/products/2"),
        ("link", "Product 3", "/products/3"),
        ("link", "Product 4", "/products/4"),
        ("link", "Product 5", "/products/5"),
    ],
};

/// A product.
pub const PRODUCT: Shown =
    Shown { path: "/products/1", title: "Product", controls: &[("link", "Home", "/"), ("button", "Add to cart", "")] };

/// The cart.
pub const CART: Shown =
    Shown { path: "/cart", title: "Cart", controls: &[("link", "Home", "/"), ("button", "Pay", "")] };

pub(super) const PAYMENT: Shown =
    Shown { path: "/payment", title: "Payment", controls: &[("textbox", "Card", ""), ("button", "Send", "")] };

pub(super) const SORRY: Shown = Shown { path: "/sorry", title: "Sorry", controls: &[("button", "Complain", "")] };

/// The product's page with one more button.
pub const WISHED: Shown = Shown {
    path: "/products/1",
    title: "Product",
    controls: &[("link", "Home", "/"), ("button", "Add to cart", ""), ("button", "Wish for it", "")],
};

/// The product's page with another one more.
pub const DISCOUNTED: Shown = Shown {
    path: "/products/1",
    title: "Product",
    controls: &[("link", "Home", "/"), ("button", "Add to cart", ""), ("button", "Ask for a discount", "")],
};

/// The name of an opportunity's element.
pub(super) fn name(opportunity: &Opportunity) -> String {
    opportunity.action.element().map(|element| element.name.clone()).unwrap_or_default()
}

impl Shown {
    fn observed(self, stamp: Stamp) -> Observation {
        let heading = Node {
            role: "heading".into(),
            tag: "h1".into(),
            name: self.title.into(),
            text: self.title.into(),
            ..Node::default()
        };
        let control = |(number, (role, name, address)): (usize, &(&str, &str, &str))| {
            let (tag, kind, path) = match *role {
                "link" => ("a", ActionKind::Click, format!("/html/body/nav/ul/li[{}]/a", number + 1)),
                "textbox" => ("input", ActionKind::Type, format!("/html/body/p[{}]/input", number + 1)),
                _ => ("button", ActionKind::Click, format!("/html/body/p[{}]/button", number + 1)),
            };
            let mut attributes = Attributes::default();
            if !address.is_empty() {
                attributes.insert("href".to_owned(), (*address).to_owned());
            }
            Node {
                role: (*role).into(),
                tag: tag.into(),
                name: (*name).into(),
                text: (*name).into(),
                attributes,
                operations: vec![kind],
                xpath: path,
                ..Node::default()
            }
        };
        Observation {
            stamp,
            url: format!("http://shop{}", self.path),
            title: self.title.into(),
            nodes: std::iter::once(heading).chain(self.controls.iter().enumerate().map(control)).collect(),
            ..Observation::default()
        }
    }
}

/// Somebody who walks through the shop, in one run.
pub struct Browser {
    /// The map that is made.
    pub service: Arc<dyn GraphService>,
    /// The run.
    pub version: Version,
    /// The name of its session.
    pub session: String,
    /// How long every action takes.
    pub latency: Duration,
    number: u64,
    seen: BTreeMap<StateId, Shown>,
}

impl Browser {
    /// A browser of a run.
    pub fn new(service: Arc<dyn GraphService>, run: &str) -> Self {
        let version = Version { site: SiteId::new("shop"), run: RunId::new(run), role: "guest".into() };
        let session = format!("browser of {run}");
        Self { service, version, session, latency: Duration::from_millis(100), number: 0, seen: BTreeMap::new() }
    }

    /// The request for what is shown after an action on a control of a state that was seen.
    pub fn request(&mut self, shown: Shown, arrival: Option<(StateId, &str, Effect)>) -> LocateRequest {
        self.number += 1;
        let stamp = |number| Stamp { session: self.session.clone(), number };
        let arrival = arrival.map(|(from, name, effect)| {
            let before = self.seen.get(&from).copied().unwrap_or(shown).observed(stamp(0));
            let element = before.nodes.iter().position(|node| node.is_interactive() && node.name == name).unwrap_or(0);
            let element = ElementId(u32::try_from(element).expect("a small page"));
            let element = Descriptor::of(&before, element).expect("a node");
            Arrival { from, action: Action::click(element), key: None, effect, latency: self.latency }
        });
        LocateRequest {
            version: self.version.clone(),
            observation: Arc::new(shown.observed(stamp(self.number))),
            vector: None,
            arrival,
            reload_of: None,
            opened: None,
            ticket: None,
            screenshot: None,
        }
    }

    /// Opens a page.
    pub async fn open(&mut self, shown: Shown) -> Located {
        let request = self.request(shown, None);
        self.see(shown, request).await
    }

    /// Clicks a control, which leads to a page.
    pub async fn click(&mut self, from: &Located, name: &str, shown: Shown) -> Located {
        self.act(from, name, Effect::Changed { what: vec!["url".into()] }, shown).await
    }

    /// Clicks a control, with some effect.
    pub async fn act(&mut self, from: &Located, name: &str, effect: Effect, shown: Shown) -> Located {
        let request = self.request(shown, Some((from.state, name, effect)));
        self.see(shown, request).await
    }

    /// Does what was claimed, which leads to a page.
    pub(super) async fn settle(&mut self, from: &Located, grant: &FrontierGrant, shown: Shown) -> Located {
        let effect = Effect::Changed { what: vec!["content".into()] };
        let request = self.request(shown, Some((from.state, &name(&grant.opportunity), effect)));
        self.see(shown, LocateRequest { ticket: Some(grant.ticket.clone()), ..request }).await
    }

    async fn see(&mut self, shown: Shown, request: LocateRequest) -> Located {
        let located = self.service.locate(request).await.expect("locate");
        self.saw(shown, &located);
        located
    }

    /// Remembers which page a state shows.
    pub(crate) fn saw(&mut self, shown: Shown, located: &Located) {
        self.seen.insert(located.state, shown);
    }
}
