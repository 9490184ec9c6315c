//! Which instances of a task are run. Pure, but for [`random_root`].

use crate::Error;
use rand::TryRng;
use rand::rngs::SysRng;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Seeds that were never used while developing; those of [`Seeds::Fresh`] come from here.
pub const FRESH: RangeInclusive<u64> = 1_000..=4_999;

/// Seeds that experience is trained on; those of [`Seeds::Training`] come from here, and none of [`Seeds::Fresh`] does.
pub const TRAINING: RangeInclusive<u64> = 5_000..=8_999;

/// Which seeds of each task are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// From the first up to the second, which is excluded.
    Range(u64, u64),
    /// These, in this order.
    List(Vec<u64>),
    /// This many of [`FRESH`] for each task, drawn from a root seed: the same root draws the same seeds again.
    Fresh {
        /// How many per task.
        count: usize,
        /// What the draw depends on, beside the task's name.
        root: u32,
    },
    /// The same of [`TRAINING`].
    Training {
        /// How many per task.
        count: usize,
        /// What the draw depends on, beside the task's name.
        root: u32,
    },
}

impl Seeds {
    /// Reads `A..B`, `a,b,c`, `fresh:N`, `fresh:N@ROOT`, and the same with `train`. A draw without a root takes it from `root`.
    ///
    /// # Errors
    /// [`Error::Seeds`] with what is wrong and what is possible.
    pub fn parse(text: &str, root: impl FnOnce() -> u32) -> Result<Seeds, Error> {
        parse(text.trim(), root).map_err(|cause| Error::Seeds { text: text.to_owned(), cause })
    }

    /// The seeds of one task, in the order in which they are run.
    pub fn of(&self, task: &str) -> Vec<u64> {
        match self {
            Seeds::Range(from, to) => (*from..*to).collect(),
            Seeds::List(seeds) => seeds.clone(),
            Seeds::Fresh { count, root } => draw(task, *count, *root, &FRESH),
            Seeds::Training { count, root } => draw(task, *count, *root, &TRAINING),
        }
    }
}

impl FromStr for Seeds {
    type Err = Error;

    /// As [`Seeds::parse`] with a root from the operating system.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Seeds::parse(text, random_root)
    }
}

impl fmt::Display for Seeds {
    /// The text that gives the same seeds again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seeds::Range(from, to) => write!(f, "{from}..{to}"),
            Seeds::List(seeds) => {
                let texts: Vec<String> = seeds.iter().map(u64::to_string).collect();
                f.write_str(&texts.join(","))
            }
            Seeds::Fresh { count, root } => write!(f, "fresh:{count}@{root}"),
            Seeds::Training { count, root } => write!(f, "train:{count}@{root}"),
        }
    }
}

/// A root for fresh seeds, from the operating system.
pub fn random_root() -> u32 {
    // Where the system gives no randomness, the root is still printed and the seeds are still unused ones.
    SysRng.try_next_u32().unwrap_or(1)
}

fn parse(text: &str, root: impl FnOnce() -> u32) -> Result<Seeds, String> {
    if let Some(rest) = text.strip_prefix("fresh:") {
        let (count, root) = counted("fresh", rest, root, FRESH.count())?;
        return Ok(Seeds::Fresh { count, root });
    }
    if let Some(rest) = text.strip_prefix("train:") {
        let (count, root) = counted("train", rest, root, TRAINING.count())?;
        return Ok(Seeds::Training { count, root });
    }
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (number(from)?, number(to)?);
        return if from < to { Ok(Seeds::Range(from, to)) } else { Err(format!("{from}..{to} is empty")) };
    }
    let seeds: Vec<u64> = text.split(',').map(number).collect::<Result<_, _>>()?;
    let mut seen = BTreeSet::new();
    match seeds.iter().find(|seed| !seen.insert(**seed)) {
        Some(twice) => Err(format!("{twice} is listed twice")),
        None => Ok(Seeds::List(seeds)),
    }
}

/// The number and the root of a draw from so many seeds.
fn counted(kind: &str, text: &str, root: impl FnOnce() -> u32, there: usize) -> Result<(usize, u32), String> {
    let (count, root) = match text.split_once('@') {
        Some((count, given)) => (count, number(given)?),
        None => (text, root()),
    };
    match number(count)? {
        0 => Err(format!("{kind}:0 asks for no seed at all")),
        more if more > there => Err(format!("there are only {there} {kind} seeds, {more} were asked for")),
        count => Ok((count, root)),
    }
}

fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a whole number that fits"))
}

/// Draws without replacement. BLAKE3 as the source of randomness, so that the draw is the same on every machine and in
/// every version.
fn draw(task: &str, count: usize, root: u32, from: &RangeInclusive<u64>) -> Vec<u64> {
    let mut source = blake3::Hasher::new().update(format!("{root}/{task}").as_bytes()).finalize_xof();
    let mut drawn = BTreeSet::new();
    let mut seeds = Vec::with_capacity(count);
    while seeds.len() < count {
        let mut bytes = [0; 8];
        source.fill(&mut bytes);
        let seed = from.start() + u64::from_le_bytes(bytes) % (from.end() - from.start() + 1);
        if drawn.insert(seed) {
            seeds.push(seed);
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Seeds, Error> {
        Seeds::parse(text, || 7)
    }

    #[test]
    fn a_range_excludes_its_end() {
        assert_eq!(read("0..5").unwrap().of("click-test"), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_list_keeps_its_order() {
        assert_eq!(read("7, 2,40").unwrap().of("click-test"), [7, 2, 40]);
    }

    #[test]
    fn fresh_seeds_are_distinct_fresh_and_differ_between_tasks_and_roots() {
        let seeds = read("fresh:25").unwrap();
        let drawn = seeds.of("click-test");
        assert_eq!(drawn.len(), 25);
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 25);
        assert!(drawn.iter().all(|seed| FRESH.contains(seed)));
        let trained = read("train:25").unwrap();
        assert!(trained.of("click-test").iter().all(|seed| TRAINING.contains(seed) && !FRESH.contains(seed)));
        assert_eq!(trained.to_string(), "train:25@7");
        assert_ne!(drawn, seeds.of("click-link"));
        assert_ne!(drawn, read("fresh:25@8").unwrap().of("click-test"));
    }

    #[test]
    fn a_printed_draw_can_be_repeated() {
        for text in ["0..5", "3,1,2", "fresh:4000"] {
            let seeds = read(text).unwrap();
            let again: Seeds = seeds.to_string().parse().unwrap();
            assert_eq!(again.of("enter-text"), seeds.of("enter-text"));
        }
    }

    #[test]
    fn a_draw_is_the_same_in_every_version() {
        assert_eq!(read("fresh:4@1").unwrap().of("click-test"), [3287, 1925, 4675, 3241]);
    }

    #[test]
    fn a_smaller_draw_is_the_beginning_of_a_larger_one() {
        assert_eq!(read("fresh:3@9").unwrap().of("x"), read("fresh:30@9").unwrap().of("x")[..3]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("5..5", "5..5 is empty"),
            ("9..2", "9..2 is empty"),
            ("1,2,1", "1 is listed twice"),
            ("one", "`one` is not a whole number"),
            ("", "`` is not a whole number"),
            ("-1..3", "`-1` is not a whole number"),
            ("fresh:0", "no seed at all"),
            ("fresh:4001", "only 4000 fresh seeds"),
            ("fresh:", "`` is not a whole number"),
            ("fresh:5@x", "`x` is not a whole number"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
            assert!(message.contains("write A..B"), "{text}: {message}");
        }
    }

    #[test]
    fn the_operating_system_gives_different_roots() {
        let roots: BTreeSet<u32> = (0..8).map(|_| random_root()).collect();
        assert!(roots.len() > 1);
    }
}
