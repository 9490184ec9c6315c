//! The little tasks of a page: what is said of each, and what it changes.

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom, SliceRandom};
use serde::Serialize;

/// What stands on a page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PageData {
    fields: Vec<&'static str>,
    list: &'static str,
    options: Vec<&'static str>,
    group: &'static str,
    radios: Vec<&'static str>,
    boxes: Vec<&'static str>,
    buttons: Vec<&'static str>,
    tabs: Vec<&'static str>,
    things: &'static str,
    entries: Vec<&'static str>,
}

/// One thing to be done.
#[derive(Clone, Debug)]
pub(super) struct LittleTask {
    /// As a command: `press "Refresh"`.
    pub says: String,
    /// As something that one is doing: `pressing "Refresh"`.
    pub doing: String,
    /// What the page tells of it afterwards.
    pub changes: String,
}

/// Takes some of a list, in any order.
fn some(list: &[&'static str], count: usize, random: &mut StdRng) -> Vec<&'static str> {
    let mut taken = list.iter().copied().sample(random, count);
    taken.shuffle(random);
    taken
}

/// Takes one of the wordings, each a command and what one is doing.
fn worded(wordings: &[(String, String)], changes: String, random: &mut StdRng) -> LittleTask {
    let (says, doing) = wordings.choose(random).cloned().unwrap_or_default();
    LittleTask { says, doing, changes }
}

/// The wordings of a verb in both forms, followed by the same words.
fn both(command: &str, doing: &str, rest: &str) -> (String, String) {
    (format!("{command} {rest}"), format!("{doing} {rest}"))
}

/// A page, and one task of each kind for it.
pub(super) fn little_tasks(random: &mut StdRng) -> (PageData, Vec<LittleTask>) {
    let lists: [(&str, [&str; 4]); 4] = [
        ("Parcel size", ["Small", "Medium", "Large", "Bulky"]),
        ("Language", ["English", "Danish", "Welsh", "Maltese"]),
        ("Department", ["Sales", "Repair", "Kitchen", "Archive"]),
        ("Paper", ["A3", "A4", "Letter", "Legal"]),
    ];
    let groups: [(&str, [&str; 3]); 3] = [
        ("Speed", ["Standard", "Express", "Overnight"]),
        ("Payment", ["Invoice", "Cash", "Voucher"]),
        ("Seat", ["Window", "Aisle", "Middle"]),
    ];
    let kinds: [(&str, &str, [&str; 5]); 3] = [
        ("Errands", "errand", ["Buy milk", "Call Ann", "Fix the lamp", "Return books", "Water plants"]),
        ("Guests", "guest", ["Ada Field", "Ben Ross", "Carla Diaz", "Dan Moor", "Eve Lund"]),
        ("Parts", "part", ["Brass hinge", "Oak panel", "Steel rod", "Copper pipe", "Glass pane"]),
    ];
    let (list, options) = lists.choose(random).copied().unwrap_or(lists[0]);
    let (group, radios) = groups.choose(random).copied().unwrap_or(groups[0]);
    let (things, thing, entries) = kinds.choose(random).copied().unwrap_or(kinds[0]);
    let data = PageData {
        fields: some(&["Recipient", "Street", "Note", "Reference", "Phone", "Nickname"], 3, random),
        list,
        options: options.to_vec(),
        group,
        radios: radios.to_vec(),
        boxes: some(&["Gift wrap", "Insurance", "Newsletter", "Send a copy", "Call first"], 3, random),
        buttons: some(&["Refresh", "Print label", "Mute", "Check prices", "Show map"], 3, random),
        tabs: some(&["Overview", "Costs", "History", "Contacts"], 3, random),
        things,
        entries: some(&entries, 4, random),
    };
    let tasks = vec![
        typing(&data, random),
        choosing(&data, random),
        picking(&data, random),
        ticking(&data, random),
        pressing(&data, random),
        opening(&data, random),
        deleting(&data, thing, random),
        marking(&data, random),
        adding(&data, thing, random),
    ];
    (data, tasks)
}

fn typing(data: &PageData, random: &mut StdRng) -> LittleTask {
    let field = data.fields[0];
    let value = ["Blue 42", "Marta", "ring twice", "K-771", "Elm Road 5"].choose(random).copied().unwrap_or_default();
    let wordings = [
        both("type", "typing", &format!("\"{value}\" into the {field} field")),
        both("enter", "entering", &format!("\"{value}\" in \"{field}\"")),
        both("fill in", "filling in", &format!("{field} with \"{value}\"")),
        both("write", "writing", &format!("\"{value}\" into {field}")),
        both("set", "setting", &format!("the {} to \"{value}\"", field.to_lowercase())),
    ];
    worded(&wordings, format!("{field} = {value}"), random)
}

fn choosing(data: &PageData, random: &mut StdRng) -> LittleTask {
    let (list, option) = (data.list, data.options[1..].choose(random).copied().unwrap_or_default());
    let wordings = [
        both("choose", "choosing", &format!("\"{option}\" from \"{list}\"")),
        both("select", "selecting", &format!("{option} as the {}", list.to_lowercase())),
        both("set", "setting", &format!("the {} to {option}", list.to_lowercase())),
        both("pick", "picking", &format!("\"{option}\" in the {list} list")),
    ];
    worded(&wordings, format!("{list} = {option}"), random)
}

fn picking(data: &PageData, random: &mut StdRng) -> LittleTask {
    let (group, radio) = (data.group, data.radios[1..].choose(random).copied().unwrap_or_default());
    let wordings = [
        both("select", "selecting", &format!("the option \"{radio}\"")),
        both("choose", "choosing", &format!("\"{radio}\"")),
        both("pick", "picking", &format!("{radio} for the {}", group.to_lowercase())),
        both("select", "selecting", &format!("\"{radio}\" under \"{group}\"")),
    ];
    worded(&wordings, format!("{group} = {radio}"), random)
}

/// The first box of a page is ticked from the start.
fn ticking(data: &PageData, random: &mut StdRng) -> LittleTask {
    let [on, off, ..] = data.boxes.as_slice() else { unreachable!("a page has three boxes") };
    let wordings = [
        both("tick", "ticking", &format!("\"{off}\"")),
        both("check", "checking", &format!("the box \"{off}\"")),
        both("turn on", "turning on", &format!("\"{off}\"")),
    ];
    let ticked = worded(&wordings, format!("{off} = on"), random);
    let wordings = [
        both("untick", "unticking", &format!("\"{on}\"")),
        both("uncheck", "unchecking", &format!("the {on} checkbox")),
        both("turn off", "turning off", &format!("\"{on}\"")),
    ];
    let unticked = worded(&wordings, format!("{on} = off"), random);
    [ticked, unticked].choose(random).cloned().unwrap_or_else(|| unreachable!("there are two"))
}

fn pressing(data: &PageData, random: &mut StdRng) -> LittleTask {
    let button = data.buttons[0];
    let wordings = [
        both("press", "pressing", &format!("\"{button}\"")),
        both("click", "clicking", &format!("the {button} button")),
        both("click on", "clicking on", &format!("\"{button}\"")),
        both("hit", "hitting", &format!("the button \"{button}\"")),
    ];
    worded(&wordings, format!("pressed {button}"), random)
}

fn opening(data: &PageData, random: &mut StdRng) -> LittleTask {
    let tab = data.tabs[1];
    let wordings = [
        both("open", "opening", &format!("the tab \"{tab}\"")),
        both("go to", "going to", &format!("the {tab} tab")),
        both("switch to", "switching to", &format!("the \"{tab}\" tab")),
    ];
    worded(&wordings, format!("tab = {tab}"), random)
}

fn deleting(data: &PageData, thing: &str, random: &mut StdRng) -> LittleTask {
    let entry = data.entries[0];
    let wordings = [
        both("delete", "deleting", &format!("\"{entry}\"")),
        both("remove", "removing", &format!("the {thing} \"{entry}\"")),
        both("get rid of", "getting rid of", &format!("\"{entry}\"")),
        both("remove", "removing", &format!("{entry} from the {}", data.things.to_lowercase())),
    ];
    worded(&wordings, format!("deleted {entry}"), random)
}

fn marking(data: &PageData, random: &mut StdRng) -> LittleTask {
    let entry = data.entries[2];
    let wordings = [
        both("mark", "marking", &format!("\"{entry}\" as done")),
        both("tick off", "ticking off", &format!("\"{entry}\"")),
        both("check off", "checking off", &format!("{entry} in the {}", data.things.to_lowercase())),
    ];
    worded(&wordings, format!("{entry} done"), random)
}

fn adding(data: &PageData, thing: &str, random: &mut StdRng) -> LittleTask {
    let name = ["Post letter", "Old Tom", "Tin box"].choose(random).copied().unwrap_or_default();
    let article = if thing.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let wordings = [
        both("add", "adding", &format!("\"{name}\" to the {}", data.things.to_lowercase())),
        both("add", "adding", &format!("{article} {thing} called \"{name}\"")),
        both("create", "creating", &format!("a new {thing} named \"{name}\"")),
    ];
    worded(&wordings, format!("added {name}"), random)
}
