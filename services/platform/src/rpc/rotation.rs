//! Tokens and certificates that stand in files are read again while a process runs, so that whoever replaces them restarts nothing.

use super::options::{ServerTls, TokenRef, Tokens, pem};
use super::{Error, client::chain};
use crate::clock::{Clock, SystemClock};
use parking_lot::RwLock;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tonic::metadata::{Ascii, MetadataValue};

/// How often files are looked at.
pub(super) const LOOK: Duration = Duration::from_secs(10);
/// How long a token that was replaced is accepted beside the new one: processes do not look at the same moment.
const OVERLAP: Duration = Duration::from_secs(60);

/// The tokens that a server asks for now, and for a while those before.
#[derive(Debug, Default)]
pub(super) struct CurrentTokens {
    known: RwLock<KnownTokens>,
}

#[derive(Debug, Default)]
struct KnownTokens {
    now: Tokens,
    /// Until when they are accepted as well.
    before: Option<(Tokens, Duration)>,
}

impl CurrentTokens {
    pub(super) fn new(now: Tokens) -> Self {
        Self { known: RwLock::new(KnownTokens { now, before: None }) }
    }

    /// Whether anybody is asked for a token.
    pub(super) fn asks(&self) -> bool {
        self.known.read().now.whole.is_some()
    }

    /// The project that the shown token is limited to, if it is to one; none where nobody has this token.
    pub(super) fn admits(&self, shown: &[u8], at: Duration) -> Option<Option<Arc<str>>> {
        let known = self.known.read();
        let before = known.before.as_ref().filter(|(_, until)| at < *until).map(|(tokens, _)| tokens);
        of(&known.now, shown).or_else(|| of(before?, shown))
    }

    /// Asks for other tokens from now on. Whether they are others is the answer.
    pub(super) fn replace(&self, tokens: Tokens, at: Duration) -> bool {
        let mut known = self.known.write();
        if known.now == tokens {
            return false;
        }
        let before = std::mem::replace(&mut known.now, tokens);
        known.before = Some((before, at + OVERLAP));
        true
    }
}

/// The project that a token is limited to, if it is to one; none where it is none of these.
fn of(tokens: &Tokens, shown: &[u8]) -> Option<Option<Arc<str>>> {
    let is = |token: &str| bool::from(shown.ct_eq(token.as_bytes()));
    if tokens.whole.as_deref().is_some_and(is) {
        return Some(None);
    }
    let project = tokens.projects.iter().find(|(_, token)| is(token));
    project.map(|(name, _)| Some(Arc::from(name.as_str())))
}

/// The token that calls carry, read again from its file.
#[derive(Debug, Default)]
pub(super) struct SentToken {
    from: Option<TokenRef>,
    every: Duration,
    clock: SystemClock,
    /// The header, and when its file was read.
    header: RwLock<(Option<MetadataValue<Ascii>>, Duration)>,
}

impl SentToken {
    /// A token that stands in a setting, or one that is known otherwise.
    pub(super) fn new(from: Option<TokenRef>, header: Option<MetadataValue<Ascii>>, every: Duration) -> Self {
        let clock = SystemClock::default();
        let read = clock.monotonic();
        Self { from, every, clock, header: RwLock::new((header, read)) }
    }

    /// The header now. A file that cannot be read leaves what was read before.
    pub(super) fn header(&self) -> Option<MetadataValue<Ascii>> {
        if let Some(from @ TokenRef::File(_)) = &self.from {
            let now = self.clock.monotonic();
            let is_old = now.saturating_sub(self.header.read().1) >= self.every;
            if is_old {
                let read = from.read().ok().and_then(|token| bearer(&token));
                let mut known = self.header.write();
                known.1 = now;
                if read.is_some() {
                    known.0 = read;
                }
            }
        }
        self.header.read().0.clone()
    }
}

/// The header that carries a token; none where it cannot be sent in one.
pub(super) fn bearer(token: &str) -> Option<MetadataValue<Ascii>> {
    let mut header: MetadataValue<Ascii> = format!("Bearer {token}").parse().ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// By which certificates a server speaks, as its files say now.
pub(super) fn server_config(files: &ServerTls) -> Result<ServerConfig, Error> {
    let unusable = |cause: &(dyn std::error::Error + 'static)| Error::Tls(chain(cause));
    let certificates = |what, path| {
        let text = pem(what, path)?;
        let parsed: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(&text).collect();
        parsed.map_err(|error| unusable(&error))
    };
    let own = certificates("the server's certificate", &files.certificate)?;
    let key = pem("the server's private key", &files.key)?;
    let key = PrivateKeyDer::from_pem_slice(&key).map_err(|error| unusable(&error))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| unusable(&error))?;
    let builder = match &files.client_authority {
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates("the authority of client certificates", path)? {
                roots.add(certificate).map_err(|error| unusable(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| unusable(&error))?)
        }
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_single_cert(own, key).map_err(|error| unusable(&error))?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(whole: &str, project: &str) -> Tokens {
        Tokens { whole: Some(whole.to_owned()), projects: vec![("shop".to_owned(), project.to_owned())] }
    }

    #[test]
    fn a_token_that_was_replaced_is_accepted_for_a_while_and_then_no_more() {
        let current = CurrentTokens::new(tokens("old", "sh0p"));
        let at = Duration::from_secs(100);
        assert!(!current.replace(tokens("old", "sh0p"), at), "nothing changed");
        assert!(current.replace(tokens("new", "sh1p"), at));
        assert_eq!(current.admits(b"new", at), Some(None));
        assert_eq!(current.admits(b"sh1p", at), Some(Some("shop".into())));
        assert_eq!(current.admits(b"old", at + OVERLAP / 2), Some(None));
        assert_eq!(current.admits(b"old", at + OVERLAP), None);
        assert_eq!(current.admits(b"sh0p", at + OVERLAP), None);
        assert_eq!(current.admits(b"", at), None);
    }

    #[test]
    fn the_token_of_calls_follows_its_file_and_outlasts_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        std::fs::write(&file, "one\n").expect("written");
        let sent = SentToken::new(Some(TokenRef::File(file.clone())), bearer("one"), Duration::ZERO);
        std::fs::write(&file, "two\n").expect("written");
        assert_eq!(sent.header(), bearer("two"));
        std::fs::remove_file(&file).expect("removed");
        assert_eq!(sent.header(), bearer("two"));
    }
}
