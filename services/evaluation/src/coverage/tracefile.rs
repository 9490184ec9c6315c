//! lcov's tracefiles, as gcov, grcov, llvm-cov, Go's and Dart's tools and many others write them.

use super::{Coverage, Flaw, KNOWN, WRITE_WHOLE};
use lcov::Record;

/// Records that are read. Of the others, newer tools write some that no library knows yet.
const READ: [&str; 3] = ["SF:", "DA:", "end_of_record"];

pub(super) fn read(text: &str) -> Result<Coverage, Flaw> {
    let mut coverage = Coverage::default();
    let mut file: Option<String> = None;
    let mut is_one = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        if !READ.iter().any(|kind| line.starts_with(kind)) {
            continue;
        }
        let record: Record = line
            .parse()
            .map_err(|error: lcov::record::ParseRecordError| Flaw::new(error.to_string(), WRITE_WHOLE).at(number))?;
        match (record, &file) {
            (Record::SourceFile { path }, _) => {
                let path = path.to_string_lossy().into_owned();
                coverage.files.entry(path.clone()).or_default();
                file = Some(path);
                is_one = true;
            }
            (Record::LineData { line, count, .. }, Some(file)) => coverage.add(file, line, count > 0),
            (Record::LineData { .. }, None) => {
                return Err(Flaw::new("lines of a file that is not named", WRITE_WHOLE).at(number));
            }
            (Record::EndOfRecord, _) => file = None,
            _ => {}
        }
    }
    match file {
        Some(file) => Err(Flaw::new(format!("it ends amid the lines of {file}"), WRITE_WHOLE)),
        None if !is_one => Err(Flaw::new("it names no file", KNOWN)),
        None => Ok(coverage),
    }
}
