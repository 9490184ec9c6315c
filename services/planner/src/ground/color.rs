//! Names of colours, as people use them for what they see. Pure.

/// Whether a word names a colour, and one of the colours of `#rrggbb on #rrggbb` is called so.
pub(crate) fn is_called(colors: &str, word: &str) -> bool {
    let word = if word == "grey" { "gray" } else { word };
    colors.split(" on ").filter_map(rgb).any(|color| name(color) == word || also(color) == word)
}

fn rgb(hex: &str) -> Option<[f64; 3]> {
    let digits = hex.trim().strip_prefix('#')?;
    let channel = |at: usize| digits.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).map(f64::from);
    Some([channel(0)? / 255.0, channel(2)? / 255.0, channel(4)? / 255.0])
}

/// Hue in degrees, saturation and lightness in 0..=1.
fn hsl([red, green, blue]: [f64; 3]) -> (f64, f64, f64) {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (spread, lightness) = (most - least, (most + least) / 2.0);
    if spread == 0.0 {
        return (0.0, 0.0, lightness);
    }
    let saturation = spread / (1.0 - (2.0 * lightness - 1.0).abs()).max(1e-9);
    let sector = if most == red {
        ((green - blue) / spread).rem_euclid(6.0)
    } else if most == green {
        (blue - red) / spread + 2.0
    } else {
        (red - green) / spread + 4.0
    };
    (sector * 60.0, saturation, lightness)
}

fn name(color: [f64; 3]) -> &'static str {
    let (hue, saturation, lightness) = hsl(color);
    if lightness < 0.08 {
        return "black";
    }
    if lightness > 0.95 {
        return "white";
    }
    if saturation < 0.12 {
        return "gray";
    }
    match hue {
        hue if !(12.0..345.0).contains(&hue) => {
            if lightness > 0.7 {
                "pink"
            } else {
                "red"
            }
        }
        hue if hue < 45.0 => {
            if lightness < 0.35 {
                "brown"
            } else {
                "orange"
            }
        }
        hue if hue < 70.0 => {
            if lightness < 0.3 {
                "olive"
            } else {
                "yellow"
            }
        }
        hue if hue < 165.0 => "green",
        hue if hue < 195.0 => {
            if lightness < 0.35 {
                "teal"
            } else {
                "cyan"
            }
        }
        hue if hue < 255.0 => "blue",
        hue if hue < 290.0 => "purple",
        hue if hue < 330.0 => {
            if lightness < 0.35 {
                "purple"
            } else {
                "magenta"
            }
        }
        _ => "pink",
    }
}

/// Another name in use for the same colour.
fn also(color: [f64; 3]) -> &'static str {
    let (hue, saturation, lightness) = hsl(color);
    match name(color) {
        "magenta" if lightness > 0.6 => "pink",
        "magenta" => "fuchsia",
        "cyan" => "aqua",
        "purple" => "violet",
        "green" if lightness > 0.4 && (80.0..150.0).contains(&hue) && saturation > 0.8 => "lime",
        "blue" if lightness < 0.3 => "navy",
        "red" if lightness < 0.3 => "maroon",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_css_colours_are_called_by_their_names() {
        for (hex, name) in [
            ("#ff0000", "red"),
            ("#ffa500", "orange"),
            ("#ffff00", "yellow"),
            ("#008000", "green"),
            ("#0000ff", "blue"),
            ("#800080", "purple"),
            ("#ffc0cb", "pink"),
            ("#000000", "black"),
            ("#ffffff", "white"),
            ("#808080", "grey"),
            ("#00ffff", "cyan"),
        ] {
            assert!(is_called(hex, name), "{hex} is {name}");
        }
        assert!(is_called("#000000 on #ff0000", "red"));
        assert!(!is_called("#0000ff", "red"));
    }
}
