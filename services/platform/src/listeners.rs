//! The ports on which this process, and what it started, listens. No page is let through to them, whatever its scope says.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::LazyLock;

/// How many hold each port: two addresses may share one.
static OWN: LazyLock<Mutex<HashMap<u16, usize>>> = LazyLock::new(Mutex::default);

/// A port that is ours as long as this lives.
#[derive(Debug)]
pub struct OwnPort(u16);

impl OwnPort {
    /// Its number.
    pub fn number(&self) -> u16 {
        self.0
    }
}

impl Drop for OwnPort {
    fn drop(&mut self) {
        let mut own = OWN.lock();
        if let Some(holders) = own.get_mut(&self.0) {
            *holders -= 1;
            if *holders == 0 {
                own.remove(&self.0);
            }
        }
    }
}

/// Says that a port of this machine is ours.
pub fn claim(port: u16) -> OwnPort {
    *OWN.lock().entry(port).or_default() += 1;
    OwnPort(port)
}

/// Whether an address is a port of ours on this machine.
pub fn is_own(address: SocketAddr) -> bool {
    OWN.lock().contains_key(&address.port()) && is_here(address)
}

/// Only an address of this machine can be bound.
fn is_here(address: SocketAddr) -> bool {
    address.ip().is_loopback() || UdpSocket::bind((address.ip(), 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_ours_while_somebody_holds_it_and_only_on_this_machine() {
        let here: SocketAddr = "127.0.0.1:47111".parse().unwrap();
        assert!(!is_own(here));
        let (first, second) = (claim(47111), claim(47111));
        drop(first);
        assert!(is_own(here) && is_own("0.0.0.0:47111".parse().unwrap()) && is_own("[::1]:47111".parse().unwrap()));
        assert!(!is_own("203.0.113.7:47111".parse().unwrap()));
        drop(second);
        assert!(!is_own(here));
    }
}
