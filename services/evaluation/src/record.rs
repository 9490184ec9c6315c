//! Turns a passed attempt into a test. Pure.

use crate::judge::asks_for_fault;
use domain::action::Claim;
use domain::job::Work;
use domain::task::{Check, Limits};
use domain::test::{FORMAT, Start, Test, TestStep};
use domain::verdict::VerdictKind;
use domain::{Action, Effect, Ending, Job, Step, Task, Trajectory, Verdict};

/// Why an attempt yields no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTest {
    /// The attempt did not pass.
    #[error("record a test from `{job}`: its verdict is {verdict}, and only passed attempts become tests")]
    NotPassed {
        /// The job.
        job: String,
        /// Its verdict.
        verdict: VerdictKind,
    },
    /// The attempt has no action to replay.
    #[error("record a test from `{job}`: no action was carried out, so there is nothing to repeat")]
    NothingDone {
        /// The job.
        job: String,
    },
}

/// Turns a passed attempt into a test. Omits actions that failed without effect, requests that the server failed and
/// that were sent again, and everything before a reset.
///
/// # Errors
/// [`NoTest`].
pub fn record(job: &Job, trajectory: &Trajectory, verdict: &Verdict, check: &Check) -> Result<Test, NoTest> {
    if !verdict.kind.is_success() {
        return Err(NoTest::NotPassed { job: job.id.to_string(), verdict: verdict.kind });
    }
    let done = &trajectory.steps[trajectory.steps.iter().rposition(Step::begins_again).unwrap_or_default()..];
    let mut steps: Vec<TestStep> = done
        .iter()
        .enumerate()
        .filter(|(place, step)| match step.effect {
            Effect::Failed { .. } => false,
            // An action that was repeated had not succeeded the first time.
            Effect::Unconfirmed { .. } => !done[place + 1..].iter().any(|later| later.action == step.action),
            _ => true,
        })
        .map(|(place, step)| TestStep::of(step, done.get(place + 1)))
        .collect();
    if let Ending::Stopped { claim: Claim::Done, answer: Some(answer) } = &trajectory.ending {
        let action = Action::Stop { claim: Claim::Done, answer: Some(answer.clone()) };
        steps.push(TestStep::new(action, "the recorded answer"));
    }
    let may_need_no_step = |task: &Task| task.may_hold_at_start || asks_for_fault(check);
    if steps.is_empty() && !matches!(&job.work, Work::Task { task, .. } if may_need_no_step(task)) {
        return Err(NoTest::NothingDone { job: job.id.to_string() });
    }
    let start = match &job.work {
        Work::Task { task, site } => Start::Task { task: task.clone(), site: site.clone() },
        Work::Benchmark(task) => Start::Benchmark(task.clone()),
        Work::Exploration { .. } | Work::Study(_) => {
            return Err(NoTest::NotPassed { job: job.id.to_string(), verdict: verdict.kind });
        }
    };
    Ok(Test {
        format: FORMAT,
        name: job.id.to_string(),
        instruction: trajectory.instruction.clone(),
        start,
        steps,
        check: check.clone(),
    })
}

/// The limits of a replay: as many steps as it may need, and no repetition limit, since a recording may press the same
/// button four times.
pub fn replay_limits(test: &Test) -> Limits {
    let own = match &test.start {
        Start::Task { task, .. } => task.limits,
        Start::Benchmark(_) => Limits::default(),
    };
    // Every wait may be followed by a retry.
    let steps = (test.steps.len() as u32 + 1)
        .saturating_mul(1 + 2 * crate::replay::WAITS.len() as u32 + domain::unfinished::WAITS.len() as u32);
    Limits { steps, repeats: u32::MAX, invalid: 1, ..own }
}
