//! Stand-ins for the driver and the browser: the real ones behind a port that counts who asks. Commands of the program's own come from
//! its client for drivers; what a page sends carries what browsers add to every request.

use super::listener::{connect, end_of_head};
use platform::spawn;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::Command;

/// The file of a folder to which every request of a page is added.
const HITS: &str = "hits";
/// The first byte of every TLS connection.
const HANDSHAKE: u8 = 22;
/// How long a browser may take to say its port.
const START: Duration = Duration::from_secs(60);
/// Connections that wait to be accepted.
const BACKLOG: u32 = 128;

/// Writes a program that is the stand-in of another: of the `driver`, or of the `browser`.
///
/// # Errors
/// It cannot be written.
pub fn write(what: &str, real: &Path, folder: &Path) -> io::Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    // What a browser is called says which it is.
    let name = real.file_name().unwrap_or_default();
    let (this, script) = (std::env::current_exe()?, folder.join(name));
    let text = format!(
        "#!/bin/sh\nexec '{}' stand-in --what {what} --real '{}' --folder '{}' -- \"$@\"\n",
        this.display(),
        real.display(),
        folder.display()
    );
    std::fs::write(&script, text)?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    Ok(script)
}

/// What pages asked of the ports behind stand-ins, one line each.
pub fn hits(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(HITS)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Is the driver, until the real one ends.
///
/// # Errors
/// The real one does not start.
pub async fn driver(real: &Path, folder: &Path, arguments: &[String]) -> io::Result<()> {
    let asked = arguments.iter().find_map(|argument| argument.strip_prefix("--port=")).unwrap_or("0");
    let given = arguments.iter().filter(|argument| !argument.starts_with("--port="));
    let mut command = Command::new(real);
    let mut child = command.args(given).arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().ok_or_else(|| io::Error::other("the driver has no output"))?;
    let mut lines = BufReader::new(stdout).lines();
    let mut out = tokio::io::stdout();
    while let Some(line) = lines.next_line().await? {
        let said = match line.split("started successfully on port ").nth(1) {
            Some(rest) => {
                let inner: String = rest.chars().take_while(char::is_ascii_digit).collect();
                let outer = forward(asked, inner.parse().map_err(io::Error::other)?, folder).await?;
                line.replace(&inner, &outer.to_string())
            }
            None => line,
        };
        out.write_all(format!("{said}\n").as_bytes()).await?;
        out.flush().await?;
    }
    child.wait().await.map(|_| ())
}

/// Is the browser, until the real one ends. The driver reads the port of DevTools from a file in the profile's folder, where the
/// stand-in writes its own.
///
/// # Errors
/// The real one does not start, or has no DevTools.
pub async fn browser(real: &Path, folder: &Path, arguments: &[String]) -> io::Result<()> {
    let profile = arguments.iter().find_map(|argument| argument.strip_prefix("--user-data-dir="));
    let Some(profile) = profile.map(PathBuf::from) else {
        let status = Command::new(real).args(arguments).status().await?;
        return if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) };
    };
    let inside = profile.join("inside");
    let given = arguments.iter().filter(|argument| !argument.starts_with("--user-data-dir="));
    let mut command = Command::new(real);
    command.args(given).arg(format!("--user-data-dir={}", inside.display())).kill_on_drop(true);
    let mut child = command.spawn()?;
    let said = tokio::time::timeout(START, said(&inside.join("DevToolsActivePort"))).await.map_err(io::Error::other)?;
    let (port, path) = said.split_once('\n').ok_or_else(|| io::Error::other("no port of DevTools"))?;
    let outer = forward("0", port.trim().parse().map_err(io::Error::other)?, folder).await?;
    // Complete from its first byte: the driver reads it as soon as it is there.
    std::fs::write(profile.join("port"), format!("{outer}\n{path}"))?;
    std::fs::rename(profile.join("port"), profile.join("DevToolsActivePort"))?;
    child.wait().await.map(|_| ())
}

/// What a file says, once it is complete.
async fn said(file: &Path) -> String {
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) if text.contains("/devtools/") => return text,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Opens a port, the one that is `asked` for or any where that is 0, before another one, and writes both down.
async fn forward(asked: &str, inner: u16, folder: &Path) -> io::Result<u16> {
    // Written down before it opens: whoever sees it open knows what it is.
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(format!("127.0.0.1:{asked}").parse().map_err(io::Error::other)?)?;
    let outer = socket.local_addr()?.port();
    std::fs::write(folder.join(format!("inner-{inner}")), "")?;
    std::fs::write(folder.join(format!("outer-{outer}")), "")?;
    let listener = socket.listen(BACKLOG)?;
    let folder = folder.to_owned();
    spawn::detached("port of a stand-in", async move {
        while let Ok((stream, _)) = listener.accept().await {
            spawn::detached("connection to a stand-in", pass(stream, inner, folder.clone()));
        }
    });
    Ok(outer)
}

async fn pass(mut stream: TcpStream, inner: u16, folder: PathBuf) {
    let mut head = Vec::new();
    // An encrypted connection has no head that could be waited for.
    while end_of_head(&head).is_none() && head.first() != Some(&HANDSHAKE) && head.len() < 1 << 16 {
        match stream.read_buf(&mut head).await {
            Ok(length) if length > 0 => {}
            _ => break,
        }
    }
    // Clients for HTTP open connections to have them at hand; whoever sends nothing asks nothing.
    let text = String::from_utf8_lossy(&head);
    if !head.is_empty() && is_of_a_page(&text) {
        let said = text.lines().filter(is_telling).collect::<Vec<_>>().join(", ");
        let line = format!("port {inner}: {said}\n");
        let file = std::fs::OpenOptions::new().append(true).create(true).open(folder.join(HITS));
        let _ = file.and_then(|mut file| io::Write::write_all(&mut file, line.as_bytes()));
    }
    let Ok(mut other) = connect(&format!("127.0.0.1:{inner}")).await else { return };
    if other.write_all(&head).await.is_ok() {
        let _ = copy_bidirectional(&mut stream, &mut other).await;
    }
}

/// Whether a line of a request says what it is and who sent it.
fn is_telling(line: &&str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.contains(" http/1.") || ["user-agent:", "origin:", "referer:"].iter().any(|start| lower.starts_with(start))
}

/// Whether a page is behind a request, or somebody who does not speak HTTP. Browsers add their name to all that pages send; the
/// driver, which asks DevTools, has none.
fn is_of_a_page(head: &str) -> bool {
    let lower = head.to_ascii_lowercase();
    let line = lower.lines().next().unwrap_or_default();
    let marked = ["attack", "canary"].iter().any(|mark| line.contains(mark));
    !line.contains(" http/1.") || marked || lower.contains("\nuser-agent: mozilla")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_sends_is_told_from_the_programs_own_commands() {
        assert!(!is_of_a_page("POST /session HTTP/1.1\r\nHost: 127.0.0.1:9\r\nUser-Agent: thirtyfour\r\n\r\n"));
        assert!(!is_of_a_page("GET /json/version HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n"));
        assert!(is_of_a_page("GET /status HTTP/1.1\r\nHost: 127.0.0.1:9\r\nUser-Agent: Mozilla/5.0\r\n\r\n"));
        assert!(is_of_a_page("GET /status?attack HTTP/1.1\r\n\r\n"));
        assert!(is_of_a_page("\u{16}\u{3}\u{1}"));
    }
}
