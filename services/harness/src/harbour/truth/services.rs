//! The services: berths, calendar, tides, weather, guest book, gallery, work; and the client-side workshop.

use super::build::{ask, cards, deed, dialog, embed, field, form, link, link_at, page, panel, picker, text, trap};
use super::words::{Accepts, Block, By, DestructiveKind, DestructiveStyle, Form, Frame, Kind, Living, Page};

const KNOTS: &[(&str, &str)] = &[
    ("Bowline", "/workshop/knots/bowline"),
    ("Clove hitch", "/workshop/knots/clove-hitch"),
    ("Reef knot", "/workshop/knots/reef-knot"),
];

pub(super) fn pages() -> Vec<Page> {
    let mut pages = services();
    pages.extend(calendar());
    pages.extend(workshop());
    pages
}

fn application() -> Form {
    form(
        "application",
        "/services/work",
        "Hand in",
        "services/work/received",
        vec![
            field("name", "Your name", Kind::Text, "Ann Bell").required().with("minlength=2"),
            field("born", "Year of birth", Kind::Number, "1990").required().with("min=1900 max=2020"),
            field("letter", "A letter", Kind::File, ""),
        ],
    )
    .rule("born", Accepts::Between(1950, 2008), "2015", "services/work/refused")
}

fn services() -> Vec<Page> {
    vec![
        page(
            "services",
            "/services",
            "Services",
            Frame::Shop,
            vec![
                Block::Fault("services-style"),
                link("Berths", "services/berth"),
                link("Workshop", "workshop"),
                link_at("Calendar", "calendar/month", "/calendar/2026/5"),
                link("Tides", "services/tides"),
                link("Weather", "services/weather"),
                link("Guest book", "services/guest-book"),
                link("Gallery", "services/gallery"),
                link("Work with us", "services/work"),
            ],
        ),
        page(
            "services/berth",
            "/services/berth",
            "Book a berth",
            Frame::Services,
            vec![Block::Steps(vec![
                panel(
                    "",
                    "Your boat",
                    vec![
                        Block::Html("<label>Length in metres <input name=length type=number min=2 max=40></label>"),
                        Block::Go("On to the place", "place"),
                        Block::Fault("berth-depth"),
                    ],
                ),
                panel(
                    "place",
                    "The place",
                    vec![
                        Block::Html("<label>Pier <select name=pier><option>North<option>South</select></label>"),
                        Block::Go("Back to the boat", ""),
                        Block::Go("On to the extras", "extras"),
                        dialog(
                            "Plan of the piers",
                            "plan",
                            "The piers",
                            vec![Block::Still("Turn the plan"), Block::Still("Where am I?")],
                        ),
                    ],
                ),
                panel(
                    "extras",
                    "The extras",
                    vec![
                        Block::Html(
                            "<label><input type=checkbox name=power> Power</label> <label><input type=checkbox name=water> Water</label>",
                        ),
                        Block::Go("Back to the place", "place"),
                        Block::Go("Show the summary", "summary"),
                    ],
                ),
                panel(
                    "summary",
                    "The summary",
                    vec![
                        Block::Go("Start again", ""),
                        Block::Still("Show it in days"),
                        deed(
                            "Send request",
                            DestructiveStyle::Button,
                            DestructiveKind::Send,
                            "/services/berth/request",
                        ),
                    ],
                ),
            ])],
        ),
        page(
            "services/tides",
            "/services/tides",
            "Tides",
            Frame::Services,
            vec![
                Block::Html("<label>Port <select name=port><option>Bergen<option>Harbour</select></label>"),
                ask(
                    "Show the tides",
                    "/api/tides",
                    panel(
                        "table",
                        "High and low water",
                        vec![
                            Block::Html("<table><tr><th>High<td>04:10<tr><th>Low<td>10:20</table>"),
                            Block::Still("In feet"),
                            Block::Go("Hide the tides", ""),
                        ],
                    ),
                ),
                Block::Fault("tides-cors"),
            ],
        ),
        page(
            "services/weather",
            "/services/weather",
            "Weather",
            Frame::Services,
            vec![
                Block::Living(Living::Clock),
                Block::Fault("weather-console"),
                Block::Fault("weather-throws"),
                embed("embed/weather", true),
            ],
        ),
        page(
            "embed/weather",
            "/embed/weather",
            "Wind and waves",
            Frame::Embedded,
            vec![
                Block::Fault("weather-image"),
                Block::Steps(vec![
                    panel("", "Right now", vec![Block::Go("Tomorrow", "tomorrow")]),
                    panel(
                        "tomorrow",
                        "The day after",
                        vec![Block::Go("Right now again", ""), Block::Still("In knots")],
                    ),
                ]),
            ],
        ),
        page(
            "services/guest-book",
            "/services/guest-book",
            "Guest book",
            Frame::Services,
            vec![
                Block::Fault("guest-book-late"),
                Block::Living(Living::Posts),
                form(
                    "guest-book",
                    "/services/guest-book",
                    "Sign",
                    "services/guest-book/signed",
                    vec![
                        field("name", "Name", Kind::Text, "Ann").required(),
                        field("words", "Words", Kind::Area, "A fine shop.").required().with("maxlength=300"),
                    ],
                )
                .block(),
                Block::Still("Newest first"),
            ],
        ),
        page(
            "services/guest-book/signed",
            "/services/guest-book/signed",
            "You are in the book",
            Frame::Services,
            vec![link("Read what others wrote", "services/guest-book"), Block::Still("Ring the bell")],
        ),
        page(
            "services/gallery",
            "/services/gallery",
            "Gallery",
            Frame::Services,
            vec![
                Block::Fault("gallery-assert"),
                Block::Shadow(vec![Block::Tabs(vec![
                    panel("", "By day", vec![Block::Still("Next picture"), Block::Fault("gallery-enlarge")]),
                    panel(
                        "night",
                        "By night",
                        vec![Block::Still("Light the lamp"), link("Buy this lantern", "product/plain")],
                    ),
                ])]),
            ],
        ),
        page(
            "services/work",
            "/services/work",
            "Work with us",
            Frame::Services,
            vec![
                Block::Fault("work-picture"),
                application().block(),
                dialog("What we pay", "pay", "Wages", vec![Block::Still("By the month"), Block::Still("By the tide")]),
                trap("Our listing elsewhere", "{offsite}/jobs", By::Form),
            ],
        )
        .policy("img-src 'self' data:"),
        page("services/work/refused", "/services/work", "Work with us", Frame::Services, vec![application().block()])
            .refuses("born", "Crew members are born from 1950 to 2008."),
        page(
            "services/work/received",
            "/services/work/received",
            "We have your letter",
            Frame::Services,
            vec![Block::Still("Print the receipt"), picker("When can you come?", "days")],
        ),
    ]
}

fn calendar() -> Vec<Page> {
    vec![
        page(
            "calendar/month",
            "/calendar/{}/{}",
            "Days of the month",
            Frame::Services,
            vec![
                Block::Living(Living::Month),
                dialog(
                    "What the colours say",
                    "legend",
                    "Colours of the calendar",
                    vec![Block::Still("For the colour-blind")],
                ),
            ],
        )
        .at("/calendar/2026/5"),
        page(
            "calendar/day",
            "/calendar/{}/{}/{}",
            "What happens on this day",
            Frame::Services,
            vec![
                link_at("The whole month", "calendar/month", "/calendar/2026/5"),
                Block::Steps(vec![
                    panel("", "Nothing yet", vec![Block::Go("Add a note", "note")]),
                    panel(
                        "note",
                        "Your note",
                        vec![
                            Block::Html("<label>Note <input name=note maxlength=80></label>"),
                            Block::Go("Never mind", ""),
                            Block::Still("In red ink"),
                        ],
                    ),
                ]),
            ],
        )
        .at("/calendar/2026/5/17"),
    ]
}

fn workshop() -> Vec<Page> {
    vec![
        page(
            "workshop",
            "/workshop",
            "Workshop",
            Frame::Workshop,
            vec![
                link("Knots", "workshop/knots"),
                link("Courses", "workshop/courses"),
                link("Tool shed", "workshop/tools"),
            ],
        ),
        page(
            "workshop/knots",
            "/workshop/knots",
            "All knots",
            Frame::Workshop,
            vec![
                cards("workshop/knot", KNOTS),
                Block::Steps(vec![
                    panel("", "In order of use", vec![Block::Go("As pictures", "pictures")]),
                    panel("pictures", "As they look", vec![Block::Go("As words", ""), Block::Still("Larger")]),
                ]),
            ],
        ),
        page(
            "workshop/knot",
            "/workshop/knots/{}",
            "How it is tied",
            Frame::Workshop,
            vec![Block::Steps(vec![
                panel("", "First", vec![Block::Go("Then", "then"), Block::Still("Slowly")]),
                panel("then", "Then", vec![Block::Go("And so", "so"), Block::Go("Once more", "")]),
                panel(
                    "so",
                    "And so it holds",
                    vec![link("Another knot", "workshop/knots"), Block::Still("I can do it")],
                ),
            ])],
        )
        .at("/workshop/knots/bowline"),
        page(
            "workshop/courses",
            "/workshop/courses",
            "Courses",
            Frame::Workshop,
            vec![
                Block::Fault("courses-cut-off"),
                link("Rope work for beginners", "workshop/course"),
                Block::Sections(vec![
                    panel(
                        "cost",
                        "What does it cost?",
                        vec![link("About payment", "help/payments"), Block::Still("For two")],
                    ),
                    panel("bring", "What to bring", vec![link("Deck shoes", "product/sized")]),
                ]),
            ],
        ),
        page(
            "workshop/course",
            "/workshop/courses/beginners",
            "Rope work for beginners",
            Frame::Workshop,
            vec![
                form(
                    "seat",
                    "/workshop/seat",
                    "Keep a seat",
                    "workshop/seat",
                    vec![
                        field("who", "Who comes", Kind::Text, "Ann").required(),
                        field("level", "Level", Kind::Choice(&["none", "some", "much"]), "some"),
                    ],
                )
                .block(),
                dialog("Who teaches?", "teacher", "The teacher", vec![Block::Still("Hear her voice")]),
            ],
        ),
        page(
            "workshop/seat",
            "/workshop/seat",
            "Your seat is kept",
            Frame::Workshop,
            vec![Block::Still("Sit further back"), link("All courses", "workshop/courses")],
        ),
        page(
            "workshop/tools",
            "/workshop/tools",
            "Tool shed",
            Frame::Workshop,
            vec![Block::Tabs(vec![
                panel(
                    "",
                    "Borrow",
                    vec![Block::Still("Take the marlinspike"), link("Rules of the shed", "workshop/rules")],
                ),
                panel(
                    "repair",
                    "Repair",
                    vec![
                        Block::Html("<label>What is broken? <textarea name=what></textarea></label>"),
                        Block::Still("Sharpen everything"),
                    ],
                ),
                panel("swap", "Swap", vec![text("One for one."), Block::Still("Draw a lot")]),
            ])],
        ),
        page(
            "workshop/rules",
            "/workshop/rules",
            "Rules of the shed",
            Frame::Workshop,
            vec![
                Block::Html("<details><summary>Why rules?</summary><p>Because of the adze.</p></details>"),
                link("Understood", "workshop/tools"),
            ],
        ),
    ]
}
