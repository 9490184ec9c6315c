//! Maps of every shape.

use super::page::{operation, request};
use super::{action, effect, number, text};
use domain::state::{
    ActionKey, Arrival, Aspect, Change, Difference, EdgeTally, Form, FrontierGrant, FrontierRequest, FrontierTicket,
    LocateRequest, Located, Lone, Map, MapStatus, Offer, Opportunity, Part, Progress, Route, State, Transition,
    Version,
};
use domain::{BlobRef, ElementId, Fence, RunId, SiteId, StateId};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::{Duration, UNIX_EPOCH};

fn id() -> impl Strategy<Value = StateId> + Clone {
    any::<u64>().prop_map(StateId)
}

fn key() -> impl Strategy<Value = ActionKey> + Clone {
    any::<u64>().prop_map(ActionKey)
}

fn span() -> impl Strategy<Value = Duration> {
    (0..1_000_000u64, 0..1_000_000_000u32).prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
}

pub(super) fn version() -> impl Strategy<Value = Version> + Clone {
    (text(), text(), text()).prop_map(|(site, run, role)| Version { site: SiteId(site), run: RunId(run), role })
}

fn state() -> impl Strategy<Value = State> + Clone {
    let form = (text(), vec(text(), 0..3)).prop_map(|(name, fields)| Form { name, fields });
    let words = (text(), text(), text(), text());
    (id(), words, vec(form, 0..3), vec(any::<u8>(), 0..5), option::of(text())).prop_map(
        |(id, (url, template, title, summary), forms, fingerprint, screenshot)| State {
            id,
            url,
            template,
            title,
            summary,
            forms,
            fingerprint,
            screenshot: screenshot.map(BlobRef),
        },
    )
}

pub(super) fn transition() -> impl Strategy<Value = Transition> {
    (id(), key(), action(), id(), any::<[u64; 3]>(), 0..1u64 << 40).prop_map(
        |(from, key, action, to, [count, succeeded, latency_ms], last_seen)| Transition {
            from,
            key,
            action,
            to,
            tally: EdgeTally { count, succeeded, latency_ms },
            last_seen: UNIX_EPOCH + Duration::from_millis(last_seen),
        },
    )
}

pub(crate) fn ticket() -> impl Strategy<Value = FrontierTicket> {
    (version(), id(), key(), any::<u64>()).prop_map(|(version, state, key, fence)| FrontierTicket {
        version,
        state,
        key,
        fence: Fence(fence),
    })
}

pub(crate) fn locate() -> impl Strategy<Value = LocateRequest> {
    let arrival = (id(), action(), option::of(key()), effect(), span())
        .prop_map(|(from, action, key, effect, latency)| Arrival { from, action, key, effect, latency });
    let vector = option::of(vec(any::<u8>().prop_map(f32::from), 1..4));
    let rest = (option::of(id()), option::of(text()), option::of(ticket()), option::of(text()));
    (version(), request(), vector, option::of(arrival), rest).prop_map(
        |(version, request, vector, arrival, (reload_of, opened, ticket, screenshot))| LocateRequest {
            version,
            observation: request.observation,
            vector,
            arrival,
            reload_of,
            opened,
            ticket,
            screenshot: screenshot.map(BlobRef),
        },
    )
}

pub(crate) fn located() -> impl Strategy<Value = Located> {
    let progress = option::of(select([Progress::Open, Progress::Claimed, Progress::Done].to_vec()));
    let offer = (key(), any::<u32>(), operation(), progress).prop_map(|(key, element, kind, progress)| Offer {
        key,
        element: ElementId(element),
        kind,
        progress,
    });
    (id(), any::<bool>(), vec(offer, 0..3), any::<bool>()).prop_map(|(state, is_new, actions, ticket_held)| Located {
        state,
        is_new,
        actions,
        ticket_held,
    })
}

pub(crate) fn frontier_request() -> impl Strategy<Value = FrontierRequest> {
    (version(), text(), option::of(id()), 0..1_000usize).prop_map(|(version, crawler, at, count)| FrontierRequest {
        version,
        crawler,
        at,
        count,
    })
}

pub(crate) fn route() -> impl Strategy<Value = Route> {
    (any::<bool>(), option::of(text()), vec(transition(), 0..3), number(), number()).prop_map(
        |(from_start, address, hops, reliability, latency_ms)| Route {
            from_start,
            address,
            hops,
            reliability,
            latency_ms,
        },
    )
}

pub(crate) fn frontier_grant() -> impl Strategy<Value = FrontierGrant> {
    (ticket(), action(), route(), span()).prop_map(|(ticket, action, path, lease)| {
        let opportunity = Opportunity { state: ticket.state, key: ticket.key, action };
        FrontierGrant { ticket, opportunity, path, lease }
    })
}

pub(crate) fn map() -> impl Strategy<Value = Map> {
    (vec(state(), 0..3), vec(transition(), 0..3), option::of(id())).prop_map(|(states, transitions, start)| Map {
        states,
        transitions,
        start,
    })
}

pub(crate) fn difference() -> impl Strategy<Value = Difference> {
    let states = || vec(lone(state()), 0..2);
    let transitions = || vec(lone(transition()), 0..2);
    (states(), states(), transitions(), transitions(), vec(change(), 0..2)).prop_map(
        |(appeared, missing, appeared_transitions, missing_transitions, changed)| Difference {
            appeared,
            missing,
            appeared_transitions,
            missing_transitions,
            changed,
        },
    )
}

fn lone<T: std::fmt::Debug>(it: impl Strategy<Value = T>) -> impl Strategy<Value = Lone<T>> {
    let parts = (it, any::<bool>(), option::of(transition()));
    parts.prop_map(|(it, is_sure, broke_at)| Lone { it, is_sure, broke_at })
}

fn change() -> impl Strategy<Value = Change> {
    (state(), state(), vec(aspect(), 0..4)).prop_map(|(before, after, what)| Change { before, after, what })
}

fn aspect() -> impl Strategy<Value = Aspect> {
    let part = || {
        prop_oneof![
            (".*", ".*").prop_map(|(role, name)| Part::Control { role, name }),
            ".*".prop_map(|name| Part::Form { name }),
            (".*", ".*").prop_map(|(form, name)| Part::Field { form, name }),
        ]
    };
    prop_oneof![
        (".*", ".*").prop_map(|(before, after)| Aspect::Moved { before, after }),
        Just(Aspect::Renamed),
        part().prop_map(Aspect::Lost),
        part().prop_map(Aspect::Won),
        Just(Aspect::Otherwise),
    ]
}

pub(crate) fn map_status() -> impl Strategy<Value = MapStatus> {
    any::<[u64; 5]>().prop_map(|[states, transitions, open, claimed, done]| MapStatus {
        states,
        transitions,
        open,
        claimed,
        done,
    })
}
