//! Normalizes texts and addresses: removes numbers, identifiers and repeated white space.
//!
//! The rules hold for every site; site-specific ones are learnt ([`super::Learnt`]).

use domain::address::is_route;
use regex::Regex;
use std::sync::LazyLock;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Query parameters of front controllers, whose value names the page.
const PAGE_KEYS: [&str; 14] =
    ["page", "p", "action", "act", "view", "tab", "section", "module", "mode", "step", "cmd", "do", "op", "route"];

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+([.,:/\-]\d+)*"));
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z_-]*\d[a-z0-9_-]{14,}\b")
});

fn pattern(text: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "the patterns are constants, compiled by every test")]
    Regex::new(text).unwrap()
}

/// A hash that is the same on every machine and in every version.
pub(crate) fn hash(parts: &[&str]) -> u64 {
    xxh3_64(parts.join("\u{1f}").as_bytes())
}

/// A text without its numbers and identifiers, in lower case, white space folded.
pub(crate) fn steady(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let without_identifiers = IDENTIFIER.replace_all(&folded, "*");
    NUMBER.replace_all(&without_identifiers, "#").into_owned()
}

/// A name that the page's author gave to an element, without what a generator put into it.
pub(crate) fn steady_name(name: &str) -> String {
    steady(name).replace(' ', "-")
}

/// The words of a class or id: `mainNav-bar2` is `main`, `nav`, `bar`.
pub(crate) fn words_of(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && before_is_lower) {
            words.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before_is_lower = letter.is_lowercase();
    }
    words.into_iter().filter(|word| !word.is_empty())
}

/// An address template: the folder and the last part of an address, normalized.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// The folder, with a host before it where it is not the page's own. Empty where the address leads nowhere.
    pub folder: String,
    /// The last part of the path, with the names of the query's parameters.
    pub last: String,
}

impl Target {
    /// The address of a link or form, seen from the page's own.
    pub(crate) fn of(address: &str, page: Option<&Url>) -> Self {
        let address = address.trim();
        if address.is_empty() || (address.starts_with('#') && !is_route(address.trim_start_matches('#'))) {
            return Self::default();
        }
        // Without the page's address only the path is compared.
        let base = page.cloned().or_else(|| Url::parse("http://page.invalid/").ok());
        let Some(url) = base.as_ref().and_then(|base| base.join(address).ok()) else {
            return Self { folder: String::new(), last: steady(address) };
        };
        if !matches!(url.scheme(), "http" | "https") {
            return if url.scheme() == "javascript" {
                Self::default()
            } else {
                Self { folder: format!("{}:", url.scheme()), last: String::new() }
            };
        }
        if base.is_some_and(|base| base.host_str() != url.host_str()) {
            return Self { folder: format!("//{}", url.host_str().unwrap_or_default()), last: String::new() };
        }
        Self::of_page(&url)
    }

    /// The address of a page.
    pub(crate) fn of_page(url: &Url) -> Self {
        let route = url.fragment().filter(|fragment| is_route(fragment)).map(|route| route.trim_start_matches('!'));
        let path = match route {
            Some(route) => format!("{}#{}", url.path(), route.split('?').next().unwrap_or_default()),
            None => url.path().to_owned(),
        };
        let mut segments = without_repeats(path.split('/').filter_map(segment));
        let mut last = segments.pop().unwrap_or_default();
        let mut keys: Vec<String> = url
            .query_pairs()
            .map(|(key, value)| {
                let is_word =
                    !value.is_empty() && value.chars().all(|letter| letter.is_alphabetic() || "-_/".contains(letter));
                let key = steady_name(&key);
                if is_word && PAGE_KEYS.contains(&key.as_str()) {
                    format!("{key}={}", value.to_lowercase())
                } else {
                    key
                }
            })
            .collect();
        keys.sort();
        keys.dedup();
        if !keys.is_empty() {
            last = format!("{last}?{}", keys.join("&"));
        }
        Self { folder: format!("/{}", segments.join("/")), last }
    }

    /// Whether it leads anywhere.
    pub(crate) fn is_somewhere(&self) -> bool {
        !self.folder.is_empty() || !self.last.is_empty()
    }

    /// Whether it is an address of the page's own site.
    pub(crate) fn is_on_the_site(&self) -> bool {
        self.folder.starts_with('/') && !self.folder.starts_with("//")
    }

    /// Whether it is in the site's top folder, where pages of all kinds lie side by side.
    pub(crate) fn is_at_the_top(&self) -> bool {
        self.folder == "/"
    }

    /// Whether it holds a number or identifier, so that pages of one kind differ in it.
    pub(crate) fn varies(&self) -> bool {
        [&self.folder, &self.last].iter().any(|part| part.contains(['#', '*']))
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.folder.trim_end_matches('/'), self.last)
    }
}

/// Depth at which paths are cut, and how often a number or identifier may occur in one: a year, a month, a day.
const DEEPEST: usize = 12;
const NUMBERS: usize = 3;

/// Removes repeated parts of a path. A relative link to its own folder makes endless longer addresses, which are one
/// place.
fn without_repeats(segments: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for segment in segments {
        let most = if segment.chars().any(char::is_alphabetic) { 1 } else { NUMBERS };
        if kept.len() < DEEPEST && kept.iter().filter(|known| **known == segment).count() < most {
            kept.push(segment);
        }
    }
    kept
}

fn segment(segment: &str) -> Option<String> {
    // Drops `;jsessionid=…`, which belongs to the session; a `#` here starts a client-side route.
    let plain = segment.split(';').next().unwrap_or_default().trim_end_matches('#');
    (!plain.is_empty()).then(|| steady_name(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(address: &str) -> Target {
        Target::of_page(&Url::parse(address).unwrap())
    }

    #[test]
    fn numbers_identifiers_and_space_do_not_tell_texts_apart() {
        assert_eq!(steady("  Order 17 of\n2018/10/10 "), "order # of #");
        assert_eq!(steady("seen at 12:30:01"), steady("seen at 9:05:59"));
        assert_eq!(steady("3fa85f64-5717-4562-b3fc-2c963f66afa6"), "*");
        assert_ne!(steady("Add visit"), steady("Add pet"));
    }

    #[test]
    fn a_path_that_grows_by_its_own_parts_stays_one_address() {
        assert_eq!(page("http://a/shop/goods/offers/goods/"), page("http://a/shop/goods/offers/goods/offers/offers/"));
        assert_eq!(page("http://a/x/1/2/3/4/5/"), page("http://a/x/9/8/7/6/5/4/3/2/"));
        assert_ne!(page("http://a/2024/"), page("http://a/2024/05/"));
        let deep: String = (0..40).map(|depth| format!("/part{}", "x".repeat(depth))).collect();
        assert_eq!(page(&format!("http://a{deep}")), page(&format!("http://a{deep}/more")));
    }

    #[test]
    fn pages_of_things_with_numbers_have_one_address() {
        assert_eq!(page("http://a/owners/4/pets/5/edit"), page("http://a/owners/11/pets/7/edit"));
        assert_ne!(page("http://a/owners/4/edit"), page("http://a/owners/4/pets"));
        assert!(page("http://a/owners/4").varies() && !page("http://a/owners/find.html").varies());
        assert_eq!(page("http://a/x;jsessionid=9A8B"), page("http://a/x"));
    }

    #[test]
    fn parameters_count_by_name_and_those_of_front_controllers_by_value() {
        assert_eq!(page("http://a/s?q=shoe&start=10"), page("http://a/s?start=20&q=hat"));
        assert_ne!(page("http://a/s?q=shoe"), page("http://a/s?q=shoe&sort=asc"));
        assert_ne!(page("http://a/i.php?page=users"), page("http://a/i.php?page=roles"));
        assert_eq!(page("http://a/i.php?page=2"), page("http://a/i.php?page=3"));
    }

    #[test]
    fn routes_behind_a_hash_are_addresses_and_places_within_a_page_are_none() {
        assert_ne!(page("http://a/#/users"), page("http://a/#/roles"));
        assert_eq!(page("http://a/#/users/1"), page("http://a/#/users/2"));
        assert_eq!(page("http://a/x#top"), page("http://a/x"));
        assert!(!Target::of("#top", None).is_somewhere() && !Target::of("javascript:void(0)", None).is_somewhere());
    }

    #[test]
    fn links_are_seen_from_their_page() {
        let from = Url::parse("http://a/owners/4").unwrap();
        assert_eq!(Target::of("pets/new", Some(&from)), Target::of("/owners/pets/new", Some(&from)));
        assert_eq!(Target::of("http://b/x/y", Some(&from)).folder, "//b");
        assert_eq!(Target::of("mailto:a@b", Some(&from)).folder, "mailto:");
    }

    #[test]
    fn words_of_names_are_found_however_they_are_joined() {
        assert_eq!(words_of("mainNav-bar2_x").collect::<Vec<_>>(), ["main", "nav", "bar", "x"]);
    }
}
