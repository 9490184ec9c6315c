//! The browser room with real browsers. Every case runs over both wires, BiDi and classic WebDriver.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where by panicking")]

mod acting;
mod coverage;
mod effects;
mod hostile;
mod judging;
mod kit;
mod late;
mod observing;
mod pool;
mod processes;
mod profiles;
mod scope;
