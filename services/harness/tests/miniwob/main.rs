//! MiniWoB++ with a real browser: the driver keeps its contract, and gold solves every task of the suite.

mod driver;
mod gold;
mod pages;
mod rig;
