//! Which page is shown at an address, and what becomes of a form. Pure: what it depends on is given.

use crate::harbour::truth::views::panels;
use crate::harbour::truth::words::{Block, DestructiveAction, Form, Rule};
use crate::harbour::truth::{KINDS, ORDERS, Page, Role, Truth, path_matches, ways};

/// The fields of a request.
pub(super) type Values = Vec<(String, String)>;

/// What a field holds.
pub(super) fn value<'a>(values: &'a Values, name: &str) -> Option<&'a str> {
    values.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

/// The page of an address, whoever asks.
pub(super) fn page<'a>(truth: &'a Truth, path: &str, query: &Values, has_cart: bool) -> Option<&'a Page> {
    let special = match path {
        "/cart" => Some(if has_cart { "cart/filled" } else { "cart/empty" }),
        "/search" if value(query, "q").is_none() => Some("search/ask"),
        _ => kind(path),
    };
    if let Some(page) = special.and_then(|id| truth.page(id)) {
        return Some(page);
    }
    // A form that only asks decides by its rule.
    if let Some(form) = forms(truth).into_iter().find(|form| form.gets && form.action == path)
        && let Some(rule) = form.rule
        && let Some(value) = value(query, rule.field)
    {
        return truth.page(if rule.accepts.accept(value) { form.to } else { rule.refused });
    }
    let shown = || truth.pages.iter().filter(|page| page.alert.is_none());
    let exact = shown().find(|page| page.path == path);
    exact.or_else(|| shown().find(|page| path_matches(page.path, path)))
}

/// What kind of thing an address names.
fn kind(path: &str) -> Option<&'static str> {
    let kinds = KINDS.iter().chain(ORDERS);
    kinds.filter(|(_, all)| all.iter().any(|(_, href)| *href == path)).map(|(kind, _)| *kind).next()
}

/// What the data at an address is called; empty where there is none.
pub(super) fn thing(page: &Page, path: &str) -> String {
    if !page.path.contains("{}") {
        return String::new();
    }
    let named = KINDS.iter().chain(ORDERS).flat_map(|(_, all)| *all).find(|(_, href)| *href == path);
    match named {
        Some((name, _)) => (*name).to_owned(),
        None => path.rsplit('/').take(2).collect::<Vec<_>>().join(" of ").replace('-', " "),
    }
}

/// Whether a page that names data has something to show at an address.
pub(super) fn has_thing(page: &Page, path: &str) -> bool {
    let of_kind = |prefix: &str| path.strip_prefix(prefix).is_none_or(|_| kind(path).is_some());
    let numbers = |part: &str| part.parse::<i32>().is_ok();
    match page.path.split('/').nth(1) {
        Some("product") => of_kind("/product/"),
        Some("account") if page.path.starts_with("/account/orders/") => of_kind("/account/orders/"),
        Some("calendar") => path.trim_start_matches("/calendar/").split('/').all(numbers),
        _ => true,
    }
}

/// The form that is sent to an address.
pub(super) fn form<'a>(truth: &'a Truth, action: &str) -> Option<&'a Form> {
    forms(truth).into_iter().find(|form| !form.gets && form.action == action)
}

/// The rule of a form that its values break.
pub(super) fn refusal(form: &Form, values: &Values) -> Option<Rule> {
    form.rule.filter(|rule| !value(values, rule.field).is_some_and(|value| rule.accepts.accept(value)))
}

/// The deed that is done at an address.
pub(super) fn deed(truth: &Truth, path: &str) -> Option<DestructiveAction> {
    let mut found = Vec::new();
    for page in &truth.pages {
        each(&page.blocks, &mut |block| {
            if let Block::DestructiveAction(deed) = block {
                found.push(deed.clone());
            }
        });
        for (_, block) in ways(page.frame) {
            if let Block::DestructiveAction(deed) = block {
                found.push(deed);
            }
        }
    }
    found.into_iter().find(|deed| deed.path == path)
}

fn forms(truth: &Truth) -> Vec<&Form> {
    let mut found = Vec::new();
    for page in &truth.pages {
        each(&page.blocks, &mut |block| {
            if let Block::Form(form) = block {
                found.push(form);
            }
        });
    }
    found
}

/// Every block, also those within panels.
fn each<'a>(blocks: &'a [Block], act: &mut dyn FnMut(&'a Block)) {
    for block in blocks {
        act(block);
        for (panel, _) in panels(block) {
            each(&panel.blocks, act);
        }
        if let Block::Shadow(inner) = block {
            each(inner, act);
        }
    }
}

/// The words that the suggestions of a field are made of.
pub(super) fn suggestions(truth: &Truth) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    for page in &truth.pages {
        each(&page.blocks, &mut |block| {
            if let Block::Suggest(field) = block {
                found.extend(field.items.iter().copied());
            }
        });
    }
    found
}

/// Where somebody is sent who may not see a page; none where they may.
pub(super) fn elsewhere(page: &Page, role: Role) -> Option<&'static str> {
    if page.roles.contains(&role) {
        return None;
    }
    Some(match role {
        Role::Guest => "/sign-in",
        Role::Customer => "/account",
        Role::Admin => "/staff",
    })
}
