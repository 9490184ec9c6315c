//! Records panics even if they are caught: a panicking task is only an error to its awaiter, which may retry it.

use std::cell::RefCell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// What panicked on this thread while a simulation is under way; nothing otherwise.
    static SEEN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// One hook for all threads; it ignores panics outside simulations.
static HOOK: Once = Once::new();

/// Runs something, and returns the panics on its thread.
pub(super) fn seen<R>(play: impl FnOnce() -> R) -> (R, Vec<String>) {
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            SEEN.with_borrow_mut(|seen| seen.iter_mut().for_each(|seen| seen.push(panic.to_string())));
            usual(panic);
        }));
    });
    SEEN.set(Some(Vec::new()));
    let played = play();
    (played, SEEN.take().unwrap_or_default())
}
