//! The browser room with real browsers. Every case runs over both wires, BiDi and classic WebDriver.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where by panicking")]

mod acting;
mod coverage;
mod differences;
mod effects;
mod files;
mod hostile;
mod items;
mod judging;
mod kit;
mod landing;
mod late;
mod observing;
mod pictures;
mod pool;
mod processes;
mod profiles;
mod reading;
mod redaction;
mod scope;
mod sight;
mod strategies;
