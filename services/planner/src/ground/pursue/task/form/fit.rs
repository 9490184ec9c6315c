//! How surely a field is for a value. Pure.

use super::super::drawn::{is_drawn_list, shown_by};
use super::is_search;
use crate::ground::commands::{fields, same_concept, telling_words};
use crate::ground::names::same;
use crate::ground::score::best_label;
use crate::ground::task::Given;
use crate::ground::understand::moment;
use crate::ground::words::{label_score, tokens};
use domain::action::ActionKind;
use domain::observation::{Node, SelectOption};

/// How surely a field is for a value.
pub(super) fn field_fit(given: &Given, node: &Node, label: &str) -> f64 {
    if is_search(node) {
        return 0.0;
    }
    let kind = node.attribute("type");
    let field = given.field.to_lowercase();
    if field.is_empty() {
        return 0.0;
    }
    // The second of two days is that of the field `To`.
    let is_called_to = field == "to" && [label, node.name.as_str()].iter().any(|name| same("To", name));
    if is_called_to && (kind != "date" || moment::is_day(&given.value)) && node.allows(ActionKind::Type) {
        return 0.95;
    }
    // `the cooking time (Garzeit)`: the page's own word stands beside it.
    if let Some((said, own)) = field.strip_suffix(')').and_then(|field| field.split_once(" (")) {
        let fit = |field: &str| field_fit(&Given { field: field.to_owned(), ..given.clone() }, node, label);
        return fit(own).max(fit(said));
    }
    let offers_time =
        node.options.iter().any(|option| option.label.contains(':') && moment::time(&option.label).is_some());
    let takes_time = kind == "time" || offers_time || (is_drawn_list(node) && moment::time(shown_by(node)).is_some());
    let is_kind = match field.as_str() {
        "date" | "due date" | "end date" => matches!(kind, "date" | "datetime-local"),
        // Of two times, the later one is called the end.
        "time" | "end time" => takes_time && (field == "end time") == is_end(&format!("{label} {}", node.name)),
        "password" => kind == "password",
        "quantity" => kind == "number",
        "text" => node.tag == "textarea" || !node.attribute("contenteditable").is_empty(),
        _ => false,
    };
    // Where something goes to is no field of another command: `Assign to`.
    const OTHERS: [&str; 9] =
        ["assign", "convert", "export", "copy", "reply", "forward", "redirect", "limit", "rename"];
    if field == "to" && tokens(label).iter().chain(&tokens(&node.name)).any(|word| OTHERS.contains(&word.as_str())) {
        return 0.0;
    }
    // `New card in To do` is no field for where something goes; a list that offers the place is.
    if field == "to" {
        if node.options.iter().any(|option| given.is_called(&option.label)) {
            return 0.75;
        }
        let words = tokens(label);
        let leads = |word: &String| matches!(word.as_str(), "to" | "move" | "send" | "transfer" | "deliver" | "ship");
        if words.iter().any(|word| word == "to")
            && (!words.first().is_some_and(leads) || words.get(1).is_some_and(|word| word == "do"))
        {
            return 0.0;
        }
    }
    // What is typed elsewhere than where passwords go shows.
    if (field == "password") != (kind == "password") {
        return 0.0;
    }
    let by_name = best_label(&given.field, node, false).max(label_score(&given.field, label, false));
    let words = tokens(&format!(
        "{label} {} {} {} {}",
        node.name,
        node.attribute("placeholder"),
        node.attribute("name"),
        node.attribute("id")
    ));
    let covers = telling_words(&given.field).iter().all(|word| words.iter().any(|other| same_concept(word, other)));
    // `the phone number` goes into the field `Phone`.
    let bare = [" number", " address"].iter().find_map(|ending| field.strip_suffix(ending));
    // `the start time` goes into the field `Start` for a time.
    let takes_day = matches!(kind, "date" | "datetime-local");
    let of_time = || {
        field.strip_suffix(" time").filter(|_| takes_time).or_else(|| field.strip_suffix(" date").filter(|_| takes_day))
    };
    let bare = bare.or_else(of_time);
    let means_it = |bare: &str| tokens(label).iter().any(|word| same_concept(word, bare));
    let is_bare = bare.is_some_and(|bare| same(bare, label) || same(bare, &node.name) || means_it(bare));
    let is_named = || {
        [label, node.name.as_str(), node.attribute("placeholder")].iter().any(|label| fields::is_field(&field, label))
    };
    // An e-mail address may be somebody's name to log in with: of two fields the one that is called so takes it.
    let is_mail = field.contains("mail");
    let by_words = if is_mail && is_named() {
        0.72
    } else if (covers && !words.is_empty()) || is_bare {
        0.7
    } else if is_named() {
        0.66
    } else {
        0.0
    };
    let by_kind = if is_kind { 0.62 } else { 0.0 };
    let fits_kind = !matches!(
        (field.as_str(), kind),
        (
            "title" | "name" | "location" | "text" | "to",
            "date" | "time" | "number" | "datetime-local" | "checkbox" | "radio"
        )
    );
    if !fits_kind {
        return 0.0;
    }
    let both = if is_kind && (by_words > 0.0 || by_name >= 0.7) { 0.15 } else { 0.0 };
    by_name.max(by_words).max(by_kind) + both
}

/// Whether a label is that of the time at which something ends.
fn is_end(label: &str) -> bool {
    const ENDS: [&str; 9] = ["end", "ends", "until", "till", "finish", "to", "ende", "bis", "fin"];
    tokens(label).iter().any(|word| ENDS.contains(&word.as_str()))
}

/// Whether an option that is not called as a value holds it, as another option does: `Portuguese` is neither of two.
pub(super) fn is_one_of_several(value: &str, option: &SelectOption, options: &[SelectOption]) -> bool {
    let words = tokens(value);
    let holds = |other: &SelectOption| {
        let own = tokens(&other.label);
        !words.is_empty() && words.iter().all(|word| own.contains(word))
    };
    !same(value, &option.label) && holds(option) && options.iter().filter(|other| holds(other)).count() > 1
}
