//! Pages drawn from a seed, with the truth about each of their words.

use domain::task::{Check, ElementCheck, TextMatch, ValueCheck};
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// The words that stand on the pages; each at most once on a page.
pub(super) const WORDS: [&str; 10] =
    ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "juniper"];

/// Where a word stands, as `{W}`; `{ID}` is unique on the page, `{OTHER}` a host of another origin.
struct Kind {
    name: &'static str,
    html: &'static str,
    /// Whether a person sees it in the end.
    is_seen: bool,
    /// Whether it can be read at all.
    is_read: bool,
}

const fn seen(name: &'static str, html: &'static str) -> Kind {
    Kind { name, html, is_seen: true, is_read: true }
}

const fn hidden(name: &'static str, html: &'static str) -> Kind {
    Kind { name, html, is_seen: false, is_read: true }
}

const KINDS: &[Kind] = &[
    seen("a paragraph", "<p>It says {W} here</p>"),
    seen("a part of a line", "<div>Look: <b>{W}</b>, of course</div>"),
    seen("an entry of a list", "<ul><li>first<li>{W}</ul>"),
    seen("a cell", "<table><tr><td>cell<td>{W}</table>"),
    seen("an alert", "<div role=alert>{W}</div>"),
    seen("a long text", "<p>{LONG} {W}</p>"),
    seen(
        "an open root",
        "<div id={ID}></div><script>{ID}.attachShadow({mode: 'open'}).innerHTML = '<p>{W}</p>'</script>",
    ),
    seen("a frame", "<iframe srcdoc='<p>{W}</p>'></iframe>"),
    seen("a frame in a frame", "<iframe srcdoc=\"<iframe srcdoc='<p>{W}</p>'></iframe>\"></iframe>"),
    seen(
        "a frame of another origin",
        "<iframe id={ID}></iframe><script>{ID}.src = 'http://localhost:' + location.port + '/word/{W}'</script>",
    ),
    seen("far below", "<div style='height:3000px'></div><p>{W}</p>"),
    seen("an invisible character", "<p>{SPLIT}</p>"),
    seen("a timer", "<p id={ID}></p><script>setTimeout(() => {ID}.textContent = '{W}', 250)</script>"),
    seen("a late answer", "<p id={ID}></p><script>fetch('/slow').then(() => {ID}.textContent = '{W}')</script>"),
    seen(
        "beside a clock",
        "<p><span>{W}</span></p><p id={ID}></p><script>setInterval(() => {ID}.textContent = performance.now(), 90)</script>",
    ),
    seen("half faded", "<p style='opacity:.5'>{W}</p>"),
    seen("an open list of details", "<details open><summary>more</summary>{W}</details>"),
    hidden("not displayed", "<p style='display:none'>{W}</p>"),
    hidden("the attribute", "<p hidden>{W}</p>"),
    hidden("not visible", "<p style='visibility:hidden'>{W}</p>"),
    hidden("see-through", "<p style='opacity:0'>{W}</p>"),
    hidden("within something see-through", "<div style='opacity:0'><p>{W}</p></div>"),
    hidden("off screen", "<div style='position:absolute;left:-9999px'>{W}</div>"),
    hidden(
        "clipped",
        "<div style='position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden'>{W}</div>",
    ),
    hidden("of no height", "<div style='height:0;overflow:hidden'><p>{W}</p></div>"),
    hidden("of no scale", "<div style='transform:scale(0)'><p>{W}</p></div>"),
    hidden("a frame that is not displayed", "<iframe style='display:none' srcdoc='<p>{W}</p>'></iframe>"),
    hidden(
        "the root of a host that is not displayed",
        "<div id={ID} style='display:none'></div><script>{ID}.attachShadow({mode: 'open'}).innerHTML = '<p>{W}</p>'</script>",
    ),
    hidden("an option of a closed list", "<select><option>nothing<option>{W}</select>"),
    hidden("closed details", "<details><summary>more</summary>{W}</details>"),
    hidden("a template", "<template><p>{W}</p></template>"),
    hidden("a comment", "<!-- {W} -->"),
    hidden("taken back", "<p id={ID}>{W}</p><script>fetch('/slow').then(() => {ID}.remove())</script>"),
    hidden("taken back by a timer", "<p id={ID}>{W}</p><script>setTimeout(() => {ID}.remove(), 300)</script>"),
    Kind {
        name: "a closed root",
        html: "<div id={ID}></div><script>{ID}.attachShadow({mode: 'closed'}).innerHTML = '<p>{W}</p>'</script>",
        is_seen: true,
        is_read: false,
    },
];

/// Something that is asked about a page.
pub(super) struct Question {
    /// The kind of place that it is about.
    pub(super) kind: &'static str,
    pub(super) check: Check,
    /// Whether it holds, by what a person sees.
    pub(super) holds: bool,
    /// Whether enough can be read to say so.
    pub(super) is_decidable: bool,
}

/// A page with its questions.
pub(super) struct Drawn {
    pub(super) html: String,
    pub(super) questions: Vec<Question>,
}

impl Drawn {
    /// The page of a seed.
    pub(super) fn of_seed(seed: u64) -> Drawn {
        let mut random = StdRng::seed_from_u64(seed);
        let mut words = WORDS.to_vec();
        words.shuffle(&mut random);
        let absent = words.pop().unwrap_or_default();
        // Every kind has its turn, whatever is drawn beside it.
        let own = &KINDS[seed as usize % KINDS.len()];
        let more = (0..random.random_range(1..4)).map(|_| &KINDS[random.random_range(0..KINDS.len() - 1)]);
        let kinds: Vec<&Kind> = std::iter::once(own).chain(more).collect();
        let is_all_read = kinds.iter().all(|kind| kind.is_read);
        let mut html = String::from("<h1>A page</h1>");
        let mut questions = vec![question("an absent word", absent, false, is_all_read, &mut random)];
        for (at, (kind, word)) in kinds.iter().zip(&words).enumerate() {
            let split = format!("{}\u{ad}{}", &word[..2], &word[2..]);
            html += &kind
                .html
                .replace("{ID}", &format!("x{at}"))
                .replace("{LONG}", &"and so on ".repeat(40))
                .replace("{SPLIT}", &split)
                .replace("{W}", word);
            let is_decidable = is_all_read || kind.is_read && kind.is_seen;
            questions.push(question(kind.name, word, kind.is_seen, is_decidable, &mut random));
        }
        if random.random_bool(0.3) {
            let (value, asked) = (words[words.len() - 1], words[random.random_range(words.len() - 2..words.len())]);
            html += &format!("<label>Field <input value='{value}'></label>");
            let of = ElementCheck { name: Some(TextMatch::Equals("Field".into())), ..ElementCheck::default() };
            let check = Check::Value(ValueCheck { of, is: TextMatch::Equals(asked.into()) });
            let is_decidable = is_all_read || asked == value;
            questions.push(Question { kind: "a value", check, holds: asked == value, is_decidable });
        }
        Drawn { html, questions }
    }
}

/// Asks for a word: as text or as an element, that it is there or that it is not.
fn question(kind: &'static str, word: &str, is_seen: bool, is_decidable: bool, random: &mut StdRng) -> Question {
    let wanted = TextMatch::Contains(word.to_owned());
    let check = match random.random_bool(0.6) {
        true => Check::Text(wanted),
        false => Check::Element(ElementCheck { text: Some(wanted), ..ElementCheck::default() }),
    };
    let is_negative = random.random_bool(0.5);
    let check = if is_negative { Check::Not(Box::new(check)) } else { check };
    Question { kind, check, holds: is_seen != is_negative, is_decidable }
}
