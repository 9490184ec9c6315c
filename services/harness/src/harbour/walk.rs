//! Going to the states of Harbour by its truth, in a real browser.
//!
//! What is seen on the way is kept until it is asked for; whether it is as declared is for others to say.

use super::truth::words::{Form, Kind};
use super::truth::{How, Role, State, Transition, Truth};
use super::{ACCOUNTS, Harbour, Options, Version};
use anyhow::{Context, Result};
use browser::{Browser, Profile, ProfileOptions};
use domain::scope::Scope;
use domain::{Action, Effect, ElementId, Node, Observation, Page};
use std::collections::{BTreeMap, VecDeque};

/// Addresses that show other data of states that the truth names, with these states.
pub const MORE: [(&str, &str); 6] = [
    ("calendar/month", "/calendar/1999/12"),
    ("calendar/month", "/calendar/2031/1"),
    ("calendar/day", "/calendar/2027/2/3"),
    ("catalogue/lanterns", "/catalogue/lanterns?page=7"),
    ("catalogue/lanterns", "/catalogue/lanterns?page=40"),
    ("search/results", "/search?q=rope"),
];

/// How often a way is gone that does not always lead to the same state.
const TRIES: usize = 4;

/// A browser on its way through the site.
pub struct Walk {
    /// The site.
    pub harbour: Harbour,
    browser: Browser,
    /// The page.
    pub page: Profile,
    /// Who walks.
    pub role: Role,
    /// What is seen now.
    pub seen: Observation,
    passed: Vec<Observation>,
    failed: Vec<String>,
}

impl Walk {
    /// Starts a site and a browser, signed in as the role.
    ///
    /// # Errors
    /// There is no browser, or the site cannot be started.
    pub async fn begin(version: Version, role: Role) -> Result<Walk> {
        let harbour = Harbour::start(Options { version, ..Options::default() }).await.context("start Harbour")?;
        let browser = Browser::start(browser::Options::default()).await.context("start a browser")?;
        let profile = ProfileOptions { scope: Scope { hosts: harbour.scope() }, ..ProfileOptions::default() };
        let mut page = browser.profile(profile).await.context("open a profile")?;
        let seen = page.observe().await.context("observe")?;
        let mut walk = Walk { harbour, browser, page, role, seen, passed: Vec::new(), failed: Vec::new() };
        if let Some(account) = ACCOUNTS.iter().find(|account| account.role == role) {
            walk.open("/sign-in").await?;
            walk.fill("name", account.user).await?;
            walk.fill("password", account.password).await?;
            let button = walk.control("button", "Sign in").context("find the button to sign in")?;
            walk.act(Action::click(button)).await?;
        }
        Ok(walk)
    }

    /// What was seen since this was last asked for, oldest first.
    pub fn take_passed(&mut self) -> Vec<Observation> {
        std::mem::take(&mut self.passed)
    }

    /// What could not be done since this was last asked for, in words.
    pub fn take_failed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.failed)
    }

    /// Goes to a state by the shortest way from an address; says whether it was reached.
    ///
    /// # Errors
    /// The browser fails, or a form is not as declared.
    pub async fn go_to(&mut self, state: &State) -> Result<bool> {
        if let Some(address) = state.address {
            self.open(address).await?;
            return Ok(self.told() == state.id);
        }
        let truth = self.harbour.truth().clone();
        let Some((address, ways)) = shortest(&truth, self.role, &state.id) else { return Ok(false) };
        for _ in 0..TRIES {
            self.open(address).await?;
            for way in &ways {
                if self.told() == way.from {
                    self.go(way).await?;
                }
            }
            if self.told() == state.id {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Uses a control; says whether it was there.
    ///
    /// # Errors
    /// As [`Walk::go_to`].
    pub async fn go(&mut self, way: &Transition) -> Result<bool> {
        if let How::Send(form, is_wrong) = &way.how {
            self.fill_form(form, *is_wrong).await?;
        }
        if matches!(way.how, How::Dismiss) {
            self.act(Action::DismissDialog).await?;
            return Ok(true);
        }
        let Some(element) = self.control(way.control.role, way.control.name) else { return Ok(false) };
        let action = match way.how {
            How::TypeIn => Action::Type { element, text: "lan".to_owned(), submit: false },
            _ => Action::click(element),
        };
        self.act(action).await?;
        Ok(true)
    }

    async fn fill_form(&mut self, form: &Form, is_wrong: bool) -> Result<()> {
        for field in &form.fields {
            let wrong = form.rule.filter(|rule| is_wrong && rule.field == field.name).map(|rule| rule.wrong);
            let value = wrong.unwrap_or(field.good);
            match field.kind {
                Kind::Check | Kind::Radio(_) if !value.is_empty() => {
                    let is_it = |label: &str| label == value || (field.kind == Kind::Check && label == field.label);
                    let is_choice = |node: &Node| node.attribute("name") == field.name && is_it(node.label());
                    let found = self.seen.elements().find(|(_, node)| is_choice(node)).map(|(element, _)| element);
                    let element = found.with_context(|| format!("{}: find the choice {value}", field.name))?;
                    self.act(Action::Check { element, checked: true }).await?;
                }
                Kind::Choice(_) => {
                    let element = self.field(field.name)?;
                    self.act(Action::Select { element, options: vec![value.to_owned()] }).await?;
                }
                Kind::Check | Kind::Radio(_) | Kind::File => {}
                _ => self.fill(field.name, value).await?,
            }
        }
        Ok(())
    }

    async fn fill(&mut self, name: &str, text: &str) -> Result<()> {
        let element = self.field(name)?;
        self.act(Action::Type { element, text: text.to_owned(), submit: false }).await
    }

    fn field(&self, name: &str) -> Result<ElementId> {
        let found = self.seen.interactive().find(|(_, node)| node.attribute("name") == name);
        let found = found.map(|(element, _)| element);
        found.with_context(|| format!("find the field {name} at {}: {:#?}", self.seen.url, self.seen.nodes))
    }

    /// A control by its role and name.
    pub fn control(&self, role: &str, name: &str) -> Option<ElementId> {
        let is_it = |node: &Node| node.role == role && (node.label() == name || node.text == name);
        self.seen.interactive().find(|(_, node)| is_it(node)).map(|(element, _)| element)
    }

    /// Opens an address of the shop.
    ///
    /// # Errors
    /// The browser fails.
    pub async fn open(&mut self, address: &str) -> Result<()> {
        if self.seen.dialog.is_some() {
            self.act(Action::DismissDialog).await?;
        }
        // As an action, so that what went wrong on the way is told.
        self.act(Action::Goto { url: self.harbour.url(address) }).await
    }

    async fn act(&mut self, action: Action) -> Result<()> {
        let acted = self.page.act(&action, &self.seen).await.with_context(|| format!("do {action:?}"))?;
        // Some pages answer with an error on purpose, which is another effect; which, the faults tell.
        if let Effect::Failed { cause } = &acted.effect {
            self.failed.push(format!("{}: {action:?} failed: {cause}", self.told()));
        }
        self.seen = acted.observation;
        self.passed.push(self.seen.clone());
        Ok(())
    }

    /// What is seen now, in words: the state's name where it is one.
    pub fn told(&self) -> String {
        told(self.harbour.truth(), &self.seen)
    }

    /// Ends the browser.
    pub async fn end(self) {
        self.page.close().await;
        self.browser.stop().await;
    }
}

/// What an observation shows, in words: the state's name where it is one.
pub fn told(truth: &Truth, seen: &Observation) -> String {
    match truth.candidates(seen)[..] {
        [one] => one.id.clone(),
        [] => format!("nothing known at {}", seen.url),
        ref many => format!("{:?}", many.iter().map(|state| &state.id).collect::<Vec<_>>()),
    }
}

/// The shortest way to a state: an address, and what is to be used from there.
fn shortest<'a>(truth: &'a Truth, role: Role, to: &str) -> Option<(&'a str, Vec<&'a Transition>)> {
    let starts = truth.reachable(role).into_iter().filter_map(|state| Some((state.id.as_str(), state.address?)));
    let mut known: BTreeMap<&str, (&str, Vec<&Transition>)> =
        starts.map(|(id, address)| (id, (address, Vec::new()))).collect();
    let mut queue: VecDeque<&str> = known.keys().copied().collect();
    while let Some(at) = queue.pop_front() {
        if at == to {
            return known.remove(at);
        }
        let (address, ways) = known[at].clone();
        for way in truth.transitions_of(role).filter(|way| way.from == at && !matches!(way.how, How::Follow(_))) {
            for next in &way.to {
                if !known.contains_key(next.as_str()) {
                    let ways = ways.iter().copied().chain([way]).collect();
                    known.insert(next, (address, ways));
                    queue.push_back(next);
                }
            }
        }
    }
    None
}
