//! Counting tokens by a real tokenizer.

/// Bytes of a text that are counted; a longer one has as many in each further part as in this one.
const COUNTED: usize = 50_000;

/// Tokens of a text.
pub(super) fn of(text: &str) -> u64 {
    let counted = &text[..text.floor_char_boundary(COUNTED)];
    let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(counted).len();
    (tokens as u64 * text.len() as u64).div_ceil(counted.len().max(1) as u64)
}

/// Tokens of a picture: 85 and 170 for each tile of 512 × 512, after fitting it into 2048 × 2048 and its shorter side
/// into 768.
pub(super) fn of_picture((width, height): &(u32, u32)) -> u64 {
    let (width, height) = (f64::from(*width), f64::from(*height));
    let fit = (2048.0 / width.max(height)).min(1.0);
    let (width, height) = (width * fit, height * fit);
    let shrink = (768.0 / width.min(height)).min(1.0);
    let tiles = (width * shrink / 512.0).ceil() * (height * shrink / 512.0).ceil();
    85 + 170 * tiles as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_cost_what_the_provider_publishes() {
        assert_eq!(of_picture(&(1024, 1024)), 765);
        assert_eq!(of_picture(&(2048, 4096)), 1105);
        assert_eq!(of_picture(&(160, 210)), 255);
    }

    #[test]
    fn text_is_counted_by_the_tokenizer() {
        assert_eq!(of("hello world"), 2);
    }
}
