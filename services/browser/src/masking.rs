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
    /// CSS pixels from the left to the right of the picture.
    width: f64,
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
const INK: Rgba<u8> = Rgba([40, 40, 40, 255]);
const EVERYTHING: Rect = Rect { x: 0.0, y: 0.0, width: 1e6, height: 1e6 };

impl Letter {
    fn bounds(&self) -> Rect {
        Rect { x: self.2, y: self.3, width: self.4, height: self.5 }
    }
}

/// The boxes to be painted over: everything, where secrets are known and the page could not be read to its end.
pub(crate) fn boxes(letters: &Letters, secrets: &Redactor) -> Vec<Rect> {
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
pub(crate) fn paint(png: Vec<u8>, width: f64, boxes: &[Rect]) -> Result<Vec<u8>, String> {
    if boxes.is_empty() {
        return Ok(png);
    }
    let picture = image::load_from_memory_with_format(&png, ImageFormat::Png).map_err(|error| error.to_string())?;
    let mut picture = picture.to_rgba8();
    let scale = if width > 0.0 { f64::from(picture.width()) / width } else { 1.0 };
    boxes.iter().for_each(|bounds| fill(&mut picture, bounds, scale));
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
    /// CSS pixels from the left to the right of the picture.
    pub(crate) fn width(&self) -> f64 {
        self.width
    }

    /// What a page shows that could not be asked: nobody knows.
    pub(crate) fn unknown() -> Letters {
        Letters { width: 0.0, all: false, texts: Vec::new() }
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
        serde_json::from_value(json!({"width": 100.0, "all": true, "texts": texts})).unwrap()
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

    #[test]
    fn every_pixel_of_a_box_is_painted_and_none_beside_it() {
        let mut png = Cursor::new(Vec::new());
        RgbaImage::from_pixel(200, 100, Rgba([255, 255, 255, 255])).write_to(&mut png, ImageFormat::Png).unwrap();
        let bounds = Rect { x: 10.0, y: 10.0, width: 20.0, height: 5.0 };
        let painted = paint(png.into_inner(), 100.0, &[bounds]).unwrap();
        let picture = image::load_from_memory(&painted).unwrap().to_rgba8();
        let is_inked = |x: u32, y: u32| *picture.get_pixel(x, y) == INK;
        // Two device pixels for each CSS pixel.
        assert!((20..=60).all(|x| (20..=30).all(|y| is_inked(x, y))));
        assert!(!is_inked(14, 25) && !is_inked(70, 25) && !is_inked(40, 10) && !is_inked(40, 40));
    }
}
