//! Points and rectangles in CSS pixels of the top-level viewport.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in CSS pixels, origin at the top left of the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
}

/// A box in CSS pixels, origin at the top left of the viewport. Boxes below the fold have `y` beyond the viewport's height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// The middle of the box.
    pub fn center(&self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Area in square pixels.
    pub fn area(&self) -> f64 {
        self.width * self.height
    }

    /// Whether the point lies within the box, edges included.
    pub fn contains(&self, point: Point) -> bool {
        point.x >= self.x && point.x <= self.right() && point.y >= self.y && point.y <= self.bottom()
    }

    /// The distance between the nearest edges of two boxes, in pixels; 0 where they touch or overlap.
    pub fn distance(&self, other: &Rect) -> f64 {
        let dx = (other.x - self.right()).max(self.x - other.right()).max(0.0);
        let dy = (other.y - self.bottom()).max(self.y - other.bottom()).max(0.0);
        dx.hypot(dy)
    }
}
