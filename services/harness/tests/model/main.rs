//! The language-model seam against the scripted server: contracts of the three dialects, survival of misbehaviour, and
//! whole episodes over hand-written observations. No browser, and no model: every answer is scripted.

mod contract;
mod episode;
mod limits;
mod misbehaviour;
mod secrets;
mod strategies;
mod support;
