//! The report of a run: one HTML file that needs nothing beside it.
//!
//! Everything that came from a page or a model is escaped; no script in the report reads it as anything but text.

mod pictures;
mod view;

#[cfg(test)]
mod tests;

pub use pictures::{make as make_pictures, small as small_picture};
pub use view::{Attempt, Heading, Pictures, View, view};

use crate::Error;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

/// Renders the report of a run.
///
/// # Errors
/// Only when the template itself is broken.
pub fn render(view: &View) -> Result<String, Error> {
    filled(include_str!("html/report.html"), view)
}

/// Renders the report of an exploration.
///
/// # Errors
/// Only when the template itself is broken.
pub fn render_map(view: &impl Serialize) -> Result<String, Error> {
    filled(include_str!("html/map.html"), view)
}

fn filled(template: &str, view: &impl Serialize) -> Result<String, Error> {
    let broken = |action| move |source| Error::Template { action, source };
    let mut environment = Environment::new();
    environment.add_filter("fixed", |number: f64, digits: usize| format!("{number:.digits$}"));
    // The name ends in .html: that is what switches escaping on.
    environment.add_template("report.html", template).map_err(broken("read the report's template"))?;
    let template = environment.get_template("report.html").map_err(broken("find the report's template"))?;
    template.render(Serde(view)).map_err(broken("render the report"))
}
