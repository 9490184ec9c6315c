//! Whatever bytes a record of the log or a message of the wire is, it is read or refused: no panic, and no more memory than its
//! size allows.

use super::arbitrary::{decision, envelope, job, request};
use crate::convert::decision::{asked, request as message};
use crate::v1;
use domain::campaign::PlannerRef;
use domain::{Decision, Job};
use fuzzing::{Allowance, fuzz, mutated};
use proptest::prelude::*;
use prost::Message;
use std::thread;

/// An empty message is two bytes, and up to half a kilobyte where it is read.
const ALLOWED: Allowance = Allowance { base: 1 << 20, per_byte: 1_500 };

/// Making any value of a large type takes more stack than a test has; reading one must not.
fn fuzz_read(name: &'static str, inputs: fn() -> BoxedStrategy<Vec<u8>>, read: fn(&[u8])) {
    let fuzzing = thread::Builder::new().stack_size(64 << 20).spawn(move || {
        fuzz(name, inputs(), ALLOWED, |input| {
            let read = thread::scope(|scope| scope.spawn(|| read(input)).join());
            read.expect("it is read or refused");
        });
    });
    fuzzing.expect("a thread").join().expect("whatever it holds");
}

#[test]
fn a_record_of_the_log_is_read_or_refused_whatever_it_holds() {
    let inputs = || mutated(envelope().prop_map(|envelope| crate::encode(&envelope))).boxed();
    fuzz_read("records", inputs, |input| {
        if let Ok(envelope) = crate::decode(input) {
            assert!(crate::decode(&crate::encode(&envelope)).is_ok(), "what was read can be written");
        }
    });
}

#[test]
fn a_message_of_the_wire_is_read_or_refused_whatever_it_holds() {
    let inputs = || {
        let planner = PlannerRef::named("ground");
        let requests = request().prop_map(move |request| message(&planner, &request).encode_to_vec());
        let decisions = decision().prop_map(|decision| v1::Decision::from(&decision).encode_to_vec());
        let jobs = job().prop_map(|job| v1::Job::from(&job).encode_to_vec());
        mutated(prop_oneof![requests, decisions, jobs]).boxed()
    };
    fuzz_read("messages", inputs, |input| {
        // What is meant as one may arrive as another.
        let _ = v1::DecideRequest::decode(input).ok().map(asked);
        let _ = v1::Decision::decode(input).ok().map(Decision::try_from);
        let _ = v1::Job::decode(input).ok().map(Job::try_from);
    });
}
