//! Paints over what no picture may show: password fields, every text that shows a secret, and, where secrets are known, frames that
//! cannot be read. Pure.

use crate::secret::Redactor;
use domain::geometry::Rect;
use image::{ImageFormat, Rgba, RgbaImage};
use serde::Deserialize;
use std::io::Cursor;

/// What a page shows in letters, as the probe tells it.
#[derive(Debug, Deserialize)]
pub(crate) struct Letters {
    /// CSS pixels from the left to the right of the window, and of what is beside its scroll bar: a picture shows either.
    widths: [f64; 2],
    /// Device pixels of a CSS pixel.
    scale: f64,
    /// Whether nothing is left out.
    all: bool,
    texts: Vec<Letter>,
}

/// A text with its box: kind, text, left, top, width, height.
#[derive(Debug, Deserialize)]
struct Letter(u8, String, f64, f64, f64, f64);

/// Kinds of texts.
const PASSWORD: u8 = 1;
const UNREADABLE: u8 = 2;

/// CSS pixels around a box, for letters that reach out of it.
const MARGIN: f64 = 2.0;
/// Device pixels by which a picture may be wider or narrower than its page.
const SLACK: f64 = 2.0;
const INK: Rgba<u8> = Rgba([40, 40, 40, 255]);
const EVERYTHING: Rect = Rect { x: 0.0, y: 0.0, width: 1e6, height: 1e6 };

impl Letter {
    fn bounds(&self) -> Rect {
        Rect { x: self.2, y: self.3, width: self.4, height: self.5 }
    }
}

/// What of a picture is painted over, and by how many device pixels a CSS pixel.
#[derive(Debug, PartialEq)]
pub(crate) struct Mask {
    scale: f64,
    widths: [f64; 2],
    boxes: Vec<Rect>,
}

impl Mask {
    /// The mask of a page that was read before and after its picture was taken.
    pub(crate) fn new(read: &[Letters; 2], secrets: &Redactor) -> Mask {
        let boxes = read.iter().flat_map(|letters| boxes(letters, secrets)).collect();
        Mask { scale: read[1].scale, widths: read[1].widths, boxes }
    }
}

/// The boxes to be painted over: everything, where secrets are known and the page could not be read to its end.
fn boxes(letters: &Letters, secrets: &Redactor) -> Vec<Rect> {
    let knows_secrets = !secrets.is_empty();
    if knows_secrets && !letters.all {
        return vec![EVERYTHING];
    }
    let texts: Vec<&str> = letters.texts.iter().map(|letter| letter.1.as_str()).collect();
    let shows = if knows_secrets { secrets.shows(&texts) } else { vec![false; texts.len()] };
    let is_hidden = |(letter, shows): (&Letter, bool)| match letter.0 {
        PASSWORD => true,
        UNREADABLE => knows_secrets,
        _ => shows,
    };
    let hidden: Vec<bool> = letters.texts.iter().zip(shows).map(is_hidden).collect();
    letters.texts.iter().zip(hidden).filter(|(_, hidden)| *hidden).map(|(letter, _)| letter.bounds()).collect()
}

/// A picture with the boxes painted over.
///
/// # Errors
/// It is no PNG.
pub(crate) fn paint(png: Vec<u8>, mask: &Mask) -> Result<Vec<u8>, String> {
    if mask.boxes.is_empty() {
        return Ok(png);
    }
    let picture = image::load_from_memory_with_format(&png, ImageFormat::Png).map_err(|error| error.to_string())?;
    let mut picture = picture.to_rgba8();
    // Where a picture has another width than its page, nobody knows where in it something stands.
    let is_as_wide = |width: &f64| (width * mask.scale - f64::from(picture.width())).abs() <= SLACK;
    let boxes = if mask.widths.iter().any(is_as_wide) { mask.boxes.as_slice() } else { &[EVERYTHING] };
    boxes.iter().for_each(|bounds| fill(&mut picture, bounds, mask.scale));
    let mut painted = Cursor::new(Vec::new());
    picture.write_to(&mut painted, ImageFormat::Png).map_err(|error| error.to_string())?;
    Ok(painted.into_inner())
}

fn fill(picture: &mut RgbaImage, bounds: &Rect, scale: f64) {
    let at = |value: f64, most: u32| (value * scale).clamp(0.0, f64::from(most)) as u32;
    let (left, right) = (at(bounds.x - MARGIN, picture.width()), at(bounds.right() + MARGIN + 1.0, picture.width()));
    let (top, bottom) = (at(bounds.y - MARGIN, picture.height()), at(bounds.bottom() + MARGIN + 1.0, picture.height()));
    for y in top..bottom {
        for x in left..right {
            picture.put_pixel(x, y, INK);
        }
    }
}

impl Letters {
    /// What a page shows that could not be asked: nobody knows.
    pub(crate) fn unknown() -> Letters {
        Letters { widths: [0.0; 2], scale: 1.0, all: false, texts: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    fn source() -> BTreeMap<String, String> {
        BTreeMap::from([("pw".to_owned(), "s3cret-pass".to_owned())])
    }

    fn letters(texts: &[(u8, &str)]) -> Letters {
        let at =
            |(index, (kind, text)): (usize, &(u8, &str))| json!([kind, text, 0.0, 20.0 * index as f64, 50.0, 10.0]);
        let texts: Vec<Value> = texts.iter().enumerate().map(at).collect();
        serde_json::from_value(json!({"widths": [100.0, 85.0], "scale": 1.0, "all": true, "texts": texts})).unwrap()
    }

    fn rows(letters: &Letters, secrets: &Redactor) -> Vec<usize> {
        boxes(letters, secrets).iter().map(|bounds| bounds.y as usize / 20).collect()
    }

    #[test]
    fn passwords_are_painted_over_and_secrets_wherever_they_are_shown() {
        let secrets = Redactor::of(&source());
        let page = letters(&[
            (0, "Hello"),
            (1, ""),
            (0, "it is s3cret-pass!"),
            (2, ""),
            (0, "s3cr"),
            (0, " et-p"),
            (0, "ass"),
        ]);
        assert_eq!(rows(&page, &Redactor::default()), [1], "no secret is known");
        assert_eq!(rows(&page, &secrets), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn nothing_is_shown_of_a_page_that_says_too_much_where_secrets_are_known() {
        let page = Letters { all: false, ..letters(&[]) };
        assert_eq!(boxes(&page, &Redactor::of(&source())), [EVERYTHING]);
        assert_eq!(boxes(&page, &Redactor::default()), []);
    }

    /// A white picture of this width, painted over.
    fn painted(width: u32) -> RgbaImage {
        let mut png = Cursor::new(Vec::new());
        RgbaImage::from_pixel(width, 100, Rgba([255, 255, 255, 255])).write_to(&mut png, ImageFormat::Png).unwrap();
        let bounds = Rect { x: 10.0, y: 10.0, width: 20.0, height: 5.0 };
        // Two device pixels for each CSS pixel, and a scroll bar of 15.
        let mask = Mask { scale: 2.0, widths: [100.0, 85.0], boxes: vec![bounds] };
        image::load_from_memory(&paint(png.into_inner(), &mask).unwrap()).unwrap().to_rgba8()
    }

    #[test]
    fn every_pixel_of_a_box_is_painted_and_none_beside_it_with_and_without_a_scroll_bar() {
        for width in [200, 170] {
            let picture = painted(width);
            let is_inked = |x: u32, y: u32| *picture.get_pixel(x, y) == INK;
            assert!((20..=60).all(|x| (20..=30).all(|y| is_inked(x, y))));
            assert!(!is_inked(14, 25) && !is_inked(70, 25) && !is_inked(40, 10) && !is_inked(40, 40));
        }
    }

    #[test]
    fn a_picture_of_another_width_than_its_page_shows_nothing() {
        assert!(painted(120).pixels().all(|pixel| *pixel == INK));
    }
}
