//! What goes to stdout and stderr. Nothing of a page commands a terminal: what could is spelled out.

use crate::exit::{Exit, OrExit, Outcome};
use anyhow::Context as _;
use domain::text::{commands_terminals, spelled};
use serde::Serialize;
use std::io::Write as _;

/// Prints one JSON object. What commands terminals is escaped, as JSON can be in any text.
pub(crate) fn json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).context("encode JSON").or_exit(Exit::Internal)?;
    write(&escaped(&text))
}

/// Prints a failure as one JSON object, for those who read nothing else: `{"error": {"kind": …, "exit": …, "message": …}}`.
pub(crate) fn failure(exit: Exit, message: &str) -> Outcome<()> {
    let kind = format!("{exit:?}").to_lowercase();
    json(&serde_json::json!({"error": {"kind": kind, "exit": exit.code(), "message": message.trim()}}))
}

/// Prints text. A reader that went away (`| head`) is no error.
pub(crate) fn text_out(text: &str) -> Outcome<()> {
    write(&spelled(text))
}

/// Says a line on stderr, by the rules of `format!`.
macro_rules! note {
    ($($part:tt)*) => { $crate::print::line(&format!($($part)*)) };
}
pub(crate) use note;

/// Says a line on stderr. Nobody may be there to read it.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", spelled(text));
}

fn write(text: &str) -> Outcome<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("write to stdout").or_exit(Exit::Storage)
        }
        _ => Ok(()),
    }
}

/// JSON in which those characters are escaped that JSON allows in texts and terminals obey.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for sign in json.chars() {
        match commands_terminals(sign) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(sign))),
            false => text.push(sign),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_says_the_same() {
        let value = serde_json::json!({"text": "a\u{202e}b\u{9b}c\u{1b}d \u{2028}", "\u{200f}": 1});
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.contains(commands_terminals), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
