//! Deduplicates faults (Temac, section V-F): same category, same message apart from its variable parts, same source.
//! Pure.

use crate::text;
use domain::Fault;
use domain::fault::FaultCategory;
use domain::task::{FaultCheck, TextMatch};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;
use url::Url;

/// A fault with the place where it was seen.
#[derive(Clone, Debug)]
pub struct FaultSighting<'a, P> {
    /// As the browser reported it.
    pub fault: &'a Fault,
    /// Where.
    pub place: P,
}

/// A distinct fault with all places where it was seen, in order.
#[derive(Clone, Debug)]
pub struct DistinctFault<'a, P> {
    /// As the browser reported it first.
    pub fault: &'a Fault,
    /// Where.
    pub places: Vec<P>,
}

/// The normalized form that equal faults share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FaultKind {
    /// Their category.
    pub category: FaultCategory,
    /// Their normalized message.
    pub message: String,
    /// Their normalized source.
    pub source: String,
}

impl FaultKind {
    /// The kind of a fault.
    pub fn of(fault: &Fault) -> Self {
        Self { category: fault.category, message: message(&fault.message), source: source(&fault.source) }
    }

    /// As [`FaultKind::of`], but without the site's own host and ports, to compare a site that runs at another address.
    pub fn wherever_the_site_stands(fault: &Fault, host: &str) -> Self {
        let kind = Self::of(fault);
        let elsewhere = |text: &str| {
            let bare = |found: &regex::Captures<'_>| {
                if found[1] == *host { String::new() } else { format!("//{}", &found[1]) }
            };
            ORIGIN.replace_all(text, bare).into_owned()
        };
        Self { message: elsewhere(&kind.message), source: elsewhere(&kind.source), ..kind }
    }
}

/// Whether a fault matches a check.
///
/// # Errors
/// A sentence about why nothing can be said.
pub fn fits(wanted: &FaultCheck, fault: &Fault) -> Result<bool, String> {
    if wanted.category.is_some_and(|category| category != fault.category)
        || wanted.first_party.is_some_and(|own| own != fault.first_party)
    {
        return Ok(false);
    }
    let message = wanted.message.as_ref().map(|wanted| fits_without_accidents(wanted, &fault.message, message));
    let source = wanted.source.as_ref().map(|wanted| fits_address(wanted, &fault.source));
    Ok(message.transpose()?.unwrap_or(true) && source.transpose()?.unwrap_or(true))
}

/// Whether an address matches after normalization.
///
/// # Errors
/// A sentence about why nothing can be said.
pub fn fits_address(wanted: &TextMatch, address: &str) -> Result<bool, String> {
    fits_without_accidents(wanted, address, source)
}

/// Compares after normalizing both sides; a regular expression is matched as it is.
fn fits_without_accidents(wanted: &TextMatch, text: &str, without: fn(&str) -> String) -> Result<bool, String> {
    match wanted {
        TextMatch::Equals(expected) => text::fits(&TextMatch::Equals(without(expected)), &without(text)),
        TextMatch::Contains(part) => {
            let is_part = text::fits(wanted, text)?;
            Ok(is_part || text::fits(&TextMatch::Contains(without(part)), &without(text))?)
        }
        TextMatch::Matches(_) => text::fits(wanted, text),
    }
}

/// The distinct faults, in order of first sight.
pub fn deduplicated<'a, P>(sighted: impl IntoIterator<Item = FaultSighting<'a, P>>) -> Vec<DistinctFault<'a, P>> {
    let mut places: HashMap<FaultKind, usize> = HashMap::new();
    let mut distinct: Vec<DistinctFault<'a, P>> = Vec::new();
    for FaultSighting { fault, place } in sighted {
        let key = FaultKind::of(fault);
        let at = *places.entry(key).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some(known) => known.places.push(place),
            None => distinct.push(DistinctFault { fault, places: vec![place] }),
        }
    }
    distinct
}

/// Normalizes a message: removes numbers, identifiers, and the query and fragment of addresses.
fn message(text: &str) -> String {
    let text = ADDRESS.replace_all(text, |found: &regex::Captures<'_>| source(&found[0]));
    let text = IDENTIFIER.replace_all(&text, "*");
    NUMBER.replace_all(&text, "#").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalizes an address: removes query, fragment and the numbers in its path.
fn source(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return NUMBER.replace_all(text, "#").into_owned() };
    url.set_query(None);
    url.set_fragment(None);
    let path = IDENTIFIER.replace_all(url.path(), "*").into_owned();
    let origin = url.origin().ascii_serialization();
    format!("{origin}{}", NUMBER.replace_all(&path, "#"))
}

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| constant(r#"https?://[^\s'")\]]+"#));
static ORIGIN: LazyLock<Regex> = LazyLock::new(|| constant(r"https?://([^/\s:'\x22]+)(?::[#\d]+)?"));
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12,}\b")
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| constant(r"\d+"));

fn constant(text: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "the patterns are constants, compiled by every test")]
    Regex::new(text).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(category: FaultCategory, message: &str, source: &str) -> Fault {
        Fault { category, message: message.into(), source: source.into(), line: Some(3), first_party: true }
    }

    fn distinct(faults: &[Fault]) -> usize {
        deduplicated(faults.iter().map(|fault| FaultSighting { fault, place: () })).len()
    }

    #[test]
    fn the_same_fault_with_other_accidents_is_one() {
        use FaultCategory::{JavaScript, Network};
        let of_order = |number: u32| {
            fault(Network, &format!("404 http://a.test/orders/{number}?t={number}"), "http://a.test/orders")
        };
        assert_eq!(distinct(&[of_order(4), of_order(17)]), 1);
        let script =
            |line: u32| Fault { line: Some(line), ..fault(JavaScript, "x is not defined", "http://a.test/s.js?v=8") };
        assert_eq!(distinct(&[script(3), script(9)]), 1);
    }

    #[test]
    fn another_category_message_or_source_is_another_fault() {
        use FaultCategory::{JavaScript, Other};
        let first = fault(JavaScript, "x is not defined", "http://a.test/s.js");
        let others = [
            Fault { category: Other, ..first.clone() },
            Fault { message: "y is not defined".into(), ..first.clone() },
            Fault { source: "http://a.test/t.js".into(), ..first.clone() },
        ];
        for other in others {
            assert_eq!(distinct(&[first.clone(), other]), 2);
        }
    }

    #[test]
    fn a_site_that_stands_elsewhere_has_the_same_faults() {
        let fault = |host: &str, other: &str| {
            let message = format!("blocked http://{other}/x.js");
            fault(FaultCategory::ContentSecurity, &message, &format!("http://{host}/help"))
        };
        let (here, there) = (fault("a.test:81", "cdn.test:91"), fault("b.test", "cdn.test"));
        let of = FaultKind::wherever_the_site_stands;
        assert_eq!(of(&here, "a.test"), of(&there, "b.test"));
        assert_ne!(of(&here, "a.test"), of(&fault("a.test", "other.test"), "a.test"));
    }

    #[test]
    fn where_it_was_seen_is_kept_in_order() {
        let one = fault(FaultCategory::Other, "again", "");
        let found = deduplicated((1..=3).map(|place| FaultSighting { fault: &one, place }));
        assert_eq!(found[0].places, [1, 2, 3]);
    }
}
