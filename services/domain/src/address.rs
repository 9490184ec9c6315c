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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_within_a_page_is_not_part_of_its_address_and_a_route_is() {
        let of_page = |url| of_page(Url::parse(url).unwrap()).to_string();
        assert_eq!(of_page("http://a/x?y=1#top"), "http://a/x?y=1");
        assert_eq!(of_page("http://a/x#/users"), "http://a/x#/users");
    }
}
