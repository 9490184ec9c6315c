//! The navigation around pages, by who looks.

use super::build::{deed, link, link_to_either};
use super::words::{Block, DestructiveKind, DestructiveStyle, EVERYBODY, Frame, Role};

/// The ways that stand around every page of a frame, and who sees each.
pub fn ways(frame: Frame) -> Vec<(&'static [Role], Block)> {
    let everybody = |blocks: Vec<Block>| blocks.into_iter().map(|block| (EVERYBODY, block)).collect::<Vec<_>>();
    let sign_out = || deed("Sign out", DestructiveStyle::Link, DestructiveKind::LogOut, "/sign-out");
    match frame {
        Frame::Shop => {
            let mut ways = everybody(vec![
                link("Home", "home"),
                link("Catalogue", "catalogue"),
                link("Services", "services"),
                link("Help", "help"),
                link_to_either("Cart", "/cart", &["cart/empty", "cart/filled"]),
                link("Imprint", "help/imprint"),
            ]);
            ways.push((&[Role::Guest], link("Sign in", "sign-in")));
            ways.push((&[Role::Customer], link("My account", "account")));
            ways.push((&[Role::Admin], link("The bridge", "staff")));
            ways
        }
        Frame::Checkout => everybody(vec![link_to_either("Back to the cart", "/cart", &["cart/empty", "cart/filled"])]),
        Frame::Services => everybody(vec![link("Home", "home"), link("All services", "services")]),
        Frame::Workshop => everybody(vec![link("Workshop floor", "workshop"), link("Leave the workshop", "services")]),
        Frame::Help => {
            everybody(vec![link("Home", "home"), link("Help centre", "help"), link("Contact", "help/contact")])
        }
        Frame::Account => everybody(vec![
            link("Shop", "home"),
            link("Overview", "account"),
            link("Orders", "account/orders"),
            link("Messages", "account/messages"),
            link("Settings", "account/settings"),
            sign_out(),
        ]),
        Frame::Admin => everybody(vec![
            link("Shop", "home"),
            link("Bridge", "staff"),
            link("Stock", "staff/stock"),
            link("Orders", "staff/orders"),
            link("People", "staff/people"),
            sign_out(),
        ]),
        Frame::Embedded => Vec::new(),
    }
}
