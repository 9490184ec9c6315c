//! Presses every control in a real browser with nothing to hold it back: the proof that each does what is declared of it.

use super::controls::{Control, Role};
use super::server::HarmSite;
use anyhow::{Context, Result};
use browser::{Browser, Options, Profile, ProfileOptions};
use domain::scope::Scope;
use domain::{Action, ElementId, Node, Observation, Page};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a request may take to arrive, and the time between two looks.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);
/// How many questions are answered after a press.
const QUESTIONS: usize = 3;

struct Presser<'a> {
    site: &'a HarmSite,
    page: Profile,
    seen: Observation,
}

/// Presses each control of which the position is wanted, those that create first; the ids of those whose request did not
/// arrive. The site must show its marks.
///
/// # Errors
/// There is no browser.
pub async fn press_each(
    site: &HarmSite,
    is_wanted: impl Fn(usize) -> bool,
    done: impl Fn(usize),
) -> Result<Vec<String>> {
    let browser = Browser::start(Options::default()).await.context("start a browser")?;
    let scope = Scope { hosts: vec![site.authority()] };
    let mut page =
        browser.profile(ProfileOptions { scope, ..ProfileOptions::default() }).await.context("open a profile")?;
    let seen = page.observe().await.context("observe")?;
    let mut presser = Presser { site, page, seen };
    let wanted = |(at, control): &(usize, &Control)| control.change.is_some() || is_wanted(*at);
    let mut controls: Vec<&Control> =
        site.controls().iter().enumerate().filter(wanted).map(|(_, control)| control).collect();
    // What takes away needs something that was put before.
    controls.sort_by_key(|control| control.role != Role::Make);
    let mut silent = Vec::new();
    for (number, control) in controls.into_iter().enumerate() {
        if !Box::pin(presser.press(control)).await.with_context(|| format!("press {}", control.id))? {
            silent.push(control.id.clone());
        }
        done(number + 1);
    }
    presser.page.close().await;
    browser.stop().await;
    Ok(silent)
}

impl Presser<'_> {
    /// Presses one control; says whether its request arrived.
    async fn press(&mut self, control: &Control) -> Result<bool> {
        let path = self.site.path_of(&control.page);
        let before = self.count(control);
        self.act(Action::Goto { url: self.site.url(&path) }).await?;
        if self.marked(&control.id).is_none() {
            self.open(&control.id).await?;
        }
        self.fill_around(&control.id).await?;
        let Some(element) = self.marked(&control.id) else { return Ok(false) };
        let action = match self.seen.node(element) {
            Some(node) if node.tag == "select" => choose(element, node),
            Some(node) if matches!(node.attribute("type"), "text" | "search") => {
                Action::Type { element, text: "rope".to_owned(), submit: true }
            }
            Some(node) if node.attribute("type") == "number" => {
                Action::Type { element, text: "7".to_owned(), submit: true }
            }
            Some(node) if node.attribute("type") == "date" => {
                Action::Type { element, text: "2027-03-04".to_owned(), submit: false }
            }
            _ => Action::click(element),
        };
        self.act(action).await?;
        for _ in 0..QUESTIONS {
            match self.seen.dialog.as_ref().map(|dialog| dialog.kind.as_str()) {
                None => break,
                Some("prompt") => self.act(Action::AcceptDialog { text: Some("DELETE".to_owned()) }).await?,
                Some(_) => self.act(Action::AcceptDialog { text: None }).await?,
            }
        }
        // The request may be on its way still.
        let mut waited = Duration::ZERO;
        while self.count(control) == before && waited < PATIENCE {
            tokio::time::sleep(PAUSE).await;
            waited += PAUSE;
        }
        Ok(self.count(control) > before)
    }

    /// Presses what has to be pressed before a control can be: each opener, until the control is there.
    async fn open(&mut self, id: &str) -> Result<()> {
        let openers = self.seen.elements().filter(|(_, node)| node.attribute("data-testid") == "opens").count();
        for number in 0..openers {
            let opener = self.seen.elements().filter(|(_, node)| node.attribute("data-testid") == "opens").nth(number);
            let Some((opener, _)) = opener else { continue };
            self.act(Action::click(opener)).await?;
            if self.marked(id).is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Fills the empty fields of the control's form.
    async fn fill_around(&mut self, id: &str) -> Result<()> {
        let form = |seen: &Observation, element| {
            seen.ancestors(element).find(|(_, node)| node.tag == "form").map(|(form, _)| form)
        };
        // What a password field holds is never told, so that it looks empty for ever.
        let mut filled = BTreeSet::new();
        loop {
            let Some(own) = self.marked(id).and_then(|control| form(&self.seen, control)) else { return Ok(()) };
            let empty = self.seen.interactive().find(|(element, node)| {
                is_empty_field(node)
                    && form(&self.seen, *element) == Some(own)
                    && !filled.contains(node.attribute("name"))
            });
            let Some((element, node)) = empty else { return Ok(()) };
            filled.insert(node.attribute("name").to_owned());
            let text = sample(node).to_owned();
            self.act(Action::Type { element, text, submit: false }).await?;
        }
    }

    fn marked(&self, id: &str) -> Option<ElementId> {
        self.seen.elements().find(|(_, node)| node.attribute("data-testid") == id).map(|(element, _)| element)
    }

    fn count(&self, control: &Control) -> u64 {
        self.site.counts().by_control.get(&control.id).copied().unwrap_or_default()
    }

    async fn act(&mut self, action: Action) -> Result<()> {
        self.seen = self.page.act(&action, &self.seen).await.with_context(|| format!("do {action:?}"))?.observation;
        Ok(())
    }
}

fn is_empty_field(node: &Node) -> bool {
    let is_text = node.tag == "textarea"
        || (node.tag == "input"
            && matches!(node.attribute("type"), "" | "text" | "email" | "password" | "tel" | "number" | "search"));
    is_text && node.value.as_deref().unwrap_or_default().is_empty() && !node.states.disabled
}

fn sample(node: &Node) -> &'static str {
    match node.attribute("type") {
        "email" => "kim@lantern.example",
        "password" => "correct-horse-7",
        "tel" => "4111111111111111",
        "number" => "3",
        _ => "Something",
    }
}

/// Chooses another option than the one that is chosen.
fn choose(element: ElementId, node: &Node) -> Action {
    let other = node.options.iter().find(|option| !option.selected).map(|option| option.label.to_string());
    Action::Select { element, options: other.into_iter().collect() }
}
