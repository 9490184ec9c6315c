//! The shop: front page, catalogue, search, newsletter.

use super::build::{
    ask, cards, dialog, embed, field, form, link, link_at, link_in_new_tab, page, panel, picker, suggest, text, trap,
};
use super::products::{BUNDLES, PLAIN, RENTALS, SIZED, SOLD_OUT, VOUCHERS};
use super::words::{Accepts, Block, By, Form, Frame, Kind, Living, Page};

pub(super) fn pages() -> Vec<Page> {
    let mut pages = front();
    pages.extend(departments());
    pages.extend(search());
    pages
}

fn newsletter() -> Form {
    form(
        "newsletter",
        "/newsletter",
        "Subscribe",
        "newsletter/thanks",
        vec![field("email", "Your e-mail", Kind::Email, "ann@harbour.example").required()],
    )
    .rule("email", Accepts::Ends("@harbour.example"), "ann@elsewhere.test", "newsletter/refused")
}

fn front() -> Vec<Page> {
    let outside = "The trial only takes addresses that end in @harbour.example.";
    vec![
        page(
            "home",
            "/",
            "Welcome to Harbour",
            Frame::Shop,
            vec![
                Block::Living(Living::Clock),
                Block::Living(Living::Visitors),
                text("Everything that a boat needs, and much that it does not."),
                Block::Living(Living::Advertisement),
                cards("product/plain", PLAIN),
                dialog(
                    "Voucher of the day",
                    "voucher",
                    "A voucher for you",
                    vec![
                        text("Give TIDE5 when you pay."),
                        Block::Still("Copy the code"),
                        link("Where it counts", "catalogue/sale"),
                    ],
                ),
                newsletter().block(),
                link("Not on land yet? Register", "register"),
                link("Old site map", "site-map"),
                trap("Our friends in Bergen", "{offsite}/bergen", By::Link),
                trap("Partner of the month", "/go/partner", By::Link),
            ],
        ),
        page("newsletter/refused", "/newsletter", "Our newsletter", Frame::Shop, vec![newsletter().block()])
            .refuses("email", outside),
        page(
            "newsletter/thanks",
            "/newsletter/thanks",
            "You are on the list",
            Frame::Shop,
            vec![text("The first letter comes with the next tide."), link("Choose topics", "newsletter/topics")],
        ),
        page(
            "newsletter/topics",
            "/newsletter/topics",
            "Topics of the newsletter",
            Frame::Shop,
            vec![
                form(
                    "topics",
                    "/newsletter/topics",
                    "Keep these topics",
                    "newsletter/thanks",
                    vec![
                        field("knots", "Knots", Kind::Check, ""),
                        field("weather", "Weather", Kind::Check, ""),
                        field("often", "How often", Kind::Radio(&["weekly", "monthly"]), "weekly"),
                    ],
                )
                .block(),
            ],
        ),
        page(
            "site-map",
            "/site-map",
            "Site map",
            Frame::Shop,
            vec![
                link_at("Price list of 1998", "error/gone", "/prices/1998"),
                link_at("Knots of the month", "error/not-found", "/knots/of-the-month"),
                link_at("Tidal power", "error/broken", "/tidal-power"),
                link_at("Back room", "error/forbidden", "/back-room"),
                link_in_new_tab("Printed catalogue", "printed"),
                trap("Log books", "/private/log-books", By::Link),
                trap("Crew list", "/private/crew", By::NewTab),
                link_at("Open day of the boat shed", "shed", "/private/open/shed"),
            ],
        ),
        page(
            "shed",
            "/private/open/shed",
            "Open day of the boat shed",
            Frame::Shop,
            vec![Block::Steps(vec![
                panel("", "Come and see", vec![Block::Go("Which way?", "way")]),
                panel("way", "The way to the shed", vec![Block::Go("And when?", "when"), Block::Still("Hear it")]),
                panel("when", "On the first Sunday", vec![picker("Remind me on", "reminder")]),
            ])],
        ),
        page(
            "printed",
            "/printed",
            "The printed catalogue",
            Frame::Embedded,
            vec![
                text("Two hundred pages, stapled."),
                ask(
                    "How heavy is it?",
                    "/api/weight",
                    panel("weight", "It weighs 400 grams", vec![Block::Still("In ounces")]),
                ),
            ],
        ),
        page(
            "error/not-found",
            "/knots/of-the-month",
            "There is no such page",
            Frame::Shop,
            vec![link("Look for it", "search/ask"), Block::Fault("page-not-found")],
        )
        .status(404),
        page(
            "error/gone",
            "/prices/1998",
            "This page is gone",
            Frame::Shop,
            vec![link("Today's prices", "catalogue"), Block::Fault("page-gone")],
        )
        .status(410),
        page(
            "error/broken",
            "/tidal-power",
            "Something broke",
            Frame::Shop,
            vec![Block::Still("Try once more"), Block::Fault("page-broken")],
        )
        .status(500),
        page(
            "error/forbidden",
            "/back-room",
            "You may not see this",
            Frame::Shop,
            vec![link("Why?", "help/accounts"), Block::Fault("page-forbidden")],
        )
        .status(403),
    ]
}

fn departments() -> Vec<Page> {
    let lantern_filter = || {
        form(
            "lanterns",
            "/catalogue/lanterns",
            "Show lanterns",
            "catalogue/lanterns",
            vec![
                field("light", "Light", Kind::Choice(&["any", "oil", "gas"]), "oil"),
                field("most", "At most", Kind::Number, "90").with("min=50 max=900"),
            ],
        )
        .gets()
        .rule("most", Accepts::Between(50, 499), "600", "catalogue/lanterns/none")
    };
    vec![
        page(
            "catalogue",
            "/catalogue",
            "Catalogue",
            Frame::Shop,
            vec![Block::Tabs(vec![
                panel(
                    "",
                    "Departments",
                    vec![
                        link("Lanterns", "catalogue/lanterns"),
                        link("Ropes", "catalogue/ropes"),
                        link("Charts", "catalogue/charts"),
                        link("Clothing", "catalogue/clothing"),
                        link("Sale", "catalogue/sale"),
                        link("Vouchers and sets", "catalogue/special"),
                        link("Search", "search/ask"),
                    ],
                ),
                panel(
                    "makers",
                    "Makers",
                    vec![cards(
                        "catalogue/maker",
                        &[
                            ("Anker & Sohn", "/makers/anker"),
                            ("Brass Works", "/makers/brass"),
                            ("Three Sisters", "/makers/sisters"),
                            ("Widow Hansen", "/makers/hansen"),
                        ],
                    )],
                ),
                panel("new", "Just arrived", vec![cards("product/sized", SIZED), Block::Still("Mark all as seen")]),
            ])],
        ),
        page(
            "catalogue/maker",
            "/makers/{}",
            "From this workshop",
            Frame::Shop,
            vec![
                cards("product/plain", PLAIN),
                Block::Steps(vec![
                    panel("", "Do you like it?", vec![Block::Go("Follow", "following")]),
                    panel(
                        "following",
                        "You follow this workshop",
                        vec![Block::Go("Follow no longer", ""), Block::Still("Tell me by bell")],
                    ),
                ]),
                trap("The maker's own site", "{offsite}/maker", By::NewTab),
            ],
        )
        .at("/makers/anker"),
        page(
            "catalogue/lanterns",
            "/catalogue/lanterns",
            "Lanterns",
            Frame::Shop,
            vec![
                lantern_filter().block(),
                cards("product/plain", PLAIN),
                Block::Living(Living::Pager),
                dialog(
                    "Compare two",
                    "compare",
                    "Compare two lanterns",
                    vec![Block::Still("Swap them"), link("Buy the brighter one", "product/plain")],
                ),
            ],
        ),
        page(
            "catalogue/lanterns/none",
            "/catalogue/lanterns",
            "No lantern is like that",
            Frame::Shop,
            vec![
                link_at("Show all lanterns", "catalogue/lanterns", "/catalogue/lanterns"),
                link("Describe what you need", "help/contact"),
            ],
        )
        .at("/catalogue/lanterns?light=gas&most=600"),
        page(
            "catalogue/ropes",
            "/catalogue/ropes",
            "Ropes by the metre",
            Frame::Shop,
            vec![
                Block::Fault("ropes-undefined"),
                Block::Tabs(vec![
                    panel("", "On the reel", vec![cards("product/plain", PLAIN), Block::Still("Sort by strength")]),
                    panel(
                        "length",
                        "How long?",
                        vec![
                            Block::Html(
                                "<label>Mast height in metres <input name=mast type=number min=1 max=60></label>",
                            ),
                            Block::Still("Work out the length"),
                            link("Have it spliced", "services/berth"),
                        ],
                    ),
                    panel("care", "Care", vec![link("Wash a rope", "help/care"), Block::Still("Read aloud")]),
                ]),
            ],
        ),
        page(
            "catalogue/charts",
            "/catalogue/charts",
            "Charts",
            Frame::Shop,
            vec![
                Block::Fault("charts-script"),
                link("See where they are", "catalogue/charts/map"),
                Block::Living(Living::Endless),
            ],
        ),
        page(
            "catalogue/charts/map",
            "/catalogue/charts/map",
            "Charts on the map",
            Frame::Shop,
            vec![link("Back to the list of charts", "catalogue/charts"), embed("embed/map", false)],
        ),
        page(
            "embed/map",
            "/embed/map",
            "The map",
            Frame::Embedded,
            vec![
                Block::Steps(vec![
                    panel("", "Coast lines", vec![Block::Go("Show depths", "depths")]),
                    panel("depths", "Depths", vec![Block::Go("Hide depths", ""), Block::Still("In fathoms")]),
                ]),
                embed("embed/legend", false),
            ],
        ),
        page("embed/legend", "/embed/legend", "Legend", Frame::Embedded, vec![Block::Html("<ul><li>Blue: water</ul>")]),
        page(
            "catalogue/clothing",
            "/catalogue/clothing",
            "Clothing",
            Frame::Shop,
            vec![
                form(
                    "facets",
                    "/catalogue/clothing/chosen",
                    "Apply",
                    "catalogue/clothing/chosen",
                    vec![field("wool", "Wool", Kind::Check, ""), field("oilskin", "Oilskin", Kind::Check, "")],
                )
                .gets()
                .block(),
                cards("product/sized", SIZED),
            ],
        ),
        page(
            "catalogue/clothing/chosen",
            "/catalogue/clothing/chosen",
            "Chosen clothing",
            Frame::Shop,
            vec![
                link("Drop all filters", "catalogue/clothing"),
                cards("product/sized", SIZED),
                Block::Still("Keep this choice"),
            ],
        ),
        page(
            "catalogue/sale",
            "/catalogue/sale",
            "Sale",
            Frame::Shop,
            vec![
                Block::Living(Living::Clock),
                Block::Fault("sale-cors"),
                Block::Tabs(vec![
                    panel("", "Last pieces", vec![cards("product/sold-out", SOLD_OUT)]),
                    panel(
                        "seconds",
                        "Seconds",
                        vec![Block::Still("Show the flaw"), link("What are seconds?", "help/returns")],
                    ),
                    panel(
                        "lots",
                        "By the crate",
                        vec![link("Ask for an offer", "help/contact"), Block::Still("Count the crates")],
                    ),
                ]),
            ],
        ),
        page(
            "catalogue/special",
            "/catalogue/special",
            "Vouchers and sets",
            Frame::Shop,
            vec![Block::Sections(vec![
                panel("vouchers", "Vouchers", vec![cards("product/voucher", VOUCHERS)]),
                panel("sets", "Sets", vec![cards("product/bundle", BUNDLES), Block::Still("Only sets of three")]),
                panel(
                    "rent",
                    "For rent",
                    vec![cards("product/rental", RENTALS), link("How renting works", "help/renting")],
                ),
            ])],
        ),
    ]
}

fn search() -> Vec<Page> {
    let asked = || {
        form(
            "search",
            "/search",
            "Search",
            "search/results",
            vec![field("q", "Search for", Kind::Text, "lantern").required()],
        )
        .gets()
        .rule("q", Accepts::Holds(&["lantern", "rope", "chart", "coat", "knife"]), "zeppelin", "search/none")
    };
    vec![
        page(
            "search/ask",
            "/search",
            "What are you looking for?",
            Frame::Shop,
            vec![
                asked().block(),
                suggest("Or type a name", "product/plain", PLAIN),
                link_at("Often asked for: lantern", "search/results", "/search?q=lantern"),
            ],
        ),
        page(
            "search/results",
            "/search",
            "This is what we found",
            Frame::Shop,
            vec![
                Block::Fault("search-console"),
                cards("product/plain", PLAIN),
                Block::Still("Sort by price"),
                link_at("Search anew", "search/ask", "/search"),
            ],
        )
        .at("/search?q=lantern"),
        page(
            "search/none",
            "/search",
            "We found nothing",
            Frame::Shop,
            vec![asked().block(), link("Ask a person", "help/contact")],
        )
        .at("/search?q=zeppelin"),
    ]
}
