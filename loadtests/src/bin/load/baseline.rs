//! What the client of the browsers costs alone, for the same pages and commands, and whether they were the same.

use crate::scenario::Scenario;
use crate::stage::Pages;
use anyhow::{Context, Result};
use loadtests::child::Child;
use loadtests::grid::Figures;
use serde::Serialize;
use serde_json::Value;

/// The client alone.
pub(crate) struct Baseline {
    /// What it says of itself.
    pub(crate) said: Value,
    /// What it asked browsers for.
    pub(crate) asked: Asked,
}

/// What browsers were asked for, per instance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Asked {
    pub(crate) commands: f64,
    pub(crate) page_loads: f64,
}

impl Baseline {
    /// Measures it.
    ///
    /// # Errors
    /// When an instance does not come to its end.
    pub(crate) async fn measure(scenario: &Scenario, pages: &Pages) -> Result<Baseline> {
        let before = pages.figures().await?;
        let site = pages.hosts.first().context("the site has no host")?;
        let settings = [
            ("grid", pages.grid.to_string()),
            ("site", site.to_string()),
            ("instances", scenario.baseline_instances.to_string()),
            ("sessions", scenario.slots().to_string()),
            ("contexts", scenario.contexts_per_browser.to_string()),
            ("wizards", scenario.wizards.to_string()),
        ];
        let arguments: Vec<String> =
            settings.into_iter().flat_map(|(name, value)| [format!("--{name}"), value]).collect();
        let said = Child::start("client-baseline", &arguments)?.said.clone();
        let asked = Asked::of(&pages.figures().await?.since(&before), scenario.baseline_instances);
        Ok(Baseline { said, asked })
    }

    /// Processor time in milliseconds per instance.
    pub(crate) fn cpu_ms(&self) -> f64 {
        self.said["cpu_ms_per_instance"].as_f64().unwrap_or(0.0)
    }
}

impl Asked {
    /// That of a number of instances.
    pub(crate) fn of(figures: &Figures, instances: u32) -> Asked {
        let each = |count: u64| count as f64 / f64::from(instances);
        Asked { commands: each(figures.commands), page_loads: each(figures.page_loads) }
    }

    /// How far it is from another's, as a part of that: the larger one of commands and page loads.
    pub(crate) fn apart(&self, other: &Asked) -> f64 {
        let apart = |one: f64, other: f64| if one == other { 0.0 } else { ((one - other) / other).abs() };
        apart(self.commands, other.commands).max(apart(self.page_loads, other.page_loads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_as_far_apart_as_the_further_of_both_counts() {
        let figures = Figures { commands: 990, page_loads: 100, ..Figures::default() };
        let (one, other) = (Asked::of(&figures, 10), Asked { commands: 100.0, page_loads: 8.0 });
        assert_eq!(one, Asked { commands: 99.0, page_loads: 10.0 });
        assert_eq!((one.apart(&other), other.apart(&other)), (0.25, 0.0));
        let nothing = Asked { commands: 0.0, page_loads: 0.0 };
        assert_eq!((one.apart(&nothing), nothing.apart(&nothing)), (f64::INFINITY, 0.0));
    }
}
