//! Keystrokes for fields that take no plain text: dates, times, ranges. Pure.
//!
//! A date field shows its parts in the order of the browser's language, which a page cannot query. So the value is
//! typed in one order, read back, and typed in the next order if it came out wrong.

use crate::input::Input;

const LEFT: char = '\u{E012}';
const RIGHT: char = '\u{E014}';
const UP: char = '\u{E013}';
const DOWN: char = '\u{E015}';
const HOME: char = '\u{E011}';
const END: char = '\u{E010}';
const DELETE: char = '\u{E017}';
/// More than any field has parts, so this many steps left reach the first part from wherever the click landed.
const PARTS: usize = 8;
/// A range slider with more steps than this is first clicked near its value.
const MAX_STEPS: f64 = 400.0;

/// Key sequences that type a value into a kind of field, the most common first; none where plain text works.
pub(crate) fn ways(kind: &str, value: &str) -> Vec<Input> {
    let numbers: Vec<&str> = value.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    match (kind, numbers.as_slice()) {
        ("date", [year, month, day]) => dates(year, month, day).into_iter().map(|keys| typed(&keys)).collect(),
        ("time", [hour, minute, rest @ ..]) => times(hour, minute, rest).into_iter().map(|keys| typed(&keys)).collect(),
        ("datetime-local", [year, month, day, hour, minute, rest @ ..]) => dates(year, month, day)
            .into_iter()
            .flat_map(|date| {
                times(hour, minute, rest).into_iter().map(move |time| {
                    let mut keys = date.clone();
                    if !keys.ends_with(RIGHT) && date_ends_with_year(&date, year) {
                        keys.push(RIGHT); // a year may have six digits: it does not end by itself
                    }
                    typed(&format!("{keys}{time}"))
                })
            })
            .collect(),
        ("month", [year, month]) => {
            vec![typed(&format!("{}{RIGHT}{year}", months(month))), typed(&format!("{year}{RIGHT}{}", months(month)))]
        }
        ("week", [year, week]) => vec![typed(&format!("{week}{year}")), typed(&format!("{year}{RIGHT}{week}"))],
        _ => Vec::new(),
    }
}

/// The three orders in which languages write a date.
fn dates(year: &str, month: &str, day: &str) -> Vec<String> {
    vec![format!("{month}{day}{year}"), format!("{day}{month}{year}"), format!("{year}{RIGHT}{month}{day}")]
}

fn date_ends_with_year(keys: &str, year: &str) -> bool {
    keys.ends_with(year)
}

/// A time on a 12-hour and on a 24-hour clock.
fn times(hour: &str, minute: &str, rest: &[&str]) -> Vec<String> {
    let number: u32 = hour.parse().unwrap_or(0);
    let (twelve, half) = ((number + 11) % 12 + 1, if number < 12 { 'A' } else { 'P' });
    let seconds = rest.concat();
    vec![format!("{twelve:02}{minute}{seconds}{half}"), format!("{hour}{minute}{seconds}")]
}

/// Sets a month by its number in a field that shows names: clears it, then presses Up that many times.
fn months(month: &str) -> String {
    let count = month.parse().unwrap_or(1);
    std::iter::once(DELETE).chain(std::iter::repeat_n(UP, count)).collect()
}

fn typed(keys: &str) -> Input {
    keys.chars().fold(Input::new().keys(LEFT, PARTS), |input, key| input.keys(key, 1))
}

/// Keys that set a range slider: Home or End, then single steps.
///
/// # Errors
/// Why the slider cannot take the value, as a sentence.
pub(crate) fn range(value: &str, min: Option<&str>, max: Option<&str>, step: Option<&str>) -> Result<Input, String> {
    let number = |text: Option<&str>, default: f64| text.and_then(|text| text.parse().ok()).unwrap_or(default);
    let wanted: f64 = value.trim().parse().map_err(|_| format!("`{value}` is no number"))?;
    let (low, high) = (number(min, 0.0), number(max, 100.0));
    let step = number(step, 1.0);
    if !(low..=high).contains(&wanted) || step <= 0.0 {
        return Err(format!("`{value}` is outside of {low} to {high}"));
    }
    let (from_low, from_high) = (((wanted - low) / step).round(), ((high - wanted) / step).round());
    if from_low.min(from_high) > MAX_STEPS {
        return Err(format!(
            "`{value}` is {} steps away from either end; drag the slider instead",
            from_low.min(from_high)
        ));
    }
    let upright = from_low <= from_high;
    let (end, key, steps) = if upright { (HOME, UP, from_low) } else { (END, DOWN, from_high) };
    Ok(Input::new().keys(end, 1).keys(key, steps as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_tried_in_three_orders_and_a_time_in_two() {
        assert_eq!(ways("date", "2024-02-29").len(), 3);
        assert_eq!(ways("time", "17:05").len(), 2);
        assert_eq!(times("17", "05", &[]), ["0505P", "1705"]);
        assert_eq!(times("00", "30", &[])[0], "1230A");
        assert_eq!(ways("datetime-local", "2024-02-29T17:05").len(), 6);
    }

    #[test]
    fn what_is_no_date_is_left_to_plain_typing() {
        assert!(ways("date", "tomorrow").is_empty());
        assert!(ways("text", "2024-02-29").is_empty());
    }

    #[test]
    fn a_range_is_reached_from_its_nearer_end() {
        let keys = |input: Input| input.actions()[0]["actions"].as_array().unwrap().len() / 2;
        assert_eq!(keys(range("35", Some("0"), Some("50"), Some("5")).unwrap()), 1 + 3);
        assert!(range("77", Some("0"), Some("50"), None).unwrap_err().contains("outside"));
    }
}
