//! The planners of the papers.

use super::{Case, act, carry_out, number, plan};
use domain::verdict::VerdictKind;
use serde_json::json;

#[tokio::test]
async fn hxagent_remembers_how_often_it_pressed() {
    let case = Case {
        planner: "hxagent",
        task: "Press Next three times, then Finish",
        html: page!(
            "'Next', 'Finish'",
            "let pressed = 0; function go(name) { if (name === 'Next') { pressed += 1; show('Next', 'Finish'); } \
             else show(pressed === 3 ? '*Well done' : '*Wrong count'); }"
        ),
        model: |_, prompt| {
            let pressed = prompt.matches(": click button \"Next\"").count();
            match (prompt.contains("Well done"), pressed) {
                (true, _) => act(None, None),
                (false, 3) => act(number(prompt, "click", "Finish"), None),
                _ => act(number(prompt, "click", "Next"), None),
            }
        },
    };
    let ours = |window: &str| json!({"preset": "ours", "memory": {"window": window}});
    Box::pin(case.only(ours("all"), ours("none"))).await;
}

#[tokio::test]
async fn hxagent_follows_a_rule_of_its_experience() {
    let case = Case {
        planner: "hxagent",
        task: "Close the account of the guest",
        html: page!(
            "'Close', 'Archive'",
            "function go(name) { show(name === 'Archive' ? '*Well done' : '*Guests cannot be closed'); }"
        ),
        model: |_, prompt| match prompt {
            _ if prompt.contains("Well done") || prompt.contains("cannot be closed") => act(None, None),
            _ if prompt.contains("guests are archived, not closed") => act(number(prompt, "click", "Archive"), None),
            _ => act(number(prompt, "click", "Close"), None),
        },
    };
    let learnt = |shown: bool| {
        let experience = json!({"rules": ["guests are archived, not closed"]});
        json!({"preset": "ours", "experience": experience, "use_experience": shown})
    };
    Box::pin(case.only(learnt(true), learnt(false))).await;
}

#[tokio::test]
async fn naviqate_takes_the_second_choice_where_the_first_was_used_in_vain() {
    let case = Case {
        planner: "naviqate",
        task: "Open the orders",
        html: page!(
            "'Open orders', 'Orders', 'Imprint'",
            "function go(name) { if (name === 'Orders') show('*Well done'); else show('Open orders', 'Orders', 'Imprint'); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "page_context_and_step" if prompt.contains("Well done") => {
                json!({"context": "orders", "status": "done", "next_step": null, "answer": null})
            }
            "page_context_and_step" => {
                json!({"context": "a start", "status": "act", "next_step": "Open orders", "answer": null})
            }
            _ => json!({"index": 1, "argument": null, "press_enter": false, "reason": "the first choice"}),
        },
    };
    let ours = |factor: f64| json!({"preset": "ours", "rank": {"used_factor": factor}});
    Box::pin(case.only(ours(0.5), ours(1.0))).await;
}

#[tokio::test]
async fn step_by_step_does_what_only_the_page_says_and_a_plan_in_advance_does_not() {
    const HTML: &str = page!(
        "'Start'",
        "function go(name) { if (name === 'Start') show('*Press the second', 'First', 'Second'); \
         else show(name === 'Second' ? '*Well done' : '*Too bad'); }"
    );
    let case = Case {
        planner: "step-by-step",
        task: "Start and do what is asked",
        html: HTML,
        model: |_, prompt| match prompt {
            _ if prompt.contains("Well done") => act(None, None),
            _ if prompt.contains("Press the second") => act(number(prompt, "click", "Second"), None),
            _ => act(number(prompt, "click", "Start"), None),
        },
    };
    assert_eq!(case.verdict(json!({})).await, VerdictKind::Passed);
    let planned = Case {
        planner: "full-plan",
        model: |asked, prompt| match asked.schema.name.as_str() {
            "plan_in_words" => plan(&["click Start", "click First"]),
            "finish" => json!({"answer": null, "reason": "planned"}),
            _ => carry_out(prompt),
        },
        ..case
    };
    assert_ne!(planned.verdict(json!({"following": "strict", "replans": 0})).await, VerdictKind::Passed);
}

#[tokio::test]
async fn tree_search_goes_back_from_a_door_that_leads_nowhere() {
    let case = Case {
        planner: "tree-search",
        task: "Find the treasure",
        html: page!(
            "'Golden door', 'Plain door'",
            "const rooms = {'Golden door': ['Bones', 'Dust'], 'Plain door': ['Lamp', 'Chest'], Chest: ['*Well done']}; \
             function go(name) { show(...(rooms[name] ?? ['*Nothing here'])); }"
        ),
        model: |asked, prompt| match asked.schema.name.as_str() {
            "judgement" => {
                let page = prompt.split("PAGE ").nth(1).unwrap_or_default();
                let progress = match page {
                    _ if page.contains("Well done") => "reached",
                    _ if page.contains("Bones") || page.contains("Nothing") => "off",
                    _ => "on_the_way",
                };
                json!({"reason": "seen", "progress": progress, "answer": null})
            }
            _ => {
                let names = ["Golden door", "Plain door", "Lamp", "Chest", "Bones", "Dust"];
                let one = |number: i64| json!({"chosen_action": number, "text": null, "press_enter": false});
                let listed = names.into_iter().filter_map(|name| number(prompt, "click", name)).map(one);
                json!({"reason": "", "candidates": listed.collect::<Vec<_>>()})
            }
        },
    };
    let ours = |backtrack: bool| json!({"preset": "ours", "backtrack": backtrack});
    Box::pin(case.only(ours(true), ours(false))).await;
}
