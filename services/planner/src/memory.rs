//! The sequence memory: the steps of an attempt in words, within a window (HxAgent, the sequence-actions memory).

use domain::text::shorten;
use domain::words::{self, Detail};
use domain::{DecisionRequest, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of the steps so far is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryOptions {
    /// Which of the steps so far are shown.
    pub window: Window,
    /// Characters of each earlier state that are shown; 0 for the steps alone.
    pub state_characters: usize,
    /// Whether the planner is shown why it took each step, in its own words.
    pub reasons: bool,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self { window: Window::All, state_characters: 160, reasons: false }
    }
}

/// Which steps are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// Every step so far.
    #[default]
    All,
    /// The last so many steps.
    Last(u32),
    /// None (an ablation).
    None,
}

impl Window {
    /// The steps within the window.
    pub fn of(self, history: &[Step]) -> &[Step] {
        let shown = match self {
            Window::All => history.len(),
            Window::Last(steps) => history.len().min(steps as usize),
            Window::None => 0,
        };
        &history[history.len() - shown..]
    }
}

/// The sequence memory as text: every `STATE #i` and `STEP #i` within the window.
pub fn sequence(history: &[Step], options: &MemoryOptions) -> Vec<String> {
    let mut before = "";
    options
        .window
        .of(history)
        .iter()
        .flat_map(|step| {
            let state = if step.summary == before {
                "as before".to_owned()
            } else {
                shorten(&format!("{} {}", step.title, step.summary), options.state_characters)
            };
            before = &step.summary;
            let number = step.number;
            let why = Some(shorten(&step.reason, REASON)).filter(|why| options.reasons && !why.is_empty());
            let why = why.map(|why| format!(", because: {why}")).unwrap_or_default();
            let told = words::step(step, &Detail::BRIEF) + &why;
            let state = (options.state_characters > 0).then(|| format!("STATE #{number}: {}", state.trim()));
            state.into_iter().chain([format!("STEP #{number}: {told}")])
        })
        .collect()
}

/// Characters of a step's reason that are shown.
const REASON: usize = 160;
/// Characters of a refusal that are shown.
const REFUSAL: usize = 200;

/// Why the last decision was not carried out, as the last line of the memory.
pub fn not_done(request: &DecisionRequest) -> Option<String> {
    request.refusal.as_ref().map(|refusal| format!("NOT DONE: {}", shorten(refusal, REFUSAL)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::decision::Level;
    use domain::observation::Stamp;
    use domain::{Action, Effect, Usage};

    fn step(number: u32, summary: &str) -> Step {
        Step {
            number,
            stamp: Stamp::default(),
            url: String::new(),
            title: "Shop".into(),
            summary: summary.into(),
            action: Action::Back,
            reason: String::new(),
            confidence: 0.5,
            level: Level::Reason,
            effect: Effect::NoChange,
            usage: Usage::default(),
            decide_ms: 0.0,
            act_ms: 0.0,
            at_ms: 0.0,
            difference: Default::default(),
            requests: Vec::new(),
            faults: Vec::new(),
            incidents: Vec::new(),
            screenshot: None,
        }
    }

    #[test]
    fn each_step_is_a_state_and_an_action_and_an_equal_state_is_not_told_again() {
        let history = [step(1, "a long list of goods"), step(2, "a long list of goods"), step(3, "a cart")];
        let told = sequence(&history, &MemoryOptions { state_characters: 11, ..MemoryOptions::default() });
        let expected = [
            "STATE #1: Shop a long…",
            "STEP #1: go back -> nothing changed",
            "STATE #2: as before",
            "STEP #2: go back -> nothing changed",
            "STATE #3: Shop a cart",
            "STEP #3: go back -> nothing changed",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn its_own_reasons_are_shown_where_they_are_asked_for() {
        let history = [Step { reason: "the cart is elsewhere".into(), ..step(1, "") }];
        let options = MemoryOptions { state_characters: 0, reasons: true, ..MemoryOptions::default() };
        assert_eq!(
            sequence(&history, &options),
            ["STEP #1: go back -> nothing changed, because: the cart is elsewhere"]
        );
        assert_eq!(
            sequence(&history, &MemoryOptions { reasons: false, ..options }),
            ["STEP #1: go back -> nothing changed"]
        );
    }

    #[test]
    fn the_window_keeps_the_last_steps_with_their_numbers() {
        let history: Vec<Step> = (1..=5).map(|number| step(number, "")).collect();
        let numbers = |window: Window| window.of(&history).iter().map(|step| step.number).collect::<Vec<_>>();
        assert_eq!(numbers(Window::All), [1, 2, 3, 4, 5]);
        assert_eq!(numbers(Window::Last(2)), [4, 5]);
        assert_eq!(numbers(Window::Last(9)), [1, 2, 3, 4, 5]);
        assert_eq!(numbers(Window::None), Vec::<u32>::new());
    }
}
