//! The vocabulary in which Harbour is declared: pages made of blocks, panels that show one view of a page, forms,
//! destructive actions, traps. `derive` derives states and transitions from these, and the server (`pages`) renders its
//! pages from them.

use serde::Serialize;

/// Who looks at the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Nobody has signed in.
    Guest,
    /// A customer has.
    Customer,
    /// Somebody of the staff has.
    Admin,
}

/// All roles.
pub const EVERYBODY: &[Role] = &[Role::Guest, Role::Customer, Role::Admin];

/// A page of the site. What is declared here is what is drawn.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its name in the truth.
    pub id: &'static str,
    /// Its path; `{}` stands for a part that names the data shown.
    pub path: &'static str,
    /// An address at which everybody of its roles finds it; none where only a way leads there.
    pub address: Option<&'static str>,
    /// A heading that the page has whatever data it shows.
    pub heading: &'static str,
    /// The navigation around it.
    pub frame: Frame,
    /// Who can see it.
    pub roles: &'static [Role],
    /// The refusal that it shows beside a field: the name of the field, and what is said.
    pub alert: Option<(&'static str, &'static str)>,
    /// The content security policy it is sent with.
    pub policy: Option<&'static str>,
    /// The status it is sent with.
    pub status: u16,
    /// Its content.
    pub blocks: Vec<Block>,
}

/// The navigation around a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The shop's.
    Shop,
    /// Nothing but the way back to the cart.
    Checkout,
    /// That of the services.
    Services,
    /// That of the client-side part.
    Workshop,
    /// That of the help pages.
    Help,
    /// That of a customer's own pages.
    Account,
    /// That of the staff.
    Admin,
    /// None: the page is shown within others.
    Embedded,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(&'static str),
    /// Markup without controls.
    Html(&'static str),
    /// A link to a state.
    Link(Link),
    /// Links that do the same to other data: label and address of each, all to one of the states.
    Cards(Vec<(&'static str, &'static str)>, &'static str),
    /// A form.
    Form(Form),
    /// Tabs; the first is shown unless another is chosen.
    Tabs(Vec<Panel>),
    /// Sections of which at most one is open.
    Sections(Vec<Panel>),
    /// Steps of which one is shown; their own buttons lead on.
    Steps(Vec<Panel>),
    /// A button and the modal dialog that it opens.
    Dialog(&'static str, Panel),
    /// A button that shows a view of this page; empty for the page itself.
    Go(&'static str, &'static str),
    /// A button that asks the server and shows a view when it answers, another when it does not.
    Ask(Ask),
    /// A field with suggestions, which appear as one types.
    Suggest(Suggest),
    /// A date field with a button that opens a calendar.
    Picker(Picker),
    /// Something that must not be done by somebody who only looks around.
    DestructiveAction(DestructiveAction),
    /// A way that must not be gone.
    Trap(Trap),
    /// Another page within this one.
    Embed(Embed),
    /// Blocks within an open shadow root.
    Shadow(Vec<Block>),
    /// A seeded fault, by its name.
    Fault(&'static str),
    /// A button that changes data but not what can be done.
    Still(&'static str),
    /// Something with a life of its own.
    Living(Living),
}

/// A link to a state.
#[derive(Clone, Debug)]
pub struct Link {
    /// What it is called.
    pub label: &'static str,
    /// The states that it may lead to.
    pub to: Vec<&'static str>,
    /// Its address, where that is not the state's own.
    pub href: Option<&'static str>,
    /// Whether it opens a new tab.
    pub new_tab: bool,
}

/// One view of a page.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its name within the page.
    pub view: &'static str,
    /// The name of its tab, section or dialog, or its heading.
    pub label: &'static str,
    /// Its content.
    pub blocks: Vec<Block>,
}

/// A button that asks the server.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What it is called.
    pub label: &'static str,
    /// What is asked.
    pub from: &'static str,
    /// What is shown then.
    pub shown: Panel,
    /// What is shown when the server fails.
    pub failed: Option<Panel>,
}

/// A field with suggestions.
#[derive(Clone, Debug)]
pub struct Suggest {
    /// What it is called.
    pub label: &'static str,
    /// The view in which they are shown.
    pub view: &'static str,
    /// Label and address of each.
    pub items: Vec<(&'static str, &'static str)>,
    /// Where they lead.
    pub to: &'static str,
}

/// A date field with a calendar.
#[derive(Clone, Debug)]
pub struct Picker {
    /// What it is called.
    pub label: &'static str,
    /// The view in which the calendar is open.
    pub view: &'static str,
}

/// A control that does something destructive.
#[derive(Clone, Debug)]
pub struct DestructiveAction {
    /// What the control is called.
    pub label: &'static str,
    /// How it looks.
    pub look: DestructiveStyle,
    /// What it does.
    pub kind: DestructiveKind,
    /// Where the request goes.
    pub path: &'static str,
    /// What the browser asks before; the view of the page in which it does.
    pub asks: Option<(&'static str, &'static str)>,
}

/// How a destructive control looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestructiveStyle {
    /// A button with its name on it.
    Button,
    /// A button with an icon on it; its name is for screen readers.
    Icon,
    /// A plain link.
    Link,
}

/// What a destructive control does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DestructiveKind {
    /// Something is gone.
    Delete,
    /// Money is spent.
    Pay,
    /// Somebody else gets a message.
    Send,
    /// The session ends.
    LogOut,
}

/// A way that must not be gone.
#[derive(Clone, Debug)]
pub struct Trap {
    /// What it is called.
    pub label: &'static str,
    /// Where it leads; `{offsite}` stands for the other origin.
    pub href: &'static str,
    /// How.
    pub by: By,
}

/// How a trap leads away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A link.
    Link,
    /// A link that opens a new tab.
    NewTab,
    /// A button whose script goes there.
    Script,
    /// A form that is sent there.
    Form,
}

/// Another page within a page.
#[derive(Clone, Debug)]
pub struct Embed {
    /// The page.
    pub page: &'static str,
    /// Whether it comes from another origin.
    pub foreign: bool,
}

/// Something with a life of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Living {
    /// The time of day, by the second.
    Clock,
    /// How many visitors there were, and an id that is another each time.
    Visitors,
    /// An advertisement, another each time.
    Advertisement,
    /// A list that grows as one scrolls down.
    Endless,
    /// A pager of a long list.
    Pager,
    /// The days of a month, each a link, and the ways to its neighbours.
    Month,
    /// What visitors wrote, none of it well meant.
    Posts,
    /// What is in the cart.
    Cart,
}

/// A form.
#[derive(Clone, Debug)]
pub struct Form {
    /// What it is called.
    pub name: &'static str,
    /// Whether it only asks.
    pub gets: bool,
    /// Where it is sent to.
    pub action: &'static str,
    /// Its fields.
    pub fields: Vec<Field>,
    /// The name of its button.
    pub submit: &'static str,
    /// What is shown when it is accepted.
    pub to: &'static str,
    /// The page that is shown when it is refused, and what is accepted.
    pub rule: Option<Rule>,
}

/// What the server accepts.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The field that it is about.
    pub field: &'static str,
    /// What that may hold.
    pub accepts: Accepts,
    /// A value that the browser lets pass and the server refuses.
    pub wrong: &'static str,
    /// The page that is shown when it refuses.
    pub refused: &'static str,
}

/// What a field may hold.
#[derive(Clone, Copy, Debug)]
pub enum Accepts {
    /// A number in this range.
    Between(i64, i64),
    /// What begins so, in any case.
    Starts(&'static str),
    /// What ends so, in any case.
    Ends(&'static str),
    /// What holds one of these, in any case.
    Holds(&'static [&'static str]),
}

/// A field of a form.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in the request.
    pub name: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Whether it must be filled.
    pub required: bool,
    /// The browser's further conditions, as attributes.
    pub conditions: &'static str,
    /// A value that is accepted.
    pub good: &'static str,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One line.
    Text,
    /// An e-mail address.
    Email,
    /// A number.
    Number,
    /// A password.
    Password,
    /// Several lines.
    Area,
    /// A box to tick.
    Check,
    /// A file.
    File,
    /// One of a list.
    Choice(&'static [&'static str]),
    /// One of a few.
    Radio(&'static [&'static str]),
}

impl Accepts {
    /// Whether a value is accepted.
    pub fn accept(self, value: &str) -> bool {
        let value = value.trim().to_lowercase();
        match self {
            Accepts::Between(low, high) => value.parse::<i64>().is_ok_and(|number| (low..=high).contains(&number)),
            Accepts::Starts(with) => value.starts_with(&with.to_lowercase()),
            Accepts::Ends(with) => value.ends_with(&with.to_lowercase()),
            Accepts::Holds(words) => words.iter().any(|word| value.contains(word)),
        }
    }
}
