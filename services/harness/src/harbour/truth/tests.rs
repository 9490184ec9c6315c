//! What the declaration must be in itself. That the site really is so is shown with a browser (`tests/harbour`).

use super::*;
use crate::harbour::Version;
use std::collections::BTreeMap;

const ROLES: [Role; 3] = [Role::Guest, Role::Customer, Role::Admin];

#[test]
fn the_site_has_at_least_150_states_and_400_transitions() {
    for version in [Version::One, Version::Two] {
        let truth = Truth::of(version);
        let reachable: BTreeSet<&str> =
            ROLES.iter().flat_map(|role| truth.reachable(*role)).map(|state| state.id.as_str()).collect();
        let ways: BTreeSet<(&str, &Control)> = truth
            .transitions
            .iter()
            .filter(|way| reachable.contains(way.from.as_str()) && way.to.iter().any(|to| *to != way.from))
            .map(|way| (way.from.as_str(), &way.control))
            .collect();
        println!("{version:?}: {} reachable states, {} transitions", reachable.len(), ways.len());
        for role in ROLES {
            println!("{role:?}: {} states, {} faults", truth.reachable(role).len(), truth.faults_of(role).len());
        }
        assert!(reachable.len() >= 150 && ways.len() >= 400, "{} and {}", reachable.len(), ways.len());
    }
}

#[test]
fn every_state_has_one_name_and_every_transition_leads_to_a_state() {
    for version in [Version::One, Version::Two] {
        let truth = Truth::of(version);
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for state in &truth.states {
            *named.entry(&state.id).or_default() += 1;
        }
        let twice: Vec<_> = named.iter().filter(|(_, count)| **count > 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
        let lost: Vec<_> =
            truth.transitions.iter().filter(|way| way.to.iter().any(|to| truth.state(to).is_none())).collect();
        assert!(lost.is_empty(), "{lost:#?}");
    }
}

#[test]
fn only_what_a_deed_leads_to_is_beyond_everybodys_reach() {
    let truth = Truth::of(Version::One);
    let reachable: BTreeSet<&str> =
        ROLES.iter().flat_map(|role| truth.reachable(*role)).map(|state| state.id.as_str()).collect();
    let beyond: Vec<&str> = truth
        .states
        .iter()
        .map(|state| state.id.as_str())
        .filter(|id| !reachable.contains(id) && !id.starts_with("embed/"))
        .collect();
    assert_eq!(beyond, ["done"]);
}

#[test]
fn at_least_24_faults_of_all_categories_can_be_come_across_by_a_guest() {
    let truth = Truth::of(Version::One);
    let faults = truth.faults_of(Role::Guest);
    let categories: BTreeSet<_> = faults.iter().map(|shown| shown.fault.category).collect();
    let foreign = faults.iter().filter(|shown| !shown.fault.first_party).count();
    assert!(faults.len() >= 24 && categories.len() == 4 && foreign >= 3, "{} {categories:?} {foreign}", faults.len());
}

#[test]
fn the_versions_differ_by_what_is_declared() {
    let changes = changes(&Truth::of(Version::One), &Truth::of(Version::Two));
    assert_eq!(
        changes,
        Changes {
            added: vec!["account/looks#sounds".into(), "help/lost".into()],
            removed: vec!["catalogue/sale#lots".into(), "newsletter/topics".into()],
            moved: vec![
                ("services/tides", "/services/tides", "/services/high-water"),
                ("help/care", "/help/care", "/help/looking-after"),
            ],
            renamed: vec![
                ("services/gallery", "Gallery", "Picture room"),
                ("workshop/rules", "Rules of the shed", "The rules are lost"),
            ],
            broken: vec![("workshop/rules", 200, 500)],
            forms: vec![
                ("checkout/address", "address", vec!["phone"], vec![]),
                ("checkout/address-refused", "address", vec!["phone"], vec![]),
                ("account/tickets/new", "ticket", vec![], vec!["about"]),
                ("account/tickets/refused", "ticket", vec![], vec!["about"]),
            ],
            controls_added: changes.controls_added.clone(),
            controls_removed: changes.controls_removed.clone(),
            faults_added: vec!["rules-broken", "words-uncounted"],
        }
    );
    let names = |controls: &[(String, &'static str)]| controls.iter().map(|(_, name)| *name).collect::<BTreeSet<_>>();
    let added =
        BTreeSet::from(["Ask the harbour master", "Lost something?", "Sounds", "Ask for a view", "Back to the tools"]);
    assert_eq!(names(&changes.controls_added), added);
    let removed =
        BTreeSet::from(["Talk to the harbour master", "By the crate", "Choose topics", "Sort by price", "Understood"]);
    assert_eq!(names(&changes.controls_removed), removed);
}
