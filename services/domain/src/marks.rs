//! Numbered marks on a picture of the page, for people and for models that see.

use crate::decision::Screenshot;
use crate::geometry::Rect;

/// A label to be drawn on a picture, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What is written at its corner: a number, or a few letters of ASCII.
    pub label: String,
    /// What it surrounds, in CSS pixels of the viewport.
    pub bounds: Rect,
}

/// Draws marks on a picture. The page itself is never changed.
pub trait Marker: Send + Sync {
    /// The picture with its marks, as the content of a PNG file.
    ///
    /// # Errors
    /// A sentence about the cause.
    fn draw(&self, screenshot: &Screenshot, marks: &[Mark]) -> Result<Vec<u8>, String>;
}
