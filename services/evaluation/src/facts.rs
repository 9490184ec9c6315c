//! Facts observed about an attempt: everything that may decide a check.

use crate::reasons::ActionSummary;
use crate::requests;
use domain::observation::{Request, Unread, UnreadCause};
use domain::page::{Examination, Said, VisibleText};
use domain::task::Check;
use domain::{Fault, Observation};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One examination of the page.
#[derive(Clone, Debug, Default)]
pub struct PageLook {
    /// What the page shows.
    pub observation: Arc<Observation>,
    /// The visible text of each document; none if only an observation was taken, whose texts are cut.
    pub texts: Option<Vec<VisibleText>>,
    /// The texts as the documents spell them, where `text-transform` shows other letters.
    pub written: Vec<VisibleText>,
    /// The value of each expression, or why it has none.
    pub page_states: BTreeMap<String, Result<Value, String>>,
}

/// Which moment the facts are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moment {
    /// Before the first action: actions, requests and the answer are still to come.
    Start,
    /// After the attempt.
    #[default]
    End,
}

/// The facts of an attempt at one moment. Absent facts were not gathered, and decide nothing.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Whether the attempt is still to come.
    pub moment: Moment,
    /// The examinations of the page, oldest first. The last two decide a check; a single one stands for both.
    pub looks: Vec<PageLook>,
    /// What could still change the page at the last examination, in words: requests and navigations. While there is
    /// any, nothing counts as absent.
    pub in_flight: Vec<String>,
    /// Every request of the attempt, oldest first, each once: see [`requests::merge`].
    pub requests: Vec<Request>,
    /// Every fault of the attempt, oldest first.
    pub faults: Vec<Fault>,
    /// The answer in the claim to be done.
    pub answer: Option<String>,
    /// The facts before the first action.
    pub start: Option<Box<Facts>>,
    /// What the attempt did, summarized.
    pub actions: ActionSummary,
    /// Whether the task's author accepts a check that held before the first action.
    pub may_hold_at_start: bool,
}

impl PageLook {
    /// Converts an examination. Behind an open dialog no text can be read, and a page without a document has none.
    pub fn of(examination: Examination) -> PageLook {
        let Examination { observation, texts, written } = examination;
        let texts = (observation.dialog.is_none() && !texts.is_empty()).then_some(texts);
        PageLook { observation: observation.into(), texts, written, page_states: BTreeMap::new() }
    }

    /// Why text that was not found may still exist; none if everything was read.
    pub(crate) fn blind_spot(&self) -> Option<String> {
        self.blind_spot_among(&[])
    }

    /// Why an element that was not found may still exist. A canvas holds none.
    pub(crate) fn blind_spot_for_elements(&self) -> Option<String> {
        self.blind_spot_among(&[UnreadCause::Drawing])
    }

    fn blind_spot_among(&self, besides: &[UnreadCause]) -> Option<String> {
        let observation = &self.observation;
        if observation.dialog.is_some() {
            return Some("a dialog is open, so the page behind it could not be read".to_owned());
        }
        let mut unread = observation.unread.iter().filter(|unread| !besides.contains(&unread.why));
        if let Some(first) = unread.next() {
            let more = match unread.count() {
                0 => String::new(),
                several => format!(" and {several} more"),
            };
            return Some(format!("a part of the page could not be read: {}{more}", describe_unread(first)));
        }
        observation.truncated.then(|| {
            let seen = observation.nodes.len();
            format!("not among the first {seen} nodes; the page has more than were observed")
        })
    }

    /// Describes a frame for people; empty for the page itself.
    pub(crate) fn place(&self, frame: u32) -> String {
        match self.observation.frames.get(frame as usize) {
            _ if frame == 0 => String::new(),
            Some(found) if !found.url.is_empty() => format!(" in frame {}", found.url),
            Some(found) if !found.xpath.is_empty() => format!(" in the frame at {}", found.xpath),
            _ => format!(" in frame {frame}"),
        }
    }
}

fn describe_unread(unread: &Unread) -> String {
    let what = match unread.why {
        UnreadCause::Frame => "a frame",
        UnreadCause::ClosedShadowRoot => "a closed shadow root",
        UnreadCause::TooLarge => "more than is read of a page",
        UnreadCause::Document => "a document that cannot be described",
        UnreadCause::Drawing => "a canvas, on which words are pixels,",
    };
    if unread.at.is_empty() { what.to_owned() } else { format!("{what} at {}", unread.at) }
}

impl Facts {
    /// The latest examination.
    pub fn last(&self) -> Option<&PageLook> {
        self.looks.last()
    }

    /// The latest observation.
    pub fn observation(&self) -> Option<&Observation> {
        self.last().map(|look| look.observation.as_ref())
    }

    /// Facts with a single examination and nothing else.
    pub fn of_look(look: PageLook) -> Facts {
        let requests = requests::merge(look.observation.requests.iter().cloned());
        Facts { faults: look.observation.faults.clone(), requests, looks: vec![look], ..Facts::default() }
    }
}

impl Facts {
    /// Puts back what pages said in place of texts that were redacted, so that checks are decided by what was really there. What is made
    /// of such facts has to be redacted again.
    pub fn put_back(&mut self, said: &Said<'_>) {
        let put_back = &mut |text: &mut String| {
            if let Some(said) = said(text) {
                *text = said;
            }
        };
        for look in &mut self.looks {
            Arc::make_mut(&mut look.observation).each_text(put_back);
            let texts = look.texts.iter_mut().flatten().chain(&mut look.written);
            texts.for_each(|text| put_back(&mut text.text));
            for value in look.page_states.values_mut() {
                match value {
                    Ok(value) => put_back_in(value, put_back),
                    Err(cause) => put_back(cause),
                }
            }
        }
        self.requests.iter_mut().for_each(|request| put_back(&mut request.url));
        self.faults.iter_mut().for_each(|fault| fault.each_text(put_back));
        self.answer.iter_mut().for_each(&mut *put_back);
        if let Some(start) = &mut self.start {
            start.put_back(said);
        }
    }
}

fn put_back_in(value: &mut Value, put_back: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => put_back(text),
        Value::Array(items) => items.iter_mut().for_each(|item| put_back_in(item, put_back)),
        Value::Object(fields) => {
            let field = |(mut name, mut value): (String, Value)| {
                put_back(&mut name);
                put_back_in(&mut value, put_back);
                (name, value)
            };
            *fields = std::mem::take(fields).into_iter().map(field).collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Which facts a check needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The page, its requests and its faults.
    pub page: bool,
    /// Expressions to be evaluated, each once.
    pub expressions: Vec<String>,
}

impl Needs {
    /// The facts that a check and its parts need.
    pub fn of(check: &Check) -> Needs {
        let mut needs = Needs::default();
        needs.collect(check);
        needs
    }

    /// Whether nothing is needed from the browser.
    pub fn is_nothing(&self) -> bool {
        !self.page && self.expressions.is_empty()
    }

    fn collect(&mut self, check: &Check) {
        match check {
            Check::Url(_)
            | Check::Text(_)
            | Check::Element(_)
            | Check::Value(_)
            | Check::Request(_)
            | Check::Fault(_) => self.page = true,
            Check::Answer(_) => {}
            Check::PageState(state) => {
                // The page tells what is still under way, too.
                self.page = true;
                if !self.expressions.contains(&state.expression) {
                    self.expressions.push(state.expression.clone());
                }
            }
            Check::All(parts) | Check::Any(parts) => parts.iter().for_each(|part| self.collect(part)),
            Check::Not(part) => self.collect(part),
        }
    }
}
