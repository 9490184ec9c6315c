//! The tasks of the wizards: what is to be done, and what confirms it.

use crate::wizard;
use domain::TaskId;
use domain::task::{Check, Limits, PageStateCheck, Task, TextMatch};
use serde_json::json;
use url::Url;

/// One task per wizard; the wizards are spread over the hosts in turn.
pub fn tasks(hosts: &[Url], wizards: u32) -> Vec<Task> {
    (0..wizards).zip(hosts.iter().cycle()).map(|(number, host)| task(host, number)).collect()
}

fn task(host: &Url, number: u32) -> Task {
    let mut start = host.clone();
    start.set_path(&wizard::path(number, 0));
    let stage = PageStateCheck { expression: "wizard.stage".to_owned(), equals: json!(wizard::ACTIONS) };
    Task {
        id: TaskId::new(format!("wizard-{number}")),
        site: None,
        start_url: start.to_string(),
        instruction: format!("Go through wizard {number} until its order is complete."),
        parameters: Default::default(),
        check: Some(Check::All(vec![
            Check::Url(TextMatch::Contains(wizard::path(number, wizard::PAGES - 1))),
            Check::Text(TextMatch::Contains(wizard::completion(number))),
            Check::PageState(stage),
        ])),
        gold: None,
        limits: Limits { steps: u32::from(wizard::ACTIONS) + 2, ..Limits::default() },
        downloads: false,
        may_hold_at_start: false,
    }
}

/// The tasks as a file with one task per line, which is what `rutter run` and `rutter submit` read.
pub fn lines(tasks: &[Task]) -> String {
    tasks.iter().filter_map(|task| serde_json::to_string(task).ok()).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_spread_over_the_hosts_and_come_back_from_their_file() {
        let hosts = ["http://127.0.0.1:1/".parse().unwrap(), "http://127.0.0.1:2/".parse().unwrap()];
        let tasks = tasks(&hosts, 3);
        assert_eq!(tasks[2].start_url, "http://127.0.0.1:1/wizard/2/0");
        let read: Vec<Task> = lines(&tasks).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, tasks);
    }
}
