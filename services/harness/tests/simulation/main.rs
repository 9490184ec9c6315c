//! Seeds of the simulated cluster: with every kind of trouble all that must hold does, and mistakes made on purpose are found.

mod decorators;
mod mistakes;
mod seams;

use harness::simulation::{Kind, Options, Report, run};
use std::collections::BTreeSet;
use std::time::Duration;

/// Seeds for each kind of trouble.
const SEEDS: u64 = 100;

fn play(faults: &[Kind]) -> Vec<Report> {
    all_exact((0..SEEDS).map(|seed| Options::new(seed, faults.iter().copied())))
}

fn all_exact(seeds: impl Iterator<Item = Options>) -> Vec<Report> {
    let reports: Vec<Report> = seeds.map(|options| run(&options)).collect();
    if let Some(report) = reports.iter().find(|report| !report.violations.is_empty()) {
        panic!("{report}");
    }
    reports
}

/// All that must hold does, and something happened.
fn survives(kind: Kind) {
    let reports = play(&[kind]);
    let happened = reports.iter().filter(|report| report.struck + report.events + report.lost_attempts > 0).count();
    assert!(happened > reports.len() / 2, "{} of {} seeds saw any trouble", happened, reports.len());
}

#[test]
fn totals_are_exact_when_nothing_fails() {
    let reports = play(&[]);
    assert!(reports.iter().all(|report| report.struck + report.events == 0));
}

#[test]
fn totals_are_exact_when_components_crash() {
    survives(Kind::Crash);
}

/// Long enough for all stages of a campaign in which components are killed again and again.
const ALL_STAGES: Duration = Duration::from_secs(60);

#[test]
fn each_stage_is_exact_whatever_is_killed_in_it() {
    let options = |seed| Options { rage: ALL_STAGES, ..Options::new(seed, [Kind::Crash]) };
    let killed: BTreeSet<(String, u32)> =
        all_exact((0..SEEDS).map(options)).into_iter().flat_map(|report| report.killed).collect();
    for role in ["campaigns", "aggregator", "planner", "crawler"] {
        for stage in 1..=3 {
            assert!(killed.contains(&(role.to_owned(), stage)), "no {role} was killed in stage {stage} of any seed");
        }
    }
}

#[test]
fn totals_are_exact_when_components_are_restarted() {
    survives(Kind::Restart);
}

#[test]
fn totals_are_exact_when_components_are_cut_off() {
    survives(Kind::Partition);
}

#[test]
fn totals_are_exact_when_calls_and_answers_are_lost() {
    survives(Kind::Loss);
}

#[test]
fn totals_are_exact_when_calls_and_answers_are_late() {
    survives(Kind::Delay);
}

#[test]
fn totals_are_exact_when_calls_and_records_come_twice() {
    survives(Kind::Duplicate);
}

#[test]
fn totals_are_exact_when_records_change_places_and_partitions_change_hands() {
    survives(Kind::Reorder);
}

#[test]
fn totals_are_exact_when_clocks_are_seconds_apart() {
    survives(Kind::Skew);
}

#[test]
fn totals_are_exact_when_what_is_shared_is_emptied() {
    survives(Kind::Empty);
}

#[test]
fn totals_are_exact_when_browsers_crash_or_are_not_there() {
    survives(Kind::Browser);
}

#[test]
fn no_attempt_is_lost_when_planners_stand_still_die_or_are_cut_off() {
    for kind in [Kind::Freeze, Kind::Crash, Kind::Restart, Kind::Partition] {
        let reports = play(&[kind]);
        let unanswered: u64 = reports.iter().map(|report| report.unanswered).sum();
        assert!(unanswered > 0 || kind == Kind::Restart, "every planner answered in every seed with {}", kind.as_str());
    }
}

#[test]
fn totals_are_exact_when_everything_happens_at_once() {
    let reports = play(Kind::ALL);
    assert!(reports.iter().any(|report| report.redeliveries > 0), "no record came twice in any seed");
    assert!(reports.iter().any(|report| report.lost_attempts > 0), "no attempt was lost in any seed");
    assert!(reports.iter().any(|report| report.unanswered > 0), "every planner answered in every seed");
}

#[test]
fn a_report_says_how_to_play_its_seed_again_whatever_failed() {
    for faults in [&[][..], &[Kind::Skew], Kind::ALL] {
        let report = run(&Options::new(0, faults.iter().copied())).to_string();
        let (_, said) = report.split_once("--faults ").expect("it says which faults");
        let (said, _) = said.split_once(' ').expect("more comes after them");
        assert_eq!(Kind::parse(said), Ok(faults.iter().copied().collect()), "{said}");
    }
    assert!(Kind::parse("crash,fire").is_err_and(|cause| cause.contains("`fire`")));
}

#[test]
fn a_seed_plays_out_the_same_way_every_time_and_another_one_does_not() {
    for seed in 0..20 {
        let play = |seed| run(&Options::new(seed, Kind::ALL.iter().copied()));
        let (first, second) = (play(seed), play(seed));
        assert_eq!(first.digest, second.digest, "seed {seed}:\n{first}\n{second}");
        assert_ne!(first.digest, play(seed + 1000).digest);
    }
}
