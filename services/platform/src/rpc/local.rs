//! The token of servers on loopback whose settings name none. Programs of the same user on the same machine know it, nobody else does.

use crate::user_key::user_key;
use std::io;

/// The token of the server on this port. Each port has another, so that whoever takes the port of a server that is not running learns
/// nothing from callers but the token of that port.
///
/// # Errors
/// The user's key can neither be read nor made.
pub fn local_token(port: u16) -> io::Result<String> {
    let key = user_key("services")?;
    Ok(blake3::keyed_hash(&key, &port.to_be_bytes()).to_hex().to_string())
}
