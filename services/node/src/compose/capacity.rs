//! How many jobs the Grid has room for, asked again and again: nodes come and go, and so do the jobs that hold its sessions.
//!
//! A job is claimed before anybody knows its kind, and kinds share browsers differently. So a worker is told no more jobs than
//! the Grid could serve whatever kinds those still to come are of: none of them waits for a session while it
//! holds a claim. What that leaves unused are the last places of browsers that a kind of many jobs per browser has begun.

use super::pages::{Demand, Pages};
use crate::config::Density;
use browser::grid::{Grid, GridError};
use platform::health::Latch;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(5);

/// Tells a worker how many jobs it may hold, until asked to end: none before a browser has been seen to reach this machine. While the Grid does not answer, what it last said holds, and
/// the latch says why; an endpoint that is no Grid, such as a driver, has as much room as it gives sessions.
pub(crate) async fn tell_capacity(
    grid: Grid,
    pages: Pages,
    density: Density,
    room: watch::Sender<usize>,
    latch: Latch,
    shutdown: CancellationToken,
) {
    let mut demand = pages.demand();
    if !is_reached(&pages, &latch, &shutdown).await {
        return;
    }
    let mut sessions: Option<u32> = None;
    let mut was_seen = true;
    loop {
        match grid.capacity().await {
            Ok(capacity) => {
                was_seen = true;
                if sessions.replace(capacity.slots) != Some(capacity.slots) {
                    tracing::info!(sessions = capacity.slots, "the Grid has room");
                }
                match capacity.slots {
                    0 => latch.wait("the Grid has no node that gives sessions"),
                    _ => latch.set(),
                }
            }
            Err(error) => {
                if matches!(error, GridError::NoGrid { .. }) && sessions.is_none() {
                    room.send_replace(usize::MAX);
                    latch.set();
                } else {
                    latch.wait(error.to_string());
                }
                if std::mem::take(&mut was_seen) {
                    tracing::warn!(%error, "the Grid does not say how much room it has");
                }
            }
        }
        let asked_again = tokio::time::sleep(EVERY);
        tokio::pin!(asked_again);
        loop {
            let now = *demand.borrow_and_update();
            if let Some(sessions) = sessions {
                let jobs = density.room(sessions, now);
                room.send_if_modified(|room| std::mem::replace(room, jobs) != jobs);
            }
            tokio::select! {
                () = &mut asked_again => break,
                Ok(()) = demand.changed() => {}
                () = shutdown.cancelled() => return,
            }
        }
    }
}

/// Waits until a browser has come to its gate; the latch says why none does. Whether that was before the end.
async fn is_reached(pages: &Pages, latch: &Latch, shutdown: &CancellationToken) -> bool {
    let mut is_told = false;
    loop {
        let error = tokio::select! {
            reached = pages.reach() => match reached {
                Ok(()) => return true,
                Err(error) => error,
            },
            () = shutdown.cancelled() => return false,
        };
        match &error {
            // A Grid that is full is nothing that this process lacks.
            browser::Error::SessionRefused { .. } => latch.set(),
            other => latch.wait(other.to_string()),
        }
        if !error.is_no_slot() && !std::mem::replace(&mut is_told, true) {
            tracing::error!(%error, "no job is claimed, since no browser reaches this process");
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = shutdown.cancelled() => return false,
        }
    }
}

impl Density {
    /// How many jobs may be held on so many sessions, given those that are held already: one less than the fewest that could
    /// want a browser more than there is room for.
    fn room(self, sessions: u32, held: Demand) -> usize {
        let tasks = Places::of(held.tasks, self.task_contexts_per_browser);
        let benchmarks = Places::of(held.benchmarks, self.benchmark_contexts_per_browser);
        let free = sessions.saturating_sub(tasks.browsers + benchmarks.browsers);
        // From one browser of each kind on, the number of jobs is linear in how they are split: the least is at an end.
        let splits = [0, 1, free, free + 1];
        let wanted = splits.map(|of_tasks| tasks.begin(of_tasks) + benchmarks.begin(free + 1 - of_tasks));
        let more = wanted.into_iter().min().unwrap_or(1) - 1;
        (u64::from(held.tasks) + u64::from(held.benchmarks) + more) as usize
    }
}

/// The browsers of one kind of jobs.
struct Places {
    /// How many jobs share one.
    each: u32,
    /// Those that are held.
    browsers: u32,
    /// Places in them that nobody has.
    empty: u32,
}

impl Places {
    fn of(jobs: u32, each: u32) -> Self {
        let each = each.max(1);
        let browsers = jobs.div_ceil(each);
        Self { each, browsers, empty: browsers * each - jobs }
    }

    /// The fewest jobs that want so many further browsers.
    fn begin(&self, browsers: u32) -> u64 {
        match browsers {
            0 => 0,
            some => u64::from(self.empty) + 1 + u64::from(some - 1) * u64::from(self.each),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::pages::Pages;
    use crate::config::BrowserConfig;
    use domain::TaskId;
    use domain::campaign::Failure;
    use domain::job::Work;
    use domain::page::PageError;
    use domain::task::{Limits, Site, Task};
    use std::collections::BTreeMap;
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    fn density(tasks: u32, benchmarks: u32) -> Density {
        Density { task_contexts_per_browser: tasks, benchmark_contexts_per_browser: benchmarks, ..Density::default() }
    }

    fn held(tasks: u32, benchmarks: u32) -> Demand {
        Demand { tasks, benchmarks }
    }

    #[test]
    fn tasks_that_have_a_browser_each_are_as_many_as_there_are_sessions_however_benchmarks_share() {
        let usual = Density::default();
        assert_eq!(usual.room(2, held(0, 0)), 2);
        assert_eq!(usual.room(2, held(1, 0)), 2);
        assert_eq!(usual.room(2, held(2, 0)), 2);
    }

    #[test]
    fn benchmarks_that_share_a_browser_make_room_for_more() {
        let usual = density(1, 4);
        assert_eq!(usual.room(2, held(0, 2)), 3, "both are in one browser, and a task may have the other");
        assert_eq!(usual.room(2, held(0, 4)), 5);
        assert_eq!(usual.room(2, held(0, 5)), 5, "a task would find no session");
        assert_eq!(usual.room(2, held(1, 3)), 4);
    }

    #[test]
    fn whatever_kinds_come_all_that_are_claimed_find_a_session() {
        for (tasks, benchmarks) in [(1, 1), (1, 4), (10, 4), (3, 3), (0, 2)] {
            let density = density(tasks, benchmarks);
            let browsers =
                |held: Demand| held.tasks.div_ceil(tasks.max(1)) + held.benchmarks.div_ceil(benchmarks.max(1));
            for sessions in 0..6 {
                for now in (0..40).flat_map(|tasks| (0..20).map(move |benchmarks| held(tasks, benchmarks))) {
                    if browsers(now) > sessions {
                        continue;
                    }
                    let more = density.room(sessions, now) as u32 - now.tasks - now.benchmarks;
                    for new_tasks in 0..=more {
                        let then = held(now.tasks + new_tasks, now.benchmarks + more - new_tasks);
                        assert!(browsers(then) <= sessions, "{sessions} sessions: {now:?} became {then:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_grid_that_lost_nodes_gives_no_room_beyond_what_is_held() {
        assert_eq!(density(1, 4).room(1, held(3, 2)), 5);
        assert_eq!(density(1, 4).room(0, held(0, 0)), 0);
    }

    /// Answers every request with a page, as a proxy does whose Grid is gone.
    async fn page_of_html() -> MockServer {
        let server = MockServer::start().await;
        let page = ResponseTemplate::new(200).set_body_raw("<!doctype html><h1>Welcome</h1>", "text/html");
        Mock::given(any()).respond_with(page).mount(&server).await;
        server
    }

    fn visit() -> Work {
        let task = Task {
            id: TaskId::new("a"),
            site: None,
            start_url: "http://shop.example/".into(),
            instruction: "look around".into(),
            parameters: BTreeMap::new(),
            check: None,
            gold: None,
            limits: Limits::default(),
            downloads: false,
            may_hold_at_start: false,
        };
        Work::Task { task: Box::new(task), site: Box::new(Site::default()) }
    }

    /// How the session of a job is refused where a page of HTML answers instead of a Grid.
    async fn refusal(server: &MockServer) -> PageError {
        let config = BrowserConfig { webdriver: Some(server.uri()), ..BrowserConfig::default() };
        let pages = Pages::new(&config, Density::default(), None).unwrap();
        let Err(refused) = pages.profile_for(&visit(), &BTreeMap::new()).await else { panic!("a page is no session") };
        assert_eq!(*pages.demand().borrow(), Demand::default(), "the job is still counted among those that wait");
        refused
    }

    #[tokio::test]
    async fn a_job_whose_session_is_asked_of_a_page_of_html_has_no_slot_and_is_given_back() {
        let refused = refusal(&page_of_html().await).await;
        assert!(matches!(refused, PageError::NoSlot(_)), "{refused:?}");
        assert_eq!(refused.failure(), Some(Failure::NoSlot));
        let text = refused.to_string();
        assert!(text.starts_with("get a browser: ") && text.contains("<!doctype html>"), "{text}");
    }

    #[tokio::test]
    async fn a_job_whose_session_is_asked_of_a_page_of_html_is_told_where_that_is() {
        let server = page_of_html().await;
        let refused = refusal(&server).await.to_string();
        assert!(refused.contains(&server.address().to_string()), "{refused}");
    }
}
