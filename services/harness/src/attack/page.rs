//! The pages of the hostile site.

use super::ways::{ALL, Kind, Target, Way};
use serde_json::{Value, json};

/// Ways on one page.
const TOGETHER: usize = 12;
/// Controls on one page: whoever presses them all does it in one task.
const CONTROLS: usize = 6;

/// A page that tries ways by itself, or has them on its controls.
#[derive(Clone, Debug)]
pub struct Room {
    /// Its path.
    pub path: String,
    /// Its ways.
    pub ways: Vec<&'static Way>,
    /// Whether its controls must be pressed.
    pub pressed: bool,
}

/// The pages with these ways. `floor` tells their paths from those of others.
pub fn rooms(floor: &str, wanted: impl Fn(&Way) -> bool) -> Vec<Room> {
    let of = |fits: &dyn Fn(Kind) -> bool| -> Vec<&'static Way> {
        ALL.iter().filter(|way| wanted(way) && fits(way.kind)).collect()
    };
    let mut beside = of(&|kind| match kind {
        Kind::Script | Kind::Html | Kind::Frame | Kind::Rebind(_) => true,
        Kind::Answer(by) => by != "visited",
        _ => false,
    });
    // A window takes the visitor away from the page that opened it, and what the page still has to try.
    beside.sort_by_key(|way| way.what.contains("open("));
    let own = of(&|kind| matches!(kind, Kind::Page | Kind::Answer("visited")));
    let pressed = of(&|kind| kind == Kind::Press);
    let mut rooms = Vec::new();
    for (number, ways) in beside.chunks(TOGETHER).enumerate() {
        rooms.push(Room { path: format!("/room/{floor}{number}"), ways: ways.to_vec(), pressed: false });
    }
    for (number, ways) in pressed.chunks(CONTROLS).enumerate() {
        rooms.push(Room { path: format!("/press/{floor}{number}"), ways: ways.to_vec(), pressed: true });
    }
    for way in own {
        let path = if way.kind == Kind::Page { "page" } else { "answer" };
        rooms.push(Room { path: format!("/{path}/{}", way.id()), ways: vec![way], pressed: false });
    }
    rooms
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title><link rel=icon href=data:,></head>\
         <body><h1>{title}</h1>{body}</body></html>"
    )
}

/// The page that links to all others.
pub fn index(rooms: &[Room]) -> String {
    let link = |room: &Room| format!("<li><a href='{}'>{}</a></li>", room.path, title(room));
    document("House", &format!("<ul>{}</ul>", rooms.iter().map(link).collect::<String>()))
}

fn title(room: &Room) -> String {
    let names: Vec<&str> = room.ways.iter().map(|way| way.name).take(3).collect();
    format!("Room {}: {}", room.path.rsplit('/').next().unwrap_or_default(), names.join(", "))
}

/// Tells the site that a way is tried now. A `var`, by which frames of the page reach it as `parent.tried`.
const TRIED: &str = "var tried = id => fetch('/tried/' + id, {keepalive: true}).catch(() => 0);";

/// Tries the ways of a page one after the other.
const TRIES: &str = r#"
const pause = time => new Promise(done => setTimeout(done, time));
const add = (tag, values) => document.body.append(Object.assign(document.createElement(tag), values));
const by = {
  script: way => new Function(way.what)(),
  html: way => document.body.append(document.createRange().createContextualFragment(way.what)),
  frame: way => add('iframe', {src: '/frame/' + way.id}),
  answer: way => add('iframe', {src: '/answer/' + way.id}),
  reply: way => fetch('/answer/' + way.id).catch(() => 0),
  post: way => fetch('/answer/' + way.id, {method: 'POST', body: 'a'}).catch(() => 0),
  picture: way => add('img', {src: '/answer/' + way.id}),
  loaded: way => add('script', {src: '/answer/' + way.id}),
  module: way => import('/answer/' + way.id).catch(() => 0),
  style: way => document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: '/answer/' + way.id})),
  events: way => { const events = new EventSource('/answer/' + way.id); setTimeout(() => events.close(), 900) },
  worker: way => new Worker('/answer/' + way.id),
  socket: way => new WebSocket(location.origin.replace('http', 'ws') + '/answer/' + way.id),
  rebind: async way => {
    await fetch(way.name + '/x', {mode: 'no-cors'}).catch(() => 0);
    await fetch('/moved/' + way.id);
    await tried(way.id);
    new Function(way.what)();
  },
};
(async () => {
  for (const way of ways) {
    if (way.by !== 'rebind') await tried(way.id);
    try { await by[way.by](way) } catch {}
    await pause(way.navigates ? 250 : 90);
  }
  await pause(400);
  add('button', {textContent: 'Done', onclick: () => document.body.append('Finished')});
  fetch('/done' + location.pathname);
})();
"#;

/// A page that tries its ways by itself. `name` is the name that a way moves, by the way.
pub fn room(room: &Room, target: Target, name: impl Fn(&Way) -> String) -> String {
    let told = |way: &&'static Way| -> Value {
        let by = match way.kind {
            Kind::Script => "script",
            Kind::Html => "html",
            Kind::Frame => "frame",
            Kind::Rebind(_) => "rebind",
            Kind::Answer(by) => by,
            _ => "none",
        };
        let name = name(way);
        let what = way.fill(way.what, target).replace("MOVED", &format!("{name}{}", way.path(target)));
        let navigates = way.what.contains("location") || way.what.contains("open(") || way.what.contains("submit");
        json!({"id": way.id(), "by": by, "what": what, "name": name, "navigates": navigates})
    };
    // `<` is written otherwise, so that nothing ends the script.
    let ways = Value::from(room.ways.iter().map(told).collect::<Vec<_>>()).to_string().replace('<', "\\u003c");
    document(&title(room), &format!("<script>{TRIED} const ways = {ways};{TRIES}</script>"))
}

/// A page with controls.
pub fn controls(room: &Room, target: Target) -> String {
    let one = |way: &&'static Way| format!("<div data-way={}>{}</div>", way.id(), way.fill(way.what, target));
    let tells = "addEventListener('click', event => { const at = event.target.closest('[data-way]'); if (at) tried(at.dataset.way) }, true)";
    let all: String = room.ways.iter().map(one).collect();
    document(&title(room), &format!("<script>{TRIED} {tells};</script>{all}"))
}

/// The document of a way that has one of its own, in a frame or at the top.
pub fn own(way: &Way, target: Target) -> String {
    let what = way.fill(way.what, target);
    let begin = format!("<script>{TRIED} tried('{}')</script>", way.id());
    let end = match way.kind {
        Kind::Page => "<script>setTimeout(() => fetch('/done' + location.pathname), 700)</script><button>Done</button>",
        _ => "",
    };
    match what.contains("<frameset") {
        true => format!("<!doctype html><html><head><meta charset=utf-8>{begin}</head>{what}</html>"),
        false => format!(
            "<!doctype html><html><head><meta charset=utf-8><title>{}</title>{begin}</head><body>{what}{end}</body></html>",
            way.name
        ),
    }
}

/// A page that tries something on every port of the program's own.
pub fn ports(ways: &[&'static Way], target: Target) -> String {
    let told = |way: &&&'static Way| json!({"id": way.id(), "what": way.fill(way.what, target)});
    let ways = Value::from(ways.iter().map(|way| told(&way)).collect::<Vec<_>>()).to_string().replace('<', "\\u003c");
    let tries = "(async () => {
      for (const way of ways) for (const port of await (await fetch('/ports')).json()) {
        await tried(way.id);
        try { await new Function(way.what.replaceAll('PORT', port))() } catch {}
        await pause(60);
      }
      await pause(400);
      document.body.append(Object.assign(document.createElement('button'), {textContent: 'Done', onclick: () => document.body.append('Finished')}));
      fetch('/done' + location.pathname);
    })();";
    let pause = "const pause = time => new Promise(done => setTimeout(done, time));";
    document("Harbour office", &format!("<script>{TRIED} {pause} const ways = {ways};{tries}</script>"))
}
