//! The training phase: what is kept of the trials of a task, when it ends, and which state of it is frozen (HxAgent, Algorithms 1
//! and 2). Pure: trials are made and judged elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the training; the defaults are the published ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingOptions {
    /// Trials of a task at most.
    pub trials: usize,
    /// The last so many trials are the moving average's; all of them where there are fewer.
    pub window: usize,
    /// The moving average above which the training of a task ends early.
    pub stop_above: f64,
    /// Successful trials that are kept at most.
    pub max_examples: usize,
    /// Whether rules are extracted from failures (an ablation of the paper).
    pub rules: bool,
}

impl Default for TrainingOptions {
    fn default() -> Self {
        Self { trials: 20, window: 10, stop_above: 0.9, max_examples: 8, rules: true }
    }
}

/// A trial that was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "judged", rename_all = "snake_case")]
pub enum Trial {
    /// It was right.
    Right {
        /// Its steps as text.
        example: String,
    },
    /// It was wrong.
    Wrong {
        /// The rule that was extracted from it; none where none could be had.
        rule: Option<String>,
    },
    /// Nobody could say: it teaches nothing and does not count for the average.
    Unjudged {
        /// Why.
        cause: String,
    },
}

/// What was learnt so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lessons {
    /// Successful trials.
    pub examples: Vec<String>,
    /// Rules extracted from failures.
    pub rules: Vec<String>,
}

/// The state of a training that is used at evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// How many trials led to it.
    pub after: usize,
    /// The moving average then; none where no trial was judged.
    pub average: Option<f64>,
    /// What was learnt until then.
    pub lessons: Lessons,
}

/// The training of one task.
#[derive(Clone, Debug)]
pub struct Training {
    options: TrainingOptions,
    made: usize,
    judged: Vec<bool>,
    averages: Vec<f64>,
    lessons: Lessons,
    best: Snapshot,
}

impl Training {
    /// Nothing is learnt yet.
    pub fn new(options: TrainingOptions) -> Self {
        let best = Snapshot { after: 0, average: None, lessons: Lessons::default() };
        Self { options, made: 0, judged: Vec::new(), averages: Vec::new(), lessons: Lessons::default(), best }
    }

    /// The training after these trials.
    pub fn after<'a>(options: TrainingOptions, trials: impl IntoIterator<Item = &'a Trial>) -> Self {
        let mut training = Self::new(options);
        for trial in trials {
            training.learn(trial);
        }
        training
    }

    /// Takes what a trial teaches. A trial beyond the end of the training teaches nothing.
    pub fn learn(&mut self, trial: &Trial) {
        if self.is_over() {
            return;
        }
        self.made += 1;
        match trial {
            Trial::Right { example } => {
                self.judged.push(true);
                if self.lessons.examples.len() < self.options.max_examples {
                    add_new(&mut self.lessons.examples, example);
                }
            }
            Trial::Wrong { rule } => {
                self.judged.push(false);
                if let (true, Some(rule)) = (self.options.rules, rule) {
                    add_new(&mut self.lessons.rules, rule);
                }
            }
            Trial::Unjudged { .. } => return,
        }
        let Some(average) = self.average() else { return };
        self.averages.push(average);
        // Of equal averages the later one knows more.
        if self.best.average.is_none_or(|best| average >= best) {
            self.best = Snapshot { after: self.made, average: Some(average), lessons: self.lessons.clone() };
        }
    }

    /// The share of right trials among the last ones; none until as many are judged as it is taken over.
    pub fn average(&self) -> Option<f64> {
        let window = self.window();
        let last = self.judged.len().checked_sub(window).and_then(|from| self.judged.get(from..))?;
        let right = last.iter().filter(|right| **right).count();
        (window > 0).then(|| right as f64 / window as f64)
    }

    /// Whether no further trial is made: all are made, or the average is high enough.
    pub fn is_over(&self) -> bool {
        self.made >= self.options.trials || self.average().is_some_and(|average| average > self.options.stop_above)
    }

    /// How many trials were made, those that nobody could judge included.
    pub fn made(&self) -> usize {
        self.made
    }

    /// How many of the judged trials were right, and how many were judged.
    pub fn tally(&self) -> (usize, usize) {
        (self.judged.iter().filter(|right| **right).count(), self.judged.len())
    }

    /// The moving average after each trial that it could be told of.
    pub fn averages(&self) -> &[f64] {
        &self.averages
    }

    /// What is shown at the next trial.
    pub fn lessons(&self) -> &Lessons {
        &self.lessons
    }

    /// What is used at evaluation: the state with the highest moving average, the latest of equals. Where too few trials were
    /// judged for an average, it is the last state.
    pub fn frozen(&self) -> Snapshot {
        match self.best.average {
            Some(_) => self.best.clone(),
            None => {
                let (right, judged) = self.tally();
                let average = (judged > 0).then(|| right as f64 / judged as f64);
                Snapshot { after: self.made, average, lessons: self.lessons.clone() }
            }
        }
    }

    fn window(&self) -> usize {
        self.options.window.min(self.options.trials)
    }
}

/// Whether two texts say the same but for case, spaces and punctuation.
pub(super) fn says_the_same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|letter: char| !letter.is_alphanumeric());
        split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    words(one) == words(other)
}

fn add_new(texts: &mut Vec<String>, text: &str) {
    if !texts.iter().any(|there| says_the_same(there, text)) {
        texts.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(number: usize) -> Trial {
        Trial::Right { example: format!("example {number}") }
    }

    fn wrong(rule: &str) -> Trial {
        Trial::Wrong { rule: Some(rule.to_owned()) }
    }

    fn after(trials: &[Trial]) -> Training {
        Training::after(TrainingOptions::default(), trials)
    }

    #[test]
    fn at_most_eight_examples_are_kept_and_equal_ones_and_equal_rules_once() {
        let mut trials: Vec<Trial> = (1..=9).map(right).collect();
        trials.splice(1..1, [right(1), wrong("Choose a day first."), wrong("choose a day, first")]);
        let training = after(&trials);
        assert_eq!(training.lessons().examples.len(), 8);
        assert_eq!(training.lessons().examples[0], "example 1");
        assert_eq!(training.lessons().rules, ["Choose a day first."]);
    }

    #[test]
    fn training_ends_early_once_the_moving_average_exceeds_nine_in_ten_and_not_before_ten_trials() {
        let nine: Vec<Trial> = (1..=9).map(right).collect();
        assert!(!after(&nine).is_over());
        assert_eq!(after(&nine).average(), None);
        let ten: Vec<Trial> = (1..=10).map(right).collect();
        assert!(after(&ten).is_over());
        let mut with_one_wrong = nine.clone();
        with_one_wrong.push(wrong("x"));
        assert_eq!(after(&with_one_wrong).average(), Some(0.9));
        assert!(!after(&with_one_wrong).is_over(), "0.9 does not exceed 0.9");
    }

    #[test]
    fn training_ends_after_its_trials_and_learns_nothing_more() {
        let wrongs: Vec<Trial> = (0..25).map(|number| wrong(&format!("rule {number}"))).collect();
        let training = after(&wrongs);
        assert!(training.is_over());
        assert_eq!((training.made(), training.lessons().rules.len()), (20, 20));
    }

    #[test]
    fn the_state_with_the_highest_average_is_frozen_and_of_equal_ones_the_latest() {
        let mut trials: Vec<Trial> = (1..=4).map(|number| wrong(&format!("rule {number}"))).collect();
        trials.extend((1..=6).map(right));
        trials.push(wrong("rule 5"));
        trials.extend((1..=9).map(|number| wrong(&format!("late {number}"))));
        let training = after(&trials);
        // After ten trials six of ten were right; the eleventh dropped a wrong one and added one.
        assert_eq!(training.averages()[..3], [0.6, 0.6, 0.6]);
        let frozen = training.frozen();
        assert_eq!((frozen.after, frozen.average), (14, Some(0.6)));
        assert_eq!(frozen.lessons.rules.last().map(String::as_str), Some("late 3"));
        assert_eq!(training.lessons().rules.len(), 14, "the last state knows more and did worse");
    }

    #[test]
    fn what_nobody_could_judge_is_no_trial_of_the_average() {
        let unjudged = Trial::Unjudged { cause: "no check".into() };
        let training = after(&[right(1), unjudged, wrong("x")]);
        assert_eq!((training.made(), training.tally()), (3, (1, 2)));
        assert_eq!(training.frozen(), Snapshot { after: 3, average: Some(0.5), lessons: training.lessons().clone() });
    }

    #[test]
    fn fewer_trials_than_the_window_are_averaged_over_all_of_them() {
        let options = TrainingOptions { trials: 3, ..TrainingOptions::default() };
        let training = Training::after(options, &[wrong("x"), right(1), right(2)]);
        assert_eq!(training.frozen().average, Some(2.0 / 3.0));
    }

    #[test]
    fn without_rules_failures_teach_nothing() {
        let options = TrainingOptions { rules: false, ..TrainingOptions::default() };
        let training = Training::after(options, &[wrong("x")]);
        assert_eq!((training.lessons().rules.len(), training.tally()), (0, (0, 1)));
    }
}
