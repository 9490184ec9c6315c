//! The ports on which this process, and what it started, listens. No page is let through to them, whatever its scope says.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// How many hold each port: two addresses may share one.
static OWN: LazyLock<Mutex<HashMap<u16, usize>>> = LazyLock::new(Mutex::default);

/// Files in which programs that are starting will say their ports.
static EXPECTED: LazyLock<Mutex<Vec<PathBuf>>> = LazyLock::new(Mutex::default);

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

/// A free port for a program that is about to listen there, ours before it does. Somebody else may still take it first.
///
/// # Errors
/// There is no free port.
pub fn reserve() -> io::Result<OwnPort> {
    // The listener goes at once; a port nobody ever connected to is free again.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(claim(listener.local_addr()?.port()))
}

/// The port that a program will choose and write into a file, in its first line, as soon as it listens. It is ours from that moment
/// on, as long as this lives.
#[derive(Debug)]
pub struct ExpectedPort(PathBuf);

impl Drop for ExpectedPort {
    fn drop(&mut self) {
        let mut expected = EXPECTED.lock();
        if let Some(at) = expected.iter().position(|file| *file == self.0) {
            expected.swap_remove(at);
        }
    }
}

/// Says that the port which a file will name is ours.
pub fn expect(file: &Path) -> ExpectedPort {
    EXPECTED.lock().push(file.to_owned());
    ExpectedPort(file.to_owned())
}

/// Whether an address is a port of ours on this machine.
pub fn is_own(address: SocketAddr) -> bool {
    let port = address.port();
    (OWN.lock().contains_key(&port) || is_expected(port)) && is_here(address.ip())
}

/// Whether a host and port may be ours, before it is known where the host's name leads.
pub fn may_be_own(host: &str, port: u16) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => is_own(SocketAddr::new(address, port)),
        Err(_) => OWN.lock().contains_key(&port) || is_expected(port),
    }
}

fn is_expected(port: u16) -> bool {
    let files = EXPECTED.lock().clone();
    let named = |file: &PathBuf| std::fs::read_to_string(file).ok()?.lines().next()?.trim().parse().ok();
    files.iter().any(|file| named(file) == Some(port))
}

/// Whether an address is one of this machine: no other can be bound.
pub fn is_here(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
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

    #[test]
    fn a_port_is_ours_as_soon_as_the_program_that_chose_it_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let (file, here) = (folder.path().join("port"), "127.0.0.1:47112".parse().unwrap());
        let expected = expect(&file);
        assert!(!is_own(here));
        std::fs::write(&file, "47112\n/devtools/browser/1").unwrap();
        assert!(is_own(here));
        drop(expected);
        assert!(!is_own(here));
    }

    #[test]
    fn a_reserved_port_is_ours_before_anybody_listens_there() {
        let port = reserve().unwrap();
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port.number()));
        assert!(is_own(here));
        drop(TcpListener::bind(here).expect("it is free"));
    }
}
