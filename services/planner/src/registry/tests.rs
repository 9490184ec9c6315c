//! The registry's promises, held against every planner in it.

use super::*;
use serde_json::json;

fn registry() -> Registry {
    Registry::default()
}

fn label(name: &str, options: Value) -> String {
    registry().label(name, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(name: &str, options: Value) -> String {
    registry().label(name, &options).expect_err("refused").to_string()
}

#[test]
fn an_attempt_of_several_trials_says_so_in_every_table() {
    assert_eq!(label("reflection", json!({"preset": "ours"})), "reflection (ours, pass@3)");
    assert_eq!(label("reflection", json!({"preset": "ours", "trials": 5})), "reflection (ours, pass@5)");
    assert_eq!(label("reflection", json!({"preset": "ours", "trials": 1})), "reflection (ours, trials=1)");
}

#[test]
fn every_text_and_list_of_every_reply_has_a_bound_and_every_field_a_meaning() {
    let mut seen = 0;
    for entry in registry().entries() {
        for schema in entry.replies() {
            assert_eq!(schema.unbounded(), Vec::<String>::new(), "{}", entry.name);
            assert_eq!(schema.meaningless(), Vec::<String>::new(), "{}", entry.name);
            seen += 1;
        }
        assert_eq!(entry.replies().is_empty(), !entry.needs.asks_model(), "{}", entry.name);
    }
    assert!(seen > 0, "no planner asks a model");
}

#[test]
fn every_reply_type_of_the_room_belongs_to_a_planner_of_the_registry() {
    let names: Vec<String> = registry().entries().iter().flat_map(Entry::replies).map(|schema| schema.name).collect();
    let mut declared = 0;
    for file in sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = std::fs::read_to_string(&file).expect("readable");
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        if file.ends_with("tests.rs") {
            continue;
        }
        for (_, rest) in text.match_indices("impl Reply for ").map(|(at, found)| (at, &text[at + found.len()..])) {
            let name = rest.split("= \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name");
            assert!(names.iter().any(|known| known == name), "{}: reply `{name}` is listed nowhere", file.display());
            declared += 1;
        }
    }
    assert!(declared >= 10, "only {declared} reply types were found");
}

fn sources(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_defaults_of_every_planner_and_preset_are_accepted_and_need_no_words() {
    for entry in registry().entries() {
        assert_eq!(
            entry.complete(&Value::Null).expect("accepted"),
            entry.defaults(Preset::default()),
            "{}",
            entry.name
        );
        for preset in entry.presets {
            let given = json!({"preset": preset});
            assert_eq!(entry.complete(&given).expect("accepted"), entry.defaults(*preset), "{}", entry.name);
            let told = label(entry.name, given);
            assert!(told.starts_with(&format!("{} ({}", entry.name, preset.name())), "{told}");
            assert!(!told.contains('='), "{told}");
        }
    }
}

#[test]
fn every_option_of_every_planner_is_documented_and_can_be_set() {
    for entry in registry().entries() {
        for row in entry.options() {
            assert!(!row.help.is_empty() && !row.values.is_empty(), "{}: {row:?}", entry.name);
            let mut given = Value::Null;
            options::set(&mut given, &format!("{}={}", row.key, row.defaults[0])).expect("an assignment");
            entry.complete(&given).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        }
    }
}

#[test]
fn a_label_names_planner_preset_and_every_other_difference() {
    assert_eq!(label("ground", Value::Null), "ground");
    assert_eq!(label("hxagent", Value::Null), "hxagent (published)");
    let given = json!({"preset": "ours", "steps": 20, "memory": {"window": {"last": 3}}});
    assert_eq!(label("hxagent", given), "hxagent (ours, steps=20, memory.window={\"last\":3})");
    let learnt = |rule: &str| label("hxagent", json!({"experience": {"rules": [rule.repeat(50)]}}));
    assert!(learnt("a").starts_with("hxagent (published, experience.rules=#"), "{}", learnt("a"));
    assert_ne!(learnt("a"), learnt("b"), "other experience is another planner");
}

#[test]
fn what_is_not_set_comes_from_the_preset_and_what_is_set_wins() {
    let all = registry().entry("hxagent").expect("there").complete(&json!({"preset": "ours"})).expect("accepted");
    assert_eq!((&all["reply_order"], &all["content"]), (&json!("reason_first"), &json!("with_choice")));
    let given = json!({"preset": "ours", "content": "second_question"});
    let all = registry().entry("hxagent").expect("there").complete(&given).expect("accepted");
    assert_eq!((&all["reply_order"], &all["content"]), (&json!("reason_first"), &json!("second_question")));
}

#[test]
fn a_wrong_option_is_refused_by_its_name_with_what_is_possible() {
    let unknown = refusal("hxagent", json!({"page": {"max_elments": 5}}));
    assert!(unknown.contains("planner `hxagent`: option `page.max_elments`"), "{unknown}");
    assert!(unknown.contains("`max_elements`"), "{unknown}");
    let word = refusal("hxagent", json!({"reply_order": "backwards"}));
    assert!(word.contains("`reply_order`") && word.contains("choice_first"), "{word}");
    let preset = refusal("hxagent", json!({"preset": "best"}));
    assert!(preset.contains("`preset`") && preset.contains("`published`") && preset.contains("`ours`"), "{preset}");
    let kind = refusal("hxagent", json!({"steps": "many"}));
    assert!(kind.contains("`steps`") && kind.contains("many"), "{kind}");
    let range = refusal("hxagent", json!({"sampling": {"temperature": 9.0}}));
    assert!(range.contains("`sampling.temperature`") && range.contains('2'), "{range}");
    let none = refusal("random", json!({"steps": 3}));
    assert!(none.contains("planner `random`: option `steps`"), "{none}");
    assert!(refusal("ground", json!({"preset": "ours"})).contains("`preset`"), "ground has no presets");
    assert!(refusal("ground", json!([1])).contains("expected a record of options"));
}

#[test]
fn options_are_set_one_by_one() {
    let mut options = Value::Null;
    for assignment in ["steps=20", "page.neighbours.most=5", "preset=ours", "memory.window={\"last\": 2}"] {
        options::set(&mut options, assignment).expect("an assignment");
    }
    let expected = json!({
        "steps": 20, "page": {"neighbours": {"most": 5}}, "preset": "ours", "memory": {"window": {"last": 2}},
    });
    assert_eq!(options, expected);
    assert!(options::set(&mut options, "steps").expect_err("no value").to_string().contains("KEY=VALUE"));
}

#[test]
fn planners_are_built_by_name_and_say_what_they_lack() {
    let build =
        |name: &str| registry().build(name, &Value::Null, &Parts::default()).map(|planner| planner.name().to_owned());
    assert_eq!(build("random"), Ok("random".to_owned()));
    assert_eq!(
        build("ground").expect_err("no encoder").to_string(),
        "planner `ground` needs the sentence encoder, and there is none"
    );
    assert!(build("hxagent").expect_err("no model").to_string().contains("a language model"));
    let unknown = build("oracle").expect_err("unknown").to_string();
    let registry = registry();
    let known: Vec<&str> = registry.entries().iter().map(|entry| entry.name).collect();
    assert_eq!(unknown, format!("there is no planner `oracle`; there are: {}", known.join(", ")));
}

#[test]
fn the_table_of_options_names_values_defaults_and_meaning() {
    let registry = registry();
    let table = markdown(registry.entry("hxagent").expect("there"));
    assert!(table.starts_with("| option | values | published | ours | meaning |\n"), "{table}");
    assert!(
        table.contains("| `content` | `second_question`, `with_choice` | `second_question` | `with_choice` |"),
        "{table}"
    );
    assert!(table.contains("| `steps` | whole number from 1 | 15 | 15 |"), "{table}");
    assert!(table.contains("| `memory.window` | `all`, "), "{table}");
    assert_eq!(markdown(registry.entry("random").expect("there")), "It has no options.\n");
}

/// The page with what stands between two marks written anew.
fn refreshed(page: &str, start: &str, end: &str, fresh: &str) -> String {
    let (before, rest) = page.split_once(start).unwrap_or_else(|| panic!("docs/planners.md has no {start}"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("docs/planners.md: {start} has no {end}"));
    format!("{before}{start}\n{fresh}{end}{after}")
}

#[test]
fn the_tables_of_the_documentation_are_what_the_registry_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/planners.md");
    let kept = std::fs::read_to_string(&path).expect("the page");
    let registry = registry();
    let mut fresh = refreshed(&kept, "<!-- planners -->", "<!-- /planners -->", &planners_markdown(&registry));
    for entry in registry.entries() {
        let start = format!("<!-- options {} -->", entry.name);
        fresh = refreshed(&fresh, &start, "<!-- /options -->", &markdown(entry));
    }
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &fresh).expect("written");
    }
    assert!(
        std::fs::read_to_string(&path).expect("the page") == fresh,
        "docs/planners.md is stale; run `UPDATE_REFERENCE=1 cargo test -p planner` and look at the difference"
    );
}
