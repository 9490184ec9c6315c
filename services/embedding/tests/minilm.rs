//! The encoder against the contract of `Embedder`, on the published weights. Needs `make setup`.

use domain::language::Embedder;
use embedding::{Hits, MiniLm, Weights, in_process};
use std::sync::OnceLock;

fn encoder() -> &'static MiniLm {
    static ENCODER: OnceLock<MiniLm> = OnceLock::new();
    ENCODER.get_or_init(|| {
        let weights = Weights::find().unwrap_or_else(|error| panic!("{error}"));
        MiniLm::load(&weights).unwrap_or_else(|error| panic!("{error}"))
    })
}

async fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    encoder().embed(&texts).await.expect("vectors")
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[tokio::test]
async fn vectors_have_the_published_dimension_and_unit_norm() {
    assert_eq!(encoder().dimension(), 384);
    for vector in embed(&["", "Submit", "a much longer sentence about booking a flight to Anchorage, AK"]).await {
        assert_eq!(vector.len(), 384);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-4);
    }
}

#[tokio::test]
async fn a_batch_gives_the_vectors_of_its_single_texts_in_order() {
    let words = ["ok", "Cancel the order", "x", "search for the cheapest one-way flight", "", "log in"];
    let texts: Vec<String> = (0..70).map(|n| format!("{} {}", words[n % words.len()], n / words.len())).collect();
    let together = encoder().embed(&texts).await.expect("vectors");
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        let alone = &encoder().embed(std::slice::from_ref(text)).await.expect("vector")[0];
        let worst = alone.iter().zip(vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-4, "{text:?} differs by {worst}");
    }
}

/// Cosine similarities that sentence-transformers publishes for the model, on its model card's kind of sentences: what
/// means the same is near, what does not is far.
#[tokio::test]
async fn what_means_the_same_is_nearer_than_what_does_not() {
    let near_and_far = [
        ("sign in", "log in to your account", "delete the picture"),
        ("departure date", "when do you want to leave?", "credit card number"),
        ("That is a happy person", "That is a very happy person", "Today is a sunny day"),
    ];
    for (anchor, near, far) in near_and_far {
        let vectors = embed(&[anchor, near, far]).await;
        let (near, far) = (cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2]));
        assert!(near > far + 0.2, "{anchor}: near {near}, far {far}");
    }
    let vectors = embed(&["That is a happy person", "That is a very happy person"]).await;
    assert!(cosine(&vectors[0], &vectors[1]) > 0.9);
}

#[tokio::test]
async fn a_text_beyond_the_token_limit_is_cut_and_not_refused() {
    let long = "word ".repeat(5_000);
    assert_eq!(embed(&[&long]).await[0].len(), 384);
}

#[tokio::test]
async fn the_default_embedder_encodes_a_text_once() {
    let cached = in_process().expect("weights");
    let texts = ["Submit".to_owned(), "Cancel".to_owned(), "Submit".to_owned()];
    let first = cached.embed(&texts).await.expect("vectors");
    assert_eq!(first, cached.embed(&texts).await.expect("vectors"));
    assert_eq!(first[0], first[2]);
    assert_eq!(cached.hits(), Hits { hits: 4, misses: 2 });
}
