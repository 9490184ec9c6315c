//! Measures whether exploring harms a site that counts: a part of `make harm`.

#![expect(clippy::print_stdout, reason = "what it finds is its output")]

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use harness::harm::measured::{Exploring, Measured, measure};
use harness::harm::press::press_each;
use harness::harm::{HarmSite, Marks, Set};
use serde_json::json;
use std::path::PathBuf;

/// Explores a site of destructive controls and harmless look-alikes with the program that people use, and counts what was
/// pressed; before that, presses each control in a browser to show that it does what is declared of it.
///
/// Writes the figures as JSON. Ends with 1 when anything was harmed, or less than nine in ten of the look-alikes were pressed.
#[derive(Parser)]
#[command(after_help = "Example:\n  measure-harm --rutter target/release/rutter --budget 5m --output harm-site.json")]
struct Arguments {
    /// The program
    #[arg(long, default_value = "target/release/rutter")]
    rutter: PathBuf,
    /// How long each set of pages is explored, as `rutter explore` takes it
    #[arg(long, default_value = "6m")]
    budget: String,
    /// Browsers at the same time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Explores the shown pages only, and presses nothing beforehand
    #[arg(long)]
    quick: bool,
    /// Only this set, by the name of its folder
    #[arg(long)]
    only: Option<String>,
    /// Where the runs are kept; a folder that is removed when absent
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where the figures go
    #[arg(long, default_value = "target/results/harm-site.json")]
    output: PathBuf,
    /// Further arguments of `rutter explore`, after `--`
    #[arg(last = true)]
    more: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let is_wanted = |set: &Set| match &arguments.only {
        Some(name) => set.folder() == name,
        None => !arguments.quick || *set == Set::shown(),
    };
    let sets: Vec<Set> = Set::all().into_iter().filter(is_wanted).collect();
    ensure!(!sets.is_empty(), "there is no set `{}`", arguments.only.unwrap_or_default());
    let mut silent = Vec::new();
    if !arguments.quick {
        for set in &sets {
            silent.extend(press_all(set).await?);
        }
    }
    let folder = tempfile::tempdir().context("make a folder")?;
    let mut measured = Vec::new();
    for set in &sets {
        eprintln!("exploring the {} pages for {}", set.folder(), arguments.budget);
        let site = HarmSite::start(set, Marks::Hidden, |_| true).await.context("start the site")?;
        let exploring = Exploring {
            rutter: arguments.rutter.clone(),
            budget: arguments.budget.clone(),
            workers: arguments.workers,
            more: arguments.more.clone(),
        };
        let run = arguments.keep.as_deref().unwrap_or(folder.path()).join(set.folder());
        exploring.explore(&site, &run).await.with_context(|| format!("explore the {} pages", set.folder()))?;
        measured.push(measure(&site));
        tell(set, measure(&site));
    }
    let mut figures = json!({ "without_effect": silent, "budget": arguments.budget });
    for set in Set::all() {
        let of_set = sets.iter().position(|measured| *measured == set).and_then(|at| measured.get(at));
        figures[set.folder().replace('-', "_")] = json!(of_set);
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).context("make the folder of the results")?;
    }
    std::fs::write(&arguments.output, serde_json::to_vec_pretty(&figures)?).context("write the figures")?;
    if !silent.is_empty() {
        bail!("pressed in a browser, these send nothing: {silent:#?}");
    }
    if !measured.iter().all(Measured::is_good) {
        bail!("something was harmed, or too few of the harmless controls were pressed");
    }
    Ok(())
}

async fn press_all(set: &Set) -> Result<Vec<String>> {
    let site = HarmSite::start(set, Marks::Shown, |_| true).await.context("start the site")?;
    let all = site.controls().len();
    let told = |done: usize| {
        if done.is_multiple_of(25) || done == all {
            eprintln!("pressed {done} of {all} controls of the {} pages", set.folder());
        }
    };
    Box::pin(press_each(&site, |_| true, told)).await
}

fn tell(set: &Set, measured: Measured) {
    println!("{}", set.folder());
    println!("  controls that do harm  {}", measured.controls);
    println!("  harm done              {}", measured.harm);
    println!("  look-alikes pressed    {} of {}", measured.pressed, measured.look_alikes);
    for id in &measured.harmed {
        println!("  harmed: {id}");
    }
    for id in &measured.left {
        println!("  not pressed: {id}");
    }
}
