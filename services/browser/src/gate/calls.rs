//! Calls of the program's own to a site, such as the one that sets it back: they meet the rules of its pages' requests.

use super::upstream::Upstream;
use domain::scope::Scope;
use domain::task::Site;
use hyper::{Method, StatusCode};
use reqwest::Response;
use url::Url;

/// How a site is reached by calls of the program's own.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// What may be asked.
    pub scope: Scope,
    /// The site's proxy.
    pub proxy: Option<String>,
    /// Whether certificates that nobody signed are accepted.
    pub accept_self_signed_certificates: bool,
}

impl Route {
    /// The route to a site, of which so much may be asked.
    pub fn to(site: &Site, scope: Scope) -> Route {
        let (proxy, accept_self_signed_certificates) = (site.proxy.clone(), site.accept_self_signed_certificates);
        Route { scope, proxy, accept_self_signed_certificates }
    }
}

/// Sends a POST to an address within a scope, and follows no redirect.
///
/// # Errors
/// Why it was not sent or not answered, for people.
pub async fn post(url: &Url, route: &Route) -> Result<StatusCode, String> {
    Ok(ask(Method::POST, url, route).await?.status())
}

/// Reads what stands at an address within a scope, of at most so many bytes. Follows no redirect.
///
/// # Errors
/// Why it was not asked for or not answered, an answer other than success, and one that is longer; for people.
pub async fn read(url: &Url, route: &Route, longest: usize) -> Result<Vec<u8>, String> {
    let mut answer = ask(Method::GET, url, route).await?;
    if !answer.status().is_success() {
        return Err(format!("it answers {}", answer.status()));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| error.to_string())? {
        if bytes.len() + chunk.len() > longest {
            return Err(format!("it is longer than {longest} bytes"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn ask(method: Method, url: &Url, route: &Route) -> Result<Response, String> {
    let Route { scope, proxy, accept_self_signed_certificates } = route;
    scope.check(url).map_err(|refused| refused.to_string())?;
    let proxy = proxy.as_deref().map(Url::parse).transpose();
    let proxy = proxy.map_err(|error| format!("the proxy's address: {error}"))?;
    let upstream = Upstream::new(scope, proxy, *accept_self_signed_certificates)?;
    upstream.may_reach(url).await?;
    let answer = upstream.answer(url, upstream.client().request(method, url.clone())).await;
    answer.map_err(|error| upstream.failure(url).unwrap_or_else(|| error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::listeners;
    use wiremock::matchers::{any, method};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    fn at(server: &MockServer) -> Url {
        Url::parse(&server.uri()).unwrap()
    }

    fn within(scope: Scope) -> Route {
        Route { scope, ..Route::default() }
    }

    #[tokio::test]
    async fn a_call_of_our_own_obeys_the_scope_spares_our_ports_and_follows_no_redirect() {
        let (site, other) = (MockServer::start().await, MockServer::start().await);
        let away = ResponseTemplate::new(307).insert_header("location", other.uri());
        Mock::given(any()).respond_with(away).mount(&site).await;
        let wide = within(Scope { hosts: vec!["127.0.0.1:*".to_owned()] });
        assert_eq!(post(&at(&site), &wide).await.unwrap(), StatusCode::TEMPORARY_REDIRECT);
        assert!(read(&at(&site), &wide, 10).await.unwrap_err().starts_with("it answers 307"));
        assert!(post(&at(&site), &within(Scope::of(&at(&other)))).await.is_err());
        let _own = listeners::claim(other.address().port());
        let cause = post(&at(&other), &wide).await.unwrap_err();
        assert!(cause.contains("belongs to Rutter itself"), "{cause}");
        assert_eq!(site.received_requests().await.unwrap().len(), 2);
        assert!(other.received_requests().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_is_read_is_bounded() {
        let site = MockServer::start().await;
        Mock::given(method("GET"))
            .respond_with(ResponseTemplate::new(200).set_body_string("eleven char"))
            .mount(&site)
            .await;
        let route = within(Scope::of(&at(&site)));
        assert_eq!(read(&at(&site), &route, 11).await.unwrap(), b"eleven char");
        assert_eq!(read(&at(&site), &route, 10).await.unwrap_err(), "it is longer than 10 bytes");
    }
}
