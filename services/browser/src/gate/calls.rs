//! Calls of the program's own to a site, such as the one that sets it back: they meet the rules of its pages' requests.

use super::upstream::Upstream;
use domain::scope::Scope;
use hyper::StatusCode;
use url::Url;

/// Sends a POST to an address within a scope, and follows no redirect. `proxy` is the site's.
///
/// # Errors
/// Why it was not sent or not answered, for people.
pub async fn post(
    url: &Url,
    scope: &Scope,
    proxy: Option<&str>,
    accept_self_signed_certificates: bool,
) -> Result<StatusCode, String> {
    scope.check(url).map_err(|refused| refused.to_string())?;
    let proxy = proxy.map(Url::parse).transpose().map_err(|error| format!("the proxy's address: {error}"))?;
    let upstream = Upstream::new(scope, proxy, accept_self_signed_certificates)?;
    upstream.may_reach(url).await?;
    let answer = upstream.answer(url, upstream.client().post(url.clone())).await;
    let answer = answer.map_err(|error| upstream.failure(url).unwrap_or_else(|| error.to_string()))?;
    Ok(answer.status())
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::listeners;
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    #[tokio::test]
    async fn a_call_of_our_own_obeys_the_scope_spares_our_ports_and_follows_no_redirect() {
        let (site, other) = (MockServer::start().await, MockServer::start().await);
        let away = ResponseTemplate::new(307).insert_header("location", other.uri());
        Mock::given(any()).respond_with(away).mount(&site).await;
        let at = |server: &MockServer| Url::parse(&server.uri()).unwrap();
        let wide = Scope { hosts: vec!["127.0.0.1:*".to_owned()] };
        assert_eq!(post(&at(&site), &wide, None, false).await.unwrap(), StatusCode::TEMPORARY_REDIRECT);
        assert!(post(&at(&site), &Scope::of(&at(&other)), None, false).await.is_err());
        let _own = listeners::claim(other.address().port());
        let cause = post(&at(&other), &wide, None, false).await.unwrap_err();
        assert!(cause.contains("belongs to Rutter itself"), "{cause}");
        assert_eq!(site.received_requests().await.unwrap().len(), 1);
        assert!(other.received_requests().await.unwrap().is_empty());
    }
}
