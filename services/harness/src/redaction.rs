//! Secrets in every form in which a page may show them, look-alikes that are none, and the tally of what leaked where
//! (`target/results/redaction.json`). It shares nothing with the product that could make both blind to the same thing.

mod alike;
mod forms;
mod tally;

pub use alike::look_alikes;
pub use forms::{Form, forms};
pub use tally::{Combination, Leak, Part, Tally};

/// A secret that everything in it is written in another way by some encoding.
pub const AWKWARD: &str = "Sesam & \"öffne\\dich\"/+ 4711?";

/// A secret as people have them.
pub const ORDINARY: &str = "Hunter2-Tr0ub4dor";
