//! Small files for fields that want one.

/// A picture of one blue point.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde\
\x00\x00\x00\x0cIDAT\x78\x9c\x63\x30\x4e\x3b\x03\x00\x02\x35\x01\x66\x8a\x92\x44\x32\x00\x00\x00\x00IEND\xae\x42\x60\x82";
/// A document of one empty page.
const PDF: &[u8] =
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\nxref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n\
0000000052 00000 n \n0000000101 00000 n \ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n164\n%%EOF\n";

/// The files there are, the most usual first: name, type, content.
const FILES: [(&str, &str, &[u8]); 5] = [
    ("sample.txt", "text/plain", b"Written while exploring.\n"),
    ("sample.png", "image/png", PNG),
    ("sample.pdf", "application/pdf", PDF),
    ("sample.csv", "text/csv", b"name,quantity\nAda,2\nGrace,3\n"),
    ("sample.json", "application/json", b"{\"name\": \"Ada\", \"quantity\": 2}\n"),
];

/// The name of a file that a field takes, by its `accept` attribute; the first one where it takes none of them.
pub fn accepted(accept: &str) -> &'static str {
    let is_wanted = |wanted: &str, (name, kind, _): &(&str, &str, &[u8])| match wanted.strip_suffix("/*") {
        Some(family) => kind.split('/').next() == Some(family),
        None => *kind == wanted || (wanted.starts_with('.') && name.ends_with(wanted)),
    };
    let wanted = accept.split(',').map(|wanted| wanted.trim().to_lowercase());
    let found = wanted.into_iter().find_map(|wanted| FILES.iter().find(|file| is_wanted(&wanted, file)));
    found.unwrap_or(&FILES[0]).0
}

/// The content of the sample of a name.
pub fn content(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, ..)| *known == name).map(|(.., content)| *content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_gets_a_file_of_a_type_that_it_takes() {
        for (accept, name) in [
            ("", "sample.txt"),
            ("image/*", "sample.png"),
            ("image/jpeg, image/png", "sample.png"),
            (".doc,.PDF", "sample.pdf"),
            ("text/csv", "sample.csv"),
            ("audio/*", "sample.txt"),
        ] {
            assert_eq!(accepted(accept), name, "{accept}");
        }
    }
}
