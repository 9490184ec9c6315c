//! Sums that do not depend on the order of their parts.
//!
//! Floating-point sums depend on order. So each part is rounded once to a whole number of a small unit, and whole
//! numbers are added: money and rewards in billionths, wall time in microseconds. The displayed value is the sum
//! divided by the unit.

use crate::sql::{FromColumns, Row};
use domain::Usage;
use domain::storage::StorageError;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Neg};

const NANO: f64 = 1e9;
const MICROSECONDS: f64 = 1e3;

/// Billionths of a dollar or of a reward.
pub fn nano(whole: f64) -> i64 {
    // Casts saturate, and map NaN to 0.
    (whole * NANO).round() as i64
}

/// Back from billionths.
pub fn from_nano(nano: i64) -> f64 {
    nano as f64 / NANO
}

/// Microseconds of milliseconds.
pub fn microseconds(milliseconds: f64) -> i64 {
    (milliseconds * MICROSECONDS).round() as i64
}

/// Milliseconds of microseconds.
pub fn from_microseconds(microseconds: i64) -> f64 {
    microseconds as f64 / MICROSECONDS
}

/// [`Usage`] in whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Tokens sent.
    pub prompt_tokens: i64,
    /// Tokens received.
    pub completion_tokens: i64,
    /// Billionths of a US dollar.
    pub nano_usd: i64,
    /// Calls made.
    pub calls: i64,
}

impl FromColumns for Cost {
    fn from_columns(row: &Row) -> Result<Self, StorageError> {
        Ok(Self {
            prompt_tokens: row.number("prompt_tokens")?,
            completion_tokens: row.number("completion_tokens")?,
            nano_usd: row.number("nano_usd")?,
            calls: row.number("calls")?,
        })
    }
}

impl From<&Usage> for Cost {
    fn from(usage: &Usage) -> Self {
        Self {
            prompt_tokens: i64::try_from(usage.prompt_tokens).unwrap_or(i64::MAX),
            completion_tokens: i64::try_from(usage.completion_tokens).unwrap_or(i64::MAX),
            nano_usd: nano(usage.cost_usd),
            calls: i64::from(usage.calls),
        }
    }
}

impl From<Cost> for Usage {
    fn from(cost: Cost) -> Self {
        Self {
            prompt_tokens: u64::try_from(cost.prompt_tokens).unwrap_or_default(),
            completion_tokens: u64::try_from(cost.completion_tokens).unwrap_or_default(),
            cost_usd: from_nano(cost.nano_usd),
            calls: u32::try_from(cost.calls.max(0)).unwrap_or(u32::MAX),
        }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.nano_usd = self.nano_usd.saturating_add(other.nano_usd);
        self.calls = self.calls.saturating_add(other.calls);
    }
}

impl Neg for Cost {
    type Output = Cost;

    fn neg(self) -> Cost {
        Cost {
            prompt_tokens: -self.prompt_tokens,
            completion_tokens: -self.completion_tokens,
            nano_usd: -self.nano_usd,
            calls: -self.calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_the_order() {
        let parts = [0.1, 0.2, 0.3, 1e-7, 123.456];
        let forward: i64 = parts.iter().map(|part| nano(*part)).sum();
        let backward: i64 = parts.iter().rev().map(|part| nano(*part)).sum();
        assert_eq!(forward, backward);
        assert_eq!(from_nano(forward), 124.0560001);
    }

    #[test]
    fn what_is_no_number_or_too_large_does_not_break_a_sum() {
        assert_eq!(nano(f64::NAN), 0);
        let mut cost = Cost { nano_usd: nano(f64::INFINITY), ..Cost::default() };
        cost += cost;
        assert_eq!(cost.nano_usd, i64::MAX);
    }
}
