//! Help, signing in, registering.

use super::build::{ask, cards, deed, dialog, field, form, link, page, panel, picker, text, trap};
use super::words::{Accepts, Block, By, DestructiveKind, DestructiveStyle, Form, Frame, Kind, Living, Page, Role};

pub(super) fn pages() -> Vec<Page> {
    let mut pages = articles();
    pages.extend(tools());
    pages.extend(entrance());
    pages
}

fn articles() -> Vec<Page> {
    vec![
        page(
            "help",
            "/help",
            "Help centre",
            Frame::Help,
            vec![
                Block::Sections(vec![
                    panel(
                        "buying",
                        "Buying",
                        vec![
                            link("Delivery", "help/delivery"),
                            link("Payments", "help/payments"),
                            link("Sizes", "help/sizes"),
                            link("Renting", "help/renting"),
                        ],
                    ),
                    panel(
                        "after",
                        "After buying",
                        vec![
                            link("Returns", "help/returns"),
                            link("Where is my parcel?", "help/track"),
                            link("Care", "help/care"),
                            link("Reviews", "help/reviews"),
                        ],
                    ),
                    panel(
                        "site",
                        "This site",
                        vec![
                            link("Accounts", "help/accounts"),
                            link("Privacy", "help/privacy"),
                            link("Cookies", "help/cookies"),
                            link("Is everything working?", "help/status"),
                        ],
                    ),
                ]),
                link("Talk to the harbour master", "help/chat"),
                link("How did we do?", "help/feedback"),
                link("Films", "help/films"),
            ],
        ),
        page(
            "help/delivery",
            "/help/delivery",
            "Delivery",
            Frame::Help,
            vec![Block::Tabs(vec![
                panel("", "Mainland", vec![link("Follow a parcel", "help/track")]),
                panel(
                    "islands",
                    "Islands",
                    vec![Block::Fault("islands-ferry"), link("When do boats go?", "services/tides")],
                ),
                panel(
                    "abroad",
                    "Abroad",
                    vec![
                        Block::Html(
                            "<label>Country <select name=country><option>Norway<option>Denmark</select></label>",
                        ),
                        Block::Still("What does it cost there?"),
                    ],
                ),
            ])],
        ),
        page(
            "help/payments",
            "/help/payments",
            "Payments",
            Frame::Help,
            vec![Block::Sections(vec![
                panel("cards", "Which cards?", vec![Block::Still("Test my card")]),
                panel("later", "Can I pay later?", vec![link("Ask the harbour master", "help/chat")]),
                panel(
                    "failed",
                    "It did not work",
                    vec![link("Write to us", "help/contact"), Block::Still("Show the usual causes")],
                ),
            ])],
        ),
        page(
            "help/sizes",
            "/help/sizes",
            "How to measure",
            Frame::Help,
            vec![Block::Steps(vec![
                panel("", "In centimetres", vec![Block::Go("In inches please", "inches")]),
                panel("inches", "In inches", vec![Block::Go("In centimetres please", ""), Block::Still("Round up")]),
            ])],
        ),
        page(
            "help/renting",
            "/help/renting",
            "Renting",
            Frame::Help,
            vec![
                text("Bring it back dry."),
                picker("Is the shed open on", "open"),
                link("See what is for rent", "catalogue/special"),
            ],
        ),
        page(
            "help/returns",
            "/help/returns",
            "Returns",
            Frame::Help,
            vec![Block::Steps(vec![
                panel(
                    "",
                    "What is it about?",
                    vec![Block::Go("It is broken", "broken"), Block::Go("I do not like it", "unloved")],
                ),
                panel(
                    "broken",
                    "Broken things",
                    vec![
                        Block::Html("<label>What broke? <textarea name=what></textarea></label>"),
                        Block::Go("Ask again", ""),
                        Block::Go("Print a label", "label"),
                    ],
                ),
                panel(
                    "unloved",
                    "Unloved things",
                    vec![link("Swap it for another", "catalogue"), Block::Go("Give it back", "label")],
                ),
                panel("label", "Your label", vec![Block::Still("Print two"), Block::Go("From the start", "")]),
            ])],
        ),
        page(
            "help/care",
            "/help/care",
            "Care",
            Frame::Help,
            vec![
                cards("product/plain", super::products::PLAIN),
                Block::Html(
                    "<details><summary>Salt</summary><p>Rinse.</p></details><details><summary>Tar</summary><p>Butter.</p></details>",
                ),
            ],
        ),
        page(
            "help/reviews",
            "/help/reviews",
            "How we check reviews",
            Frame::Help,
            vec![Block::Html("<blockquote>By reading them.</blockquote>"), Block::Still("Show one that failed")],
        ),
        page(
            "help/accounts",
            "/help/accounts",
            "Accounts",
            Frame::Help,
            vec![
                text("Customers see their orders; the staff sees them all."),
                dialog(
                    "Who is the staff?",
                    "staff",
                    "The staff",
                    vec![Block::Still("Next of them"), link("Become one", "services/work")],
                ),
            ],
        ),
        page(
            "help/privacy",
            "/help/privacy",
            "Privacy",
            Frame::Help,
            vec![
                Block::Fault("privacy-inline"),
                Block::Html("<details><summary>What do we know?</summary><p>What you tell us.</p></details>"),
                link("Cookies in detail", "help/cookies"),
            ],
        )
        .policy("script-src 'self'"),
        page(
            "help/imprint",
            "/imprint",
            "Imprint",
            Frame::Shop,
            vec![
                Block::Fault("imprint-picture"),
                text("Harbour, Quay 1, 20123 Harbour."),
                trap("Minutes of the board", "/private/minutes", By::Link),
                trap("Registered elsewhere", "{offsite}/register", By::Link),
                Block::Still("Show it on a plan"),
            ],
        ),
        page(
            "help/films",
            "/help/films",
            "Films",
            Frame::Help,
            vec![
                Block::Fault("films-frame"),
                Block::Steps(vec![
                    panel("", "With pictures", vec![Block::Go("Read it instead", "words")]),
                    panel(
                        "words",
                        "The words of the film",
                        vec![Block::Go("Watch it instead", ""), Block::Still("Find a word")],
                    ),
                ]),
            ],
        )
        .policy("frame-src 'self'"),
    ]
}

fn contact() -> Form {
    form(
        "track",
        "/help/track",
        "Find it",
        "help/track/found",
        vec![field("number", "Parcel number", Kind::Text, "HB-10001").required().with("minlength=4")],
    )
    .rule("number", Accepts::Starts("HB-"), "12345", "help/track/refused")
}

fn tools() -> Vec<Page> {
    vec![
        page("help/contact", "/help/contact", "Contact", Frame::Help, vec![
            Block::Html("<label>Your question <textarea name=question minlength=10></textarea></label>"),
            deed("Send message", DestructiveStyle::Button, DestructiveKind::Send, "/help/contact/message"),
            link("Talk instead", "help/chat"),
            Block::Still("Count my words"),
        ]),
        page("help/track", "/help/track", "Where is my parcel?", Frame::Help, vec![
            contact().block(),
            link("I have no number", "help/chat"),
        ]),
        page("help/track/refused", "/help/track", "Where is my parcel?", Frame::Help, vec![contact().block()])
            .refuses("number", "Parcel numbers begin with HB-, such as HB-10001."),
        page("help/track/found", "/help/track/found", "Your parcel is at sea", Frame::Help, vec![
            Block::Living(Living::Clock),
            Block::Still("Where exactly?"),
            link("It is late", "help/returns"),
        ]),
        page("help/status", "/help/status", "Is everything working?", Frame::Help, vec![
            Block::Fault("status-lights"),
            Block::Still("Look again"),
            ask("Ask the cellar", "/api/cellar", panel("cellar", "The cellar answers", vec![Block::Still("Louder"), Block::Go("Enough", "")])),
        ]),
        page("help/cookies", "/help/cookies", "Cookies", Frame::Help, vec![
            Block::Fault("cookies-connect"),
            Block::Html("<label><input type=checkbox name=count checked> To count</label> <label><input type=checkbox name=guess> To guess</label>"),
            Block::Steps(vec![
                panel("", "What we may do", vec![Block::Go("That is my choice", "chosen")]),
                panel("chosen", "Your choice is kept", vec![Block::Go("Choose again", ""), link("Good, show me lanterns", "catalogue/lanterns")]),
            ]),
        ])
        .policy("connect-src 'self'"),
        page("help/feedback", "/help/feedback", "How did we do?", Frame::Help, vec![Block::Steps(vec![
            panel("", "Say it in one word", vec![Block::Go("Well", "well"), Block::Go("Badly", "badly")]),
            panel("well", "We are glad", vec![link("Tell others in the guest book", "services/guest-book"), Block::Go("Rather not", "")]),
            panel("badly", "We are sorry", vec![
                Block::Html("<label>What was wrong? <input name=wrong></label>"),
                Block::Still("It was the gull"),
                Block::Go("It was not so bad", ""),
            ]),
        ])]),
        page("help/chat", "/help/chat", "The harbour master listens", Frame::Help, vec![Block::Steps(vec![
            panel("", "Good day", vec![Block::Go("It is about an order", "order"), Block::Go("It is about a boat", "boat")]),
            panel("order", "Which order?", vec![link("I know the number", "help/track"), Block::Go("Not an order", ""), Block::Go("A person please", "person")]),
            panel("boat", "Which boat?", vec![link("A rented one", "help/renting"), link("My own", "services/berth"), Block::Go("Not a boat", "")]),
            panel("person", "One moment", vec![Block::Still("Hum a shanty"), Block::Go("Too slow", "")]),
        ])]),
    ]
}

fn sign_in() -> Form {
    form(
        "sign-in",
        "/sign-in",
        "Sign in",
        "account",
        vec![
            field("name", "User name", Kind::Text, "ann").required().with("autocomplete=username"),
            field("password", "Password", Kind::Password, "").required().with("autocomplete=current-password"),
        ],
    )
    // No word opens it by itself: the accounts decide.
    .rule("password", Accepts::Holds(&[]), "let-me-in", "sign-in/refused")
}

fn register() -> Form {
    form(
        "register",
        "/register",
        "Register",
        "register/done",
        vec![
            field("user", "Wished user name", Kind::Text, "bell7").required().with("pattern='[a-z0-9]{3,12}'"),
            field("email", "E-mail", Kind::Email, "ann@harbour.example").required(),
            field("age", "Age", Kind::Number, "30").required().with("min=16 max=120"),
            field("terms", "I have read the terms", Kind::Check, "on").required(),
        ],
    )
    .rule("user", Accepts::Ends("7"), "bell", "register/refused")
}

fn entrance() -> Vec<Page> {
    let guests = &[Role::Guest];
    vec![
        page(
            "sign-in",
            "/sign-in",
            "Sign in",
            Frame::Shop,
            vec![
                sign_in().block(),
                link("Forgot the password?", "sign-in/forgotten"),
                link("No account yet?", "register"),
            ],
        )
        .only(guests),
        page("sign-in/refused", "/sign-in", "Sign in", Frame::Shop, vec![sign_in().block()])
            .only(guests)
            .refuses("password", "User name and password do not belong together."),
        page(
            "sign-in/forgotten",
            "/sign-in/forgotten",
            "Forgot the password?",
            Frame::Shop,
            vec![Block::Steps(vec![
                panel("", "It happens", vec![Block::Go("I remember the name of my boat", "boat")]),
                panel(
                    "boat",
                    "The name of your boat",
                    vec![
                        Block::Html("<label>Boat <input name=boat></label>"),
                        Block::Still("Was it this one?"),
                        Block::Go("I do not", ""),
                    ],
                ),
            ])],
        ),
        page(
            "register",
            "/register",
            "Register",
            Frame::Shop,
            vec![
                register().block(),
                dialog(
                    "Read the terms",
                    "terms",
                    "Terms of the account",
                    vec![Block::Still("In plain words"), link("Privacy", "help/privacy")],
                ),
            ],
        ),
        page("register/refused", "/register", "Register", Frame::Shop, vec![register().block()])
            .refuses("user", "That name is taken. Free are names that end in 7."),
        page(
            "register/done",
            "/register/done",
            "We have written to you",
            Frame::Shop,
            vec![text("Open the letter to go on."), Block::Still("Where is the letter?")],
        ),
    ]
}
