//! Jobs of every shape, with their checks.

use super::map::version;
use super::stage::study;
use super::{action, number, text};
use domain::campaign::{Failure, Quarantined, Ticket};
use domain::coverage::CoverageOptions;
use domain::exploration::{Exceptions, Exploration, Guards, Login, Mode};
use domain::fault::FaultCategory;
use domain::job::{BenchmarkTask, Job, Work};
use domain::scope::Scope;
use domain::secret::{SecretName, SecretRef};
use domain::storage::jobs::Submission;
use domain::task::{
    Check, ElementCheck, FaultCheck, GoldStep, Limits, PageStateCheck, Parameter, RequestCheck, ResetHook, Site, Task,
    TextMatch, ValueCheck,
};
use domain::{CampaignId, Fence, JobId, SiteId, TaskId};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Number, Value};

pub(in crate::tests) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<u64>().prop_map(|number| Value::Number(number.into())),
        any::<i64>().prop_map(|number| Value::Number(number.into())),
        number().prop_map(|number| Value::Number(Number::from_f64(number).expect("finite"))),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            btree_map(text(), inner, 0..3).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn text_match() -> impl Strategy<Value = TextMatch> + Clone {
    prop_oneof![
        text().prop_map(TextMatch::Equals),
        text().prop_map(TextMatch::Contains),
        text().prop_map(TextMatch::Matches),
    ]
}

fn element_check() -> impl Strategy<Value = ElementCheck> {
    let (name, shown) = (option::of(text_match()), option::of(text_match()));
    (option::of(text()), name, shown, btree_map(text(), text(), 0..3), option::of(any::<bool>()))
        .prop_map(|(role, name, text, attributes, checked)| ElementCheck { role, name, text, attributes, checked })
}

fn fault_check() -> impl Strategy<Value = FaultCheck> {
    use FaultCategory::{ContentSecurity, JavaScript, Network, Other};
    let category = option::of(select(vec![Network, JavaScript, ContentSecurity, Other]));
    let matches = (option::of(text_match()), option::of(text_match()), option::of(text_match()));
    (category, matches, option::of(any::<bool>())).prop_map(|(category, (message, source, at), first_party)| {
        FaultCheck { category, message, source, first_party, at }
    })
}

pub(super) fn check() -> impl Strategy<Value = Check> {
    let leaf = prop_oneof![
        text_match().prop_map(Check::Url),
        text_match().prop_map(Check::Text),
        text_match().prop_map(Check::Answer),
        element_check().prop_map(Check::Element),
        (element_check(), text_match()).prop_map(|(of, is)| Check::Value(ValueCheck { of, is })),
        (option::of(text()), text_match(), option::of(any::<u16>()))
            .prop_map(|(method, url, status)| Check::Request(RequestCheck { method, url, status })),
        fault_check().prop_map(Check::Fault),
        (text(), json()).prop_map(|(expression, equals)| Check::PageState(PageStateCheck { expression, equals })),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Check::All),
            vec(inner.clone(), 0..3).prop_map(Check::Any),
            inner.prop_map(|part| Check::Not(Box::new(part))),
        ]
    })
}

pub(super) fn ticket() -> impl Strategy<Value = Ticket> {
    (text(), text(), any::<u64>()).prop_map(|(campaign, job, fence)| Ticket {
        campaign: CampaignId(campaign),
        job: JobId(job),
        fence: Fence(fence),
    })
}

pub(super) fn failure() -> impl Strategy<Value = Failure> {
    use Failure::{BrowserCrashed, NoSlot, PlannerAway, SessionLost, Unusable, WorkerLost};
    select(vec![NoSlot, SessionLost, BrowserCrashed, WorkerLost, PlannerAway, Unusable])
}

pub(in crate::tests) fn quarantined() -> impl Strategy<Value = Quarantined> {
    (text(), text(), text(), failure(), vec(text(), 0..3), any::<u64>()).prop_map(
        |(campaign, job, site, failure, causes, fence)| Quarantined {
            campaign: CampaignId(campaign),
            job: JobId(job),
            site: SiteId(site),
            failure,
            causes,
            fence: Fence(fence),
        },
    )
}

fn secret() -> impl Strategy<Value = SecretRef> {
    let name = "[a-z0-9][a-z0-9.-]{0,20}".prop_map(|name| SecretRef::Named(SecretName::new(name).unwrap()));
    prop_oneof![text().prop_map(SecretRef::Env), text().prop_map(|path| SecretRef::File(path.into())), name]
}

fn parameter() -> impl Strategy<Value = Parameter> {
    prop_oneof![
        text().prop_map(Parameter::Text),
        text().prop_map(|file| Parameter::File { file: file.into() }),
        (secret(), vec(text(), 0..2)).prop_map(|(secret, origins)| Parameter::Secret { secret, origins })
    ]
}

fn task() -> impl Strategy<Value = Task> {
    let gold = vec(action().prop_map(|action| GoldStep { action }), 0..2);
    let limits = (any::<u32>(), any::<u64>(), any::<u32>(), any::<u32>(), any::<u64>())
        .prop_map(|(steps, seconds, repeats, invalid, patience)| Limits { steps, seconds, repeats, invalid, patience });
    let words = (text(), option::of(text()), text(), text());
    (words, btree_map(text(), parameter(), 0..3), option::of(check()), option::of(gold), limits, any::<(bool, bool)>())
        .prop_map(
            |((id, site, start_url, instruction), parameters, check, gold, limits, (downloads, may_hold_at_start))| {
                Task {
                    id: TaskId(id),
                    site: site.map(SiteId),
                    start_url,
                    instruction,
                    parameters,
                    check,
                    gold,
                    limits,
                    downloads,
                    may_hold_at_start,
                }
            },
        )
}

fn site() -> BoxedStrategy<Site> {
    let reset = prop_oneof![vec(text(), 0..3).prop_map(ResetHook::Command), text().prop_map(ResetHook::Post)];
    let texts = (option::of(text()), option::of(text()), option::of(text()));
    (vec(text(), 0..3), option::of(reset), texts, any::<bool>(), option::of(login()))
        .prop_map(|(hosts, reset, (login_state, locale, proxy), accept_self_signed_certificates, login)| Site {
            scope: Scope { hosts },
            login: login.map(Box::new),
            login_state: login_state.map(Into::into),
            reset,
            locale,
            proxy,
            accept_self_signed_certificates,
        })
        .boxed()
}

/// On the heap: a recipe holds a check, and a site holds a recipe.
fn login() -> BoxedStrategy<Login> {
    let fill = btree_map(text(), parameter(), 0..3);
    (text(), option::of(text()), fill, option::of(text()), option::of(check()))
        .prop_map(|(role, url, fill, submit, logged_in)| Login { role, url, fill, submit, logged_in })
        .boxed()
}

fn exceptions() -> impl Strategy<Value = Exceptions> {
    (vec(text(), 0..2), vec(text(), 0..2), vec(text(), 0..2)).prop_map(|(paths, controls, methods)| Exceptions {
        paths,
        controls,
        methods,
    })
}

fn exploration() -> impl Strategy<Value = Exploration> {
    let mode = select(vec![Mode::ReadOnly, Mode::Careful, Mode::Free, Mode::Destructive]);
    let guards = (mode, any::<bool>(), any::<bool>(), exceptions(), exceptions())
        .prop_map(|(mode, ignore_robots, dry_run, allow, deny)| Guards { mode, ignore_robots, dry_run, allow, deny });
    let texts = (version(), text(), text(), any::<u64>());
    (texts, guards, option::of(login()), coverage()).prop_map(
        |((version, start_url, strategy, seconds), guards, login, coverage)| Exploration {
            version,
            start_url,
            strategy,
            seconds,
            guards,
            login,
            coverage,
        },
    )
}

/// Either nothing, or something that is measured.
fn coverage() -> impl Strategy<Value = CoverageOptions> {
    let report = prop_oneof![Just("https://shop.test/lines".to_owned()), text()];
    let measured = (vec(text(), 0..2), vec(report, 1..3), any::<u64>(), any::<bool>()).prop_map(
        |(command, reports, every_s, javascript)| CoverageOptions {
            command,
            reports: reports.into_iter().map(Into::into).collect(),
            every_s,
            javascript,
        },
    );
    prop_oneof![Just(CoverageOptions::default()), measured]
}

pub(in crate::tests) fn job() -> impl Strategy<Value = Job> {
    let benchmark = (text(), text(), any::<u64>(), any::<bool>()).prop_map(|(benchmark, task, seed, relaxed)| {
        Work::Benchmark(BenchmarkTask { benchmark, task: TaskId(task), seed, relaxed })
    });
    let work = prop_oneof![
        benchmark,
        (task(), site()).prop_map(|(task, site)| Work::Task { task: Box::new(task), site: Box::new(site) }),
        (exploration(), site()).prop_map(|(exploration, site)| Work::Exploration {
            exploration: Box::new(exploration),
            site: Box::new(site)
        }),
        study().prop_map(|study| Work::Study(Box::new(study))),
    ];
    (text(), text(), work).prop_map(|(id, campaign, work)| Job { id: JobId(id), campaign: CampaignId(campaign), work })
}

pub(in crate::tests) fn submission() -> impl Strategy<Value = Submission> {
    (job(), text(), text(), text()).prop_map(|(job, site, host, trace_parent)| Submission {
        job,
        site: SiteId(site),
        host,
        trace_parent,
    })
}
