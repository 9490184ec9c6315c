//! Values that the page changes while something else is filled in.

use super::GroundOptions;
use super::aside_tests::taken;
use super::menu_tests::pressed;
use super::tests::{ask, ask_after, changed, page};
use domain::decision::{Choice, Decision};
use domain::effect::{CHANGED_AS_LEFT, Effect, ElementChange};
use domain::observation::{Observation, Request};
use domain::{Action, Step};
use serde_json::Value;

#[tokio::test]
async fn a_value_that_the_page_changes_meanwhile_is_given_once_more_and_then_nothing_is_handed_in() {
    let instruction = "Type \"Lane 2\" into \"Lane\", type \"Kai\" into \"Name\" and click \"Book\".";
    let form = |lane: &str, name: &str| {
        let page = page("textbox Lane\ntextbox Name\nbutton Book\n");
        let values = [lane, name];
        changed(page, "textbox", |node| node.value = Some(values[usize::from(node.name == "Name")].to_owned()))
    };
    let filled = |decision: &Decision, page: &Observation, changes: &[(&str, &str, &str)]| {
        let mut step = taken(decision, page, &[]);
        step.effect = Effect::Changed { what: vec!["value".to_owned()] };
        step.difference.changed = changes
            .iter()
            .map(|(of, from, to)| ElementChange {
                of: format!("textbox \"{of}\""),
                from: (*from).to_owned(),
                to: (*to).to_owned(),
            })
            .collect();
        step
    };
    let pages = [form("", ""), form("Lane 2", ""), form("Lane 12", "Kai"), form("Lane 2", "Kai")];
    let first = ask(instruction, &pages[0], Value::Null).await;
    let mut steps = vec![filled(&first, &pages[0], &[("Lane", "", "Lane 2")])];
    let second = ask_after(GroundOptions::default(), instruction, pages[1].clone(), first.memory, steps.clone()).await;
    let kept = [("Name", "", "Kai")];
    let lost = [("Lane", "Lane 2", "Lane 12"), ("Name", "", "Kai")];
    let mut going = steps.clone();
    going.push(filled(&second, &pages[1], &kept));
    let whole_form = form("Lane 2", "Kai");
    let booked =
        ask_after(GroundOptions::default(), instruction, whole_form.clone(), second.memory.clone(), going).await;
    assert_eq!(pressed(&booked), Some(2), "nothing was lost");
    steps.push(filled(&second, &pages[1], &lost));
    let third = ask_after(GroundOptions::default(), instruction, pages[2].clone(), second.memory, steps.clone()).await;
    assert!(
        matches!(&third.choice, Choice::Act(Action::Type { element, text, .. }) if element.0 == 0 && text == "Lane 2")
    );
    steps.push(filled(&third, &pages[2], &[("Lane", "Lane 12", "Lane 2")]));
    let fourth = ask_after(GroundOptions::default(), instruction, pages[3].clone(), third.memory, steps.clone()).await;
    assert!(matches!(&fourth.choice, Choice::Act(Action::Press { keys }) if keys == "Tab"), "{:?}", fourth.choice);
    let after = async |page: &Observation, changes: &[(&str, &str, &str)]| {
        let left = steps.iter().cloned().chain([filled(&fourth, page, changes)]).collect();
        ask_after(GroundOptions::default(), instruction, page.clone(), fourth.memory.clone(), left).await
    };
    assert_eq!(pressed(&after(&pages[3], &[]).await), Some(2), "it stays");
    // Nothing was pressed, since the page changed the value as its field was left: it is given once more.
    let mut unpressed = filled(&booked, &whole_form, &[("Lane", "Lane 2", "Lane 12")]);
    unpressed.effect = Effect::Failed { cause: format!("{CHANGED_AS_LEFT}: textbox \"Lane\"") };
    let left = steps[..2].iter().cloned().chain([unpressed.clone()]).collect();
    let again = form("Lane 12", "Kai");
    let given = ask_after(GroundOptions::default(), instruction, again.clone(), booked.memory.clone(), left).await;
    assert!(matches!(&given.choice, Choice::Act(Action::Type { text, .. }) if text == "Lane 2"), "{:?}", given.choice);
    // What became a tag of its own stands there.
    unpressed.difference.changed[0].to.clear();
    unpressed.difference.appeared = vec!["listitem \"Lane 2\"".to_owned()];
    let left = steps[..2].iter().cloned().chain([unpressed]).collect();
    let pressed_again =
        ask_after(GroundOptions::default(), instruction, form("", "Kai"), booked.memory.clone(), left).await;
    assert_eq!(pressed(&pressed_again), Some(2), "it was taken: {}", pressed_again.reason);
    // It cannot be given again.
    let failed = Effect::Failed { cause: "there is no such lane".to_owned() };
    let mut refused = steps.clone();
    refused[2] = Step { effect: failed, difference: Default::default(), ..refused[2].clone() };
    let stopped =
        ask_after(GroundOptions::default(), instruction, pages[2].clone(), fourth.memory.clone(), refused).await;
    assert!(stopped.reason.contains("changed textbox"), "{}", stopped.reason);
    // Another value was handed in, or the form is empty for the next one.
    for (to, is_other) in [("Lane 3", true), ("", false), ("Lane 2", false)] {
        let mut book = filled(&booked, &whole_form, &[("Lane", "Lane 2", to)]);
        book.requests = vec![Request { method: "POST".into(), ..Default::default() }];
        let sent = steps[..2].iter().cloned().chain([book]).collect();
        let ended =
            ask_after(GroundOptions::default(), instruction, whole_form.clone(), booked.memory.clone(), sent).await;
        assert_eq!(ended.reason.contains("changed textbox"), is_other, "{to}: {}", ended.reason);
    }
    let last = after(&pages[2], &lost[..1]).await;
    assert!(last.reason.contains("changed textbox \"Lane\""), "{}", last.reason);
}
