//! `rutter eval`: how well parts of Rutter do on labelled data.

use crate::cli::{EvalStates, Output};
use crate::exit::{Exit, OrExit as _, Outcome};
use crate::print;
use anyhow::{Context as _, bail};
use domain::Observation;
use domain::language::Embedder;
use graph::abstraction::{Abstraction, Embedded, Fingerprint, Page, PageInput};
use graph::evaluation::{Pair, distances, score};
use platform::SystemClock;
use platform::clock::Clock as _;
use report::tables;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How well one abstraction did.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    f1: f64,
    precision: f64,
    recall: f64,
    ms_per_pair: f64,
}

/// What all abstractions did.
#[derive(Serialize)]
struct Table {
    pages: usize,
    pairs: usize,
    duplicates: usize,
    abstractions: Vec<Row>,
}

/// Labelled pairs of pages.
struct Labelled {
    pages: Vec<Page>,
    /// Their pictures; empty unless every page has one.
    pictures: Vec<PathBuf>,
    pairs: Vec<Pair>,
}

/// Compares the state abstractions on labelled pairs.
pub(crate) async fn states(args: EvalStates) -> Outcome {
    let labelled = read(&args.pairs).or_exit(Exit::Usage)?;
    let embedder = tokio::task::spawn_blocking(embedding::in_process).await;
    let embedder = embedder.context("load the sentence encoder").or_exit(Exit::Internal)?;
    let embedder = embedder.context("load the sentence encoder").or_exit(Exit::Environment)?;
    let mut abstractions = Vec::new();
    let pictures = if labelled.pictures.is_empty() { Vec::new() } else { graph::abstraction::pictures() };
    for abstraction in graph::abstraction::all().into_iter().chain(pictures) {
        abstractions.push(judge(abstraction.as_ref(), &labelled, &embedder).await.or_exit(Exit::Environment)?);
    }
    let duplicates = labelled.pairs.iter().filter(|pair| pair.is_duplicate).count();
    let table = Table { pages: labelled.pages.len(), pairs: labelled.pairs.len(), duplicates, abstractions };
    match args.output.output {
        Output::Json => print::json(&table)?,
        Output::Table => {
            let mut shown = tables::empty(&["abstraction", "F1", "precision", "recall", "ms/pair"]);
            for row in &table.abstractions {
                let numbers = [row.f1, row.precision, row.recall, row.ms_per_pair].map(|number| format!("{number:.3}"));
                shown.add_row(std::iter::once(row.name.to_owned()).chain(numbers));
            }
            print::text_out(&shown.to_string())?;
        }
    }
    Ok(Exit::Success)
}

/// The score of an abstraction, with the time for reading and comparing, by pair.
async fn judge(abstraction: &dyn Abstraction, labelled: &Labelled, embedder: &dyn Embedder) -> anyhow::Result<Row> {
    let clock = SystemClock::default();
    let mut fingerprints: Vec<Fingerprint> = Vec::with_capacity(labelled.pages.len());
    for (place, page) in labelled.pages.iter().enumerate() {
        let picture = match labelled.pictures.get(place).filter(|_| abstraction.wants_picture()) {
            Some(file) => Some(image::open(file).with_context(|| format!("read {}", file.display()))?),
            None => None,
        };
        let vectors = if abstraction.wants_vector() {
            embedder.embed(&[Embedded::sentence(page)]).await.context("embed a page")?
        } else {
            Vec::new()
        };
        let vector = vectors.first().map(Vec::as_slice);
        fingerprints.push(abstraction.fingerprint(&PageInput { page, vector, picture: picture.as_ref() }));
    }
    let distances = distances(abstraction, &fingerprints, &labelled.pairs);
    let ms_per_pair = clock.monotonic().as_secs_f64() * 1e3 / labelled.pairs.len() as f64;
    let score = score(abstraction, &distances, &labelled.pairs);
    let (name, f1) = (abstraction.name(), score.f1());
    Ok(Row { name, f1, precision: score.precision, recall: score.recall, ms_per_pair })
}

/// Reads `pairs.csv` and the pages that it names: `observations/NAME.json` where there is one, else `doms/NAME.html`; and their
/// pictures, `screenshots/NAME.png`, where all have one.
fn read(folder: &Path) -> anyhow::Result<Labelled> {
    let file = folder.join("pairs.csv");
    let mut rows = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(&file).context("read the pairs")?;
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut labelled = Labelled { pages: Vec::new(), pictures: Vec::new(), pairs: Vec::new() };
    for row in rows.records() {
        let row = row.with_context(|| format!("read {}", file.display()))?;
        let line = row.position().map_or(0, csv::Position::line);
        let at = || format!("{}, line {line}", file.display());
        let [one, other, label] = row.iter().collect::<Vec<_>>()[..] else {
            bail!("{}: it is not `state_a,state_b,label`", at());
        };
        let is_duplicate = match label {
            "clone" | "near-duplicate" => true,
            "distinct" => false,
            other => bail!("{}: the label is `{other}`, not `clone`, `near-duplicate` or `distinct`", at()),
        };
        let mut place = |name: &str| -> anyhow::Result<usize> {
            if let Some(place) = places.get(name) {
                return Ok(*place);
            }
            labelled.pages.push(page(folder, name).with_context(at)?);
            let picture = folder.join("screenshots").join(format!("{name}.png"));
            labelled.pictures.extend(Some(picture).filter(|picture| picture.is_file()));
            places.insert(name.to_owned(), labelled.pages.len() - 1);
            Ok(labelled.pages.len() - 1)
        };
        let (one, other) = (place(one)?, place(other)?);
        labelled.pairs.push(Pair { one, other, is_duplicate });
    }
    if labelled.pairs.is_empty() {
        bail!("{}: there is no pair in it", file.display());
    }
    if labelled.pictures.len() < labelled.pages.len() {
        labelled.pictures.clear();
    }
    Ok(labelled)
}

/// A page by its name.
fn page(folder: &Path, name: &str) -> anyhow::Result<Page> {
    let observed = folder.join("observations").join(format!("{name}.json"));
    if observed.is_file() {
        let text = std::fs::read(&observed).with_context(|| format!("read {}", observed.display()))?;
        let observation: Observation =
            serde_json::from_slice(&text).with_context(|| format!("read {}", observed.display()))?;
        return Ok(Page::from(&observation));
    }
    let document = folder.join("doms").join(format!("{name}.html"));
    let html = std::fs::read(&document).with_context(|| format!("read {}", document.display()))?;
    Ok(Page::of_html(&String::from_utf8_lossy(&html)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(pairs: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("doms")).unwrap();
        for (name, html) in [("a", "<p>one</p>"), ("b", "<p>two</p>")] {
            std::fs::write(folder.path().join(format!("doms/{name}.html")), html).unwrap();
        }
        std::fs::write(folder.path().join("pairs.csv"), pairs).unwrap();
        folder
    }

    fn refused(pairs: &str) -> String {
        format!("{:#}", read(folder(pairs).path()).err().unwrap())
    }

    #[test]
    fn pairs_name_pages_that_are_read_once() {
        let read = read(folder("state_a,state_b,label\na,b,clone\nb,a,distinct\n").path()).unwrap();
        let pair = |one, other, is_duplicate| Pair { one, other, is_duplicate };
        assert_eq!(read.pairs, [pair(0, 1, true), pair(1, 0, false)]);
        assert_eq!((read.pages.len(), read.pages[1].text()), (2, "two".to_owned()));
    }

    #[test]
    fn what_was_observed_is_preferred_to_the_document_and_pictures_count_where_every_page_has_one() {
        let folder = folder("state_a,state_b,label\na,b,clone\n");
        let observation = Observation { url: "http://a.test/x".to_owned(), ..Observation::default() };
        std::fs::create_dir(folder.path().join("observations")).unwrap();
        std::fs::write(folder.path().join("observations/a.json"), serde_json::to_vec(&observation).unwrap()).unwrap();
        std::fs::create_dir(folder.path().join("screenshots")).unwrap();
        let picture =
            |name: &str| image::RgbImage::new(4, 4).save(folder.path().join("screenshots").join(name)).unwrap();
        picture("a.png");
        let one = read(folder.path()).unwrap();
        assert_eq!(one.pages[0].url.as_ref().map(url::Url::as_str), Some("http://a.test/x"));
        assert_eq!((one.pages[1].text(), one.pictures.len()), ("two".to_owned(), 0));
        picture("b.png");
        assert_eq!(read(folder.path()).unwrap().pictures.len(), 2);
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        assert!(refused("state_a,state_b,label\na,b,equal\n").contains("pairs.csv, line 2: the label is `equal`, not"));
        assert!(refused("state_a,state_b,label\na,b\n").contains("2 fields"));
        assert!(refused("state_a,state_b,label\na,c,clone\n").contains("line 2: read"));
        assert!(refused("state_a,state_b\na,b\n").contains("pairs.csv, line 2: it is not `state_a,state_b,label`"));
        assert!(refused("state_a,state_b,label\n").contains("there is no pair in it"));
    }
}
