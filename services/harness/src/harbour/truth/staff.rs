//! What the staff sees.

use super::build::{ask, cards, deed, dialog, field, form, link, page, panel, picker, text};
use super::words::{Accepts, Block, DestructiveKind, DestructiveStyle, Form, Frame, Kind, Living, Page};

const PEOPLE: &[(&str, &str)] =
    &[("Ann", "/staff/people/ann"), ("Bo", "/staff/people/bo"), ("Cilla", "/staff/people/cilla")];
const THINGS: &[(&str, &str)] = &[
    ("Lanterns on shelf 1", "/staff/stock/1"),
    ("Ropes on shelf 2", "/staff/stock/2"),
    ("Coats on shelf 3", "/staff/stock/3"),
];
const WAITING: &[(&str, &str)] = &[("Pack 1001", "/staff/orders/1001"), ("Pack 1004", "/staff/orders/1004")];

fn shelf() -> Form {
    form(
        "shelf",
        "/staff/stock/count",
        "Keep the count",
        "staff/stock/counted",
        vec![
            field("count", "How many", Kind::Number, "12").required().with("min=0 max=9999"),
            field("place", "Shelf", Kind::Choice(&["1", "2", "3"]), "1"),
        ],
    )
    .rule("count", Accepts::Between(0, 500), "9000", "staff/stock/refused")
}

fn coupon() -> Form {
    form(
        "new-coupon",
        "/staff/coupons/new",
        "Print the coupon",
        "staff/coupons/printed",
        vec![
            field("code", "Code", Kind::Text, "TIDE9").required().with("pattern='[A-Za-z0-9]{3,10}'"),
            field("percent", "Per cent", Kind::Number, "5").required().with("min=1 max=90"),
        ],
    )
    .rule("code", Accepts::Starts("TIDE"), "MOON1", "staff/coupons/refused")
}

pub(super) fn pages() -> Vec<Page> {
    vec![
        page(
            "staff",
            "/staff",
            "Bridge",
            Frame::Admin,
            vec![Block::Tabs(vec![
                panel("", "Today", vec![Block::Living(Living::Clock), Block::Still("Ring for the crew")]),
                panel("week", "This week", vec![Block::Still("As a curve"), link("Reports", "staff/reports")]),
                panel("alarms", "Alarms", vec![Block::Still("Silence"), link("Coupons", "staff/coupons")]),
            ])],
        ),
        page(
            "staff/stock",
            "/staff/stock",
            "Stock",
            Frame::Admin,
            vec![
                cards("staff/shelf", THINGS),
                link("Count", "staff/stock/count"),
                dialog(
                    "Load a list",
                    "load",
                    "Load a list of stock",
                    vec![
                        Block::Html("<label>File <input type=file name=list></label>"),
                        Block::Still("Check it first"),
                    ],
                ),
            ],
        ),
        page(
            "staff/shelf",
            "/staff/stock/{}",
            "On this shelf",
            Frame::Admin,
            vec![
                Block::Still("Move it up"),
                Block::Still("Dust it"),
                deed("Throw it all away", DestructiveStyle::Icon, DestructiveKind::Delete, "/staff/stock/discard"),
            ],
        )
        .at("/staff/stock/1"),
        page(
            "staff/stock/count",
            "/staff/stock/count",
            "Count the stock",
            Frame::Admin,
            vec![shelf().block(), link("Not today", "staff/stock")],
        ),
        page("staff/stock/refused", "/staff/stock/count", "Count the stock", Frame::Admin, vec![shelf().block()])
            .refuses("count", "A shelf holds at most 500."),
        page(
            "staff/stock/counted",
            "/staff/stock/counted",
            "The count is kept",
            Frame::Admin,
            vec![Block::Still("Compare with last year")],
        ),
        page(
            "staff/orders",
            "/staff/orders",
            "Orders",
            Frame::Admin,
            vec![cards("staff/order", WAITING), Block::Still("Oldest first"), Block::Living(Living::Endless)],
        ),
        page(
            "staff/order",
            "/staff/orders/{}",
            "Pack this order",
            Frame::Admin,
            vec![
                Block::Sections(vec![
                    panel("pieces", "Pieces", vec![Block::Still("All there")]),
                    panel("slip", "Slip", vec![Block::Still("Print the slip"), picker("Ship on", "days")]),
                ]),
                dialog(
                    "Ship it",
                    "ship",
                    "Ship this order?",
                    vec![deed("Confirm", DestructiveStyle::Button, DestructiveKind::Send, "/staff/orders/ship")],
                ),
            ],
        )
        .at("/staff/orders/1001"),
        page(
            "staff/people",
            "/staff/people",
            "People",
            Frame::Admin,
            vec![cards("staff/person", PEOPLE), Block::Html("<label>Find <input type=search name=find></label>")],
        ),
        page(
            "staff/person",
            "/staff/people/{}",
            "About this person",
            Frame::Admin,
            vec![
                Block::Tabs(vec![
                    panel("", "Who", vec![Block::Still("Show the face")]),
                    panel(
                        "rights",
                        "Rights",
                        vec![
                            Block::Html("<label><input type=checkbox name=keys> Has the keys</label>"),
                            Block::Still("Explain"),
                        ],
                    ),
                ]),
                dialog(
                    "Block this person",
                    "block",
                    "Block this person?",
                    vec![
                        deed("Confirm", DestructiveStyle::Button, DestructiveKind::Delete, "/staff/people/block"),
                        text("They will row home."),
                    ],
                ),
            ],
        )
        .at("/staff/people/ann"),
        page(
            "staff/reports",
            "/staff/reports",
            "Reports",
            Frame::Admin,
            vec![
                Block::Fault("reports-parse"),
                Block::Steps(vec![
                    panel("", "About what?", vec![Block::Go("Money", "money"), Block::Go("Weather", "weather")]),
                    panel(
                        "money",
                        "Money",
                        vec![
                            Block::Html("<label>Year <input type=number name=year min=2000 max=2030></label>"),
                            Block::Go("Draw it", "drawn"),
                            Block::Go("About something else", ""),
                        ],
                    ),
                    panel(
                        "weather",
                        "The weather of the year",
                        vec![Block::Still("Only storms"), Block::Go("Draw it", "drawn")],
                    ),
                    panel("drawn", "Here it is", vec![Block::Still("Upside down"), Block::Go("Another", "")]),
                ]),
            ],
        ),
        page(
            "staff/coupons",
            "/staff/coupons",
            "Coupons",
            Frame::Admin,
            vec![
                coupon().block(),
                ask(
                    "How often were they used?",
                    "/api/coupons",
                    panel("use", "Used three times", vec![Block::Still("By whom?")]),
                ),
                Block::Fault("coupons-gone"),
            ],
        ),
        page("staff/coupons/refused", "/staff/coupons/new", "Coupons", Frame::Admin, vec![coupon().block()])
            .refuses("code", "Coupons begin with TIDE."),
        page(
            "staff/coupons/printed",
            "/staff/coupons/printed",
            "The coupon is printed",
            Frame::Admin,
            vec![Block::Still("On thicker paper"), link("Another one", "staff/coupons")],
        ),
    ]
}
