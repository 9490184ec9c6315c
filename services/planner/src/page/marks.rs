//! The numbers of actions on a picture of the page. The page itself is never changed.

use super::act::Act;
use super::actions::Actions;
use domain::Observation;
use domain::decision::Screenshot;
use domain::marks::{Mark, Marker};
use domain::observation::Visibility;
use std::sync::Arc;

/// A mark for each number whose action has an element in sight: a picture shows no others.
pub fn marks_of(observation: &Observation, actions: &Actions, numbers: &[u32]) -> Vec<Mark> {
    let bounds = |number: u32| {
        let element = actions.get(i64::from(number)).and_then(Act::element)?;
        observation.node(element).filter(|node| node.visibility != Visibility::Offscreen).map(|node| node.bounds)
    };
    numbers.iter().filter_map(|number| Some(Mark { label: number.to_string(), bounds: bounds(*number)? })).collect()
}

/// A picture for a model.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The PNG file's content.
    pub png: Arc<[u8]>,
    /// Whether the marks are on it; otherwise the model is told their boxes.
    pub is_marked: bool,
    /// Why they are not, where that is trouble.
    pub incident: Option<String>,
}

/// Draws marks, where somebody can.
pub fn draw(marker: Option<&dyn Marker>, screenshot: &Screenshot, marks: &[Mark]) -> Marked {
    match marker.map(|marker| marker.draw(screenshot, marks)) {
        Some(Ok(png)) => Marked { png: png.into(), is_marked: true, incident: None },
        Some(Err(cause)) => {
            let incident = Some(format!("marks could not be drawn: {cause}; sent boxes instead"));
            Marked { png: Arc::clone(&screenshot.png), is_marked: false, incident }
        }
        None => Marked { png: Arc::clone(&screenshot.png), is_marked: false, incident: None },
    }
}

/// The boxes of marks in words: `3: 10 60 80 20;`.
pub fn boxes(marks: &[Mark]) -> Vec<String> {
    let words =
        |Mark { label, bounds: b }: &Mark| format!("{label}: {:.0} {:.0} {:.0} {:.0};", b.x, b.y, b.width, b.height);
    marks.iter().map(words).collect()
}
