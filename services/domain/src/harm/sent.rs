//! A request as it is judged.

use url::Url;

/// What a request sends.
#[derive(Clone, Debug)]
pub struct Sent<'a> {
    /// Its method, upper case.
    pub method: &'a str,
    /// Its address.
    pub url: &'a Url,
    /// The method that a header names instead, such as `X-HTTP-Method-Override`.
    pub instead: Option<&'a str>,
    /// The fields of its body.
    pub fields: Vec<(String, String)>,
    /// What it opens. A page counts only where something of the page before asks for it, and no answer of the site leads there.
    pub opens: Opens,
}

/// What a request opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// Nothing: it is answered, and that is all.
    Nothing,
    /// A page.
    Page,
    /// A stream of messages: a WebSocket, or events of the server.
    Stream,
}
