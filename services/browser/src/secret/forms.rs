//! Patterns for all forms of a secret: plain, with any characters escaped in the usual ways, spelled with blanks between its
//! characters, backwards, in hexadecimal, as codes of characters, in base64 on its own or inside a longer text, in base64 of base64, and cut off at the end of a
//! text. Each of them is also found where an address escaped it. Pure.

use super::{entities, escaped};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use regex::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::LazyLock;

/// A text of at least this many bytes may have been cut: descriptions of elements end after 200 characters.
const LONG: usize = 150;

/// Longest secret, in characters, that gets patterns; a longer one, such as a key, is matched literally.
const LONGEST: usize = 256;

/// Most memory for a pattern, in bytes: the longest secret in all its forms takes a part of it.
const LARGEST: usize = 1 << 27;

/// What base64 ends with, escaped in an address or not.
const PADDING: &str = "(?:=|%(?:25)*3[Dd]){0,2}";

/// White space, escaped or not.
const BLANK: &str =
    r"\s|\+|%(?:25)*(?:20|0[9AaDd])|\\+[nrt]|[\\/]+[ux](?:00)?20|[\\/]+u\{0*(?:20|a0)\}|&nbsp;|&#0*(?:32|x20|160|xa0);";

/// Fewest characters taken for the beginning of a cut secret, or for part of one in base64.
const LEAST: usize = 4;
const LEAST_CODED: usize = 8;
/// Fewest characters of a secret that is also looked for backwards and spelled: shorter ones are found so by chance.
const LEAST_TURNED: usize = 6;

/// The patterns of one secret.
pub(super) struct Forms {
    value: String,
    /// Matches the whole secret; none if it is too long for a pattern.
    whole: Option<Regex>,
    /// Matches its beginning at the end of a text.
    beginning: Option<Regex>,
}

impl Forms {
    /// Builds the patterns of a value that is not blank.
    pub(super) fn of(value: &str) -> Forms {
        let value = value.to_owned();
        if value.chars().count() > LONGEST {
            return Forms { value, whole: None, beginning: None };
        }
        let plain = units(&value);
        let coded: Vec<Vec<String>> = (0..3).map(|lead| coded(&value, lead)).collect();
        let coded: Vec<&Vec<String>> = coded.iter().filter(|units| units.len() >= LEAST_CODED).collect();
        let mut whole = vec![plain.concat()];
        if plain.len() >= LEAST_TURNED {
            let mut backwards: Vec<String> = plain.iter().rev().cloned().collect();
            begin(&mut backwards);
            whole.extend([&plain, &backwards].map(|units| units.join(&format!("(?:{BLANK})*"))));
            whole.extend([hexadecimal(&value), decimal(&value)]);
        }
        let twice = STANDARD_NO_PAD.encode(&value);
        whole.extend(
            (0..3)
                .map(|lead| self::coded(&twice, lead))
                .filter(|units| units.len() >= LEAST_CODED)
                .map(|units| format!("[A-Za-z0-9+/_-]{{0,4}}{}[A-Za-z0-9+/_-]{{0,4}}{PADDING}", units.concat())),
        );
        // The base64 characters at both ends also encode bits of the surrounding text.
        whole.extend(coded.iter().map(|units| format!("[A-Za-z0-9+/_-]?{}[A-Za-z0-9+/_-]?{PADDING}", units.concat())));
        let mut beginning = vec![from_beginning(&plain, LEAST)];
        beginning.extend(coded.iter().map(|units| from_beginning(units, LEAST_CODED)));
        let beginning: Vec<String> = beginning.into_iter().flatten().collect();
        Forms {
            value,
            whole: RegexBuilder::new(&whole.join("|")).size_limit(LARGEST).build().ok(),
            beginning: Regex::new(&format!("(?:{})$", beginning.join("|"))).ok().filter(|_| !beginning.is_empty()),
        }
    }

    /// Whether a text holds the secret.
    pub(super) fn are_in(&self, text: &str) -> bool {
        !self.places(text).is_empty()
    }

    /// Replaces the secret throughout a text.
    pub(super) fn replace(&self, text: &mut String, by: &str) {
        let (mut clean, mut end) = (String::new(), 0);
        for place in self.places(text) {
            clean.push_str(&text[end..place.start]);
            clean.push_str(by);
            end = place.end;
        }
        if end > 0 {
            clean.push_str(&text[end..]);
            *text = clean;
        }
    }

    /// Where the secret stands in a text, in order, none within another.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let layers = escaped::undone(text);
        let escaped = |find: fn(&Forms, &str) -> Vec<Range<usize>>| {
            let of_layers = layers.iter().map(move |layer| (layer, find(self, &layer.text)));
            let of_layers = of_layers.flat_map(|(layer, found)| found.into_iter().map(|part| layer.origin(part)));
            find(self, text).into_iter().chain(of_layers).collect::<Vec<_>>()
        };
        let mut found = apart(escaped(Forms::whole));
        if text.len() >= LONG {
            let is_known =
                |part: &Range<usize>| found.iter().any(|other| part.start < other.end && other.start < part.end);
            let cut: Vec<Range<usize>> = escaped(Forms::cut).into_iter().filter(|part| !is_known(part)).collect();
            found.extend(cut);
        }
        apart(found)
    }

    /// Where the whole secret stands in a text.
    fn whole(&self, text: &str) -> Vec<Range<usize>> {
        match &self.whole {
            Some(whole) => whole.find_iter(text).map(|found| found.range()).collect(),
            None => text.match_indices(&self.value).map(|(start, found)| start..start + found.len()).collect(),
        }
    }

    /// Where a beginning of it stands at the end of a text.
    fn cut(&self, text: &str) -> Vec<Range<usize>> {
        self.beginning.iter().filter_map(|beginning| Some(beginning.find(text)?.range())).collect()
    }
}

/// Parts in order; those that overlap are one.
fn apart(mut parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    parts.sort_by_key(|part| part.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match apart.last_mut().filter(|last| part.start < last.end) {
            Some(last) => last.end = last.end.max(part.end),
            None => apart.push(part),
        }
    }
    apart
}

/// Whether a text is white space, escaped or not.
pub(super) fn is_blank(text: &str) -> bool {
    static BLANKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("^(?:{BLANK})+$")).ok());
    BLANKS.as_ref().is_some_and(|blanks| blanks.is_match(text))
}

/// One pattern per character, matching all its escapes. White space counts as one character, since pages fold it.
pub(super) fn units(text: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            units.push(format!("(?:{BLANK})+"));
        }
        units.extend(word.chars().map(unit));
    }
    begin(&mut units);
    units
}

/// A slash before the secret is not part of it.
fn begin(units: &mut [String]) {
    if let Some(first) = units.first_mut() {
        *first = first.replacen(r"(?:[\\/]*", r"(?:\\*", 1);
    }
}

fn unit(letter: char) -> String {
    let plain = regex::escape(&letter.to_string());
    let bytes = letter.to_string().into_bytes();
    let percent: String = bytes.iter().map(|byte| format!("%(?:25)*(?i:{byte:02X})")).collect();
    let json: String = letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!(r"[\\/]+u(?i:{unit:04x})")).collect();
    let code = u32::from(letter);
    let named = entities::name(letter).map(|name| format!("|&{name};")).unwrap_or_default();
    // A backslash may be escaped any number of times; before another character it may start an escape. In a path it is a slash.
    let bare = match letter {
        '\\' => r"[\\/]+".to_owned(),
        letter if letter.is_ascii_alphanumeric() => plain,
        '/' => format!(r"\\*{plain}"),
        _ => format!(r"[\\/]*{plain}"),
    };
    // What no name of a file may hold is an underscore there.
    let named = if "\"*/:<>?\\|".contains(letter) { format!("{named}|_") } else { named };
    let byte = if letter.is_ascii() { format!(r"|[\\/]+x(?i:{code:02x})") } else { String::new() };
    format!(r"(?:{bare}|{percent}|{json}|[\\/]+u\{{0*(?i:{code:x})\}}{byte}|&#0*{code};|&#(?i:x0*{code:x});{named})")
}

/// Two hexadecimal digits for each byte, with or without something between them.
fn hexadecimal(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| format!("(?i:{byte:02x})")).collect();
    bytes.join(&format!(r"(?:{BLANK}|[:,;-])*(?:\\+x|0x)?"))
}

/// The code of each character in decimal digits, with something between them.
fn decimal(text: &str) -> String {
    let codes: Vec<String> = text.chars().map(|sign| u32::from(sign).to_string()).collect();
    format!(r"\b{}\b", codes.join(&format!("(?:{BLANK}|[,;])+")))
}

/// One pattern per base64 character that encodes only the text, given the number of bytes before it.
fn coded(text: &str, lead: usize) -> Vec<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, lead).chain(text.bytes()).collect();
    let whole = bytes.len() * 8 / 6;
    let own = STANDARD_NO_PAD.encode(&bytes);
    let own = own.get((lead * 8).div_ceil(6)..whole).unwrap_or_default();
    let letter = |letter: char| match letter {
        '+' => r"(?:[+-]|%(?:25)*2[Bb])".to_owned(),
        '/' => r"(?:\\*/|_|%(?:25)*2[Ff])".to_owned(),
        other => other.to_string(),
    };
    own.chars().map(letter).collect()
}

/// Matches a beginning of at least `least` units; none when there are no more than that. Also matches the remains of a
/// cut escape.
fn from_beginning(units: &[String], least: usize) -> Option<String> {
    let (first, rest) = units.split_at_checked(least).filter(|(_, rest)| !rest.is_empty())?;
    let rest = rest.iter().rev().fold(String::new(), |inner, unit| format!("(?:{unit}{inner})?"));
    Some(format!(r"{}{rest}(?:(?:%[0-9A-Fa-f]{{0,2}})+|\\+(?:u[0-9A-Fa-f]{{0,3}})?|&[#a-z0-9]*)?…?", first.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    fn redacted(secret: &str, text: &str) -> String {
        let mut text = text.to_owned();
        Forms::of(secret).replace(&mut text, "***");
        text
    }

    const SECRET: &str = "Sesam & \"öffne\\dich\"/+ 4711?";

    #[test]
    fn a_secret_is_known_in_every_form() {
        let json = serde_json::to_string(SECRET).unwrap();
        let component: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
        let mut address = url::Url::parse("http://a.org/").unwrap();
        address.set_query(Some(SECRET));
        for (form, expected) in [
            (SECRET.to_owned(), "***"),
            (SECRET.replace(' ', "\n   "), "***"),
            (component.replace('+', "%20").to_lowercase().replace("sesam", "Sesam"), "***"),
            (component, "***"),
            (address.query().unwrap().to_owned(), "***"),
            (json.clone(), "\"***\""),
            (serde_json::to_string(&json).unwrap(), "\"\\\"***\\\"\""),
            ("Sesam \\u0026 \\\"\\u00f6ffne\\\\dich\\\"\\/+ 4711?".to_owned(), "***"),
            ("Sesam &amp; &quot;&#246;ffne\\dich&quot;/+ 4711?".to_owned(), "***"),
            (STANDARD.encode(SECRET), "***"),
            (STANDARD.encode(SECRET).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"), "***"),
            (STANDARD.encode(STANDARD.encode(SECRET)), "***"),
            (SECRET.bytes().map(|byte| format!("{byte:02X}")).collect(), "***"),
            (SECRET.bytes().map(|byte| format!("%{byte:02x}")).collect(), "***"),
            (SECRET.chars().map(|sign| format!("&#{};", u32::from(sign))).collect(), "***"),
            (SECRET.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(), "***"),
            (SECRET.chars().map(|sign| format!("\\u{{{:x}}}", u32::from(sign))).collect(), "***"),
            (SECRET.replace('&', "&amp;").replace('ö', "&ouml;"), "***"),
            (SECRET.chars().map(|sign| u32::from(sign).to_string()).collect::<Vec<_>>().join(", "), "***"),
            (SECRET.chars().rev().collect(), "***"),
            (SECRET.chars().map(|sign| format!("{sign} ")).collect::<String>().trim().to_owned(), "***"),
            (SECRET.chars().rev().map(|sign| format!("{sign}\n")).collect::<String>().trim().to_owned(), "***"),
            (SECRET.bytes().map(|byte| format!("{byte:02x} ")).collect::<String>().trim().to_owned(), "***"),
            (SECRET.bytes().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", "), "0x***"),
            (URL_SAFE_NO_PAD.encode(SECRET), "***"),
        ] {
            assert_eq!(redacted(SECRET, &format!("<{form}>")), format!("<{expected}>"), "{form}");
        }
    }

    #[test]
    fn every_form_is_known_in_an_address_that_escaped_it() {
        let json = serde_json::to_string(SECRET).unwrap();
        let codes: Vec<String> = SECRET.chars().map(|sign| u32::from(sign).to_string()).collect();
        for form in [
            json.trim_matches('"').to_owned(),
            serde_json::to_string(&json).unwrap().trim_matches(['"', '\\']).to_owned(),
            codes.join(", "),
            SECRET.bytes().map(|byte| format!("{byte:02x} ")).collect::<String>().trim().to_owned(),
            SECRET.chars().map(|sign| format!("{sign} ")).collect::<String>().trim().to_owned(),
            SECRET.chars().map(|sign| format!("&#{};", u32::from(sign))).collect(),
        ] {
            let mut address = url::Url::parse("http://a.org/").unwrap();
            address.set_fragment(Some(&form));
            assert_eq!(redacted(SECRET, address.as_str()), "http://a.org/#***", "{form}");
            let part: String = url::form_urlencoded::byte_serialize(form.as_bytes()).collect();
            assert_eq!(redacted(SECRET, &format!("/?a={part}&b=1")), "/?a=***&b=1", "{form}");
            let twice: String = url::form_urlencoded::byte_serialize(part.as_bytes()).collect();
            assert_eq!(redacted(SECRET, &format!("/?to={twice}")), "/?to=***", "{form}");
        }
        // In the path of an address a backslash is a slash.
        for form in [SECRET, json.trim_matches('"')] {
            let path = url::Url::parse(&format!("http://a.org/{}", form.replace('?', "%3F"))).unwrap();
            assert_eq!(redacted(SECRET, path.as_str()), "http://a.org/***");
        }
        assert_eq!(redacted("&x-7hunter", "http://a.org/&x-7hunter"), "http://a.org/***");
    }

    #[test]
    fn what_a_cut_text_holds_of_a_secret_goes_too() {
        let long = "long ".repeat(38);
        for rest in ["Sesam & \"ö", "Sesam %26 %22%C3%B", "Sesam & \\", "Sesam…"] {
            assert_eq!(redacted(SECRET, &format!("{long}{rest}")), format!("{long}***"), "{rest}");
        }
        let coded = STANDARD.encode(SECRET);
        assert_eq!(redacted(SECRET, &format!("{long}{}", &coded[..21])), format!("{long}***"));
        assert_eq!(redacted(SECRET, "It begins with Sesam &"), "It begins with Sesam &", "nothing was cut here");
    }

    #[test]
    fn a_short_or_a_very_long_secret_is_kept_out_too() {
        assert_eq!(redacted("7", "pin 7?"), "pin ***?");
        let long = "ö&9".repeat(LONGEST / 3);
        assert_eq!(redacted(&long, &format!("<{}>", STANDARD.encode(&long))), "<***>");
        assert_eq!(redacted(&long, &format!("<{}>", long.replace('&', "%26"))), "<***>");
        let long = "key".repeat(50_000);
        assert_eq!(redacted(&long, &format!("<{long}>")), "<***>");
    }

    proptest! {
        #[test]
        fn nothing_of_a_secret_is_left_in_base64_of_anything_around_it(
            secret in "[ -~äß€]{8,24}", before in "[a-z:]{0,4}", after in "[a-z]{0,4}",
        ) {
            prop_assume!(secret.trim() == secret && !secret.contains("  "));
            let coded = STANDARD.encode(format!("{before}{secret}{after}"));
            let left = redacted(&secret, &coded);
            let (first, last) = left.split_once("***").expect("replaced");
            prop_assert!(first.len() <= before.len() * 8 / 6 && last.trim_end_matches('=').len() <= (after.len() * 8).div_ceil(6));
            prop_assert_eq!(redacted(&secret, &secret), "***");
        }
    }
}
