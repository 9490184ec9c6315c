//! Nodes are drained before they are deleted, and no live session is cut.

use super::*;

const PATIENCE: Patience = Patience { surplus: SignedDuration::from_secs(60), drain: SignedDuration::from_secs(600) };

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_000_000 + second).expect("a time")
}

fn node(name: &str, sessions: u64) -> Node {
    Node {
        name: name.into(),
        created: at(-100),
        is_ready: true,
        is_over: false,
        sessions: Some(sessions),
        draining_since: None,
        is_outdated: false,
    }
}

fn draining(name: &str, sessions: u64, since: i64) -> Node {
    Node { draining_since: Some(at(since)), ..node(name, sessions) }
}

fn want(count: u64) -> Wanted {
    Wanted { count, why: String::new() }
}

#[test]
fn what_is_missing_is_made_and_what_drains_does_not_count() {
    let nodes = [node("a", 1), draining("b", 1, -10)];
    assert_eq!(plan(&nodes, &want(3), PATIENCE, None, at(0)), Plan { create: 2, ..Plan::default() });
}

#[test]
fn a_surplus_must_last_before_the_idlest_nodes_are_drained() {
    let nodes = [node("busy", 2), node("idle", 0), node("some", 1)];
    let first = plan(&nodes, &want(1), PATIENCE, None, at(0));
    assert_eq!(first, Plan { surplus_since: Some(at(0)), ..Plan::default() });
    let later = plan(&nodes, &want(1), PATIENCE, first.surplus_since, at(60));
    assert_eq!(later.drain, ["idle", "some"]);
    assert!(later.delete.is_empty(), "nothing is deleted before it was drained");
    // Enough again in between: the time begins anew.
    assert_eq!(plan(&nodes, &want(3), PATIENCE, Some(at(0)), at(30)).surplus_since, None);
}

#[test]
fn a_drained_node_is_deleted_when_its_sessions_have_ended_and_not_before() {
    let nodes = [draining("ended", 0, -10), draining("live", 1, -10)];
    let decided = plan(&nodes, &want(0), PATIENCE, None, at(0));
    assert_eq!((decided.delete, decided.overdue), (vec!["ended".to_owned()], vec![]));
}

#[test]
fn a_node_whose_sessions_nobody_knows_is_left_alone_until_its_deadline() {
    let unknown = Node { sessions: None, ..draining("unknown", 0, -10) };
    assert_eq!(plan(std::slice::from_ref(&unknown), &want(0), PATIENCE, None, at(0)), Plan::default());
    let overdue = plan(&[unknown, draining("live", 1, -10)], &want(0), PATIENCE, None, at(600)).overdue;
    assert_eq!(overdue, ["unknown", "live"]);
}

#[test]
fn with_nothing_to_do_it_scales_to_zero() {
    let nodes = [node("a", 0), node("b", 0)];
    let decided = plan(&nodes, &want(0), PATIENCE, Some(at(-60)), at(0));
    assert_eq!(decided.drain, ["a", "b"]);
    let nodes = [draining("a", 0, 0), draining("b", 0, 0)];
    assert_eq!(plan(&nodes, &want(0), PATIENCE, None, at(1)).delete, ["a", "b"]);
}

#[test]
fn what_ended_by_itself_is_removed_and_replaced() {
    let ended = Node { is_over: true, sessions: None, ..node("crashed", 0) };
    let decided = plan(&[ended, node("a", 1)], &want(2), PATIENCE, None, at(0));
    assert_eq!((decided.create, decided.delete), (1, vec!["crashed".to_owned()]));
}

/// Plays a whole replacement: each step does what the plan says, and sessions end when their node drains.
#[test]
fn another_template_replaces_nodes_one_by_one_and_never_goes_below_what_is_wanted() {
    let mut nodes = [node("a", 1), node("b", 0), node("c", 1)].map(|node| Node { is_outdated: true, ..node }).to_vec();
    for step in 0..40 {
        let decided = plan(&nodes, &want(3), PATIENCE, None, at(step));
        assert!(decided.overdue.is_empty());
        for name in &decided.delete {
            let deleted = nodes.iter().find(|node| node.name == *name).expect("there");
            assert_eq!(deleted.sessions, Some(0), "{name} had a session");
        }
        nodes.retain(|node| !decided.delete.contains(&node.name));
        for node in &mut nodes {
            node.is_ready = true;
            node.sessions = node.sessions.or(Some(0));
            if node.draining_since.is_some() {
                node.sessions = Some(0);
            }
            if decided.drain.contains(&node.name) {
                node.draining_since = Some(at(step));
            }
        }
        for made in 0..decided.create {
            let name = format!("new-{step}-{made}");
            nodes.push(Node { is_ready: false, sessions: None, created: at(step), ..node(&name, 0) });
        }
        let serving = nodes.iter().filter(|node| node.serves()).count();
        assert!((3..=4).contains(&serving), "{serving} serve after step {step}");
    }
    assert!(nodes.iter().all(|node| !node.is_outdated && node.serves()), "{nodes:?}");
    assert_eq!(nodes.len(), 3);
}
