//! Random keys of this user on this machine: made when they are first asked for, in files that only the user can read.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The key of this name, from the user's state folder (`$XDG_STATE_HOME/rutter`, else `~/.local/state/rutter`).
///
/// # Errors
/// There is no such folder and none can be made; the file is not 32 bytes long, or cannot be read or written.
pub fn user_key(name: &str) -> io::Result<[u8; 32]> {
    let folder = state_folder()?;
    create_private(&folder)?;
    let path = folder.join(format!("{name}.key"));
    match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read,
    }
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    // Written beside it and linked, so that of two processes that make it at once one wins and both read the same.
    let draft = folder.join(format!("{name}.{}.draft", std::process::id()));
    let _ = fs::remove_file(&draft);
    new_private(&draft)?.write_all(&key)?;
    let linked = fs::hard_link(&draft, &path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => read(&path),
    }
}

fn read(path: &PathBuf) -> io::Result<[u8; 32]> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(64).read_to_end(&mut bytes)?;
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, format!("{} is no key; remove it", path.display()));
    <[u8; 32]>::try_from(bytes).map_err(invalid)
}

/// Where state of this user's programs is kept.
fn state_folder() -> io::Result<PathBuf> {
    let set = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = set.or_else(|| Some(std::env::home_dir()?.join(".local/state")));
    let missing = || io::Error::new(io::ErrorKind::NotFound, "set HOME or XDG_STATE_HOME: a key has no place");
    Ok(folder.ok_or_else(missing)?.join("rutter"))
}

pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

pub(crate) fn new_private(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stays_the_same_differs_by_name_and_is_readable_by_its_user_only() {
        let (first, other) = (user_key("test-one").unwrap(), user_key("test-two").unwrap());
        assert_eq!(user_key("test-one").unwrap(), first);
        assert_ne!(first, other);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(state_folder().unwrap().join("test-one.key")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
