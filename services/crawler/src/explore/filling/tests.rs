//! Forms and refusals, in the words of browsers and frameworks.

use super::*;
use domain::observation::Constraints;

/// A field of a form, with what stands in it.
fn field(kind: &str, name: &str, constraints: Constraints) -> Node {
    let attributes = [("type", kind), ("name", name)];
    let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
    Node {
        tag: "input".into(),
        role: "textbox".into(),
        parent: Some(ElementId(0)),
        attributes,
        operations: vec![ActionKind::Type],
        constraints: Some(Box::new(constraints)),
        ..Node::default()
    }
}

fn none() -> Constraints {
    Constraints::default()
}

/// A Wednesday. What no word says more about is asked for a week later.
fn today() -> NaiveDate {
    "2031-01-08".parse().unwrap()
}

/// A page of one form.
fn page(fields: Vec<Node>) -> Observation {
    let form = Node { tag: "form".into(), role: "form".into(), ..Node::default() };
    Observation { nodes: [vec![form], fields].concat().into(), ..Observation::default() }
}

fn message(class: &str, said: &str) -> Node {
    let attributes = [("class".to_owned(), class.to_owned())].into_iter().collect();
    Node { parent: Some(ElementId(0)), tag: "p".into(), text: said.into(), attributes, ..Node::default() }
}

fn typed(kind: &str, name: &str, constraints: Constraints) -> String {
    text(&page(vec![field(kind, name, constraints)]), ElementId(1), 0, today())
}

/// What is typed at an attempt into a field with a value, of which the page says something.
fn again(field: Node, value: &str, said: &str, attempt: u32) -> String {
    let field = Node { value: Some(value.into()), ..field };
    text(&page(vec![field, message("error", said)]), ElementId(1), attempt, today())
}

fn mended(kind: &str, name: &str, said: &str) -> String {
    let plain = typed(kind, name, none());
    again(field(kind, name, none()), &plain, said, 1)
}

#[test]
fn a_field_gets_what_its_type_and_name_ask_for() {
    assert_eq!(typed("email", "x", none()), "rutter@example.org");
    assert_eq!(typed("text", "zip_code", none()), "12345");
    assert_eq!(typed("text", "first-name", none()), "Rutter");
    assert_eq!(typed("date", "from", none()), "2031-01-15");
    let dated = Node { context: "Arrival (DD/MM/YYYY)".into(), ..field("text", "b", none()) };
    assert_eq!(text(&page(vec![dated]), ElementId(1), 0, today()), "15/01/2031");
    let called = Node { name: "E-mail address".into(), ..field("text", "address", none()) };
    assert_eq!(text(&page(vec![called]), ElementId(1), 0, today()), "rutter@example.org");
    assert_eq!(typed("text", "message", none()), "Written by Rutter while exploring.");
    let password = typed("password", "p", none());
    let has = |is_it: fn(char) -> bool| password.chars().any(is_it);
    assert!(password.len() >= 12 && has(char::is_uppercase) && has(char::is_lowercase) && has(char::is_numeric));
}

#[test]
fn bounds_lengths_and_patterns_are_kept() {
    let range = Constraints { min: Some("10".into()), max: Some("12".into()), ..none() };
    assert_eq!(typed("number", "n", range), "10");
    let early = Constraints { max: Some("2020-05-05".into()), ..none() };
    assert_eq!(typed("date", "when", early), "2020-05-05");
    let long = Constraints { min_length: Some(30), ..none() };
    assert_eq!(typed("text", "story", long).chars().count(), 30);
    let short = Constraints { max_length: Some(2), ..none() };
    assert_eq!(typed("text", "story", short).chars().count(), 2);
    let pattern = Constraints { pattern: Some("[A-Z]{2}-[0-9]{4}".into()), ..none() };
    assert!(value::obeys(&typed("text", "reference", pattern.clone()), &pattern));
}

#[test]
fn after_a_refusal_what_the_page_asks_for_counts() {
    let asks = |said: &str| mended("text", "reference", said);
    assert_eq!(asks("Call signs begin with LA, such as LA1AB."), "LA1AB");
    assert_eq!(asks("Start the number with + and the country, such as +47 12345."), "+47 12345");
    assert_eq!(asks("There is no such code. Codes of this week begin with TIDE."), "TIDE10");
    assert_eq!(asks("We deliver to post codes from 20000 to 29999."), "20000");
    assert_eq!(asks("A shelf holds at most 500."), "500");
    assert_eq!(asks("enter a valid date"), "2031-01-15");
}

/// The words of the message are about something else than what the field holds.
#[test]
fn a_name_that_is_taken_is_varied_and_no_name_is_put_in_its_place() {
    let user = Constraints { pattern: Some("[a-z0-9]{3,12}".into()), ..none() };
    let said = "That name is taken. Free are names that end in 7.";
    assert_eq!(again(field("text", "user", user.clone()), "", said, 1), "rutter7");
    assert_eq!(again(field("text", "user", user), "bell", said, 1), "bell7");
    assert_eq!(mended("text", "postcode", "This name field has an error"), "12345");
}

#[test]
fn what_is_taken_already_is_varied_anew_each_time() {
    for said in [
        "has already been taken",
        "User with this Username already exists.",
        "The username has already been taken.",
        "Username already registered",
        "This username is not available.",
        "Choose another",
    ] {
        let varied = mended("text", "username", said);
        assert!(varied.starts_with("rutter") && varied.len() == 9, "{said}: {varied}");
        let varied = mended("email", "email", said);
        assert!(
            varied.starts_with("rutter") && varied.ends_with("@example.org") && varied.len() == 21,
            "{said}: {varied}"
        );
    }
    let stamped = |number| {
        let stamp = domain::observation::Stamp { session: "s".into(), number };
        fresh(&Observation { stamp, ..Observation::default() })
    };
    assert_ne!(stamped(1), stamped(2));
}

#[test]
fn lengths_are_kept_in_whatever_words_they_are_asked_for() {
    for said in [
        "is too short (minimum is 12 characters)",
        "Ensure this value has at least 12 characters (it has 3).",
        "Field must be at least 12 characters long.",
        "The code field must be at least 12 characters.",
        "Please lengthen this text to 12 characters or more (you are currently using 3 characters).",
        "Field must be between 12 and 20 characters long.",
        "must have at least 12 letters",
    ] {
        assert_eq!(mended("text", "x", said).chars().count(), 12, "{said}");
    }
    for said in [
        "is too long (maximum is 2 characters)",
        "Ensure this value has at most 2 characters (it has 3).",
        "Field cannot be longer than 2 characters.",
        "The code must not be greater than 2 characters.",
    ] {
        assert_eq!(mended("text", "x", said), "Ru", "{said}");
    }
    for said in ["is the wrong length (should be 5 characters)", "Field must be exactly 5 characters long."] {
        assert_eq!(mended("text", "x", said), "Rutte", "{said}");
    }
    assert_eq!(mended("text", "x", "The pin must be 4 digits."), "4444");
}

#[test]
fn numbers_are_kept_within_what_is_said() {
    for (said, number) in [
        ("must be greater than 5", "6"),
        ("must be less than 1", "0"),
        ("must be greater than or equal to 5", "5"),
        ("Ensure this value is greater than or equal to 18.", "18"),
        ("Number must be between 7 and 10.", "7"),
        ("The age field must be at least 18.", "18"),
        ("Value must be less than or equal to 1.", "1"),
        ("Please enter a valid value. The two nearest valid values are 10 and 12.", "10"),
        ("choose a number between 5 and 9", "5"),
    ] {
        assert_eq!(mended("number", "n", said), number, "{said}");
    }
    assert_eq!(again(field("number", "n", none()), "5", "choose a number between 5 and 9", 2), "9");
    for said in ["is not a number", "must be an integer", "Enter a whole number.", "Not a valid integer value."] {
        assert_eq!(mended("text", "x", said), "2", "{said}");
    }
}

#[test]
fn a_format_that_is_named_wins_over_what_was_guessed() {
    for (said, value) in [
        ("Enter a valid email address.", "rutter@example.org"),
        ("Invalid email address.", "rutter@example.org"),
        ("The x field must be a valid email address.", "rutter@example.org"),
        ("Please include an '@' in the email address. 'Ada' is missing an '@'.", "rutter@example.org"),
        ("Enter a valid URL.", "https://example.org/"),
        ("Please enter a URL.", "https://example.org/"),
        ("Please enter a valid phone number", "5550100123"),
        ("Enter a valid postcode", "12345"),
        ("Enter a valid date.", "2031-01-15"),
        ("The date does not match the format Y-m-d.", "2031-01-15"),
        ("Use the format DD.MM.YYYY", "15.01.2031"),
        ("Dates look like MM/DD/YYYY", "01/15/2031"),
    ] {
        assert_eq!(mended("text", "x", said), value, "{said}");
    }
    for said in ["can't be blank", "This field is required.", "is invalid", "Please fill out this field."] {
        assert_eq!(mended("text", "city", said), "London", "{said}");
    }
}

#[test]
fn letters_that_are_missed_are_added_and_those_not_wanted_left_out() {
    assert_eq!(mended("text", "x", "must contain at least one digit and one special character"), "Rutter7!");
    assert_eq!(mended("text", "x", "Use only lower-case letters"), "rutter");
    assert_eq!(mended("text", "subject", "may only contain letters and numbers"), "RutterLovelace");
    assert_eq!(mended("text", "subject", "must not contain spaces"), "RutterLovelace");
    assert_eq!(mended("password", "p", "is too long (maximum is 6 characters)").chars().count(), 6);
}

/// A password and its repetition.
fn pair(said: &str) -> Observation {
    let repeated = Node { name: "Repeat password".into(), ..field("password", "password_confirmation", none()) };
    page(vec![field("password", "password", none()), message("error", said), repeated])
}

#[test]
fn a_field_that_repeats_another_gets_the_same_at_every_attempt() {
    for said in [
        "doesn't match Password",
        "The two password fields didn’t match.",
        "Field must be equal to password.",
        "The password confirmation does not match.",
        "must have at least 20 characters",
    ] {
        let page = pair(said);
        for attempt in 0..2 {
            assert_eq!(
                text(&page, ElementId(1), attempt, today()),
                text(&page, ElementId(3), attempt, today()),
                "{said}"
            );
        }
        assert_eq!(wanting(&page, ElementId(0), true, today()), [ElementId(1), ElementId(3)], "{said}");
    }
    assert_eq!(text(&pair("must have at least 20 characters"), ElementId(3), 1, today()).chars().count(), 20);
    let mut below = pair("");
    below.nodes.push(message("error", "must have at least 20 characters"));
    assert_eq!(text(&below, ElementId(1), 1, today()), text(&below, ElementId(3), 1, today()));
    assert_eq!(text(&below, ElementId(1), 1, today()).chars().count(), 20);
}

#[test]
fn a_form_wants_what_is_empty_and_one_of_each_group_of_radio_buttons() {
    let radio = |checked| {
        let mut node = field("radio", "size", none());
        node.role = "radio".into();
        node.operations = vec![ActionKind::Check];
        node.states.checked = Some(checked);
        node
    };
    let full = Node { value: Some("x".into()), ..field("text", "b", none()) };
    let page = page(vec![field("text", "a", none()), full, radio(false), radio(false)]);
    assert_eq!(wanting(&page, ElementId(0), false, today()), [ElementId(1), ElementId(3)]);
}

#[test]
fn terms_are_accepted_also_where_nothing_says_that_they_must_be() {
    let mut terms = Node { name: "I have read the terms".into(), ..field("checkbox", "t", none()) };
    terms.operations = vec![ActionKind::Check];
    terms.states.checked = Some(false);
    let newsletter = Node { name: "Newsletter".into(), ..terms.clone() };
    let page = page(vec![terms, newsletter]);
    assert_eq!(wanting(&page, ElementId(0), false, today()), [ElementId(1)]);
}

#[test]
fn an_option_that_is_refused_is_exchanged_for_another() {
    let option = |label: &str, selected| SelectOption { label: label.into(), value: label.into(), selected };
    let mut list = field("", "country", none());
    (list.tag, list.operations) = ("select".into(), vec![ActionKind::Select]);
    list.options = vec![option("France", true), option("Norway", false), option("Peru", false)];
    for said in ["Select a valid choice.", "is not included in the list", "Please select an item in the list."] {
        let page = page(vec![list.clone(), message("errorlist", said)]);
        assert_eq!(wanting(&page, ElementId(0), true, today()), [ElementId(1)]);
        let filled = fill(&page, ElementId(1), 1, today());
        assert!(matches!(filled, Some(Action::Select { options, .. }) if options != ["France"]), "{said}");
    }
}

#[test]
fn a_field_for_a_file_gets_one_that_it_accepts() {
    let mut upload = field("file", "photo", Constraints { accept: Some("image/*".into()), ..none() });
    upload.operations = vec![ActionKind::Upload];
    let page = page(vec![upload]);
    assert_eq!(wanting(&page, ElementId(0), false, today()), [ElementId(1)]);
    let files = vec!["sample.png".to_owned()];
    assert_eq!(fill(&page, ElementId(1), 0, today()), Some(Action::Upload { element: ElementId(1), files }));
}

#[test]
fn a_message_behind_a_field_is_a_refusal() {
    let input = Node { value: Some("x".into()), ..field("text", "a", none()) };
    let page = page(vec![input, message("field-error", "Choose another")]);
    assert!(refuses(&page, ElementId(0)));
    assert_eq!(wanting(&page, ElementId(0), false, today()), []);
    assert_eq!(wanting(&page, ElementId(0), true, today()), [ElementId(1)]);
}

/// Django puts the messages before the field that they are about, and marks the field.
#[test]
fn a_message_between_two_fields_is_that_of_the_one_that_is_marked() {
    let first = Node { value: Some("x".into()), ..field("text", "a", none()) };
    let mut second = Node { value: Some("y".into()), ..field("text", "b", none()) };
    second.attributes.insert("aria-invalid".into(), "true".into());
    let page = page(vec![first, message("errorlist", "Enter a number."), second]);
    assert_eq!(wanting(&page, ElementId(0), true, today()), [ElementId(3)]);
}

/// Rails says all that is wrong in one list, each message beginning with the name of its field.
#[test]
fn a_list_of_all_that_is_wrong_is_read_by_the_names_of_the_fields() {
    let list = Node { tag: "ul".into(), ..message("", "") };
    let list = Node { attributes: [("class".into(), "alert-danger".into())].into_iter().collect(), ..list };
    let item = |said: &str| Node { tag: "li".into(), parent: Some(ElementId(1)), text: said.into(), ..Node::default() };
    let named = |kind: &str, name: &str| Node { name: name.into(), value: Some("x".into()), ..field(kind, "", none()) };
    let page = page(vec![
        list,
        item("Password confirmation doesn't match Password"),
        item("The email has already been taken."),
        named("email", "Email:"),
        named("text", "City"),
        named("password", "Password"),
        named("password", "Password confirmation"),
    ]);
    assert_eq!(wanting(&page, ElementId(0), true, today()), [ElementId(4), ElementId(6), ElementId(7)]);
    assert_ne!(text(&page, ElementId(4), 1, today()), "rutter@example.org");
}

#[test]
fn every_pattern_can_be_read() {
    refusal::compile_all();
}

#[test]
fn the_password_of_a_form_that_changes_something_is_left_empty_until_it_is_asked_for() {
    let name = Node { value: Some("Grace".into()), ..field("text", "name", none()) };
    let form = |name: Node| page(vec![name, field("password", "password", none())]);
    let secret = ElementId(2);
    assert!(!wanting(&form(name.clone()), ElementId(0), false, today()).contains(&secret));
    assert!(wanting(&form(field("text", "name", none())), ElementId(0), false, today()).contains(&secret));
    let typed = Node { value: Some(typed("text", "name", none())), ..field("text", "name", none()) };
    assert!(wanting(&form(typed), ElementId(0), false, today()).contains(&secret));
    let asked = Constraints { required: true, ..none() };
    let form = page(vec![name.clone(), field("password", "password", asked)]);
    assert!(wanting(&form, ElementId(0), false, today()).contains(&secret));
    let refused = Node { parent: Some(ElementId(0)), ..message("error", "Your password is needed for that") };
    let form = page(vec![name, field("password", "password", none()), refused]);
    assert!(wanting(&form, ElementId(0), true, today()).contains(&secret));
}
