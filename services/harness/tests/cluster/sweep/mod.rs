//! Reads everything that processes left behind – topics, keys, tables, files – and looks for a text in it, however it was
//! written down. It shares nothing with the product that could make both blind to the same thing.

pub(crate) mod databases;
pub(crate) mod kafka;
pub(crate) mod redis;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use harness::redaction::Form;
use std::fmt;
use std::io::Read;
use std::path::Path;

/// Some bytes and where they stood.
#[derive(Clone)]
pub(crate) struct Exhibit {
    pub(crate) place: String,
    pub(crate) bytes: Vec<u8>,
}

impl Exhibit {
    pub(crate) fn new(place: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Exhibit {
        Exhibit { place: place.into(), bytes: bytes.into() }
    }

    pub(crate) fn of_file(path: &Path) -> Exhibit {
        Exhibit::new(path.display().to_string(), std::fs::read(path).expect("a file"))
    }
}

/// A place that holds the text, in which form, and what surrounds it.
pub(crate) struct Hit {
    pub(crate) place: String,
    pub(crate) form: String,
    pub(crate) around: String,
}

impl fmt::Debug for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} holds it {}: …{}…", self.place, self.form, self.around)
    }
}

/// A text in the forms in which it might have been written down.
pub(crate) struct Search {
    forms: Vec<(String, Vec<u8>)>,
}

impl Search {
    pub(crate) fn new(text: &str) -> Search {
        let mut forms = vec![("plain".to_owned(), text.as_bytes().to_vec())];
        let mut add = |name: &str, form: String| forms.push((name.to_owned(), form.into_bytes()));
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        add("with white space folded", folded);
        // Which characters are escaped differs: in forms, by encodeURIComponent, by encodeURI, in what browsers show.
        for (name, spared) in [
            ("URL-encoded throughout", ""),
            ("URL-encoded as a component", "-_.!~*'()"),
            ("URL-encoded as an address", "-_.!~*'();,/?:@&=+$#"),
            ("URL-encoded as a query", "!$%&'()*+,-./:;=?@[\\]^_`{|}~"),
        ] {
            let encoded = percent(text, spared);
            add(&format!("{name}, in lower case"), lower_escapes(&encoded));
            add(&format!("{name}, as in forms"), encoded.replace("%20", "+"));
            add(name, encoded);
        }
        let json = serde_json::to_string(text).expect("a text");
        let json = json.trim_matches('"');
        add("JSON-escaped", json.to_owned());
        add("JSON-escaped twice", serde_json::to_string(json).expect("a text").trim_matches('"').to_owned());
        add("JSON-escaped in ASCII", ascii(json));
        let debug = format!("{text:?}");
        add("as a debugging text", debug.trim_matches('"').to_owned());
        add("HTML-escaped", text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;"));
        add("in hexadecimal", text.bytes().map(|byte| format!("{byte:02x}")).collect());
        for (name, coded) in [
            ("base64", STANDARD.encode(text)),
            ("base64 for URLs", URL_SAFE.encode(text)),
            ("base64 unpadded", STANDARD_NO_PAD.encode(text)),
            ("base64 for URLs unpadded", URL_SAFE_NO_PAD.encode(text)),
        ] {
            add(name, coded);
        }
        // Within something longer that was encoded, it begins at any of three places.
        for lead in 1..3 {
            let shifted: Vec<u8> = std::iter::repeat_n(0, lead).chain(text.bytes()).collect();
            for (name, coded) in [("base64", STANDARD.encode(&shifted)), ("base64 for URLs", URL_SAFE.encode(&shifted))]
            {
                let whole = shifted.len() / 3 * 4;
                add(&format!("{name}, {lead} bytes behind something"), coded[4..whole].to_owned());
            }
        }
        for Form { name, text } in harness::redaction::forms(text) {
            // Both what a page says and how JSON writes that down.
            let written = serde_json::to_string(&text).expect("a text");
            forms.push((name.to_owned(), text.into_bytes()));
            forms.push((name.to_owned(), written.trim_matches('"').as_bytes().to_vec()));
        }
        forms.sort_by(|left, right| left.1.cmp(&right.1));
        forms.dedup_by(|later, earlier| later.1 == earlier.1);
        Search { forms }
    }

    /// These texts, each with the name of its form.
    pub(crate) fn of<const N: usize>(texts: [(&str, String); N]) -> Search {
        Search { forms: texts.map(|(name, text)| (name.to_owned(), text.into_bytes())).into() }
    }

    /// Every place that holds the text, packed or not.
    pub(crate) fn hits(&self, exhibits: &[Exhibit]) -> Vec<Hit> {
        exhibits.iter().flat_map(|exhibit| self.hits_in(&exhibit.place, &exhibit.bytes, 3)).collect()
    }

    fn hits_in(&self, place: &str, bytes: &[u8], depth: u32) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for (form, wanted) in &self.forms {
            if let Some(at) = position(bytes, wanted) {
                let around = &bytes[at.saturating_sub(60)..(at + wanted.len() + 30).min(bytes.len())];
                let around = String::from_utf8_lossy(around).into_owned();
                hits.push(Hit { place: place.to_owned(), form: form.clone(), around });
            }
        }
        if depth > 0 {
            for (packing, content) in unpacked(bytes) {
                hits.extend(self.hits_in(&format!("{place} ({packing})"), &content, depth - 1));
            }
        }
        hits
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(found) = bytes[from..].iter().position(|byte| *byte == first) {
        let at = from + found;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// What is packed within some bytes, wherever it begins.
fn unpacked(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut found = Vec::new();
    for at in 0..bytes.len() {
        let rest = &bytes[at..];
        let mut content = Vec::new();
        // What follows the packed part is an error of the unpacking; what came before it counts.
        let packing = if rest.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let decoder = zstd::stream::read::Decoder::new(rest).expect("a decoder");
            let _ = decoder.take(64 << 20).read_to_end(&mut content);
            "zstd"
        } else if rest.starts_with(&[0x1f, 0x8b, 0x08]) {
            let _ = flate2::read::MultiGzDecoder::new(rest).take(64 << 20).read_to_end(&mut content);
            "gzip"
        } else if [&b"zTXt"[..], b"iTXt"].iter().any(|chunk| rest.starts_with(chunk)) {
            // A keyword and its end, the method, and for iTXt further fields: the packed part begins where it can be read.
            let (_, chunk) = rest.split_at(4);
            for start in 0..chunk.len().min(200) {
                let _ = flate2::read::ZlibDecoder::new(&chunk[start..]).take(1 << 20).read_to_end(&mut content);
            }
            "text of a picture"
        } else {
            continue;
        };
        if !content.is_empty() {
            found.push((packing, content));
        }
    }
    found
}

fn percent(text: &str, spared: &str) -> String {
    let keep = |byte: &u8| byte.is_ascii_alphanumeric() || spared.as_bytes().contains(byte);
    let encode = |byte: u8| if keep(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}

fn lower_escapes(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| format!("{text}%{}{}", part[..2].to_lowercase(), &part[2..]))
}

fn ascii(text: &str) -> String {
    let escape = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    text.chars().map(escape).collect()
}

#[test]
fn a_text_is_found_in_every_form_and_in_every_packing() {
    let search = Search::new("two & a half/größer");
    let gzip = |bytes: &[u8]| {
        let mut packed = Vec::new();
        flate2::read::GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut packed).expect("packed");
        packed
    };
    let plain = "before two & a half/größer after";
    let inner = [b"record".to_vec(), gzip(plain.as_bytes())].concat();
    let written = [
        plain.as_bytes().to_vec(),
        b"q=two+%26+a+half%2Fgr%C3%B6%C3%9Fer".to_vec(),
        b"q=two%20%26%20a%20half%2fgr%c3%b6%c3%9fer&x".to_vec(),
        b"/two%20&%20a%20half/gr%C3%B6%C3%9Fer".to_vec(),
        br"two & a half/gr\u00f6\u00dfer".to_vec(),
        STANDARD.encode("two & a half/größer").into_bytes(),
        STANDARD.encode("x:two & a half/größer...").into_bytes(),
        URL_SAFE_NO_PAD.encode("?two & a half/größer").into_bytes(),
        inner.clone(),
        [b"log".to_vec(), zstd::encode_all(&inner[..], 1).expect("packed"), b"more".to_vec()].concat(),
    ];
    for bytes in written {
        let hits = search.hits(&[Exhibit::new("somewhere", bytes.clone())]);
        assert!(!hits.is_empty(), "not found in {}", String::from_utf8_lossy(&bytes));
    }
    let others = ["two & a half", "größer", "two%20%26%20a%20half%2fgr", "nothing of the kind"];
    for text in others {
        assert!(search.hits(&[Exhibit::new("elsewhere", text)]).is_empty(), "{text}");
    }
}
