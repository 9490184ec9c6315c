//! The browser room with real browsers. Every case runs over both wires, BiDi and classic WebDriver.

mod acting;
mod effects;
mod hostile;
mod kit;
mod late;
mod observing;
mod processes;
mod profiles;
mod scope;
