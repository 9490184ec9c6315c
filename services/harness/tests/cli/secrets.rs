//! Secrets as people hand them in: by the name under which a machine keeps them, in an address, and short ones.

use super::kit::Bench;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::{Router, routing};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harness::site::Site;
use serde_json::{Value, json};
use std::path::Path;

const LOGIN: &str =
    "<form action=/in><label>Password <input type=password name=password></label><button>Log in</button></form>";

/// Greets who gave a password.
const GREETING: &str = "<h1 id=greeting></h1><script>\
    if (new URLSearchParams(location.search).get('password')) document.getElementById('greeting').textContent = 'Welcome'</script>";

fn log_in(url: &str, parameters: &Value, check: &Value) -> String {
    let instruction = "Enter \"{password}\" into the \"Password\" field and click on the \"Log in\" button.";
    json!({"id": "log-in", "start_url": url, "instruction": instruction, "parameters": parameters, "check": check})
        .to_string()
}

/// Whether a text stands in any file of a folder, as it is.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").flatten().any(|entry| match entry.path() {
        path if path.is_dir() => holds(&path, text),
        path => {
            let bytes = std::fs::read(path).expect("a file");
            bytes.windows(text.len()).any(|found| found == text.as_bytes())
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_this_machine_keeps_is_typed_by_its_name() {
    let bench = Bench::new();
    let site = Site::new().page("/", LOGIN).page("/in", "<h1>Welcome</h1>").start().await;
    let secret = json!({"password": {"secret": "shop-password"}});
    bench.write("task.jsonl", &log_in(&site.url("/"), &secret, &json!({"text": {"contains": "Welcome"}})));
    let home = bench.path("config");
    let variables = [("XDG_CONFIG_HOME", home.to_str().expect("a path"))];
    let run = ["run", "task.jsonl", "--planner", "ground", "--run-dir", "RUN"];
    let missing = bench.run_with(&run, &variables).await;
    missing.exits(2).says("rutter/secrets").says("write its value into a file of this name");
    std::fs::create_dir_all(home.join("rutter/secrets")).expect("a folder");
    std::fs::write(home.join("rutter/secrets/shop-password"), "open-sesame\n").expect("written");
    bench.run_with(&run, &variables).await.exits(0);
    assert!(site.requests().contains(&"GET /in?password=open-sesame".to_owned()), "{:?}", site.requests());
    assert!(!holds(&bench.path("RUN"), "open-sesame"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_not_typed_on_another_page_of_the_scope_unless_it_says_so() {
    let bench = Bench::new();
    let (shop, other) = (Site::new(), Site::new().page("/", LOGIN).page("/in", GREETING).start().await);
    let shop = shop.redirect("/", &other.url("/")).start().await;
    let task = |origins: &[String]| {
        let secret = json!({"password": {"secret": {"env": "SHOP"}, "origins": origins}});
        let task = log_in(&shop.url("/"), &secret, &json!({"text": {"contains": "Welcome"}}));
        let task: Value = serde_json::from_str(&task).expect("JSON");
        json!({"sites": {"127.0.0.1": {"scope": {"hosts": [other.authority()]}}}, "tasks": [task]}).to_string()
    };
    let shop_password = [("SHOP", "open-sesame")];
    for (origins, code) in [(vec![], 1), (vec![other.authority()], 0)] {
        let mut handed_in: Value = serde_json::from_str(&task(&origins)).expect("JSON");
        handed_in["tasks"][0]["site"] = json!("127.0.0.1");
        bench.write("task.yaml", &handed_in.to_string());
        let run_dir = format!("RUN{code}");
        let run = ["run", "task.yaml", "--planner", "ground", "--run-dir", &run_dir];
        bench.run_with(&run, &shop_password).await.exits(code);
        let typed = other.requests().iter().any(|line| line.contains("open-sesame"));
        assert_eq!(typed, code == 0, "{:?}", other.requests());
    }
}

#[expect(clippy::disallowed_methods, reason = "the site ends with the test")]
#[tokio::test(flavor = "multi_thread")]
async fn a_password_in_an_address_is_kept_as_a_secret_and_logs_in() {
    async fn page(headers: HeaderMap) -> Response {
        let expected = format!("Basic {}", STANDARD.encode("anna:open sesame"));
        match headers.get(header::AUTHORIZATION) {
            Some(given) if *given == *expected => {
                Html("<title>Shop</title><h1>Hello Anna</h1><button>Go</button>").into_response()
            }
            _ => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Basic realm=shop")], "who are you?")
                .into_response(),
        }
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the port just bound");
    let served = tokio::spawn(async move { axum::serve(listener, Router::new().fallback(routing::get(page))).await });
    for wire in ["bidi", "classic"] {
        let bench = Bench::new();
        let home = bench.path("config");
        let variables = [("XDG_CONFIG_HOME", home.to_str().expect("a path")), ("RUTTER_LOG", "trace")];
        let task = json!({
            "id": "hello", "start_url": format!("http://anna:open%20sesame@{address}/"), "instruction": "Click \"Go\".",
            "check": {"text": {"contains": "Hello Anna"}}, "may_hold_at_start": true,
        });
        bench.write("task.jsonl", &task.to_string());
        let said = bench
            .run_with(&["run", "task.jsonl", "--planner", "ground", "--wire", wire, "--run-dir", "RUN"], &variables)
            .await;
        said.exits(0).says("${secret:anna-127.0.0.1-");
        for given_away in ["open sesame", "open%20sesame", &STANDARD.encode("anna:open sesame")] {
            assert!(!holds(&bench.path("RUN"), given_away), "{wire}: {given_away}");
            assert!(!format!("{}{}", said.stdout, said.stderr).contains(given_away), "{wire}: {given_away}");
        }
        let kept = home.join(format!("rutter/secrets/anna-127.0.0.1-{}", address.port()));
        assert_eq!(std::fs::read_to_string(kept).expect("kept"), "open sesame");
    }
    served.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_secret_is_warned_of_and_leaves_ordinary_checks_decidable() {
    let bench = Bench::new();
    let page = "<title>Shop admin</title><h1>The admin panel</h1><p>Administration of admins</p><a href='/admin/users'>admin users</a>";
    let site = Site::new().page("/", LOGIN).page("/in", page).start().await;
    let checks = [
        json!({"text": {"contains": "The admin panel"}}),
        json!({"text": {"matches": "^The admin panel"}}),
        json!({"element": {"role": "link", "name": {"equals": "admin users"}}}),
        json!({"element": {"role": "link", "attributes": {"href": "/admin/users"}}}),
        json!({"page_state": {"expression": "document.querySelector('h1').textContent", "equals": "The admin panel"}}),
        json!({"request": {"url": {"contains": "password=admin"}, "status": 200}}),
        json!({"url": {"contains": "password=admin"}}),
        json!({"not": {"text": {"contains": "The ${secret:password} panel"}}}),
    ];
    let secret = json!({"password": {"secret": {"env": "SHOP"}}});
    bench.write("task.jsonl", &log_in(&site.url("/"), &secret, &json!({"all": checks})));
    let said =
        bench.run_with(&["run", "task.jsonl", "--planner", "ground", "--run-dir", "RUN"], &[("SHOP", "admin")]).await;
    said.exits(0).says("`password` has fewer than 8 characters");
    // What is not there is refuted, not undecided.
    bench.write("task.jsonl", &log_in(&site.url("/"), &secret, &json!({"text": {"contains": "The admin cellar"}})));
    let said =
        bench.run_with(&["run", "task.jsonl", "--planner", "ground", "--run-dir", "NOT"], &[("SHOP", "admin")]).await;
    assert!(said.exits(1).stdout.contains("NOT_ACHIEVED"), "{}", said.stdout);
}
