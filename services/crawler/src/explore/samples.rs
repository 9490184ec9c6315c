//! Small files for fields that want one. They are named by their names only until they are put into a field: then they are
//! written, to a folder that goes with the explorer.

use domain::Action;
use domain::upload;
use std::io;
use std::path::Path;
use tempfile::TempDir;

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
pub(super) fn accepted(accept: &str) -> &'static str {
    let is_wanted = |wanted: &str, (name, kind, _): &(&str, &str, &[u8])| match wanted.strip_suffix("/*") {
        Some(family) => kind.split('/').next() == Some(family),
        None => *kind == wanted || (wanted.starts_with('.') && name.ends_with(wanted)),
    };
    let wanted = accept.split(',').map(|wanted| wanted.trim().to_lowercase());
    let found = wanted.into_iter().find_map(|wanted| FILES.iter().find(|file| is_wanted(&wanted, file)));
    found.unwrap_or(&FILES[0]).0
}

/// The folder of an explorer's files.
#[derive(Debug, Default)]
pub(super) struct Samples {
    folder: Option<TempDir>,
}

impl Samples {
    /// The action with files that are there: those of samples, also of another explorer's, are written.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(super) fn placed(&mut self, action: Action) -> io::Result<Action> {
        let Action::Upload { element, files } = action else { return Ok(action) };
        let placed: io::Result<Vec<String>> = files.into_iter().map(|file| self.place(file)).collect();
        Ok(Action::Upload { element, files: placed? })
    }

    fn place(&mut self, file: String) -> io::Result<String> {
        let name = Path::new(&file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((name, _, content)) = FILES.iter().find(|(known, ..)| *known == name) else { return Ok(file) };
        if self.folder.is_none() {
            self.folder = Some(tempfile::Builder::new().prefix(upload::SAMPLES).tempdir()?);
        }
        let Some(folder) = &self.folder else { return Ok(file) };
        let path = folder.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ElementId;

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

    #[test]
    fn samples_are_written_when_they_are_used_and_go_with_the_explorer() {
        let mut samples = Samples::default();
        let upload = |file: &str| Action::Upload { element: ElementId(0), files: vec![file.to_owned()] };
        let Action::Upload { files, .. } = samples.placed(upload("/gone/sample.csv")).unwrap() else { panic!() };
        assert!(std::fs::read_to_string(&files[0]).unwrap().starts_with("name,quantity"));
        drop(samples);
        assert!(!Path::new(&files[0]).exists());
        assert_eq!(Samples::default().placed(upload("/own/file.txt")).unwrap(), upload("/own/file.txt"));
    }
}
