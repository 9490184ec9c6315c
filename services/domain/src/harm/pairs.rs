//! The parts of an address: its parameters, however it separates them, and what a part names.

use url::{Url, form_urlencoded};

/// Names and values of the query; `;` separates them as `&` does, as older programs write it.
pub(super) fn pairs(url: &Url) -> Vec<(String, String)> {
    let query = url.query().unwrap_or_default().replace(';', "&");
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// The words of a value that stand apart in it, where it holds several: `100:12:4711:DELETE:NO`.
pub(super) fn parts(value: &str) -> Vec<&str> {
    let several: Vec<&str> = value.split(':').filter(|part| !part.is_empty()).collect();
    if several.len() > 2 { several } else { Vec::new() }
}

/// Whether a segment is the name of a file that is only read, by its ending.
pub(super) fn is_document(segment: &str) -> bool {
    const ENDINGS: [&str; 40] = [
        "tar", "gz", "tgz", "bz2", "7z", "epub", "mp3", "mp4", "wav", "ged", "geojson", "gpx", "kml", "ppt", "pptx",
        "odp", "rtf", "log", "pdf", "csv", "json", "xml", "txt", "md", "zip", "xls", "xlsx", "ods", "doc", "docx",
        "odt", "png", "jpg", "jpeg", "gif", "svg", "webp", "rss", "atom", "ics",
    ];
    segment.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_lowercase().as_str()))
}

/// Whether a segment is the name of a machine or a domain, `shop.example`, and not that of a file.
pub(super) fn is_host(segment: &str) -> bool {
    const FILES: [&str; 32] = [
        "html", "htm", "php", "aspx", "asp", "jsp", "jspa", "do", "cgi", "pl", "action", "cfm", "js", "css", "png",
        "jpg", "jpeg", "gif", "svg", "ico", "webp", "pdf", "txt", "csv", "json", "xml", "zip", "md", "rss", "atom",
        "xls", "doc",
    ];
    let labels: Vec<&str> = segment.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-');
    match labels.as_slice() {
        [_, .., last] => {
            labels.iter().all(is_label)
                && last.len() >= 2
                && last.chars().all(|letter| letter.is_ascii_lowercase())
                && !FILES.contains(last)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_told_apart_by_either_sign() {
        let url = Url::parse("http://a.example/f?action=sticky;topic=31.0&e=7%26a").unwrap();
        let all = pairs(&url);
        let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(all, [("action", "sticky"), ("topic", "31.0"), ("e", "7&a")]);
        assert_eq!(parts("100:12:4711:DELETE:NO::P12_ID:31")[3], "DELETE");
        assert!(parts("10:30").is_empty(), "a time");
    }
}
