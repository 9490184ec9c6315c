//! The report of a run: one HTML file that needs nothing beside it.
//!
//! Everything that came from a page or a model is escaped; no script in the report reads it as anything but text.

mod pictures;
mod view;
pub(crate) mod words;

#[cfg(test)]
mod tests;

pub(crate) use pictures::{make as make_pictures, small as small_picture};
pub(crate) use view::{Attempt, Heading, view};

use anyhow::Context as _;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use view::View;

/// Renders the report of a run.
///
/// # Errors
/// Only when the template itself is broken.
pub(crate) fn render(view: &View) -> anyhow::Result<String> {
    filled(include_str!("report.html"), view)
}

/// Renders the report of an exploration.
///
/// # Errors
/// Only when the template itself is broken.
pub(crate) fn render_map(view: &impl Serialize) -> anyhow::Result<String> {
    filled(include_str!("map.html"), view)
}

fn filled(template: &str, view: &impl Serialize) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    environment.add_filter("fixed", |number: f64, digits: usize| format!("{number:.digits$}"));
    // The name ends in .html: that is what switches escaping on.
    environment.add_template("report.html", template).context("read the report's template")?;
    let template = environment.get_template("report.html").context("find the report's template")?;
    template.render(Serde(view)).context("render the report")
}
