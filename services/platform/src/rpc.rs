//! Building blocks of gRPC calls: a server that authenticates callers, a connection that authenticates itself.
//!
//! This module knows no particular service. Nothing listens without a token or client certificates unless explicitly
//! allowed; on loopback the token is made by itself. Tokens and certificates are read again when their files change.

mod admission;
mod channel;
mod client;
mod health;
mod local;
mod options;
mod peers;
mod rotation;
mod server;

pub use admission::{ANSWERED, calling_project};
pub use channel::CurrentChannel;
pub use client::{Connection, Outgoing, Transport, connect, is_refused_certificate};
pub use local::local_token;
pub use options::{ClientOptions, ClientTls, Error, MAX_MESSAGE_BYTES, ServerOptions, ServerTls, TokenRef};
pub use server::Server;
pub use tonic::service::Routes;

#[cfg(test)]
mod tests;
