//! Stages: what a campaign does after the jobs that were handed in have ended. Each stage is made of what ended before it.

use crate::campaign::Campaign;
use crate::id::{BlobRef, EpisodeId, JobId, SiteId, TaskId};
use crate::job::{Job, Work};
use crate::storage::jobs::Submission;
use crate::verdict::VerdictKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// The name of the stage of the jobs that were handed in.
pub const FIRST: &str = "first";

/// Stands between the id of a job and the name of the stage in which it is tried again: `buy/0~again`.
pub const BETWEEN: char = '~';

/// What stands in place of a host for work that needs no browser. No address has such a host.
pub const NO_HOST: &str = "study:";

/// The stages of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stages {
    /// How many jobs are handed in. The first stage is over when so many are there and all of them have ended.
    pub jobs: u64,
    /// What comes after them, one stage after the other.
    pub then: Vec<Stage>,
}

/// A stage after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// Unique in its campaign: lower-case letters, digits and hyphens.
    pub name: String,
    /// The earlier stages whose jobs it is made of. Empty: the one before it; of a study, all before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
    /// What its jobs do.
    #[serde(flatten)]
    pub does: StageWork,
}

/// What the jobs of a stage do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageWork {
    /// Jobs that ended with one of these verdicts are tried once more. Without any: those that did not pass.
    Again(Vec<VerdictKind>),
    /// One job without a browser.
    Study(StudyKind),
}

/// What a study finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum StudyKind {
    /// Whether jobs that were tried again ended as they did before.
    Steadiness,
}

impl StudyKind {
    /// The published spelling, e.g. `steadiness`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What its jobs have in place of a host.
    pub fn host(self) -> String {
        format!("{NO_HOST}{}", self.as_str())
    }
}

/// Work without a browser: what ended, and what is to be found out of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// What it finds out.
    #[serde(rename = "study")]
    pub kind: StudyKind,
    /// The jobs that it is about.
    pub of: Vec<EndedJob>,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndedJob {
    /// The job.
    pub job: JobId,
    /// The stage that it is of.
    pub stage: String,
    /// The task.
    pub task: TaskId,
    /// The site.
    pub site: SiteId,
    /// The end.
    pub end: JobEnd,
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// An attempt was judged.
    Judged {
        /// The attempt.
        episode: EpisodeId,
        /// The judgement.
        verdict: VerdictKind,
        /// Why.
        reason: String,
        /// What was done, as JSON in the blob store.
        trajectory: BlobRef,
    },
    /// The same failure happened too often.
    Quarantined,
    /// It was cancelled.
    Cancelled,
}

impl JobEnd {
    /// The verdict, where an attempt was judged.
    pub fn verdict(&self) -> Option<VerdictKind> {
        match self {
            JobEnd::Judged { verdict, .. } => Some(*verdict),
            JobEnd::Quarantined | JobEnd::Cancelled => None,
        }
    }
}

/// A stage that is over, with all that ended before it.
#[derive(Clone, Debug, PartialEq)]
pub struct StageEnd {
    /// The settings of its campaign.
    pub campaign: Campaign,
    /// How many stages are over with it, from 1.
    pub over: usize,
    /// The jobs of all stages so far, in order of submission, each as it was handed in and how it ended.
    pub jobs: Vec<(Submission, EndedJob)>,
}

/// Says what comes after a stage.
///
/// Contract: pure. The same end of a stage gives the same jobs, under the same ids; none of these ids is that of another job
/// of the campaign.
pub trait NextStage: Send + Sync {
    /// The jobs of the next stage; none when what ended gives it nothing to do.
    fn next(&self, ended: &StageEnd) -> Vec<Submission>;
}

impl Stages {
    /// Jobs that did not pass are tried again, so many times at most, and what comes of it is studied; none for no time.
    pub fn again(jobs: u64, times: u8) -> Option<Self> {
        let name = |time: u8| if time == 1 { "again".to_owned() } else { format!("again-{time}") };
        let again = |time: u8| Stage { name: name(time), of: Vec::new(), does: StageWork::Again(Vec::new()) };
        let kind = StudyKind::Steadiness;
        let study = Stage { name: kind.as_str().to_owned(), of: Vec::new(), does: StageWork::Study(kind) };
        (times > 0).then(|| Self { jobs, then: (1..=times).map(again).chain([study]).collect() })
    }

    /// How many stages there are, the first included.
    pub fn count(&self) -> usize {
        self.then.len() + 1
    }

    /// The name of a stage, by its place.
    pub fn name(&self, place: usize) -> &str {
        match place.checked_sub(1) {
            Some(later) => self.then.get(later).map_or("", |stage| &stage.name),
            None => FIRST,
        }
    }

    /// What cannot be meant: the field and the cause.
    pub fn mistake(&self) -> Option<(String, String)> {
        if self.jobs == 0 {
            return Some(("jobs".to_owned(), "the first stage has no job, so that nothing comes after it".to_owned()));
        }
        for (place, stage) in self.then.iter().enumerate() {
            let earlier: Vec<&str> = (0..=place).map(|place| self.name(place)).collect();
            let name = &stage.name;
            let is_in_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
            if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_in_name) {
                let cause = format!(
                    "`{name}` is no name of a stage: write lower-case letters, digits and hyphens, at most {LONGEST_NAME}"
                );
                return Some((format!("then[{place}].name"), cause));
            }
            if earlier.contains(&name.as_str()) {
                return Some((format!("then[{place}].name"), format!("there is a stage `{name}` before it")));
            }
            for of in &stage.of {
                let cause = match () {
                    () if of == name => format!("the stage `{name}` asks for itself"),
                    () if earlier.contains(&of.as_str()) => continue,
                    () => format!("there is no stage `{of}` before `{name}`; before it are: {}", earlier.join(", ")),
                };
                return Some((format!("then[{place}].of"), cause));
            }
        }
        None
    }
}

/// The longest name of a stage, in bytes.
const LONGEST_NAME: usize = 40;

impl Job {
    /// The id that it was handed in with: that of a job that is tried again is made of it.
    pub fn handed_in(&self) -> JobId {
        handed_in(&self.id)
    }
}

/// The id that a job was handed in with.
pub fn handed_in(job: &JobId) -> JobId {
    match job.as_str().split_once(BETWEEN) {
        Some((first, _)) => JobId::new(first),
        None => job.clone(),
    }
}

impl Work {
    /// Whether it needs no browser.
    pub fn is_study(&self) -> bool {
        matches!(self, Work::Study(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(name: &str, of: &[&str]) -> Stage {
        let of = of.iter().map(|of| (*of).to_owned()).collect();
        Stage { name: name.to_owned(), of, does: StageWork::Again(Vec::new()) }
    }

    #[test]
    fn stages_that_cannot_be_meant_are_said_by_field() {
        let mistake = |jobs, then: &[Stage]| Stages { jobs, then: then.to_vec() }.mistake();
        let said = |jobs, then: &[Stage]| {
            let (field, cause) = mistake(jobs, then).expect("a mistake");
            format!("{field}: {cause}")
        };
        assert_eq!(mistake(1, &[stage("again", &[]), stage("more", &["again", "first"])]), None);
        assert!(said(0, &[]).starts_with("jobs: "));
        assert!(said(1, &[stage("Again", &[])]).starts_with("then[0].name: `Again` is no name"));
        assert_eq!(said(1, &[stage("first", &[])]), "then[0].name: there is a stage `first` before it");
        assert_eq!(said(1, &[stage("again", &["again"])]), "then[0].of: the stage `again` asks for itself");
        assert_eq!(
            said(1, &[stage("again", &["more"]), stage("more", &[])]),
            "then[0].of: there is no stage `more` before `again`; before it are: first"
        );
    }

    #[test]
    fn stages_are_written_shortly() {
        let text =
            r#"{"jobs":2,"then":[{"name":"again","again":[]},{"name":"end","of":["first"],"study":"steadiness"}]}"#;
        let read: Stages = serde_json::from_str(text).expect("stages");
        assert_eq!(read.then[1].does, StageWork::Study(StudyKind::Steadiness));
        assert_eq!(serde_json::to_string(&read).expect("JSON"), text);
    }

    #[test]
    fn a_study_is_read_as_it_was_written() {
        let study = Study { kind: StudyKind::Steadiness, of: Vec::new() };
        let work = Work::Study(Box::new(study));
        let text = serde_json::to_string(&work).expect("JSON");
        assert_eq!(text, r#"{"kind":"study","study":"steadiness","of":[]}"#);
        assert_eq!(serde_json::from_str::<Work>(&text).expect("work"), work);
    }

    #[test]
    fn a_job_that_is_tried_again_is_known_by_the_one_that_was_handed_in() {
        assert_eq!(handed_in(&JobId::new("buy/0~again")), JobId::new("buy/0"));
        assert_eq!(handed_in(&JobId::new("buy/0")), JobId::new("buy/0"));
    }
}
