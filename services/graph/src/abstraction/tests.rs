//! What is one state and what is not, on small pages; and what holds for every abstraction.

use super::*;
use domain::action::ActionKind;
use domain::{ElementId, Node, Observation};
use proptest::prelude::*;

/// A page within the frame that all pages of a site have.
fn framed(body: &str) -> Page {
    Page::of_html(&format!(
        "<body><nav><a href=/>Home</a><a href=/shop>Shop</a><a href=/cart>Cart (3)</a></nav>{body}<footer>© 2026</footer>"
    ))
}

fn at(address: &str, page: Page) -> Page {
    Page { url: Some(address.parse().unwrap()), ..page }
}

fn fingerprint(page: &Page) -> Fingerprint {
    Layered.fingerprint(&PageInput { page, vector: None, picture: None })
}

fn are_one_state_given(learnt: &Learnt, one: &Page, other: &Page) -> bool {
    let (one, other) = (fingerprint(one), fingerprint(other));
    let is_one = Layered.distance(&one, &other, learnt) <= Layered.threshold();
    if is_one {
        assert_eq!(Layered.bucket(&one, learnt), Layered.bucket(&other, learnt), "it would not be found");
    }
    is_one
}

fn are_one_state(one: &Page, other: &Page) -> bool {
    are_one_state_given(&Learnt::default(), one, other)
}

const PRODUCT: &str = "<h1>Blue shirt</h1><p>Made of cotton, 12 left.</p><button>Add to cart</button>";
const OTHER_PRODUCT: &str =
    "<h1>Red hat</h1><p>For the sun. Only 3 of them!</p><p>Sale</p><button>Add to cart</button>";

#[test]
fn pages_that_show_other_data_are_one_state() {
    let (shirt, hat) = (framed(PRODUCT), framed(OTHER_PRODUCT));
    assert!(are_one_state(&at("http://a/product/17", shirt.clone()), &at("http://a/product/4", hat.clone())));
    assert!(are_one_state(&at("http://a/product/blue-shirt", shirt), &at("http://a/product/red-hat", hat)));
}

#[test]
fn pages_on_which_something_else_can_be_done_are_two() {
    let sold_out = "<h1>Blue shirt</h1><p>Made of cotton, 0 left.</p><button disabled>Add to cart</button>";
    assert!(!are_one_state(&framed(PRODUCT), &framed(sold_out)));
    let with_review = format!("{PRODUCT}<form action=/review><textarea name=review></textarea></form>");
    assert!(!are_one_state(&framed(PRODUCT), &framed(&with_review)));
}

#[test]
fn the_length_of_a_list_is_data() {
    let rows = |count: usize| {
        let row = |n: usize| {
            format!("<tr><td>Name {n}</td><td><a href=/owner/{n}>Look</a></td><td><button>Remove</button></td></tr>")
        };
        framed(&format!("<h1>Owners</h1><table>{}</table>", (0..count).map(row).collect::<String>()))
    };
    assert!(are_one_state(&rows(1), &rows(30)));
    assert!(!are_one_state(&rows(0), &rows(1)), "without a row there is nothing to remove");
}

#[test]
fn a_list_of_cards_that_are_called_by_data_is_one_state_with_one_card() {
    let cards = |names: &[&str]| {
        let card = |name: &&str| format!("<div class=card><b>{name}</b><button>Buy {name}</button></div>");
        framed(&format!("<main>{}</main>", names.iter().map(card).collect::<String>()))
    };
    assert!(are_one_state(&cards(&["hat", "shirt", "shoe", "sock", "coat"]), &cards(&["scarf"])));
}

#[test]
fn a_refused_form_is_a_state_of_its_own() {
    let form = |hint: &str, class: &str| {
        framed(&format!(
            "<form action=/pets><div class='row {class}'><label>Name</label><input name=name><span class=help>{hint}</span></div>\
             <div class=row><label>Born</label><input name=born><span class=help></span></div><button>Add pet</button></form>"
        ))
    };
    assert!(!are_one_state(&form("", ""), &form("is required", "")));
    assert!(!are_one_state(&form("", ""), &form("", "has-error")));
    assert!(are_one_state(&form("is required", "error"), &form("may not be empty", "error")));
}

#[test]
fn a_filled_form_is_the_same_as_an_empty_one() {
    let form = |value: &str| {
        framed(&format!("<form action=/pets><input name=name value='{value}'><button>Save</button></form>"))
    };
    assert!(are_one_state(&form(""), &form("Basil")));
}

#[test]
fn dialogs_and_chosen_tabs_are_states() {
    let tabs = |chosen: usize| {
        let tab = |n: usize| {
            format!("<button role=tab aria-selected={}>{}</button>", n == chosen, ["Size", "Care", "Ask"][n])
        };
        framed(&format!("{PRODUCT}<div role=tablist>{}</div>", (0..3).map(tab).collect::<String>()))
    };
    assert!(!are_one_state(&tabs(0), &tabs(1)));
    assert!(are_one_state(&tabs(1), &tabs(1)));
    let asking = format!("{PRODUCT}<div role=dialog aria-label='Really?'><button>Yes</button></div>");
    assert!(!are_one_state(&framed(PRODUCT), &framed(&asking)));
    let alerting = Page { dialog: Some("alert".into()), ..framed(PRODUCT) };
    assert!(!are_one_state(&framed(PRODUCT), &alerting));
}

const ABOUT: &str = "<main><h1>About us</h1><p>We have sold shirts since the days of our grandmothers.</p></main>";
const TERMS: &str =
    "<main><h1>Terms</h1><ol><li>Payment is due at once.</li><li>Returns within weeks.</li></ol></main>";

#[test]
fn pages_without_controls_are_told_apart_by_what_they_say() {
    assert!(!are_one_state(&at("http://a/about", framed(ABOUT)), &at("http://a/terms", framed(TERMS))));
    assert!(!are_one_state(&framed(ABOUT), &framed(TERMS)));
    let changed = ABOUT.replace("grandmothers", "grandfathers");
    assert!(are_one_state(&at("http://a/about", framed(ABOUT)), &at("http://a/about", framed(&changed))));
    assert!(are_one_state(&at("http://a/news/17", framed(ABOUT)), &at("http://a/news/18", framed(TERMS))));
}

#[test]
fn what_stands_together_in_a_list_is_learnt_to_be_of_one_kind() {
    let list =
        framed("<ul><li><a href=/news/rain>Rain</a><li><a href=/news/sun>Sun</a><li><a href=/news/fog>Fog</a></ul>");
    let (sun, fog) = (at("http://a/news/sun", framed(ABOUT)), at("http://a/news/fog", framed(TERMS)));
    let mut learnt = Learnt::default();
    assert!(!are_one_state_given(&learnt, &sun, &fog));
    assert!(learnt.page(&fingerprint(&list)) && !learnt.page(&fingerprint(&list)), "it is news once");
    assert!(are_one_state_given(&learnt, &sun, &fog));
    assert!(!are_one_state_given(&learnt, &sun, &at("http://a/about", framed(TERMS))));
}

#[test]
fn what_comes_and_goes_by_itself_is_learnt_and_passed_over() {
    let plain = at("http://a/shop", framed(&format!("<main>{PRODUCT}<a href=/help>Help</a></main>")));
    let with =
        |extra: &str| at("http://a/shop", framed(&format!("<main>{PRODUCT}<a href=/help>Help</a>{extra}</main>")));
    let advertised = with("<a href=/promo/x>Try this</a>");
    let mut learnt = Learnt::default();
    assert!(!are_one_state_given(&learnt, &plain, &advertised));
    assert!(learnt.again(&fingerprint(&plain), &fingerprint(&advertised)));
    assert!(are_one_state_given(&learnt, &plain, &advertised));
    assert!(!are_one_state_given(&learnt, &plain, &with("<button>Other</button>")), "only that was learnt");
    let mut elsewhere = Learnt::default();
    elsewhere.merge(&learnt);
    assert_eq!(elsewhere, learnt);
}

#[test]
fn nothing_is_learnt_from_a_page_that_is_quite_another() {
    let (page, login) = (
        at("http://a/x", framed(PRODUCT)),
        at("http://a/x", framed("<form><input name=user><input name=pass type=password><button>Enter</button></form>")),
    );
    let mut learnt = Learnt::default();
    assert!(!learnt.again(&fingerprint(&page), &fingerprint(&login)));
    assert!(!learnt.again(&fingerprint(&page), &fingerprint(&at("http://a/y", framed(OTHER_PRODUCT)))));
    assert_eq!(learnt, Learnt::default());
}

#[test]
fn links_off_the_site_and_words_in_prose_do_not_make_a_state() {
    let page = |more: &str| at("http://a/shop", framed(&format!("<main>{PRODUCT}{more}</main>")));
    assert!(are_one_state(&page(""), &page("<a href=https://ads.example/1>Buy now</a>")));
    assert!(are_one_state(&page(""), &page("<p>As <a href=/blog/cotton>we wrote</a> before.</p>")));
    assert!(!are_one_state(&page(""), &page("<a href=/size-guide>Size guide</a>")));
}

#[test]
fn the_way_from_one_part_of_a_list_to_the_next_is_data() {
    let list = "<table><tr><td><a href=/owner/1>A</a></td></tr></table>";
    let more =
        format!("{list}<ul class=pagination><li><a href='?page=2'>2</a></li><li><button>Next</button></li></ul>");
    assert!(are_one_state(&framed(list), &framed(&more)));
}

/// The nodes that the browser room would list of a small form.
fn observed(hint: &str) -> Observation {
    let node = |parent: Option<u32>, role: &str, tag: &str, text: &str| Node {
        parent: parent.map(ElementId),
        role: role.into(),
        tag: tag.into(),
        text: text.into(),
        ..Node::default()
    };
    let mut nodes = vec![
        node(None, "form", "form", &format!("Name {hint} Add pet")),
        node(Some(0), "text", "label", "Name"),
        node(Some(0), "textbox", "input", ""),
        node(Some(0), "text", "span", hint),
        node(Some(0), "button", "button", "Add pet"),
    ];
    nodes[2].attributes = [("name".to_owned(), "name".to_owned())].into_iter().collect();
    nodes[2].operations = vec![ActionKind::Type, ActionKind::Click];
    nodes[4].operations = vec![ActionKind::Click];
    Observation { url: "http://a/pets/new".into(), nodes: nodes.into(), ..Observation::default() }
}

#[test]
fn observations_are_read_like_documents() {
    let page = |hint: &str| Page::from(&observed(hint));
    assert_eq!(page("is required").elements[0].text, "", "what stands in its children is not its own");
    assert!(are_one_state(&page("is required"), &page("may not be empty")));
    let mut silent = observed("");
    silent.nodes.iter_mut().for_each(|node| node.bounds.width += 1.0);
    assert!(!are_one_state(&Page::from(&silent), &page("is required")));
    assert!(are_one_state(&Page::from(&silent), &page("")));
}

#[test]
fn a_node_that_only_says_where_an_item_begins_leaves_no_trace() {
    let plain = observed("may not be empty");
    let mut marked = plain.clone();
    let mut nodes: Vec<Node> = plain.nodes.iter().map(Node::clone).collect();
    let item = Node {
        is_item: true,
        text: nodes[0].text.clone(),
        role: "generic".into(),
        tag: "div".into(),
        parent: Some(ElementId(0)),
        ..Node::default()
    };
    nodes.insert(1, item);
    for node in &mut nodes[2..] {
        node.parent = node.parent.map(|parent| ElementId(if parent.index() == 0 { 1 } else { parent.0 + 1 }));
    }
    marked.nodes = nodes.into();
    assert_eq!(Page::from(&marked), Page::from(&plain));
    assert_eq!(super::places(&marked)[..2], [0, 2]);
}

#[test]
fn every_abstraction_has_a_name_of_its_own_and_ours_is_the_first() {
    let names: Vec<&str> = all().iter().map(|abstraction| abstraction.name()).collect();
    assert_eq!(names[0], "layered");
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
    assert!(
        names.iter().all(|name| named(name).is_some_and(|found| found.name() == *name)) && named("other").is_none()
    );
}

prop_compose! {
    fn page()(parts in prop::collection::vec((0..6u8, "[a-c ]{0,6}"), 0..12)) -> Page {
        let part = |(kind, text): (u8, String)| match kind {
            0 => format!("<p>{text}</p>"),
            1 => format!("<a href='/{}'>{text}</a>", text.trim()),
            2 => format!("<div class='{text}'><input name='{text}'></div>"),
            3 => format!("<ul><li>{text}</li></ul>"),
            4 => format!("<form action='/{}'><button>{text}</button>", text.trim()),
            _ => format!("<h1>{text}</h1>"),
        };
        Page::of_html(&parts.into_iter().map(part).collect::<String>())
    }
}

proptest! {
    #[test]
    fn distances_are_between_0_and_1_the_same_both_ways_and_0_for_a_page_itself(one in page(), other in page()) {
        let learnt = Learnt::default();
        for abstraction in all() {
            let print = |page: &Page| {
                let vector = [page.elements.len() as f32, 1.0];
                let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
                abstraction.fingerprint(&PageInput { page, vector: Some(&vector.map(|part| part / length)), picture: None })
            };
            let (left, right) = (print(&one), print(&other));
            let distance = abstraction.distance(&left, &right, &learnt);
            prop_assert!((0.0..=1.0).contains(&distance), "{}: {distance}", abstraction.name());
            prop_assert_eq!(distance, abstraction.distance(&right, &left, &learnt), "{}", abstraction.name());
            prop_assert!(abstraction.distance(&left, &left, &learnt) < 1e-6, "{}", abstraction.name());
            if distance <= abstraction.threshold() {
                prop_assert_eq!(abstraction.bucket(&left, &learnt), abstraction.bucket(&right, &learnt), "{}", abstraction.name());
            }
        }
    }
}
