//! Observations, requests and decisions of every shape.

use super::work::json;
use super::{action, fault, number, step, text, usage};
use domain::action::ActionKind;
use domain::decision::{Level, MapPosition, Screenshot, TaskContext};
use domain::observation::{
    Constraints, Dialog, Frame, Interactivity, OpenRequest, Request, RequestKind, SelectOption, Settled, Stamp, States,
    Tab, Unread, UnreadCause, Viewport, Visibility,
};
use domain::{
    Action, CampaignId, Choice, Decision, DecisionRequest, ElementId, EpisodeId, JobId, Node, Observation, Rect, RunId,
    SiteId, StateId,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use uuid::Uuid;

fn states() -> impl Strategy<Value = States> {
    (any::<[Option<bool>; 4]>(), any::<[bool; 4]>()).prop_map(
        |([checked, selected, expanded, pressed], [disabled, readonly, focused, invalid])| States {
            checked,
            selected,
            expanded,
            pressed,
            disabled,
            readonly,
            focused,
            invalid,
        },
    )
}

fn constraints() -> impl Strategy<Value = Constraints> {
    let texts = vec(option::of(text()), 7);
    (any::<bool>(), texts, any::<[Option<u32>; 2]>()).prop_map(|(required, texts, [min_length, max_length])| {
        let [pattern, min, max, step, autocomplete, accept, validation_message] = texts.try_into().unwrap();
        Constraints {
            required,
            pattern,
            min,
            max,
            step,
            min_length,
            max_length,
            autocomplete,
            accept,
            validation_message,
        }
    })
}

pub(super) fn operation() -> impl Strategy<Value = ActionKind> {
    use ActionKind::{
        AcceptDialog, Back, Check, Click, CloseTab, DismissDialog, Drag, Forward, Goto, Hover, NewTab, Press, Scroll,
        Select, Stop, SwitchTab, Type, Upload, Wait,
    };
    select(vec![
        Click,
        Type,
        Select,
        Check,
        Hover,
        Press,
        Scroll,
        Drag,
        Upload,
        Goto,
        Back,
        Forward,
        NewTab,
        SwitchTab,
        CloseTab,
        AcceptDialog,
        DismissDialog,
        Wait,
        Stop,
    ])
}

fn node() -> impl Strategy<Value = Node> {
    use Interactivity::{Aria, Cursor, Listener, Native};
    let option =
        (text(), text(), any::<bool>()).prop_map(|(label, value, selected)| SelectOption { label, value, selected });
    let bounds = any::<[i16; 4]>().prop_map(|[x, y, width, height]| {
        let [x, y, width, height] = [x, y, width, height].map(|pixels| f64::from(pixels) / 4.0);
        Rect { x, y, width, height }
    });
    let place = (option::of(any::<u32>()), any::<u32>(), bounds, any::<[bool; 2]>());
    let words = (vec(text(), 7), option::of(text()), option::of(text()), btree_map(text(), text(), 0..3));
    let seen = select(vec![Visibility::Visible, Visibility::Offscreen, Visibility::Covered, Visibility::OnHover]);
    let control = (vec(operation(), 0..3), option::of(select(vec![Native, Aria, Listener, Cursor])));
    let form = (vec(option, 0..2), option::of(constraints().prop_map(Box::new)));
    (place, words, states(), seen, control, form).prop_map(|(place, words, states, visibility, control, form)| {
        let (texts, value, color, attributes) = words;
        let [role, tag, name, text, context, xpath, icon] = texts.try_into().unwrap();
        Node {
            parent: place.0.map(ElementId),
            frame: place.1,
            role,
            tag,
            name,
            text,
            value,
            attributes: attributes.into_iter().collect(),
            states,
            bounds: place.2,
            visibility,
            operations: control.0,
            interactive_by: control.1,
            options: form.0,
            constraints: form.1,
            context,
            xpath,
            in_shadow: place.3[0],
            color,
            is_item: place.3[1],
            icon,
        }
    })
}

pub(in crate::tests) fn sent() -> impl Strategy<Value = Request> {
    use RequestKind::{Beacon, Document, Other, Resource, Script, Stream};
    let kind = select(vec![Other, Document, Script, Beacon, Stream, Resource]);
    (text(), text(), option::of(any::<u16>()), any::<bool>(), any::<u64>(), kind)
        .prop_map(|(method, url, status, refused, number, kind)| Request { method, url, status, refused, number, kind })
}

fn unread_cause() -> impl Strategy<Value = UnreadCause> {
    use UnreadCause::{ClosedShadowRoot, Document, Drawing, Frame, TooLarge};
    select(vec![Frame, ClosedShadowRoot, TooLarge, Document, Drawing])
}

pub(in crate::tests) fn observation() -> impl Strategy<Value = Observation> {
    let frame = (option::of(any::<u32>()), text(), text(), any::<bool>())
        .prop_map(|(parent, url, xpath, cross_origin)| Frame { parent, url, xpath, cross_origin });
    let viewport = any::<[u16; 4]>().prop_map(|sizes| {
        let [width, height, scroll_y, scroll_height] = sizes.map(f64::from);
        Viewport { width, height, scroll_y, scroll_height }
    });
    let dialog = (text(), text()).prop_map(|(kind, message)| Dialog { kind, message });
    let tab = (text(), any::<bool>()).prop_map(|(url, current)| Tab { url, current });
    let settled = prop_oneof![Just(Settled::Quiet), vec(text(), 0..3).prop_map(|pending| Settled::Never { pending })];
    let words = (text(), any::<u64>(), text(), text(), text(), text());
    let tree = (vec(node(), 0..4), vec(frame, 0..3), viewport);
    let around = (option::of(dialog), vec(tab, 0..3), vec(fault(), 0..2), vec(sent(), 0..2), vec(text(), 0..2));
    let open = (sent(), any::<u64>()).prop_map(|(request, age_ms)| OpenRequest { request, age_ms });
    let unread = vec((unread_cause(), text()).prop_map(|(why, at)| Unread { why, at }), 0..2);
    let missing = (any::<bool>(), unread, vec(open, 0..2));
    (words, tree, around, settled, missing).prop_map(|(words, tree, around, settled, missing)| {
        let (truncated, unread, open_requests) = missing;
        let (session, number, url, title, description, language) = words;
        let (nodes, frames, viewport) = tree;
        let (dialog, tabs, faults, requests, downloads) = around;
        Observation {
            stamp: Stamp { session, number },
            url,
            title,
            description,
            language,
            nodes: nodes.into(),
            frames,
            viewport,
            dialog,
            tabs,
            faults,
            requests,
            downloads,
            settled,
            truncated,
            unread,
            open_requests,
        }
    })
}

fn context() -> impl Strategy<Value = TaskContext> {
    let names = (text(), text(), option::of(text()), text(), text());
    (names, json(), option::of(text()), (option::of(text()), option::of(text()), option::of(text()))).prop_map(
        |((campaign, site, role, task, start_url), options, experience, (day, time_zone, locale))| TaskContext {
            campaign: CampaignId(campaign),
            site: SiteId(site),
            role,
            task,
            start_url,
            options,
            experience,
            day,
            time_zone,
            locale,
        },
    )
}

pub(in crate::tests) fn request() -> impl Strategy<Value = DecisionRequest> {
    let picture = (vec(any::<u8>(), 0..9), number()).prop_map(|(png, scale)| Screenshot { png: png.into(), scale });
    let position = (text(), any::<u64>())
        .prop_map(|(version, state)| MapPosition { version: RunId(version), state: StateId(state) });
    let names = (any::<u128>(), text(), text());
    let numbers = (any::<u32>(), any::<u64>());
    let around = (option::of(text()), option::of(position), context());
    (names, observation(), vec(step(), 0..3), json(), option::of(picture), numbers, around).prop_map(
        |((episode, job, instruction), observation, history, memory, screenshot, numbers, around)| {
            let ((steps_left, seed), (refusal, position, context)) = (numbers, around);
            DecisionRequest {
                episode: EpisodeId(Uuid::from_u128(episode)),
                job: JobId(job),
                instruction,
                observation: Arc::new(observation),
                history: history.into(),
                memory,
                screenshot,
                steps_left,
                seed,
                refusal,
                position,
                context: context.into(),
            }
        },
    )
}

fn on_page() -> impl Strategy<Value = Action> {
    (action(), any::<u32>()).prop_map(|(action, first)| {
        let mut next = first;
        let number = |_: &domain::Descriptor| {
            next = next.wrapping_add(1);
            Ok::<_, std::convert::Infallible>(ElementId(next))
        };
        let Ok(numbered) = action.try_map(number);
        numbered
    })
}

pub(in crate::tests) fn decision() -> impl Strategy<Value = Decision> {
    use Level::{Gold, Ground, Random, Reason, Recall, Replay};
    let choice = prop_oneof![
        4 => on_page().prop_map(Choice::Act),
        1 => Just(Choice::NeedScreenshot),
        1 => text().prop_map(|cause| Choice::Invalid { cause }),
        1 => (any::<u32>(), text()).prop_map(|(step, cause)| Choice::Drifted { step, cause }),
        1 => Just(Choice::Reset),
        1 => any::<u64>().prop_map(|state| Choice::GoBack(StateId(state))),
    ];
    let levels = select(vec![Recall, Ground, Reason, Replay, Random, Gold]);
    (choice, text(), number(), levels, usage(), vec(text(), 0..3), json()).prop_map(
        |(choice, reason, confidence, level, usage, incidents, memory)| Decision {
            choice,
            reason,
            confidence,
            level,
            usage,
            incidents,
            memory,
        },
    )
}
