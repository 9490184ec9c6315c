//! A site whose start page links to pages that do harm to whoever looks at them, each beside a good page that must be found
//! all the same.

use crate::site::Site;
use std::ops::Range;

/// A page that does harm.
#[derive(Clone, Debug)]
pub struct Hostile {
    /// What it does, which is the name of the link to it.
    pub name: &'static str,
    /// Its path on the site.
    pub path: String,
}

/// How many hostile pages there are.
pub const ALL: usize = 22;

/// Every hostile page with its content, by what it does.
fn pages() -> Vec<(&'static str, Content)> {
    vec![
        ("redirects in a circle", Content::Circle),
        ("sends the browser to and fro by script", Content::ToAndFro),
        ("refreshes without end", Content::page("<meta http-equiv=refresh content=0><p>again</p>")),
        ("navigates while it is looked at", Content::page(NAVIGATES)),
        ("changes its address without end", Content::page(PUSHES)),
        ("weighs ten megabytes", Content::Html(ten_megabytes())),
        ("has a hundred thousand elements", Content::Html(hundred_thousand())),
        ("grows without end", Content::page(GROWS)),
        ("holds frames without end", Content::page(FRAMES)),
        ("breaks its encoding", Content::Bytes(&[("content-type", "text/html; charset=utf-8")], broken())),
        (
            "names an encoding that there is none of",
            Content::Bytes(&[("content-type", "text/html; charset=klingon")], broken()),
        ),
        ("says that it is compressed", Content::Bytes(PACKED, b"<!doctype html><p>plain</p>".to_vec())),
        ("cuts characters in two", Content::page(SURROGATES)),
        ("closes itself", Content::page("<p>gone</p><script>window.open('', '_self'); window.close()</script>")),
        ("opens windows without end", Content::page(WINDOWS)),
        ("poisons prototypes", Content::page(POISON)),
        ("poisons what lists and objects rest on", Content::page(DEEP_POISON)),
        ("poisons what promises rest on", Content::page(PROMISE_POISON)),
        ("nests without end", Content::page(NESTS)),
        ("talks without end", Content::page("<p>a</p><script>for (;;) alert('again')</script>")),
        ("does not let go", Content::page(CLINGS)),
        ("never answers", Content::page("<p>a</p><script>setTimeout(() => { for (;;); }, 0)</script>")),
    ]
}

enum Content {
    /// The body of a document.
    Page(&'static str),
    /// The same, made at run time.
    Html(String),
    Bytes(&'static [(&'static str, &'static str)], Vec<u8>),
    /// Two addresses that redirect to one another.
    Circle,
    /// Two pages that open one another.
    ToAndFro,
}

impl Content {
    fn page(html: &'static str) -> Content {
        Content::Page(html)
    }
}

impl Content {
    /// Puts it into a site.
    fn at(self, site: Site, path: &str) -> Site {
        let other = format!("{}/other", path.trim_end_matches('/'));
        match self {
            Content::Page(html) => site.page(path, html),
            Content::Html(html) => site.page(path, &html),
            Content::Bytes(headers, bytes) => site.bytes(path, headers, bytes),
            Content::Circle => site.redirect(path, &other).redirect(&other, path),
            Content::ToAndFro => {
                let send = |to: &str| format!("<p>on to {to}</p><script>location.replace('{to}')</script>");
                site.page(path, &send(&other)).page(&other, &send(path))
            }
        }
    }
}

/// A site whose start page is the hostile one of this name, with good ones at the addresses that it may open.
///
/// # Panics
/// When there is no such page.
pub fn only(name: &str) -> Site {
    let found = pages().into_iter().find(|(other, _)| *other == name);
    let (_, content) = found.unwrap_or_else(|| panic!("there is no hostile page that {name}"));
    content.at(Site::new(), "/").page("/good", "<p id=good>good</p>")
}

/// A site with some of the hostile pages, and which these are. Beside each of them stands `/good/N`.
pub fn site(which: Range<usize>) -> (Site, Vec<Hostile>) {
    let mut site = Site::new();
    let mut index = String::from("<h1>Harmless</h1><ul>");
    let mut all = Vec::new();
    let pages = pages().into_iter().skip(which.start).take(which.len());
    for (number, (name, content)) in pages.enumerate() {
        let path = format!("/hostile/{number}");
        index += &format!("<li><a href={path}>{name}</a> <a href=/good/{number}>good page {number}</a></li>");
        site = site.page(&format!("/good/{number}"), &format!("<h1>Good page {number}</h1><p>the end</p>"));
        site = content.at(site, &path);
        all.push(Hostile { name, path });
    }
    (site.page("/", &format!("{index}</ul>")), all)
}

const NAVIGATES: &str =
    "<p>here</p><script>let n = 0; setInterval(() => { location.href = '?' + (n += 1); }, 20)</script>";
const PUSHES: &str =
    "<p>here</p><script>let n = 0; setInterval(() => history.pushState({}, '', '?' + (n += 1)), 50)</script>";
const GROWS: &str = "<p>grows</p><script>setInterval(() => { for (let i = 0; i < 50; i += 1) document.body.append(\
    Object.assign(document.createElement('p'), { textContent: 'p' + i })) }, 20)</script>";
/// Every frame holds the next one; Chromium stops a page only at a thousand.
const FRAMES: &str = "<p>frames</p><script>const n = +location.search.slice(1) || 0; const f = document.createElement('iframe'); \
    f.src = '?' + (n + 1); document.body.append(f)</script>";
const PACKED: &[(&str, &str)] = &[("content-type", "text/html"), ("content-encoding", "gzip")];
const SURROGATES: &str = "<p id=a title=x>p</p><button id=b>b</button><script>const half = '\\ud83d'; document.title = 'half ' + half; \
    a.textContent = half + ' text \\udc00'; b.textContent = 'button ' + half; b.title = half; b.setAttribute('aria-label', 'x' + half); \
    console.error('half ' + half); history.replaceState({}, '', '#' + half)</script>";
const WINDOWS: &str = "<p>windows</p><script>for (let i = 0; i < 20; i += 1) window.open('/good?' + i); \
    setInterval(() => window.open('/good?again'), 100)</script>";
/// A page that asks before it is left, whoever may have clicked on it.
const CLINGS: &str = "<p>stay</p><button>b</button><script>addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'stay' }); \
    addEventListener('pagehide', () => { const end = Date.now() + 300; while (Date.now() < end); })</script>";
/// Whatever a script may want of the page throws.
const POISON: &str = "<p>poison</p><button id=b>b</button><script>const bad = () => { throw new Error('poisoned') }; \
    for (const p of [Array.prototype, Map.prototype, Set.prototype, WeakMap.prototype, String.prototype, Element.prototype, \
      Node.prototype, Document.prototype, EventTarget.prototype, RegExp.prototype, Function.prototype, Promise.prototype, \
      Object.prototype, DOMRectReadOnly.prototype, MessagePort.prototype, MutationObserver.prototype, Animation.prototype, Symbol.prototype]) \
      for (const n of [...Object.getOwnPropertyNames(p), Symbol.iterator]) if (n !== 'constructor' || p === Promise.prototype) \
        try { const d = Object.getOwnPropertyDescriptor(p, n); if (d && d.get) Object.defineProperty(p, n, { get: bad }); \
          else if (typeof p[n] === 'function') p[n] = bad } catch {} \
    JSON.stringify = JSON.parse = bad; window.getComputedStyle = performance.now = document.querySelector = bad; \
    window.Map = window.Set = window.WeakMap = window.Promise = window.Proxy = window.Symbol = window.Reflect = bad; \
    window.setTimeout = window.requestAnimationFrame = bad</script>";
/// What a script uses without naming it: properties that objects and lists do not have themselves.
const DEEP_POISON: &str = "<p>poison</p><button id=b>b</button><script>const define = Object.defineProperty; \
    for (const n of ['toJSON', 'then', 'x', 'y', 'tag', 'key', 'kinds', 'wait', 'get', 'value', 'pending', 'waited', 'capture', 'child', 'element']) \
      define(Object.prototype, n, { get() { return () => { throw new Error('poisoned') } }, set() {}, configurable: true }); \
    for (let i = 0; i < 100; i += 1) define(Array.prototype, i, { get() { return 'poisoned' }, set() {}, configurable: true }); \
    define(Array.prototype, Symbol.iterator, { value() { throw new Error('poisoned') } })</script>";
/// Without promises, nothing can be awaited in the page.
const PROMISE_POISON: &str = "<p>poison</p><button id=b>b</button><script>const bad = () => { throw new Error('poisoned') }; \
    Object.defineProperty(Promise.prototype, 'constructor', { get: bad }); Promise.prototype.then = bad</script>";
const NESTS: &str = "<p>nests</p><script>let at = document.body; for (let i = 0; i < 2000; i += 1) \
    at = at.appendChild(document.createElement('div')); at.textContent = 'the deepest'</script>";

fn ten_megabytes() -> String {
    let text = "All work and no play makes a dull page. ".repeat(200_000);
    let megabyte = "x".repeat(1_000_000);
    format!(
        "<title>{megabyte}</title><p title='{megabyte}'>{text}</p><textarea>{megabyte}</textarea><a href=/>home</a>"
    )
}

fn hundred_thousand() -> String {
    let rows: String = (0..25_000).map(|row| format!("<div><p>row {row}</p><b>of {row}</b><i>x</i></div>")).collect();
    format!("<h1>Rows</h1>{rows}")
}

/// Bytes that are no text in any encoding that is said.
fn broken() -> Vec<u8> {
    let mut bytes = b"<!doctype html><title>b\xff\xfe\xc3</title><p>\xe2\x82 \xf0\x9f\x98 \x00 \xed\xa0\x80 ".to_vec();
    bytes.extend((128u8..=255).chain(1..32));
    bytes.extend_from_slice(b"</p><button title='\xc3'>b\xff</button>");
    bytes
}
