//! Blobs in an S3-compatible object store, named by their hash. Storing content again replaces the object, which resets
//! its age; a reader never sees half an object.

use super::reference;
use super::sweep::{Sweep, Swept};
use async_trait::async_trait;
use domain::BlobRef;
use domain::storage::{BlobStore, StorageError};
use futures::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How to reach an object store. Where no key is named, credentials come from the environment (`AWS_ACCESS_KEY_ID`, …) or
/// from the machine's role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct S3Options {
    /// The bucket; it must exist.
    pub bucket: String,
    /// The store's address where it is not Amazon's, e.g. `http://127.0.0.1:9000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The region.
    pub region: String,
    /// What all names begin with, so that several installations can share a bucket.
    pub prefix: String,
    /// The name of the access key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_key: Option<String>,
    /// The file that holds the secret of the access key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<PathBuf>,
    /// How long one call may take, in milliseconds.
    pub deadline_ms: u64,
}

impl Default for S3Options {
    fn default() -> Self {
        Self {
            bucket: "rutter".to_owned(),
            endpoint: None,
            region: "us-east-1".to_owned(),
            prefix: "blobs".to_owned(),
            access_key: None,
            secret_file: None,
            deadline_ms: 30_000,
        }
    }
}

/// Blobs in an object store.
#[derive(Clone)]
pub struct BlobObjects {
    store: Arc<AmazonS3>,
    bucket: String,
    prefix: Path,
}

impl BlobObjects {
    /// An object store at an address. Nothing is asked of it yet.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`] when the options do not make an address.
    pub fn open(options: &S3Options) -> Result<Self, StorageError> {
        let deadline = Duration::from_millis(options.deadline_ms);
        let client = ClientOptions::new().with_timeout(deadline).with_connect_timeout(deadline);
        let retry = RetryConfig { max_retries: 3, retry_timeout: deadline, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::from_env()
            .with_client_options(client)
            .with_retry(retry)
            .with_bucket_name(&options.bucket)
            .with_region(&options.region);
        if let (Some(key), Some(file)) = (&options.access_key, &options.secret_file) {
            let secret = std::fs::read_to_string(file).map_err(|cause| {
                StorageError::Unavailable(format!(
                    "read the secret of the object store from {}: {cause}",
                    file.display()
                ))
            })?;
            builder = builder.with_access_key_id(key).with_secret_access_key(secret.trim());
        }
        if let Some(endpoint) = &options.endpoint {
            builder = builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"));
        }
        let store = builder.build().map_err(|cause| {
            StorageError::Unavailable(format!(
                "the object store of bucket `{}` cannot be used: {cause}",
                options.bucket
            ))
        })?;
        let prefix = Path::from(options.prefix.as_str());
        Ok(Self { store: Arc::new(store), bucket: options.bucket.clone(), prefix })
    }

    /// Where a blob lies; none when the reference is no hash.
    fn path(&self, blob: &BlobRef) -> Option<Path> {
        let name = blob.as_str();
        super::is_hash(name).then(|| self.prefix.clone().join(&name[..2]).join(name))
    }

    fn failed(&self, doing: &str, cause: &object_store::Error) -> StorageError {
        let hint = match cause {
            object_store::Error::NotFound { .. } => "; does the bucket exist?",
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                "; check its credentials"
            }
            _ => "",
        };
        StorageError::Unavailable(format!("{doing} in bucket `{}`: {cause}{hint}", self.bucket))
    }
}

#[async_trait]
impl BlobStore for BlobObjects {
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        let blob = reference(content);
        if let Some(path) = self.path(&blob) {
            let stored = self.store.put(&path, content.to_vec().into()).await;
            stored.map_err(|cause| self.failed("store a blob", &cause))?;
        }
        Ok(blob)
    }

    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(path) = self.path(blob) else { return Ok(None) };
        let failed = |cause: object_store::Error| self.failed("read a blob", &cause);
        match self.store.get(&path).await {
            Ok(found) => Ok(Some(found.bytes().await.map_err(failed)?.to_vec())),
            Err(object_store::Error::NotFound { source, .. }) if !source.to_string().contains("NoSuchBucket") => {
                Ok(None)
            }
            Err(cause) => Err(failed(cause)),
        }
    }
}

#[async_trait]
impl Sweep for BlobObjects {
    async fn sweep(&self, before: SystemTime, kept: &HashSet<BlobRef>) -> Result<Swept, StorageError> {
        let failed = |cause: object_store::Error| self.failed("remove old blobs", &cause);
        let mut swept = Swept::default();
        let mut listed = self.store.list(Some(&self.prefix));
        while let Some(object) = listed.try_next().await.map_err(failed)? {
            let name = object.location.filename().unwrap_or_default();
            if !super::is_hash(name) {
                continue;
            }
            let stays = SystemTime::from(object.last_modified) >= before || kept.contains(&BlobRef::new(name));
            if !stays {
                self.store.delete(&object.location).await.map_err(failed)?;
            }
            swept.count(object.size, stays);
        }
        Ok(swept)
    }
}
