//! Whatever a message may lack is either one of its optional parts, or missed by name. Each part of every message is taken out
//! of its encoded form in turn: a message that comes, or a part, is found by itself, and has to be named here.

use super::arbitrary::{
    campaign, decision, envelope, grant, job, map, outcome, quarantined, request, status, submission, totals,
};
use crate::convert::decision::{asked, request as decision_request};
use crate::error::Error;
use crate::v1;
use domain::campaign::{Campaign, CampaignStatus, Grant, PlannerRef, Quarantined};
use domain::job::Outcome;
use domain::ledger::Totals;
use domain::state::{Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, Route};
use domain::storage::jobs::Submission;
use domain::{Decision, DecisionRequest, Job};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Parts that a message cannot do without, and how their absence is told.
const REQUIRED: &[(&str, &str)] = &[
    ("Action.kind", "action.kind"),
    ("Arrival.action", "arrival.action"),
    ("Arrival.effect", "arrival.effect"),
    ("Arrival.latency", "arrival.latency"),
    ("Aspect.is", "aspect.is"),
    ("Campaign.budget", "campaign.budget"),
    ("Campaign.planner", "campaign.planner"),
    ("CampaignStatus.campaign", "status.campaign"),
    ("CampaignStatus.tally", "status.tally"),
    ("CampaignStatus.usage", "status.usage"),
    ("CampaignStatus.wish", "wish"),
    ("Cell.count", "cell.count"),
    ("ChangedState.after", "changed.after"),
    ("ChangedState.before", "changed.before"),
    ("Check.of", "check.of"),
    ("CheckBox.element", "check.element"),
    ("Choice.is", "choice.is"),
    ("Claim.is", "claim.is"),
    ("Click.element", "click.element"),
    ("Closing.how", "closing.how"),
    ("Count.usage", "count.usage"),
    ("DecideRequest.memory", "decide.memory"),
    ("DecideRequest.observation", "decide.observation"),
    ("DecideRequest.planner", "decide.planner"),
    ("Decision.choice", "decision.choice"),
    ("Decision.level", "decision.level"),
    ("Descriptor.bounds", "descriptor.bounds"),
    ("Drag.element", "drag.element"),
    ("Drag.onto", "drag.onto"),
    ("Effect.is", "effect.is"),
    ("Ending.because", "ending.because"),
    ("Envelope.payload", "envelope.payload"),
    ("EndedJob.end", "ended_job.end"),
    ("Evidence.check", "evidence.check"),
    ("Evidence.finding", "evidence.finding"),
    ("Exploration.guards", "exploration.guards"),
    ("ExplorationWork.exploration", "job.exploration.exploration"),
    ("ExplorationWork.site", "job.exploration.site"),
    ("Fault.category", "fault.category"),
    ("FrontierGrant.action", "grant.action"),
    ("FrontierGrant.lease", "grant.lease"),
    ("FrontierGrant.path", "grant.path"),
    ("FrontierGrant.ticket", "grant.ticket"),
    ("FrontierRequest.version", "frontier.version"),
    ("FrontierTicket.version", "ticket.version"),
    ("Grant.campaign", "grant.campaign"),
    ("Grant.job", "grant.job"),
    ("Grant.lease", "grant.lease"),
    ("Job.work", "job.work"),
    ("JudgedEnd.verdict", "verdict.kind"),
    ("Json.is", "json.is"),
    ("JsonMember.value", "json.member.value"),
    ("LocateRequest.observation", "locate.observation"),
    ("LocateRequest.version", "locate.version"),
    ("Locator.by", "locator.by"),
    ("LoneState.state", "lone.state"),
    ("LoneTransition.transition", "lone.transition"),
    ("LostAttempt.failure", "lost.failure"),
    ("LostAttempt.ticket", "lost.ticket"),
    ("LostAttempt.usage", "lost.usage"),
    ("Node.bounds", "node.bounds"),
    ("Node.visibility", "node.visibility"),
    ("Observation.settled", "observation.settled"),
    ("Observation.stamp", "observation.stamp"),
    ("Observation.viewport", "observation.viewport"),
    ("OpenRequest.request", "open_request.request"),
    ("Offer.kind", "offer.kind"),
    ("Outcome.ending", "outcome.ending"),
    ("Outcome.usage", "outcome.usage"),
    ("Outcome.verdict", "outcome.verdict"),
    ("PageAction.action", "act.action"),
    ("PageStateCheck.equals", "page_state.equals"),
    ("Parameter.is", "parameter.is"),
    ("Part.is", "part.is"),
    ("Quarantined.failure", "quarantined.failure"),
    ("RequestCheck.url", "request.url"),
    ("ResetHook.how", "site.reset.how"),
    ("Scroll.direction", "scroll.direction"),
    ("SecretRef.is", "secret.is"),
    ("Select.element", "select.element"),
    ("Settled.is", "settled.is"),
    ("Stage.does", "stage.does"),
    ("Step.action", "step.action"),
    ("Step.effect", "step.effect"),
    ("Step.level", "step.level"),
    ("Step.stamp", "step.stamp"),
    ("Step.usage", "step.usage"),
    ("StepTaken.step", "step_taken.step"),
    ("Stop.claim", "stop.claim"),
    ("Study.kind", "study.kind"),
    ("Submission.job", "submission.job"),
    ("Task.limits", "task.limits"),
    ("TaskWork.site", "job.task.site"),
    ("TaskWork.task", "job.task.task"),
    ("TextMatch.how", "text_match.how"),
    ("Totals.lost_usage", "totals.lost_usage"),
    ("Transition.action", "transition.action"),
    ("TransitionTaken.transition", "transition_taken.transition"),
    ("TransitionTaken.version", "transition_taken.version"),
    ("Type.element", "type.element"),
    ("Unread.why", "unread.why"),
    ("Upload.element", "upload.element"),
    ("ValueCheck.is", "value.is"),
    ("ValueCheck.of", "value.of"),
    ("Verdict.kind", "verdict.kind"),
    ("VerdictCount.kind", "verdict.kind"),
];

/// Parts that may be absent.
const OPTIONAL: &[&str] = &[
    "Guards.allow",
    "Guards.deny",
    "Campaign.limits",
    "Campaign.stages",
    // A reason that only a newer version knows.
    "Waiting.for",
    "PlannerRef.options",
    "Click.at",
    "DecideRequest.context",
    "DecideRequest.position",
    "DecideRequest.screenshot",
    "Decision.memory",
    "Decision.usage",
    "ElementCheck.name",
    "ElementCheck.text",
    "Exploration.coverage",
    "Exploration.login",
    "FaultCheck.at",
    "FaultCheck.category",
    "FaultCheck.message",
    "FaultCheck.source",
    "LocateRequest.arrival",
    "LocateRequest.ticket",
    "Login.logged_in",
    "LoneState.broke_at",
    "LoneTransition.broke_at",
    "Node.constraints",
    "Node.interactive_by",
    "Node.states",
    "Observation.dialog",
    "Offer.progress",
    "Request.kind",
    "Scroll.element",
    "Site.login",
    "Site.reset",
    "Step.difference",
    "Task.check",
    "Task.gold",
    "TaskContext.options",
    "TransitionTaken.settled",
];

/// Messages that services and their callers take apart themselves: see `incomplete.rs`. An error's detail and an answer about a
/// path may lack all that they have; nothing here or there looks at `Found`.
const TAKEN_APART: &[&str] =
    &["ClaimRequest", "DecideResponse", "ErrorDetail", "Found", "PathAnswer", "SettleRequest", "WishRequest"];

/// Examples of each message that is read: enough for each of its parts to be in one of them.
const EXAMPLES: usize = 60;

/// The messages of our own package by their names, nested ones as `Outer.Inner`.
struct Kinds(BTreeMap<String, DescriptorProto>);

impl Kinds {
    fn new() -> Self {
        let descriptors = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
        let files = FileDescriptorSet::decode(descriptors.as_slice()).unwrap().file;
        let ours = files.into_iter().filter(|file| file.package() == "rutter.v1");
        let mut kinds = BTreeMap::new();
        for message in ours.flat_map(|file| file.message_type) {
            for nested in &message.nested_type {
                kinds.insert(format!("{}.{}", message.name(), nested.name()), nested.clone());
            }
            kinds.insert(message.name().to_owned(), message);
        }
        Self(kinds)
    }

    /// What a message may lack: the messages, enumerations and alternatives in it, by name.
    fn parts(&self, kind: &str) -> BTreeMap<String, Vec<u32>> {
        let message = &self.0[kind];
        let mut parts: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        if message.options.as_ref().is_some_and(|options| options.map_entry()) {
            return parts;
        }
        for field in &message.field {
            let name = match field.oneof_index {
                Some(index) if !field.proto3_optional() => message.oneof_decl[index as usize].name(),
                _ if field.label() == Label::Repeated => continue,
                _ if matches!(field.r#type(), Type::Message | Type::Enum) => field.name(),
                _ => continue,
            };
            parts.entry(format!("{kind}.{name}")).or_default().push(field.number() as u32);
        }
        parts
    }

    /// The kind of message that a field holds, of those of our own.
    fn held<'k>(&self, field: &'k FieldDescriptorProto) -> Option<&'k str> {
        let name = field.type_name.as_deref()?.strip_prefix(".rutter.v1.")?;
        self.0.contains_key(name).then_some(name)
    }

    /// Every way to take one part out of an encoded message or of those in it: the part's name, and the bytes without it.
    fn lacking(&self, kind: &str, bytes: &[u8], found: &mut dyn FnMut(&str, Vec<u8>)) {
        let pieces = pieces(bytes);
        for (name, numbers) in self.parts(kind) {
            let is_kept = |piece: &&Piece| !numbers.contains(&piece.number);
            let kept: Vec<&Piece> = pieces.iter().filter(is_kept).collect();
            if kept.len() < pieces.len() {
                found(&name, kept.iter().flat_map(|piece| &bytes[piece.whole.clone()]).copied().collect());
            }
        }
        for piece in &pieces {
            let field = self.0[kind].field.iter().find(|field| field.number() as u32 == piece.number).unwrap();
            if let (Some(inner), Some(content)) = (self.held(field), &piece.content) {
                self.lacking(inner, &bytes[content.clone()], &mut |name, changed| {
                    let mut whole = bytes[..piece.whole.start].to_vec();
                    prost::encoding::bytes::encode(piece.number, &changed, &mut whole);
                    whole.extend_from_slice(&bytes[piece.whole.end..]);
                    found(name, whole);
                });
            }
        }
    }
}

/// A field in an encoded message.
struct Piece {
    number: u32,
    /// With its key.
    whole: Range<usize>,
    /// What is in it, when it has a length.
    content: Option<Range<usize>>,
}

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let start = bytes.len() - rest.len();
        let (number, wire_type) = decode_key(&mut rest).unwrap();
        let length = match wire_type {
            WireType::Varint => {
                decode_varint(&mut rest).unwrap();
                0
            }
            WireType::SixtyFourBit => 8,
            WireType::ThirtyTwoBit => 4,
            WireType::LengthDelimited => decode_varint(&mut rest).unwrap() as usize,
            WireType::StartGroup | WireType::EndGroup => panic!("there are no groups"),
        };
        let begin = bytes.len() - rest.len();
        rest = &rest[length..];
        let content = (wire_type == WireType::LengthDelimited).then_some(begin..begin + length);
        pieces.push(Piece { number, whole: start..begin + length, content });
    }
    pieces
}

/// How the absence of each part was told, over all messages that it was taken out of; nothing where it was none.
#[derive(Default)]
struct Told {
    by_part: BTreeMap<String, BTreeSet<Option<&'static str>>>,
    kinds: BTreeSet<String>,
}

impl Told {
    /// Takes everything out of examples of a message that `decode` reads.
    fn of<T: std::fmt::Debug>(
        &mut self,
        kinds: &Kinds,
        kind: &str,
        examples: impl Strategy<Value = T>,
        encode: impl Fn(&T) -> Vec<u8>,
        decode: impl Fn(&[u8]) -> Result<T, Error>,
    ) {
        let mut runner = TestRunner::deterministic();
        for _ in 0..EXAMPLES {
            let example = encode(&examples.new_tree(&mut runner).unwrap().current());
            decode(&example).expect("nothing is missing");
            kinds.lacking(kind, &example, &mut |part, bytes| {
                let told = match decode(&bytes) {
                    Ok(_) => None,
                    Err(Error::Missing(name)) => Some(name),
                    Err(other) => panic!("{part}: {other}"),
                };
                self.by_part.entry(part.to_owned()).or_default().insert(told);
                self.kinds.insert(part.split_once('.').unwrap().0.to_owned());
            });
        }
    }

    /// Of every message that is read.
    fn of_all(kinds: &Kinds) -> Self {
        let mut told = Self::default();
        told.of(kinds, "Envelope", envelope(), crate::encode, crate::decode);
        macro_rules! messages {
            ($($kind:ident = $message:ident: $examples:expr),* $(,)?) => {$(
                let encode = |of: &$kind| v1::$message::from(of).encode_to_vec();
                let decode = |bytes: &[u8]| $kind::try_from(v1::$message::decode(bytes).unwrap());
                told.of(kinds, stringify!($message), $examples, encode, decode);
            )*};
        }
        messages![
            Campaign = Campaign: campaign(),
            CampaignStatus = CampaignStatus: status(),
            Job = Job: job(),
            Submission = Submission: submission(),
            Grant = Grant: grant(),
            Quarantined = Quarantined: quarantined(),
            Outcome = Outcome: outcome(),
            Totals = Totals: totals(),
            LocateRequest = LocateRequest: map::locate(),
            Located = Located: map::located(),
            FrontierRequest = FrontierRequest: map::frontier_request(),
            FrontierTicket = FrontierTicket: map::ticket(),
            FrontierGrant = FrontierGrant: map::frontier_grant(),
            Route = Route: map::route(),
            Map = Map: map::map(),
            Difference = Difference: map::difference(),
            Decision = Decision: decision(),
        ];
        let planner = PlannerRef::named("ground");
        let encode = |asked: &DecisionRequest| decision_request(&planner, asked).encode_to_vec();
        let decode = |bytes: &[u8]| asked(v1::DecideRequest::decode(bytes).unwrap());
        told.of(kinds, "DecideRequest", request(), encode, |bytes| decode(bytes).map(|(_, asked)| asked));
        told
    }

    /// That the absence of each of these parts is told by its name, and by no other.
    fn check(&self, parts: &[(&str, &str)]) {
        let wrong = |(part, name): &&(&str, &str)| {
            let told = self.by_part.get(*part);
            !told.is_some_and(|told| told.iter().eq([&Some(*name)]))
        };
        let wrong = parts.iter().filter(wrong).map(|(part, name)| (part, name, self.by_part.get(*part)));
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.is_empty(), "part, name, and what was told: {wrong:#?}");
    }
}

#[test]
fn every_part_that_a_message_cannot_do_without_is_missed_by_its_name() {
    let told = Told::of_all(&Kinds::new());
    told.check(REQUIRED);
    let optional: BTreeMap<_, _> = OPTIONAL.iter().map(|part| (*part, told.by_part.get(*part))).collect();
    for (part, told) in optional {
        assert!(told.is_some_and(|told| told.iter().eq([&None])), "{part} may be absent: {told:?}");
    }
    let named: BTreeSet<&str> = REQUIRED.iter().map(|(part, _)| *part).chain(OPTIONAL.iter().copied()).collect();
    let unnamed: BTreeMap<_, _> = told.by_part.iter().filter(|(part, _)| !named.contains(part.as_str())).collect();
    assert!(unnamed.is_empty(), "parts that are not named here: {unnamed:#?}");
}

#[test]
fn no_message_with_parts_is_passed_over() {
    let kinds = Kinds::new();
    let told = Told::of_all(&kinds);
    let all = kinds.0.keys().filter(|kind| !kinds.parts(kind).is_empty());
    let passed_over: Vec<&str> = all.map(String::as_str).filter(|kind| !told.kinds.contains(*kind)).collect();
    assert_eq!(passed_over, TAKEN_APART);
}
