//! A password that a page shows, sends and logs in every way it can is written down nowhere: not in the cluster's topics,
//! keys, tables, blobs, logs and traces, and not by a run in one process.

use crate::collector::Collector;
use crate::kit::{Cluster, files};
use crate::sweep::{Exhibit, Hit, Search, databases, kafka, redis};
use harness::model::{Dialect, ModelRequest, ModelServer, Reply};
use harness::redaction::{AWKWARD, Part, Tally, forms};
use harness::site::{RunningSite, Site};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Has everything in it that some encoding writes in another way.
const SECRET: &str = AWKWARD;

/// Where its value stands for the processes.
const VARIABLE: &str = "SHOP_PASSWORD";

/// What machines call it that keep it.
const NAME: &str = "shop-password";

/// What stands in the secret's place.
const REFERENCE: &str = "${secret:password}";

/// Says what is typed with each key, and key by key.
const LOGIN: &str = r#"<h1>Shop</h1><form action=/welcome><label>User <input name=user></label>
<label>Password <input type=password name=password id=password></label><button>Log in</button></form><ul id=grown></ul><script>
const grown = document.getElementById('grown');
document.getElementById('password').oninput = (event) => {
  const echo = event.target.value;
  grown.append(Object.assign(document.createElement('li'), { textContent: echo }));
  console.error('typed ' + echo);
  fetch('/typed?is=' + encodeURIComponent(echo));
};
document.getElementById('password').onkeydown = (event) => {
  if (event.key.length > 1) return;
  console.error('key ' + event.key);
  fetch('/key?is=' + encodeURIComponent(event.key));
};
</script>"#;

/// Echoes the password by every way out of a page.
const WELCOME: &str = r#"<h1>Welcome</h1><meta name=description content=x><p id=plain></p><p id=long></p><p id=component></p>
<p id=address></p><p id=json></p><p id=base64></p><p id=basic></p><input id=field aria-label=Field required>
<select id=list aria-label=List></select><ul id=forms></ul><p id=letters></p>
<div style="position:fixed;left:700px;top:20px;width:60px;height:60px;background:#00aa00"></div>
<div style="position:fixed;left:700px;top:100px;font:20px/20px monospace;white-space:nowrap" id=proof></div><a id=out>Leave</a><button id=told>Tell</button><iframe id=frame></iframe><script>
const password = new URLSearchParams(location.search).get('password') ?? '';
const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const say = (id, text) => { document.getElementById(id).textContent = text; };
document.title = 'Welcome ' + password;
document.querySelector('meta[name=description]').content = 'For ' + password;
say('plain', 'Your password is ' + password);
say('long', 'x'.repeat(188) + ' ' + password);
say('component', encodeURIComponent(password));
say('address', encodeURI(password));
say('json', JSON.stringify({ password, again: JSON.stringify(password) }));
say('base64', base64(password));
say('basic', 'Basic ' + base64('anna:' + password));
const field = document.getElementById('field');
field.value = password;
field.placeholder = password;
field.title = password;
field.setCustomValidity('not ' + password);
document.getElementById('list').append(new Option(password, password));
document.getElementById('out').href = OUTSIDE + '?password=' + encodeURIComponent(password);
document.getElementById('told').ariaLabel = 'Tell ' + password;
document.getElementById('frame').src = '/frame?password=' + encodeURIComponent(password);
console.error('the password is ' + password);
console.error({ password });
fetch('/missing?password=' + encodeURIComponent(password) + '&basic=' + base64('anna:' + password));
fetch(OUTSIDE + '?password=' + encodeURIComponent(password)).catch(() => {});
localStorage.setItem('password', password);
say('proof', password);
for (const form of FORMS) {
  document.getElementById('forms').append(Object.assign(document.createElement('li'), { textContent: form, title: form }));
  console.error('form ' + form);
  fetch('/form?is=' + form);
}
for (const letter of password) document.getElementById('letters').append(Object.assign(document.createElement('b'), { textContent: letter }));
setTimeout(() => { throw new Error('thrown with ' + password); });
</script>"#;

const FROM_ADDRESS: &str = "new URLSearchParams(location.search).get('password') ?? ''";

/// The page that echoes, which knows the password by an expression.
fn welcome(password: &str) -> String {
    let forms: Vec<String> = forms(SECRET).into_iter().map(|form| form.text).collect();
    let forms = json!(forms).to_string().replace("</", "<\\/");
    WELCOME.replace("OUTSIDE", "'http://outside.example/'").replace(FROM_ADDRESS, password).replace("FORMS", &forms)
}

async fn shop() -> RunningSite {
    let site = Site::new().page("/", LOGIN).page("/welcome", &welcome(FROM_ADDRESS));
    site.page("/frame", "<p>Framed</p>").start().await
}

/// Tasks that end in different ways, so that everything there is to write down is: success, evidence of a failure by text, by
/// an expression and by the address, and a way out of the scope.
fn tasks(site: &RunningSite) -> String {
    let log_in = "Enter \"{password}\" into the \"Password\" field and click on the \"Log in\" button.";
    let leave = "Enter \"{password}\" into the \"Password\" field and click on the \"Log in\" button, then click on the \"Leave\" link.";
    let task = |id: &str, instruction: &str, check: Value| {
        // One of them names the secret as the machine does.
        let reference = if id == "passes" { json!(NAME) } else { json!({"env": VARIABLE}) };
        let secret = json!({"password": {"secret": reference}});
        let limits = json!({"steps": 6, "seconds": 60});
        json!({"id": id, "start_url": site.url("/"), "instruction": instruction, "parameters": secret, "check": check,
               "limits": limits})
    };
    let equals = |expression: &str| json!({"page_state": {"expression": expression, "equals": 1}});
    [
        task("passes", log_in, json!({"text": {"contains": "Welcome"}})),
        task("refuted-by-text", log_in, json!({"text": {"contains": "Sold out"}})),
        task("refuted-by-value", log_in, equals("({text: document.body.innerText, stored: {...localStorage}})")),
        task("throws", log_in, equals("(() => { throw new Error(document.title) })()")),
        task("refuted-by-address", log_in, json!({"url": {"equals": "http://nowhere.example/"}})),
        task("leaves", leave, json!({"url": {"contains": "outside.example"}})),
    ]
    .map(|task| format!("{task}\n"))
    .concat()
}

/// Fails when the secret is anywhere, or when nothing was looked at.
#[track_caller]
fn assert_kept(search: &Search, what: &str, exhibits: &[Exhibit]) {
    assert!(!exhibits.is_empty(), "{what}: nothing was looked at");
    let hits = search.hits(exhibits);
    assert!(hits.is_empty(), "{what}: {} of {} exhibits: {hits:#?}", hits.len(), exhibits.len());
    eprintln!("{what}: {} exhibits, {} bytes", exhibits.len(), exhibits.iter().map(|e| e.bytes.len()).sum::<usize>());
}

/// Counts every form at a place, with its leaks.
fn looked(part: &mut Part, search: &Search, wire: &str, place: &str, exhibits: &[Exhibit]) {
    let hits = search.hits(exhibits);
    for form in forms(SECRET) {
        let hit = hits.iter().find(|hit| hit.form == form.name);
        part.looked(form.name, place, wire, hit.map(|hit| format!("{hit:?}")));
    }
    // Beginnings of at least three letters, of which a page made texts of their own.
    let told = Search::of([3, 5, 8, 12].map(|length| {
        let beginning: String = SECRET.chars().take(length).collect();
        ("a beginning", format!("typed {beginning}"))
    }));
    let hit = told.hits(exhibits).into_iter().next();
    part.looked("growing", place, wire, hit.map(|hit| format!("{hit:?}")));
}

/// Counts the pixels of pictures that show the welcome page: those that it shows the password in are painted over.
fn looked_at_pictures(part: &mut Part, wire: &str, exhibits: &[Exhibit]) -> usize {
    let mut seen = 0;
    for exhibit in exhibits {
        let unpacked = zstd::decode_all(&exhibit.bytes[..]).unwrap_or_else(|_| exhibit.bytes.clone());
        let Ok(picture) = image::load_from_memory(&unpacked) else { continue };
        let picture = picture.to_rgba8();
        // A green square says which page it is.
        if picture.dimensions() < (1100, 130) || picture.get_pixel(730, 50).0 != [0, 0xaa, 0, 255] {
            continue;
        }
        seen += 1;
        let width = SECRET.chars().count() as u32 * 12;
        let pixels = (101..119).flat_map(|y| (701..700 + width).map(move |x| (x, y)));
        let bare = pixels.clone().filter(|(x, y)| picture.get_pixel(*x, *y).0 != [40, 40, 40, 255]).count();
        part.pixels += pixels.count();
        part.bare_pixels += bare;
        if bare > 0 {
            // To be looked at.
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bare-{wire}-{seen}.png"));
            picture.save(&kept).expect("a picture");
        }
        let leak = (bare > 0).then(|| format!("{}: {bare} pixels are not painted over", exhibit.place));
        part.looked("plain", "picture", wire, leak);
    }
    seen
}

/// Fails unless the reference stands where the secret would have been: there it was taken out, and was there.
#[track_caller]
fn assert_referred(what: &str, exhibits: &[Exhibit]) {
    assert!(!Search::new(REFERENCE).hits(exhibits).is_empty(), "{what}: no reference to the secret either");
}

fn assert_echoed(site: &RunningSite) {
    let requests: Vec<Exhibit> = site.requests().into_iter().map(|line| Exhibit::new("a request", line)).collect();
    assert!(
        !Search::new(SECRET).hits(&requests).is_empty(),
        "the secret never came to the site: {:#?}",
        site.requests()
    );
}

fn log_exhibits(logs: &[PathBuf]) -> Vec<Exhibit> {
    logs.iter().map(|log| Exhibit::of_file(log)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_page_echoes_is_kept_out_of_kafka_redis_postgres_blobs_logs_and_traces() {
    kept_out_of_a_cluster("bidi").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_page_echoes_over_classic_webdriver_is_kept_out_of_kafka_redis_postgres_and_blobs() {
    kept_out_of_a_cluster("classic").await;
}

async fn kept_out_of_a_cluster(wire: &str) {
    let kept = tempfile::tempdir().expect("a directory");
    std::fs::write(kept.path().join(NAME), SECRET).expect("written");
    let (site, collector, search) = (shop().await, Collector::start().await, Search::new(SECRET));
    let settings = format!(
        "[traces]\nendpoint = \"{}\"\nservice = \"rutter\"\n[crawler]\nslots = 2\nsecrets_directory = \"{}\"\nbrowser = {{ wire = \"{wire}\" }}\n\
         allowed = {{ variables = [\"{VARIABLE}\"], secrets = {{ {NAME} = [\"http://127.0.0.1:*\"] }} }}\n",
        collector.endpoint,
        kept.path().display()
    );
    let environment = [(VARIABLE, SECRET), ("RUTTER_LOG", "trace")];
    let mut cluster = Cluster::start(&settings, &environment).await;
    std::fs::write(cluster.path("tasks.jsonl"), tasks(&site)).expect("written");
    let submit =
        ["submit", "tasks.jsonl", "--campaign", "shop", "--watch", "--config", "rutter.toml", "--output", "json"];
    let said = cluster.rutter(&submit).await;
    let told = [Exhibit::new("what submit printed", said.stdout.clone()), Exhibit::new("its log", said.stderr.clone())];
    let text = String::from_utf8_lossy(&said.stdout);
    let results: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let verdicts: Vec<&str> = results["outcomes"]
        .as_array()
        .expect("outcomes")
        .iter()
        .filter_map(|outcome| outcome["verdict"].as_str())
        .collect();
    eprintln!("{verdicts:?}");
    assert_eq!(verdicts.len(), 6, "{results:#}");
    assert!(verdicts.contains(&"PASSED"), "{results:#}");
    assert_echoed(&site);

    let stores = &cluster.stores;
    let (prefix, keys) = (stores.topic_prefix.clone(), stores.redis_prefix.clone());
    let topics = kafka::exhibits(&stores.brokers, &prefix).await;
    let cached = redis::exhibits(&stores.redis, &keys).await;
    let tables = databases::postgres(&stores.postgres).await;
    let blobs: Vec<Exhibit> = files(&stores.blobs).iter().map(|file| Exhibit::of_file(file)).collect();
    cluster.stop().await;
    let logs = log_exhibits(&cluster.logs());
    let spans: Vec<Exhibit> = collector.bytes().into_iter().map(|bytes| Exhibit::new("spans", bytes)).collect();
    for (what, exhibits) in [("topics", &topics), ("tables", &tables), ("blobs", &blobs)] {
        assert_kept(&search, what, exhibits);
        assert_referred(what, exhibits);
    }
    for (what, exhibits) in [("keys", &cached), ("logs", &logs), ("traces", &spans)] {
        assert_kept(&search, what, exhibits);
    }
    assert_kept(&search, "what the command line said", &told);
    assert!(logs.iter().any(|log| String::from_utf8_lossy(&log.bytes).contains("DEBUG")), "no debugging logs");
    let mut part = Part::default();
    for (place, exhibits) in
        [("topic", &topics), ("table", &tables), ("blob", &blobs), ("key", &cached), ("log", &logs), ("trace", &spans)]
    {
        looked(&mut part, &search, wire, place, exhibits);
    }
    assert!(looked_at_pictures(&mut part, wire, &blobs) > 0, "no picture shows the page");
    Tally::put(&format!("cluster, {wire}"), part.clone()).expect("written");
    assert!(part.leaks.is_empty(), "{} of {} combinations: {:#?}", part.leaks.len(), part.combinations, part.leaks);

    // The same search finds what stands there, packed or not.
    let stores = &cluster.stores;
    let packed = zstd::encode_all(SECRET.as_bytes(), 3).expect("packed");
    kafka::plant(&stores.brokers, &format!("{prefix}trajectories"), &packed, SECRET.as_bytes()).await;
    redis::plant(&stores.redis, &keys, SECRET.as_bytes(), &packed).await;
    databases::plant(&stores.postgres, &packed, SECRET).await;
    for (what, exhibits) in [
        ("topics", kafka::exhibits(&stores.brokers, &prefix).await),
        ("keys", redis::exhibits(&stores.redis, &keys).await),
        ("tables", databases::postgres(&stores.postgres).await),
    ] {
        let place = |hit: Hit| hit.place.trim_end_matches(" (zstd)").to_owned();
        let places: BTreeSet<String> = search.hits(&exhibits).into_iter().map(place).collect();
        assert_eq!(places.len(), 2, "{what}: {places:?}");
    }
}

/// What a run in one process leaves in its directory: the database column by column, and every file as it is.
async fn run_exhibits(directory: &Path) -> Vec<Exhibit> {
    let mut exhibits = databases::sqlite(&directory.join("rutter.sqlite")).await;
    exhibits.extend(files(directory).iter().map(|file| Exhibit::of_file(file)));
    exhibits
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_page_echoes_is_kept_out_of_everything_that_a_run_in_one_process_writes() {
    kept_out_of_a_run("bidi").await;
    kept_out_of_a_run("classic").await;
}

async fn kept_out_of_a_run(wire: &str) {
    let (site, search) = (shop().await, Search::new(SECRET));
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("tasks.jsonl"), tasks(&site)).expect("written");
    let secrets = folder.path().join("config/rutter/secrets");
    std::fs::create_dir_all(&secrets).expect("a folder");
    std::fs::write(secrets.join(NAME), SECRET).expect("written");
    let arguments = ["run", "tasks.jsonl", "--run-dir", "RUN", "--output", "json", "--wire", wire];
    let mut command = harness::program::command(&arguments);
    command.env("XDG_CONFIG_HOME", folder.path().join("config"));
    command.current_dir(folder.path()).env(VARIABLE, SECRET).env("RUTTER_LOG", "trace");
    let running = tokio::task::spawn_blocking(move || command.output());
    let said = tokio::time::timeout(Duration::from_secs(180), running).await.expect("in time").expect("joined");
    let said = said.expect("the binary starts");
    assert_echoed(&site);
    let exhibits = run_exhibits(&folder.path().join("RUN")).await;
    assert_referred("the run", &exhibits);
    assert_kept(&search, "the run", &exhibits);
    let told = [Exhibit::new("what it printed", said.stdout), Exhibit::new("its log", said.stderr)];
    assert_kept(&search, "what it said", &told);
    let mut part = Part::default();
    looked(&mut part, &search, wire, "run directory", &exhibits);
    looked(&mut part, &search, wire, "log", &told);
    assert!(looked_at_pictures(&mut part, wire, &exhibits) > 0, "no picture shows the page");
    Tally::put(&format!("one process, {wire}"), part.clone()).expect("written");
    assert!(part.leaks.is_empty(), "{} of {} combinations: {:#?}", part.leaks.len(), part.combinations, part.leaks);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_page_knows_from_the_beginning_is_in_no_prompt() {
    let password = serde_json::to_string(SECRET).expect("a text");
    let site = Site::new().page("/", &welcome(&password)).page("/frame", LOGIN).start().await;
    let model = ModelServer::start(|_: &ModelRequest| Reply::Text("I do not know.".into())).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("tasks.jsonl"), tasks(&site).lines().nth(1).expect("a task")).expect("written");
    let url = model.base_url(Dialect::OpenAi);
    let arguments = ["run", "tasks.jsonl", "--run-dir", "RUN", "--planner", "hxagent", "--model", "scripted-1"];
    let of_model = ["--model-url", &url, "--model-key-env", "SCRIPTED_KEY"];
    let mut command = harness::program::command(&[&arguments[..], &of_model].concat());
    command.current_dir(folder.path()).env(VARIABLE, SECRET).env("SCRIPTED_KEY", ModelServer::KEY);
    command.env("RUTTER_LOG", "trace");
    let running = tokio::task::spawn_blocking(move || command.output());
    let said = tokio::time::timeout(Duration::from_secs(120), running).await.expect("in time").expect("joined");
    let said = said.expect("the binary starts");
    let messages = |asked: ModelRequest| asked.messages.into_iter().map(|message| message.text).chain([asked.system]);
    let prompts: Vec<Exhibit> =
        model.asked().into_iter().flat_map(messages).map(|text| Exhibit::new("a prompt", text)).collect();
    let search = Search::new(SECRET);
    assert_kept(&search, "prompts", &prompts);
    let shown: Vec<Exhibit> = prompts.into_iter().filter(|prompt| holds(prompt, "Your password is")).collect();
    assert_referred("prompts that show the page", &shown);
    assert_kept(&search, "the run", &run_exhibits(&folder.path().join("RUN")).await);
    let told = [Exhibit::new("what it printed", said.stdout), Exhibit::new("its log", said.stderr)];
    assert_kept(&search, "what it said", &told);
}

fn holds(exhibit: &Exhibit, text: &str) -> bool {
    !Search::new(text).hits(std::slice::from_ref(exhibit)).is_empty()
}
