//! Cart and checkout.

use super::build::{deed, dialog, field, form, link, page, panel, picker, text};
use super::words::{Accepts, Block, DestructiveKind, DestructiveStyle, Form, Frame, Kind, Living, Page};

fn coupon() -> Form {
    form(
        "coupon",
        "/cart/coupon",
        "Use the coupon",
        "cart/cheaper",
        vec![field("code", "Code", Kind::Text, "TIDE5").required()],
    )
    .rule("code", Accepts::Starts("TIDE"), "HELLO", "cart/coupon-refused")
}

fn address() -> Form {
    form(
        "address",
        "/checkout/address",
        "On to delivery",
        "checkout/delivery",
        vec![
            field("name", "Name", Kind::Text, "Ann Bell").required().with("minlength=2"),
            field("street", "Street", Kind::Text, "Quay 1").required(),
            field("code", "Post code", Kind::Text, "20123").required().with("pattern='[0-9]{5}'"),
        ],
    )
    .rule("code", Accepts::Between(20000, 29999), "10115", "checkout/address-refused")
}

pub(super) fn pages() -> Vec<Page> {
    vec![
        page(
            "cart/empty",
            "/cart",
            "Your cart is empty",
            Frame::Shop,
            vec![link("Fill it", "catalogue"), link("Sets are cheaper", "catalogue/special")],
        )
        .on_the_way(),
        page(
            "cart/filled",
            "/cart",
            "Your cart",
            Frame::Shop,
            vec![
                Block::Living(Living::Cart),
                Block::Form(form("later", "/cart/later", "Keep all for later", "cart/empty", vec![])),
                deed("Delete all items", DestructiveStyle::Icon, DestructiveKind::Delete, "/cart/clear"),
                Block::Sections(vec![
                    panel(
                        "shipping",
                        "What does shipping cost?",
                        vec![Block::Still("Weigh the cart"), link("Countries", "help/delivery")],
                    ),
                    panel(
                        "gift",
                        "Is it a gift?",
                        vec![
                            form(
                                "gift",
                                "/cart/gift",
                                "Wrap it",
                                "cart/wrapped",
                                vec![field("words", "On the card", Kind::Text, "For you").with("maxlength=60")],
                            )
                            .block(),
                        ],
                    ),
                ]),
                dialog("I have a coupon", "coupon", "Your coupon", vec![coupon().block()]),
                link("To the checkout", "checkout/address"),
            ],
        )
        .on_the_way(),
        page("cart/coupon-refused", "/cart/coupon", "Your coupon", Frame::Checkout, vec![coupon().block()])
            .refuses("code", "There is no such coupon. Coupons of this week begin with TIDE."),
        page(
            "cart/cheaper",
            "/cart/cheaper",
            "That made it cheaper",
            Frame::Checkout,
            vec![Block::Still("Show the sum"), link("To the checkout", "checkout/address")],
        ),
        page(
            "cart/wrapped",
            "/cart/wrapped",
            "It will be wrapped",
            Frame::Checkout,
            vec![Block::Still("Other paper"), Block::Still("Other ribbon")],
        ),
        page(
            "checkout/address",
            "/checkout/address",
            "Where to?",
            Frame::Checkout,
            vec![address().block(), link("I would rather fetch it", "checkout/delivery")],
        ),
        page("checkout/address-refused", "/checkout/address", "Where to?", Frame::Checkout, vec![address().block()])
            .refuses("code", "We deliver to post codes from 20000 to 29999."),
        page(
            "checkout/delivery",
            "/checkout/delivery",
            "How and when?",
            Frame::Checkout,
            vec![
                Block::Fault("delivery-undeclared"),
                picker("On which day", "days"),
                form(
                    "delivery",
                    "/checkout/delivery",
                    "On to payment",
                    "checkout/payment",
                    vec![field("how", "How", Kind::Radio(&["boat", "cart", "gull"]), "boat").required()],
                )
                .block(),
                link("Another address", "checkout/address"),
            ],
        ),
        page(
            "checkout/payment",
            "/checkout/payment",
            "How will it be paid?",
            Frame::Checkout,
            vec![Block::Tabs(vec![
                panel(
                    "",
                    "By card",
                    vec![
                        form(
                            "card",
                            "/checkout/payment",
                            "Look at it all",
                            "checkout/review",
                            vec![
                                field("number", "Card number", Kind::Text, "4111 1111 1111 1111")
                                    .required()
                                    .with("pattern='[0-9 ]{12,23}' inputmode=numeric"),
                                field("month", "Valid until", Kind::Text, "12/31")
                                    .required()
                                    .with("pattern='[0-9]{2}/[0-9]{2}' placeholder=MM/YY"),
                            ],
                        )
                        .block(),
                    ],
                ),
                panel(
                    "invoice",
                    "By invoice",
                    vec![
                        form(
                            "invoice",
                            "/checkout/invoice",
                            "Look at it all",
                            "checkout/review",
                            vec![
                                field("firm", "Firm", Kind::Text, "Bell & Co").required(),
                                field("agree", "I pay within two weeks", Kind::Check, "on").required(),
                            ],
                        )
                        .block(),
                    ],
                ),
                panel(
                    "cash",
                    "In cash",
                    vec![
                        text("At the quay, between the tides."),
                        link("Where is the quay?", "help/imprint"),
                        link("I shall come", "checkout/review"),
                    ],
                ),
            ])],
        ),
        page(
            "checkout/review",
            "/checkout/review",
            "Is all this right?",
            Frame::Checkout,
            vec![
                link("Another address", "checkout/address"),
                link("Another delivery", "checkout/delivery"),
                link("Another way to pay", "checkout/payment"),
                dialog(
                    "Our terms",
                    "terms",
                    "The terms",
                    vec![Block::Still("In large letters"), link("About returns", "help/returns")],
                ),
                deed("Pay now", DestructiveStyle::Button, DestructiveKind::Pay, "/checkout/pay"),
            ],
        ),
        page("done", "/done", "That is done", Frame::Shop, vec![text("It cannot be undone.")]).on_the_way(),
    ]
}
