//! Whatever a browser reports of the scripts that ran, it is counted or refused: no panic, no count beyond the script's length,
//! and no more memory than its size allows.

use super::{Report, Scripts};
use fuzzing::{Allowance, fuzz, mutated, one_of};

const REPORT: &str = r#"{"result": [
  {"scriptId": "3", "url": "http://shop.test/a.js?v=1#x", "functions": [
    {"functionName": "", "isBlockCoverage": true, "ranges": [{"startOffset": 0, "endOffset": 90, "count": 1}, {"startOffset": 20, "endOffset": 30, "count": 0}]},
    {"functionName": "add", "isBlockCoverage": true, "ranges": [{"startOffset": 10, "endOffset": 60, "count": 4}, {"startOffset": 15, "endOffset": 40, "count": 0}]},
    {"functionName": "inner", "isBlockCoverage": false, "ranges": [{"startOffset": 25, "endOffset": 35, "count": 0}]}]},
  {"scriptId": "4", "url": "https://shop.test/b.js", "functions": [
    {"functionName": "late", "isBlockCoverage": false, "ranges": [{"startOffset": 5, "endOffset": 50, "count": 2}]}]}]}"#;

const ALLOWED: Allowance = Allowance { base: 1 << 20, per_byte: 300 };

#[test]
fn a_report_of_scripts_is_counted_or_refused_whatever_it_holds() {
    serde_json::from_str::<Report>(REPORT).expect("what is changed is valid before");
    fuzz("script-coverage", mutated(one_of([REPORT.as_bytes().to_vec()])), ALLOWED, |input| {
        let Ok(report) = serde_json::from_slice::<Report>(input) else { return };
        let mut scripts = Scripts::default();
        scripts.add("tab", report, |_| {});
        for script in scripts.figures() {
            let figures = script.figures;
            assert!(
                figures.bytes_covered <= figures.bytes && figures.functions_covered <= figures.functions,
                "{figures:?}"
            );
        }
    });
}
