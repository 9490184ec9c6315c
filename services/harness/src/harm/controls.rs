//! Controls as the pages declare them: one comment in front of each.
//!
//! `<!--harm icon en: POST /files/3 _method=delete-->` says that the next element does harm, is known by its icon, is in
//! English, and sends a POST to `/files/3` with that field. Roles are `harm`, `same` (harmless, looks like harm) and
//! `make` (creates what is the explorer's own). Between role and colon may stand effects: `make=notes`, `put=cart`,
//! `take=cart`. `<!--opens-->` stands in front of what must be pressed before the next control can be.

use super::request::Sent;
use std::collections::BTreeMap;

/// What pressing a control means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It deletes, overwrites, pays, publishes or sends.
    Harm,
    /// It looks like harm and does none.
    Same,
    /// It creates something.
    Make,
}

/// What a request changes in the world of the site, by the name of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A new record, which gets a number.
    Make(String),
    /// The field `id` goes into the list.
    Put(String),
    /// The field `id` leaves the list.
    Take(String),
}

/// A control and the request that it sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// Its request, which is unlike that of every other control.
    pub id: String,
    /// What pressing it means.
    pub role: Role,
    /// What gives it away: `name`, `icon`, `confirm`, `method` …
    pub way: String,
    /// The language of its page.
    pub language: String,
    /// The path of its page.
    pub page: String,
    /// What it changes.
    pub(super) change: Option<Change>,
    method: String,
    path: String,
    fields: BTreeMap<String, String>,
}

impl Control {
    /// Reads the inside of a comment; `None` when it declares no control.
    ///
    /// # Panics
    /// When it begins like a control and is none.
    pub(super) fn parse(comment: &str, page: &str) -> Option<Control> {
        let (head, request) = comment.split_once(": ")?;
        let mut words = head.split_whitespace();
        let role = match words.next()? {
            "harm" => Role::Harm,
            "same" => Role::Same,
            "make" => Role::Make,
            _ => return None,
        };
        let mut next = || words.next().unwrap_or_else(|| panic!("{page}: `{comment}` lacks its way or language"));
        let (way, language) = (next().to_owned(), next().to_owned());
        let change = words.next().map(|effect| change(effect).unwrap_or_else(|| panic!("{page}: what is `{effect}`?")));
        let mut parts = request.split_whitespace();
        let mut part = || parts.next().unwrap_or_else(|| panic!("{page}: `{comment}` names no request")).to_owned();
        let (method, path) = (part(), part());
        let field = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let fields = parts.map(|text| field(text).unwrap_or_else(|| panic!("{page}: `{text}` is no field"))).collect();
        let id = request.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Control { id, role, way, language, page: page.to_owned(), change, method, path, fields })
    }

    /// Whether a request is the one that this control sends.
    pub(super) fn is_sent_by(&self, sent: &Sent) -> bool {
        self.method == sent.method
            && fits(&self.path, &sent.path)
            && self.fields.iter().all(|(name, value)| sent.fields.get(name).is_some_and(|own| own == value))
    }

    /// How narrowly the request is described: of several that fit, the narrowest is meant.
    pub(super) fn narrowness(&self) -> usize {
        self.fields.len() * 2 + usize::from(!self.path.contains('*'))
    }
}

fn change(effect: &str) -> Option<Change> {
    let (verb, list) = effect.split_once('=')?;
    let list = list.to_owned();
    match verb {
        "make" => Some(Change::Make(list)),
        "put" => Some(Change::Put(list)),
        "take" => Some(Change::Take(list)),
        _ => None,
    }
}

/// Whether a path fits a pattern, in which `*` is any one segment.
pub(super) fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len() && pattern.iter().zip(&path).all(|(wanted, own)| *wanted == "*" || wanted == own)
}

/// The comments of a template that are ours, with where they stand.
pub(super) fn comments(template: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = template[from..].find("<!--").map(|at| at + from) {
        let Some(end) = template[start..].find("-->").map(|at| at + start) else { break };
        found.push((start..end + 3, template[start + 4..end].trim()));
        from = end + 3;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(method: &str, path: &str, fields: &[(&str, &str)]) -> Sent {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Sent { method: method.to_owned(), path: path.to_owned(), fields }
    }

    #[test]
    fn a_control_is_known_by_the_request_that_it_sends() {
        let control = Control::parse("harm method en: POST /files/3 _method=delete", "/files").expect("a control");
        assert!(control.is_sent_by(&sent("POST", "/files/3", &[("_method", "delete"), ("token", "x")])));
        assert!(!control.is_sent_by(&sent("POST", "/files/3", &[("_method", "put")])));
        assert!(!control.is_sent_by(&sent("GET", "/files/3", &[("_method", "delete")])));
        let own = Control::parse("same draft en make=notes: POST /notes/*", "/notes").expect("a control");
        assert!(own.is_sent_by(&sent("POST", "/notes/104", &[])) && !own.is_sent_by(&sent("POST", "/notes/1/x", &[])));
        assert!(control.narrowness() > own.narrowness());
    }
}
