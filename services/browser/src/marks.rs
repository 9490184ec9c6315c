//! Draws numbered marks on a screenshot, for people and vision models. It draws on the picture and never changes the
//! page.

use domain::decision::Screenshot;
use domain::marks::{Mark, Marker};
use embedded_graphics::geometry::{OriginDimensions, Point, Size};
use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::FONT_8X13_BOLD;
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, Drawable, Pixel, Primitive};
use embedded_graphics::primitives::{PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Baseline, Text};
use image::{ImageFormat, Rgba, RgbaImage};
use std::convert::Infallible;
use std::io::Cursor;

/// Why marks could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("draw marks: {0}")]
pub struct Unreadable(#[from] image::ImageError);

/// Colours in turn, so that neighbours differ; dark enough for white text.
const COLORS: [Rgb888; 6] = [
    Rgb888::new(200, 30, 60),
    Rgb888::new(20, 90, 180),
    Rgb888::new(10, 120, 60),
    Rgb888::new(140, 50, 150),
    Rgb888::new(160, 90, 0),
    Rgb888::new(0, 110, 120),
];

/// Draws marks on pictures of pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks;

impl Marker for Marks {
    fn draw(&self, screenshot: &Screenshot, marks: &[Mark]) -> Result<Vec<u8>, String> {
        draw(screenshot, marks).map_err(|error| error.to_string())
    }
}

/// Draws the marks and answers a new PNG.
///
/// # Errors
/// [`Unreadable`] when the screenshot is no PNG.
pub fn draw(screenshot: &Screenshot, marks: &[Mark]) -> Result<Vec<u8>, Unreadable> {
    let picture = image::load_from_memory_with_format(&screenshot.png, ImageFormat::Png)?.to_rgba8();
    let mut png = Cursor::new(Vec::new());
    draw_on(picture, marks, screenshot.scale).write_to(&mut png, ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// Draws the marks on a decoded picture of `scale` device pixels per CSS pixel.
pub fn draw_on(picture: RgbaImage, marks: &[Mark], scale: f64) -> RgbaImage {
    let mut canvas = Canvas(picture);
    for (mark, color) in marks.iter().zip(COLORS.iter().cycle()) {
        canvas.mark(mark, *color, scale);
    }
    canvas.0
}

struct Canvas(RgbaImage);

impl Canvas {
    fn mark(&mut self, mark: &Mark, color: Rgb888, scale: f64) {
        let pixels = |css: f64| (css * scale).round() as i32;
        let corner = Point::new(pixels(mark.bounds.x), pixels(mark.bounds.y));
        let side = |css: f64| u32::try_from(pixels(css)).unwrap_or(0).max(1);
        let frame = Rectangle::new(corner, Size::new(side(mark.bounds.width), side(mark.bounds.height)));
        let Ok(()) = frame.into_styled(PrimitiveStyle::with_stroke(color, 2)).draw(self);

        // The label stands above the box, or within it where there is no room above.
        let size = Size::new(FONT_8X13_BOLD.character_size.width * mark.label.len() as u32 + 4, 14);
        let room = corner.y >= size.height as i32;
        let at = if room { corner - Point::new(0, size.height as i32) } else { corner };
        let at = at.component_max(Point::zero());
        let Ok(()) = Rectangle::new(at, size).into_styled(PrimitiveStyle::with_fill(color)).draw(self);
        let style = MonoTextStyle::new(&FONT_8X13_BOLD, Rgb888::WHITE);
        let text = Text::with_baseline(&mark.label, at + Point::new(2, 0), style, Baseline::Top);
        let Ok(_) = text.draw(self);
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.0.width(), self.0.height())
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(at, color) in pixels {
            if let (Ok(x), Ok(y)) = (u32::try_from(at.x), u32::try_from(at.y))
                && let Some(pixel) = self.0.get_pixel_mut_checked(x, y)
            {
                *pixel = Rgba([color.r(), color.g(), color.b(), 255]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Rect;

    fn white() -> Screenshot {
        let mut png = Cursor::new(Vec::new());
        RgbaImage::from_pixel(60, 60, Rgba([255; 4])).write_to(&mut png, ImageFormat::Png).unwrap();
        Screenshot { png: png.into_inner().into(), scale: 2.0 }
    }

    fn mark(x: f64, y: f64) -> Mark {
        Mark { label: "7".into(), bounds: Rect { x, y, width: 10.0, height: 8.0 } }
    }

    #[test]
    fn a_mark_is_drawn_around_its_box_in_device_pixels() {
        let drawn = image::load_from_memory(&draw(&white(), &[mark(10.0, 15.0)]).unwrap()).unwrap().to_rgba8();
        assert_ne!(drawn.get_pixel(20, 40).0, [255; 4], "the left edge");
        assert_eq!(drawn.get_pixel(30, 38).0, [255; 4], "the inside stays as it was");
        assert_ne!(drawn.get_pixel(21, 18).0, [255; 4], "the label above");
    }

    #[test]
    fn marks_beyond_the_picture_are_cut_and_do_no_harm() {
        assert!(draw(&white(), &[mark(-20.0, -3.0), mark(500.0, 500.0)]).is_ok());
    }

    #[test]
    fn what_is_no_picture_is_an_error() {
        let screenshot = Screenshot { png: vec![1, 2, 3].into(), scale: 1.0 };
        assert!(draw(&screenshot, &[]).is_err());
    }
}
