//! `rutter serve all` without any configuration, before a program of somebody else on the same machine.

use super::kit::Bench;
use regex::Regex;
use reqwest::header::{HeaderMap, HeaderValue};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

/// The status of gRPC for a call whose caller is unknown.
const UNAUTHENTICATED: &str = "16";
/// An empty message in the framing of gRPC: not compressed, no bytes.
const EMPTY: &[u8] = &[0, 0, 0, 0, 0];

/// Every method that the files of the protocol declare, as the path of its call.
fn methods() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/v1");
    let service = Regex::new(r"(?m)^service (\w+) \{").expect("a pattern");
    let method = Regex::new(r"(?m)^\s+rpc (\w+)\(").expect("a pattern");
    let mut methods = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the protocol").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a file");
        let services: Vec<_> = service.captures_iter(&text).collect();
        for (number, found) in services.iter().enumerate() {
            let begin = found.get(0).expect("a match").end();
            let end = services.get(number + 1).map_or(text.len(), |next| next.get(0).expect("a match").start());
            let of_it = method.captures_iter(&text[begin..end]);
            methods.extend(of_it.map(|method| format!("/rutter.v1.{}/{}", &found[1], &method[1])));
        }
    }
    methods
}

/// A process of all roles, and where it answers.
fn serve(bench: &Bench) -> (Child, String) {
    let mut command = harness::program::command(&["serve", "all", "--listen", "127.0.0.1:0"]);
    command.current_dir(bench.path("")).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("its words")).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let (_, rest) = line.split_once("serving ")?;
        rest.rsplit_once(" at ").map(|(_, address)| address.trim().to_owned())
    });
    // It goes on writing, and must not wait for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (child, address.expect("it says where it answers"))
}

/// The status that a call ends with, in the headers: none where the call was admitted and answered something.
async fn status(client: &reqwest::Client, address: &str, path: &str, headers: &HeaderMap) -> Option<String> {
    let call = client
        .post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    let answer = call.headers(headers.clone()).body(EMPTY).send().await.expect("an answer");
    answer.headers().get("grpc-status").map(|status| status.to_str().expect("a number").to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn serve_all_answers_a_stranger_nothing_but_health() {
    let bench = Bench::new();
    let (mut serving, address) = serve(&bench);
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().expect("a client");
    let mut methods = methods();
    assert!(methods.len() >= 25, "{methods:?}");
    methods.extend(
        [
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            "/rutter.v1.PlannerService/../PlannerService/Decide",
            "/grpc.health.v1.Health/../../rutter.v1.CampaignService/List",
            "//rutter.v1.CampaignService/List",
            "/rutter.v1.campaignservice/list",
            "/",
        ]
        .map(str::to_owned),
    );
    let shown = |value: &'static str| {
        HeaderMap::from_iter([("authorization".parse().expect("a name"), HeaderValue::from_static(value))])
    };
    let strangers = [HeaderMap::new(), shown("Bearer "), shown("Bearer guessed"), shown("Basic cnV0dGVy")];
    for path in &methods {
        for headers in &strangers {
            let status = status(&client, &address, path, headers).await;
            assert_eq!(status.as_deref(), Some(UNAUTHENTICATED), "{path} {headers:?}");
        }
    }
    let health = status(&client, &address, "/grpc.health.v1.Health/Check", &HeaderMap::new()).await;
    assert_ne!(health.as_deref(), Some(UNAUTHENTICATED), "probes have no token");
    // A program of the same user is answered: the address is right, and it is the token that is missing above.
    let port = address.rsplit(':').next().expect("a port");
    let told = bench.run(&["status", "--campaigns", &format!("http://127.0.0.1:{port}"), "--output", "json"]).await;
    told.exits(0);
    serving.kill().expect("killed");
    serving.wait().expect("ended");
}
