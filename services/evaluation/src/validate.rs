//! Validates checks when they are loaded: finds those that could never decide anything. Pure.

use crate::checks::compares_nothing;
use crate::text::compile;
use domain::task::{Check, ElementCheck, FaultCheck, TextMatch};
use domain::text::fold;

/// A mistake in a check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {cause}; {hint}")]
pub struct Problem {
    /// Where in the check, e.g. `check.all[1].url`.
    pub path: String,
    /// What is wrong.
    pub cause: String,
    /// What to do.
    pub hint: String,
}

/// Validates a check.
///
/// # Errors
/// Every mistake found, in the order of the check.
pub fn validate(check: &Check) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    visit(check, "check", &mut problems);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn visit(check: &Check, path: &str, problems: &mut Vec<Problem>) {
    match check {
        Check::Url(wanted) => text(wanted, &format!("{path}.url"), problems),
        Check::Text(wanted) => text(wanted, &format!("{path}.text"), problems),
        Check::Answer(wanted) => text(wanted, &format!("{path}.answer"), problems),
        Check::Element(wanted) => element(wanted, &format!("{path}.element"), problems),
        Check::Value(wanted) => {
            element(&wanted.of, &format!("{path}.value.of"), problems);
            text(&wanted.is, &format!("{path}.value.is"), problems);
        }
        Check::Request(wanted) => text(&wanted.url, &format!("{path}.request.url"), problems),
        Check::Fault(FaultCheck { message, source, at, .. }) => {
            for (field, wanted) in [("message", message), ("source", source), ("at", at)] {
                if let Some(wanted) = wanted {
                    text(wanted, &format!("{path}.fault.{field}"), problems);
                }
            }
        }
        Check::PageState(wanted) if wanted.expression.trim().is_empty() => problems.push(Problem {
            path: format!("{path}.page_state.expression"),
            cause: "the expression is empty".to_owned(),
            hint: "write a JavaScript expression such as `document.title`".to_owned(),
        }),
        Check::PageState(_) => {}
        Check::All(parts) => several(parts, &format!("{path}.all"), problems),
        Check::Any(parts) => several(parts, &format!("{path}.any"), problems),
        Check::Not(part) => visit(part, &format!("{path}.not"), problems),
    }
}

fn several(parts: &[Check], path: &str, problems: &mut Vec<Problem>) {
    if parts.is_empty() {
        problems.push(Problem {
            path: path.to_owned(),
            cause: "the list is empty, so nothing would be checked".to_owned(),
            hint: "list at least one check, or leave `check` out".to_owned(),
        });
    }
    for (index, part) in parts.iter().enumerate() {
        visit(part, &format!("{path}[{index}]"), problems);
    }
}

fn element(wanted: &ElementCheck, path: &str, problems: &mut Vec<Problem>) {
    if compares_nothing(wanted) {
        problems.push(Problem {
            path: path.to_owned(),
            cause: "nothing is compared, so any element would do".to_owned(),
            hint: "give at least one of `role`, `name`, `text`, `attributes`, `checked`".to_owned(),
        });
    }
    for (field, wanted) in [("name", &wanted.name), ("text", &wanted.text)] {
        if let Some(wanted) = wanted {
            text(wanted, &format!("{path}.{field}"), problems);
        }
    }
}

fn text(wanted: &TextMatch, path: &str, problems: &mut Vec<Problem>) {
    let (path, cause, hint) = match wanted {
        TextMatch::Contains(part) if fold(part).is_empty() => {
            (format!("{path}.contains"), "it is empty, so any text would do".to_owned(), "give the text to look for")
        }
        TextMatch::Matches(pattern) if pattern.is_empty() => {
            (format!("{path}.matches"), "it is empty, so any text would do".to_owned(), "give a regular expression")
        }
        TextMatch::Matches(pattern) => match compile(pattern) {
            Ok(_) => return,
            Err(cause) => (
                format!("{path}.matches"),
                cause,
                "mend the pattern (syntax of the Rust crate `regex`: no look-around, no back-references), or use `contains`",
            ),
        },
        _ => return,
    };
    problems.push(Problem { path, cause, hint: hint.to_owned() });
}
