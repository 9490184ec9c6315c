//! Reading codes that are handed in: vouchers, coupons, gift cards.

use super::Reader;
use crate::ground::task::{Task, TaskAct};
use crate::ground::understand::phrase::{self, parts};
use crate::ground::understand::verbs::bare;

/// What codes are called.
const CODES: [&str; 9] =
    ["code", "voucher", "coupon", "promo", "promocode", "discount", "gift", "passcode", "giftcard"];

impl Reader<'_> {
    /// `the voucher code SPRING10 in the basket`: the field that is called so takes the code, and hands it in.
    pub(super) fn code(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let joined = rest.join(" ");
        let mut cut = parts(&joined).into_iter();
        let head = phrase::without_determiners(&cut.next()?.words);
        let last = head.iter().rposition(|word| CODES.contains(&bare(word).as_str()))?;
        let (field, value) = head.split_at(last + 1);
        let is_code = |word: &str| {
            self.quoted.part(word).is_some() || word.contains(|sign: char| sign.is_ascii_digit() || sign.is_uppercase())
        };
        let [code] = value else { return None };
        if !is_code(code) {
            return None;
        }
        let mut task = Task { act: TaskAct::Edit, ..Task::default() };
        for part in cut {
            match part.lead.as_str() {
                "in" | "on" | "to" | "at" | "for" => task.thing.places.push(phrase::place(self.quoted, &part.words)?),
                _ => return None,
            }
        }
        task.values.push(self.value(&phrase::text(self.quoted, field), &[*code]));
        Some(vec![task])
    }
}
