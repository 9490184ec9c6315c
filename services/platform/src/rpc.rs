//! Building blocks of remote calls over gRPC: a server that checks who calls, a connection that shows who it is.
//!
//! Which services there are is none of this module's business. Nothing listens beyond loopback without a token or client
//! certificates unless it was allowed by name.

mod client;
mod guard;
mod health;
mod options;
mod peers;
mod server;

pub use client::{Connection, Outgoing, Transport, connect, is_refused_certificate};
pub use guard::ANSWERED;
pub use options::{ClientOptions, ClientTls, Error, MAX_MESSAGE_BYTES, ServerOptions, ServerTls, TokenRef};
pub use server::Server;
pub use tonic::service::Routes;

#[cfg(test)]
mod tests;
