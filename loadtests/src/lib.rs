//! What Rutter is measured with under load: an application scripted in advance, a site that serves it and counts its
//! visitors, a Grid that pretends to have thousands of browsers for it, a planner that knows the way, and the account of
//! what processes use.
//!
//! - It is part of no product code, and what it measures is always the product's own code.
//! - The simulated browsers run no page and no script; they answer what a real browser answers about the scripted pages, which
//!   tests compare, and request every page through the proxy they are given.

pub mod child;
pub mod clicks;
pub mod cost;
pub mod decider;
pub mod grid;
pub mod machine;
pub mod maze;
pub mod process;
pub mod servers;
pub mod shop;
pub mod site;
pub mod tasks;
pub mod wizard;
