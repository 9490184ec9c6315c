//! Sums of money as instructions say them.

use crate::ground::task::{Given, Thing};
use crate::ground::understand::phrase::Part;
use crate::ground::understand::verbs::bare;

/// Words that lead to the sum by which one of several things is told.
pub(super) const SUM_LEADS: [&str; 2] = ["over", "worth"];

/// The sum that a part says, with its currency: `of 184.20`, `for €12`. Whole numbers without one may count something else.
pub(super) fn amount(part: &Part<'_>) -> Option<Given> {
    const CURRENCIES: [&str; 9] = ["euro", "euros", "eur", "dollars", "usd", "pounds", "gbp", "francs", "chf"];
    const SIGNS: [char; 4] = ['$', '€', '£', '¥'];
    let (first, unit) = match part.words.as_slice() {
        [only] => (only, None),
        [first, unit] => (first, Some(bare(unit))),
        _ => return None,
    };
    let sum = first.trim_end_matches([',', '.']).trim_matches(SIGNS);
    let is_sum = sum.starts_with(|sign: char| sign.is_ascii_digit())
        && sum.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | ','));
    let is_sign = part.words.get(1).is_some_and(|unit| unit.starts_with(SIGNS));
    let has_currency =
        first.contains(SIGNS) || is_sign || unit.as_deref().is_some_and(|unit| CURRENCIES.contains(&unit));
    let is_exact =
        unit.is_none() && sum.len() > 3 && sum.get(sum.len() - 3..).is_some_and(|end| end.starts_with(['.', ',']));
    let leads = matches!(part.lead.as_str(), "of" | "for" | "over" | "worth");
    let value = sum.to_owned();
    (leads && is_sum && (has_currency || is_exact)).then(|| Given { field: "amount".into(), value, quoted: false })
}

/// Whether what is called a name is a sum that was not taken apart from the rest: `an expense of 12.40 for stamps on Friday`.
pub(super) fn begins_with_sum(thing: &Thing) -> bool {
    let is_sum = |sign: char| sign.is_ascii_digit() || matches!(sign, '$' | '€' | '£' | '¥');
    !thing.quoted && thing.name.strip_prefix("of ").is_some_and(|rest| rest.starts_with(is_sum))
}
