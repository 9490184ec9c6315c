//! A dozen ways out of the scope, tried by the program on a hostile site; `make attack` tries all of them.

use serde_json::Value;
use std::process::Command;

fn attack(combinations: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("attack.json");
    let program = harness::program::command(&[]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_attack"));
    command.args(["--short", "--budget", "15", "--rutter"]).arg(program.get_program()).arg("--output").arg(&output);
    command.args(combinations.iter().flat_map(|combination| ["--only", combination]));
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let done = command.output().expect("the attack starts");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}\n{}", std::fs::read_to_string(&output).unwrap_or_default());
    serde_json::from_slice(&std::fs::read(&output).expect("its results")).expect("JSON")
}

#[test]
fn no_way_leads_a_task_out_of_the_scope_by_redirect_script_name_port_or_gate() {
    let told = attack(&["run:bidi:http", "run:classic:http"]);
    assert_eq!((&told["canary_hits"], &told["driver_hits"]), (&0.into(), &0.into()), "{told:#}");
    assert!(told["ways"].as_u64() >= Some(14) && told["stayed_at_the_site"].as_u64() > Some(0), "{told:#}");
}

#[test]
fn no_way_leads_an_exploration_out_of_the_scope() {
    let told = attack(&["explore:bidi:https", "explore:classic:https"]);
    assert_eq!((&told["canary_hits"], &told["driver_hits"]), (&0.into(), &0.into()), "{told:#}");
}
