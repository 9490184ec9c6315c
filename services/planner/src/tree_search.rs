//! Tree search: best-first over states that are really visited (Koh et al. 2024; the heuristic paradigm of AI planning).
//!
//! Each state is valued by the model, the best one is expanded by several candidate actions, and the search goes back to other
//! candidates where they promise more: by the map where nothing was changed, else by beginning the task again and repeating
//! the steps that led there. After its budget it commits to the best state and begins anew there. It ends where a state is
//! valued as done.
//!
//! Where a task cannot be begun again, what was done cannot be undone: the search then goes forward only, by the favourite
//! candidate of each state.

mod ask;
mod options;
#[cfg(test)]
mod tests;
mod tree;

pub use options::{CandidatesBy, TreeSearchOptions, ValueOptions};

use crate::agent::{self, Agent, Decided, Halt, Manner, Method, Turn};
use crate::model::ModelRole;
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, ReplySchema};
use crate::template::Prompts;
use ask::{Candidates, Judgement};
use async_trait::async_trait;
use domain::action::Claim;
use domain::words::{self, Detail};
use domain::{Action, Planner, Step};
use minijinja::context;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};
use tree::Tree;

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("tree_search/prompts/system.j2")),
        ("next_action", include_str!("tree_search/prompts/next_action.j2")),
        ("candidates", include_str!("tree_search/prompts/candidates.j2")),
        ("value", include_str!("tree_search/prompts/value.j2")),
    ])
});

/// The method.
pub struct TreeSearch(pub TreeSearchOptions);

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    tree: Tree,
    /// The nodes that are still to be passed on the way to where the search goes on.
    #[serde(default)]
    way: VecDeque<usize>,
    /// The node that the last action leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    going: Option<usize>,
    /// Steps that the history had when that action was chosen.
    #[serde(default)]
    taken: usize,
    /// Where a wish to go back leads to: the node, and what comes after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    back: Option<Back>,
    /// Whether the map does not lead back.
    #[serde(default)]
    no_map: bool,
    /// Whether nothing leads back.
    #[serde(default)]
    forward_only: bool,
}

/// A wish to go back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Back {
    /// The node that the page is brought back to.
    to: usize,
    /// The node that is wanted.
    target: usize,
    by_map: bool,
}

#[async_trait]
impl Method for TreeSearch {
    type Carried = Carried;

    fn manner(&self) -> Manner<'_> {
        Manner {
            system: PROMPTS.render("system", context! {}),
            steps: self.0.steps,
            order: self.0.reply_order,
            sampling: self.0.sampling,
            page: &self.0.page,
            memory: &self.0.memory,
        }
    }

    async fn turn(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Decided, Halt> {
        arrive(turn, carried);
        self.go_back_refused(turn, carried)?;
        loop {
            if let Some(decided) = self.pass(turn, carried) {
                return Ok(decided);
            }
            if let Some(decided) = self.look(turn, carried).await? {
                return Ok(decided);
            }
            let Some(target) = self.target(carried) else {
                return Ok(agent::give_up("no candidate is left to try".to_owned()));
            };
            self.head_for(turn, carried, target)?;
        }
    }
}

/// Takes note of where the last action or the last wish led.
fn arrive(turn: &mut Turn<'_>, carried: &mut Carried) {
    let history = &turn.request.history;
    match (carried.going.take(), &turn.came_back) {
        (Some(node), _) if history.len() > carried.taken => {
            carried.tree.at = node;
            carried.tree.nodes[node].step = Some(history.len() - 1);
        }
        (Some(node), _) => {
            // The action was refused: this candidate cannot be had.
            carried.tree.bury(node);
            carried.way.clear();
        }
        (None, Some(Ok(()))) => {
            if let Some(back) = carried.back.take() {
                carried.tree.at = back.to;
                carried.way = carried.tree.way(back.to, back.target).unwrap_or_default().into();
            }
        }
        (None, _) => {}
    }
    if let Some(position) = &turn.request.position {
        carried.tree.here().state = Some(position.state);
    }
    let path = carried.tree.path(carried.tree.at);
    let indexes = path.into_iter().filter_map(|node| carried.tree.nodes[node].step);
    let steps = indexes.filter_map(|index| history.get(index).cloned());
    turn.remember((1..).zip(steps).map(|(number, step)| Step { number, ..step }).collect());
}

impl TreeSearch {
    /// Where a wish to go back was refused: begins again instead of using the map, or goes forward only.
    fn go_back_refused(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<(), Halt> {
        let Some(Err(cause)) = turn.came_back.clone() else { return Ok(()) };
        let Some(back) = carried.back.take() else { return Ok(()) };
        if back.by_map {
            carried.no_map = true;
            return self.head_for(turn, carried, back.target);
        }
        turn.ask.note(format!("the search goes forward only: {cause}"));
        carried.forward_only = true;
        carried.way.clear();
        Ok(())
    }

    /// The next action on the way to where the search goes on; none where the page is there, or the way is blocked.
    fn pass(&self, turn: &Turn<'_>, carried: &mut Carried) -> Option<Decided> {
        let node = carried.way.pop_front()?;
        let described = carried.tree.nodes[node].action.clone()?;
        let told = words::action(&described, &Detail::BRIEF);
        let Some(action) = turn.on_this_page(&described) else {
            carried.tree.bury(node);
            carried.way.clear();
            return None;
        };
        (carried.going, carried.taken) = (Some(node), turn.request.history.len());
        let is_new = carried.tree.nodes[node].value.is_none();
        Some((action, format!("{}: {told}", if is_new { "candidate" } else { "again" })))
    }

    /// Values and expands the state at hand, as far as that was not done.
    async fn look(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Option<Decided>, Halt> {
        let at = carried.tree.at;
        if at == 0 {
            // Nothing was done yet: no judgement is needed to know that the task is neither done nor spoilt.
            carried.tree.here().value = Some(0.5);
        } else if carried.tree.nodes[at].value.is_none() {
            let valued = self.value(turn).await?;
            carried.tree.here().value = Some(valued.value);
            carried.tree.valued += 1;
            if valued.value >= self.0.value.reached {
                let reason = format!("valued as done: {:.2}", valued.value);
                return Ok(Some((Action::Stop { claim: Claim::Done, answer: valued.answer }, reason)));
            }
        }
        let is_spent = carried.tree.valued >= self.0.budget && carried.tree.best().is_some();
        let is_deep = carried.tree.depth(at) >= self.0.depth;
        if !carried.tree.nodes[at].is_expanded && !is_spent && (!is_deep || carried.forward_only) {
            let candidates = self.candidates(turn).await?;
            carried.tree.expand(at, candidates);
        }
        Ok(None)
    }

    /// The node to go to next: an untried candidate, or after the budget the best state, from which a new search begins.
    fn target(&self, carried: &mut Carried) -> Option<usize> {
        let tree = &mut carried.tree;
        if carried.forward_only || !self.0.backtrack {
            let at = tree.at;
            let open = |node: &usize| tree.nodes[*node].parent == Some(at) && !tree.nodes[*node].is_dead;
            if let Some(best) = (0..tree.nodes.len()).filter(open).min_by_key(|node| tree.nodes[*node].rank) {
                return Some(best);
            }
            if tree.nodes[at].is_expanded {
                return None;
            }
            tree.commit();
            return Some(at);
        }
        if tree.valued < self.0.budget
            && let Some(next) = tree.next(self.0.depth)
        {
            return Some(next);
        }
        tree.best()
    }

    /// Finds the way to a node: onwards from here, or back first.
    fn head_for(&self, turn: &Turn<'_>, carried: &mut Carried, target: usize) -> Result<(), Halt> {
        let tree = &mut carried.tree;
        if target == tree.at {
            tree.commit();
            return Ok(());
        }
        if let Some(way) = tree.way(tree.at, target) {
            carried.way = way.into();
            return Ok(());
        }
        let told = tree.nodes[target].action.as_ref().map(|action| words::action(action, &Detail::BRIEF));
        let reason = format!("back to try {}", told.unwrap_or_default());
        let shared: Vec<usize> =
            tree.path(target).into_iter().filter(|node| tree.path(tree.at).contains(node)).collect();
        let changed =
            tree.path(tree.at).iter().any(|node| !shared.contains(node) && changes(turn, tree.nodes[*node].step));
        let by_map = shared.last().and_then(|node| Some((*node, tree.nodes[*node].state?)));
        if let Some((node, state)) = by_map.filter(|_| !carried.no_map && !changed) {
            carried.back = Some(Back { to: node, target, by_map: true });
            return Err(Halt::GoBack(state, reason));
        }
        carried.back = Some(Back { to: 0, target, by_map: false });
        Err(Halt::Reset(reason))
    }
}

/// Whether a step sent anything but questions to the server.
fn changes(turn: &Turn<'_>, step: Option<usize>) -> bool {
    let step = step.and_then(|index| turn.request.history.get(index));
    step.is_some_and(|step| step.requests.iter().any(|request| !request.is_safe()))
}

impl Registered for TreeSearch {
    const NAME: &'static str = "tree-search";
    const HELP: &'static str =
        "Tries several actions in each state, values what they lead to, and goes back to the best";
    const NEEDS: Needs = Needs {
        roles: &[ModelRole::Reasoner, ModelRole::Vision, ModelRole::Grounder, ModelRole::Judge],
        ..Needs::NOTHING
    };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = TreeSearchOptions;

    fn of_preset(preset: Preset) -> TreeSearchOptions {
        TreeSearchOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![
            ReplySchema::of::<Judgement>(),
            ReplySchema::of::<Candidates>(),
            ReplySchema::of::<NextActionWithContent>(),
        ];
        [own, agent::replies()].concat()
    }

    fn build(options: TreeSearchOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Agent::new(TreeSearch(options), parts.model(Self::NAME)?)))
    }
}
