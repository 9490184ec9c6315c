//! How many of something there should be. Pure.

use super::backlog::Backlog;

/// What bounds the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The fewest.
    pub(crate) min: u64,
    /// The most.
    pub(crate) max: u64,
    /// The most while there is nothing but background work.
    pub(crate) background_max: u64,
    /// Sessions that one serves.
    pub(crate) slots: u64,
}

/// How many there should be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// How many.
    pub(crate) count: u64,
    /// Why, in a sentence.
    pub(crate) why: String,
}

/// The number that serves the backlog within the bounds: never more than the rates of the hosts let work.
pub(crate) fn wanted(backlog: &Backlog, bounds: Bounds) -> Wanted {
    let sessions = backlog.sessions();
    let needed = sessions.div_ceil(bounds.slots.max(1));
    let yields = sessions > 0 && backlog.is_background() && bounds.background_max < bounds.max;
    let max = if yields { bounds.background_max } else { bounds.max };
    let count = needed.min(max).max(bounds.min);
    let mut why = match sessions {
        0 => "nothing waits".to_owned(),
        1 => "1 job is under way or could begin".to_owned(),
        _ => format!("{sessions} jobs are under way or could begin"),
    };
    if needed > max {
        let bound = if yields { "`backgroundMax`, as there is only background work" } else { "`max`" };
        why += &format!("; at most {max} ({bound})");
    } else if needed < bounds.min {
        why += &format!("; at least {} (`min`)", bounds.min);
    }
    if backlog.held_by_rates > 0 {
        why += &format!(
            "; {} wait for the polite rate of their hosts, which more would not speed up",
            backlog.held_by_rates
        );
    }
    Wanted { count, why }
}

#[cfg(test)]
mod tests {
    use super::super::backlog::Work;
    use super::*;
    use crate::api::campaign::Class;

    const BOUNDS: Bounds = Bounds { min: 0, max: 10, background_max: 3, slots: 4 };

    fn backlog(class: Class, running: u64, ready: u64) -> Backlog {
        Backlog { classes: [(class, Work { running, ready })].into(), held_by_rates: 0 }
    }

    #[track_caller]
    fn check(backlog: &Backlog, bounds: Bounds, count: u64, why: &str) {
        assert_eq!(wanted(backlog, bounds), Wanted { count, why: why.to_owned() });
    }

    #[test]
    fn there_are_as_many_as_serve_what_is_under_way_or_could_begin() {
        check(&backlog(Class::Scheduled, 3, 6), BOUNDS, 3, "9 jobs are under way or could begin");
        check(&backlog(Class::Scheduled, 1, 0), BOUNDS, 1, "1 job is under way or could begin");
        check(&Backlog::default(), BOUNDS, 0, "nothing waits");
        let min = Bounds { min: 2, ..BOUNDS };
        check(&Backlog::default(), min, 2, "nothing waits; at least 2 (`min`)");
        let why = "400 jobs are under way or could begin; at most 10 (`max`)";
        check(&backlog(Class::Scheduled, 0, 400), BOUNDS, 10, why);
    }

    #[test]
    fn background_work_alone_gets_fewer_and_never_holds_up_other_work() {
        let why = "40 jobs are under way or could begin; at most 3 (`backgroundMax`, as there is only background work)";
        check(&backlog(Class::Background, 0, 40), BOUNDS, 3, why);
        let mut both = backlog(Class::Background, 0, 40);
        both.classes.insert(Class::Interactive, Work { running: 0, ready: 1 });
        assert_eq!(wanted(&both, BOUNDS).count, 10);
    }

    #[test]
    fn jobs_that_wait_for_the_rate_of_a_host_start_nothing() {
        let held = Backlog { held_by_rates: 1000, ..backlog(Class::Scheduled, 1, 0) };
        assert_eq!(wanted(&held, BOUNDS).count, 1);
        assert!(wanted(&held, BOUNDS).why.contains("1000 wait for the polite rate"));
    }
}
