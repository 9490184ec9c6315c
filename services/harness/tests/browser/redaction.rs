//! A secret in every form at every place of a page, over both wires: nothing of it leaves the browser room, neither in words nor in
//! pictures. What only looks like a secret stays as it is.
//!
//! Writes its parts of `target/results/redaction.json`.

use crate::kit::{Stage, options};
use browser::Protocol;
use domain::geometry::Rect;
use domain::{Action, Observation, Page};
use harness::redaction::{AWKWARD, Form, ORDINARY, Part, Tally, forms, look_alikes};
use harness::site::Site;
use image::RgbaImage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const REFERENCE: &str = "${secret:password}";

/// A page that shows a text at every place that it has; `SAID` is the text as JSON.
const EVERYWHERE: &str = r##"<style>body{font:16px monospace;margin:20px} div{width:max-content}</style>
<meta name=description content=x><div id=text></div><input id=field aria-label=Field><select id=list aria-label=List></select>
<div style="position:absolute;top:2000px;left:2500px;width:9px;height:9px"></div>
<a id=link>Link</a><img id=image width=20 height=20 src="data:,"><button id=say>Say</button><a id=load href="data:text/plain,x">Load</a>
<script>
const said = SAID;
text.textContent = said;
field.value = field.placeholder = said;
list.append(new Option(said, said));
document.title = 'Title ' + said;
document.querySelector('meta[name=description]').content = said;
link.title = said;
link.setAttribute('data-testid', said);
link.ariaLabel = 'Link ' + said;
image.alt = said;
history.replaceState(null, '', '?said=' + said + '#' + said);
link.href = '/there?said=' + said;
say.onclick = () => alert('Dialog ' + said);
load.download = said;
console.error('console ' + said);
console.error({ said });
fetch('/asked?said=' + said, { headers: { 'x-said': encodeURIComponent(said) } });
setTimeout(() => { throw new Error('thrown ' + said); });
</script>"##;

/// A page that says what is typed with each key.
const GROWING: &str = r#"<style>body{font:16px monospace;margin:20px} li,p{width:max-content}</style><label>Word <input type=password id=field></label><ul id=list></ul><p id=all></p><p id=code></p><p id=single></p>
<button id=other>Other</button><script>
field.oninput = () => {
  const echo = field.value;
  list.append(Object.assign(document.createElement('li'), { textContent: echo, title: echo }));
  all.textContent += ' ' + echo;
  code.textContent = btoa(unescape(encodeURIComponent(echo)));
  document.title = echo;
  history.replaceState(null, '', '#typed=' + encodeURIComponent(echo));
  console.error('typed ' + echo);
  fetch('/typed?is=' + encodeURIComponent(echo));
};
field.onkeydown = (event) => {
  // What the field held is selected with Control+A before; that letter is not typed.
  if (event.key.length > 1 || event.ctrlKey) return;
  fetch('/key?is=' + encodeURIComponent(event.key));
  console.error('key ' + event.key);
  single.append(Object.assign(document.createElement('b'), { textContent: event.key }));
};
</script>"#;

/// A page that spells a text, a letter an element.
const SPELLED: &str = r#"<style>body{font:20px monospace;margin:20px} li,p{width:max-content}</style><p id=inline></p><ol id=items></ol><select id=list aria-label=List></select>
<script>
for (const letter of SAID) {
  inline.append(Object.assign(document.createElement('b'), { textContent: letter, title: letter }));
  items.append(Object.assign(document.createElement('li'), { textContent: letter }));
  list.append(new Option(letter, letter));
}
</script>"#;

fn page(template: &str, said: &str) -> String {
    template.replace("SAID", &json!(said).to_string().replace("</", "<\\/"))
}

/// The forms of a secret, to be looked for.
struct Search(Vec<Form>);

impl Search {
    /// What stands around the secret in a text, in whatever form, escaped once more by an address or not.
    fn find(&self, text: &str) -> Option<String> {
        let mut text = text.to_owned();
        for _ in 0..3 {
            let found = self.0.iter().find_map(|form| Some((text.find(&form.text)?, form.text.len())));
            if found.is_some() {
                return Some(text);
            }
            let decoded = decoded(&text);
            if decoded == text {
                break;
            }
            text = decoded;
        }
        None
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (first, escape) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Every text of an observation, by its place.
fn places(seen: &Observation) -> BTreeMap<&'static str, Vec<String>> {
    let mut places: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let mut add = |place: &'static str, text: &str| places.entry(place).or_default().push(text.to_owned());
    add("title", &seen.title);
    add("title", &seen.description);
    add("address", &seen.url);
    seen.tabs.iter().for_each(|tab| add("address", &tab.url));
    seen.frames.iter().for_each(|frame| add("address", &frame.url));
    seen.requests.iter().for_each(|request| add("header", &request.url));
    for fault in &seen.faults {
        add("console", &fault.message);
        add("console", &fault.source);
    }
    for node in &seen.nodes {
        add("text", &node.text);
        add("text", node.value.as_deref().unwrap_or_default());
        add("attribute", &node.name);
        node.attributes.iter().for_each(|(_, text)| add("attribute", text));
        for option in &node.options {
            add("text", &option.label);
            add("attribute", &option.value);
        }
    }
    // And whatever has no place of its own.
    add("text", &serde_json::to_string(seen).unwrap());
    places
}

fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_of).collect(),
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| [vec![name.clone()], texts_of(value)].concat()).collect()
        }
        _ => Vec::new(),
    }
}

/// Pixels of a box, and those of them that are not painted over.
fn bare(picture: &RgbaImage, bounds: &Rect) -> (usize, usize) {
    let (right, bottom) =
        (bounds.right().min(f64::from(picture.width())), bounds.bottom().min(f64::from(picture.height())));
    let pixels: Vec<bool> = (bounds.y.max(0.0) as u32 + 1..bottom as u32)
        .flat_map(|y| (bounds.x.max(0.0) as u32 + 1..right as u32).map(move |x| (x, y)))
        .map(|(x, y)| picture.get_pixel(x, y).0 != [40, 40, 40, 255])
        .collect();
    (pixels.len(), pixels.iter().filter(|is_bare| **is_bare).count())
}

/// The boxes of elements, by a selector.
async fn boxes(stage: &mut Stage, selector: &str) -> Vec<Rect> {
    let expression = format!(
        "[...document.querySelectorAll({})].filter((e) => (e.matches('input') ? e.value : e.textContent).trim()).map((e) => (({{x, y, width, height}}) => ({{x, y, width, height}}))(e.getBoundingClientRect()))",
        json!(selector)
    );
    serde_json::from_value(stage.page.evaluate(&expression).await.unwrap()).unwrap()
}

async fn looked_at_picture(stage: &mut Stage, selector: &str, form: &str, wire: &str, part: &mut Part) {
    let boxes = boxes(stage, selector).await;
    let png = stage.page.screenshot().await.unwrap().png;
    let picture = image::load_from_memory(&png).unwrap().to_rgba8();
    let (mut all, mut missed) = (0, 0);
    for bounds in boxes.iter().filter(|bounds| bounds.width > 2.0 && bounds.bottom() < f64::from(picture.height())) {
        let (pixels, not_painted) = bare(&picture, bounds);
        all += pixels;
        missed += not_painted;
    }
    assert!(all > 100, "{form}: nothing to look at in the picture");
    part.pixels += all;
    part.bare_pixels += missed;
    let leak = (missed > 0).then(|| format!("{missed} of {all} pixels of {selector} are not painted over"));
    part.looked(form, "picture", wire, leak);
}

async fn everywhere(wire: Protocol, called: &str, secret: &str) -> Part {
    let forms = forms(secret);
    let mut site = Site::new().page("/", "<p>starting</p>");
    for (number, form) in forms.iter().enumerate() {
        site = site.page(&format!("/{number}"), &page(EVERYWHERE, &form.text));
    }
    let mut stage = Stage::knowing(options(wire), site, secret).await;
    let search = Search(forms.clone());
    let mut part = Part::default();
    let mut referred: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, form) in forms.iter().enumerate() {
        stage.page.open(&stage.site.url(&format!("/{number}")).parse().unwrap()).await.unwrap();
        stage.seen = stage.page.observe().await.unwrap();
        let mut found = places(&stage.seen);
        let examined = stage.page.examine().await.unwrap();
        let texts = examined.texts.iter().chain(&examined.written).map(|text| text.text.clone());
        found.entry("text").or_default().extend(texts);
        let value =
            stage.page.evaluate("({said, within: [{said}], html: document.body.outerHTML.length})").await.unwrap();
        found.insert("value", texts_of(&value));
        let thrown = stage.page.evaluate("(() => { throw new Error(said) })()").await.unwrap_err();
        found.insert("error", vec![thrown.to_string()]);
        looked_at_picture(&mut stage, "#text, #field, #list", form.name, called, &mut part).await;
        stage.seen = stage.page.observe().await.unwrap();
        stage.click("load").await;
        found.insert("file name", stage.seen.downloads.clone());
        let acted = stage.click("say").await;
        let dialog = acted.observation.dialog.as_ref().map(|dialog| dialog.message.clone()).unwrap_or_default();
        found.insert("dialog", vec![dialog, format!("{:?}{:?}", acted.effect, acted.difference)]);
        stage.act(Action::AcceptDialog { text: None }).await;
        for (place, texts) in &found {
            part.looked(form.name, place, called, texts.iter().find_map(|text| search.find(text)));
            *referred.entry(place).or_default() += usize::from(texts.iter().any(|text| text.contains(REFERENCE)));
        }
    }
    stage.close().await;
    eprintln!("{called}: of {} forms the reference stands in {referred:?}", forms.len());
    // Where the secret was, its reference is: it was there and was taken out. Of names of files, browsers make others.
    // Addresses end at some signs.
    for (place, count) in &referred {
        let least = if ["file name", "address", "header"].contains(place) { forms.len() / 2 } else { forms.len() };
        assert!(*count >= least, "{place}: {count} of {}", forms.len());
    }
    part
}

async fn growing(wire: Protocol, called: &str, secret: &str) -> Part {
    let mut stage = Stage::knowing(options(wire), Site::new().page("/", GROWING), secret).await;
    let mut part = Part::default();
    let letters: Vec<char> = secret.chars().collect();
    // From three letters on it is more than chance; fewer stand in much.
    let beginnings: Vec<String> = (3..=letters.len()).map(|length| letters[..length].iter().collect()).collect();
    let is_told = |text: &str| {
        let text = decoded(text);
        let told = beginnings.iter().find(|beginning| text.contains(beginning.as_str()));
        told.map(|_| text.clone())
    };
    let acted = stage.type_in("field", REFERENCE).await;
    assert!(!stage.site.requests().iter().any(|line| line == "GET /typed?is="), "it was typed");
    assert!(stage.site.requests().len() > letters.len(), "{:?}", stage.site.requests());
    let mut first = places(&acted.observation);
    first.insert("effect", vec![format!("{:?}{:?}", acted.effect, acted.difference)]);
    looked_at_picture(&mut stage, "li, #all, #single b", "growing", called, &mut part).await;
    stage.seen = stage.page.observe().await.unwrap();
    let left = stage.click("other").await;
    let mut later = places(&left.observation);
    later.insert(
        "value",
        texts_of(&stage.page.evaluate("[...list.children].map((item) => item.textContent)").await.unwrap()),
    );
    stage.seen = stage.page.observe().await.unwrap();
    for (form, found) in [("growing", first), ("growing, after the field was left", later)] {
        for (place, texts) in &found {
            part.looked(form, place, called, texts.iter().find_map(|text| is_told(text)));
        }
    }
    let keys: String = acted
        .observation
        .requests
        .iter()
        .filter_map(|request| request.url.split("/key?is=").nth(1))
        .map(decoded)
        .collect();
    let bare: String = secret.split_whitespace().collect();
    part.looked("key by key", "header", called, keys.contains(&bare).then_some(keys));
    let said = acted.observation.faults.iter().filter_map(|fault| fault.message.split("key ").nth(1));
    let said: String = said.flat_map(str::chars).filter(|sign| !sign.is_whitespace()).collect();
    part.looked("key by key", "console", called, said.contains(&bare).then_some(said));
    let shown: String = stage.seen.nodes.iter().filter(|node| node.tag == "b").map(|node| node.text.as_str()).collect();
    part.looked("key by key", "text", called, shown.contains(&bare).then_some(shown));
    stage.close().await;
    part
}

async fn spelled(wire: Protocol, called: &str, secret: &str) -> Part {
    let backwards: String = secret.chars().rev().collect();
    let site = Site::new().page("/", &page(SPELLED, secret)).page("/back", &page(SPELLED, &backwards));
    let mut stage = Stage::knowing(options(wire), site, secret).await;
    let mut part = Part::default();
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    for (form, path) in [("spelled over nodes", "/"), ("spelled over nodes backwards", "/back")] {
        stage.page.open(&stage.site.url(path).parse().unwrap()).await.unwrap();
        stage.seen = stage.page.observe().await.unwrap();
        let gives_away = |text: String| {
            let text = bare(&text);
            (text.contains(&bare(secret)) || text.contains(&bare(&backwards))).then_some(text)
        };
        let nodes = &stage.seen.nodes;
        let of_tag =
            |tag: &str| nodes.iter().filter(|node| node.tag == tag).map(|node| node.text.as_str()).collect::<String>();
        let titles: String = nodes.iter().map(|node| node.attribute("title")).collect();
        let options: String = nodes.iter().flat_map(|node| &node.options).map(|option| option.label.as_str()).collect();
        let everything: String = nodes.iter().map(|node| node.text.as_str()).collect();
        let texts = [of_tag("b"), of_tag("li"), of_tag("p"), options, everything];
        part.looked(form, "text", called, texts.into_iter().find_map(gives_away));
        part.looked(form, "attribute", called, gives_away(titles));
        let examined = stage.page.examine().await.unwrap();
        part.looked(form, "value", called, examined.texts.into_iter().find_map(|text| gives_away(text.text)));
        looked_at_picture(&mut stage, "b, li", form, called, &mut part).await;
    }
    stage.close().await;
    part
}

async fn alike(wire: Protocol, secret: &str) -> Part {
    let texts = look_alikes(secret);
    let html: String = texts.iter().map(|_| "<p></p>").collect();
    let script = format!(
        "document.querySelectorAll('p').forEach((p, at) => p.textContent = {}[at])",
        json!(texts).to_string().replace("</", "<\\/")
    );
    let stage =
        Stage::knowing(options(wire), Site::new().page("/", &format!("{html}<script>{script}</script>")), secret).await;
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: std::collections::BTreeSet<String> = stage.seen.nodes.iter().map(|node| fold(&node.text)).collect();
    let changed: Vec<&String> = texts.iter().filter(|text| !shown.contains(&fold(text))).collect();
    eprintln!("{} of {} look-alikes changed: {changed:?}", changed.len(), texts.len());
    let (look_alikes, kept) = (texts.len(), texts.len() - changed.len());
    stage.close().await;
    Part { look_alikes, kept, ..Part::default() }
}

async fn measure(wire: Protocol, called: &str, secret: &str, name: &str) {
    let mut part = Box::pin(everywhere(wire, called, secret)).await;
    part.add(Box::pin(growing(wire, called, secret)).await);
    part.add(Box::pin(spelled(wire, called, secret)).await);
    part.add(Box::pin(alike(wire, secret)).await);
    Tally::put(&format!("pages, {called}, {name}"), part.clone()).unwrap();
    assert!(part.leaks.is_empty(), "{} of {} combinations: {:#?}", part.leaks.len(), part.combinations, part.leaks);
    assert!(part.kept * 100 >= part.look_alikes * 99, "{} of {} look-alikes stayed", part.kept, part.look_alikes);
}

#[tokio::test]
async fn redaction_of_an_ordinary_secret_in_every_form_over_bidi() {
    measure(Protocol::Bidi, "bidi", ORDINARY, "ordinary").await;
}

#[tokio::test]
async fn redaction_of_an_ordinary_secret_in_every_form_over_classic() {
    measure(Protocol::Classic, "classic", ORDINARY, "ordinary").await;
}

#[tokio::test]
async fn redaction_of_an_awkward_secret_in_every_form_over_bidi() {
    measure(Protocol::Bidi, "bidi", AWKWARD, "awkward").await;
}

#[tokio::test]
async fn redaction_of_an_awkward_secret_in_every_form_over_classic() {
    measure(Protocol::Classic, "classic", AWKWARD, "awkward").await;
}
