//! Key names of the UI Events specification as the code points of WebDriver. Pure.

/// The code point of a key name; a single character stands for itself.
pub(crate) fn code(name: &str) -> Option<char> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Some(only);
    }
    let code = match name.to_ascii_lowercase().as_str() {
        "cancel" => '\u{E001}',
        "backspace" => '\u{E003}',
        "tab" => '\u{E004}',
        "enter" | "return" => '\u{E007}',
        "shift" => '\u{E008}',
        "control" | "ctrl" => '\u{E009}',
        "alt" | "option" => '\u{E00A}',
        "pause" => '\u{E00B}',
        "escape" | "esc" => '\u{E00C}',
        "space" | "spacebar" => ' ',
        "pageup" => '\u{E00E}',
        "pagedown" => '\u{E00F}',
        "end" => '\u{E010}',
        "home" => '\u{E011}',
        "arrowleft" | "left" => '\u{E012}',
        "arrowup" | "up" => '\u{E013}',
        "arrowright" | "right" => '\u{E014}',
        "arrowdown" | "down" => '\u{E015}',
        "insert" => '\u{E016}',
        "delete" | "del" => '\u{E017}',
        "plus" => '+',
        "meta" | "command" | "cmd" => '\u{E03D}',
        function => {
            let number: u32 = function.strip_prefix('f')?.parse().ok()?;
            if !(1..=12).contains(&number) {
                return None;
            }
            char::from_u32(0xE030 + number)?
        }
    };
    Some(code)
}

/// The chords of a sequence such as `ArrowDown ArrowDown Enter`, with blanks between them.
///
/// # Errors
/// The name that is no key.
pub(crate) fn chords(keys: &str) -> Result<Vec<Vec<char>>, String> {
    match keys.trim() {
        "" => Ok(vec![chord(keys)?]),
        keys => keys.split_whitespace().map(chord).collect(),
    }
}

/// The keys of a chord such as `Control+A`; `Control++` presses plus.
fn chord(keys: &str) -> Result<Vec<char>, String> {
    let spelled = match keys.strip_suffix("++") {
        Some(start) => format!("{start}+plus"),
        None if keys == "+" => "plus".to_owned(),
        None => keys.to_owned(),
    };
    let mut codes = spelled
        .split('+')
        .map(|name| code(name.trim()).filter(|_| !name.is_empty()).ok_or_else(|| name.to_owned()))
        .collect::<Result<Vec<char>, String>>()?;
    // `Control+A` names the key by its capital: without Shift it is the small letter that is pressed.
    if codes.len() > 1
        && !codes.contains(&'\u{E008}')
        && let Some(last) = codes.last_mut()
    {
        *last = last.to_ascii_lowercase();
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_holds_its_modifiers_and_the_small_letter() {
        assert_eq!(chord("Control+A"), Ok(vec!['\u{E009}', 'a']));
        assert_eq!(chord("Control+Shift+ArrowLeft"), Ok(vec!['\u{E009}', '\u{E008}', '\u{E012}']));
    }

    #[test]
    fn chords_of_a_sequence_stand_between_blanks() {
        assert_eq!(chords("Control+A  Delete"), Ok(vec![vec!['\u{E009}', 'a'], vec!['\u{E017}']]));
        assert_eq!(chords("Tab Foo"), Err("Foo".to_owned()));
        assert!(chords(" ").is_err());
    }

    #[test]
    fn plus_can_be_pressed_alone_and_in_a_chord() {
        assert_eq!(chord("+"), Ok(vec!['+']));
        assert_eq!(chord("Control++"), Ok(vec!['\u{E009}', '+']));
    }

    #[test]
    fn an_unknown_key_is_named_in_the_error() {
        assert_eq!(chord("Control+Foo"), Err("Foo".to_owned()));
    }
}
