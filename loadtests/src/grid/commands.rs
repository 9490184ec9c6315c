//! The commands of WebDriver BiDi that `browser` sends. Anything else is answered as unknown.

use super::events::{self, Load};
use super::fetch::Network;
use super::nature::{Accident, Work};
use super::script;
use super::session::Session;
use super::tab::{Source, Tab};
use super::{GridState, count};
use platform::spawn;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use url::Url;

#[derive(Deserialize)]
struct Command<'c> {
    id: u64,
    method: &'c str,
    #[serde(borrow)]
    params: &'c RawValue,
}

/// Why a command failed: BiDi's error code and a message.
struct Failed(&'static str, String);

type Answer = Result<String, Failed>;

const NOTHING: &str = "{}";

/// Carries out one command and answers it, after as long as it takes.
pub(super) async fn carry_out(session: Arc<Session>, shared: Arc<GridState>, text: Utf8Bytes) {
    let Ok(command) = serde_json::from_str::<Command<'_>>(&text) else {
        session.send(refused("null", &Failed("invalid argument", "the command cannot be read".to_owned())));
        return;
    };
    let work = work_of(command.method);
    let (takes, accident) = {
        let mut state = session.state();
        (state.dice.takes(work), state.dice.accident())
    };
    if !takes.is_zero() {
        sleep(takes).await;
    }
    if accident == Some(Accident::SessionLost) {
        count(&shared.counted.sessions_lost);
        shared.end(&session.id);
        return;
    }
    let params: Value = match command.method {
        // Long, and of no consequence here.
        "script.addPreloadScript" => Value::Null,
        _ => serde_json::from_str(command.params.get()).unwrap_or_default(),
    };
    let crashes = accident == Some(Accident::PageCrash);
    let answer = match crash(&session, &shared, &params, crashes) {
        Err(failed) => Err(failed),
        Ok(()) => answer(&session, &shared, command.method, params).await,
    };
    let id = command.id.to_string();
    session.send(match answer {
        Ok(result) => format!("{{\"type\":\"success\",\"id\":{id},\"result\":{result}}}"),
        Err(failed) => refused(&id, &failed),
    });
}

fn refused(id: &str, Failed(error, message): &Failed) -> String {
    let message = Value::from(message.as_str());
    format!("{{\"type\":\"error\",\"id\":{id},\"error\":\"{error}\",\"message\":{message}}}")
}

fn work_of(method: &str) -> Work {
    match method {
        "script.evaluate" => Work::Script,
        "input.performActions" => Work::Input,
        "browsingContext.navigate" | "browsingContext.traverseHistory" => Work::Navigation,
        "browsingContext.captureScreenshot" => Work::Screenshot,
        "browser.createUserContext" | "browsingContext.create" => Work::Context,
        _ => Work::Script,
    }
}

/// The tab that a command is for.
fn context(params: &Value) -> &str {
    let of_script = params["target"]["context"].as_str();
    of_script.or_else(|| params["context"].as_str()).unwrap_or_default()
}

/// Fails commands to a tab whose page crashed, now or before. Closing it is still possible.
fn crash(session: &Session, shared: &GridState, params: &Value, crashes: bool) -> Result<(), Failed> {
    let mut state = session.state();
    let Some(tab) = state.tabs.get_mut(context(params)) else { return Ok(()) };
    if crashes && !tab.crashed {
        tab.crashed = true;
        count(&shared.counted.pages_crashed);
    }
    if tab.crashed { Err(Failed("unknown error", "tab crashed".to_owned())) } else { Ok(()) }
}

async fn answer(session: &Arc<Session>, shared: &Arc<GridState>, method: &str, params: Value) -> Answer {
    match method {
        "browser.createUserContext" => Ok(create_user_context(session, shared, &params)),
        "browser.removeUserContext" => remove_user_context(session, &params),
        "browsingContext.create" => create(session, &params),
        "browsingContext.close" => close(session, &params),
        "browsingContext.navigate" => {
            let navigated = navigate(session, shared, context(&params), text(&params, "url"), None).await;
            navigated.map(|navigation| json!({"navigation": navigation, "url": params["url"]}).to_string())
        }
        "browsingContext.traverseHistory" => traverse(session, shared, &params).await,
        "browsingContext.captureScreenshot" => Ok(format!("{{\"data\":\"{}\"}}", shared.picture)),
        "script.evaluate" => evaluate(session, &params),
        "script.addPreloadScript" => Ok(json!({"script": session.state().name("script")}).to_string()),
        "input.performActions" => perform(session, shared, params),
        "storage.getCookies" => Ok(r#"{"cookies":[],"partitionKey":{}}"#.to_owned()),
        "session.status" => Ok(r#"{"ready":false,"message":"already connected"}"#.to_owned()),
        "session.subscribe" => Ok(json!({"subscription": session.state().name("subscription")}).to_string()),
        "session.end" => {
            shared.end(&session.id);
            Ok(NOTHING.to_owned())
        }
        "browser.setDownloadBehavior"
        | "browsingContext.activate"
        | "browsingContext.setViewport"
        | "emulation.setLocaleOverride"
        | "script.removePreloadScript"
        | "storage.setCookie" => Ok(NOTHING.to_owned()),
        _ => Err(Failed("unknown command", format!("a simulated browser does not know `{method}`"))),
    }
}

fn text<'v>(params: &'v Value, name: &str) -> &'v str {
    params[name].as_str().unwrap_or_default()
}

fn create_user_context(session: &Session, shared: &GridState, params: &Value) -> String {
    count(&shared.counted.contexts);
    let proxy = params["proxy"]["httpProxy"].as_str().map(str::to_owned);
    let mut state = session.state();
    let name = state.name("profile");
    state.profiles.insert(name.clone(), Arc::new(tokio::sync::Mutex::new(Network::through(proxy))));
    json!({"userContext": name}).to_string()
}

fn remove_user_context(session: &Session, params: &Value) -> Answer {
    let profile = text(params, "userContext");
    let gone: Vec<(String, Tab)> = {
        let mut state = session.state();
        if state.profiles.remove(profile).is_none() {
            return Err(Failed("no such user context", format!("`{profile}`")));
        }
        state.tabs.extract_if(|_, tab| tab.profile == profile).collect()
    };
    for (name, tab) in gone {
        let params = events::context(&name, profile, &tab.url);
        session.send(events::event("browsingContext.contextDestroyed", &params));
    }
    Ok(NOTHING.to_owned())
}

fn create(session: &Session, params: &Value) -> Answer {
    let profile = text(params, "userContext");
    let name = {
        let mut state = session.state();
        if !state.profiles.contains_key(profile) {
            return Err(Failed("no such user context", format!("`{profile}`")));
        }
        let name = state.name("tab");
        state.tabs.insert(name.clone(), Tab::new(profile));
        name
    };
    session.send(events::event("browsingContext.contextCreated", &events::context(&name, profile, "about:blank")));
    Ok(json!({"context": name}).to_string())
}

fn close(session: &Session, params: &Value) -> Answer {
    let name = context(params);
    let Some(tab) = session.state().tabs.remove(name) else { return Err(no_such_tab(name)) };
    let params = events::context(name, &tab.profile, &tab.url);
    session.send(events::event("browsingContext.contextDestroyed", &params));
    Ok(NOTHING.to_owned())
}

fn no_such_tab(name: &str) -> Failed {
    Failed("no such frame", format!("there is no browsing context `{name}`"))
}

fn evaluate(session: &Session, params: &Value) -> Answer {
    let asked = script::recognise(text(params, "expression"));
    let name = context(params);
    let mut state = session.state();
    let tab = state.tabs.get_mut(name).ok_or_else(|| no_such_tab(name))?;
    Ok(script::answer(asked, tab))
}

/// Carries out input. Where it leads to another page, the load has begun when it is answered, and goes on by itself.
fn perform(session: &Arc<Session>, shared: &Arc<GridState>, mut params: Value) -> Answer {
    let sources: Vec<Source> = serde_json::from_value(params["actions"].take())
        .map_err(|error| Failed("invalid argument", format!("read the actions: {error}")))?;
    let name = context(&params).to_owned();
    let (leads_to, takes) = {
        let mut state = session.state();
        let tab = state.tabs.get_mut(&name).ok_or_else(|| no_such_tab(&name))?;
        let base = Url::parse(&tab.url);
        let leads_to = tab.perform(&sources).and_then(|address| base.ok()?.join(&address).ok());
        let takes = if leads_to.is_some() { state.dice.takes(Work::Navigation) } else { Default::default() };
        (leads_to, takes)
    };
    if let Some(url) = leads_to {
        let load = begin(session, &name, url.as_str())?;
        let (session, shared) = (session.clone(), shared.clone());
        spawn::detached("command", async move {
            sleep(takes).await;
            if let Err(Failed(_, cause)) = go_on(&session, &shared, load, &name, &url, None).await {
                tracing::debug!(cause, "a link led nowhere");
            }
        });
    }
    Ok(NOTHING.to_owned())
}

async fn traverse(session: &Session, shared: &GridState, params: &Value) -> Answer {
    let name = context(params);
    let step = {
        let state = session.state();
        let tab = state.tabs.get(name).ok_or_else(|| no_such_tab(name))?;
        tab.in_history(params["delta"].as_i64().unwrap_or(0)).map(|(at, url)| (at, url.to_owned()))
    };
    let Some((at, url)) = step else {
        return Err(Failed("no such history entry", "the tab's history does not go that far".to_owned()));
    };
    navigate(session, shared, name, &url, Some(at)).await.map(|_| NOTHING.to_owned())
}

async fn navigate(
    session: &Session,
    shared: &GridState,
    name: &str,
    url: &str,
    in_history: Option<usize>,
) -> Result<String, Failed> {
    let address = Url::parse(url).map_err(|error| Failed("invalid argument", format!("`{url}`: {error}")))?;
    let navigation = begin(session, name, url)?;
    go_on(session, shared, navigation.clone(), name, &address, in_history).await?;
    Ok(navigation)
}

/// Tells that a load began; answers its name.
fn begin(session: &Session, name: &str, url: &str) -> Result<String, Failed> {
    let (profile, navigation) = {
        let mut state = session.state();
        let tab = state.tabs.get(name).ok_or_else(|| no_such_tab(name))?;
        (tab.profile.clone(), state.name("navigation"))
    };
    let load = Load { context: name, profile: &profile, url, navigation };
    session.send(events::event("browsingContext.navigationStarted", &load.navigation()));
    Ok(load.navigation)
}

/// Loads the page and tells what came of it.
async fn go_on(
    session: &Session,
    shared: &GridState,
    navigation: String,
    name: &str,
    url: &Url,
    in_history: Option<usize>,
) -> Result<(), Failed> {
    let (profile, network) = {
        let state = session.state();
        let tab = state.tabs.get(name).ok_or_else(|| no_such_tab(name))?;
        (tab.profile.clone(), state.profiles.get(&tab.profile).cloned())
    };
    let network = network.ok_or_else(|| no_such_tab(name))?;
    let load = Load { context: name, profile: &profile, url: url.as_str(), navigation };
    let tell = |method: &str, params: Value| session.send(events::event(method, &params));
    let answer = if url.scheme() == "http" {
        tell("network.beforeRequestSent", load.request());
        count(&shared.counted.page_loads);
        network.lock().await.load(url).await
    } else if url.as_str() == "about:blank" {
        Ok((200, 0))
    } else {
        Err("net::ERR_UNKNOWN_URL_SCHEME") // there is no TLS here
    };
    match answer {
        // No content: the page stays where it is. This is how the gate refuses what lies outside of the scope.
        Ok((204, _)) => {
            tell("network.responseCompleted", load.response(204, 0));
            tell("browsingContext.navigationAborted", load.navigation());
            Err(Failed("unknown error", "net::ERR_ABORTED".to_owned()))
        }
        Ok((status, length)) => {
            if let Some(tab) = session.state().tabs.get_mut(name) {
                tab.arrive(&shared.book, url, status == 200, in_history);
            }
            tell("network.responseStarted", load.response(status, length));
            tell("browsingContext.navigationCommitted", load.navigation());
            tell("network.responseCompleted", load.response(status, length));
            Ok(())
        }
        Err(cause) => {
            tell("network.fetchError", load.failure(cause));
            tell("browsingContext.navigationFailed", load.navigation());
            Err(Failed("unknown error", cause.to_owned()))
        }
    }
}
