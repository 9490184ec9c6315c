//! Pictures for the report: marked, trimmed, small, as data URIs.
//!
//! The stored picture stays as it was taken; marks are drawn on a copy.

use super::view::{Attempt, Pictures, wanted_pictures};
use crate::Error;
use crate::run::DrawMarks;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Rect;
use domain::marks::Mark;
use domain::storage::BlobStore;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, GenericImageView as _, ImageFormat, ImageResult, Rgba};

/// Widest picture in the report, in pixels.
const WIDTH: u32 = 900;
/// Quality of the JPEG coding: legible text at a fifth of the size of the original.
const QUALITY: u8 = 72;
/// What all pictures of a report may take together, in bytes of their data URIs.
const BUDGET: usize = 40 * 1024 * 1024;

/// Reads and shrinks the pictures of the attempts, and says how many were left out to keep the report's size sane.
///
/// # Errors
/// The blob store failed. A picture that is missing or damaged is left out.
pub async fn make(blobs: &dyn BlobStore, attempts: &[Attempt], draw: DrawMarks) -> Result<(Pictures, usize), Error> {
    let mut pictures = Pictures::new();
    let mut left_out = 0;
    let mut size = 0;
    for (index, step, blob) in wanted_pictures(attempts) {
        if size > BUDGET {
            left_out += 1;
            continue;
        }
        let Some(png) = blobs.get(blob).await? else { continue };
        let mark = step.and_then(|step| {
            let bounds = step.action.element()?.bounds;
            Some(Mark { label: step.number.to_string(), bounds })
        });
        match tokio::task::spawn_blocking(move || data_uri(&png, mark, draw, WIDTH)).await {
            Ok(Ok(uri)) => {
                size += uri.len();
                pictures.insert((index, step.map_or(0, |step| step.number)), uri);
            }
            Ok(Err(error)) => tracing::warn!(%error, "a picture is left out of the report"),
            Err(error) => tracing::warn!(%error, "a picture is left out of the report"),
        }
    }
    Ok((pictures, left_out))
}

/// A picture at most `width` pixels wide; `None` when it is damaged.
pub fn small(png: &[u8], width: u32) -> Option<String> {
    data_uri(png, None, |picture, _, _| picture, width).ok()
}

fn data_uri(png: &[u8], mark: Option<Mark>, draw: DrawMarks, width: u32) -> ImageResult<String> {
    let decoded = image::load_from_memory_with_format(png, ImageFormat::Png)?;
    let mut picture = trim(decoded, mark.as_ref().map(|mark| mark.bounds));
    if let Some(mark) = mark {
        picture = DynamicImage::ImageRgba8(draw(picture.to_rgba8(), &[mark], 1.0));
    }
    if picture.width() > width {
        let height = (u64::from(picture.height()) * u64::from(width) / u64::from(picture.width())) as u32;
        picture = picture.resize_exact(width, height.max(1), FilterType::Triangle);
    }
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut jpeg, QUALITY);
    picture.to_rgb8().write_with_encoder(encoder)?;
    Ok(format!("data:image/jpeg;base64,{}", BASE64_STANDARD.encode(jpeg)))
}

/// Cuts away what is empty to the right and at the bottom, so that small pages are not lost on a large canvas.
fn trim(picture: DynamicImage, keep: Option<Rect>) -> DynamicImage {
    const MARGIN: u32 = 12;
    const SMALLEST: u32 = 160;
    let (width, height) = picture.dimensions();
    if width == 0 || height == 0 {
        return picture;
    }
    let empty: Rgba<u8> = picture.get_pixel(width - 1, height - 1);
    let (mut right, mut bottom) = (0, 0);
    for (x, y, pixel) in picture.pixels() {
        if pixel != empty {
            right = right.max(x);
            bottom = bottom.max(y);
        }
    }
    if let Some(bounds) = keep {
        right = right.max(bounds.right().clamp(0.0, f64::from(width)) as u32);
        bottom = bottom.max(bounds.bottom().clamp(0.0, f64::from(height)) as u32);
    }
    let cut = |edge: u32, full: u32| (edge + MARGIN).max(SMALLEST).min(full);
    picture.crop_imm(0, 0, cut(right, width), cut(bottom, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbaImage;

    fn page() -> DynamicImage {
        let mut picture = RgbaImage::from_pixel(1280, 900, Rgba([255, 255, 255, 255]));
        picture.put_pixel(200, 180, Rgba([0, 0, 0, 255]));
        DynamicImage::ImageRgba8(picture)
    }

    #[test]
    fn empty_margins_are_cut_away_and_content_never() {
        let trimmed = trim(page(), None);
        assert_eq!(trimmed.dimensions(), (212, 192));
        let kept = trim(page(), Some(Rect { x: 600.0, y: 10.0, width: 50.0, height: 20.0 }));
        assert_eq!(kept.dimensions(), (662, 192));
    }

    #[test]
    fn a_picture_becomes_a_small_data_uri() {
        let mut png = std::io::Cursor::new(Vec::new());
        page().write_to(&mut png, ImageFormat::Png).expect("encode");
        let uri = data_uri(
            png.get_ref(),
            Some(Mark { label: "1".into(), bounds: Rect { x: 10.0, y: 10.0, width: 30.0, height: 20.0 } }),
            |picture, _, _| picture,
            WIDTH,
        )
        .expect("decodes");
        assert!(uri.starts_with("data:image/jpeg;base64,/9j/"));
        assert!(uri.len() < 30_000, "{}", uri.len());
    }

    #[test]
    fn damaged_pictures_are_an_error_and_no_panic() {
        assert!(data_uri(b"not a picture", None, |picture, _, _| picture, WIDTH).is_err());
    }
}
