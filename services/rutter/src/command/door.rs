//! What is done with what people hand in before anything else: a password that stands in an address becomes a reference, so that it is
//! stored, shown and sent nowhere.

use crate::exit::{Exit, OrExit as _, Outcome};
use crate::print::note;
use anyhow::Context as _;
use domain::secret::{of_address, placeholder};
use platform::user_secrets;
use std::path::Path;
use tasks::Loaded;
use url::Url;

/// Keeps the passwords in the addresses of tasks as secrets of this user.
///
/// # Errors
/// One cannot be kept.
pub(crate) fn keep_passwords(loaded: &mut [Loaded]) -> Outcome<()> {
    for Loaded { task, site } in loaded {
        keep_password(&mut task.start_url)?;
        if let Some(url) = site.login.as_mut().and_then(|login| login.url.as_mut()) {
            keep_password(url)?;
        }
    }
    Ok(())
}

/// Keeps the password in an address, if there is one, as a secret of this user, and refers to it instead.
///
/// # Errors
/// It cannot be kept.
pub(crate) fn keep_password(address: &mut String) -> Outcome<()> {
    let Some((referred, name, password)) = referred(address) else { return Ok(()) };
    let kept = user_secrets::folder().and_then(|folder| user_secrets::keep(&folder, &name, &password).map(|()| folder));
    let folder = kept.context("keep the password that stands in an address").or_exit(Exit::Usage)?;
    say(&folder, &name);
    *address = referred;
    Ok(())
}

fn say(folder: &Path, name: &str) {
    note!(
        "the password in an address is kept in {}: it is referred to as {} from here on; a crawler elsewhere needs it by the same name",
        folder.join(name).display(),
        placeholder(name)
    );
}

/// An address with a reference in place of its password, the name of the secret, and the password; none where it has none.
fn referred(address: &str) -> Option<(String, String, String)> {
    let mut url = Url::parse(address).ok()?;
    let password = url.password().filter(|password| !password.is_empty() && of_address(address).is_none())?;
    // Of what a form would write in another way there is nothing in it.
    let query = format!("={}", password.replace('+', "%2B").replace('&', "%26"));
    let (_, password) = url::form_urlencoded::parse(query.as_bytes()).next()?;
    let password = password.into_owned();
    let host = url.host_str()?;
    let port = url.port().map(|port| format!("-{port}")).unwrap_or_default();
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || sign == '.' { sign.to_ascii_lowercase() } else { '-' };
    let called: String = format!("{}-{host}{port}", url.username()).chars().map(plain).collect();
    let name: String = called.trim_start_matches(['-', '.']).chars().take(63).collect();
    url.set_password(Some(&placeholder(&name))).ok()?;
    let escaped = url.password()?.to_owned();
    Some((url.to_string().replacen(&escaped, &placeholder(&name), 1), name, password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_becomes_a_reference() {
        let (address, name, password) = referred("https://Anna:open%20sesame@shop.test:8443/a?b").expect("a password");
        assert_eq!(address, "https://Anna:${secret:anna-shop.test-8443}@shop.test:8443/a?b");
        assert_eq!((name.as_str(), password.as_str()), ("anna-shop.test-8443", "open sesame"));
        assert_eq!(of_address(&address).as_deref(), Some(name.as_str()));
        for address in [address.as_str(), "https://shop.test/", "https://anna@shop.test/", "no address"] {
            assert_eq!(referred(address), None, "{address}");
        }
    }
}
