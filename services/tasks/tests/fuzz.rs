//! Whatever a file of tasks or a log-in recipe holds, it is read or refused: no panic, and no more memory than its size allows.

use fuzzing::{Allowance, fuzz, mutated, one_of};
use std::path::Path;

const TASKS: &str = "
sites:
  shop: {locale: de-DE, scope: {hosts: [shop.test, 'https://*.shop.test:8443', 10.0.0.0/8]}}
tasks:
  - id: buy
    site: shop
    start_url: http://shop.test/?a=%20#b
    instruction: Buy {thing} and type {password}
    parameters: {thing: a lamp, password: {secret: {env: SHOP_PASSWORD}}}
    limits: {steps: 30, seconds: 300}
    check:
      all:
        - url: {contains: /thanks}
        - not: {text: {matches: 'error|failed{2,7}'}}
        - any: [{answer: {equals: '42'}}, {element: {role: button, name: {equals: Done}}}]
";

/// References, which may stand for much.
const ANCHORS: &str = "
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
tasks: &c [*b, *b, *b, *b, *b, *b, *b, *b]
sites: {a: *c, b: {<<: *c}}
";

const LINES: &str = r#"{"id": "a", "start_url": "http://shop.test/", "instruction": "Log in", "check": {"text": {"contains": "Hello"}}}
{"id": "b", "start_url": "http://[::1]:80/", "instruction": "Search for \"x\"", "check": {"not": {"url": {"matches": "^http"}}}, "limits": {"steps": 3}}
"#;

const LOGIN: &str = "
role: customer
url: /login
fill: {User: ann, Password: {secret: {file: /run/secrets/password}}}
submit: Log in
logged_in: {text: {contains: 'Hello, Ann'}}
";

const CHECKS: [&str; 4] =
    ["!url~/thanks", "answer=~a+|b{3,7}", r#"{"all": [{"text": {"contains": "x"}}]}"#, "element[button]=Done"];

/// A page of text may become many problems, each with its place and a hint.
const ALLOWED: Allowance = Allowance { base: 8 << 20, per_byte: 3_000 };

#[test]
fn a_task_file_is_read_or_refused_whatever_it_holds() {
    for (name, seed) in [("t.yaml", TASKS), ("t.jsonl", LINES)] {
        tasks::read_for_others(Path::new(name), seed).expect("what is changed is valid before");
    }
    let inputs = mutated(one_of([TASKS, LINES, ANCHORS].map(|text| text.as_bytes().to_vec())));
    fuzz("tasks", inputs, ALLOWED, |input| {
        let text = String::from_utf8_lossy(input);
        for name in ["t.yaml", "t.jsonl"] {
            if let Err(error) = tasks::read_for_others(Path::new(name), &text) {
                assert!(!error.to_string().is_empty());
            }
        }
    });
}

#[test]
fn a_log_in_recipe_and_a_check_of_the_command_line_are_read_or_refused_whatever_they_hold() {
    tasks::read_login_for_others(Path::new("login.yaml"), LOGIN).expect("what is changed is valid before");
    CHECKS.iter().for_each(|check| drop(tasks::compact_check(check).expect("what is changed is valid before")));
    let inputs =
        mutated(one_of([LOGIN, CHECKS[0], CHECKS[1], CHECKS[2], CHECKS[3]].map(|text| text.as_bytes().to_vec())));
    fuzz("logins", inputs, ALLOWED, |input| {
        let text = String::from_utf8_lossy(input);
        let _ = tasks::read_login_for_others(Path::new("login.yaml"), &text);
        let _ = tasks::compact_check(&text);
        let _ = tasks::start_url(&text);
    });
}
