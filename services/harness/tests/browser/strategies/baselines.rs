//! Plans that are replaced, and the baselines.

use super::{Case, act, carry_out, number, plan};
use domain::verdict::VerdictKind;
use serde_json::{Value, json};

#[tokio::test]
async fn a_full_plan_that_fails_is_replaced() {
    let case = Case {
        planner: "full-plan",
        task: "Open the settings",
        html: page!(
            "'Profile', 'More'",
            "function go(name) { if (name === 'More') show('Settings'); else show(name === 'Settings' ? '*Well done' : '*No'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_in_words" if prompt.contains("The plan failed here") => plan(&["click More", "click Settings"]),
            "plan_in_words" => plan(&["click Settings"]),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let strict = |replans: u32| json!({"preset": "ours", "following": "strict", "replans": replans});
    Box::pin(case.only(strict(1), strict(0))).await;
}

#[tokio::test]
async fn adaplanner_fills_a_gap_from_the_page_that_shows_it() {
    let case = Case {
        planner: "adaplanner",
        task: "Enter the code that is shown",
        html: "<main><button onclick=\"main.innerHTML = codes\">Show code</button></main><script>const main = \
               document.querySelector('main'); const code = String(1000 + Math.floor(Math.random() * 9000)); const codes = \
               `<p>The code is ${code}</p><button onclick=\"main.innerHTML = field\">Go on</button>`; const field = `<label>Code \
               <input id=code oninput=\"if (this.value === '${code}') main.innerHTML = 'Well done'\"></label>`;</script>",
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_with_assertions" => {
                let line = |step: &str, reads: Option<&str>| json!({"step": step, "reads": reads, "expects": null});
                json!({"steps": [line("click Show code", Some("code: the code")), line("click Go on", None),
                    line("type {code} into Code", None)]})
            }
            "read_from_page" => json!({"value": prompt.split("The code is ").nth(1).map(|rest| &rest[..4])}),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let ours = |in_plan: bool| json!({"preset": "ours", "in_plan": in_plan});
    Box::pin(case.only(ours(true), ours(false))).await;
}

#[tokio::test]
async fn adaplanner_mends_its_plan_where_the_page_is_not_as_expected() {
    let case = Case {
        planner: "adaplanner",
        task: "Get in",
        html: page!(
            "'Front door', 'Back door'",
            "function go(name) { if (name === 'Back door') show('*Well done'); else show('*Locked', 'Back door'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_with_assertions" if prompt.contains("FAILED") => {
                json!({"steps": [{"step": "click Back door", "reads": null, "expects": null}]})
            }
            "plan_with_assertions" => {
                json!({"steps": [{"step": "click Front door", "reads": null, "expects": "a hall"}]})
            }
            "asserted" => json!({"reason": "seen", "holds": !prompt.contains("Locked")}),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let ours = |out_of_plan: u32| json!({"preset": "ours", "out_of_plan": out_of_plan});
    Box::pin(case.only(ours(1), ours(0))).await;
}

#[tokio::test]
async fn reflection_succeeds_in_its_second_trial() {
    let case = Case {
        planner: "reflection",
        task: "Arrive",
        html: page!("'Left', 'Right'", "function go(name) { show(name === 'Right' ? '*Well done' : '*Dead end'); }"),
        model: |asked, prompt| {
            let stage = |status: &str, number: Option<i64>| {
                let steps: Vec<Value> = number
                    .into_iter()
                    .map(|number| json!({"chosen_action": number, "text": null, "press_enter": false}))
                    .collect();
                json!({"status": status, "steps": steps, "reason": "as scripted", "answer": null})
            };
            match asked.schema.name.as_str() {
                "reflected" => json!({"wrong_step": 1, "instead": "go right"}),
                _ if prompt.contains("Well done") => stage("done", None),
                _ if prompt.contains("Dead end") => stage("infeasible", None),
                _ if prompt.contains("Instead: go right") => stage("act", number(prompt, "click", "Right")),
                _ => stage("act", number(prompt, "click", "Left")),
            }
        },
    };
    let ours = |reflect: bool| json!({"preset": "ours", "reflect": reflect});
    Box::pin(case.only(ours(true), ours(false))).await;
    assert_ne!(
        case.verdict(json!({"preset": "ours", "trials": 1})).await,
        VerdictKind::Passed,
        "one trial is not enough"
    );
}

#[tokio::test]
async fn rci_mends_its_plan_by_one_explicit_critique() {
    let case = Case {
        planner: "rci",
        task: "Order it",
        html: page!(
            "'Order', 'Agree'",
            "let agreed = false; function go(name) { if (name === 'Agree') agreed = true; \
             else show(agreed ? '*Well done' : '*The terms come first'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "critique" => json!({"problems": "the terms are not agreed to"}),
            "plan_in_words" if prompt.contains("PROBLEMS") => plan(&["click Agree", "click Order"]),
            "plan_in_words" => plan(&["click Order"]),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
    };
    let ours = |critiques: u32| json!({"preset": "ours", "critiques": critiques});
    Box::pin(case.only(ours(1), ours(0))).await;
}

#[tokio::test]
async fn synapse_does_what_only_an_exemplar_tells() {
    let case = Case {
        planner: "synapse",
        task: "Open the blue lock",
        html: page!(
            "'Red', 'Blue'",
            "const order = []; function go(name) { order.push(name); if (order.length === 2) show(order.join() === 'Blue,Red' ? \
             '*Well done' : '*Jammed'); }"
        ),
        model: |asked, prompt| {
            let step = asked.step.unwrap_or_default() + 1;
            let told = prompt.split("<page-content>").next().unwrap_or_default();
            let wanted = told.lines().find_map(|line| line.strip_prefix(&format!("STEP #{step}: click ")));
            match number(prompt, "click", wanted.unwrap_or(if step == 1 { "Red" } else { "Blue" })) {
                Some(number) => act(Some(number), None),
                None => act(None, None),
            }
        },
    };
    let exemplars = json!([
        {"task": "Open a lock with two colours", "trajectory": "STEP #1: click Blue\nSTEP #2: click Red"},
        {"task": "Write a letter", "trajectory": "STEP #1: click Red\nSTEP #2: click Red"},
    ]);
    let ours = |nearest: usize| json!({"preset": "ours", "nearest": nearest, "exemplars": exemplars});
    Box::pin(case.only(ours(1), ours(0))).await;
}
