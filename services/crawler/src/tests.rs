//! Behaviour of the crawler, on a page made of a counter and without any browser.

mod drive;
mod episode;
mod evidence;
mod failover;
pub(crate) mod fakes;
mod planner;
mod queue;
mod situation;
mod task_environment;
mod worker;
