//! The cluster as its processes see it: services over gRPC, the servers behind them, and what is seen from outside.

mod alerts;
mod by_log;
mod collector;
mod exploring;
mod kit;
mod maps;
mod politeness;
mod projects;
mod secret;
mod suites;
mod sweep;
mod trace;
