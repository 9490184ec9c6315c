//! Has the program that people use do compositions, and counts what came of them.

use super::{Composition, Order};
use crate::ran;
use crate::site::Site;
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use tokio::process::Command;

/// What came of the compositions of one order.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The order of the words.
    pub order: Order,
    /// How many there were.
    pub episodes: usize,
    /// How many were done: all of it, in the right order, and nothing else.
    pub successes: usize,
}

/// What came of all compositions.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// One row for each order.
    pub rows: Vec<Row>,
    /// Instructions that were claimed to be done and were not.
    pub claimed_wrongly: Vec<String>,
    /// Instructions that were not done, each with how it ended.
    pub missed: Vec<String>,
}

impl Measured {
    /// The share of an order that was done.
    pub fn rate(&self, order: Order) -> f64 {
        let of_order = self.rows.iter().find(|row| row.order == order);
        #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
        of_order.map_or(0.0, |row| row.successes as f64 / row.episodes.max(1) as f64)
    }
}

/// Has all of them done, each on a page of its own, by `rutter run`, which is given its other arguments already; the run is kept in a folder.
///
/// # Errors
/// When the program cannot be started, or what it leaves cannot be read.
pub async fn measure(all: &[Composition], program: Command, folder: &Path) -> Result<Measured> {
    let pages = all.iter().enumerate().fold(Site::new(), |site, (at, one)| site.page(&format!("/{at}"), &one.page()));
    let site = pages.start().await;
    let tasks: Vec<Value> = all
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let check = json!({"page_state": {"expression": "changes()", "equals": one.changes}});
            let start = site.url(&format!("/{at}"));
            json!({"id": format!("t{at}"), "start_url": start, "instruction": one.instruction, "check": check})
        })
        .collect();
    let ended = ran::run(program, &tasks, folder).await?;
    let mut measured = Measured { rows: Vec::new(), claimed_wrongly: Vec::new(), missed: Vec::new() };
    for order in [Order::InOrder, Order::Reversed, Order::Mixed] {
        let of_order = || all.iter().zip(&ended).filter(move |(one, _)| one.order == order);
        let (episodes, successes) = (of_order().count(), of_order().filter(|(_, ended)| ended.is_done()).count());
        measured.rows.push(Row { order, episodes, successes });
        for (one, ended) in of_order().filter(|(_, ended)| !ended.is_done()) {
            let told = format!("{} [{}] {}: {}", one.instruction, one.changes, ended.verdict, ended.reason);
            if ended.is_claimed {
                measured.claimed_wrongly.push(told.clone());
            }
            measured.missed.push(told);
        }
    }
    Ok(measured)
}
