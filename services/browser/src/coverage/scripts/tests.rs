//! What V8 reports, in its own form, and what is made of it.

use super::*;
use crate::coverage::JsCoverage;
use serde_json::{Value, json};

/// A function as V8 reports it: name, whether its blocks are known, ranges of start, end and count.
fn function(name: &str, blocks: bool, ranges: &[(u32, u32, u64)]) -> Value {
    let range = |(start, end, count): &(u32, u32, u64)| json!({"startOffset": start, "endOffset": end, "count": count});
    json!({"functionName": name, "isBlockCoverage": blocks, "ranges": ranges.iter().map(range).collect::<Vec<_>>()})
}

fn script(id: &str, url: &str, functions: Vec<Value>) -> Value {
    json!({"scriptId": id, "url": url, "functions": functions})
}

fn told(scripts: Vec<Value>) -> Value {
    json!({"result": scripts, "timestamp": 1.0})
}

fn covered(reports: Vec<Value>) -> JsCoverage {
    let coverage = JsCoverage::default();
    reports.into_iter().for_each(|report| coverage.add("tab", report, |_| {}));
    coverage
}

/// Functions that ran, of all; bytes that ran, of all.
fn counts(coverage: &JsCoverage) -> (u64, u64, u64, u64) {
    let JsFigures { functions, functions_covered, bytes, bytes_covered } = coverage.figures();
    (functions_covered, functions, bytes_covered, bytes)
}

const A: &str = "https://shop.example/a.js";

#[test]
fn the_innermost_range_says_whether_a_place_ran() {
    let whole = function("", true, &[(0, 100, 1), (60, 70, 0)]);
    let ran = function("ran", true, &[(10, 30, 1), (20, 25, 0)]);
    let idle = function("idle", false, &[(40, 60, 0)]);
    let coverage = covered(vec![told(vec![script("1", A, vec![whole, ran, idle])])]);
    assert_eq!(counts(&coverage), (2, 3, 100 - 10 - 5 - 20, 100));
}

#[test]
fn a_function_inside_of_a_block_that_did_not_run_may_have_run() {
    let whole = function("", true, &[(0, 100, 1), (50, 100, 0)]);
    let inner = function("called before by another way", true, &[(60, 80, 3)]);
    let coverage = covered(vec![told(vec![script("1", A, vec![whole, inner])])]);
    assert_eq!(counts(&coverage), (2, 2, 70, 100));
}

#[test]
fn what_ran_in_one_report_stays_covered_when_another_says_it_did_not_run() {
    let first = vec![function("", true, &[(0, 50, 1)]), function("choose", true, &[(10, 40, 1), (20, 30, 0)])];
    let second = vec![function("choose", true, &[(10, 40, 1), (10, 20, 0), (30, 40, 0)])];
    let third = vec![function("choose", false, &[(10, 40, 0)])];
    let reports = [first, second, third].map(|functions| told(vec![script("1", A, functions)]));
    assert_eq!(counts(&covered(reports.into())), (2, 2, 50, 50));
}

#[test]
fn a_script_that_is_loaded_again_is_the_same_and_one_of_another_length_is_not() {
    let of = |id, url: &str, length| told(vec![script(id, url, vec![function("", true, &[(0, length, 1)])])]);
    let url = format!("{A}?version=2#top");
    let coverage = covered(vec![of("1", A, 10), of("7", A, 10), of("8", &url, 10), of("9", A, 12)]);
    assert_eq!(counts(&coverage), (2, 2, 22, 22));
    assert_eq!(coverage.scripts().iter().map(|script| script.url.as_str()).collect::<Vec<_>>(), [A, A]);
}

#[test]
fn a_report_without_the_whole_script_belongs_to_the_script_that_the_tab_loaded() {
    let load = |id, length| {
        told(vec![script(id, A, vec![function("", true, &[(0, length, 1)]), function("f", false, &[(2, 6, 0)])])])
    };
    let call = |id| told(vec![script(id, A, vec![function("f", true, &[(2, 6, 1)])])]);
    let coverage = covered(vec![load("1", 10), load("2", 20), call("1")]);
    let ran: Vec<u64> = coverage.scripts().iter().map(|script| script.figures.functions_covered).collect();
    assert_eq!(ran, [2, 1]);
    coverage.add("another tab", call("1"), |_| {});
    assert_eq!(counts(&coverage), (3, 4, 10 + 16, 30), "it is not known which script that is");
}

#[test]
fn where_blocks_are_not_known_a_function_that_ran_counts_as_a_whole_until_they_are() {
    let load = |blocks, ranges: &[(u32, u32, u64)]| {
        told(vec![script("1", A, vec![function("", blocks, &[(0, 20, 1)]), function("f", blocks, ranges)])])
    };
    let cached = load(false, &[(10, 20, 1)]);
    let known = load(true, &[(10, 20, 1), (12, 20, 0)]);
    assert_eq!(counts(&covered(vec![cached.clone()])), (2, 2, 20, 20));
    assert_eq!(counts(&covered(vec![cached.clone(), known.clone()])), (2, 2, 12, 20));
    assert_eq!(counts(&covered(vec![known, cached])), (2, 2, 12, 20));
}

#[test]
fn what_has_no_address_of_the_web_is_not_of_the_site() {
    let of = |url: &str| script("1", url, vec![function("", true, &[(0, 10, 1)])]);
    let coverage = covered(vec![told(vec![of(""), of("chrome-extension://x/a.js"), of("data:text/javascript,f()")])]);
    assert_eq!(counts(&coverage), (0, 0, 0, 0));
}

#[test]
fn addresses_are_cleaned_of_secrets_before_they_are_kept() {
    let coverage = JsCoverage::default();
    let report = told(vec![script("1", "https://shop.example/hunter2/a.js", vec![function("", true, &[(0, 9, 1)])])]);
    coverage.add("tab", report, |url| *url = url.replace("hunter2", "${secret:password}"));
    assert_eq!(coverage.scripts()[0].url, "https://shop.example/${secret:password}/a.js");
    assert!(!String::from_utf8(coverage.to_json().unwrap()).unwrap().contains("hunter2"));
}

#[test]
fn what_was_kept_goes_on_as_if_it_had_never_ended() {
    let load = |ranges: &[(u32, u32, u64)]| {
        told(vec![script("1", A, vec![function("", true, &[(0, 30, 1)]), function("f", true, ranges)])])
    };
    let before = covered(vec![load(&[(10, 30, 1), (20, 30, 0)])]);
    let after = JsCoverage::from_json(&before.to_json().unwrap()).unwrap();
    assert_eq!(after.figures(), before.figures());
    after.add("tab", load(&[(10, 30, 1), (10, 20, 0)]), |_| {});
    assert_eq!(counts(&after), (2, 2, 30, 30));
}

#[test]
fn an_answer_that_is_none_changes_nothing() {
    let coverage = covered(vec![json!({"result": "no"}), Value::Null]);
    assert_eq!(coverage.figures(), JsFigures::default());
}
