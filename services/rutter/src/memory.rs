//! The allocator, and how soon it gives memory back to the system.

/// Thousands of sessions make and drop small things at once; the system's allocator takes longer over them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of the allocator's option for how many milliseconds it keeps memory that nothing uses; the crate has no name for it.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Gives memory that nothing uses back to the system at once, and not after a second, which is the default: a crawler with a thousand
/// sessions held a tenth more by then.
pub(crate) fn give_back_at_once() {
    #[expect(
        unsafe_code,
        reason = "the allocator's options can be set through C only; setting one touches no memory of ours"
    )]
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::{PURGE_DELAY, give_back_at_once};

    #[test]
    fn the_option_is_the_one_that_is_meant() {
        // The allocator of this version keeps memory for a second.
        #[expect(unsafe_code, reason = "as above")]
        let before = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        assert_eq!(before, 1000);
        give_back_at_once();
        #[expect(unsafe_code, reason = "as above")]
        let after = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        assert_eq!(after, 0);
    }
}
