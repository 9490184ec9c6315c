//! Little tasks on one page, put together to one instruction: said in the order in which they are done, the other way round, or mixed.
//! The page tells what was changed, in which order (`changes()`), so that an instruction is done only if all of it was, and nothing else.

pub mod measured;
mod tasks;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use serde_json::json;
use tasks::{LittleTask, little_tasks};

/// How the order of an instruction's words relates to the order of what is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::AsRefStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Order {
    /// What is done first is said first.
    InOrder,
    /// What is done last is said first.
    Reversed,
    /// Both in one instruction.
    Mixed,
}

/// An instruction and what it changes.
#[derive(Clone, Debug)]
pub struct Composition {
    /// How its words are ordered.
    pub order: Order,
    /// What is to be done, in words.
    pub instruction: String,
    /// What `changes()` of the page says afterwards.
    pub changes: String,
    /// The page's data, as JSON.
    data: String,
}

impl Composition {
    /// The page that it is done on.
    pub fn page(&self) -> String {
        include_str!("compositions/page.html").replace("{data}", &self.data)
    }
}

/// As many instructions of each order. The same seed makes the same.
pub fn compositions(seed: u64, of_each: usize) -> Vec<Composition> {
    let mut random = StdRng::seed_from_u64(seed);
    let orders = [Order::InOrder, Order::Reversed, Order::Mixed];
    orders
        .into_iter()
        .flat_map(|order| (0..of_each).map(move |_| order))
        .map(|order| draw(order, &mut random))
        .collect()
}

fn draw(order: Order, random: &mut StdRng) -> Composition {
    let (data, mut tasks) = little_tasks(random);
    tasks.shuffle(random);
    let count = if order == Order::Mixed { random.random_range(3..=4) } else { random.random_range(2..=3) };
    tasks.truncate(count);
    let instruction = match (order, tasks.as_slice()) {
        (Order::InOrder, tasks) => in_order(tasks, random),
        (Order::Reversed, [first, second]) => reversed(first, second, random),
        (Order::Reversed, [first, second, third]) => {
            format!("{} Then {}.", reversed(first, second, random), third.says)
        }
        (_, [first, second, third]) => format!("{}. {}", capital(&first.says), reversed(second, third, random)),
        (_, [first, second, rest @ ..]) => {
            format!("{} {}", reversed(first, second, random), in_order(rest, random))
        }
        _ => unreachable!("two tasks at least were drawn"),
    };
    let changes = tasks.iter().map(|task| task.changes.as_str()).collect::<Vec<_>>().join("; ");
    Composition { order, instruction, changes, data: json!(data).to_string() }
}

/// Two or three tasks in the order in which they are done.
fn in_order(tasks: &[LittleTask], random: &mut StdRng) -> String {
    let says: Vec<&str> = tasks.iter().map(|task| task.says.as_str()).collect();
    let number = random.random_range(0..5);
    match (says.as_slice(), number) {
        ([one, two], 0) => format!("{} and then {two}.", capital(one)),
        ([one, two], 1) => format!("First {one}, then {two}."),
        ([one, two], 2) => format!("{}. After that, {two}.", capital(one)),
        ([_, two], 3) => format!("After {}, {two}.", tasks[0].doing),
        ([one, two], _) => format!("{}, and {two}.", capital(one)),
        ([one, two, three], 0) => format!("First {one}, then {two}, and finally {three}."),
        ([one, two, three], 1) => format!("{}, {two} and {three}.", capital(one)),
        ([one, two, three], 2) => format!("{}. {}. {}.", capital(one), capital(two), capital(three)),
        ([_, two, three], 3) => format!("After {}, {two} and then {three}.", tasks[0].doing),
        ([one, two, three], _) => format!("{}, then {two}. Once that is done, {three}.", capital(one)),
        _ => format!("{}.", capital(says.first().unwrap_or(&""))),
    }
}

/// Two tasks of which the later one is said first.
fn reversed(first: &LittleTask, second: &LittleTask, random: &mut StdRng) -> String {
    let wordings = [
        format!("Before {}, {}.", second.doing, first.says),
        format!("Before you {}, {}.", second.says, first.says),
        format!("{} after {}.", capital(&second.says), first.doing),
        format!("{}, but first {}.", capital(&second.says), first.says),
        format!("{}. Before that, {}.", capital(&second.says), first.says),
    ];
    wordings.choose(random).cloned().unwrap_or_default()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_makes_the_same_instructions_and_each_of_them_changes_something() {
        let all = compositions(7, 20);
        let again: Vec<String> = compositions(7, 20).into_iter().map(|one| one.instruction).collect();
        assert_eq!(all.iter().map(|one| one.instruction.clone()).collect::<Vec<_>>(), again);
        assert_eq!(all.len(), 60);
        for one in all {
            let count = one.changes.split("; ").count();
            assert!((2..=4).contains(&count), "{} changes {}", one.instruction, one.changes);
            assert!(!one.page().contains("{data}"));
        }
    }
}
