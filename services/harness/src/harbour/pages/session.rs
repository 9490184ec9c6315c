//! Who asks: sessions by cookie, and the accounts of the site.

use crate::harbour::truth::Role;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use serde::Serialize;
use std::collections::HashMap;

/// Somebody who can sign in.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Account {
    /// Who that is to the site.
    pub role: Role,
    /// The user name.
    pub user: &'static str,
    /// The password. Nothing but this test site opens with it.
    pub password: &'static str,
}

/// Everybody who can sign in.
pub const ACCOUNTS: &[Account] = &[
    Account { role: Role::Customer, user: "ann", password: "anchors-aweigh" },
    Account { role: Role::Admin, user: "boatswain", password: "pipe-all-hands" },
];

/// What the site knows of a visitor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session {
    pub(super) role: Role,
    pub(super) has_cart: bool,
    /// How often the stock was asked for.
    pub(super) asked: u64,
}

impl Default for Session {
    fn default() -> Self {
        Self { role: Role::Guest, has_cart: false, asked: 0 }
    }
}

/// All visitors, by what their cookie holds.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: HashMap<String, Session>,
    made: u64,
}

impl Sessions {
    /// The visitor of a request, and the cookie to be set where it is a new one.
    pub(super) fn of(&mut self, headers: &HeaderMap, seed: u64) -> (String, Option<String>) {
        let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let named = cookies.flat_map(|line| line.split(';')).find_map(|part| part.trim().strip_prefix("harbour="));
        if let Some(name) = named.filter(|name| self.all.contains_key(*name)) {
            return (name.to_owned(), None);
        }
        self.made += 1;
        let name = blake3::hash(format!("{seed} {}", self.made).as_bytes()).to_hex()[..24].to_owned();
        self.all.insert(name.clone(), Session::default());
        let cookie = format!("harbour={name}; Path=/; HttpOnly; SameSite=Lax");
        (name, Some(cookie))
    }

    pub(super) fn get(&mut self, name: &str) -> &mut Session {
        self.all.entry(name.to_owned()).or_default()
    }
}

/// The role of who knows a password; none where it is the wrong one.
pub(super) fn role_of(user: &str, password: &str) -> Option<Role> {
    ACCOUNTS.iter().find(|account| account.user == user && account.password == password).map(|account| account.role)
}
