//! A secret in every form.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A text that gives the secret away, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// How the secret is written.
    pub name: &'static str,
    /// The secret in this form.
    pub text: String,
}

/// Every form of a secret. Forms that are written alike stand there once.
pub fn forms(secret: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let mut add = |name: &'static str, text: String| {
        if !forms.iter().any(|known| known.text == text) {
            forms.push(Form { name, text });
        }
    };
    add("plain", secret.to_owned());
    let every_byte = |prefix: &str, suffix: &str, upper: bool| -> String {
        let digits = |byte: u8| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") };
        secret.bytes().map(|byte| format!("{prefix}{}{suffix}", digits(byte))).collect()
    };
    let each = |write: &dyn Fn(char) -> String| -> String { secret.chars().map(write).collect() };
    let component = percent(secret);
    add("percent", component.clone());
    add("percent in lower case", lower_escapes(&component));
    add("percent twice", percent(&component));
    add("percent of every byte", every_byte("%", "", true));
    add("as a form sends it", component.replace("%20", "+"));
    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.trim_matches('"').to_owned();
    add("JSON twice", serde_json::to_string(&json).unwrap_or_default().trim_matches('"').to_owned());
    add("JSON", json);
    let units = |text: &str| text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    add("unicode escapes", units(secret));
    add("unicode escapes in braces", each(&|sign| format!("\\u{{{:x}}}", u32::from(sign))));
    if secret.is_ascii() {
        add("byte escapes", every_byte("\\x", "", false));
    }
    add("entities", each(&named_entity));
    add("entities in decimal", each(&|sign| format!("&#{};", u32::from(sign))));
    add("entities in hexadecimal", each(&|sign| format!("&#x{:x};", u32::from(sign))));
    add("hexadecimal", every_byte("", "", false));
    add("hexadecimal in capitals", every_byte("", "", true));
    add("hexadecimal with blanks", every_byte("", " ", false).trim_end().to_owned());
    add("hexadecimal with colons", every_byte("", ":", true).trim_end_matches(':').to_owned());
    let codes: Vec<String> = secret.chars().map(|sign| u32::from(sign).to_string()).collect();
    add("character codes", codes.join(","));
    add("character codes in a list", codes.join(", "));
    add("base64", STANDARD.encode(secret));
    add("base64 for addresses", URL_SAFE_NO_PAD.encode(secret));
    add("base64 of base64", STANDARD.encode(STANDARD.encode(secret)));
    add("base64 behind a name", STANDARD.encode(format!("anna:{secret}")));
    add("base64 behind two letters", STANDARD_NO_PAD.encode(format!("ab{secret}")));
    add("base64 within something", STANDARD.encode(format!("{{{secret}}}")));
    add("as a file name", each(&|sign| if "\"*/:<>?\\|".contains(sign) { "_".into() } else { sign.to_string() }));
    add("backwards", secret.chars().rev().collect());
    add("spelled with blanks", each(&|sign| format!("{sign} ")).trim_end().to_owned());
    forms
}

fn percent(text: &str) -> String {
    let keep = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(byte);
    text.bytes().map(|byte| if keep(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn lower_escapes(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| format!("{text}%{}{}", part[..2].to_lowercase(), &part[2..]))
}

fn named_entity(sign: char) -> String {
    match sign {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#39;".into(),
        'ö' => "&ouml;".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_forms_of_a_secret_differ_and_have_names() {
        for secret in [super::super::AWKWARD, super::super::ORDINARY] {
            let forms = forms(secret);
            assert!(forms.len() >= 20, "{}", forms.len());
            let names: BTreeSet<&str> = forms.iter().map(|form| form.name).collect();
            assert_eq!(names.len(), forms.len());
        }
        let of = |name: &str| forms("ab").into_iter().find(|form| form.name == name).expect("a form").text;
        assert_eq!(of("percent of every byte"), "%61%62");
        assert_eq!(of("unicode escapes"), "\\u0061\\u0062");
        assert_eq!(of("character codes"), "97,98");
        assert_eq!(of("base64"), "YWI=");
    }
}
