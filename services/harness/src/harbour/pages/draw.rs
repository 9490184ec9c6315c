//! Draws pages from their declaration. What a control is called, where it leads and in which view it is shown is all read
//! from there.

use super::parts::{alert, attribute, escape, living, posts};
use crate::harbour::truth::views::{PICK, SUGGESTIONS, View, chain, fault_button, is_shown, panels, views};
use crate::harbour::truth::words::{
    Block, By, DestructiveAction, DestructiveStyle, Field, Form, Frame, Kind, Link, Panel, Trap,
};
use crate::harbour::truth::{Page, Role, Truth, address, seeded_fault, ways};

/// What a page needs to know beside its declaration.
pub(in super::super) struct Setting<'a> {
    pub(in super::super) truth: &'a Truth,
    pub(in super::super) role: Role,
    /// What the data shown is called; empty where the page shows none.
    pub(in super::super) thing: &'a str,
    /// The address asked for, with its query.
    pub(in super::super) path: &'a str,
    /// Another number at each visit.
    pub(in super::super) noise: u64,
    /// The shop's other origin.
    pub(in super::super) widgets: &'a str,
    /// The origin that nobody should ask.
    pub(in super::super) offsite: &'a str,
}

/// A whole document.
pub(in super::super) fn document(page: &Page, setting: &Setting<'_>) -> String {
    let title = escape(title(page, setting));
    let navigation = navigation(page, setting);
    let main = main(page, setting);
    let widgets = setting.widgets;
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title} · Harbour</title>\
         <meta name=viewport content='width=device-width'><link rel=icon href=data:,>\
         <link rel=stylesheet href=/style.css></head>\
         <body data-view=base data-widgets='{widgets}'>{navigation}{main}<script src=/script.js></script></body></html>"
    )
}

fn title<'a>(page: &'a Page, setting: &'a Setting<'_>) -> &'a str {
    if setting.thing.is_empty() { page.heading } else { setting.thing }
}

fn navigation(page: &Page, setting: &Setting<'_>) -> String {
    let ways = ways(page.frame).into_iter().filter(|(roles, _)| roles.contains(&setting.role));
    let drawer = Drawer { page, setting, views: Vec::new() };
    let links: String = ways.map(|(_, block)| drawer.block(&block, "")).collect();
    if links.is_empty() { String::new() } else { format!("<header><nav aria-label=Main>{links}</nav></header>") }
}

/// The part that differs from page to page.
pub(in super::super) fn main(page: &Page, setting: &Setting<'_>) -> String {
    let drawer = Drawer { page, setting, views: views(page) };
    let blocks = drawer.blocks(&page.blocks, "");
    let routed = if page.frame == Frame::Workshop { " data-routed" } else { "" };
    let heading = escape(page.heading);
    let headings = match setting.thing {
        "" => format!("<h1>{heading}</h1>"),
        thing => format!("<h1>{}</h1><h2>{heading}</h2>", escape(thing)),
    };
    format!("<main{routed}>{headings}{blocks}</main>")
}

struct Drawer<'a> {
    page: &'a Page,
    setting: &'a Setting<'a>,
    views: Vec<View>,
}

impl Drawer<'_> {
    fn blocks(&self, blocks: &[Block], parent: &str) -> String {
        blocks.iter().map(|block| self.block(block, parent)).collect()
    }

    fn block(&self, block: &Block, parent: &str) -> String {
        match block {
            Block::Text(text) => format!("<p>{}</p>", escape(text)),
            Block::Html(markup) => (*markup).to_owned(),
            Block::Link(link) => self.link(link),
            Block::Cards(items, _) => self.cards(items),
            Block::Form(form) => self.form(form),
            Block::Tabs(all) => self.tabs(all, block, parent),
            Block::Sections(all) => self.sections(all, block, parent),
            Block::Steps(all) => all.iter().map(|panel| self.headed(panel, block, parent)).collect(),
            Block::Dialog(opener, panel) => self.dialog(opener, panel, block, parent),
            Block::Go(label, view) => button(label, &format!("data-show={}", shown(view))),
            Block::Ask(ask) => {
                let failed =
                    ask.failed.as_ref().map(|failed| format!(" data-failed={}", failed.view)).unwrap_or_default();
                let asks = format!("data-ask='{}' data-show={}{failed}", ask.from, ask.shown.view);
                let panels: String = panels(block).iter().map(|(panel, _)| self.headed(panel, block, parent)).collect();
                format!("<p>{}</p>{panels}", button(ask.label, &asks))
            }
            Block::Suggest(field) => format!(
                "<p><label>{} <input role=combobox autocomplete=off data-suggest={} data-back={}></label></p>\
                 <div{}><h3>{SUGGESTIONS}</h3><ul role=listbox aria-label={SUGGESTIONS}></ul></div>",
                escape(field.label),
                field.view,
                shown(parent),
                self.is_in(|chain| chain.contains(&field.view)),
            ),
            Block::Picker(field) => self.calendar(field.label, field.view, parent),
            Block::DestructiveAction(deed) => deed_control(deed),
            Block::Trap(trap) => trap_control(trap, self.setting.offsite),
            Block::Embed(embed) => {
                let origin = if embed.foreign { self.setting.widgets } else { "" };
                format!("<iframe src='{origin}/{}' title='{}'></iframe>", embed.page, embed.page)
            }
            Block::Shadow(inner) => {
                let inner = self.blocks(inner, parent);
                let style = "<style>[hidden]{display:none!important}</style>";
                format!("<harbour-box><template shadowrootmode=open>{style}{inner}</template></harbour-box>")
            }
            Block::Fault(id) => {
                let markup = seeded_fault(id).map(|fault| fault.markup.replace("{widgets}", self.setting.widgets));
                let pressed = fault_button(id).map(|label| button(label, &format!("data-fault={id}")));
                markup.unwrap_or_default() + pressed.unwrap_or_default().as_str()
            }
            Block::Still(label) => format!("<p>{}<span class=note></span></p>", button(label, "data-still")),
            Block::Living(what) => living(*what, self.setting.noise, self.setting.path).unwrap_or_else(posts),
        }
    }

    fn link(&self, link: &Link) -> String {
        let to = link.href.or_else(|| address(&self.setting.truth.pages, link.to[0])).unwrap_or_default();
        let routed = self.page.frame == Frame::Workshop && to.starts_with("/workshop");
        let routed = if routed { " data-route" } else { "" };
        let tab = if link.new_tab { " target=_blank" } else { "" };
        format!("<a href='{}'{routed}{tab}>{}</a> ", attribute(to), escape(link.label))
    }

    fn cards(&self, items: &[(&str, &str)]) -> String {
        let routed = if self.page.frame == Frame::Workshop { " data-route" } else { "" };
        let card = |(label, href): &(&str, &str)| {
            let routed = if href.starts_with("/workshop") { routed } else { "" };
            format!("<li><a href='{}'{routed}>{}</a></li>", attribute(href), escape(label))
        };
        format!("<ul class=cards>{}</ul>", items.iter().map(card).collect::<String>())
    }

    fn tabs(&self, all: &[Panel], block: &Block, parent: &str) -> String {
        let tab = |panel: &Panel| {
            let selected = is_shown(panel, block, &[""]);
            let to = if panel.view.is_empty() { parent } else { panel.view };
            let on = self.list(|chain| is_shown(panel, block, chain));
            format!(
                "<button type=button role=tab aria-selected={selected} data-show={} data-on='{on}'>{}</button>",
                shown(to),
                escape(panel.label)
            )
        };
        let heads: String = all.iter().map(tab).collect();
        let bodies: String = all
            .iter()
            .map(|panel| {
                let inner = if panel.view.is_empty() { parent } else { panel.view };
                let hidden = self.is_in(|chain| is_shown(panel, block, chain));
                format!("<section role=tabpanel{hidden}>{}</section>", self.blocks(&panel.blocks, inner))
            })
            .collect();
        format!("<div role=tablist>{heads}</div>{bodies}")
    }

    fn sections(&self, all: &[Panel], block: &Block, parent: &str) -> String {
        let section = |panel: &Panel| {
            let on = self.list(|chain| is_shown(panel, block, chain));
            let hidden = self.is_in(|chain| is_shown(panel, block, chain));
            format!(
                "<div class=section><button type=button data-section aria-expanded=false data-show={} data-back={} data-on='{on}'>{}</button>\
                 <div{hidden}>{}</div></div>",
                panel.view,
                shown(parent),
                escape(panel.label),
                self.blocks(&panel.blocks, panel.view)
            )
        };
        all.iter().map(section).collect()
    }

    fn headed(&self, panel: &Panel, block: &Block, parent: &str) -> String {
        let inner = if panel.view.is_empty() { parent } else { panel.view };
        let hidden = self.is_in(|chain| is_shown(panel, block, chain));
        format!("<section{hidden}><h2>{}</h2>{}</section>", escape(panel.label), self.blocks(&panel.blocks, inner))
    }

    fn dialog(&self, opener: &str, panel: &Panel, block: &Block, parent: &str) -> String {
        let on = self.list(|chain| is_shown(panel, block, chain));
        format!(
            "<p>{}</p><dialog data-in='{on}' aria-label='{}'><p><b>{}</b></p>{}{}</dialog>",
            button(opener, &format!("data-show={}", panel.view)),
            attribute(panel.label),
            escape(panel.label),
            self.blocks(&panel.blocks, panel.view),
            button("Close", &format!("data-close data-show={}", shown(parent)))
        )
    }

    fn calendar(&self, label: &str, view: &str, parent: &str) -> String {
        let hidden = self.is_in(|chain| chain.contains(&view));
        let day =
            |day: u32| format!("<td><button type=button data-pick={view} data-show={}>{day}</button>", shown(parent));
        let weeks: String = (0..4)
            .map(|week| format!("<tr>{}</tr>", (1..=7).map(|place| day(week * 7 + place)).collect::<String>()))
            .collect();
        format!(
            "<p><label>{} <input readonly data-picked={view}></label> {}</p>\
             <div{hidden}><h3>{PICK}</h3><table>{weeks}</table>{}<span class=note></span></div>",
            escape(label),
            button("Choose a day", &format!("data-show={view}")),
            button("Next month", "data-still")
        )
    }

    fn form(&self, form: &Form) -> String {
        let refused = self.page.alert.filter(|_| form.rule.is_some());
        let fields: String = form
            .fields
            .iter()
            .map(|field| {
                let message = refused.filter(|(name, _)| *name == field.name).map(|(_, message)| alert(message));
                format!("<div>{}{}</div>", draw_field(field), message.unwrap_or_default())
            })
            .collect();
        let method = if form.gets { "get" } else { "post" };
        format!(
            "<form name={} method={method} action='{}'>{fields}<button>{}</button></form>",
            form.name,
            form.action,
            escape(form.submit)
        )
    }

    /// The views in which something is shown.
    fn list(&self, is_shown: impl Fn(&[&str]) -> bool) -> String {
        let shown_in = self.views.iter().filter(|view| is_shown(&chain(&self.views, view.name)));
        shown_in.map(|view| shown(view.name)).collect::<Vec<_>>().join(" ")
    }

    /// The same as an attribute, hidden unless it is shown as the page comes.
    fn is_in(&self, is_shown: impl Fn(&[&str]) -> bool) -> String {
        let hidden = if is_shown(&[""]) { "" } else { " hidden" };
        format!(" data-in='{}'{hidden}", self.list(is_shown))
    }
}

fn shown(view: &str) -> &str {
    if view.is_empty() { "base" } else { view }
}

fn button(label: &str, data: &str) -> String {
    format!("<button type=button {data}>{}</button> ", escape(label))
}

fn draw_field(field: &Field) -> String {
    let Field { name, label, conditions, .. } = field;
    let label = escape(label);
    let required = if field.required { " required" } else { "" };
    let input = |kind: &str| format!("<label>{label} <input name={name} type={kind}{required} {conditions}></label>");
    match field.kind {
        Kind::Text => input("text"),
        Kind::Email => input("email"),
        Kind::Number => input("number"),
        Kind::Password => input("password"),
        Kind::File => input("file"),
        Kind::Check => format!("<label><input name={name} type=checkbox{required}> {label}</label>"),
        Kind::Area => format!("<label>{label} <textarea name={name}{required} {conditions}></textarea></label>"),
        Kind::Choice(options) => {
            let options: String = options.iter().map(|option| format!("<option>{option}</option>")).collect();
            format!("<label>{label} <select name={name}>{options}</select></label>")
        }
        Kind::Radio(options) => {
            let option = |option: &&str| {
                format!("<label><input name={name} type=radio value={option}{required}> {option}</label> ")
            };
            format!("<fieldset><legend>{label}</legend>{}</fieldset>", options.iter().map(option).collect::<String>())
        }
    }
}

fn deed_control(deed: &DestructiveAction) -> String {
    let label = escape(deed.label);
    let asks = deed
        .asks
        .map(|(_, question)| format!("type=button data-confirm='{}'", attribute(question)))
        .unwrap_or_default();
    match deed.look {
        DestructiveStyle::Link => format!("<a href='{}'>{label}</a> ", deed.path),
        DestructiveStyle::Button => {
            format!("<form method=post action='{}'><button {asks}>{label}</button></form>", deed.path)
        }
        DestructiveStyle::Icon => format!(
            "<form method=post action='{}'><button aria-label='{}' {asks}>\u{1f5d1}</button></form>",
            deed.path,
            attribute(deed.label)
        ),
    }
}

fn trap_control(trap: &Trap, offsite: &str) -> String {
    let href = attribute(&trap.href.replace("{offsite}", offsite));
    let label = escape(trap.label);
    match trap.by {
        By::Link => format!("<a href='{href}'>{label}</a> "),
        By::NewTab => format!("<a href='{href}' target=_blank>{label}</a> "),
        By::Script => format!("<button type=button data-href='{href}'>{label}</button> "),
        By::Form => format!("<form action='{href}'><button>{label}</button></form>"),
    }
}
