//! Tests of the workspace as a whole.

mod architecture;
mod map;
mod recipes;
mod security;
