//! Links whose address leaves open whether they do something.

use super::*;

fn link(name: &str, href: &str, parent: Option<u32>) -> Node {
    node("a", name, &[("href", href)], parent)
}

fn followed(nodes: Vec<Node>, at: u32) -> bool {
    let page =
        Observation { nodes: nodes.into(), url: "http://shop.test/shop/storm-lamp".into(), ..Observation::default() };
    refusal(&Action::click(ElementId(at)), &page, &Guards::default(), &Memory::default()).is_none()
}

#[test]
fn a_word_that_may_be_a_command_is_not_followed_by_itself() {
    for (name, href) in [
        ("Write to me when it is back", "/shop/storm-lamp/wuxtify"),
        ("Kick", "/bus/zork.cgi?mac=00163e01"),
        ("Vider", "/museum/vitrine/zork"),
    ] {
        assert!(!followed(vec![link(name, href, None)], 0), "{href}");
    }
    assert_eq!(
        clicked(vec![link("Zork", "/shop/storm-lamp/zork", None)], &free()),
        None,
        "only careful explorations ask"
    );
}

#[test]
fn it_is_followed_where_its_place_or_its_words_say_that_it_leads_somewhere() {
    assert!(followed(vec![node("nav", "", &[], None), link("Zork", "/shop/lamp/zork", Some(0))], 1), "a navigation");
    assert!(followed(vec![node("h3", "", &[], None), link("Zork", "/shop/lamp/zork", Some(0))], 1), "a heading");
    let post = vec![
        node("article", "", &[], None),
        node("footer", "", &[], Some(0)),
        link("Zork", "/post/lamp/zork", Some(1)),
    ];
    assert!(!followed(post, 2), "the foot of a post is none of the page");
    assert!(followed(vec![link("How do I zork?", "/shop/lamp/zork", None)], 0), "a question");
    assert!(followed(vec![link("Zork", "/shop/storm-lamp?zork", None)], 0), "the page itself");
    assert!(followed(vec![link("History", "/shop/storm-lamp/history", None)], 0), "a known view");
    let allow = Exceptions { paths: vec!["/shop/storm-lamp/zork".into()], ..Exceptions::default() };
    assert_eq!(
        clicked(vec![link("Zork", "/shop/storm-lamp/zork", None)], &Guards { allow, ..Guards::default() }),
        None
    );
}

#[test]
fn names_of_a_list_are_followed_and_the_commands_of_a_tool_bar_are_not() {
    let names = ["Kettle", "Pan", "Pot", "Ladle", "Wok"];
    let list = |parent: &str| names.map(|name| link(name, &format!("{parent}/{}", name.to_lowercase()), None)).to_vec();
    assert!(followed(list("/shop/kitchen"), 2));
    let mut bar = list("/shop/storm-lamp");
    bar.push(link("Delete", "/shop/storm-lamp/delete", None));
    assert!(!followed(bar, 2), "one of them deletes");
    let rows = names.map(|name| link(&format!("Poke {name}"), &format!("/friends/poke/{name}"), None)).to_vec();
    assert!(!followed(rows, 2), "a command of each row");
}

#[test]
fn a_command_in_words_at_an_address_of_codes_is_not_followed() {
    let ways = ["Tools", "People", "Orders", "Log"].map(|name| link(name, &format!("/{}", name.to_lowercase()), None));
    let at = |name: &str| {
        let nodes = [ways.to_vec(), vec![link(name, "/stock?tr=MB1A&rw=551&k=4472", None)]].concat();
        followed(nodes, 4)
    };
    assert!(!at("Zezłomuj") && at("Liste"));
    assert!(!followed(vec![link("Reopen April", "/periods?open=2026-04", None)], 0));
}
