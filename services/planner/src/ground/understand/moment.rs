//! Days and times in words: which words are one, and which day or minute they mean. Pure.

use super::verbs::bare;
use crate::ground::lexicon::{MONTHS, WEEKDAYS};
use crate::ground::target::ordinal_word;
use chrono::{Datelike, Days, Months, NaiveDate, NaiveTime};

/// The number that an ordinal word means: `second`, `3rd`; -1 for `last`.
pub(crate) fn ordinal(word: &str) -> Option<i32> {
    match word {
        "final" | "bottom" => Some(-1),
        "top" | "topmost" => Some(1),
        _ => ordinal_word(word),
    }
}

/// The number that a word means: `2`, `two`.
pub(crate) fn number(word: &str) -> Option<u32> {
    const NAMES: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let word = bare(word);
    word.parse().ok().or_else(|| NAMES.iter().position(|name| *name == word).and_then(|at| u32::try_from(at).ok()))
}

/// Whether a word is the number of a day: `3`, `3rd`, `third`.
pub(super) fn is_day_number(word: &str) -> bool {
    day_number(word).is_some()
}

fn day_number(word: &str) -> Option<u32> {
    let word = bare(word);
    let number = word.parse().ok().or_else(|| ordinal(&word).and_then(|number| u32::try_from(number).ok()));
    number.filter(|day| (1..=31).contains(day))
}

/// Whether a word is the name of a month or its beginning.
pub(super) fn is_month(word: &str) -> bool {
    month(word).is_some()
}

fn month(word: &str) -> Option<u32> {
    let word = bare(word);
    let found = MONTHS.iter().position(|name| {
        *name == word
            || (word.len() >= 3 && word != "mar" && name.starts_with(&word))
            || (word == "mar" && *name == "march")
    });
    found.and_then(|at| u32::try_from(at + 1).ok())
}

pub(crate) fn weekday(word: &str) -> Option<u64> {
    let word = bare(word);
    let found = WEEKDAYS
        .iter()
        .position(|name| *name == word || (word.len() >= 3 && word.len() <= 5 && name.starts_with(&word)));
    found.and_then(|at| u64::try_from(at).ok())
}

/// Whether two words are names of one weekday or of one month, however short.
pub(crate) fn is_same_in_date(one: &str, other: &str) -> bool {
    let both = |one: Option<u64>, other: Option<u64>| one.is_some() && one == other;
    both(weekday(one), weekday(other)) || both(month(one).map(u64::from), month(other).map(u64::from))
}

/// Whether what is offered is the day that is wanted, as far as that says which: `Thursday` and `Thu 13 June`.
pub(crate) fn is_day_of(wanted: &str, offered: &str) -> bool {
    let (Some(wanted), Some(offered)) = (parts_of_day(wanted), parts_of_day(offered)) else { return false };
    let [weekday, _, month] = wanted;
    // A number alone may count anything.
    (weekday.is_some() || month.is_some())
        && wanted.iter().zip(offered).all(|(wanted, offered)| wanted.is_none() || *wanted == offered)
}

/// Weekday, number and month that a text says, if it says nothing else.
fn parts_of_day(text: &str) -> Option<[Option<u64>; 3]> {
    let mut parts = [None; 3];
    for word in text.split([' ', ',', '.', '\u{a0}']).filter(|word| !word.is_empty()) {
        let said = [weekday(word), day_number(word).map(u64::from), month(word).map(u64::from)];
        let at = said.iter().position(Option::is_some);
        match at {
            Some(at) if parts[at].is_none() => parts[at] = said[at],
            None if matches!(bare(word).as_str(), "the" | "of" | "on") => {}
            _ => return None,
        }
    }
    parts.iter().any(Option::is_some).then_some(parts)
}

/// Whether words are a distance in time: `two weeks` behind `in`.
pub(super) fn is_distance(words: &[&str]) -> bool {
    let is_unit = |word: &&str| unit(word).is_some();
    words.first().is_some_and(|word| number(word).is_some() || bare(word) == "a") && words.get(1).is_some_and(is_unit)
}

/// Whether words say how long something takes: `45 minutes`.
pub(crate) fn is_span(words: &[&str]) -> bool {
    const UNITS: [&str; 9] = ["second", "minute", "min", "hour", "day", "night", "week", "month", "year"];
    let is_unit = |word: &str| UNITS.contains(&bare(word).trim_end_matches('s'));
    matches!(words, [many, unit] if is_unit(unit) && (number(many).is_some() || matches!(bare(many).as_str(), "a" | "an")))
}

/// How many minutes a text says that something takes: `one hour`, `90 min`, `1.5 Stunden`.
pub(crate) fn minutes(text: &str) -> Option<u32> {
    let text = text.trim().to_lowercase();
    if text == "half an hour" {
        return Some(30);
    }
    let (many, unit) = text.split_once(' ')?;
    let many: f64 = match many {
        "a" | "an" | "eine" | "une" | "una" => 1.0,
        many => many.replace(',', ".").parse().ok().or_else(|| number(many).map(f64::from))?,
    };
    let each = match unit {
        "minute" | "minutes" | "min" | "mins" | "min." | "minuten" | "minutos" | "minuti" => 1.0,
        "hour" | "hours" | "hr" | "hrs" | "h" | "stunde" | "stunden" | "heure" | "heures" | "hora" | "horas"
        | "ora" | "ore" => 60.0,
        _ => return None,
    };
    let total = many * each;
    (total.fract() == 0.0 && (0.0..100_000.0).contains(&total)).then_some(total as u32)
}

#[derive(Clone, Copy)]
enum Unit {
    Day,
    Week,
    Month,
}

fn unit(word: &str) -> Option<Unit> {
    match bare(word).trim_end_matches('s') {
        "day" => Some(Unit::Day),
        "week" => Some(Unit::Week),
        "month" => Some(Unit::Month),
        _ => None,
    }
}

/// Whether a text names a day.
pub(crate) fn is_day(text: &str) -> bool {
    // Any day will do to read it by.
    NaiveDate::from_ymd_opt(2000, 1, 1).is_some_and(|today| day(text, today).is_some())
}

/// The day that a text names, seen from today; month first where digits leave it open.
pub(crate) fn day(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text = text.trim().trim_end_matches(['.', ',']);
    let written = ["%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%m-%d-%Y", "%Y/%m/%d"];
    if let Some(date) = written.iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok()) {
        return Some(date);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let meant: Vec<String> = words
        .iter()
        .map(|word| bare(word))
        .filter(|word| !matches!(word.as_str(), "the" | "of" | "on" | "this" | "coming" | ""))
        .collect();
    let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
    let first_of_week = |week: u64| {
        let monday = today.checked_sub_days(Days::new(u64::from(today.weekday().num_days_from_monday())))?;
        monday.checked_add_days(Days::new(7 * week))
    };
    match meant.as_slice() {
        ["today" | "tonight"] => Some(today),
        ["tomorrow"] => today.checked_add_days(Days::new(1)),
        ["day", "after", "tomorrow"] => today.checked_add_days(Days::new(2)),
        ["yesterday"] => today.checked_sub_days(Days::new(1)),
        ["next", "week"] => first_of_week(1),
        ["next", "month"] => today.with_day(1)?.checked_add_months(Months::new(1)),
        ["next", name] => {
            let ahead = days_to(today, weekday(name)?);
            today.checked_add_days(Days::new(ahead))
        }
        ["in", many, what] => {
            let many = if *many == "a" { 1 } else { number(many)? };
            match unit(what)? {
                Unit::Day => today.checked_add_days(Days::new(u64::from(many))),
                Unit::Week => today.checked_add_days(Days::new(7 * u64::from(many))),
                Unit::Month => today.checked_add_months(Months::new(many)),
            }
        }
        // `the 1st`, of this month or the next
        [ordinal] if words.first().is_some_and(|word| bare(word) == "the") => {
            let day = day_number(ordinal).filter(|_| ordinal.starts_with(|sign: char| sign.is_ascii_digit()))?;
            let of_month = |date: NaiveDate| date.with_day(day).filter(|date| *date >= today);
            of_month(today).or_else(|| today.with_day(1)?.checked_add_months(Months::new(1)).and_then(of_month))
        }
        [name] if weekday(name).is_some() => today.checked_add_days(Days::new(days_to(today, weekday(name)?))),
        [name, rest @ ..] if weekday(name).is_some() => of_month(rest, today),
        rest => of_month(rest, today),
    }
}

/// As [`day`], where a field holds another one already: a day and month without a year is the one nearest to that.
pub(crate) fn day_beside(text: &str, today: NaiveDate, held: Option<NaiveDate>) -> Option<NaiveDate> {
    const HALF_A_YEAR: u64 = 182;
    let names_month = text.split_whitespace().any(is_month);
    let names_year = text.split_whitespace().any(|word| bare(word).len() == 4 && bare(word).parse::<u32>().is_ok());
    // A form for something new may hold today, and one that was never filled a day long ago.
    const FAR: i64 = 400;
    let is_meant = |held: &NaiveDate| *held != today && (*held - today).num_days().abs() <= FAR;
    let beside = held.filter(|held| names_month && !names_year && is_meant(held));
    let from = beside.and_then(|held| held.checked_sub_days(Days::new(HALF_A_YEAR)));
    day(text, from.unwrap_or(today))
}

/// Days from today to the next such weekday; a week where today is one.
fn days_to(today: NaiveDate, weekday: u64) -> u64 {
    let now = u64::from(today.weekday().num_days_from_monday());
    match (weekday + 7 - now) % 7 {
        0 => 7,
        ahead => ahead,
    }
}

/// `May 3rd 2027`, `3 May`; without a year the next such day.
fn of_month(words: &[&str], today: NaiveDate) -> Option<NaiveDate> {
    let (month, day, year) = match words {
        [a, b] => (month(a).or_else(|| month(b))?, day_number(if is_month(a) { b } else { a })?, None),
        [a, b, year] => {
            let year: i32 = year.parse().ok().filter(|year| (1900..2200).contains(year))?;
            (month(a).or_else(|| month(b))?, day_number(if is_month(a) { b } else { a })?, Some(year))
        }
        _ => return None,
    };
    if let Some(year) = year {
        return NaiveDate::from_ymd_opt(year, month, day);
    }
    let this_year = NaiveDate::from_ymd_opt(today.year(), month, day);
    this_year.filter(|date| *date >= today).or_else(|| NaiveDate::from_ymd_opt(today.year() + 1, month, day))
}

/// The time of day that a text names: `9 am`, `17:30`, `noon`.
pub(crate) fn time(text: &str) -> Option<NaiveTime> {
    let text = text.trim().trim_end_matches(['.', ',']).to_lowercase().replace("o'clock", "").replace("\u{a0}", " ");
    let text = text.trim();
    match text {
        "noon" | "midday" => return NaiveTime::from_hms_opt(12, 0, 0),
        "midnight" => return NaiveTime::from_hms_opt(0, 0, 0),
        _ => {}
    }
    let (digits, half) = match text.strip_suffix("pm").or_else(|| text.strip_suffix("p.m")) {
        Some(digits) => (digits, Some(12)),
        None => match text.strip_suffix("am").or_else(|| text.strip_suffix("a.m")) {
            Some(digits) => (digits, Some(0)),
            None => (text, None),
        },
    };
    let (hour, minute) = match digits.trim().split_once(':') {
        Some((hour, minute)) => (hour.parse::<u32>().ok()?, minute.get(..2)?.parse::<u32>().ok()?),
        None if half.is_some() => (digits.trim().parse::<u32>().ok()?, 0),
        None => return None,
    };
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_without_a_year_is_the_one_nearest_to_what_a_field_holds() {
        let date = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        let today = date("2026-11-30").unwrap();
        for (text, held, meant) in [
            ("5 November", "2026-11-03", "2026-11-05"),
            ("5 January", "2026-12-20", "2027-01-05"),
            ("28 December", "2027-01-02", "2026-12-28"),
            ("5 November 2028", "2026-11-03", "2028-11-05"),
            ("5 November", "", "2027-11-05"),
            ("5 November", "2026-11-30", "2027-11-05"),
            ("5 January", "2000-01-01", "2027-01-05"),
            ("Friday", "2026-11-03", "2026-12-04"),
        ] {
            assert_eq!(day_beside(text, today, date(held)), date(meant), "{text} beside {held}");
        }
    }

    #[test]
    fn a_day_is_offered_as_far_as_it_is_said() {
        for (wanted, offered, is_it) in [
            ("Thursday", "Thu 13 June", true),
            ("Wednesday 12 June", "Wed 12 June", true),
            ("13 June", "Thu 13 June", true),
            ("Thursday", "Fri 14 June", false),
            ("Thursday 13 June", "Thu 20 June", false),
            ("Thursday", "Thursday evenings", false),
            ("12", "Wed 12 June", false),
        ] {
            assert_eq!(is_day_of(wanted, offered), is_it, "{wanted} {offered}");
        }
    }

    #[test]
    fn days_in_words_are_seen_from_today() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 26).unwrap(); // a Thursday
        for (text, expected) in [
            ("2027-05-03", "2027-05-03"),
            ("05/03/2027", "2027-05-03"),
            ("3.5.2027", "2027-05-03"),
            ("May 3rd, 2027", "2027-05-03"),
            ("the 3rd of May", "2027-05-03"),
            ("3 May 2027", "2027-05-03"),
            ("Dec 24", "2026-12-24"),
            ("Monday, May 3rd, 2027", "2027-05-03"),
            ("today", "2026-11-26"),
            ("tomorrow", "2026-11-27"),
            ("next Friday", "2026-11-27"),
            ("Thursday", "2026-12-03"),
            ("next week", "2026-11-30"),
            ("in two weeks", "2026-12-10"),
            ("in a month", "2026-12-26"),
        ] {
            assert_eq!(day(text, today).map(|date| date.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["Berlin", "May", "Room 4", "5", "the red lamp", "17:30", "2027"] {
            assert_eq!(day(text, today), None, "{text}");
        }
    }

    #[test]
    fn spans_of_time_are_compared_in_minutes() {
        for (text, expected) in [
            ("one hour", 60),
            ("an hour", 60),
            ("90 minutes", 90),
            ("1.5 hours", 90),
            ("2 Stunden", 120),
            ("30 min", 30),
        ] {
            assert_eq!(minutes(text), Some(expected), "{text}");
        }
        for text in ["6 portions", "hour", "60", "two days"] {
            assert_eq!(minutes(text), None, "{text}");
        }
    }

    #[test]
    fn times_of_day_are_read_as_people_write_them() {
        for (text, expected) in [
            ("9 am", "09:00:00"),
            ("5:30pm", "17:30:00"),
            ("17:30", "17:30:00"),
            ("noon", "12:00:00"),
            ("12 am", "00:00:00"),
        ] {
            assert_eq!(time(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["9", "Room 4", "25:00", "13 pm", "Amsterdam"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
