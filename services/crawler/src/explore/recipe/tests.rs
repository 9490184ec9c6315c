//! Recipes, on pages that decorate the names of their fields.

use super::*;

fn node(tag: &str, name: &str, attributes: &[(&str, &str)]) -> Node {
    let operation = if tag == "button" { ActionKind::Click } else { ActionKind::Type };
    Node {
        tag: tag.into(),
        role: if tag == "button" { "button".into() } else { "textbox".into() },
        name: name.into(),
        attributes: attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        operations: vec![operation],
        ..Node::default()
    }
}

fn page(nodes: Vec<Node>) -> Observation {
    Observation { url: "http://shop.test/login".into(), nodes: nodes.into(), ..Observation::default() }
}

fn form() -> Observation {
    page(vec![
        node("input", "Search", &[("name", "q")]),
        node("input", "User name: *", &[("name", "login")]),
        node("input", "Password (required)", &[("type", "password"), ("placeholder", "••••")]),
        node("button", "Sign in", &[]),
    ])
}

#[test]
fn a_field_is_found_as_the_page_and_as_the_recipe_decorate_it() {
    for name in ["User name", "User name:", "user name *", "USER NAME: ", "login"] {
        assert_eq!(field(&form(), name), Some(ElementId(1)), "{name}");
    }
    for name in ["Password", "password:", "Password*", "Password (required)"] {
        assert_eq!(field(&form(), name), Some(ElementId(2)), "{name}");
    }
    assert_eq!(button(&form(), Some("sign in:"), None), Some(ElementId(3)));
    assert_eq!(field(&form(), "User"), None, "a like name is another name");
}

#[test]
fn what_is_missing_is_told_with_what_is_there() {
    let cause = no_field(&form(), "E-mail");
    assert!(
        cause.contains("no field `E-mail`") && cause.contains("Search, User name: *, Password (required)"),
        "{cause}"
    );
    let cause = no_button(&form(), Some("Log on"));
    assert!(cause.contains("no button `Log on`; buttons here: Sign in"), "{cause}");
    assert!(no_field(&page(Vec::new()), "E-mail").contains("give the address of the form"));
}

#[test]
fn the_form_is_known_by_its_password_and_what_the_site_says_is_told() {
    let recipe = |fields: &[&str]| Login {
        role: "user".into(),
        url: None,
        fill: fields.iter().map(|name| ((*name).to_owned(), Parameter::Text("a".into()))).collect(),
        submit: None,
        logged_in: None,
    };
    assert!(asks_for_password(&form(), &recipe(&["User name", "Password"])));
    assert!(!asks_for_password(&form(), &recipe(&["Search"])));
    assert!(!asks_for_password(&form(), &recipe(&["E-mail", "Password"])));
    let alert = Node { role: "alert".into(), text: "Wrong password.".into(), ..Node::default() };
    let cause = not_logged_in(&page(vec![alert]));
    assert!(cause.ends_with("the site says: \"Wrong password.\""), "{cause}");
}
