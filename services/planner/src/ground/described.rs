//! Things that are told by more than a name: `berth 3 of pier A`, `the invoice of 3 May 2031`, `the lion Nala`. What is meant is the one
//! entry that says all of it, itself or by the heading that it stands under. Pure.

mod surroundings;

use self::surroundings::Surroundings;
use super::bind::Scene;
use super::clause::Quoted;
use super::goal::{PagePart, Target};
use super::item::{is_dialog, is_head_row, is_item, item_of};
use super::layout::column_of;
use super::names::{holds_name, legible, same};
use super::numbered::{is_headed, is_numbered};
use super::region::{self, Region};
use super::task::Thing;
use super::understand::moment;
use super::words::{is_entry_word, is_function_word, tokens};
use super::{commands, words};
use chrono::{Datelike, NaiveDate};
use domain::ElementId;
use domain::geometry::Rect;
use domain::observation::{Node, Observation};

/// What an instruction says of a thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Description {
    /// The words, without the determiner in front of them; empty where it was put together from parts.
    text: String,
    /// What its entry must say.
    facts: Vec<Fact>,
    /// Plain words: they tell entries apart that say the same facts.
    words: Vec<String>,
}

/// One thing that an entry says.
#[derive(Clone, Debug, PartialEq)]
enum Fact {
    /// A name in quotes: the whole of what a part of the entry shows.
    Quoted(String),
    /// A name, letter for letter; a part of the entry may say more behind it.
    Name(String),
    /// The number or the letter of something of a kind.
    Numbered { kind: String, number: String },
    /// A day; without a year where none is said.
    Day { month: u32, day: u32, year: Option<i32> },
}

impl Description {
    /// What a text says, where that is more than a name.
    pub(crate) fn of_more_than_a_name(quoted: &Quoted, text: &str) -> Option<Self> {
        Some(Self::read(quoted, text)).filter(Self::is_telling)
    }

    /// What a text says.
    fn read(quoted: &Quoted, text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let begins = words.iter().position(|word| !is_function_word(&word.to_lowercase())).unwrap_or_default();
        let plain = quoted.restore(&words.get(begins..).unwrap_or_default().join(" "));
        let mut told = Self { text: plain.trim_end_matches(['.', ',']).to_owned(), ..Self::default() };
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let taken = told.take(quoted, rest);
            rest = rest.get(taken.max(1)..).unwrap_or_default();
        }
        told
    }

    /// What an instruction says of a thing in all.
    fn of(thing: &Thing) -> Self {
        let none = Quoted::default();
        let mut told = Self::default();
        let mut add = |kind: &str, name: &str, quoted: bool| {
            if quoted {
                told.facts.push(Fact::Quoted(name.to_owned()));
                told.words.extend(tokens(kind).into_iter().filter(|word| tells(word)));
            } else {
                let read = Self::read(&none, format!("{kind} {name}").trim());
                told.facts.extend(read.facts);
                told.words.extend(read.words);
            }
        };
        add(&thing.kind, &thing.name, thing.quoted);
        add("", &thing.of, thing.of_quoted);
        for PagePart { kind, name, quoted } in &thing.places {
            add(kind, name, *quoted);
        }
        told
    }

    /// What it says, in the instruction's words.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it says more than a name.
    fn is_telling(&self) -> bool {
        self.facts.len() > 1 || (self.facts.len() == 1 && !self.words.is_empty())
    }

    /// Takes what the first words say, and tells how many they are.
    fn take(&mut self, quoted: &Quoted, words: &[&str]) -> usize {
        let Some(first) = words.first() else { return 1 };
        if let Some(name) = quoted.part(first) {
            self.facts.push(Fact::Quoted(name.to_owned()));
            return 1;
        }
        let dated = (1..=4)
            .rev()
            .filter_map(|length| words.get(..length))
            .filter(|words| words.iter().all(|word| quoted.part(word).is_none()))
            .find_map(|words| Some((day(&words.join(" "))?, words.len())));
        if let Some((day, length)) = dated {
            self.facts.push(day);
            return length;
        }
        let word = bare(first);
        let is_plain = word.starts_with(char::is_lowercase) && word.chars().all(char::is_alphabetic);
        let ends_part = |word: &str| word.ends_with([',', ';', ':']);
        if is_plain {
            let number = words
                .get(1)
                .map(|next| bare(next))
                .filter(|next| !ends_part(first) && (is_numbered(word, next) || is_letter(next)));
            match number {
                Some(_) if COUNTED.contains(&word) => return 2,
                Some(number) if is_entry_word(word) => {
                    self.facts.push(Fact::Name(number.to_owned()));
                    return 2;
                }
                Some(number) if tells(word) => {
                    self.facts.push(Fact::Numbered { kind: word.to_owned(), number: number.to_owned() });
                    return 2;
                }
                _ if tells(word) => self.words.push(word.to_owned()),
                _ => {}
            }
            return 1;
        }
        let begins_name = |word: &str| {
            word.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit() || sign == '#')
                || word.contains('@')
        };
        let mut name: Vec<&str> = Vec::new();
        for next in words.iter().take_while(|next| begins_name(next) && quoted.part(next).is_none()) {
            name.push(bare(next));
            // `Metformin 850 mg`
            let unit = words.get(name.len()).map(|next| bare(next)).filter(|unit| UNITS.contains(unit));
            let is_number = |word: &str| word.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
            if let Some(unit) = unit.filter(|_| is_number(bare(next))) {
                name.push(unit);
                break;
            }
            if ends_part(next) {
                break;
            }
        }
        if !name.is_empty() {
            self.facts.push(Fact::Name(name.join(" ")));
        }
        name.len()
    }
}

/// Units behind a number that is a part of a name.
const UNITS: [&str; 12] = ["mg", "g", "kg", "ml", "l", "cl", "cm", "mm", "m", "km", "inch", "lb"];

/// Parts that pages and lists are counted by.
const COUNTED: [&str; 7] = ["page", "step", "week", "column", "slide", "level", "row"];

/// Whether a plain word tells one thing from another.
fn tells(word: &str) -> bool {
    const LEADS: [&str; 17] = [
        "has", "have", "named", "called", "titled", "under", "between", "still", "value", "number", "name", "about",
        "row", "column", "no", "nr", "list",
    ];
    !is_function_word(word) && !is_entry_word(word) && !LEADS.contains(&word)
}

/// A word without the signs at its end, and without an ending that says whose.
fn bare(word: &str) -> &str {
    let word = word.trim_end_matches([',', '.', ';', ':', '!', '?']);
    word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(word)
}

/// Whether a word is one capital letter, as in `pier A`.
fn is_letter(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
}

/// The day that a text names by its date.
fn day(text: &str) -> Option<Fact> {
    let is_dated = text.chars().any(|sign| sign.is_ascii_digit());
    // `05/03/2031` is a day in March or in May.
    let is_open = text.matches('/').count() == 2
        && text.split('/').take(2).all(|part| part.parse::<u32>().is_ok_and(|number| number <= 12));
    if !is_dated || is_open {
        return None;
    }
    // Without a year, the day depends on when it is read.
    let seen_from = |year: i32| moment::day(text, NaiveDate::from_ymd_opt(year, 1, 1)?);
    let (early, late) = (seen_from(2000)?, seen_from(2004)?);
    let year = (early == late).then(|| early.year());
    Some(Fact::Day { month: early.month(), day: early.day(), year })
}

/// The entry that an instruction tells a target by, where its name alone does not.
pub(crate) fn region_of(scene: &Scene<'_>, target: &Target) -> Option<Region> {
    let told = target.told.as_ref()?;
    // `the Tin robot` may be called so as a whole.
    let whole = region::anchors(scene.observation, scene.echoes, &told.text);
    if let [only] = whole.as_slice()
        && !target.within.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(&told.text))
        && let Some(item) =
            item_of(scene.observation, *only).filter(|item| !scene.observation.node(*item).is_some_and(is_dialog))
    {
        return Some(Region::Subtree(item));
    }
    let named = || region::anchors(scene.observation, scene.echoes, target.within.as_deref().unwrap_or_default());
    if told.facts.len() < 2 && named().len() == 1 {
        return None;
    }
    entry(scene, told).map(|(region, _)| region).or_else(|| cell(scene, told).map(Region::Subtree))
}

/// Where no entry says all that is told of a target ([`region_of`]): whether its name is shown by entries alone, of which none says what
/// else is told of it, such as the Marlin of somebody else.
pub(crate) fn is_of_another(scene: &Scene<'_>, target: &Target) -> bool {
    let Some(told) = target.told.as_ref().filter(|told| told.facts.len() > 1) else { return false };
    let observation = scene.observation;
    let named = region::anchors(observation, scene.echoes, target.within.as_deref().unwrap_or_default());
    let surroundings = Surroundings::of(scene);
    let lacks = |anchor: ElementId| {
        let item = item_of(observation, anchor).filter(|item| !observation.node(*item).is_some_and(is_dialog));
        let Some(entry) = item.and_then(|item| Entry::of(observation, Region::Subtree(item))) else { return false };
        // What the page says beside its entries may be true of all of them: a heading, a tab.
        let is_said_beside = |fact: &Fact| {
            let mut beside = scene.elements().filter(|(_, node)| fact.is_said_by(node.label()));
            beside.any(|(id, node)| node.role == "tab" || item_of(observation, id).is_none())
                || fact.is_said_by(&observation.title)
        };
        let is_said = |fact: &Fact| {
            entry.saying(observation, fact).is_some() || surroundings.say(&entry, fact) || is_said_beside(fact)
        };
        !told.facts.iter().all(is_said)
    };
    !named.is_empty() && named.into_iter().all(lacks)
}

/// What shows the first thing that an instruction says of a thing, in the one entry that says all of it.
pub(crate) fn anchor_of(scene: &Scene<'_>, thing: &Thing) -> Option<ElementId> {
    let told = Description::of(thing);
    if thing.all || thing.ordinal.is_some() {
        return None;
    }
    let (_, anchor) = entry(scene, &told)?;
    // A name alone is looked for elsewhere, but for what a field holds.
    let is_held = || scene.observation.node(anchor).is_some_and(|node| node.value.is_some());
    (told.is_telling() || matches!(told.facts.as_slice(), [Fact::Day { .. }]) || is_held()).then_some(anchor)
}

/// The only entry that says all of a description, and what in it says the first of it.
fn entry(scene: &Scene<'_>, told: &Description) -> Option<(Region, ElementId)> {
    if told.facts.is_empty() {
        return None;
    }
    let observation = scene.observation;
    let surroundings = Surroundings::of(scene);
    let holds_control = region::holding_controls(observation);
    // A board has few cards in a column: what stands beside its like and holds controls is an entry as well.
    let is_card = |id: ElementId, node: &Node| {
        let class = node.attribute("class");
        let is_like =
            |(other, twin): (ElementId, &Node)| other != id && twin.tag == node.tag && twin.attribute("class") == class;
        !class.is_empty()
            && holds_control.get(id.index()) == Some(&true)
            && !node.is_interactive()
            && node.parent.is_some_and(|parent| observation.children(parent).any(is_like))
    };
    let is_entry = |id: ElementId, node: &Node| {
        (is_item(node) || is_card(id, node)) && !is_dialog(node) && !is_head_row(observation, id)
    };
    let items = scene.elements().filter(|(id, node)| is_entry(*id, node)).map(|(id, _)| Region::Subtree(id));
    let stretches = surroundings.headings.iter().filter_map(|(id, node)| surroundings.stretch_below(*id, node));
    let entries: Vec<Entry<'_>> = items.chain(stretches).filter_map(|region| Entry::of(observation, region)).collect();
    let mut found: Vec<(&Entry<'_>, ElementId)> = Vec::new();
    for entry in &entries {
        let shown: Vec<Option<ElementId>> = told.facts.iter().map(|fact| entry.saying(observation, fact)).collect();
        let all = told.facts.iter().zip(&shown).all(|(fact, own)| own.is_some() || surroundings.say(entry, fact));
        if let Some(first) = shown.iter().flatten().next().filter(|_| all) {
            found.push((entry, *first));
        }
    }
    let holds =
        |outer: &Entry<'_>, inner: &Entry<'_>| outer.id != inner.id && outer.region.holds(observation, inner.id);
    let outer: Vec<ElementId> = found
        .iter()
        .map(|(entry, _)| *entry)
        .filter(|entry| found.iter().any(|(other, _)| holds(entry, other)))
        .map(|entry| entry.id)
        .collect();
    found.retain(|(entry, _)| !outer.contains(&entry.id));
    let says = |entry: &Entry<'_>, word: &str| entry.says(word) || surroundings.say_word(entry, word);
    let is_said = |word: &String| surroundings.page_says(word) || entries.iter().any(|entry| says(entry, word));
    if !told.words.iter().all(is_said) {
        return None;
    }
    // A word that some entries say, and others do not, tells them apart.
    for word in told.words.iter().filter(|word| entries.iter().any(|entry| says(entry, word))) {
        found.retain(|(entry, _)| says(entry, word));
    }
    match found.as_slice() {
        [(entry, anchor)] => Some((entry.region.clone(), *anchor)),
        _ => None,
    }
}

/// The only cell of a table whose column says one fact and whose row another, and the two all of them: `in the column ⟦0⟧, in the row ⟦1⟧`.
fn cell(scene: &Scene<'_>, told: &Description) -> Option<ElementId> {
    let observation = scene.observation;
    let says_all = |cell: ElementId| {
        let head = observation.node(cell).and_then(|node| observation.children(node.parent?).next());
        let (Some((_, head)), Some(column)) = (head, column_of(observation, cell)) else { return false };
        let of = |node: &Node| told.facts.iter().map(|fact| fact.is_said_by(node.label())).collect::<Vec<bool>>();
        let (of_row, of_column) = (of(head), of(column));
        of_row.contains(&true)
            && of_column.contains(&true)
            && of_row.iter().zip(&of_column).all(|(row, column)| *row || *column)
    };
    let is_cell = |node: &Node| matches!(node.role.as_str(), "cell" | "gridcell");
    let mut found = scene.elements().filter(|(id, node)| is_cell(node) && says_all(*id)).map(|(id, _)| id);
    found.next().filter(|_| found.next().is_none())
}

/// An entry, with what stands in it: an item, or the stretch below one of several headings.
struct Entry<'o> {
    /// What it begins with.
    id: ElementId,
    region: Region,
    parts: Vec<(ElementId, &'o Node)>,
    bounds: Rect,
}

impl<'o> Entry<'o> {
    fn of(observation: &'o Observation, region: Region) -> Option<Self> {
        let (Region::Subtree(ElementId(from)) | Region::Stretch(from, _)) = region else { return None };
        let id = ElementId(from);
        let own = observation.elements().skip(id.index()).take(1);
        let within = observation.elements().skip(id.index() + 1);
        let within = within.take_while(|(inner, _)| region.holds(observation, *inner));
        let parts: Vec<(ElementId, &Node)> = own.chain(within).collect();
        let bounds = parts.first().map(|(_, node)| node.bounds)?;
        Some(Self { id, region, parts, bounds })
    }

    /// What in it says a fact.
    fn saying(&self, observation: &Observation, fact: &Fact) -> Option<ElementId> {
        let is_shown = |(id, node): &&(ElementId, &Node)| {
            fact.is_said_by(&node.text)
                || node.value.as_deref().is_some_and(|value| fact.is_said_by(value))
                || fact
                    .numbered()
                    .is_some_and(|(kind, number)| is_number(number, &node.text) && is_headed(observation, *id, &kind))
        };
        self.parts.iter().rev().find(is_shown).map(|(id, _)| *id)
    }

    fn says(&self, word: &str) -> bool {
        self.parts.iter().any(|(_, node)| {
            [&node.text, &node.name].into_iter().any(|text| says_word(text, word))
                || says_word(node.attribute("class"), word)
        })
    }
}

impl Fact {
    /// The kind and the number that it speaks of, as in `berth 3` and `Berth 3`.
    fn numbered(&self) -> Option<(String, &str)> {
        match self {
            Fact::Numbered { kind, number } => Some((kind.clone(), number)),
            Fact::Quoted(name) | Fact::Name(name) => {
                let (kind, number) = name.rsplit_once(' ').filter(|(kind, number)| is_numbered(kind, number))?;
                Some((kind.to_lowercase(), number))
            }
            Fact::Day { .. } => None,
        }
    }

    /// Whether a text of a page says it.
    fn is_said_by(&self, text: &str) -> bool {
        const LONG: usize = 200;
        if text.is_empty() || text.len() > LONG {
            return false;
        }
        match self {
            Fact::Quoted(name) => same(name, text),
            Fact::Name(name) => same(name, text) || holds_name(text, name) || is_led_to(text, name),
            Fact::Numbered { kind, number } => {
                let whole = format!("{kind} {number}");
                same(&whole, text)
                    || holds_name(text, &whole)
                    || (number.contains(char::is_alphabetic) && is_number(number, text))
            }
            Fact::Day { month, day: number, year } => {
                let is_it = |fact: Option<Fact>| {
                    matches!(fact, Some(Fact::Day { month: m, day: d, year: y })
                        if m == *month && d == *number && (y.is_none() || year.is_none() || y == *year))
                };
                let pieces: Vec<&str> = text.split_whitespace().collect();
                (1..=4).any(|length| pieces.windows(length).any(|words| is_it(day(&words.join(" ")))))
            }
        }
    }
}

/// Whether nothing but such words as `by` and `for` leads to a name in a text: `by Tove Lind, today`.
fn is_led_to(text: &str, name: &str) -> bool {
    let (text, name) = (legible(text).to_lowercase(), legible(name).to_lowercase());
    let Some((before, _)) = text.split_once(&name) else { return false };
    let rest = text.get(before.len()..).unwrap_or_default();
    !before.is_empty()
        && before.ends_with(' ')
        && tokens(before).iter().all(|word| words::is_function_word(word))
        && holds_name(rest, &name)
}

fn is_number(number: &str, text: &str) -> bool {
    legible(text).trim_start_matches('#').eq_ignore_ascii_case(number.trim_start_matches('#'))
}

fn says_word(text: &str, word: &str) -> bool {
    text.len() < 400 && tokens(text).iter().any(|said| commands::same_concept(said, word))
}
