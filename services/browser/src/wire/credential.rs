//! Tells a browser the credential of its profile's gate. The gate challenges the first request; the browser hands the challenge to us,
//! and keeps what we answer for every later request of the profile. That first request is ours, in a tab of its own, before any page is
//! opened: no challenge of a site is ever answered, and no request of a page is held up.

use super::WireError;
use super::bidi::ask;
use super::socket::{Listener, Socket};
use crate::gate::admission::USER;
use serde_json::{Value, json};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An address that leads nowhere, for the request that is challenged.
pub(crate) const NOWHERE: &str = "http://rutter.invalid/";

const CHALLENGED: &str = "network.authRequired";

/// Hears the challenges of one tab.
struct Challenges {
    tab: String,
    requests: UnboundedSender<Value>,
}

impl Listener for Challenges {
    fn on_event(&self, method: &str, params: &Value) {
        if method == CHALLENGED && params["context"] == self.tab.as_str() {
            // The other end is gone once the browser was told.
            let _ = self.requests.send(params["request"]["request"].clone());
        }
    }
}

/// Tells a profile's browser the password of its gate. Whether it came to the gate with it, the gate knows.
pub(super) async fn tell(socket: &Socket, profile: &str, password: &str, patience: Duration) -> Result<(), WireError> {
    let new = json!({"type": "tab", "userContext": profile, "background": true});
    let tab = ask(socket, "browsingContext.create", new, patience).await?["context"].clone();
    let (requests, challenged) = unbounded_channel();
    let challenges = Arc::new(Challenges { tab: tab.as_str().unwrap_or_default().to_owned(), requests });
    let listener: Weak<dyn Listener> = Arc::<Challenges>::downgrade(&challenges);
    socket.add_listener(listener);
    let told = tell_in(socket, &tab, challenged, password, patience).await;
    ask(socket, "browsingContext.close", json!({"context": tab}), patience).await?;
    told
}

async fn tell_in(
    socket: &Socket,
    tab: &Value,
    mut challenged: UnboundedReceiver<Value>,
    password: &str,
    patience: Duration,
) -> Result<(), WireError> {
    let events = json!({"events": [CHALLENGED], "contexts": [tab]});
    let subscription = ask(socket, "session.subscribe", events, patience).await?["subscription"].clone();
    let phases = json!({"phases": ["authRequired"], "contexts": [tab]});
    let intercept = ask(socket, "network.addIntercept", phases, patience).await?["intercept"].clone();
    let going = ask(
        socket,
        "browsingContext.navigate",
        json!({"context": tab, "url": NOWHERE, "wait": "interactive"}),
        patience,
    );
    tokio::pin!(going);
    let mut is_first = true;
    loop {
        tokio::select! {
            // The gate lets nothing through to that address, so that this is no success in any case.
            _ = &mut going => break,
            Some(request) = challenged.recv() => {
                let credentials = json!({"type": "password", "username": USER, "password": password});
                let answer = match std::mem::take(&mut is_first) {
                    true => json!({"request": request, "action": "provideCredentials", "credentials": credentials}),
                    false => json!({"request": request, "action": "cancel"}),
                };
                ask(socket, "network.continueWithAuth", answer, patience).await?;
            }
        }
    }
    ask(socket, "network.removeIntercept", json!({"intercept": intercept}), patience).await?;
    ask(socket, "session.unsubscribe", json!({"subscriptions": [subscription]}), patience).await.map(drop)
}
