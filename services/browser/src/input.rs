//! Input actions in the form that WebDriver and BiDi share. Pure: builds JSON, sends nothing.
//!
//! Input sources act in ticks; one command can hold a whole click or text, so that an action costs one round trip.

use serde_json::{Value, json};

const CONTROL: char = '\u{E009}';
const DELETE: char = '\u{E017}';

/// Actions of a mouse and a keyboard, tick by tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    mouse: Vec<Value>,
    keys: Vec<Value>,
    wheel: Vec<Value>,
}

impl Input {
    /// An empty sequence.
    pub(crate) fn new() -> Input {
        Input::default()
    }

    fn mouse(mut self, action: Value) -> Input {
        self.mouse.push(action);
        self.keys.push(pause(0));
        self.wheel.push(pause(0));
        self
    }

    fn key(mut self, action: Value) -> Input {
        self.mouse.push(pause(0));
        self.keys.push(action);
        self.wheel.push(pause(0));
        self
    }

    /// Moves the pointer at once.
    pub(crate) fn point(self, x: f64, y: f64) -> Input {
        self.mouse(json!({"type": "pointerMove", "duration": 0, "x": x.round() as i64, "y": y.round() as i64}))
    }

    /// Presses the left button.
    pub(crate) fn press(self) -> Input {
        self.mouse(json!({"type": "pointerDown", "button": 0}))
    }

    /// Releases it.
    pub(crate) fn release(self) -> Input {
        self.mouse(json!({"type": "pointerUp", "button": 0}))
    }

    /// Pauses between two events, for pages that depend on their timing.
    pub(crate) fn rest(self, milliseconds: u32) -> Input {
        self.mouse(pause(milliseconds))
    }

    /// Move, press, release; twice for a double click.
    pub(crate) fn click(self, x: f64, y: f64, count: u8) -> Input {
        (0..count.max(1)).fold(self.point(x, y), |input, _| input.press().release())
    }

    /// Presses at one point, moves to another in steps, stays there for a moment, releases. A page says whether it takes what is dragged
    /// after the pointer has come: released at once, it is not dropped.
    pub(crate) fn drag(self, from: (f64, f64), to: (f64, f64)) -> Input {
        const STEPS: u32 = 8;
        const STAY_MS: u32 = 50;
        let mut input = self.point(from.0, from.1).press();
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            input = input.point(at.0, at.1).rest(15);
        }
        input.point(to.0 + 1.0, to.1).rest(STAY_MS).point(to.0, to.1).rest(STAY_MS).release()
    }

    /// Holds a key down.
    pub(crate) fn down(self, key: char) -> Input {
        self.key(json!({"type": "keyDown", "value": key}))
    }

    /// Releases a key.
    pub(crate) fn up(self, key: char) -> Input {
        self.key(json!({"type": "keyUp", "value": key}))
    }

    /// Presses a key a number of times.
    pub(crate) fn keys(self, key: char, count: usize) -> Input {
        (0..count).fold(self, |input, _| input.down(key).up(key))
    }

    /// Presses keys together: all down in order, all up in reverse.
    pub(crate) fn chord(self, keys: &[char]) -> Input {
        let held = keys.iter().fold(self, |input, key| input.down(*key));
        keys.iter().rev().fold(held, |input, key| input.up(*key))
    }

    /// Selects all and deletes it.
    pub(crate) fn clear(self) -> Input {
        self.chord(&[CONTROL, 'a']).keys(DELETE, 1)
    }

    /// Types text; a line break is Enter.
    pub(crate) fn text(self, text: &str) -> Input {
        text.chars().filter(|character| *character != '\r').fold(self, |input, character| match character {
            '\n' => input.keys('\u{E007}', 1),
            '\t' => input.keys('\u{E004}', 1),
            other => input.keys(other, 1),
        })
    }

    /// Types text with a pause after each key.
    pub(crate) fn text_slowly(self, text: &str, milliseconds: u32) -> Input {
        text.chars().fold(self, |input, character| input.text(character.encode_utf8(&mut [0; 4])).rest(milliseconds))
    }

    /// Turns the wheel over a point.
    pub(crate) fn scroll(mut self, at: (f64, f64), by: (i64, i64)) -> Input {
        self.mouse.push(pause(0));
        self.keys.push(pause(0));
        self.wheel.push(json!({
            "type": "scroll", "x": at.0.round() as i64, "y": at.1.round() as i64, "deltaX": by.0, "deltaY": by.1,
        }));
        self
    }

    /// The command's `actions`; sources without actions are omitted.
    pub(crate) fn actions(self) -> Value {
        let acts = |list: &[Value]| list.iter().any(|action| action["type"] != "pause" || action["duration"] != 0);
        let mut sources = Vec::new();
        if acts(&self.mouse) {
            sources.push(json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": self.mouse}));
        }
        if acts(&self.keys) {
            sources.push(json!({"type": "key", "id": "keyboard", "actions": self.keys}));
        }
        if acts(&self.wheel) {
            sources.push(json!({"type": "wheel", "id": "wheel", "actions": self.wheel}));
        }
        Value::Array(sources)
    }
}

fn pause(milliseconds: u32) -> Value {
    json!({"type": "pause", "duration": milliseconds})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_is_one_source_with_three_actions() {
        let actions = Input::new().click(10.4, 20.0, 1).actions();
        assert_eq!(actions.as_array().unwrap().len(), 1);
        assert_eq!(actions[0]["actions"].as_array().unwrap().len(), 3);
        assert_eq!(actions[0]["actions"][0]["x"], 10);
    }

    #[test]
    fn clicking_and_typing_stay_in_step() {
        let actions = Input::new().click(1.0, 1.0, 1).text("ab").actions();
        assert_eq!(actions[0]["actions"].as_array().unwrap().len(), actions[1]["actions"].as_array().unwrap().len());
        assert_eq!(actions[1]["actions"][0]["type"], "pause");
        assert_eq!(actions[1]["actions"][3]["value"], "a");
    }
}
