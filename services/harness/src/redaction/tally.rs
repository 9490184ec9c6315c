//! What was looked for where, and what was found.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One form at one place by one wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Combination {
    /// How the secret was written.
    pub form: String,
    /// Where it was looked for.
    pub place: String,
    /// How the browser was driven.
    pub wire: String,
}

/// A place that gave a secret away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// Where, and in which form.
    #[serde(flatten)]
    pub combination: Combination,
    /// What stands around it.
    pub around: String,
}

/// What one part of the measurement found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Combinations that were looked at.
    pub combinations: usize,
    /// For each place, how many.
    pub places: BTreeMap<String, usize>,
    /// Those that gave a secret away.
    pub leaks: Vec<Leak>,
    /// Texts that look like a secret.
    pub look_alikes: usize,
    /// Those of them that stayed as they are.
    pub kept: usize,
    /// Pixels of boxes that had to be painted over, and those that were not.
    pub pixels: usize,
    /// See `pixels`.
    pub bare_pixels: usize,
}

impl Part {
    /// Counts a combination; `around` is what stands around a leak.
    pub fn looked(&mut self, form: &str, place: &str, wire: &str, around: Option<String>) {
        self.combinations += 1;
        *self.places.entry(place.to_owned()).or_default() += 1;
        let combination = Combination { form: form.into(), place: place.into(), wire: wire.into() };
        self.leaks.extend(around.map(|around| Leak { combination, around }));
    }

    /// Counts what another part found.
    pub fn add(&mut self, other: Part) {
        let Part { combinations, places, leaks, look_alikes, kept, pixels, bare_pixels } = other;
        self.combinations += combinations;
        places.into_iter().for_each(|(place, count)| *self.places.entry(place).or_default() += count);
        self.leaks.extend(leaks);
        self.look_alikes += look_alikes;
        self.kept += kept;
        self.pixels += pixels;
        self.bare_pixels += bare_pixels;
    }
}

/// The whole measurement: the sum, and its parts by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The sum of all parts.
    #[serde(flatten)]
    pub sum: Part,
    /// The parts, which are measured by different tests.
    pub parts: BTreeMap<String, Part>,
}

impl Tally {
    /// Puts a part into the file of the measurement, in place of an earlier one of the same name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(name: &str, part: Part) -> std::io::Result<()> {
        let file = file();
        let folder = file.parent().unwrap_or(&file);
        std::fs::create_dir_all(folder)?;
        // Parts are measured by processes of their own, several at a time.
        let lock = std::fs::File::create(folder.join("redaction.lock"))?;
        lock.lock()?;
        let known = std::fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Tally>(&text).ok());
        let mut tally = known.unwrap_or_default();
        tally.parts.insert(name.to_owned(), part);
        tally.sum = Part::default();
        tally.parts.values().for_each(|part| tally.sum.add(part.clone()));
        std::fs::write(&file, serde_json::to_vec_pretty(&tally)?)?;
        lock.unlock()
    }
}

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/results/redaction.json"))
}
