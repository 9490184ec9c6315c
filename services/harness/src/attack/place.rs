//! Where the attack happens: a network and a file system of its own, in which there is nothing but loopback. Default ports can be had
//! there, addresses of every kind exist, and names lead where the attack says; nothing that goes wrong reaches anybody.

use super::hosts::Hosts;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// Addresses of the canary, each of a kind that no name may lead to unasked; the first is a public one.
pub const CANARIES: [&str; 9] = [
    "203.0.113.66",
    "127.0.0.2",
    "127.0.0.66",
    "10.0.0.66",
    "172.16.0.66",
    "192.168.0.66",
    "169.254.169.254",
    "100.64.0.66",
    "[fd00::66]",
];

/// Starts this program again in a place of its own, with the same arguments and one more; answers its exit code.
///
/// # Errors
/// There is no such place to be had.
pub fn go(arguments: &[String]) -> Result<i32> {
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    let this = std::env::current_exe().context("find this program")?;
    let status = command.arg("--").arg(this).arg("--inside").args(arguments).status();
    let status = status.context("start `unshare`, which opens a network of its own (package util-linux)")?;
    Ok(status.code().unwrap_or(1))
}

/// Sets the place up; answers its names.
///
/// # Errors
/// It is no place of its own, or tools are missing.
pub fn set_up(folder: &Path) -> Result<Hosts> {
    run("ip", &["link", "set", "lo", "up"])?;
    for address in super::site::ADDRESSES.iter().chain(&CANARIES).filter(|address| !address.starts_with("127.")) {
        let (bare, bits) = match address.strip_prefix('[') {
            Some(rest) => (rest.trim_end_matches(']'), 128),
            None => (*address, 32),
        };
        run("ip", &["address", "add", &format!("{bare}/{bits}"), "dev", "lo"])?;
    }
    let (names, rules) = (folder.join("hosts"), folder.join("nsswitch.conf"));
    std::fs::write(&names, "").context("write the names")?;
    std::fs::write(&rules, "hosts: files\n").context("write how names are looked up")?;
    for (file, at) in [(&names, "/etc/hosts"), (&rules, "/etc/nsswitch.conf")] {
        run("mount", &["--bind", &file.display().to_string(), at])?;
    }
    Ok(Hosts::at(&names))
}

fn run(program: &str, arguments: &[&str]) -> Result<()> {
    // Where tools for administrators stand, which not everybody has on the PATH.
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let done = Command::new(program).args(arguments).env("PATH", path).stdin(Stdio::null()).output();
    let done = done.with_context(|| format!("start `{program}`"))?;
    if !done.status.success() {
        bail!("`{program} {}`: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}
