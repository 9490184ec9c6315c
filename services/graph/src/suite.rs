//! What every [`GraphService`] does, whether it is the room itself or a connection to one.

mod pages;

use async_trait::async_trait;
use domain::language::{EmbedError, Embedder};
use domain::service::{Code, GraphService, ServiceError};
use domain::state::{Aspect, FrontierGrant, FrontierRequest, Located, MapStatus, Part, Progress};
use domain::{Effect, RunId, SiteId, StateId};
use futures::StreamExt;
use pages::{ADVERTISED, PAYMENT, SORRY};
pub use pages::{Browser, CART, DISCOUNTED, HOME, LIST, PRODUCT, Shown, WISHED};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Runs every case on a fresh service each, and returns how many there were. The service embeds by [`BagOfWords`] and has
/// the default options.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, S>(fresh: F) -> usize
where
    F: Fn() -> S,
    S: Future<Output = Arc<dyn GraphService>>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        a_page_seen_again_is_the_same_state,
        a_request_that_comes_again_is_counted_once,
        what_comes_and_goes_by_itself_makes_no_state,
        transitions_are_counted_with_their_success_and_latency,
        what_is_not_there_is_said,
        every_control_is_offered_once,
        what_is_claimed_is_nobody_elses_and_is_tried_once,
        the_frontier_comes_with_the_way_there,
        what_is_known_from_other_states_is_tried_last,
        a_link_to_where_somebody_was_is_tried_after_one_to_where_nobody_was,
        the_rest_of_a_menu_that_only_says_the_same_in_other_words_is_tried_last,
        claims_can_be_given_back_and_renewed,
        the_cheapest_path_is_reliable_and_quick,
        a_map_can_be_had_as_one_run_saw_it,
        a_difference_names_what_changed_and_what_was_not_reached,
        two_equal_runs_have_no_difference,
        states_are_found_by_what_they_are_about,
        a_watcher_sees_the_map_grow,
    ];
    eprintln!("graph service: {cases} cases");
    cases
}

/// An embedder that counts words: texts with the same words are near each other.
#[derive(Clone, Copy, Debug)]
pub struct BagOfWords;

const DIMENSION: usize = 256;

#[async_trait]
impl Embedder for BagOfWords {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let mut counts = vec![0f32; DIMENSION];
            for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
                let place = word.to_lowercase().bytes().fold(7usize, |sum, byte| sum * 31 + usize::from(byte));
                counts[place % DIMENSION] += 1.0;
            }
            let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(1.0);
            counts.into_iter().map(|count| count / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn shop() -> SiteId {
    SiteId::new("shop")
}

fn code<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> Code {
    result.expect_err("it is refused").code
}

async fn claim(browser: &Browser, at: Option<StateId>, count: usize) -> Vec<FrontierGrant> {
    let request = FrontierRequest { version: browser.version.clone(), crawler: "crawler".into(), at, count };
    browser.service.claim_frontier(request).await.expect("claim")
}

fn open(located: &Located) -> usize {
    located.actions.iter().filter(|offer| offer.progress == Some(Progress::Open)).count()
}

async fn a_page_seen_again_is_the_same_state(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service, "run");
    let home = browser.open(HOME).await;
    let list = browser.click(&home, "Products", LIST).await;
    let again = browser.click(&list, "Home", HOME).await;
    assert!(home.is_new && list.is_new && !again.is_new);
    assert_eq!(home.state, again.state);
    assert_ne!(home.state, list.state);
    let mut other = Browser::new(browser.service.clone(), "later");
    let later = other.open(HOME).await;
    assert_eq!((later.state, later.is_new), (home.state, false), "another run shares the map");
}

async fn a_request_that_comes_again_is_counted_once(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    let request = browser.request(LIST, Some((home.state, "Products", Effect::NoChange)));
    let first = service.locate(request.clone()).await.expect("locate");
    let second = service.locate(request).await.expect("locate");
    assert_eq!((first.state, first.is_new, second.is_new), (second.state, true, false));
    let map = service.map(&shop(), None).await.expect("map");
    assert_eq!((map.states.len(), map.transitions.len(), map.transitions[0].tally.count), (2, 1, 1));
}

async fn what_comes_and_goes_by_itself_makes_no_state(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    let mut reload = browser.request(ADVERTISED, None);
    reload.reload_of = Some(home.state);
    let reloaded = service.locate(reload).await.expect("locate");
    assert_eq!((reloaded.state, reloaded.is_new), (home.state, false));
    let mut later = Browser::new(service, "later");
    assert_eq!(later.open(ADVERTISED).await.state, home.state, "it is known from then on");
    assert!(later.open(PRODUCT).await.is_new, "other pages are still other states");
}

async fn transitions_are_counted_with_their_success_and_latency(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service, "run");
    let home = browser.open(HOME).await;
    browser.click(&home, "Products", LIST).await;
    browser.latency = Duration::from_millis(300);
    browser.click(&home, "Products", LIST).await;
    let failed = Effect::Failed { cause: "covered".into() };
    browser.act(&home, "Products", failed, HOME).await;
    let map = browser.service.map(&shop(), None).await.expect("map");
    let tallies: Vec<_> = map
        .transitions
        .iter()
        .map(|transition| {
            (
                transition.to == home.state,
                transition.tally.count,
                transition.tally.succeeded,
                transition.tally.latency_ms,
            )
        })
        .collect();
    assert_eq!(tallies.into_iter().collect::<BTreeSet<_>>(), [(true, 1, 0, 300), (false, 2, 2, 400)].into());
    assert_eq!(map.start, Some(home.state));
}

async fn what_is_not_there_is_said(service: Arc<dyn GraphService>) {
    let nowhere = SiteId::new("nowhere");
    assert_eq!(code(service.map(&nowhere, None).await), Code::NotFound);
    assert_eq!(code(service.versions(&nowhere).await), Code::NotFound);
    assert_eq!(code(service.search(&nowhere, "cart", 1).await), Code::NotFound);
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    assert_eq!(code(service.map(&shop(), Some(&RunId::new("other"))).await), Code::NotFound);
    assert_eq!(code(service.shortest_path(&shop(), None, StateId(99)).await), Code::NotFound);
    let lost = browser.request(LIST, Some((StateId(99), "Products", Effect::NoChange)));
    assert_eq!(code(service.locate(lost).await), Code::NotFound);
    let nobody = FrontierRequest { version: browser.version.clone(), crawler: String::new(), at: None, count: 1 };
    assert_eq!(code(service.claim_frontier(nobody).await), Code::Invalid);
    let mut other_role = browser.request(HOME, None);
    other_role.version.role = "admin".into();
    assert_eq!(code(service.locate(other_role).await), Code::Conflict);
    assert_eq!(service.versions(&shop()).await.expect("versions"), [browser.version]);
    assert_eq!(
        service.shortest_path(&shop(), None, home.state).await.expect("path").map(|path| path.hops.len()),
        Some(0)
    );
}

async fn every_control_is_offered_once(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service, "run");
    let list = browser.open(LIST).await;
    assert_eq!(list.actions.len(), 2 + 5, "the navigation, and five products");
    assert_eq!(open(&list), 2 + 5);
    let keys: BTreeSet<_> = list.actions.iter().map(|offer| offer.key).collect();
    assert_eq!(keys.len(), list.actions.len());
}

async fn what_is_claimed_is_nobody_elses_and_is_tried_once(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    let (first, second) = (claim(&browser, None, 1).await, claim(&browser, None, 9).await);
    assert_eq!((first.len(), first.len() + second.len()), (1, open(&home)));
    assert!(second.iter().all(|grant| grant.ticket != first[0].ticket));
    assert!(claim(&browser, None, 9).await.is_empty());

    let ticket = first[0].ticket.clone();
    let mut report = browser.request(LIST, None);
    report.ticket = Some(ticket.clone());
    assert!(service.locate(report).await.expect("locate").ticket_held);
    let mut again = browser.request(LIST, None);
    again.ticket = Some(ticket.clone());
    assert!(!service.locate(again).await.expect("locate").ticket_held, "it was reported on before");
    let now = browser.open(HOME).await;
    let tried = now.actions.iter().find(|offer| offer.key == ticket.key).and_then(|offer| offer.progress);
    assert_eq!(tried, Some(Progress::Done));
    let mut other = Browser::new(service, "later");
    other.open(HOME).await;
    assert_eq!(claim(&other, None, 9).await.len(), open(&home), "another run explores by itself");
}

async fn the_frontier_comes_with_the_way_there(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service, "run");
    let home = browser.open(HOME).await;
    let list = browser.click(&home, "Products", LIST).await;
    let grants = claim(&browser, Some(home.state), 99).await;
    let from_list = grants.iter().find(|grant| grant.opportunity.state == list.state).expect("it can be reached");
    assert_eq!(
        from_list.path.hops.iter().map(|hop| (hop.from, hop.to)).collect::<Vec<_>>(),
        [(home.state, list.state)]
    );
    assert!(!from_list.path.from_start && from_list.path.reliability == 1.0);
    let here = grants.iter().find(|grant| grant.opportunity.state == home.state).expect("it is here");
    assert!(here.path.hops.is_empty());
    browser.service.release_frontier(grants.into_iter().map(|grant| grant.ticket).collect()).await.expect("release");
    let anew = claim(&browser, None, 99).await;
    assert!(anew.iter().all(|grant| grant.path.from_start));
}

async fn what_is_known_from_other_states_is_tried_last(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service, "run");
    let home = browser.open(HOME).await;
    // Try what the navigation does, from home.
    for grant in claim(&browser, Some(home.state), 99).await {
        let mut report = browser.request(HOME, Some((home.state, "Home", Effect::NoChange)));
        report.ticket = Some(grant.ticket);
        browser.service.locate(report).await.expect("locate");
    }
    let list = browser.click(&home, "Products", LIST).await;
    let next = claim(&browser, Some(list.state), 99).await;
    let mut names: Vec<_> = next.iter().map(|grant| pages::name(&grant.opportunity)).collect();
    assert_eq!(names.pop().as_deref(), Some("Home"), "{names:?} come first");
    names.sort();
    assert_eq!(names, ["Product 1", "Product 2", "Product 3", "Product 4", "Product 5", "Search"]);
}

async fn a_link_to_where_somebody_was_is_tried_after_one_to_where_nobody_was(service: Arc<dyn GraphService>) {
    const WELCOME: Shown = Shown {
        path: "/welcome",
        title: "Welcome",
        controls: &[("link", "Back to the shop", "/#top"), ("link", "Stories", "/stories")],
    };
    let mut browser = Browser::new(service, "r1");
    browser.open(HOME).await;
    let welcome = browser.open(WELCOME).await;
    let claimed = claim(&browser, Some(welcome.state), 10).await;
    let order: Vec<String> = claimed.iter().map(|grant| pages::name(&grant.opportunity)).collect();
    assert_eq!(order.first().map(String::as_str), Some("Stories"), "{order:?}");
    assert_eq!(order.get(1).map(String::as_str), Some("Back to the shop"), "{order:?}");
}

async fn the_rest_of_a_menu_that_only_says_the_same_in_other_words_is_tried_last(service: Arc<dyn GraphService>) {
    const LANGUAGES: [(&str, &str, &str); 6] = [
        ("link", "Dansk", "/danish"),
        ("link", "Deutsch", "/german"),
        ("link", "Eesti", "/estonian"),
        ("link", "Suomi", "/finnish"),
        ("button", "Say hello", ""),
        ("button", "Say goodbye", ""),
    ];
    const ENGLISH: Shown = Shown { path: "/welcome", title: "Welcome", controls: &LANGUAGES };
    const DANISH: Shown =
        Shown { title: "Velkommen", controls: &[("link", "Dansk", "/danish"), ("button", "Sig hej", "")], ..ENGLISH };
    const GERMAN: Shown = Shown {
        title: "Willkommen",
        controls: &[("link", "Deutsch", "/german"), ("button", "Sag hallo", "")],
        ..ENGLISH
    };
    let mut browser = Browser::new(service, "r1");
    let english = browser.open(ENGLISH).await;
    for (language, shown) in [("Dansk", DANISH), ("Deutsch", GERMAN)] {
        let request = FrontierRequest {
            version: browser.version.clone(),
            crawler: "a".into(),
            at: Some(english.state),
            count: 6,
        };
        let grants = browser.service.claim_frontier(request).await.expect("claims");
        let (chosen, others): (Vec<_>, Vec<_>) =
            grants.into_iter().partition(|grant| pages::name(&grant.opportunity) == language);
        let others = others.into_iter().map(|grant| grant.ticket).collect();
        browser.service.release_frontier(others).await.expect("released");
        browser.settle(&english, &chosen[0], shown).await;
    }
    let order: Vec<String> =
        claim(&browser, Some(english.state), 10).await.iter().map(|grant| pages::name(&grant.opportunity)).collect();
    let place = |wanted: &str| order.iter().position(|name| name == wanted).expect("it is offered");
    assert!(place("Say hello") < place("Eesti") && place("Say goodbye") < place("Suomi"), "{order:?}");
}

async fn claims_can_be_given_back_and_renewed(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    browser.open(HOME).await;
    let tickets: Vec<_> = claim(&browser, None, 9).await.into_iter().map(|grant| grant.ticket).collect();
    assert!(service.renew_frontier(tickets.clone()).await.expect("renew").is_empty());
    service.release_frontier(tickets[..1].to_vec()).await.expect("release");
    assert_eq!(service.renew_frontier(tickets.clone()).await.expect("renew"), tickets[..1]);
    let again = claim(&browser, None, 9).await;
    assert_eq!((again.len(), again[0].ticket.key), (1, tickets[0].key));
    assert_eq!(again[0].ticket.fence.0, tickets[0].fence.0 + 1);
}

async fn the_cheapest_path_is_reliable_and_quick(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    let list = browser.click(&home, "Products", LIST).await;
    let product = browser.click(&list, "Product 1", PRODUCT).await;
    let cart = browser.click(&product, "Add to cart", CART).await;
    let hops = async |from: Option<StateId>, to| {
        let path = service.shortest_path(&shop(), from, to).await.expect("path");
        path.map(|path| path.hops.iter().map(|hop| hop.to).collect::<Vec<_>>())
    };
    assert_eq!(hops(None, cart.state).await, Some(vec![list.state, product.state, cart.state]));
    assert_eq!(hops(Some(cart.state), list.state).await, None, "nobody has gone that way");
    // A short way that fails most of the time is no short cut.
    browser.click(&home, "Cart", CART).await;
    assert_eq!(hops(None, cart.state).await, Some(vec![cart.state]));
    for _ in 0..9 {
        browser.act(&home, "Cart", Effect::Failed { cause: "covered".into() }, HOME).await;
    }
    assert_eq!(hops(None, cart.state).await, Some(vec![list.state, product.state, cart.state]));
    // So is one that takes long.
    browser.latency = Duration::from_secs(60);
    let direct = browser.click(&list, "Home", CART).await;
    assert_eq!(direct.state, cart.state);
    assert_eq!(hops(None, cart.state).await, Some(vec![list.state, product.state, cart.state]));
}

async fn a_map_can_be_had_as_one_run_saw_it(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    browser.click(&home, "Products", LIST).await;
    let mut later = Browser::new(service.clone(), "later");
    let home = later.open(HOME).await;
    later.click(&home, "Cart", CART).await;
    let titles = async |run: Option<&str>| {
        let map = service.map(&shop(), run.map(RunId::new).as_ref()).await.expect("map");
        (map.states.into_iter().map(|state| state.title).collect::<Vec<_>>(), map.transitions.len())
    };
    assert_eq!(titles(None).await, (vec!["Home".into(), "Products".into(), "Cart".into()], 2));
    assert_eq!(titles(Some("later")).await, (vec!["Home".into(), "Cart".into()], 1));
}

async fn a_difference_names_what_changed_and_what_was_not_reached(service: Arc<dyn GraphService>) {
    let mut before = Browser::new(service.clone(), "before");
    let home = before.open(HOME).await;
    let cart = before.click(&home, "Cart", CART).await;
    before.click(&cart, "Pay", PAYMENT).await;
    let list = before.click(&home, "Products", LIST).await;
    before.click(&list, "Product 1", PRODUCT).await;

    // The product has a new button, the cart is gone, and the list is not looked at from home.
    let mut after = Browser::new(service.clone(), "after");
    let home = after.open(HOME).await;
    after.click(&home, "Cart", SORRY).await;
    let list = after.open(LIST).await;
    after.click(&list, "Product 1", WISHED).await;

    let found = service.diff(&shop(), &RunId::new("before"), &RunId::new("after")).await.expect("diff");
    let missing: Vec<_> = found.missing.iter().map(|lone| (lone.it.title.as_str(), lone.is_sure)).collect();
    assert_eq!(missing, [("Cart", true), ("Payment", true)], "the one way to the payment leads through the cart");
    let broke_at = found.missing[1].broke_at.as_ref().expect("a step");
    assert_eq!((broke_at.from, broke_at.to), (home.state, cart.state));
    let appeared: Vec<_> = found.appeared.iter().map(|lone| (lone.it.title.as_str(), lone.is_sure)).collect();
    assert_eq!(appeared, [("Sorry", true)]);
    let changed: Vec<_> = found.changed.iter().map(|change| (change.before.title.as_str(), &change.what[..])).collect();
    let wish = Part::Control { role: "button".into(), name: "Wish for it".into() };
    assert_eq!(changed, [("Product", &[Aspect::Won(wish)][..])]);
    let unseen: Vec<_> = found.missing_transitions.iter().map(|lone| (lone.it.to, lone.is_sure)).collect();
    assert_eq!(unseen, [(list.state, false)], "nobody clicked it");
    assert!(found.is_change());
}

async fn two_equal_runs_have_no_difference(service: Arc<dyn GraphService>) {
    for run in ["before", "after"] {
        let mut browser = Browser::new(service.clone(), run);
        let home = browser.open(HOME).await;
        let list = browser.click(&home, "Products", LIST).await;
        browser.click(&list, "Product 1", PRODUCT).await;
    }
    let found = service.diff(&shop(), &RunId::new("before"), &RunId::new("after")).await.expect("diff");
    assert_eq!(found, domain::state::Difference::default());
    assert!(!found.is_change());
}

async fn states_are_found_by_what_they_are_about(service: Arc<dyn GraphService>) {
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    let cart = browser.click(&home, "Cart", CART).await;
    let found = service.search(&shop(), "pay what is in the cart", 5).await.expect("search");
    assert_eq!((found.len(), found[0].0.id), (2, cart.state));
    assert!(found[0].1 > found[1].1);
    assert_eq!(service.search(&shop(), "pay", 1).await.expect("search").len(), 1);
}

async fn a_watcher_sees_the_map_grow(service: Arc<dyn GraphService>) {
    let mut watch = service.watch(&shop()).await.expect("watch");
    assert_eq!(watch.next().await.expect("a first status").expect("status"), MapStatus::default());
    let mut browser = Browser::new(service.clone(), "run");
    let home = browser.open(HOME).await;
    browser.click(&home, "Products", LIST).await;
    let claimed = claim(&browser, None, 1).await.len() as u64;
    let grown = async {
        while let Some(status) = watch.next().await {
            let status = status.expect("status");
            if (status.states, status.transitions, status.claimed) == (2, 1, claimed) {
                return status;
            }
        }
        panic!("the watch has ended");
    };
    let status = tokio::time::timeout(Duration::from_secs(20), grown).await.expect("it is told in time");
    assert_eq!(status.open + status.claimed + status.done, 3 + 7);
}
