//! What an exploration makes of a choice.

use super::*;
use domain::action::ActionKind;

fn node(tag: &str, name: &str, operations: &[ActionKind]) -> Node {
    let is_within = tag != "form";
    Node {
        tag: tag.into(),
        role: tag.into(),
        name: name.into(),
        parent: is_within.then_some(ElementId(0)),
        operations: operations.to_vec(),
        ..Node::default()
    }
}

/// A form with a field, a choice and a button.
fn page(method: &str, button: &str) -> Observation {
    let mut form = node("form", "", &[]);
    form.attributes.insert("method".into(), method.into());
    let button = node("button", button, &[ActionKind::Click]);
    let nodes =
        vec![form, node("input", "Title", &[ActionKind::Type]), node("input", "Urgent", &[ActionKind::Check]), button];
    Observation { nodes: nodes.into(), ..Observation::default() }
}

fn typed(page: &Observation) -> Action<Descriptor> {
    let element = Descriptor::of(page, ElementId(1)).unwrap();
    Action::Type { element, text: "a".into(), submit: false }
}

fn checked(page: &Observation) -> Action<Descriptor> {
    Action::Check { element: Descriptor::of(page, ElementId(2)).unwrap(), checked: true }
}

#[test]
fn a_form_that_only_asks_is_asked_with_each_of_its_fields() {
    let page = page("GET", "Search");
    let sent = |action: &Action<Descriptor>| sending(action, &page, &Guards::default(), &Memory::default());
    let sending = sent(&typed(&page)).unwrap();
    let StepKind::Act { action, key: None } = &sending.planned_step.what else { panic!("{sending:?}") };
    assert_eq!(action.element().unwrap().name, "Search");
    assert!(sending.as_it_stands && sending.name.contains("Title") && sending.name.contains("Search"));
    assert!(sent(&checked(&page)).unwrap().as_it_stands);
    assert!(sent(&Action::click(Descriptor::of(&page, ElementId(3)).unwrap())).is_none());
}

#[test]
fn any_other_form_is_sent_whole_for_each_choice_unless_that_is_left_alone() {
    let form = page("post", "Save");
    assert!(!sending(&checked(&form), &form, &Guards::default(), &Memory::default()).unwrap().as_it_stands);
    assert!(sending(&typed(&form), &form, &Guards::default(), &Memory::default()).is_none());
    let form = page("post", "Delete");
    assert!(sending(&checked(&form), &form, &Guards::default(), &Memory::default()).is_none());
}

#[test]
fn a_way_begins_at_the_address_that_it_names_or_at_the_start_of_the_site() {
    let opportunity = |page: &Observation| Opportunity { state: StateId(7), key: ActionKey(1), action: typed(page) };
    let opened = |route: Route| {
        let planned_steps = way("http://a/", &route, &opportunity(&page("get", "Search")), None);
        planned_steps.front().and_then(PlannedStep::address)
    };
    let address = Some("http://a/list".to_owned());
    assert_eq!(opened(Route { from_start: true, address: address.clone(), ..Route::default() }), address);
    assert_eq!(opened(Route { from_start: true, ..Route::default() }).as_deref(), Some("http://a/"));
    assert_eq!(opened(Route::default()), None);
}

#[test]
fn addresses_of_one_kind_differ_in_numbers_only() {
    assert_eq!(kind_of("http://a/items/7?page=2"), kind_of("http://a/items/12?page=3"));
    let (found, listed) = (kind_of("http://a/items?q=x"), kind_of("http://a/items?q=y"));
    assert!(found.0 == listed.0 && found.1 != listed.1);
}
