//! Between messages and the domain: `into` cannot fail, `try_from` names the field that is missing.

mod action;
pub(crate) mod campaign;
mod check;
mod closing;
pub(crate) mod decision;
mod exploration;
mod graph;
mod ledger;
mod locator;
mod observation;
mod outcome;
mod stage;
mod step;
mod work;

use crate::error::Error;
use domain::EpisodeId;

/// The id of an attempt.
pub(crate) fn episode(text: &str, field: &'static str) -> Result<EpisodeId, Error> {
    match text.parse() {
        Ok(id) => Ok(EpisodeId(id)),
        Err(cause) => Err(Error::Invalid { field, cause: format!("`{text}` is no attempt's id: {cause}") }),
    }
}

/// The message that holds nothing.
pub(crate) const NOTHING: crate::v1::Nothing = crate::v1::Nothing {};
