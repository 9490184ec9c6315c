//! Reports as the tools write them, whole and broken.

use super::*;

/// A report as coverage.py 7 writes it, shortened by what is not read.
pub(super) const COVERAGE_PY: &str = r#"{"meta": {"format": 3, "version": "7.17.3", "timestamp": "2026-11-22T13:53:08.030819", "branch_coverage": false,
    "show_contexts": false}, "files": {
    "pkg/__init__.py": {"executed_lines": [], "summary": {"covered_lines": 0, "num_statements": 0}, "missing_lines": [], "excluded_lines": []},
    "pkg/m.py": {"executed_lines": [1, 2, 3, 6], "summary": {"covered_lines": 4, "num_statements": 6},
      "missing_lines": [4, 7], "excluded_lines": [],
      "functions": {"a": {"executed_lines": [2, 3], "missing_lines": [4], "excluded_lines": [], "start_line": 1}}}},
    "totals": {"covered_lines": 4, "num_statements": 6, "percent_covered": 66.66666666666667}}"#;

pub(super) const ISTANBUL: &str = r#"{"/app/src/cart.js": {"path": "/app/src/cart.js",
    "statementMap": {"0": {"start": {"line": 1, "column": 0}, "end": {"line": 3, "column": 1}},
      "1": {"start": {"line": 2, "column": 2}, "end": {"line": 2, "column": 20}},
      "2": {"start": {"line": 2, "column": 21}, "end": {"line": 2, "column": 40}},
      "3": {"start": {"line": 5, "column": 0}, "end": {"line": 5, "column": 9}}},
    "fnMap": {"0": {"name": "add", "decl": {"start": {"line": 1, "column": 9}, "end": {"line": 1, "column": 12}}, "line": 1}},
    "branchMap": {}, "s": {"0": 1, "1": 0, "2": 4, "3": 0}, "f": {"0": 4}, "b": {}, "hash": "9f", "_coverageSchema": "1a"}}"#;

pub(super) const LCOV: &str = "TN:\nSF:pkg/m.py\nFN:1,4,a\nFNDA:1,a\nFNL:0,1,4\nFNF:1\nFNH:1\nBRDA:2,0,jump to line 3,1\nDA:1,1\nDA:2,12,kz8t\n\
    DA:4,0\nLF:3\nLH:2\nend_of_record\nSF:pkg/n.py\nDA:9,0\nLF:1\nLH:0\nend_of_record\n";

pub(super) const JACOCO: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="shop"><sessioninfo id="host-1" start="1" dump="2"/><group name="api"><package name="org/shop">
<class name="org/shop/Cart" sourcefilename="Cart.java"><method name="add" desc="()V" line="7"><counter type="LINE" missed="1" covered="2"/></method></class>
<sourcefile name="Cart.java"><line nr="7" mi="0" ci="3" mb="0" cb="0"/><line nr="8" mi="2" ci="1" mb="1" cb="1"/>
<line nr="9" mi="4" ci="0" mb="0" cb="0"/><counter type="LINE" missed="1" covered="2"/></sourcefile></package></group></report>"#;

pub(super) const COBERTURA: &str = r#"<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5" lines-valid="2" lines-covered="1" version="2.1.1" timestamp="1">
  <sources><source>/app</source></sources>
  <packages><package name="shop" line-rate="0.5"><classes>
    <class name="a &amp; b" filename="shop/a&amp;b.py" line-rate="0.5">
      <methods><method name="f" signature="()"><lines><line number="2" hits="3"/></lines></method></methods>
      <lines><line number="2" hits="3" branch="false"/><line number="3" hits="0"/></lines>
    </class>
    <class name="Inner" filename="shop/a&amp;b.py"><methods/><lines><line number="3" hits="1"/><line number="4" hits="0"/></lines></class>
  </classes></package></packages>
</coverage>"#;

fn read(text: &str) -> Coverage {
    Coverage::read("report", text).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    Coverage::read("report", text).expect_err("it is no whole report").to_string()
}

/// Each file with its lines: those that ran bare, the others in brackets.
fn lines(coverage: &Coverage) -> Vec<String> {
    let line = |(line, ran): (&u32, &bool)| if *ran { line.to_string() } else { format!("({line})") };
    let file = |(file, lines): (&String, &BTreeMap<u32, bool>)| {
        format!("{file}: {}", lines.iter().map(line).collect::<Vec<_>>().join(" "))
    };
    coverage.files.iter().map(file).collect()
}

#[test]
fn coverage_py_is_read() {
    let coverage = read(COVERAGE_PY);
    assert_eq!(lines(&coverage), ["pkg/__init__.py: ", "pkg/m.py: 1 2 3 (4) 6 (7)"]);
    assert_eq!((coverage.lines(), coverage.covered()), (6, 4));
}

#[test]
fn of_istanbul_a_line_ran_if_a_statement_ran_that_begins_on_it() {
    assert_eq!(lines(&read(ISTANBUL)), ["/app/src/cart.js: 1 2 (5)"]);
}

#[test]
fn lcov_is_read_with_records_that_only_newer_tools_write() {
    assert_eq!(lines(&read(LCOV)), ["pkg/m.py: 1 2 (4)", "pkg/n.py: (9)"]);
}

#[test]
fn jacoco_is_read_with_the_folders_of_its_files() {
    assert_eq!(lines(&read(JACOCO)), ["api/org/shop/Cart.java: 7 8 (9)"]);
}

#[test]
fn cobertura_is_read_and_classes_of_one_file_are_united() {
    assert_eq!(lines(&read(COBERTURA)), ["shop/a&b.py: 2 3 (4)"]);
}

#[test]
fn a_line_of_two_reports_ran_if_one_says_so() {
    let mut coverage = read(LCOV);
    coverage.merge(read("SF:pkg/m.py\nDA:1,0\nDA:4,1\nDA:5,0\nend_of_record\n"));
    assert_eq!(lines(&coverage), ["pkg/m.py: 1 2 4 (5)", "pkg/n.py: (9)"]);
    assert_eq!((coverage.lines(), coverage.covered()), (5, 3));
}

#[test]
fn a_report_that_is_cut_off_anywhere_is_refused_or_has_lost_nothing() {
    for report in [COVERAGE_PY, ISTANBUL, LCOV, JACOCO, COBERTURA] {
        let whole = read(report);
        for end in (0..report.trim_end().len()).filter(|end| report.is_char_boundary(*end)) {
            match Coverage::read("report", &report[..end]) {
                Err(error) => assert!(error.to_string().contains("the coverage report report"), "{error}"),
                // A tracefile has no end of its own: what lacks whole files cannot be told from one that has fewer.
                Ok(read) => {
                    assert!(report == LCOV && read.files.iter().all(|(file, lines)| whole.files[file] == *lines))
                }
            }
        }
    }
}

#[test]
fn a_broken_report_is_refused_with_place_and_hint() {
    let broken = COBERTURA.replace("hits=\"0\"/></lines>\n    </class>", "hits=\"?\"/></lines>\n    </class>");
    let said = refused(&format!("\n{broken}"));
    assert!(said.contains("line 9") && said.contains("`hits` is \"?\""), "{said}");
    let said = refused("TN:\nSF:a.c\nDA:1,x\nend_of_record\n");
    assert!(said.contains("line 3") && said.contains("let the command write it whole"), "{said}");
    let said = refused(&COVERAGE_PY.replace("\"missing_lines\": [4, 7]", "\"missing_lines\": {}"));
    assert!(said.contains("line 5") && said.contains("coverage json"), "{said}");
}

#[test]
fn what_is_no_report_of_lines_is_refused_with_what_would_be_one() {
    assert!(refused("").contains("it is empty"));
    assert!(refused("   \n").contains("it is empty"));
    assert!(refused("nothing here").contains("it names no file"));
    assert!(refused("{\"total\": {\"lines\": {\"total\": 3, \"covered\": 1}}}").contains("not `json-summary`"));
    assert!(refused("{\"a.js\": 3}").contains("coverage.py (`coverage json`)"));
    assert!(refused("<html><body/></html>").contains("its root is <html>"));
    let clover = "<coverage generated=\"1\"><project><file name=\"a.php\"><line num=\"1\" count=\"2\"/></file></project></coverage>";
    assert!(refused(clover).contains("has no `number`"), "{}", refused(clover));
}
