//! The ways out of the scope, as data: each line of `ways/*.txt` is one, and says what a page or an answer does.

use super::raw;
use std::sync::LazyLock;

/// How a way is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A script on a page beside others.
    Script,
    /// Markup that a script puts into a page beside others.
    Html,
    /// A document of its own in a frame.
    Frame,
    /// A document of its own at the top.
    Page,
    /// A control that must be pressed.
    Press,
    /// An answer, and who asks for it: `answer` is a frame, `visited` the top, others are what their name says.
    Answer(&'static str),
    /// A script that runs when a name has moved to this address.
    Rebind(&'static str),
    /// A script for every port of the program's own.
    Port,
    /// Bytes sent to the gate by a neighbour process.
    Raw,
    /// What a client of the program itself is led to: `robots`, `reset` or `model`.
    Client,
}

/// One way out.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Its number, by which the canary knows it.
    pub number: usize,
    /// What it is called in results.
    pub name: &'static str,
    /// How it is tried.
    pub kind: Kind,
    /// What is done, with placeholders.
    pub what: &'static str,
    /// What the site answers for it: the answer itself, or a script that it registers.
    pub answer: &'static str,
}

/// Where the ways of one run lead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target {
    /// Whether the site and the canary are asked over https.
    pub encrypted: bool,
    /// Which run it is; the canary tells runs apart by it.
    pub run: usize,
}

/// The canary's usual host and port.
pub const CANARY: &str = "127.0.0.1:8080";
/// The first of the ports that belong to one way alone.
pub const ALONE: usize = 9000;

const FILES: [&str; 5] = [
    include_str!("ways/navigating.txt"),
    include_str!("ways/loading.txt"),
    include_str!("ways/scripts.txt"),
    include_str!("ways/answers.txt"),
    include_str!("ways/pressed.txt"),
];

/// All of them; the number of a way is its index.
pub static ALL: LazyLock<Vec<Way>> = LazyLock::new(|| {
    let mut all: Vec<Way> = Vec::new();
    let mut add = |name: &'static str, kind: Kind, text: &'static str| {
        let (what, answer) = match (kind, text.find(" // 200;;")) {
            (Kind::Answer(_), _) => ("", text),
            (_, Some(at)) => (&text[..at], &text[at + 4..]),
            (_, None) => (text, ""),
        };
        all.push(Way { number: all.len(), name, kind, what, answer });
    };
    for [name, host] in lines(include_str!("ways/addresses.txt")) {
        add(name, Kind::Script, leaked(format!("fetch('SCHEME://{host}PATH', {{mode: 'no-cors'}}).catch(() => 0)")));
        let framed = leaked(format!("{name}, a frame"));
        add(framed, Kind::Html, leaked(format!("<iframe src='SCHEME://{host}PATH'></iframe>")));
    }
    for [name, kind, what] in FILES.iter().flat_map(|file| lines(file)) {
        add(name, kind_of(kind), what);
    }
    for [name, address, what] in lines(include_str!("ways/rebinding.txt")) {
        add(name, Kind::Rebind(address), what);
    }
    for [name, what] in lines(include_str!("ways/driver.txt")) {
        add(name, Kind::Port, what);
    }
    for name in raw::names() {
        add(name, Kind::Raw, "");
    }
    for name in ["robots", "reset", "model"] {
        add(name, Kind::Client, "");
    }
    all
});

/// The way of a name.
///
/// # Panics
/// When there is none.
pub fn named(name: &str) -> &'static Way {
    ALL.iter().find(|way| way.name == name).unwrap_or_else(|| panic!("there is no way `{name}`"))
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The lines of a list, in so many parts.
fn lines<const PARTS: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; PARTS]> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| {
        let parts: Vec<&str> = line.splitn(PARTS, " | ").map(str::trim).collect();
        parts.try_into().unwrap_or_else(|_| panic!("a way has {PARTS} parts: {line}"))
    })
}

fn kind_of(word: &'static str) -> Kind {
    match word {
        "script" => Kind::Script,
        "html" => Kind::Html,
        "frame" => Kind::Frame,
        "page" => Kind::Page,
        "press" => Kind::Press,
        other => Kind::Answer(other),
    }
}

impl Way {
    /// By what name pages and the canary know it.
    pub fn id(&self) -> String {
        format!("w{}", self.number)
    }

    /// What is written on its control.
    pub fn key(&self) -> String {
        format!("Walk {}", self.number)
    }

    /// The port that belongs to it alone.
    pub fn port(&self) -> usize {
        ALONE + self.number
    }

    /// Its path at the canary.
    pub fn path(&self, target: Target) -> String {
        format!("/canary/{}/{}", target.run, self.id())
    }

    /// Its address at the canary.
    pub fn to(&self, target: Target) -> String {
        format!("{}://{CANARY}{}", scheme(target.encrypted), self.path(target))
    }

    /// A text with its placeholders filled in.
    pub fn fill(&self, text: &str, target: Target) -> String {
        let (usual, other) = (scheme(target.encrypted), scheme(!target.encrypted));
        let (id, path) = (self.id(), self.path(target));
        let alone = format!("127.0.0.1:{}", self.port());
        let sockets = format!("{}://{CANARY}{path}", if target.encrypted { "wss" } else { "ws" });
        let all: [(&str, &str); 15] = [
            ("OTHERPORT", if target.encrypted { "80" } else { "443" }),
            ("OTHERSCHEME", other),
            ("HOSTPATH", &format!("{CANARY}{path}")),
            ("ALONEHOST", &alone),
            ("ALONE", &format!("{usual}://{alone}")),
            ("ANSWER", &format!("/answer/{id}")),
            ("SCHEME", usual),
            ("HOST", CANARY),
            ("PATH", &path),
            ("UDPPORT", &self.port().to_string()),
            ("UDP", &alone),
            ("WS", &sockets),
            ("TO", &self.to(target)),
            ("ID", &id),
            ("KEY", &self.key()),
        ];
        all.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

/// The scheme of addresses.
pub fn scheme(encrypted: bool) -> &'static str {
    if encrypted { "https" } else { "http" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_way_has_a_name_of_its_own_and_leads_somewhere() {
        let names: BTreeSet<&str> = ALL.iter().map(|way| way.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.len() >= 150, "{}", ALL.len());
        for way in ALL.iter() {
            let filled = way.fill(&format!("{}{}", way.what, way.answer), Target { encrypted: true, run: 7 });
            let leads = ["/canary/7/", "127.0.0.1:9", "127.0.0.1 9", "MOVED", "PORT", "/go/", "/step/", "/rules/"];
            let is_ours = matches!(way.kind, Kind::Raw | Kind::Client);
            assert!(is_ours || leads.iter().any(|part| filled.contains(part)), "{}: {filled}", way.name);
        }
    }
}
