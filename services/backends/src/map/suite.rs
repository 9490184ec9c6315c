//! What every store of maps does: the contract of [`GraphStore`], case by case.

use domain::action::Action;
use domain::geometry::Rect;
use domain::locator::{Descriptor, Locator, Position};
use domain::state::{ActionKey, EdgeTally, Form, FrontierTicket, Opportunity, Progress, State, Transition, Version};
use domain::storage::StorageError;
use domain::storage::graph::{Changes, GraphStore, Merged, Sighting, SiteDelta};
use domain::{Fence, RunId, SiteId, StateId};
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

/// Runs every case on a fresh store each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, R>(fresh: F) -> usize
where
    F: Fn() -> R,
    R: Future<Output = Arc<dyn GraphStore>>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        nothing_is_known_of_a_site_that_nobody_has_seen,
        what_is_written_is_told_as_it_was,
        only_what_changed_since_is_told,
        a_title_that_differs_between_pages_of_a_state_is_left_out,
        statistics_add_up_within_a_version_and_stay_apart_between_versions,
        whoever_is_behind_writes_nothing,
        an_observation_that_comes_again_is_not_written_again,
        a_run_keeps_its_place_and_its_role,
        a_claimed_opportunity_is_nobody_elses_until_its_lease_ran_out,
        only_the_last_claim_settles_an_opportunity_and_only_once,
        what_is_given_back_can_be_claimed_at_once,
        a_renewed_lease_holds_longer_and_lost_tickets_are_named,
        versions_and_sites_have_frontiers_of_their_own,
        a_map_keeps_the_abstraction_that_it_was_begun_with,
        leases_that_hold_are_counted,
        writers_at_the_same_time_never_make_two_states_of_one_number,
        claims_at_the_same_time_never_share_an_opportunity,
    ];
    eprintln!("maps: {cases} cases");
    cases
}

const LEASE: Duration = Duration::from_secs(30);

fn at(second: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000 + second)
}

fn version(site: &str, run: &str) -> Version {
    Version { site: SiteId::new(site), run: RunId::new(run), role: "guest".into() }
}

fn first() -> Version {
    version("shop", "run")
}

fn action(name: &str) -> Action<Descriptor> {
    Action::click(Descriptor {
        locators: vec![Locator::Role { role: "button".into(), name: name.into() }],
        matches: vec![Position { index: 0, of: 1 }],
        role: "button".into(),
        name: name.into(),
        tag: "button".into(),
        context: String::new(),
        bounds: Rect::default(),
        frames: Vec::new(),
        address: None,
        place: String::new(),
    })
}

fn state(id: u64) -> State {
    State {
        id: StateId(id),
        url: format!("http://shop/page/{id}"),
        template: "/page/#".into(),
        title: format!("Page “{id}”"),
        summary: "a page".into(),
        forms: vec![Form { name: "search".into(), fields: vec!["textbox q".into()] }],
        fingerprint: vec![0, 255, id as u8],
        screenshot: None,
    }
}

fn sighting(id: u64) -> Sighting {
    Sighting { state: StateId(id), title: "Page".into(), forms: Vec::new(), visits: 1 }
}

/// The names of actions use every bit.
fn key(number: u64) -> ActionKey {
    ActionKey(u64::MAX - number)
}

fn transition(from: u64, number: u64, to: u64, succeeded: u64) -> Transition {
    let tally = EdgeTally { count: 1, succeeded, latency_ms: 250 };
    let (from, to) = (StateId(from), StateId(to));
    Transition { from, key: key(number), action: action("Go"), to, tally, last_seen: at(number) }
}

fn opportunity(state: u64, number: u64) -> Opportunity {
    Opportunity { state: StateId(state), key: key(number), action: action("Try") }
}

async fn merge(store: &dyn GraphStore, version: &Version, changes: &Changes) -> Merged {
    store.merge(version, changes, at(0)).await.expect("merge")
}

/// Writes on top of whatever there is; the number of the change.
async fn write(store: &dyn GraphStore, version: &Version, changes: Changes) -> u64 {
    let known = since(store, version, 0).await.change;
    match merge(store, version, &Changes { known, ..changes }).await {
        Merged::Done { change, .. } => change,
        other => panic!("{other:?}"),
    }
}

async fn since(store: &dyn GraphStore, version: &Version, change: u64) -> SiteDelta {
    store.since(&version.site, change).await.expect("since")
}

async fn with_frontier(store: &dyn GraphStore, version: &Version, count: u64) {
    let opportunities = (0..count).map(|number| opportunity(1, number)).collect();
    write(store, version, Changes { states: vec![state(1)], opportunities, ..Changes::default() }).await;
}

async fn claim(store: &dyn GraphStore, version: &Version, numbers: &[u64], now: SystemTime) -> Vec<FrontierTicket> {
    let wanted: Vec<_> = numbers.iter().map(|number| (StateId(1), key(*number))).collect();
    store.claim(version, &wanted, "crawler", now, LEASE).await.expect("claim")
}

/// Reports on a claim; whether it still held.
async fn settle(store: &dyn GraphStore, version: &Version, ticket: &FrontierTicket) -> bool {
    let known = since(store, version, 0).await.change;
    match merge(store, version, &Changes { known, ticket: Some(ticket.clone()), ..Changes::default() }).await {
        Merged::Done { ticket_held, .. } => ticket_held,
        other => panic!("{other:?}"),
    }
}

async fn nothing_is_known_of_a_site_that_nobody_has_seen(store: Arc<dyn GraphStore>) {
    assert_eq!(since(store.as_ref(), &first(), 0).await, SiteDelta::default());
    assert!(store.versions(&first().site).await.expect("versions").is_empty());
    assert!(store.sites().await.expect("sites").is_empty());
    assert!(claim(store.as_ref(), &first(), &[1], at(0)).await.is_empty());
}

async fn what_is_written_is_told_as_it_was(store: Arc<dyn GraphStore>) {
    let changes = Changes {
        states: vec![state(1), state(2)],
        sightings: vec![sighting(1), sighting(2)],
        transitions: vec![transition(1, 7, 2, 1)],
        opportunities: vec![opportunity(1, 8), opportunity(1, 7)],
        learnt: Some(vec![1, 2, 3]),
        abstraction: "exact".into(),
        ..Changes::default()
    };
    assert_eq!(merge(store.as_ref(), &first(), &changes).await, Merged::Done { change: 1, ticket_held: true });
    let mut found = since(store.as_ref(), &first(), 0).await;
    found.opportunities.sort_by_key(|(_, opportunity, _)| opportunity.key);
    let expected = SiteDelta {
        change: 1,
        abstraction: "exact".into(),
        states: changes.states,
        sightings: vec![(0, sighting(1)), (0, sighting(2))],
        transitions: vec![(0, transition(1, 7, 2, 1))],
        opportunities: vec![(0, opportunity(1, 8), Progress::Open), (0, opportunity(1, 7), Progress::Open)],
        learnt: Some(vec![1, 2, 3]),
        versions: vec![first()],
    };
    assert_eq!(found, expected);
    assert_eq!(store.sites().await.expect("sites"), [first().site]);
}

async fn only_what_changed_since_is_told(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    let changes = Changes { states: vec![state(1)], sightings: vec![sighting(1)], ..Changes::default() };
    let one = write(store, &first(), Changes { learnt: Some(vec![9]), ..changes }).await;
    let two = write(store, &first(), Changes { states: vec![state(2)], ..Changes::default() }).await;
    let found = since(store, &first(), one).await;
    assert_eq!((found.change, found.states, found.sightings, found.learnt), (two, vec![state(2)], vec![], None));
    assert_eq!(
        since(store, &first(), two).await,
        SiteDelta { change: two, versions: vec![first()], ..SiteDelta::default() }
    );
}

async fn a_title_that_differs_between_pages_of_a_state_is_left_out(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    let seen = |id, title: &str| Sighting { title: title.into(), ..sighting(id) };
    let first_look = vec![seen(1, "Hat"), seen(2, "Cart"), seen(3, "Coat"), seen(3, "Shoe")];
    write(store, &first(), Changes { sightings: first_look, ..Changes::default() }).await;
    let second_look = vec![seen(1, "Shirt"), seen(2, "Cart")];
    write(store, &first(), Changes { sightings: second_look, ..Changes::default() }).await;
    let found = since(store, &first(), 0).await.sightings;
    let titles: Vec<_> = found.iter().map(|(_, sighting)| (sighting.title.as_str(), sighting.visits)).collect();
    assert_eq!(titles, [("", 2), ("Cart", 2), ("", 2)]);
}

async fn statistics_add_up_within_a_version_and_stay_apart_between_versions(store: Arc<dyn GraphStore>) {
    let (store, later) = (store.as_ref(), version("shop", "later"));
    let states = vec![state(1), state(2)];
    let twice = vec![transition(1, 7, 2, 1), transition(1, 7, 2, 0)];
    let seen_twice = vec![sighting(1), sighting(1)];
    write(store, &first(), Changes { states, transitions: twice, sightings: seen_twice, ..Changes::default() }).await;
    let again =
        Changes { transitions: vec![transition(1, 7, 2, 1)], sightings: vec![sighting(1)], ..Changes::default() };
    write(store, &first(), again.clone()).await;
    write(store, &later, again).await;
    let found = since(store, &first(), 0).await;
    let tallies: Vec<_> = found.transitions.iter().map(|(version, transition)| (*version, transition.tally)).collect();
    let tally = |count, succeeded| EdgeTally { count, succeeded, latency_ms: 250 * count };
    assert_eq!(tallies, [(0, tally(3, 2)), (1, tally(1, 1))]);
    let visits: Vec<_> = found.sightings.iter().map(|(version, sighting)| (*version, sighting.visits)).collect();
    assert_eq!(visits, [(0, 3), (1, 1)]);
}

async fn whoever_is_behind_writes_nothing(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    let changes = Changes { states: vec![state(1)], ..Changes::default() };
    let one = write(store, &first(), changes.clone()).await;
    let late = Changes { transitions: vec![transition(1, 7, 1, 1)], ..changes };
    assert_eq!(merge(store, &first(), &late).await, Merged::Behind);
    assert_eq!(merge(store, &first(), &Changes { known: one + 1, ..late }).await, Merged::Behind);
    assert!(since(store, &first(), one).await.transitions.is_empty());
}

async fn an_observation_that_comes_again_is_not_written_again(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    let seen = |number, id| Some(("session".to_owned(), number, StateId(id)));
    let changes = Changes { states: vec![state(1)], session: seen(4, 1), ..Changes::default() };
    let known = write(store, &first(), changes).await;
    let again = |number| Changes {
        known,
        transitions: vec![transition(1, 7, 1, 1)],
        session: seen(number, 1),
        ..Changes::default()
    };
    for number in [3, 4] {
        assert_eq!(merge(store, &first(), &again(number)).await, Merged::Repeated { state: StateId(1) });
    }
    assert!(since(store, &first(), 0).await.transitions.is_empty());
    assert!(matches!(merge(store, &first(), &again(5)).await, Merged::Done { .. }));
}

async fn a_run_keeps_its_place_and_its_role(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    for run in ["b", "a", "b"] {
        write(store, &version("shop", run), Changes::default()).await;
    }
    let found = store.versions(&SiteId::new("shop")).await.expect("versions");
    assert_eq!(found, [version("shop", "b"), version("shop", "a")]);
    let admin = Version { role: "admin".into(), ..version("shop", "a") };
    let known = since(store, &admin, 0).await.change;
    let refused = store.merge(&admin, &Changes { known, ..Changes::default() }, at(0)).await;
    assert!(matches!(refused, Err(StorageError::Conflict(_))), "{refused:?}");
    assert_eq!(since(store, &admin, 0).await.change, known);
}

async fn a_claimed_opportunity_is_nobody_elses_until_its_lease_ran_out(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    with_frontier(store, &first(), 3).await;
    let tickets = claim(store, &first(), &[2, 0, 9], at(0)).await;
    let fences: Vec<_> = tickets.iter().map(|ticket| (ticket.key, ticket.fence)).collect();
    assert_eq!(fences, [(key(2), Fence(1)), (key(0), Fence(1))], "in the order of the wishes");
    assert!(claim(store, &first(), &[2, 0], at(29)).await.is_empty());
    let later = claim(store, &first(), &[0, 1, 2], at(30)).await;
    assert_eq!(later.iter().map(|ticket| ticket.fence.0).collect::<Vec<_>>(), [2, 1, 2]);
}

async fn only_the_last_claim_settles_an_opportunity_and_only_once(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    with_frontier(store, &first(), 1).await;
    let old = claim(store, &first(), &[0], at(0)).await.remove(0);
    let new = claim(store, &first(), &[0], at(60)).await.remove(0);
    assert!(!settle(store, &first(), &old).await);
    let before = since(store, &first(), 0).await.change;
    assert!(settle(store, &first(), &new).await);
    assert!(!settle(store, &first(), &new).await);
    assert!(claim(store, &first(), &[0], at(999)).await.is_empty(), "it was tried");
    let told = since(store, &first(), before).await.opportunities;
    assert_eq!(told, [(0, opportunity(1, 0), Progress::Done)]);
    let offered_again = Changes { opportunities: vec![opportunity(1, 0)], ..Changes::default() };
    write(store, &first(), offered_again).await;
    assert!(claim(store, &first(), &[0], at(999)).await.is_empty(), "offering it again does not open it");
}

async fn what_is_given_back_can_be_claimed_at_once(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    with_frontier(store, &first(), 1).await;
    let old = claim(store, &first(), &[0], at(0)).await;
    store.release(&old).await.expect("release");
    let new = claim(store, &first(), &[0], at(1)).await;
    assert_eq!(new.len(), 1);
    store.release(&old).await.expect("release");
    assert!(claim(store, &first(), &[0], at(2)).await.is_empty(), "a void ticket gives nothing back");
}

async fn a_renewed_lease_holds_longer_and_lost_tickets_are_named(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    with_frontier(store, &first(), 2).await;
    let tickets = claim(store, &first(), &[0, 1], at(0)).await;
    assert!(store.renew(&tickets[..1], at(20), LEASE).await.expect("renew").is_empty());
    assert_eq!(claim(store, &first(), &[0, 1], at(35)).await.len(), 1, "the other one ran out");
    let stranger = FrontierTicket { version: version("elsewhere", "run"), ..tickets[0].clone() };
    let asked = [tickets.clone(), vec![stranger.clone()]].concat();
    let lost = store.renew(&asked, at(40), LEASE).await.expect("renew");
    assert_eq!(lost, [tickets[1].clone(), stranger]);
}

async fn versions_and_sites_have_frontiers_of_their_own(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    let (later, elsewhere) = (version("shop", "later"), version("elsewhere", "run"));
    with_frontier(store, &first(), 1).await;
    with_frontier(store, &elsewhere, 1).await;
    write(store, &later, Changes { opportunities: vec![opportunity(1, 0)], ..Changes::default() }).await;
    for version in [first(), later, elsewhere.clone()] {
        assert_eq!(claim(store, &version, &[0], at(0)).await.len(), 1, "{version:?}");
    }
    assert_eq!(since(store, &elsewhere, 0).await.states, [state(1)]);
}

async fn a_map_keeps_the_abstraction_that_it_was_begun_with(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    assert_eq!(since(store, &first(), 0).await.abstraction, "");
    for name in ["exact", "other"] {
        write(store, &first(), Changes { abstraction: name.into(), ..Changes::default() }).await;
        assert_eq!(since(store, &first(), 0).await.abstraction, "exact");
    }
    assert_eq!(store.sites().await.expect("sites"), [SiteId::new("shop")]);
}

async fn leases_that_hold_are_counted(store: Arc<dyn GraphStore>) {
    let store = store.as_ref();
    let counted = async |site: &str, second| store.claimed(&SiteId::new(site), at(second)).await.expect("count");
    assert_eq!(counted("shop", 0).await, 0);
    with_frontier(store, &first(), 4).await;
    let tickets = claim(store, &first(), &[0, 1, 2], at(0)).await;
    claim(store, &first(), &[3], at(10)).await;
    assert_eq!((counted("shop", 0).await, counted("elsewhere", 0).await), (4, 0));
    assert!(settle(store, &first(), &tickets[0]).await);
    store.release(&tickets[1..2]).await.expect("release");
    assert_eq!((counted("shop", 29).await, counted("shop", 30).await, counted("shop", 40).await), (2, 1, 0));
}

/// Four writers, each of whom adds five states under the next free number.
async fn writers_at_the_same_time_never_make_two_states_of_one_number(store: Arc<dyn GraphStore>) {
    let mut writers = JoinSet::new();
    for writer in 0..4u64 {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let mut written = 0;
            while written < 5 {
                let known = since(store.as_ref(), &first(), 0).await;
                let id = known.states.len() as u64 + 1;
                let title = format!("{writer}-{written}");
                let changes = Changes {
                    known: known.change,
                    states: vec![State { title, ..state(id) }],
                    transitions: vec![transition(1, 7, 1, 1)],
                    ..Changes::default()
                };
                written += u64::from(merge(store.as_ref(), &first(), &changes).await != Merged::Behind);
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done.expect("no writer fails");
    }
    let found = since(store.as_ref(), &first(), 0).await;
    assert_eq!(found.states.iter().map(|state| state.id.0).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    let titles: BTreeSet<&str> = found.states.iter().map(|state| state.title.as_str()).collect();
    assert_eq!((titles.len(), found.change, found.transitions[0].1.tally.count), (20, 20, 20));
}

/// Four claimants who want the same, in different orders.
async fn claims_at_the_same_time_never_share_an_opportunity(store: Arc<dyn GraphStore>) {
    with_frontier(store.as_ref(), &first(), 40).await;
    let mut claimants = JoinSet::new();
    for claimant in 0..4u64 {
        let store = Arc::clone(&store);
        claimants.spawn(async move {
            let mut numbers: Vec<u64> = (0..40).collect();
            numbers.rotate_left(claimant as usize * 7);
            if claimant % 2 == 0 {
                numbers.reverse();
            }
            let mut tickets = Vec::new();
            for some in numbers.chunks(8) {
                tickets.extend(claim(store.as_ref(), &first(), some, at(0)).await);
            }
            tickets
        });
    }
    let mut claimed = Vec::new();
    while let Some(done) = claimants.join_next().await {
        claimed.extend(done.expect("no claimant fails").into_iter().map(|ticket| (ticket.key, ticket.fence)));
    }
    assert_eq!(claimed.iter().collect::<BTreeSet<_>>().len(), 40);
    assert_eq!(claimed.len(), 40);
}
