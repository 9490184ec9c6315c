//! Records of every shape.

mod campaign;
pub(super) mod map;
mod page;
mod stage;
mod work;

pub(super) use campaign::{campaign, grant, status, totals};
pub(super) use page::{decision, request};
pub(super) use work::{job, quarantined, submission};

use crate::{Envelope, Poison, Record, StepTaken, TransitionTaken};
use domain::action::{Claim, Direction};
use domain::campaign::{Closing, LostAttempt};
use domain::decision::Level;
use domain::effect::{ElementChange, PageDifference};
use domain::fault::FaultCategory;
use domain::job::Outcome;
use domain::ledger::PageVisit;
use domain::locator::Position;
use domain::observation::Stamp;
use domain::storage::log::{LogPosition, LogRecord, Topic};
use domain::verdict::{Finding, VerdictKind};
use domain::{
    Action, BlobRef, CampaignId, Descriptor, Effect, Ending, EpisodeId, Evidence, Fault, Fence, JobId, Locator, Point,
    Rect, SiteId, Step, TaskId, Usage, Verdict,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::{Duration, UNIX_EPOCH};
use uuid::Uuid;
use work::{check, failure, ticket};

fn text() -> impl Strategy<Value = String> + Clone {
    "\\PC{0,8}"
}

fn number() -> impl Strategy<Value = f64> + Clone {
    // A negative zero loses its sign on the wire, which nobody misses.
    (prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::NEGATIVE).prop_map(|number| number + 0.0)
}

fn locator() -> impl Strategy<Value = Locator> {
    prop_oneof![
        (text(), text()).prop_map(|(role, name)| Locator::Role { role, name }),
        (text(), text()).prop_map(|(attribute, value)| Locator::TestId { attribute, value }),
        text().prop_map(|text| Locator::Label { text }),
        (text(), text()).prop_map(|(tag, text)| Locator::Text { tag, text }),
        text().prop_map(|selector| Locator::Css { selector }),
        text().prop_map(|path| Locator::XPath { path }),
    ]
}

fn descriptor() -> impl Strategy<Value = Descriptor> {
    let position = (any::<u32>(), any::<u32>()).prop_map(|(index, of)| Position { index, of });
    let bounds =
        (number(), number(), number(), number()).prop_map(|(x, y, width, height)| Rect { x, y, width, height });
    let words = (text(), text(), text(), text());
    (vec(locator(), 0..3), vec(position, 0..3), words, bounds, (vec(text(), 0..2), option::of(text()), text()))
        .prop_map(|(locators, matches, (role, name, tag, context), bounds, (frames, address, place))| Descriptor {
            locators,
            matches,
            role,
            name,
            tag,
            context,
            bounds,
            frames,
            address,
            place,
        })
}

fn claim() -> impl Strategy<Value = Claim> {
    prop_oneof![
        Just(Claim::Done),
        text().prop_map(|reason| Claim::Infeasible { reason }),
        text().prop_map(|reason| Claim::GaveUp { reason }),
    ]
}

fn action() -> impl Strategy<Value = Action<Descriptor>> {
    let directions = select(vec![Direction::Up, Direction::Down, Direction::Left, Direction::Right]);
    let point = (number(), number()).prop_map(|(x, y)| Point { x, y });
    let on_element = prop_oneof![
        (descriptor(), option::of(point), any::<u8>()).prop_map(|(element, at, count)| Action::Click {
            element,
            at,
            count
        }),
        (descriptor(), text(), any::<bool>()).prop_map(|(element, text, submit)| Action::Type {
            element,
            text,
            submit
        }),
        (descriptor(), vec(text(), 0..3)).prop_map(|(element, options)| Action::Select { element, options }),
        (descriptor(), any::<bool>()).prop_map(|(element, checked)| Action::Check { element, checked }),
        descriptor().prop_map(|element| Action::Hover { element }),
        (option::of(descriptor()), directions).prop_map(|(element, direction)| Action::Scroll { element, direction }),
        (descriptor(), descriptor()).prop_map(|(element, onto)| Action::Drag { element, onto }),
        (descriptor(), vec(text(), 0..3)).prop_map(|(element, files)| Action::Upload { element, files }),
    ];
    let on_page = prop_oneof![
        text().prop_map(|keys| Action::Press { keys }),
        text().prop_map(|url| Action::Goto { url }),
        select(vec![Action::Back, Action::Forward, Action::NewTab, Action::CloseTab, Action::DismissDialog]),
        any::<u32>().prop_map(|tab| Action::SwitchTab { tab }),
        option::of(text()).prop_map(|text| Action::AcceptDialog { text }),
        any::<u32>().prop_map(|milliseconds| Action::Wait { milliseconds }),
        (claim(), option::of(text())).prop_map(|(claim, answer)| Action::Stop { claim, answer }),
    ];
    prop_oneof![on_element, on_page]
}

fn effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        vec(text(), 0..3).prop_map(|what| Effect::Changed { what }),
        Just(Effect::NoChange),
        text().prop_map(|message| Effect::Rejected { message }),
        text().prop_map(|cause| Effect::Failed { cause }),
        text().prop_map(|url| Effect::LeftScope { url }),
        text().prop_map(|cause| Effect::Unconfirmed { cause }),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    (any::<u64>(), any::<u64>(), number(), any::<u32>()).prop_map(
        |(prompt_tokens, completion_tokens, cost_usd, calls)| Usage {
            prompt_tokens,
            completion_tokens,
            cost_usd,
            calls,
        },
    )
}

fn fault() -> impl Strategy<Value = Fault> {
    use FaultCategory::{ContentSecurity, JavaScript, Network, Other};
    let category = select(vec![Network, JavaScript, ContentSecurity, Other]);
    (category, text(), text(), option::of(any::<u32>()), any::<bool>()).prop_map(
        |(category, message, source, line, first_party)| Fault { category, message, source, line, first_party },
    )
}

fn difference() -> impl Strategy<Value = PageDifference> {
    let change = (text(), text(), text()).prop_map(|(of, from, to)| ElementChange { of, from, to });
    (vec(text(), 0..2), vec(text(), 0..2), vec(change, 0..2), any::<u32>())
        .prop_map(|(appeared, went, changed, more)| PageDifference { appeared, went, changed, more })
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    use Level::{Explore, Gold, Ground, Random, Reason, Recall, Replay};
    let page = (any::<u32>(), text(), any::<u64>(), text(), text(), text());
    let decided =
        (action(), text(), number(), select(vec![Recall, Ground, Reason, Replay, Random, Gold, Explore]), usage());
    let came =
        (effect(), vec(fault(), 0..2), vec(text(), 0..2), option::of(text()), difference(), vec(page::sent(), 0..2));
    (page, decided, came, (number(), number(), number())).prop_map(|(page, decided, came, times)| {
        let (number, session, observation, url, title, summary) = page;
        let (action, reason, confidence, level, usage) = decided;
        let (effect, faults, incidents, screenshot, difference, requests) = came;
        Step {
            number,
            stamp: Stamp { session, number: observation },
            url,
            title,
            summary,
            action,
            reason,
            confidence,
            level,
            effect,
            difference,
            requests,
            usage,
            decide_ms: times.0,
            act_ms: times.1,
            at_ms: times.2,
            faults,
            incidents,
            screenshot: screenshot.map(BlobRef),
        }
    })
}

fn verdict_kind() -> impl Strategy<Value = VerdictKind> {
    use VerdictKind::{
        Drifted, Failed, Infeasible, InvalidEnvironment, NotAchieved, Passed, PassedHealed, Throttled, Unverified,
    };
    select(vec![
        Passed,
        PassedHealed,
        Failed,
        NotAchieved,
        Drifted,
        Infeasible,
        InvalidEnvironment,
        Throttled,
        Unverified,
    ])
}

fn verdict() -> impl Strategy<Value = Verdict> {
    let findings = select(vec![Finding::Confirmed, Finding::Refuted, Finding::Undecided]);
    let evidence =
        (check(), findings, text(), option::of(text())).prop_map(|(check, finding, observed, screenshot)| Evidence {
            check,
            finding,
            observed,
            screenshot: screenshot.map(BlobRef),
        });
    (verdict_kind(), text(), vec(evidence, 0..3)).prop_map(|(kind, reason, evidence)| Verdict {
        kind,
        reason,
        evidence,
    })
}

fn ending() -> impl Strategy<Value = Ending> {
    let counted = prop_oneof![
        any::<u32>().prop_map(|steps| Ending::StepLimit { steps }),
        any::<u64>().prop_map(|seconds| Ending::TimeLimit { seconds }),
        any::<u32>().prop_map(|times| Ending::RepeatedAction { times }),
        any::<u32>().prop_map(|dialogs| Ending::DialogLoop { dialogs }),
    ];
    let caused = prop_oneof![
        text().prop_map(|cause| Ending::InvalidDecisions { cause }),
        text().prop_map(|url| Ending::LeftScope { url }),
        text().prop_map(|cause| Ending::PlannerFailed { cause }),
        text().prop_map(|cause| Ending::Throttled { cause }),
        text().prop_map(|cause| Ending::SiteUnreachable { cause }),
        text().prop_map(|cause| Ending::EnvironmentFailed { cause }),
        text().prop_map(|cause| Ending::BrowserFailed { cause }),
        (any::<u32>(), text()).prop_map(|(step, cause)| Ending::Drifted { step, cause }),
    ];
    prop_oneof![
        (claim(), option::of(text())).prop_map(|(claim, answer)| Ending::Stopped { claim, answer }),
        select(vec![Ending::EnvironmentOver, Ending::Interrupted]),
        counted,
        caused,
    ]
}

pub(super) fn outcome() -> impl Strategy<Value = Outcome> {
    let names = (text(), text(), text(), text(), text(), text());
    let figures = (any::<u128>(), any::<u64>(), option::of(number()), any::<u32>(), number(), usage());
    (names, figures, verdict(), ending(), vec(text(), 0..3)).prop_map(|(names, figures, verdict, ending, incidents)| {
        let (job, campaign, task, site, planner, trajectory) = names;
        let (episode, fence, reward, steps, wall_ms, usage) = figures;
        Outcome {
            job: JobId(job),
            campaign: CampaignId(campaign),
            episode: EpisodeId(Uuid::from_u128(episode)),
            fence: Fence(fence),
            task: TaskId(task),
            site: SiteId(site),
            planner,
            verdict,
            ending,
            reward,
            steps,
            usage,
            wall_ms,
            incidents,
            trajectory: BlobRef(trajectory),
        }
    })
}

fn lost() -> impl Strategy<Value = LostAttempt> {
    (ticket(), any::<u128>(), failure(), text(), usage(), number()).prop_map(
        |(ticket, episode, failure, cause, usage, wall_ms)| LostAttempt {
            ticket,
            episode: EpisodeId(Uuid::from_u128(episode)),
            failure,
            cause,
            usage,
            wall_ms,
        },
    )
}

fn closing() -> impl Strategy<Value = Closing> {
    let ids =
        (text(), text(), text()).prop_map(|(campaign, job, site)| (CampaignId(campaign), JobId(job), SiteId(site)));
    prop_oneof![
        outcome().prop_map(|outcome| Closing::Judged(Box::new(outcome))),
        quarantined().prop_map(Closing::Quarantined),
        ids.clone().prop_map(|(campaign, job, site)| Closing::Cancelled { campaign, job, site }),
        (ids, any::<u64>()).prop_map(|((campaign, job, _), fence)| Closing::Reopened {
            campaign,
            job,
            fence: Fence(fence)
        }),
        lost().prop_map(Closing::Lost),
    ]
}

fn poison() -> impl Strategy<Value = Poison> {
    let place = (any::<u32>(), any::<u64>()).prop_map(|(partition, offset)| LogPosition { partition, offset });
    (select(Topic::ALL.to_vec()), place, text(), vec(any::<u8>(), 0..9), text(), text()).prop_map(
        |(topic, place, key, record, trace_parent, cause)| Poison {
            from: LogRecord { topic, place, key, record, trace_parent },
            cause,
        },
    )
}

fn taken() -> impl Strategy<Value = StepTaken> {
    (text(), text(), any::<u128>(), any::<u64>(), step()).prop_map(|(campaign, job, episode, fence, step)| StepTaken {
        campaign: CampaignId(campaign),
        job: JobId(job),
        episode: EpisodeId(Uuid::from_u128(episode)),
        fence: Fence(fence),
        step,
    })
}

fn transition_taken() -> impl Strategy<Value = TransitionTaken> {
    (map::version(), text(), any::<u64>(), map::transition(), proptest::option::of(map::ticket())).prop_map(
        |(version, session, number, transition, settled)| TransitionTaken {
            version,
            session,
            number,
            transition,
            settled,
        },
    )
}

fn page_visit() -> impl Strategy<Value = PageVisit> {
    (text(), text(), text()).prop_map(|(campaign, job, record)| PageVisit {
        campaign: CampaignId(campaign),
        job: JobId(job),
        id: String::new(),
        record,
    })
}

pub(super) fn envelope() -> impl Strategy<Value = Envelope> {
    // Boxed, because side by side on the stack they are larger than it.
    let record = prop_oneof![
        taken().prop_map(|taken| Record::StepTaken(Box::new(taken))).boxed(),
        closing().prop_map(|closing| Record::Closing(Box::new(closing))).boxed(),
        submission().prop_map(|submission| Record::Submission(Box::new(submission))).boxed(),
        transition_taken().prop_map(|taken| Record::TransitionTaken(Box::new(taken))).boxed(),
        page_visit().prop_map(|visit| Record::PageVisit(Box::new(visit))).boxed(),
        poison().prop_map(|poison| Record::Poison(Box::new(poison))).boxed(),
    ];
    // Times of the next hundred thousand years, to the millisecond.
    (text(), text(), 0u64..(1 << 51), record).prop_map(|(id, trace_parent, time, record)| {
        let time = UNIX_EPOCH + Duration::from_millis(time);
        let record = match record {
            // Its id travels as that of the envelope.
            Record::PageVisit(visit) => Record::PageVisit(Box::new(PageVisit { id: id.clone(), ..*visit })),
            other => other,
        };
        Envelope { id, trace_parent, time, record }
    })
}
