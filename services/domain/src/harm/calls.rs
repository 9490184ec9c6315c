//! Calls by name that only read, though their method does not say so.

use super::trial::reads_by_verb;
use crate::destructive::{command_in_path, spaced, words};

/// What a service says of a thing, behind the name of the thing: `track.info`.
const VIEWS: [&str; 12] = [
    "info", "details", "detail", "status", "history", "summary", "stats", "schema", "count", "preview", "metadata",
    "version",
];

/// Whether a call turns the pages of a list: `nextPage`, `gotoPage`.
fn turns_pages(said: &[String]) -> bool {
    const TURNING: [&str; 8] = ["next", "previous", "prev", "first", "last", "goto", "set", "reset"];
    matches!(said, [verb, page] if page == "page" && TURNING.contains(&verb.as_str()))
}

/// Whether a remote call (JSON-RPC, or the update of a component) is one of a method that reads, by its verb: `rows.list`, `getRows`.
pub(super) fn calls_to_read(fields: &[(String, String)], path: &str) -> bool {
    let calls = |name: &str| matches!(name.to_lowercase().as_str(), "method" | "call" | "action" | "operation");
    // `get-plugin-details` reads; of `get` alone nobody knows what follows, and `list-item` may put it up for sale.
    let says_what = |method: &String| {
        let said = words(&spaced(method));
        said.len() > 1
            && matches!(said[0].as_str(), "get" | "describe" | "view" | "fetch" | "show" | "lookup")
            && said[1] != "rid"
    };
    let is_call = words(&spaced(path)).iter().any(|word| word.ends_with("rpc"))
        || fields.iter().any(|(name, _)| matches!(name.as_str(), "jsonrpc" | "call"));
    let mut methods = fields.iter().filter(|(name, _)| calls(name)).map(|(_, method)| method).peekable();
    let reads = |method: &String| {
        let verb = spaced(method.rsplit('.').next().unwrap_or_default());
        let said = words(&verb);
        let is_view = method.contains('.') && matches!(said.as_slice(), [view] if VIEWS.contains(&view.as_str()));
        command_in_path(&verb).is_none() && (is_view || turns_pages(&said) || reads_by_verb(&said.join(" ")))
    };
    methods.peek().is_some() && methods.all(|method| reads(method) && (is_call || says_what(method)))
}

/// Whether a form of a page is sent back to it to be ordered or paged (ASP.NET): `Sort$Name`, `Page$2`.
pub(super) fn posts_back_to_read(fields: &[(String, String)]) -> bool {
    let said = |field: &str| fields.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str());
    said("__EVENTTARGET").is_some_and(|target| !target.is_empty())
        && said("__EVENTARGUMENT").is_some_and(|said| said.starts_with("Sort$") || said.starts_with("Page$"))
}
