//! Studies: what is found out of jobs that have ended, without a browser. Pure.

use domain::Verdict;
use domain::stage::{EndedJob, Study, StudyKind, handed_in};
use domain::verdict::VerdictKind;
use std::collections::BTreeMap;

/// Jobs that a reason names before it counts the others.
const NAMED: usize = 5;

/// What a study finds.
pub fn study(study: &Study) -> Verdict {
    match study.kind {
        StudyKind::Steadiness => steadiness(&study.of),
    }
}

/// Whether every job that was tried again ended as before: `FAILED` when one did not, `UNVERIFIED` when none can be compared.
fn steadiness(of: &[EndedJob]) -> Verdict {
    let mut tries: BTreeMap<_, Vec<&EndedJob>> = BTreeMap::new();
    for ended in of {
        tries.entry(handed_in(&ended.job)).or_default().push(ended);
    }
    let jobs = match tries.len() {
        1 => "1 job".to_owned(),
        several => format!("{several} jobs"),
    };
    tries.retain(|_, tries| tries.len() > 1);
    if tries.is_empty() {
        let reason = format!("{jobs}: none had to be tried again");
        return verdict(VerdictKind::Passed, reason);
    }
    let (mut steady, mut changed, mut unknown) = (0, Vec::new(), Vec::new());
    for (job, tries) in &tries {
        // A browser or a site that failed says nothing of the job.
        let known = |ended: &&EndedJob| ended.end.verdict().filter(|verdict| !verdict.is_trouble());
        let ends: Vec<VerdictKind> = tries.iter().filter_map(known).collect();
        match ends.as_slice() {
            ends if ends.len() < 2 => unknown.push(job.as_str()),
            [first, rest @ ..] if rest.iter().all(|end| end.is_success() == first.is_success()) => steady += 1,
            ends => {
                let ends: Vec<&str> = ends.iter().map(|end| end.as_str()).collect();
                changed.push(format!("{job} ({})", ends.join(", then ")));
            }
        }
    }
    let mut said = vec![format!("{} of {jobs} tried again", tries.len())];
    if !changed.is_empty() {
        said.push(format!("{} ended otherwise: {}", changed.len(), named(&changed)));
    }
    if steady > 0 {
        said.push(format!("{steady} ended as before"));
    }
    if !unknown.is_empty() {
        said.push(format!("{} cannot be compared: {}", unknown.len(), named(&unknown)));
    }
    let kind = match (changed.is_empty(), unknown.is_empty()) {
        (false, _) => VerdictKind::Failed,
        (true, true) => VerdictKind::Passed,
        (true, false) => VerdictKind::Unverified,
    };
    verdict(kind, said.join("; "))
}

fn verdict(kind: VerdictKind, reason: String) -> Verdict {
    Verdict { kind, reason, evidence: Vec::new() }
}

/// The first of several, and how many more there are.
fn named(all: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = all.iter().take(NAMED).map(AsRef::as_ref).collect();
    match all.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::stage::JobEnd;
    use domain::{BlobRef, EpisodeId, JobId, SiteId, TaskId};

    fn ended(job: &str, verdict: Option<VerdictKind>) -> EndedJob {
        let (episode, trajectory) =
            (EpisodeId("018f0000-0000-7000-8000-000000000000".parse().expect("an id")), BlobRef::new("0"));
        let end = match verdict {
            Some(verdict) => JobEnd::Judged { episode, verdict, reason: "so".into(), trajectory },
            None => JobEnd::Quarantined,
        };
        EndedJob { job: JobId::new(job), stage: "first".into(), task: TaskId::new("t"), site: SiteId::new("s"), end }
    }

    fn said(of: &[(&str, Option<VerdictKind>)]) -> (VerdictKind, String) {
        let of = of.iter().map(|(job, verdict)| ended(job, *verdict)).collect();
        let Verdict { kind, reason, .. } = study(&Study { kind: StudyKind::Steadiness, of });
        (kind, reason)
    }

    #[test]
    fn a_job_that_ends_otherwise_the_second_time_is_not_steady() {
        use VerdictKind::{Failed, InvalidEnvironment, Passed};
        let one = [("a", Some(Passed)), ("b", Some(Failed)), ("b~again", Some(Passed)), ("c", Some(Failed))];
        let (kind, reason) = said(&one);
        assert_eq!(kind, Failed);
        assert_eq!(reason, "1 of 3 jobs tried again; 1 ended otherwise: b (FAILED, then PASSED)");
        let steady = [("b", Some(Failed)), ("b~again", Some(Failed)), ("b~more", Some(Failed))];
        assert_eq!(said(&steady), (Passed, "1 of 1 job tried again; 1 ended as before".to_owned()));
        assert_eq!(said(&[("a", Some(Passed))]), (Passed, "1 job: none had to be tried again".to_owned()));
        let lost = [("b", None), ("b~again", Some(Failed)), ("c", Some(InvalidEnvironment)), ("c~again", Some(Passed))];
        let (kind, reason) = said(&lost);
        assert_eq!(kind, VerdictKind::Unverified);
        assert_eq!(reason, "2 of 2 jobs tried again; 2 cannot be compared: b, c");
    }
}
