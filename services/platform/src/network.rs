//! Classifies network addresses.

use std::net::{IpAddr, SocketAddr};

/// Whether a host, with or without a port, is this machine: `localhost` or a loopback address, IPv6 with or without brackets.
pub fn is_this_machine(authority: &str) -> bool {
    if let Ok(address) = authority.parse::<SocketAddr>() {
        return address.ip().is_loopback();
    }
    let bare = authority.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return address.is_loopback();
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    host.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_localhost_and_every_loopback_address_however_it_is_written() {
        for here in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.8.0.1:9000", "::1", "[::1]", "[::1]:8443"] {
            assert!(is_this_machine(here), "{here}");
        }
        for elsewhere in ["", "example.org", "localhost.example.org:80", "10.0.0.1", "[2001:db8::1]:80", "2001:db8::1"]
        {
            assert!(!is_this_machine(elsewhere), "{elsewhere}");
        }
    }
}
