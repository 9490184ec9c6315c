//! Jobs: tasks with their sites, benchmark tasks, and how they are handed in.

use crate::error::{Error, required};
use crate::v1;
use domain::exploration::Login;
use domain::job::{BenchmarkTask, Job, Work};
use domain::scope::Scope;
use domain::secret::{SecretName, SecretRef};
use domain::storage::jobs::Submission;
use domain::task::{GoldStep, Limits, Parameter, ResetHook, Site, Task};
use domain::{CampaignId, JobId, SiteId, TaskId};
use std::path::{Path, PathBuf};

impl From<&Submission> for v1::Submission {
    fn from(submission: &Submission) -> Self {
        let Submission { job, site, host, trace_parent } = submission;
        Self { job: Some(job.into()), site: site.0.clone(), host: host.clone(), trace_parent: trace_parent.clone() }
    }
}

impl TryFrom<v1::Submission> for Submission {
    type Error = Error;

    fn try_from(message: v1::Submission) -> Result<Self, Error> {
        let v1::Submission { job, site, host, trace_parent } = message;
        Ok(Self { job: required(job, "submission.job")?.try_into()?, site: SiteId(site), host, trace_parent })
    }
}

impl From<&Job> for v1::Job {
    fn from(job: &Job) -> Self {
        use v1::job::Work as Message;
        let work = match &job.work {
            Work::Task { task, site } => {
                Message::Task(v1::TaskWork { task: Some(task.as_ref().into()), site: Some(site.as_ref().into()) })
            }
            Work::Benchmark(task) => Message::Benchmark(v1::BenchmarkTask {
                benchmark: task.benchmark.clone(),
                task: task.task.0.clone(),
                seed: task.seed,
                relaxed: task.relaxed,
            }),
            Work::Exploration { exploration, site } => Message::Exploration(v1::ExplorationWork {
                exploration: Some(exploration.as_ref().into()),
                site: Some(site.as_ref().into()),
            }),
            Work::Study(study) => Message::Study(study.as_ref().into()),
        };
        Self { id: job.id.0.clone(), campaign: job.campaign.0.clone(), work: Some(work) }
    }
}

impl TryFrom<v1::Job> for Job {
    type Error = Error;

    fn try_from(message: v1::Job) -> Result<Self, Error> {
        use v1::job::Work as Message;
        let work = match required(message.work, "job.work")? {
            Message::Task(work) => Work::Task {
                task: Box::new(required(work.task, "job.task.task")?.try_into()?),
                site: Box::new(required(work.site, "job.task.site")?.try_into()?),
            },
            Message::Benchmark(v1::BenchmarkTask { benchmark, task, seed, relaxed }) => {
                Work::Benchmark(BenchmarkTask { benchmark, task: TaskId(task), seed, relaxed })
            }
            Message::Exploration(work) => Work::Exploration {
                exploration: Box::new(required(work.exploration, "job.exploration.exploration")?.try_into()?),
                site: Box::new(required(work.site, "job.exploration.site")?.try_into()?),
            },
            Message::Study(study) => Work::Study(Box::new(study.try_into()?)),
        };
        Ok(Self { id: JobId(message.id), campaign: CampaignId(message.campaign), work })
    }
}

impl From<&Task> for v1::Task {
    fn from(task: &Task) -> Self {
        let actions = |steps: &Vec<GoldStep>| steps.iter().map(|step| (&step.action).into()).collect();
        Self {
            id: task.id.0.clone(),
            site: task.site.as_ref().map(|site| site.0.clone()),
            start_url: task.start_url.clone(),
            instruction: task.instruction.clone(),
            parameters: task.parameters.iter().map(|(name, value)| (name.clone(), value.into())).collect(),
            check: task.check.as_ref().map(Into::into),
            gold: task.gold.as_ref().map(|steps| v1::GoldSteps { actions: actions(steps) }),
            limits: Some(task.limits.into()),
            downloads: task.downloads,
            may_hold_at_start: task.may_hold_at_start,
        }
    }
}

impl TryFrom<v1::Task> for Task {
    type Error = Error;

    fn try_from(message: v1::Task) -> Result<Self, Error> {
        let step = |action: v1::Action| Ok(GoldStep { action: action.try_into()? });
        let steps = |gold: v1::GoldSteps| gold.actions.into_iter().map(step).collect::<Result<Vec<_>, Error>>();
        let parameter = |(name, value): (String, v1::Parameter)| Ok((name, value.try_into()?));
        Ok(Self {
            id: TaskId(message.id),
            site: message.site.map(SiteId),
            start_url: message.start_url,
            instruction: message.instruction,
            parameters: message.parameters.into_iter().map(parameter).collect::<Result<_, Error>>()?,
            check: message.check.map(TryInto::try_into).transpose()?,
            gold: message.gold.map(steps).transpose()?,
            limits: required(message.limits, "task.limits")?.into(),
            downloads: message.downloads,
            may_hold_at_start: message.may_hold_at_start,
        })
    }
}

impl From<&Parameter> for v1::Parameter {
    fn from(parameter: &Parameter) -> Self {
        use v1::parameter::Is;
        let (is, origins) = match parameter {
            Parameter::Text(text) => (Is::Text(text.clone()), Vec::new()),
            Parameter::Secret { secret, origins } => (Is::Secret(secret.into()), origins.clone()),
            Parameter::File { file } => (Is::File(text(file)), Vec::new()),
        };
        Self { is: Some(is), origins }
    }
}

impl TryFrom<v1::Parameter> for Parameter {
    type Error = Error;

    fn try_from(message: v1::Parameter) -> Result<Self, Error> {
        use v1::parameter::Is;
        Ok(match required(message.is, "parameter.is")? {
            Is::Text(text) => Parameter::Text(text),
            Is::Secret(secret) => Parameter::Secret { secret: secret.try_into()?, origins: message.origins },
            Is::File(file) => Parameter::File { file: file.into() },
        })
    }
}

impl From<&SecretRef> for v1::SecretRef {
    fn from(secret: &SecretRef) -> Self {
        use v1::secret_ref::Is;
        let is = match secret {
            SecretRef::Env(name) => Is::Env(name.clone()),
            SecretRef::File(path) => Is::File(text(path)),
            SecretRef::Named(name) => Is::Named(name.as_str().to_owned()),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::SecretRef> for SecretRef {
    type Error = Error;

    fn try_from(message: v1::SecretRef) -> Result<Self, Error> {
        use v1::secret_ref::Is;
        Ok(match required(message.is, "secret.is")? {
            Is::Env(name) => SecretRef::Env(name),
            Is::File(path) => SecretRef::File(PathBuf::from(path)),
            Is::Named(name) => {
                let invalid = |cause| Error::Invalid { field: "secret.named", cause };
                SecretRef::Named(SecretName::new(name).map_err(invalid)?)
            }
        })
    }
}

/// Paths of task files are UTF-8: they were read from text.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl From<Limits> for v1::Limits {
    fn from(limits: Limits) -> Self {
        let Limits { steps, seconds, repeats, invalid, patience } = limits;
        Self { steps, seconds, repeats, invalid, patience: Some(patience) }
    }
}

impl From<v1::Limits> for Limits {
    fn from(message: v1::Limits) -> Self {
        let v1::Limits { steps, seconds, repeats, invalid, patience } = message;
        let patience = patience.unwrap_or(Limits::default().patience);
        Self { steps, seconds, repeats, invalid, patience }
    }
}

impl From<&Site> for v1::Site {
    fn from(site: &Site) -> Self {
        use v1::reset_hook::How;
        let how = |hook: &ResetHook| match hook {
            ResetHook::Command(words) => How::Command(v1::Command { words: words.clone() }),
            ResetHook::Post(url) => How::Post(url.clone()),
        };
        Self {
            scope_hosts: site.scope.hosts.clone(),
            login_state: site.login_state.as_deref().map(text),
            reset: site.reset.as_ref().map(|hook| v1::ResetHook { how: Some(how(hook)) }),
            locale: site.locale.clone(),
            proxy: site.proxy.clone(),
            accept_self_signed_certificates: site.accept_self_signed_certificates,
            login: site.login.as_deref().map(Into::into),
        }
    }
}

impl TryFrom<v1::Site> for Site {
    type Error = Error;

    fn try_from(message: v1::Site) -> Result<Self, Error> {
        use v1::reset_hook::How;
        let hook = |hook: v1::ResetHook| match required(hook.how, "site.reset.how") {
            Ok(How::Command(command)) => Ok(ResetHook::Command(command.words)),
            Ok(How::Post(url)) => Ok(ResetHook::Post(url)),
            Err(error) => Err(error),
        };
        Ok(Self {
            scope: Scope { hosts: message.scope_hosts },
            login_state: message.login_state.map(PathBuf::from),
            reset: message.reset.map(hook).transpose()?,
            locale: message.locale,
            proxy: message.proxy,
            accept_self_signed_certificates: message.accept_self_signed_certificates,
            login: message.login.map(|login| Login::try_from(login).map(Box::new)).transpose()?,
        })
    }
}
