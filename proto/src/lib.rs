//! The wire: messages and services generated from `v1/*.proto`, their conversions to and from the domain, and the envelope
//! that every logged record travels in.
//!
//! - This is the only room that knows protobuf: messages do not leave it, callers see domain types and bytes.
//! - Services are traits of the domain on both sides: [`server::Services`] answers calls, [`client`] makes them.
//! - It holds no JSON inside protobuf.
//! - Reading never guesses: a missing field is an [`Error`] that names it.

pub mod client;
mod convert;
mod envelope;
mod error;
pub mod server;
mod status;

pub use envelope::{Envelope, Poison, Record, SCHEMA_VERSION, StepTaken, TransitionTaken, decode, encode};
pub use error::Error;

/// The generated messages.
#[expect(
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated; the documentation stands in the .proto files"
)]
mod v1 {
    include!(concat!(env!("OUT_DIR"), "/rutter.v1.rs"));
}

#[cfg(test)]
mod tests;
