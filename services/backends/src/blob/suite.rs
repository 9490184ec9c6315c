//! What every blob store does: the contract of [`BlobStore`], case by case.

use domain::BlobRef;
use domain::storage::BlobStore;
use std::future::Future;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Runs every case on a fresh store each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, B>(fresh: F) -> usize
where
    F: Fn() -> B,
    B: Future<Output = Arc<dyn BlobStore>>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        content_comes_back_by_the_hash_that_names_it,
        the_same_content_has_the_same_reference_and_is_stored_again_without_harm,
        what_is_not_there_is_none,
        a_reference_that_is_no_hash_reaches_nothing,
        writers_of_the_same_content_do_not_disturb_each_other,
    ];
    eprintln!("blob store: {cases} cases");
    cases
}

async fn put(store: &dyn BlobStore, content: &[u8]) -> BlobRef {
    store.put(content).await.expect("put")
}

async fn content_comes_back_by_the_hash_that_names_it(store: Arc<dyn BlobStore>) {
    let large = vec![9; 3 << 20];
    for content in [&b""[..], b"abc", &large] {
        let blob = put(store.as_ref(), content).await;
        assert_eq!(blob.as_str(), blake3::hash(content).to_hex().as_str());
        assert_eq!(store.get(&blob).await.expect("get").as_deref(), Some(content));
    }
    // The first test vector of BLAKE3, so that the hash is the published one.
    let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(put(store.as_ref(), b"").await.as_str(), empty);
}

async fn the_same_content_has_the_same_reference_and_is_stored_again_without_harm(store: Arc<dyn BlobStore>) {
    let first = put(store.as_ref(), b"same").await;
    assert_eq!(put(store.as_ref(), b"same").await, first);
    assert_ne!(put(store.as_ref(), b"other").await, first);
    assert_eq!(store.get(&first).await.expect("get").as_deref(), Some(&b"same"[..]));
}

async fn what_is_not_there_is_none(store: Arc<dyn BlobStore>) {
    assert_eq!(store.get(&BlobRef::new("0".repeat(64))).await.expect("get"), None);
}

async fn a_reference_that_is_no_hash_reaches_nothing(store: Arc<dyn BlobStore>) {
    let upper = put(store.as_ref(), b"abc").await.as_str().to_uppercase();
    for reference in ["", "é", "../../../../etc/passwd", "/etc/passwd", "unfinished", upper.as_str()] {
        assert_eq!(store.get(&BlobRef::new(reference)).await.expect("get"), None, "{reference}");
    }
}

async fn writers_of_the_same_content_do_not_disturb_each_other(store: Arc<dyn BlobStore>) {
    let content: Arc<[u8]> = vec![5; 1 << 18].into();
    let mut writers = JoinSet::new();
    for _ in 0..8 {
        let (store, content) = (Arc::clone(&store), Arc::clone(&content));
        writers.spawn(async move {
            let blob = put(store.as_ref(), &content).await;
            store.get(&blob).await.expect("get").as_deref() == Some(&content[..])
        });
    }
    while let Some(whole) = writers.join_next().await {
        assert!(whole.expect("no writer dies"), "a reader saw half a blob");
    }
}
