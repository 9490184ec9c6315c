//! Encryption on both sides of the gate: towards the browser with certificates of our own, towards sites with those that the machine
//! trusts.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PublicKeyData as _};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, ServerConfig};
use rustls_platform_verifier::BuilderVerifierExt as _;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Hosts whose certificates are kept; one is made in well under a millisecond.
const HOSTS: usize = 1_000;

/// Signs the certificates of this process. Its key is never written anywhere, so what trusts it trusts this run alone.
static ISSUER: LazyLock<Option<CertifiedIssuer<'static, KeyPair>>> = LazyLock::new(|| {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.distinguished_name.push(rcgen::DnType::CommonName, "Rutter, this run only");
    KeyPair::generate().and_then(|key| CertifiedIssuer::self_signed(params, key)).map_err(warn).ok()
});

static SERVERS: LazyLock<Mutex<HashMap<String, Arc<ServerConfig>>>> = LazyLock::new(Mutex::default);

/// Made once: reading what the machine trusts takes longer than opening a profile.
static CLIENT: LazyLock<Result<ClientConfig, String>> = LazyLock::new(|| {
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let builder = builder.with_platform_verifier().map_err(|error| error.to_string())?;
    Ok(builder.with_no_client_auth())
});

/// The key that the browsers of this process are told to trust, in the form of Chromium's `--ignore-certificate-errors-spki-list`.
pub(crate) fn trusted_key() -> Option<String> {
    let key = ISSUER.as_ref()?.key().subject_public_key_info();
    Some(BASE64_STANDARD.encode(Sha256::digest(key)))
}

/// How the gate stands for a host before the browser.
pub(super) fn server_config(host: &str) -> Option<Arc<ServerConfig>> {
    if let Some(known) = SERVERS.lock().get(host) {
        return Some(known.clone());
    }
    let made = Arc::new(make(host)?);
    let mut servers = SERVERS.lock();
    if servers.len() >= HOSTS {
        servers.clear();
    }
    servers.insert(host.to_owned(), made.clone());
    Some(made)
}

fn make(host: &str) -> Option<ServerConfig> {
    let issuer = ISSUER.as_ref()?;
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let params = CertificateParams::new([name.to_owned()]).map_err(warn).ok()?;
    let key = KeyPair::generate().map_err(warn).ok()?;
    let leaf = params.signed_by(&key, issuer).map_err(warn).ok()?;
    let chain = vec![leaf.der().clone(), issuer.der().clone()];
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let builder = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(warn).ok()?.with_no_client_auth();
    builder.with_single_cert(chain, key).map_err(warn).ok()
}

/// How sites are asked.
///
/// # Errors
/// When what the machine trusts cannot be read.
pub(super) fn client_config() -> Result<ClientConfig, String> {
    CLIENT.clone()
}

fn warn(error: impl std::fmt::Display) {
    tracing::warn!(%error, "no certificate can be made; encrypted pages will not load");
}
