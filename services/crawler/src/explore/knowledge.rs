//! What one browser of an exploration knows by itself: which actions its states offered, and which of them it tried. Pure.

use domain::StateId;
use domain::state::{ActionKey, Opportunity};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What was seen and tried.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    offered: BTreeMap<StateId, Vec<Opportunity>>,
    tried: HashSet<(StateId, ActionKey)>,
    visits: HashMap<StateId, u64>,
}

impl Knowledge {
    /// A state was seen with these actions, which may be more than before.
    pub(crate) fn saw(&mut self, state: StateId, offered: impl IntoIterator<Item = Opportunity>) {
        *self.visits.entry(state).or_default() += 1;
        let known = self.offered.entry(state).or_default();
        for opportunity in offered {
            if known.iter().all(|known| known.key != opportunity.key) {
                known.push(opportunity);
            }
        }
    }

    /// An action was tried, or turned out to be impossible.
    pub(crate) fn did(&mut self, state: StateId, key: ActionKey) {
        self.tried.insert((state, key));
    }

    /// Whether an action was tried in a state.
    pub(crate) fn is_tried(&self, state: StateId, key: ActionKey) -> bool {
        self.tried.contains(&(state, key))
    }

    /// Whether an action of a state is known already.
    pub(crate) fn knows(&self, state: StateId, key: ActionKey) -> bool {
        self.offered.get(&state).is_some_and(|known| known.iter().any(|known| known.key == key))
    }

    /// What nobody tried, by state in the order of their discovery.
    pub(crate) fn untried(&self) -> BTreeMap<StateId, Vec<&Opportunity>> {
        let mut untried: BTreeMap<StateId, Vec<&Opportunity>> = BTreeMap::new();
        for (state, offered) in &self.offered {
            let left: Vec<&Opportunity> = offered.iter().filter(|known| !self.is_tried(*state, known.key)).collect();
            if !left.is_empty() {
                untried.insert(*state, left);
            }
        }
        untried
    }

    /// The state that was seen least, with its action that was tried least.
    pub(crate) fn least_visited(&self) -> Option<(StateId, Opportunity)> {
        let visits = |state: &StateId| self.visits.get(state).copied().unwrap_or_default();
        let (state, offered) =
            self.offered.iter().filter(|(_, offered)| !offered.is_empty()).min_by_key(|(state, _)| visits(state))?;
        let action = offered.iter().find(|known| !self.is_tried(*state, known.key)).or(offered.first())?;
        Some((*state, action.clone()))
    }

    /// How many states were seen.
    pub(crate) fn states(&self) -> usize {
        self.visits.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Node;
    use domain::action::ActionKind;
    use domain::state::attempt;
    use domain::{Descriptor, ElementId, Observation};

    fn offered(state: u64, key: u64) -> Opportunity {
        let page = Observation { nodes: vec![Node::default()].into(), ..Observation::default() };
        let element = Descriptor::of(&page, ElementId(0)).unwrap();
        Opportunity { state: StateId(state), key: ActionKey(key), action: attempt(ActionKind::Click, element) }
    }

    #[test]
    fn what_was_tried_is_known_per_state() {
        let mut knowledge = Knowledge::default();
        knowledge.saw(StateId(1), [offered(1, 7), offered(1, 8)]);
        knowledge.saw(StateId(2), [offered(2, 7)]);
        knowledge.did(StateId(1), ActionKey(7));
        let untried = knowledge.untried();
        assert_eq!(untried[&StateId(1)].iter().map(|open| open.key).collect::<Vec<_>>(), [ActionKey(8)]);
        assert_eq!(untried[&StateId(2)].len(), 1);
    }

    #[test]
    fn the_least_visited_state_is_gone_to_for_what_is_untried_there() {
        let mut knowledge = Knowledge::default();
        for _ in 0..3 {
            knowledge.saw(StateId(1), [offered(1, 7)]);
        }
        knowledge.saw(StateId(2), [offered(2, 7), offered(2, 8)]);
        knowledge.did(StateId(2), ActionKey(7));
        let (state, action) = knowledge.least_visited().unwrap();
        assert_eq!((state, action.key), (StateId(2), ActionKey(8)));
    }
}
