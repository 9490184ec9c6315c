//! Mistakes are reported with file, line and a hint.

use super::*;
use domain::task::{Check, ElementCheck, TextMatch};

fn read(name: &str, text: &str) -> Result<Vec<Loaded>, Problems> {
    let mut session = validate::Session::default();
    load_text(&mut session, Path::new(name), text);
    session.finish()
}

#[track_caller]
fn check_report(name: &str, text: &str, expected: &str) {
    let report = read(name, text).expect_err("the text has a mistake").to_string();
    assert_eq!(report, expected);
}

fn compact_check(text: &str) -> Result<Check, String> {
    super::compact_check(text).map_err(|error| error.to_string())
}

fn with_task(fields: &str) -> String {
    let mut text = "tasks:\n  - id: a\n    start_url: http://shop.test/\n    instruction: Log in\n".to_owned();
    for line in fields.lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[test]
fn a_complete_file_is_read_with_its_site() {
    let text = "
sites:
  shop:
    locale: de-DE
tasks:
  - id: buy
    site: shop
    start_url: http://shop.test/
    instruction: Buy {thing}
    parameters: {thing: a lamp}
    check:
      all:
        - url: {contains: /thanks}
        - not: {text: {matches: 'error|failed'}}
";
    let loaded = read("shop.yaml", text).expect("valid");
    assert_eq!(loaded.len(), 1);
    assert_eq!(loaded[0].site.locale.as_deref(), Some("de-DE"));
    assert!(matches!(&loaded[0].task.check, Some(Check::All(inner)) if inner.len() == 2));
}

#[test]
fn an_unknown_check_is_named_with_the_nearest_known_one() {
    check_report(
        "t.yaml",
        &with_task("check:\n  textt: {contains: Hello}"),
        "t.yaml:6:7: unknown check `textt`\n  hint: did you mean `text`?",
    );
}

#[test]
fn an_unknown_check_deep_inside_is_found_where_it_stands() {
    check_report(
        "t.yaml",
        &with_task("check:\n  all:\n    - url: {contains: x}\n    - valeu: {equals: y}"),
        "t.yaml:8:11: unknown check `valeu`\n  hint: did you mean `value`?",
    );
}

#[test]
fn an_unknown_field_is_named() {
    check_report(
        "t.yaml",
        &with_task("instructions: Log in"),
        "t.yaml:5:5: unknown field `instructions`\n  hint: did you mean `instruction`?",
    );
}

#[test]
fn a_missing_start_is_explained() {
    check_report(
        "t.yaml",
        "tasks:\n  - id: a\n    instruction: Log in\n",
        "t.yaml:2:5: the field `start_url` is missing\n  hint: say where the task starts, e.g. `start_url: https://shop.example/`",
    );
}

#[test]
fn a_taken_id_names_both_places() {
    let task = "{\"id\": \"a\", \"start_url\": \"http://s.test/\", \"instruction\": \"x\"}\n";
    check_report(
        "t.jsonl",
        &format!("{task}\n{task}"),
        "t.jsonl:3: the id `a` is taken\n  hint: it is first used at t.jsonl:1; ids are unique among all tasks of a run",
    );
}

#[test]
fn addresses_that_cannot_be_opened_are_refused() {
    let report = |url: &str| {
        let text = format!("tasks:\n  - id: a\n    start_url: {url}\n    instruction: x\n");
        read("t.yaml", &text).expect_err("refused").to_string()
    };
    assert_eq!(
        report("file:///etc/passwd"),
        "t.yaml:3:5: `file:///etc/passwd`: the scheme `file` is not allowed\n  hint: Rutter opens http and https only; serve files with a local web server"
    );
    assert_eq!(
        report("shop.example/cart"),
        "t.yaml:3:5: `shop.example/cart` is no absolute address\n  hint: did you mean `https://shop.example/cart`?"
    );
    assert!(report("javascript:alert(1)").contains("the scheme `javascript` is not allowed"));
}

#[test]
fn an_undefined_parameter_is_reported() {
    let text = "tasks:\n  - id: a\n    start_url: http://s.test/\n    instruction: Buy {thingg} and {x}\n    parameters: {thing: lamp}\n";
    let report = read("t.yaml", text).expect_err("undefined").to_string();
    assert!(report.contains("t.yaml:4:5: the instruction uses `{thingg}`, which is no parameter of the task\n  hint: did you mean `thing`?"), "{report}");
    assert!(report.contains("uses `{x}`"), "{report}");
}

#[test]
fn a_secret_given_as_its_value_is_refused_and_not_repeated() {
    let report =
        read("t.yaml", &with_task("parameters:\n  password: {secret: Hunter2}")).expect_err("literal").to_string();
    assert!(report.starts_with("t.yaml:6:7: a secret is given as its value"), "{report}");
    assert!(!report.contains("Hunter2"), "{report}");
}

#[test]
fn an_unknown_site_names_the_nearest() {
    let text =
        "sites:\n  shop: {}\ntasks:\n  - id: a\n    site: shpo\n    start_url: http://s.test/\n    instruction: x\n";
    check_report("t.yaml", text, "t.yaml:5:5: unknown site `shpo`\n  hint: did you mean `shop`?");
}

#[test]
fn a_broken_regular_expression_is_reported_where_it_stands() {
    let report = read("t.yaml", &with_task("check:\n  url: {matches: '('}")).expect_err("broken").to_string();
    assert!(report.starts_with("t.yaml:6:13: `(` is no regular expression: unclosed group"), "{report}");
}

#[test]
fn broken_yaml_and_json_are_reported_with_their_place() {
    assert!(read("t.yaml", "tasks:\n  - id: 'a\n").expect_err("broken").to_string().starts_with("t.yaml:"));
    let report = read("t.jsonl", "\n{\"id\": }\n").expect_err("broken").to_string();
    assert!(report.starts_with("t.jsonl:2:8: not JSON"), "{report}");
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once() {
    let text = "tasks:\n  - id: a\n    start_url: http://s.test/\n  - id: b\n    instruction: x\n";
    assert_eq!(read("t.yaml", text).expect_err("two mistakes").0.len(), 2);
}

#[test]
fn numbers_where_text_belongs_are_explained() {
    let report = read("t.yaml", &with_task("site: 5")).expect_err("number").to_string();
    assert!(report.contains("hint: put the value in quotes"), "{report}");
}

#[test]
fn compact_checks_are_what_they_say() {
    let contains = |text: &str| TextMatch::Contains(text.into());
    assert_eq!(compact_check("url~/thanks"), Ok(Check::Url(contains("/thanks"))));
    assert_eq!(compact_check("!text~error"), Ok(Check::Not(Box::new(Check::Text(contains("error"))))));
    assert_eq!(compact_check("answer=~^4[0-9]$"), Ok(Check::Answer(TextMatch::Matches("^4[0-9]$".into()))));
    let button = ElementCheck {
        role: Some("button".into()),
        name: Some(TextMatch::Equals("Log out".into())),
        ..Default::default()
    };
    assert_eq!(compact_check("element[button]=Log out"), Ok(Check::Element(button)));
    assert_eq!(compact_check(r#"{"url": {"contains": "/thanks"}}"#), Ok(Check::Url(contains("/thanks"))));
}

#[test]
fn compact_checks_with_mistakes_say_what_to_write() {
    assert_eq!(compact_check("textt~x"), Err("unknown check `textt`; did you mean `text`?".into()));
    assert!(compact_check("value=5").expect_err("no field").contains("value[Label of the field]=text"));
    assert!(compact_check("url").expect_err("nothing compared").contains("compares nothing"));
    assert!(compact_check("url=~(").expect_err("regex").contains("is no regular expression"));
    assert_eq!(compact_check(r#"{"textt": 5}"#), Err("unknown check `textt`; did you mean `text`?".into()));
}

#[test]
fn what_other_machines_work_through_names_their_files_by_the_whole_path_and_needs_none_here() {
    let with = |secret: &str| with_task(&format!("parameters: {{password: {{secret: {secret}}}}}"));
    let read = |text: &str| read_for_others(Path::new("tasks.yaml"), text);
    assert!(read(&with("{env: NO_SUCH_VARIABLE_HERE}")).is_ok());
    assert!(read(&with("{file: /run/no/such/file}")).is_ok());
    let refused = read(&with("{file: password.txt}")).expect_err("refused").to_string();
    assert!(refused.contains("`password.txt` is no absolute path"), "{refused}");
    let recipe = "fill: {Password: {secret: {file: /run/no/such/file}}}\n";
    assert!(read_login_for_others(Path::new("login.yaml"), recipe).is_ok());
}
