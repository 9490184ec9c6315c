//! Addresses of pages.

use url::Url;

/// Whether what stands behind the `#` of an address is read by the page's script as an address: `#/users`, `#!/users`.
pub fn is_route(fragment: &str) -> bool {
    fragment.starts_with('/') || fragment.starts_with("!/")
}

/// The address of a page without the place within it that is to be shown.
pub fn of_page(mut url: Url) -> Url {
    if url.fragment().is_some_and(|fragment| !is_route(fragment)) {
        url.set_fragment(None);
    }
    url
}

/// The page of an address, however it is filtered or sorted there; none where it is no address.
pub fn without_query(address: &str) -> Option<Url> {
    let mut url = Url::parse(address).ok().map(of_page)?;
    url.set_query(None);
    let route = url.fragment().map(|route| route.split('?').next().unwrap_or_default().to_owned());
    url.set_fragment(route.as_deref());
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_the_same_however_it_is_sorted() {
        let same = |one, other| without_query(one) == without_query(other);
        assert!(same("http://a.test/boats?sort=name", "http://a.test/boats?page=2#row-3"));
        assert!(same("http://a.test/#/boats?page=1", "http://a.test/#/boats?page=2"));
        assert!(!same("http://a.test/#/boats", "http://a.test/#/crew"));
        assert!(!same("http://a.test/boats", "http://a.test/crew"));
    }

    #[test]
    fn a_place_within_a_page_is_not_part_of_its_address_and_a_route_is() {
        let of_page = |url| of_page(Url::parse(url).unwrap()).to_string();
        assert_eq!(of_page("http://a/x?y=1#top"), "http://a/x?y=1");
        assert_eq!(of_page("http://a/x#/users"), "http://a/x#/users");
    }
}
