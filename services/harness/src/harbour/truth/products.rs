//! Products. Those of one kind are one state, whatever they are called and cost; a kind is what can be done with it.

use super::build::{ask_or, cards, dialog, field, form, link, page, panel, picker, text, trap};
use super::words::{Accepts, Block, By, Form, Frame, Kind, Page};

pub(in super::super) const PLAIN: &[(&str, &str)] = &[
    ("Brass lantern", "/product/brass-lantern"),
    ("Storm lantern", "/product/storm-lantern"),
    ("Hemp rope", "/product/hemp-rope"),
    ("Chart of the sound", "/product/sound-chart"),
];
pub(in super::super) const SIZED: &[(&str, &str)] = &[
    ("Oilskin coat", "/product/oilskin-coat"),
    ("Wool cap", "/product/wool-cap"),
    ("Deck shoes", "/product/deck-shoes"),
];
pub(in super::super) const SOLD_OUT: &[(&str, &str)] =
    &[("Ship's bell", "/product/ships-bell"), ("Sextant", "/product/sextant"), ("Spyglass", "/product/spyglass")];
pub(in super::super) const VOUCHERS: &[(&str, &str)] =
    &[("Voucher with a whale", "/product/whale-voucher"), ("Voucher with a gull", "/product/gull-voucher")];
pub(in super::super) const BUNDLES: &[(&str, &str)] =
    &[("Knife and whetstone", "/product/knife-set"), ("Tar and brush", "/product/tar-set")];
pub(in super::super) const RENTALS: &[(&str, &str)] =
    &[("Rowing boat", "/product/rowing-boat"), ("Sailing dinghy", "/product/dinghy")];

/// The kinds of products, and those of each.
pub const KINDS: &[(&str, &[(&str, &str)])] = &[
    ("product/plain", PLAIN),
    ("product/sized", SIZED),
    ("product/sold-out", SOLD_OUT),
    ("product/voucher", VOUCHERS),
    ("product/bundle", BUNDLES),
    ("product/rental", RENTALS),
];

fn notify() -> Form {
    form(
        "notify",
        "/notify",
        "Tell me",
        "notify/noted",
        vec![field("phone", "Phone number", Kind::Text, "+47 12345").required().with("pattern='[+0-9 ]{5,20}'")],
    )
    .rule("phone", Accepts::Starts("+"), "0471 12345", "notify/refused")
}

pub(super) fn pages() -> Vec<Page> {
    let to_cart = |name| {
        form(
            name,
            "/cart/add",
            "Add to cart",
            "cart/filled",
            vec![field("amount", "Amount", Kind::Number, "1").required().with("min=1 max=20 value=1")],
        )
    };
    vec![
        page(
            "product/plain",
            "/product/{}",
            "About this article",
            Frame::Shop,
            vec![
                to_cart("plain").block(),
                Block::Tabs(vec![
                    panel(
                        "",
                        "Description",
                        vec![
                            text("Made to last."),
                            Block::Fault("stock-flaky"),
                            ask_or(
                                "Check the stock",
                                "/api/stock",
                                panel("stock", "In stock", vec![Block::Still("Hold one for a day")]),
                                panel(
                                    "stock-unknown",
                                    "We could not count them",
                                    vec![link("Call the shop", "help/contact")],
                                ),
                            ),
                        ],
                    ),
                    panel(
                        "reviews",
                        "Reviews",
                        vec![
                            text("“Still burning.”"),
                            Block::Still("Only with pictures"),
                            dialog(
                                "Write a review",
                                "review",
                                "Your review",
                                vec![
                                    form(
                                        "review",
                                        "/reviews",
                                        "Hand it in",
                                        "review/thanks",
                                        vec![
                                            field("stars", "Stars", Kind::Number, "4").required().with("min=1 max=5"),
                                            field("words", "In your words", Kind::Area, "Shines bright.")
                                                .required()
                                                .with("minlength=5"),
                                        ],
                                    )
                                    .block(),
                                ],
                            ),
                        ],
                    ),
                    panel(
                        "delivery",
                        "Delivery",
                        vec![link("All about delivery", "help/delivery"), Block::Still("By boat or by cart")],
                    ),
                ]),
            ],
        )
        .at("/product/brass-lantern"),
        page(
            "review/thanks",
            "/reviews/thanks",
            "Thank you for the review",
            Frame::Shop,
            vec![link("How we check reviews", "help/reviews")],
        ),
        page(
            "product/sized",
            "/product/{}",
            "Choose your size",
            Frame::Shop,
            vec![
                form(
                    "sized",
                    "/cart/add",
                    "Add in this size",
                    "cart/filled",
                    vec![field("size", "Size", Kind::Choice(&["small", "medium", "large"]), "medium")],
                )
                .block(),
                dialog(
                    "Table of sizes",
                    "sizes",
                    "Sizes",
                    vec![Block::Fault("sizes-in-feet"), link("How to measure", "help/sizes")],
                ),
                Block::Go("Can it be shortened?", "shortened"),
                Block::Steps(vec![
                    panel("", "Made for all weathers", vec![]),
                    panel(
                        "shortened",
                        "Yes, it can",
                        vec![Block::Still("By a hand's width"), Block::Go("Leave it as it is", "")],
                    ),
                ]),
            ],
        )
        .at("/product/oilskin-coat"),
        page(
            "product/sold-out",
            "/product/{}",
            "Sold out for now",
            Frame::Shop,
            vec![
                notify().block(),
                cards("product/plain", super::products::PLAIN),
                trap("Try our neighbours", "{offsite}/neighbours", By::Script),
            ],
        )
        .at("/product/ships-bell"),
        page("notify/refused", "/notify", "We will tell you", Frame::Shop, vec![notify().block()])
            .refuses("phone", "Start the number with + and the country, such as +47 12345."),
        page(
            "notify/noted",
            "/notify/noted",
            "Noted",
            Frame::Shop,
            vec![Block::Still("Ring a test bell"), link("Meanwhile, look at the sale", "catalogue/sale")],
        ),
        page(
            "product/voucher",
            "/product/{}",
            "Make it yours",
            Frame::Shop,
            vec![Block::Steps(vec![
                panel(
                    "",
                    "How much is it worth?",
                    vec![
                        form(
                            "voucher",
                            "/voucher",
                            "Write the voucher",
                            "voucher/written",
                            vec![
                                field("worth", "Worth", Kind::Number, "50").required().with("min=10 max=500"),
                                field("from", "From", Kind::Text, "Ann").required().with("maxlength=40"),
                            ],
                        )
                        .block(),
                        Block::Go("See an example", "example"),
                    ],
                ),
                panel(
                    "example",
                    "It will look like this",
                    vec![Block::Go("Back to writing", ""), Block::Still("Turn it over")],
                ),
            ])],
        )
        .at("/product/whale-voucher"),
        page(
            "voucher/written",
            "/voucher/written",
            "Your voucher is written",
            Frame::Shop,
            vec![Block::Still("Change the ink"), link("Write another", "catalogue/special")],
        ),
        page(
            "product/bundle",
            "/product/{}",
            "What is in this set",
            Frame::Shop,
            vec![
                form(
                    "bundle",
                    "/cart/add",
                    "Add the set",
                    "cart/filled",
                    vec![
                        field("engraved", "Engraved", Kind::Check, ""),
                        field("wrapped", "Wrapped in sailcloth", Kind::Check, ""),
                    ],
                )
                .block(),
                Block::Fault("bundle-weight"),
                Block::Sections(vec![
                    panel("first", "The first piece", vec![cards("product/plain", PLAIN)]),
                    panel(
                        "second",
                        "The second piece",
                        vec![Block::Still("Turn it around"), link("Sharpening", "help/care")],
                    ),
                ]),
            ],
        )
        .at("/product/knife-set"),
        page(
            "product/rental",
            "/product/{}",
            "Rent it by the day",
            Frame::Shop,
            vec![
                picker("From which day", "days"),
                form(
                    "rental",
                    "/rental",
                    "Ask whether it is free",
                    "rental/free",
                    vec![
                        field("days", "Days", Kind::Number, "3").required().with("min=1 max=14"),
                        field("skipper", "I can sail", Kind::Check, "on").required(),
                    ],
                )
                .block(),
                link("How renting works", "help/renting"),
            ],
        )
        .at("/product/rowing-boat"),
        page(
            "rental/free",
            "/rental/free",
            "It is free",
            Frame::Shop,
            vec![
                Block::Still("Hold it for an hour"),
                link("Look for another day", "catalogue/special"),
                link("Is the weather good?", "services/weather"),
            ],
        ),
    ]
}
