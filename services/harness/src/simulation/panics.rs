//! Sees panics, whoever catches them: a task that panics is an error to whoever waits for it, which may be tried again.

use std::cell::RefCell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// What panicked on this thread while a simulation is under way; nothing otherwise.
    static SEEN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The hook is there once for all threads, and leaves alone what panics outside simulations.
static HOOK: Once = Once::new();

/// Plays something, and says what panicked on its thread meanwhile.
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
