//! Behaviour of the wire: what goes out comes back, and what cannot be read is named.

mod access;
mod arbitrary;
mod deadlines;
mod foreign;
mod fuzz;
mod incomplete;
mod lacking;
mod maps;
mod messages;
mod planner;
mod scripted;
mod services;

use crate::error::Error;
use crate::v1;
use crate::{Envelope, Poison, Record, SCHEMA_VERSION, decode, encode};
use arbitrary::envelope;
use domain::campaign::{Closing, Failure, LostAttempt, Ticket};
use domain::storage::log::{LogPosition, LogRecord, Topic};
use domain::{Action, CampaignId, Descriptor, Fence, JobId, SiteId, Usage};
use proptest::prelude::*;
use prost::Message;
use std::time::{Duration, UNIX_EPOCH};

proptest! {
    #[test]
    fn every_record_comes_back_as_it_went_out(envelope in envelope()) {
        prop_assert_eq!(decode(&encode(&envelope)), Ok(envelope));
    }

    #[test]
    fn damaged_bytes_are_an_error_or_a_record_and_never_a_panic(
        envelope in envelope(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = encode(&envelope);
        let index = at.index(bytes.len());
        bytes[index] = byte;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let _ = decode(&bytes);
    }
}

fn minimal_step() -> v1::StepTaken {
    v1::StepTaken {
        campaign: "run".into(),
        job: "a".into(),
        episode: "018f0000-0000-7000-8000-000000000000".into(),
        fence: 1,
        step: Some(v1::Step {
            stamp: Some(v1::Stamp::default()),
            action: Some(v1::Action { kind: Some(v1::action::Kind::Back(v1::Nothing {})) }),
            effect: Some(v1::Effect { is: Some(v1::effect::Is::NoChange(v1::Nothing {})) }),
            usage: Some(v1::Usage::default()),
            level: v1::Level::Ground.into(),
            ..v1::Step::default()
        }),
    }
}

fn read(taken: v1::StepTaken, version: u32) -> Result<Envelope, Error> {
    let payload = Some(v1::envelope::Payload::StepTaken(taken));
    decode(&v1::Envelope { schema_version: version, payload, ..v1::Envelope::default() }.encode_to_vec())
}

fn without(change: impl FnOnce(&mut v1::Step)) -> Error {
    let mut taken = minimal_step();
    change(taken.step.as_mut().unwrap());
    read(taken, 1).unwrap_err()
}

#[test]
fn a_missing_field_is_named() {
    assert!(read(minimal_step(), 1).is_ok());
    assert_eq!(without(|step| step.action = None), Error::Missing("step.action"));
    assert_eq!(without(|step| step.effect = Some(v1::Effect::default())), Error::Missing("effect.is"));
    assert_eq!(without(|step| step.level = 0), Error::Missing("step.level"));
    let click = v1::Click { element: None, at: None, count: 1 };
    let action = Some(v1::Action { kind: Some(v1::action::Kind::Click(click)) });
    assert_eq!(without(|step| step.action = action).to_string(), "read message: field `click.element` is missing");
    assert_eq!(decode(&v1::Envelope::default().encode_to_vec()), Err(Error::Missing("envelope.payload")));
}

#[test]
fn an_id_that_is_none_is_quoted() {
    let error = read(v1::StepTaken { episode: "seven".into(), ..minimal_step() }, 1).unwrap_err().to_string();
    assert!(error.contains("`step_taken.episode`") && error.contains("`seven`"), "{error}");
}

#[test]
fn a_value_of_an_enum_that_this_program_does_not_know_is_never_taken_for_another() {
    assert_eq!(without(|step| step.level = 99), Error::Missing("step.level"));
}

#[test]
fn a_record_of_a_newer_version_is_refused_with_what_to_do() {
    let error = read(minimal_step(), SCHEMA_VERSION + 1).unwrap_err();
    assert_eq!(error, Error::Newer { found: SCHEMA_VERSION + 1, known: SCHEMA_VERSION });
    assert!(error.to_string().contains("update this program"));
}

#[test]
fn a_step_of_version_1_is_read_without_its_campaign() {
    let envelope = read(v1::StepTaken { campaign: String::new(), ..minimal_step() }, 1).unwrap();
    let Record::StepTaken(taken) = envelope.record else { panic!("no step") };
    assert_eq!((taken.campaign.as_str(), taken.job.as_str()), ("", "a"));
}

#[test]
fn an_outcome_of_version_1_is_read_as_a_verdict() {
    let outcome = v1::Outcome {
        episode: "018f0000-0000-7000-8000-000000000000".into(),
        job: "a".into(),
        verdict: Some(v1::Verdict { kind: v1::VerdictKind::Passed.into(), ..v1::Verdict::default() }),
        ending: Some(v1::Ending { because: Some(v1::ending::Because::EnvironmentOver(v1::Nothing {})) }),
        usage: Some(v1::Usage::default()),
        ..v1::Outcome::default()
    };
    let payload = Some(v1::envelope::Payload::Outcome(outcome));
    let bytes = v1::Envelope { schema_version: 1, payload, ..v1::Envelope::default() }.encode_to_vec();
    let Record::Closing(closing) = decode(&bytes).unwrap().record else { panic!("no closing") };
    assert!(matches!(*closing, Closing::Judged(_)), "{closing:?}");
    assert_eq!(closing.job().as_str(), "a");
}

#[test]
fn what_a_later_version_adds_is_passed_over() {
    let mut bytes = encode(&read(minimal_step(), 1).unwrap());
    bytes.extend([0xfa, 0x3f, 0x03, b'n', b'e', b'w']);
    assert!(decode(&bytes).is_ok());
}

#[test]
fn ids_of_records_are_those_of_what_happened_so_that_a_second_delivery_is_seen() {
    let Record::StepTaken(taken) = read(minimal_step(), 1).unwrap().record else { panic!("no step") };
    let episode = taken.episode;
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let (first, second) = (Envelope::of_step((*taken).clone(), at(1)), Envelope::of_step(*taken, at(2)));
    assert_eq!(first.id, second.id);
    assert_eq!(first.id, "018f0000-0000-7000-8000-000000000000/0");

    let (campaign, job, site) = (CampaignId::new("run"), JobId::new("a/3"), SiteId::new("shop"));
    let cancelled = Closing::Cancelled { campaign: campaign.clone(), job: job.clone(), site };
    assert_eq!(Envelope::of_closing(cancelled, at(1)).id, "run/a/3/cancelled");
    let ticket = Ticket { campaign, job, fence: Fence(2) };
    let (failure, usage) = (Failure::SessionLost, Usage::default());
    let lost = LostAttempt { ticket, episode, failure, cause: "gone".into(), usage, wall_ms: 1.0 };
    let lost = Envelope::of_closing(Closing::Lost(lost), at(1));
    assert_eq!(lost.id, "018f0000-0000-7000-8000-000000000000/lost");
    let place = LogPosition { partition: 3, offset: 12 };
    let from = LogRecord { topic: Topic::Jobs, place, key: "a".into(), record: vec![1], trace_parent: "t".into() };
    let poison = Envelope::of_poison(Poison { from, cause: "no job".into() }, at(1));
    assert_eq!((poison.id.as_str(), poison.trace_parent.as_str()), ("jobs/3/12/poison", "t"));
}

#[test]
fn a_click_count_beyond_a_byte_is_refused() {
    let message = v1::Action {
        kind: Some(v1::action::Kind::Click(v1::Click {
            element: Some(v1::Descriptor { bounds: Some(v1::Rect::default()), ..v1::Descriptor::default() }),
            at: None,
            count: 256,
        })),
    };
    let error = Action::<Descriptor>::try_from(message).unwrap_err();
    assert!(matches!(error, Error::Invalid { field: "click.count", .. }), "{error}");
}
