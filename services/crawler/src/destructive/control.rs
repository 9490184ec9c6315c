//! What a control says of itself: its label, its markup, its icon, where it leads or sends its form.

use super::surroundings::{in_danger, of_price, of_surroundings};
use super::{Refusal, form, is_bare, is_dialog, is_submit, label, leads_somewhere, path_of};
use domain::destructive::{
    AGREEING, ASKING, LEAVING, binding, command, command_in_path, deletion, glyph, handled, irrevocable, is_foreign,
    is_of_view, is_plain_command, picture, rule_of, spaced, takes_element, takes_from_page, words,
};
use domain::exploration::{Guards, Mode};
use domain::harm::{Rule, explains, only_tries};
use domain::{ElementId, Node, Observation};

/// Attributes that hold the question by which a library has the browser ask.
const ASKED: [&str; 3] = ["data-confirm", "data-turbo-confirm", "hx-confirm"];

/// What a browser does by itself and may ask about.
const PRINTING: [&str; 8] =
    ["print", "print page", "print this page", "drucken", "imprimer", "imprimir", "stampa", "afdrukken"];

/// The rule that pressing a control breaks by its words.
pub(super) fn of_control(page: &Observation, element: ElementId, guards: &Guards) -> Option<Refusal> {
    let node = page.node(element)?;
    let label = label(node);
    let is_careful = guards.mode == Mode::Careful;
    if node.attribute("type") == "reset" && matches!(node.tag.as_str(), "input" | "button") && is_bare(page, element) {
        return None; // it sends nothing, and gives fields what they held
    }
    // What belongs to the page is taken away under a licence by which nothing is sent.
    let is_of_page = is_careful && stays_on_page(node) && is_bare(page, element);
    // Icons for closing and for clearing are those for removing: `Close calendar`.
    let closes = matches!(label.split(' ').next(), Some("close" | "hide")) || is_of_view(&label);
    if is_of_page && closes && of_author(node).is_none() {
        return in_danger(page, element);
    }
    if let Some(refusal) = of_author(node).or_else(|| of_picture(page, element, node)) {
        return Some(refusal);
    }
    if LEAVING.contains(&label.as_str()) {
        return Some(Refusal::new(Rule::LogsOut, label));
    }
    if leads_somewhere(node) {
        return of_link(&words(&without_titles(node.label())).join(" "), node.attribute("href"));
    }
    if is_submit(node)
        && let Some(refusal) = of_sending(page, element).or_else(|| chosen(page, element))
    {
        return Some(refusal);
    }
    // A question is no command: clicking it opens the answer.
    let is_question =
        node.label().trim_end().ends_with('?') || ASKING.iter().any(|word| label.split(' ').next() == Some(*word));
    if is_question {
        return None;
    }
    // What unfolds a part of the page may be headed by what that part is about.
    let unfolds = is_careful && node.states.expanded.is_some() && is_bare(page, element);
    if is_of_page || unfolds {
        return in_danger(page, element);
    }
    // Under a licence by which only that is sent which says so too.
    if is_careful && only_tries(&label) {
        return None;
    }
    // A tab shows something, and may be called after what became of it: `Deleted branches`.
    if node.role == "tab" && !is_plain_command(&label) {
        return None;
    }
    let bare = without_titles(node.label());
    let said = if words(&bare).is_empty() { label.as_str() } else { &bare };
    let named = told(said, false).or_else(|| {
        let names =
            ["id", "name", "class", "title", "value", "data-testid", "data-action"].map(|name| node.attribute(name));
        if label.is_empty() { names.into_iter().find_map(|text| told(&spaced(text), false)) } else { None }
    });
    let agrees = AGREEING.contains(&label.as_str());
    let around = || if agrees { of_surroundings(page, element, is_careful) } else { None };
    let careful =
        || if is_careful { in_danger(page, element).or_else(|| of_price(page, element, &label)) } else { None };
    named.or_else(around).or_else(careful)
}

/// Whether pressing a control changes the page and nothing else, as its words, its code or its dots say: `Delete…` asks first.
pub(super) fn stays_on_page(node: &Node) -> bool {
    let asks = node.label().trim_end().ends_with('\u{2026}') || node.label().trim_end().ends_with("...");
    takes_from_page(&label(node)) || asks || takes_element(node.attribute("onclick"))
}

/// Whether a control has the browser ask before it does what it does: then it does something.
pub(super) fn asks_first(node: &Node) -> bool {
    let asks =
        node.attribute("onclick").contains("confirm(") || ASKED.iter().any(|name| !node.attribute(name).is_empty());
    let label = label(node);
    asks && !takes_from_page(&label) && !PRINTING.contains(&label.as_str())
}

/// The rule that the words of a text break. `asks` says that they are a question whose answer may be irrevocable.
pub(super) fn told(text: &str, asks: bool) -> Option<Refusal> {
    let lost = || deletion(text).or_else(|| irrevocable(text));
    let asked = || if asks { lost().map(|word| Refusal::new(Rule::Deletes, word)) } else { None };
    command(text).map(broken).or_else(asked)
}

fn broken(word: String) -> Refusal {
    Refusal::new(rule_of(&word), word)
}

/// The rule that following a link breaks by its words. What it sends decides, which its address says: a link with a telling address
/// leads to a page, whatever its words, unless it is called like the deed itself. Where the address says nothing, the words decide.
fn of_link(label: &str, href: &str) -> Option<Refusal> {
    let word = command(label)?;
    let rule = rule_of(&word);
    let path = path_of(href);
    // Of a text about a deed, and of the place where deleted things lie, the words are only names.
    let names_one = path.contains(|letter: char| letter.is_ascii_digit());
    // `Trash (3)`
    let place = label.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == ' ');
    let is_place = matches!(place, "trash" | "garbage" | "dustbin") && !names_one;
    if rule == Rule::Deletes && !path.is_empty() && (is_place || explains(path) || is_view(path)) {
        return None;
    }
    let says_something = words(path.split('?').next().unwrap_or_default())
        .iter()
        .any(|word| word.chars().filter(|letter| letter.is_alphabetic()).count() >= 4);
    // `Devices removed earlier`
    let was_done = word.ends_with("ed") && !label.starts_with(word.as_str());
    let is_deed = matches!(rule, Rule::Deletes | Rule::LogsOut) && is_plain_command(label) && !was_done;
    let is_short = label.split_whitespace().count() <= 3 && (label.starts_with(word.as_str()) || is_foreign(&word));
    // A farewell may be longer: `Bye, sign me out`.
    let parts = rule == Rule::LogsOut && label.split_whitespace().count() <= 5;
    // Whoever is to go is told so at the end: `Not Ann? Switch user`.
    let dismisses = parts && label.ends_with(word.as_str()) && !explains(path);
    (is_deed || dismisses || ((is_short || parts) && !says_something)).then(|| Refusal::new(rule, word))
}

/// The words of a control without those that it quotes, which are what somebody called something.
fn without_titles(text: &str) -> String {
    const QUOTES: [(char, char); 4] = [('«', '»'), ('“', '”'), ('„', '“'), ('「', '」')];
    let mut rest = text.to_owned();
    for (open, close) in QUOTES {
        while let Some(from) = rest.find(open)
            && let Some(length) = rest[from..].find(close)
        {
            rest.replace_range(from..from + length + close.len_utf8(), " ");
        }
    }
    rest
}

/// Whether an address says only how the things of one place are to be shown: `?view=deleted`.
fn is_view(path: &str) -> bool {
    const VIEWS: [&str; 15] = [
        "view", "filter", "show", "tab", "sort", "order", "state", "status", "ansicht", "vista", "vue", "page", "log",
        "history", "help",
    ];
    let Some((place, query)) = path.split_once('?') else { return false };
    let names = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    !place.contains(|letter: char| letter.is_ascii_digit())
        && names.clone().all(|name| VIEWS.contains(&name))
        && names.count() > 0
}

/// The rule that a control's markup breaks: a title, a description, a method, a handler, hidden fields.
fn of_author(node: &Node) -> Option<Refusal> {
    const METHODS: [&str; 3] = ["data-method", "data-turbo-method", "form-hidden"];
    let method = METHODS.into_iter().find_map(|name| deletion(&spaced(node.attribute(name)))).map(broken);
    let posts = ["hx-post", "hx-put"].into_iter().find_map(|name| of_address(node.attribute(name)));
    let asked = ASKED.into_iter().find_map(|name| told(node.attribute(name), true));
    const DESCRIBING: [&str; 4] = ["title", "aria-description", "data-action", "data-command"];
    let said = DESCRIBING.into_iter().find_map(|name| told(&spaced(node.attribute(name)), false));
    let deletes = node.attributes.contains_key("hx-delete").then(|| Refusal::new(Rule::Deletes, "delete"));
    let hidden = sent_along(node.attribute("form-hidden"));
    let confirms = || {
        let code = node.attribute("onclick");
        code.contains("confirm(").then(|| told(code, true)).flatten()
    };
    let handled = || handled(node.attribute("onclick")).map(broken);
    deletes.or(method).or(hidden).or(said).or(asked).or(posts).or_else(confirms).or_else(handled)
}

/// The rule that hidden fields break which a button sends along: `action=publish`.
fn sent_along(hidden: &str) -> Option<Refusal> {
    const NAMES: [&str; 9] = ["action", "_action", "op", "operation", "do", "cmd", "command", "task", "intent"];
    let pairs = hidden.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, _)| NAMES.contains(name)).find_map(|(_, value)| command_in_path(&spaced(value))).map(broken)
}

/// The rule that an icon breaks. On a list item a cross removes the item, and an unlabelled control may do so.
fn of_picture(page: &Observation, element: ElementId, node: &Node) -> Option<Refusal> {
    let glyphs = glyph(if node.label().is_empty() { node.attribute("value") } else { node.label() });
    let icon = if node.icon.is_empty() { glyphs.unwrap_or_default() } else { node.icon.as_str() };
    if let Some(word) = picture(icon) {
        return Some(Refusal::new(rule_of(&word), word));
    }
    let is_of_an_item = || page.item(element).and_then(|item| page.node(item)).is_some_and(|item| !is_dialog(item));
    let is_field = matches!(node.tag.as_str(), "input" | "select" | "textarea")
        || matches!(node.role.as_str(), "checkbox" | "radio" | "switch" | "textbox" | "combobox" | "slider" | "tab");
    if is_field || !node.attribute("href").is_empty() || !label(node).is_empty() || !is_of_an_item() {
        return None;
    }
    match icon {
        "" => Some(Refusal::new(Rule::Deletes, "a control without a name")),
        cross
            if words(cross).iter().any(|word| matches!(word.as_str(), "close" | "x" | "times" | "cross" | "xmark")) =>
        {
            Some(Refusal::new(Rule::Deletes, "a cross"))
        }
        _ => None,
    }
}

/// The rule that the submit address of an element's form breaks.
pub(super) fn of_sending(page: &Observation, element: ElementId) -> Option<Refusal> {
    let address = sent_to(page, element);
    let form = form(page, element).and_then(|form| page.node(form));
    let is_post = form.is_some_and(|form| form.attribute("method").eq_ignore_ascii_case("post"));
    let binds = || binding(&spaced(path_of(&address))).map(|word| Refusal::new(Rule::Pays, word));
    of_address(&address).or_else(|| if is_post { binds() } else { None })
}

/// The address that a button submits its form to.
pub(super) fn sent_to(page: &Observation, button: ElementId) -> String {
    let own = page.node(button).map(|node| node.attribute("formaction")).filter(|own| !own.is_empty());
    let of_form = || Some(page.node(form(page, button)?)?.attribute("action"));
    own.or_else(of_form).unwrap_or_default().to_owned()
}

/// The deletion selected in a button's form: a ticked box or a list option.
fn chosen(page: &Observation, button: ElementId) -> Option<Refusal> {
    let form = form(page, button)?;
    let within = page.interactive().filter(|(id, _)| self::form(page, *id) == Some(form));
    let chosen = within.flat_map(|(_, node)| {
        let ticked = (node.states.checked == Some(true)).then(|| node.label());
        let options = node.options.iter().filter(|option| option.selected);
        let options = options.flat_map(|option| [&*option.label, &*option.value]);
        ticked.into_iter().chain(options).filter_map(deletion).collect::<Vec<_>>()
    });
    chosen.map(broken).next()
}

/// The rule that the words of an address break.
fn of_address(address: &str) -> Option<Refusal> {
    command_in_path(&spaced(path_of(address))).map(broken)
}
