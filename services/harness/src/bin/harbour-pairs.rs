//! Records labelled pairs of Harbour's pages as a browser sees them: `make harbour-pairs`. A pair is a duplicate when
//! both pages show the same true state, at another visit or with other data.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, ensure};
use clap::Parser;
use domain::{Observation, Page as _};
use harness::harbour::Version;
use harness::harbour::truth::{Role, State};
use harness::harbour::walk::{MORE, Walk};
use rand::rngs::StdRng;
use rand::seq::index::sample;
use rand::{Rng, SeedableRng as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Goes to the states of Harbour, as its truth declares them, and writes down what a browser sees and which of it is one state.
///
/// Leaves `pairs.csv`, and of each page its observation, its document and its picture, for `rutter eval states --pairs`.
#[derive(Parser)]
#[command(
    after_help = "Example:\n  harbour-pairs --out target/results/harbour-pairs && rutter eval states --pairs target/results/harbour-pairs"
)]
struct Arguments {
    /// The folder; it must not be there yet
    #[arg(long)]
    out: PathBuf,
    /// How often each state is gone to
    #[arg(long, default_value_t = 2)]
    visits: usize,
    /// With how many pages of other addresses each page is compared, beside all other states of its own
    #[arg(long, default_value_t = 4)]
    others: usize,
    /// What seems to be chance
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// A page that was seen.
struct Case {
    name: String,
    state: String,
    document: String,
}

impl Case {
    /// The page that the state is a view of.
    fn page(&self) -> &str {
        self.state.split(['#', '~']).next().unwrap_or_default()
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(!arguments.out.exists(), "{} is there already: choose another folder", arguments.out.display());
    for folder in ["doms", "observations", "screenshots"] {
        std::fs::create_dir_all(arguments.out.join(folder)).context("make the folders")?;
    }
    let mut pairs = csv::Writer::from_path(arguments.out.join("pairs.csv")).context("write the pairs")?;
    pairs.write_record(["state_a", "state_b", "label"])?;
    let mut chance = StdRng::seed_from_u64(arguments.seed);
    let mut known: BTreeSet<String> = BTreeSet::new();
    let (mut pages, mut duplicates, mut distinct, mut left_out) = (0, 0, 0, BTreeSet::new());
    for role in [Role::Customer, Role::Guest, Role::Admin] {
        let cases = see(&arguments, role, &mut known, &mut left_out, pages).await?;
        pages += cases.len();
        for (one, other) in chosen(&cases, arguments.others, &mut chance) {
            let (one, other) = (&cases[one], &cases[other]);
            let label = match (one.state == other.state, one.document == other.document) {
                (true, true) => "clone",
                (true, false) => "near-duplicate",
                (false, _) => "distinct",
            };
            duplicates += usize::from(label != "distinct");
            distinct += usize::from(label == "distinct");
            pairs.write_record([one.name.as_str(), &other.name, label])?;
        }
    }
    pairs.flush()?;
    println!("{pages} pages of {} states; {duplicates} pairs of one state, {distinct} of two", known.len());
    println!("without a picture, and left out: {}", left_out.into_iter().collect::<Vec<_>>().join(", "));
    println!("written to {}", arguments.out.display());
    Ok(())
}

/// Records what a role sees of states not recorded yet.
async fn see(
    arguments: &Arguments,
    role: Role,
    known: &mut BTreeSet<String>,
    left_out: &mut BTreeSet<String>,
    number: usize,
) -> Result<Vec<Case>> {
    let mut walk = Box::pin(Walk::begin(Version::One, role)).await?;
    let truth = walk.harbour.truth().clone();
    let mut cases = Vec::new();
    let own: Vec<&State> = truth.reachable(role).into_iter().filter(|state| known.insert(state.id.clone())).collect();
    for state in own {
        for _ in 0..arguments.visits {
            if walk.go_to(state).await? {
                keep(&mut walk, &arguments.out, &state.id, number, &mut cases, left_out).await?;
            }
        }
        let instances = truth.instances.iter().map(|instance| (instance.state, instance.address));
        for (_, address) in instances.chain(MORE).filter(|(id, _)| *id == state.id) {
            walk.open(address).await?;
            if walk.told() == state.id {
                keep(&mut walk, &arguments.out, &state.id, number, &mut cases, left_out).await?;
            }
        }
        walk.take_passed();
    }
    walk.end().await;
    Ok(cases)
}

/// Records the current page. Behind a browser dialog a page has neither document nor picture.
async fn keep(
    walk: &mut Walk,
    folder: &Path,
    state: &str,
    number: usize,
    cases: &mut Vec<Case>,
    left_out: &mut BTreeSet<String>,
) -> Result<()> {
    if walk.seen.dialog.is_some() {
        left_out.insert(state.to_owned());
        return Ok(());
    }
    let slug: String = state.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    let name = format!("{:04}-{slug}", number + cases.len());
    let document = walk.page.evaluate("document.documentElement.outerHTML").await.context("read the document")?;
    let document = document.as_str().unwrap_or_default().to_owned();
    let picture = walk.page.screenshot().await.context("take a picture")?;
    let observation: &Observation = &walk.seen;
    std::fs::write(folder.join(format!("doms/{name}.html")), &document)?;
    std::fs::write(folder.join(format!("observations/{name}.json")), serde_json::to_vec(observation)?)?;
    std::fs::write(folder.join(format!("screenshots/{name}.png")), &picture.png)?;
    cases.push(Case { name, state: state.to_owned(), document });
    Ok(())
}

/// Pairs of cases: all of one page, whose states are hard to tell apart, and some of others.
fn chosen(cases: &[Case], others: usize, chance: &mut impl Rng) -> BTreeSet<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for (one, case) in cases.iter().enumerate() {
        pairs.extend(
            (one + 1..cases.len()).filter(|other| cases[*other].page() == case.page()).map(|other| (one, other)),
        );
        let drawn = sample(chance, cases.len(), others.min(cases.len()));
        pairs.extend(drawn.into_iter().filter(|other| *other != one).map(|other| (one.min(other), one.max(other))));
    }
    pairs
}
