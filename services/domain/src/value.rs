//! Compares a field's value with the intended one. A page may format the input but not change its meaning. Pure.

use std::collections::BTreeSet;

/// English names of months, by their first three letters: they stand in dates that are typed in words.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Whether `now` means the same as `meant` to a person: ignores white space, case, mask characters, number separators
/// and date order. Digits and the decimal position of numbers must agree.
pub fn holds(meant: &str, now: &str) -> bool {
    if meant.split_whitespace().eq(now.split_whitespace()) {
        return true;
    }
    if let (Some(left), Some(right)) = (date(meant), date(now))
        && left.is_same(&right)
    {
        return true;
    }
    if let (Some(left), Some(right)) = (time(meant), time(now))
        && left == right
    {
        return true;
    }
    let (wanted, held) = (letters(meant), letters(now));
    if wanted.is_empty() {
        // Punctuation only: compare it exactly, since nothing else can differ.
        return visible(meant) == visible(now);
    }
    if has_separator(meant) || has_separator(now) {
        let (left, right) = (numbers(meant), numbers(now));
        if !left.is_empty() && !right.is_empty() {
            let same_numbers =
                left.len() == right.len() && left.iter().zip(&right).all(|(left, right)| !left.is_disjoint(right));
            return same_numbers && sign(meant) == sign(now) && added_only(&words(meant), &words(now));
        }
    }
    if is_number(meant) && sign(meant) != sign(now) {
        return false;
    }
    // A mask may put a country code before a number and a unit behind it.
    wanted == held
        || (now.trim_start().starts_with('+') && is_number(meant) && held.ends_with(&wanted))
        || (is_number(meant) && digits(meant) == digits(now))
}

/// Letters and digits in lower case: what no mask may remove.
fn letters(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn words(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

fn visible(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_whitespace() && !sign.is_control()).collect()
}

/// Whether the page only added words, such as a currency, to those that were meant.
fn added_only(meant: &str, now: &str) -> bool {
    meant == now || (meant.is_empty() && now.chars().count() <= 4)
}

/// Whether a text is digits and the signs that stand around and between them, and nothing else.
fn is_number(text: &str) -> bool {
    text.chars().any(|sign| sign.is_ascii_digit()) && !text.chars().any(char::is_alphabetic)
}

fn sign(text: &str) -> bool {
    let mut signs = text.trim().chars().skip_while(|sign| !matches!(sign, '-' | '−' | '0'..='9' | '('));
    matches!(signs.next(), Some('-' | '−')) && signs.next().is_some_and(|next| next.is_ascii_digit())
}

/// Whether a point or comma stands between two digits.
fn has_separator(text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    signs
        .windows(3)
        .any(|three| three[0].is_ascii_digit() && matches!(three[1], '.' | ',') && three[2].is_ascii_digit())
}

/// A number as whole and decimal digits, without leading and trailing zeros.
type Reading = (String, String);

/// Every number of a text in all its readings: "1,234" is over a thousand, or between one and two.
fn numbers(text: &str) -> Vec<BTreeSet<Reading>> {
    let signs: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        if !signs[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let mut end = at;
        while end < signs.len()
            && (signs[end].is_ascii_digit()
                || (is_grouping(signs[end]) && signs.get(end + 1).is_some_and(char::is_ascii_digit)))
        {
            end += 1;
        }
        let read = readings(&signs[at..end]);
        if read.is_empty() {
            return Vec::new(); // a date, an address, a mask: no number
        }
        found.push(read);
        at = end;
    }
    found
}

fn is_grouping(sign: char) -> bool {
    matches!(sign, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '_')
}

fn readings(signs: &[char]) -> BTreeSet<Reading> {
    let separators: Vec<(usize, char)> =
        signs.iter().copied().enumerate().filter(|(_, sign)| !sign.is_ascii_digit()).collect();
    let plain = |signs: &[char]| signs.iter().filter(|sign| sign.is_ascii_digit()).collect::<String>();
    let mut read = BTreeSet::new();
    if is_grouped(signs) {
        read.insert((plain(signs), String::new()));
    }
    if let Some((last, sign)) = separators.last().copied()
        && matches!(sign, '.' | ',')
        && separators.iter().filter(|(_, other)| *other == sign).count() == 1
        && is_grouped(&signs[..last])
    {
        let decimals = plain(&signs[last + 1..]);
        read.insert((plain(&signs[..last]), decimals.trim_end_matches('0').to_owned()));
    }
    read
}

/// Whether a whole number has no separators, or one kind at thousands (in India also at hundreds).
fn is_grouped(signs: &[char]) -> bool {
    let groups: Vec<&[char]> = signs.split(|sign| !sign.is_ascii_digit()).collect();
    let kinds: BTreeSet<char> = signs.iter().copied().filter(|sign| !sign.is_ascii_digit()).collect();
    match groups.as_slice() {
        [_] => true,
        [first, middle @ .., last] => {
            kinds.len() == 1
                && (1..=3).contains(&first.len())
                && last.len() == 3
                && middle.iter().all(|group| group.len() == 3 || group.len() == 2)
        }
        [] => false,
    }
}

/// A date as its parts.
struct Date {
    year: String,
    /// The other two parts in order of appearance; a month in words comes first.
    rest: (String, String),
    is_ordered: bool,
}

impl Date {
    /// Whether both can be the same day. Which of two small numbers is the month depends on the country, so either
    /// order fits.
    fn is_same(&self, other: &Date) -> bool {
        let (a, b) = (&self.rest, &other.rest);
        let is_year = self.year == other.year
            || (self.year.len() == 2 && other.year.ends_with(&self.year))
            || (other.year.len() == 2 && self.year.ends_with(&other.year));
        let turns = !(self.is_ordered && other.is_ordered);
        is_year && (a == b || (turns && a.0 == b.1 && a.1 == b.0))
    }
}

fn date(text: &str) -> Option<Date> {
    let parts: Vec<String> = text
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect();
    let month = |part: &String| {
        let is_month = part.len() >= 3 && part.chars().all(char::is_alphabetic);
        let place = MONTHS.iter().position(|month| is_month && part.starts_with(month))?;
        Some((place + 1).to_string())
    };
    let [a, b, c] = parts.as_slice() else { return None };
    let number = |part: &String| {
        let part = part.trim_end_matches("st").trim_end_matches("nd").trim_end_matches("rd").trim_end_matches("th");
        let is_number = !part.is_empty() && part.len() <= 4 && part.chars().all(|sign| sign.is_ascii_digit());
        is_number.then(|| part.trim_start_matches('0').to_owned())
    };
    let year = |part: &String| number(part).filter(|_| matches!(part.len(), 2 | 4));
    if let Some(month) = month(b) {
        return Some(Date { year: year(c)?, rest: (month, number(a)?), is_ordered: true });
    }
    if let Some(month) = month(a) {
        return Some(Date { year: year(c)?, rest: (month, number(b)?), is_ordered: true });
    }
    let is_small = |part: &String| number(part).filter(|small| small.parse::<u8>().is_ok_and(|small| small <= 31));
    if a.len() == 4 {
        return Some(Date { year: year(a)?, rest: (is_small(b)?, is_small(c)?), is_ordered: true });
    }
    Some(Date { year: year(c)?, rest: (is_small(a)?, is_small(b)?), is_ordered: false })
}

/// A time of the day in seconds.
fn time(text: &str) -> Option<u32> {
    let lower = text.trim().to_lowercase();
    let late = lower.ends_with("pm") || lower.ends_with("p.m.");
    let half = late || lower.ends_with("am") || lower.ends_with("a.m.");
    let clock = lower.trim_end_matches(|sign: char| sign.is_alphabetic() || sign == '.').trim();
    if !clock.contains(':') {
        return None;
    }
    let parts: Vec<u32> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (hour, rest) = parts.split_first()?;
    let hour = match (half, late, *hour) {
        (true, false, 12) => 0,
        (true, true, hour) if hour < 12 => hour + 12,
        (_, _, hour) => hour,
    };
    let rest = rest.iter().chain(std::iter::repeat(&0)).take(2).fold(0, |sum, part| sum * 60 + part);
    Some(hour * 3600 + rest)
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn what_a_page_formats_is_still_held() {
        for (meant, now) in [
            ("x", "x"),
            (" Ada  Reader ", "Ada Reader"),
            ("1234567890", "(123) 456-7890"),
            ("1234567890", "123.456.7890"),
            ("5551234567", "+1 (555) 123-4567"),
            ("1234", "12-34"),
            ("4111111111111111", "4111 1111 1111 1111"),
            ("de12 3456", "DE12-3456"),
            ("1234567", "1,234,567"),
            ("1234567", "1.234.567"),
            ("1234567", "12,34,567"),
            ("1234.5", "1,234.50"),
            ("1234,5", "1.234,5"),
            ("1,5", "1.5"),
            ("1.50", "1.5"),
            ("5", "5.00"),
            ("12", "12 €"),
            ("12", "$12.00"),
            ("1234", "CHF 1’234.00"),
            ("-3.5", "-3,5"),
            ("2026-04-03", "04/03/2026"),
            ("03.04.2026", "2026-04-03"),
            ("3 April 2026", "2026-04-03"),
            ("Apr 3, 2026", "03.04.2026"),
            ("04/03/26", "2026-04-03"),
            ("2:30 PM", "14:30"),
            ("14:30", "14:30:00"),
            ("12:05 am", "00:05"),
            ("“so”", "\"so\""),
            ("...", "..."),
            ("", ""),
        ] {
            assert!(holds(meant, now), "{meant:?} became {now:?}");
        }
    }

    #[test]
    fn what_says_something_else_is_not_held() {
        for (meant, now) in [
            ("1,5", "15"),
            ("1.5", "15"),
            ("15", "1.5"),
            ("1234", "12.34"),
            ("1,5", "1"),
            ("12 cm", "12"),
            ("12345678", "12345"),
            ("-5", "5"),
            ("5", "-5"),
            ("007", "7"),
            ("1.5 m", "15 m"),
            ("1,5", ""),
            ("x", ""),
            ("!", "?"),
            ("Ada", "Ada Reader"),
            ("bar", "foobar"),
            ("2026-04-03", "2026-04-30"),
            ("2026-04-03", "2025-04-03"),
            ("3 April 2026", "2026-03-04"),
            ("2:30 PM", "02:30"),
            ("1043", "1044"),
            ("ada@reader.org", "ada@reader"),
            ("0.05", "5"),
        ] {
            assert!(!holds(meant, now), "{meant:?} became {now:?}");
        }
    }
}
