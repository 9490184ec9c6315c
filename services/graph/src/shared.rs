//! Actions as a map keeps them in memory: what is offered on every page of a site is there once.

use domain::{Action, Descriptor};
use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Every different action of a map.
#[derive(Default)]
pub(crate) struct Actions {
    known: HashMap<u64, Arc<Action<Descriptor>>>,
}

impl Actions {
    /// The one that is kept of all that equal an action.
    pub(crate) fn share(&mut self, action: Action<Descriptor>) -> Arc<Action<Descriptor>> {
        // Its printed form shows every field.
        let known = self.known.entry(xxh3_64(format!("{action:?}").as_bytes()));
        let known = known.or_insert_with(|| Arc::new(action.clone()));
        if **known == action { known.clone() } else { Arc::new(action) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_actions_are_kept_once_and_others_apart() {
        let mut actions = Actions::default();
        let to = |url: &str| Action::Goto { url: url.into() };
        let (one, again, other) = (actions.share(to("/a")), actions.share(to("/a")), actions.share(to("/b")));
        assert!(Arc::ptr_eq(&one, &again));
        assert_eq!((one.as_ref(), other.as_ref()), (&to("/a"), &to("/b")));
    }
}
