//! Names of keys in people's words.

/// `the enter key` → `Enter`.
pub(super) fn key_name(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let name = lower.trim_start_matches("the ").strip_suffix(" key")?.trim();
    if let Some(key) = pressed_key(name) {
        return Some(key);
    }
    Some(match name {
        // Alone they are more often names of buttons.
        "delete" | "del" => "Delete".into(),
        "space" | "space bar" => "Space".into(),
        "home" => "Home".into(),
        "end" => "End".into(),
        "up" | "down" | "left" | "right" => format!("Arrow{}{}", name[..1].to_uppercase(), &name[1..]),
        other => other.split('+').map(capitalised).collect::<Vec<_>>().join("+"),
    })
}

/// A key that is pressed without being called a key: `press Enter`. Other names are those of buttons.
pub(super) fn pressed_key(text: &str) -> Option<String> {
    let name = match text.trim_end_matches('.').to_lowercase().as_str() {
        "enter" | "return" => "Enter",
        "esc" | "escape" => "Escape",
        "tab" => "Tab",
        "backspace" => "Backspace",
        "spacebar" | "space bar" => "Space",
        "page up" => "PageUp",
        "page down" => "PageDown",
        "up arrow" | "arrow up" => "ArrowUp",
        "down arrow" | "arrow down" => "ArrowDown",
        "left arrow" | "arrow left" => "ArrowLeft",
        "right arrow" | "arrow right" => "ArrowRight",
        other => return chord(other),
    };
    Some(name.to_owned())
}

/// A function key, or keys that are held together: `F5`, `Ctrl+A`.
fn chord(text: &str) -> Option<String> {
    let is_function = |key: &str| {
        key.strip_prefix('f').is_some_and(|number| number.parse::<u8>().is_ok_and(|key| (1..=12).contains(&key)))
    };
    if is_function(text) {
        return Some(text.to_uppercase());
    }
    let (held, key) = text.rsplit_once('+')?;
    let held = held.split('+').map(|key| match key.trim() {
        "ctrl" | "control" | "strg" => Some("Control"),
        "alt" => Some("Alt"),
        "shift" => Some("Shift"),
        "meta" | "cmd" | "command" => Some("Meta"),
        _ => None,
    });
    let held = held.collect::<Option<Vec<_>>>()?;
    let key = key.trim();
    let key = if key.chars().count() == 1 { key.to_uppercase() } else { key_name(&format!("{key} key"))? };
    Some(format!("{}+{key}", held.join("+")))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.trim().chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
