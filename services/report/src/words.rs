//! Actions, effects, endings and checks in words for people. Pure.

use domain::action::Claim;
use domain::observation::Request;
use domain::task::{Check, ElementCheck, FaultCheck, TextMatch};
use domain::text::shorten;
use domain::words::{self, Detail};
use domain::{Action, Descriptor, Effect, Ending, PageDifference};

/// What differs on the page after a step, a line for each kind of it.
pub fn difference(difference: &PageDifference) -> Vec<String> {
    words::difference(difference, &Detail::FULL)
}

/// A request and its answer.
pub fn request(request: &Request) -> String {
    words::request(request, &Detail::FULL)
}

/// An action.
pub fn action(action: &Action<Descriptor>) -> String {
    words::capitalised(&words::action(action, &Detail::FULL))
}

fn stopped(claim: &Claim, answer: Option<&str>) -> String {
    let said = match claim {
        Claim::Done => "The actor says that it is done".into(),
        Claim::Infeasible { reason } => format!("The actor says that it cannot be done: {reason}"),
        Claim::GaveUp { reason } => format!("The actor gave up: {reason}"),
    };
    answer.map_or(said.clone(), |answer| format!("{said}, and answers {}", quoted(answer)))
}

/// An effect: a word for its colour, and a sentence.
pub fn effect(effect: &Effect) -> (&'static str, String) {
    let class = match effect {
        Effect::Changed { .. } => "good",
        Effect::NoChange => "dull",
        Effect::Rejected { .. } | Effect::Failed { .. } | Effect::Unconfirmed { .. } | Effect::LeftScope { .. } => {
            "bad"
        }
    };
    (class, words::effect(effect, &Detail::FULL))
}

/// Why an attempt ended.
pub fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Stopped { claim, answer } => stopped(claim, answer.as_deref()),
        Ending::EnvironmentOver => "The page ended the episode".into(),
        Ending::StepLimit { steps } => format!("Limit of {steps} steps reached"),
        Ending::TimeLimit { seconds } => format!("Limit of {seconds} s reached"),
        Ending::RepeatedAction { times } => format!("The same action was tried {times} times on an unchanged page"),
        Ending::InvalidDecisions { cause } => format!("Too many invalid decisions: {cause}"),
        Ending::LeftScope { url } => format!("Left the scope: {url}"),
        Ending::PlannerFailed { cause } => format!("The planner could not answer: {cause}"),
        Ending::Throttled { cause } => format!("Throttled: {cause}"),
        Ending::SiteUnreachable { cause } => format!("The site could not be opened: {cause}"),
        Ending::EnvironmentFailed { cause } => format!("The environment could not be set up: {cause}"),
        Ending::BrowserFailed { cause } => format!("The browser failed: {cause}"),
        Ending::DialogLoop { dialogs } => format!("The page opened {dialogs} dialogs in a row"),
        Ending::Drifted { step, cause } => format!("Step {step} no longer fits the page: {cause}"),
        Ending::Interrupted => "Interrupted".into(),
    }
}

/// A check.
pub fn check(check: &Check) -> String {
    match check {
        Check::Url(wanted) => format!("the address {}", comparison(wanted)),
        Check::Text(wanted) => format!("the page's text {}", comparison(wanted)),
        Check::Element(wanted) => format!("there is {}", wanted_element(wanted)),
        Check::Value(wanted) => format!("the value of {} {}", wanted_element(&wanted.of), comparison(&wanted.is)),
        Check::Answer(wanted) => format!("the answer {}", comparison(wanted)),
        Check::Request(wanted) => {
            let method = wanted.method.as_deref().map(|method| format!("{method} ")).unwrap_or_default();
            let status = wanted.status.map(|status| format!(" and was answered {status}")).unwrap_or_default();
            format!("a {method}request was made whose address {}{status}", comparison(&wanted.url))
        }
        Check::Fault(wanted) => fault(wanted),
        Check::PageState(wanted) => format!("the value of {} is {}", quoted(&wanted.expression), wanted.equals),
        Check::All(_) => "all of these hold".into(),
        Check::Any(_) => "at least one of these holds".into(),
        Check::Not(inner) => format!("not: {}", self::check(inner)),
    }
}

fn fault(wanted: &FaultCheck) -> String {
    let own = match wanted.first_party {
        Some(true) => " of the site's own",
        Some(false) => " of somebody else's",
        None => "",
    };
    let category = wanted.category.map(|category| format!(" ({category:?})")).unwrap_or_default();
    let message = wanted.message.as_ref().map(|message| format!(" whose message {}", comparison(message)));
    let source = wanted.source.as_ref().map(|source| format!(" whose source {}", comparison(source)));
    format!("the browser reported a fault{own}{category}{}{}", message.unwrap_or_default(), source.unwrap_or_default())
}

fn comparison(wanted: &TextMatch) -> String {
    match wanted {
        TextMatch::Equals(text) => format!("is {}", quoted(text)),
        TextMatch::Contains(text) => format!("contains {}", quoted(text)),
        TextMatch::Matches(pattern) => format!("matches /{pattern}/"),
    }
}

fn wanted_element(wanted: &ElementCheck) -> String {
    let mut words = vec![format!("an element {}", wanted.role.as_deref().unwrap_or_default()).trim_end().to_owned()];
    words.extend(wanted.name.as_ref().map(|name| format!("whose name {}", comparison(name))));
    words.extend(wanted.text.as_ref().map(|text| format!("whose text {}", comparison(text))));
    words.extend(wanted.attributes.iter().map(|(name, value)| format!("with {name}={}", quoted(value))));
    words.extend(
        wanted.checked.map(|checked| if checked { "that is checked" } else { "that is not checked" }.to_owned()),
    );
    words.join(" ")
}

fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    format!("“{}”", shorten(text, LONGEST))
}

/// Milliseconds as people say them.
pub fn duration(milliseconds: f64) -> String {
    if milliseconds < 1_000.0 {
        return format!("{milliseconds:.0} ms");
    }
    let seconds = milliseconds / 1_000.0;
    if seconds < 90.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 5_400 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", whole / 3600, whole / 60 % 60)
    }
}
