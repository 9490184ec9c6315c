//! What prompts show that can be done, and which of it an action of gold means.

use domain::{Action, Descriptor, Locator};
use planner::page::{kind_of, read_back};
use serde_json::{Map, Value};

/// How many steps the memory shows to have been taken: the highest `STEP #n`.
pub(super) fn steps_taken(prompt: &str) -> usize {
    let numbers = prompt.lines().filter_map(|line| line.strip_prefix("STEP #")?.split(':').next()?.parse().ok());
    numbers.max().unwrap_or(0)
}

/// The steps that the memory shows, each with its number and in words; it may leave out the first ones.
pub(super) fn steps_told(prompt: &str) -> impl Iterator<Item = (usize, &str)> {
    prompt.lines().filter_map(|line| {
        let (number, told) = line.strip_prefix("STEP #")?.split_once(": ")?;
        Some((number.parse().ok()?, told))
    })
}

/// What a prompt shows that can be done.
pub(super) fn listed(prompt: &str) -> Vec<Map<String, Value>> {
    read_back(prompt)
}

pub(super) fn option_numbers(prompt: &str, options: &[String]) -> Vec<u64> {
    let lines = prompt.lines().skip_while(|line| !line.starts_with("CHOSEN "));
    let numbered = lines.filter_map(|line| {
        let (number, label) = line.split_once(": ")?;
        Some((number.parse::<u64>().ok()?, label))
    });
    numbered.filter(|(_, label)| options.iter().any(|option| option == label)).map(|(number, _)| number).collect()
}

/// The number of the line and operation that a gold action means.
pub(super) fn number(lines: &[Map<String, Value>], action: &Action<Descriptor>) -> Option<u64> {
    let general = |key: &str| lines.iter().find_map(|line| line.get(key)?.as_u64());
    match action {
        Action::Click { element: target, .. } => element(lines, target, &["click", "check", "uncheck", "type"]),
        Action::Type { element: target, .. } => element(lines, target, &["type"]),
        Action::Select { element: target, .. } => element(lines, target, &["select"]),
        Action::Check { element: target, checked: true } => element(lines, target, &["check", "click"]),
        Action::Check { element: target, checked: false } => element(lines, target, &["uncheck", "click"]),
        Action::Hover { element: target } => element(lines, target, &["hover"]),
        Action::Drag { element: target, .. } => element(lines, target, &["drag"]),
        Action::Scroll { element: Some(target), direction } => {
            element(lines, target, &[&format!("scroll {direction:?} in").to_lowercase()])
        }
        Action::Scroll { element: None, direction } => general(&format!("scroll {direction:?}").to_lowercase()),
        Action::Press { .. } => general("press keys"),
        Action::Goto { .. } => general("open address"),
        Action::Back => general("go back"),
        Action::Forward => general("go forward"),
        Action::NewTab => general("open tab"),
        Action::CloseTab => general("close tab"),
        Action::Wait { .. } => general("wait"),
        Action::AcceptDialog { .. } => general("accept dialog"),
        Action::DismissDialog => general("dismiss dialog"),
        Action::SwitchTab { .. } => lines
            .iter()
            .flat_map(Map::iter)
            .find_map(|(key, value)| key.starts_with("switch to tab").then(|| value.as_u64()).flatten()),
        Action::Upload { .. } | Action::Stop { .. } => None,
    }
}

/// The number of an operation (of any, where none is named) on the line that fits a descriptor best.
pub(super) fn element(lines: &[Map<String, Value>], target: &Descriptor, operations: &[&str]) -> Option<u64> {
    let operation = |line: &Map<String, Value>| {
        if operations.is_empty() {
            return line.values().find_map(Value::as_u64);
        }
        operations.iter().find_map(|operation| line.get(*operation)?.as_u64())
    };
    let fitting = lines.iter().filter_map(|line| Some((fit(line, target)?, operation(line)?)));
    let mut best: Option<(u32, u64)> = None;
    for (fit, number) in fitting {
        if best.is_none_or(|(before, _)| fit > before) {
            best = Some((fit, number));
        }
    }
    best.map(|(_, number)| number)
}

/// How well a line fits a descriptor; none where it contradicts it.
fn fit(line: &Map<String, Value>, target: &Descriptor) -> Option<u32> {
    let told = |key: &str| line.get(key).and_then(Value::as_str);
    if told("tag").is_some_and(|tag| tag != target.tag) {
        return None;
    }
    if told("kind")
        .is_some_and(|kind| kind != target.role && kind != kind_of(&target.tag, told("input").unwrap_or_default()))
    {
        return None;
    }
    let mut fit = 0;
    for locator in &target.locators {
        let (key, expected, weight) = match locator {
            Locator::XPath { path } => ("xpath", path.as_str(), 100),
            Locator::Css { selector } => match selector.strip_prefix('#') {
                Some(id) => ("id", id, 20),
                None => continue,
            },
            Locator::Role { name, .. } => ("text", name.as_str(), 10),
            Locator::Text { text, .. } if target.name.is_empty() => ("text", text.as_str(), 10),
            Locator::Label { text } => ("context", text.as_str(), 1),
            Locator::Text { .. } | Locator::TestId { .. } => continue,
        };
        match told(key) {
            Some(text) if same(text, expected) => fit += weight,
            Some(_) if weight > 1 => return None,
            _ => {}
        }
    }
    Some(fit)
}

/// Equal but for folded white space and a cut that the prompt marks by `…`.
fn same(told: &str, expected: &str) -> bool {
    let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
    match told.strip_suffix('…') {
        Some(start) => expected.starts_with(start.trim_end()),
        None => told == expected,
    }
}
