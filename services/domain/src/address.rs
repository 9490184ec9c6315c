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

/// Scheme, host and port of an address, the port only where it is not the usual one; none where it is no address with a host. However
/// an origin is spelled, it is one: in capitals, with its usual port, with a dot behind the host, in letters of any script.
pub fn origin(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str()?;
    let host = host.strip_suffix('.').filter(|host| !host.is_empty()).unwrap_or(host);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{host}{port}", url.scheme()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_one_however_it_is_spelled() {
        let spelled = [
            "http://Shop.example/a?b#c",
            "HTTP://shop.example:80/",
            "http://shop.example.:80/x",
            "http://u:p@shop.example",
        ];
        for address in spelled {
            assert_eq!(origin(address).as_deref(), Some("http://shop.example"), "{address}");
        }
        assert_eq!(origin("https://bücher.example/"), origin("https://xn--bcher-kva.example:443"));
        assert_eq!(origin("http://[::1]:8000/a").as_deref(), Some("http://[::1]:8000"));
        assert_ne!(origin("http://127.0.0.1:8000"), origin("http://127.0.0.1:9000"));
        assert_ne!(origin("http://shop.example"), origin("https://shop.example"));
        assert_eq!((origin("shop"), origin("data:text/html,x")), (None, None));
    }

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
