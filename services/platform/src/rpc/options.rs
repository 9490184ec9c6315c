//! Options of servers and connections, with their validation. Reads files and variables, opens no socket.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The largest message where nothing else is said: 16 MiB.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// A server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerOptions {
    /// Where it listens, e.g. `127.0.0.1:7401`.
    pub bind: SocketAddr,
    /// Speaks TLS with these files; plain text when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ServerTls>,
    /// Calls must carry this token. On loopback, where none is named and no client certificate is asked for, it is one that only
    /// programs of the same user know: `rutter config token` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenRef>,
    /// Tokens of projects by their names: who shows one reaches what belongs to that project and nothing else, and does no work of
    /// the cluster. Who shows `token` reaches everything.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub projects: BTreeMap<String, TokenRef>,
    /// Allows anybody who reaches the address to call, without token and client certificate.
    #[serde(default)]
    pub allow_open: bool,
    /// The largest message in bytes, uncompressed.
    #[serde(default = "max_message_bytes")]
    pub max_message_bytes: usize,
    /// How long calls under way may take to end when the process is asked to.
    #[serde(default = "drain_seconds")]
    pub drain_seconds: u64,
}

/// The files of a server that speaks TLS, in PEM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerTls {
    /// Its certificate chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Callers must show a certificate that this authority signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_authority: Option<PathBuf>,
}

/// A connection to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientOptions {
    /// The server, e.g. `http://127.0.0.1:7401`; `https` speaks TLS.
    pub endpoint: String,
    /// Files for TLS; the machine's authorities and no certificate of our own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTls>,
    /// Calls carry this token; to loopback, where none is named, the one that this user's servers ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenRef>,
    /// Allows calls beyond loopback in plain text and without a token.
    #[serde(default)]
    pub allow_open: bool,
    /// The largest message in bytes, uncompressed.
    #[serde(default = "max_message_bytes")]
    pub max_message_bytes: usize,
}

/// The files of a connection that speaks TLS, in PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClientTls {
    /// The authority that signed the server's certificate; the machine's authorities when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<PathBuf>,
    /// Our certificate chain, for a server that asks for one; with `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PathBuf>,
    /// Our private key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// The name that the server's certificate must hold; the endpoint's host when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
}

/// Where a token stands. The token itself is in no setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TokenRef {
    /// An environment variable.
    Env(String),
    /// A file; white space around the token is dropped.
    File(PathBuf),
}

fn max_message_bytes() -> usize {
    MAX_MESSAGE_BYTES
}

fn drain_seconds() -> u64 {
    10
}

/// Why a server cannot listen, or a connection cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Anybody could call.
    #[error(
        "listen on {0}: that is not loopback, and callers would need neither token nor certificate; set `token` or \
         `tls.client_authority`, or `allow_open = true` where the network itself is closed"
    )]
    Open(SocketAddr),
    /// Calls would go out in plain text without a token.
    #[error(
        "connect to {0}: that is not loopback, and calls would go in plain text without a token; use https, set `token`, \
         or `allow_open = true` where the network itself is closed"
    )]
    OpenClient(String),
    /// No address of a server.
    #[error("connect to `{endpoint}`: {cause}; write for example `http://127.0.0.1:7401`")]
    Endpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A file cannot be read.
    #[error("read {what} `{}`: {cause}", path.display())]
    File {
        /// What it is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// A token cannot be used.
    #[error("read the token from {from}: {cause}")]
    Token {
        /// Where it should be.
        from: String,
        /// What is wrong.
        cause: String,
    },
    /// Projects have tokens, and nobody else is asked for one.
    #[error(
        "listen on {0}: projects have tokens, and who shows none would reach everything; set `token` for the roles of the cluster, and no `allow_open`"
    )]
    ProjectsAlone(SocketAddr),
    /// Two have the same token.
    #[error("read the tokens of projects: that of `{0}` is somebody else's too; give each a token of its own")]
    SameToken(String),
    /// The token of this user's servers cannot be made.
    #[error(
        "make a token for callers of this user: {0}; set `token`, or `allow_open = true` where everybody on this machine may call"
    )]
    LocalToken(#[source] std::io::Error),
    /// Certificates or keys cannot be used.
    #[error("set up TLS: {0}")]
    Tls(String),
    /// The address cannot be listened on.
    #[error("listen on {address}: {cause}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The cause.
        cause: std::io::Error,
    },
    /// Serving ended by an error.
    #[error("serve: {0}")]
    Serve(String),
}

/// The tokens that a server asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Of whoever reaches everything; none where nobody is asked.
    pub(super) whole: Option<String>,
    /// Of projects, after their names.
    pub(super) projects: Vec<(String, String)>,
}

impl ServerOptions {
    /// A server at an address, without TLS and token: for loopback.
    pub fn at(bind: SocketAddr) -> Self {
        let (max_message_bytes, drain_seconds) = (max_message_bytes(), drain_seconds());
        Self {
            bind,
            tls: None,
            token: None,
            projects: BTreeMap::new(),
            allow_open: false,
            max_message_bytes,
            drain_seconds,
        }
    }

    /// Whether callers need no authentication, and nobody said that this is meant.
    fn is_open(&self) -> bool {
        let asks = self.token.is_some() || self.tls.as_ref().is_some_and(|tls| tls.client_authority.is_some());
        !asks && !self.allow_open
    }

    /// Whether callers must show the token of this user's servers.
    pub fn asks_local_token(&self) -> bool {
        self.bind.ip().is_loopback() && self.is_open()
    }

    /// Refuses an address that anybody could call.
    pub(super) fn refuse_open(&self) -> Result<(), Error> {
        if self.is_open() && !self.asks_local_token() {
            return Err(Error::Open(self.bind));
        }
        let asks = self.asks_local_token() || (self.token.is_some() && !self.allow_open);
        if self.projects.is_empty() || asks { Ok(()) } else { Err(Error::ProjectsAlone(self.bind)) }
    }

    /// The token of whoever reaches everything, where one is asked for, at this port; and those of projects.
    pub(super) fn tokens(&self, port: u16) -> Result<Tokens, Error> {
        let whole = match self.asks_local_token() {
            true => Some(super::local_token(port).map_err(Error::LocalToken)?),
            false => self.token.as_ref().map(TokenRef::read).transpose()?,
        };
        let mut projects: Vec<(String, String)> = Vec::new();
        for (project, token) in &self.projects {
            let token = token.read()?;
            if whole.as_ref() == Some(&token) || projects.iter().any(|(_, other)| *other == token) {
                return Err(Error::SameToken(project.clone()));
            }
            projects.push((project.clone(), token));
        }
        Ok(Tokens { whole, projects })
    }

    /// Looks for what a server would refuse at its start: an address that anybody could call; files and tokens that cannot be read.
    ///
    /// # Errors
    /// As [`Server::bind`](super::Server::bind), which reads them itself.
    pub fn check(&self) -> Result<(), Error> {
        self.refuse_open()?;
        self.tokens(self.bind.port())?;
        if let Some(tls) = &self.tls {
            pem("the server's certificate", &tls.certificate)?;
            pem("the server's private key", &tls.key)?;
        }
        Ok(())
    }
}

impl ClientOptions {
    /// A connection without TLS and token: for loopback.
    pub fn to(endpoint: impl Into<String>) -> Self {
        let max_message_bytes = max_message_bytes();
        Self { endpoint: endpoint.into(), tls: None, token: None, allow_open: false, max_message_bytes }
    }
}

impl TokenRef {
    /// The token.
    ///
    /// # Errors
    /// [`Error::Token`] when it is not there, empty, or not to be sent in a header.
    pub(super) fn read(&self) -> Result<String, Error> {
        let (from, read) = match self {
            TokenRef::Env(name) => {
                (format!("variable `{name}`"), std::env::var(name).map_err(|error| error.to_string()))
            }
            TokenRef::File(path) => {
                (format!("file `{}`", path.display()), std::fs::read_to_string(path).map_err(|error| error.to_string()))
            }
        };
        let token = read.map_err(|cause| Error::Token { from: from.clone(), cause })?.trim().to_owned();
        let cause = if token.is_empty() {
            "it is empty"
        } else if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            "it holds characters other than visible ASCII"
        } else {
            return Ok(token);
        };
        Err(Error::Token { from, cause: cause.to_owned() })
    }
}

/// The content of a file that TLS needs.
pub(super) fn pem(what: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|cause| Error::File { what, path: path.to_owned(), cause })
}
