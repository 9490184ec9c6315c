//! Harm that an exploration might do by what it sends: the rules, what a request may do while an action is under way, and which
//! of them a request breaks. Pure: the browser room asks for each request, the crawler room for each control.

mod calls;
mod creating;
mod fields;
mod leading;
mod link;
mod messages;
mod named;
mod pairs;
mod parameters;
mod request;
mod rule;
mod sent;
mod streams;
mod trial;
mod upkeep;
mod vocabulary;

pub use fields::fields_of;
pub use leading::{is_doubtful, is_doubtful_by};
pub use messages::refused_message;
pub use request::{Deed, deed_of, refused};
pub use rule::{LeftAlone, Licence, RefusedRequest, Rule};
pub use sent::{Opens, Sent};
pub use trial::{only_looks, only_tries, reads_by_verb};
pub use vocabulary::{
    creates, decides, explains, hands_in, is_of_settings, is_ours, is_price, names_administration, names_price,
    of_danger, opens_question, posts, puts_into_collection, replaces, takes_from_collection, updates,
};

#[cfg(test)]
mod tests;
