//! Decides whether the site refuses to serve at the start of a task, by the page's status and by whether the page is
//! usable anyway. Pure.
//!
//! | status of the page | what is there | |
//! |---|---|---|
//! | below 400, or not known | anything | the task begins |
//! | 429, 5xx | anything | refused: the server says itself that it does not serve now |
//! | any other 4xx | a field to fill in, or a control that the task names; any control for an exploration | the task begins, and the status is noted |
//! | any other 4xx | anything else | refused |
//!
//! Client-side routing and log-in pages answer 4xx and are what the task is about.

use domain::Observation;
use domain::observation::Node;
use domain::page::PageError;
use evaluation::requests::document_status;

/// The site's response at the start of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartPage {
    /// Usable.
    Open,
    /// An error status on a page that is usable anyway.
    Workable {
        /// The status.
        status: u16,
    },
    /// Refused.
    Refused {
        /// The cause as a sentence, with the status.
        cause: String,
    },
}

/// Classifies the page at the start of a task. `instruction` is none for an exploration, for which any control will do.
pub(crate) fn of(first: &Observation, instruction: Option<&str>) -> StartPage {
    let Some(status) = document_status(&first.url, &first.requests).filter(|status| *status >= 400) else {
        return StartPage::Open;
    };
    let is_down = status == 429 || status >= 500;
    let is_of_use =
        |node: &Node| instruction.is_none_or(|instruction| node.is_field_for_data() || is_named(node, instruction));
    if !is_down && first.interactive().any(|(_, node)| is_of_use(node)) {
        return StartPage::Workable { status };
    }
    let words = meaning(status).map(|meaning| format!(" ({meaning})")).unwrap_or_default();
    let refused =
        PageError::Unreachable { url: first.url.clone(), cause: format!("the site answered {status}{words}") };
    StartPage::Refused { cause: refused.to_string() }
}

/// Whether the task mentions its name as whole words.
fn is_named(node: &Node, instruction: &str) -> bool {
    let words = |text: &str| {
        let lower = text.to_lowercase();
        let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let name = words(&node.name);
    !name.is_empty() && words(instruction).windows(name.len()).any(|part| part == name)
}

fn meaning(status: u16) -> Option<&'static str> {
    Some(match status {
        401 => "not logged in",
        403 => "forbidden",
        404 => "not found",
        410 => "gone",
        429 => "too many requests",
        500 => "internal error",
        502 => "bad gateway",
        503 => "unavailable",
        504 => "gateway timeout",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::action::ActionKind;
    use domain::observation::{Request, RequestKind};

    const URL: &str = "http://shop.test/orders";

    fn request(url: &str, status: u16, kind: RequestKind) -> Request {
        Request { method: "GET".into(), url: url.into(), status: Some(status), kind, ..Request::default() }
    }

    fn control(role: &str, name: &str, operation: ActionKind) -> Node {
        Node { role: role.into(), name: name.into(), operations: vec![operation], ..Node::default() }
    }

    fn page(status: u16, nodes: Vec<Node>) -> Observation {
        let requests = vec![request(URL, status, RequestKind::Document)];
        Observation { url: URL.into(), nodes: nodes.into(), requests, ..Observation::default() }
    }

    fn is_refused(start: StartPage) -> bool {
        matches!(start, StartPage::Refused { .. })
    }

    #[test]
    fn a_server_that_does_not_serve_now_is_not_worked_with_whatever_its_page_shows() {
        for status in [429, 500, 502, 503, 504] {
            let again = control("button", "Order", ActionKind::Click);
            assert!(is_refused(of(&page(status, vec![again]), Some("Press Order"))), "{status}");
        }
    }

    #[test]
    fn a_page_that_is_not_there_is_refused_with_its_status_although_it_has_links_and_a_search() {
        let around =
            || vec![control("link", "Home", ActionKind::Click), control("searchbox", "Search", ActionKind::Type)];
        for status in [401, 403, 404, 410] {
            let StartPage::Refused { cause } = of(&page(status, around()), Some("Press Order")) else {
                panic!("{status}")
            };
            assert!(cause.contains(&status.to_string()) && cause.contains(URL), "{cause}");
        }
    }

    #[test]
    fn a_log_in_and_a_control_that_the_task_names_are_worked_with() {
        let field = control("textbox", "Password", ActionKind::Type);
        assert_eq!(of(&page(401, vec![field]), Some("Log in as Ana")), StartPage::Workable { status: 401 });
        let named = || vec![control("button", "New order", ActionKind::Click)];
        assert_eq!(of(&page(404, named()), Some("Press \"New order\".")), StartPage::Workable { status: 404 });
        assert!(is_refused(of(&page(404, named()), Some("Press Renew orders"))), "words count whole");
    }

    #[test]
    fn an_exploration_goes_on_from_any_page_that_leads_somewhere() {
        let link = || vec![control("link", "Home", ActionKind::Click)];
        assert_eq!(of(&page(404, link()), None), StartPage::Workable { status: 404 });
        assert!(is_refused(of(&page(404, Vec::new()), None)));
        assert!(is_refused(of(&page(502, link()), None)));
    }

    #[test]
    fn what_the_page_requests_for_itself_and_redirects_on_the_way_are_not_its_answer() {
        let mut page = page(200, Vec::new());
        page.requests.insert(0, request("http://shop.test/old", 302, RequestKind::Document));
        page.requests.push(request(URL, 503, RequestKind::Script));
        page.requests.push(request("http://shop.test/logo", 404, RequestKind::Resource));
        assert_eq!(of(&page, Some("")), StartPage::Open);
        page.requests.clear();
        assert_eq!(of(&page, Some("")), StartPage::Open, "nothing is known");
    }
}
