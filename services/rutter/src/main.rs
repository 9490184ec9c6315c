//! tmp
mod tasks;
fn main() { let _ = tasks::load(&[]); let _ = tasks::compact_check("x"); }
