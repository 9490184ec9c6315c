//! Sessions of real browsers: observing a page, acting on it, and reporting each action's effect.
//!
//! Implements [`domain::Page`] over WebDriver BiDi, and over classic WebDriver where a session offers no more. Knows nothing
//! of tasks, planners or verdicts, and never changes the DOM of the page under test.

mod browser;
mod coverage;
pub mod doctor;
mod driver_process;
mod effect;
mod error;
mod fault;
mod fields;
mod footprint;
mod gate;
pub mod grid;
mod input;
mod install;
mod keys;
mod leftovers;
pub mod marks;
mod masking;
mod node_interning;
mod options;
mod pool;
mod probe;
mod profile;
mod remote;
pub mod robots;
mod secret;
mod session;
mod snapshot;
mod wire;
mod yardstick;

pub use browser::Browser;
pub use coverage::{JsCoverage, JsFigures, ScriptFigures};
pub use error::Error;
pub use gate::{Route, post, read};
pub use options::{
    Capabilities, Engine, GatePlace, LoginState, NoSecrets, Options, Pace, ProfileOptions, Protocol, ScopeEnforcement,
    SecretSource, SettleOptions,
};
pub use pool::{Lent, Pool, PoolOptions, PooledProfile};
pub use profile::{Profile, StepTiming};
pub use robots::Robots;
