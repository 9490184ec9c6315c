//! The secrets that a machine keeps: a folder with a file for each, by its name. Nodes have one of their own, such as a mount; a user
//! has one in the configuration folder, readable by that user only.

use crate::user_key::{create_private, new_private};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder of this user's secrets: `$XDG_CONFIG_HOME/rutter/secrets`, else `~/.config/rutter/secrets`.
///
/// # Errors
/// The user has no folder for configuration.
pub fn folder() -> io::Result<PathBuf> {
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let configuration = set.or_else(|| Some(std::env::home_dir()?.join(".config")));
    let missing = || io::Error::new(io::ErrorKind::NotFound, "set HOME or XDG_CONFIG_HOME: secrets have no place");
    Ok(configuration.ok_or_else(missing)?.join("rutter/secrets"))
}

/// The value of a secret in a folder; line breaks at its end are dropped. A link may lead to another file of the folder, as mounted
/// secrets do, and nowhere else.
///
/// # Errors
/// There is no such file, it leads out of the folder, or it is no text.
pub fn read(folder: &Path, name: &str) -> io::Result<String> {
    let path = folder.join(name).canonicalize()?;
    if !path.starts_with(folder.canonicalize()?) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is a link out of the folder"));
    }
    Ok(fs::read_to_string(path)?.trim_end_matches(['\r', '\n']).to_owned())
}

/// Keeps a secret in a folder, in place of one of the same name.
///
/// # Errors
/// It cannot be written.
pub fn keep(folder: &Path, name: &str, value: &str) -> io::Result<()> {
    create_private(folder)?;
    let draft = folder.join(format!(".{name}.{}.draft", std::process::id()));
    let _ = fs::remove_file(&draft);
    new_private(&draft)?.write_all(value.as_bytes())?;
    fs::rename(draft, folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_as_it_was_kept_and_no_link_leads_out_of_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("secrets");
        keep(&folder, "pin", "1234\n").unwrap();
        keep(&folder, "pin", " 5678 \r\n").unwrap();
        assert_eq!(read(&folder, "pin").unwrap(), " 5678 ");
        assert_eq!(read(&folder, "other").unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(root.path().join("outside"), "x").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt, symlink};
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&folder.join("pin"))), (0o700, 0o600));
            symlink("pin", folder.join("same")).unwrap();
            symlink("../outside", folder.join("out")).unwrap();
            assert_eq!(read(&folder, "same").unwrap(), " 5678 ");
            assert_eq!(read(&folder, "out").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
    }
}
