//! Behaviour of the environment of ordinary tasks.
