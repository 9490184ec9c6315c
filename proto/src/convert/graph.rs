//! Maps: states, transitions, the frontier, and how versions differ.

use super::campaign::{duration, span};
use super::observation::operation;
use crate::error::{Error, required};
use crate::v1;
use domain::state::{
    ActionKey, Arrival, Aspect, Change, Difference, EdgeTally, Form, FrontierGrant, FrontierRequest, FrontierTicket,
    LocateRequest, Located, Lone, Map, MapStatus, Offer, Opportunity, Part, Progress, Route, State, Transition,
    Version,
};
use domain::{BlobRef, ElementId, Fence, RunId, SiteId, StateId};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

impl From<&Version> for v1::Version {
    fn from(version: &Version) -> Self {
        Self { site: version.site.0.clone(), run: version.run.0.clone(), role: version.role.clone() }
    }
}

impl From<v1::Version> for Version {
    fn from(message: v1::Version) -> Self {
        Self { site: SiteId(message.site), run: RunId(message.run), role: message.role }
    }
}

impl From<&State> for v1::State {
    fn from(state: &State) -> Self {
        let State { id, url, template, title, summary, forms, fingerprint, screenshot } = state;
        let form = |form: &Form| v1::Form { name: form.name.clone(), fields: form.fields.clone() };
        Self {
            id: id.0,
            url: url.clone(),
            template: template.clone(),
            title: title.clone(),
            summary: summary.clone(),
            forms: forms.iter().map(form).collect(),
            fingerprint: fingerprint.clone(),
            screenshot: screenshot.as_ref().map(|blob| blob.0.clone()),
        }
    }
}

impl From<v1::State> for State {
    fn from(message: v1::State) -> Self {
        Self {
            id: StateId(message.id),
            url: message.url,
            template: message.template,
            title: message.title,
            summary: message.summary,
            forms: message.forms.into_iter().map(|form| Form { name: form.name, fields: form.fields }).collect(),
            fingerprint: message.fingerprint,
            screenshot: message.screenshot.map(BlobRef),
        }
    }
}

impl From<&Transition> for v1::Transition {
    fn from(transition: &Transition) -> Self {
        let Transition { from, key, action, to, tally, last_seen } = transition;
        let last_seen = last_seen.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            from: from.0,
            key: key.0,
            action: Some(action.into()),
            to: to.0,
            count: tally.count,
            succeeded: tally.succeeded,
            latency_ms: tally.latency_ms,
            last_seen_ms: u64::try_from(last_seen.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl TryFrom<v1::Transition> for Transition {
    type Error = Error;

    fn try_from(message: v1::Transition) -> Result<Self, Error> {
        let v1::Transition { count, succeeded, latency_ms, last_seen_ms, .. } = message;
        let last_seen = UNIX_EPOCH.checked_add(Duration::from_millis(last_seen_ms));
        Ok(Self {
            from: StateId(message.from),
            key: ActionKey(message.key),
            action: required(message.action, "transition.action")?.try_into()?,
            to: StateId(message.to),
            tally: EdgeTally { count, succeeded, latency_ms },
            last_seen: required(last_seen, "transition.last_seen_ms")?,
        })
    }
}

impl From<&LocateRequest> for v1::LocateRequest {
    fn from(request: &LocateRequest) -> Self {
        let arrival = |arrival: &Arrival| v1::Arrival {
            from: arrival.from.0,
            action: Some((&arrival.action).into()),
            key: arrival.key.map(|key| key.0),
            effect: Some((&arrival.effect).into()),
            latency: Some(span(arrival.latency)),
        };
        Self {
            version: Some((&request.version).into()),
            observation: Some(request.observation.as_ref().into()),
            vector: request.vector.clone().unwrap_or_default(),
            arrival: request.arrival.as_ref().map(arrival),
            reload_of: request.reload_of.map(|state| state.0),
            opened: request.opened.clone(),
            ticket: request.ticket.as_ref().map(Into::into),
            screenshot: request.screenshot.as_ref().map(|blob| blob.0.clone()),
        }
    }
}

impl TryFrom<v1::LocateRequest> for LocateRequest {
    type Error = Error;

    fn try_from(message: v1::LocateRequest) -> Result<Self, Error> {
        let arrival = |arrival: v1::Arrival| {
            Ok::<_, Error>(Arrival {
                from: StateId(arrival.from),
                action: required(arrival.action, "arrival.action")?.try_into()?,
                key: arrival.key.map(ActionKey),
                effect: required(arrival.effect, "arrival.effect")?.try_into()?,
                latency: duration(required(arrival.latency, "arrival.latency")?, "arrival.latency")?,
            })
        };
        Ok(Self {
            version: required(message.version, "locate.version")?.into(),
            observation: Arc::new(required(message.observation, "locate.observation")?.try_into()?),
            vector: Some(message.vector).filter(|vector| !vector.is_empty()),
            arrival: message.arrival.map(arrival).transpose()?,
            reload_of: message.reload_of.map(StateId),
            opened: message.opened,
            ticket: message.ticket.map(TryInto::try_into).transpose()?,
            screenshot: message.screenshot.map(BlobRef),
        })
    }
}

impl From<&Located> for v1::Located {
    fn from(located: &Located) -> Self {
        let offer = |offer: &Offer| v1::Offer {
            key: offer.key.0,
            element: offer.element.0,
            kind: v1::ActionKind::from(offer.kind).into(),
            progress: progress(offer.progress).into(),
        };
        Self {
            state: located.state.0,
            is_new: located.is_new,
            actions: located.actions.iter().map(offer).collect(),
            ticket_held: located.ticket_held,
        }
    }
}

impl TryFrom<v1::Located> for Located {
    type Error = Error;

    fn try_from(message: v1::Located) -> Result<Self, Error> {
        let offer = |offer: v1::Offer| {
            Ok::<_, Error>(Offer {
                key: ActionKey(offer.key),
                element: ElementId(offer.element),
                kind: operation(offer.kind(), "offer.kind")?,
                progress: progressed(offer.progress()),
            })
        };
        Ok(Self {
            state: StateId(message.state),
            is_new: message.is_new,
            actions: message.actions.into_iter().map(offer).collect::<Result<_, _>>()?,
            ticket_held: message.ticket_held,
        })
    }
}

fn progress(progress: Option<Progress>) -> v1::Progress {
    match progress {
        None => v1::Progress::Unspecified,
        Some(Progress::Open) => v1::Progress::Open,
        Some(Progress::Claimed) => v1::Progress::Claimed,
        Some(Progress::Done) => v1::Progress::Done,
    }
}

/// The reverse of [`progress`].
fn progressed(message: v1::Progress) -> Option<Progress> {
    match message {
        v1::Progress::Unspecified => None,
        v1::Progress::Open => Some(Progress::Open),
        v1::Progress::Claimed => Some(Progress::Claimed),
        v1::Progress::Done => Some(Progress::Done),
    }
}

impl From<&FrontierRequest> for v1::FrontierRequest {
    fn from(request: &FrontierRequest) -> Self {
        Self {
            version: Some((&request.version).into()),
            crawler: request.crawler.clone(),
            at: request.at.map(|state| state.0),
            count: request.count as u64,
        }
    }
}

impl TryFrom<v1::FrontierRequest> for FrontierRequest {
    type Error = Error;

    fn try_from(message: v1::FrontierRequest) -> Result<Self, Error> {
        Ok(Self {
            version: required(message.version, "frontier.version")?.into(),
            crawler: message.crawler,
            at: message.at.map(StateId),
            count: usize::try_from(message.count).unwrap_or(usize::MAX),
        })
    }
}

impl From<&FrontierTicket> for v1::FrontierTicket {
    fn from(ticket: &FrontierTicket) -> Self {
        let FrontierTicket { version, state, key, fence } = ticket;
        Self { version: Some(version.into()), state: state.0, key: key.0, fence: fence.0 }
    }
}

impl TryFrom<v1::FrontierTicket> for FrontierTicket {
    type Error = Error;

    fn try_from(message: v1::FrontierTicket) -> Result<Self, Error> {
        Ok(Self {
            version: required(message.version, "ticket.version")?.into(),
            state: StateId(message.state),
            key: ActionKey(message.key),
            fence: Fence(message.fence),
        })
    }
}

impl From<&FrontierGrant> for v1::FrontierGrant {
    fn from(grant: &FrontierGrant) -> Self {
        Self {
            ticket: Some((&grant.ticket).into()),
            action: Some((&grant.opportunity.action).into()),
            path: Some((&grant.path).into()),
            lease: Some(span(grant.lease)),
        }
    }
}

impl TryFrom<v1::FrontierGrant> for FrontierGrant {
    type Error = Error;

    fn try_from(message: v1::FrontierGrant) -> Result<Self, Error> {
        let ticket: FrontierTicket = required(message.ticket, "grant.ticket")?.try_into()?;
        let action = required(message.action, "grant.action")?.try_into()?;
        Ok(Self {
            opportunity: Opportunity { state: ticket.state, key: ticket.key, action },
            ticket,
            path: required(message.path, "grant.path")?.try_into()?,
            lease: duration(required(message.lease, "grant.lease")?, "grant.lease")?,
        })
    }
}

impl From<&Route> for v1::Route {
    fn from(route: &Route) -> Self {
        let Route { from_start, address, hops, reliability, latency_ms } = route;
        let hops = hops.iter().map(Into::into).collect();
        let (reliability, latency_ms) = (*reliability, *latency_ms);
        Self { from_start: *from_start, address: address.clone(), hops, reliability, latency_ms }
    }
}

impl TryFrom<v1::Route> for Route {
    type Error = Error;

    fn try_from(message: v1::Route) -> Result<Self, Error> {
        let v1::Route { from_start, address, hops, reliability, latency_ms } = message;
        let hops = hops.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(Self { from_start, address, hops, reliability, latency_ms })
    }
}

impl From<&Map> for v1::Map {
    fn from(map: &Map) -> Self {
        Self {
            states: map.states.iter().map(Into::into).collect(),
            transitions: map.transitions.iter().map(Into::into).collect(),
            start: map.start.map(|state| state.0),
        }
    }
}

impl TryFrom<v1::Map> for Map {
    type Error = Error;

    fn try_from(message: v1::Map) -> Result<Self, Error> {
        Ok(Self {
            states: message.states.into_iter().map(Into::into).collect(),
            transitions: message.transitions.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            start: message.start.map(StateId),
        })
    }
}

impl From<&Aspect> for v1::Aspect {
    fn from(aspect: &Aspect) -> Self {
        use v1::aspect::Is;
        let is = match aspect {
            Aspect::Moved { before, after } => Is::Moved(v1::Moved { before: before.clone(), after: after.clone() }),
            Aspect::Renamed => Is::Renamed(v1::Renamed {}),
            Aspect::Lost(part) => Is::Lost(part.into()),
            Aspect::Won(part) => Is::Won(part.into()),
            Aspect::Otherwise => Is::Otherwise(v1::Otherwise {}),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::Aspect> for Aspect {
    type Error = Error;

    fn try_from(message: v1::Aspect) -> Result<Self, Error> {
        use v1::aspect::Is;
        Ok(match required(message.is, "aspect.is")? {
            Is::Moved(v1::Moved { before, after }) => Aspect::Moved { before, after },
            Is::Renamed(v1::Renamed {}) => Aspect::Renamed,
            Is::Lost(part) => Aspect::Lost(part.try_into()?),
            Is::Won(part) => Aspect::Won(part.try_into()?),
            Is::Otherwise(v1::Otherwise {}) => Aspect::Otherwise,
        })
    }
}

impl From<&Part> for v1::Part {
    fn from(part: &Part) -> Self {
        use v1::part::Is;
        let is = match part.clone() {
            Part::Control { role, name } => Is::Control(v1::ControlPart { role, name }),
            Part::Form { name } => Is::Form(name),
            Part::Field { form, name } => Is::Field(v1::FieldPart { form, name }),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::Part> for Part {
    type Error = Error;

    fn try_from(message: v1::Part) -> Result<Self, Error> {
        use v1::part::Is;
        Ok(match required(message.is, "part.is")? {
            Is::Control(v1::ControlPart { role, name }) => Part::Control { role, name },
            Is::Form(name) => Part::Form { name },
            Is::Field(v1::FieldPart { form, name }) => Part::Field { form, name },
        })
    }
}

impl From<&Difference> for v1::Difference {
    fn from(difference: &Difference) -> Self {
        let state = |lone: &Lone<State>| v1::LoneState {
            state: Some((&lone.it).into()),
            is_sure: lone.is_sure,
            broke_at: lone.broke_at.as_ref().map(v1::Transition::from),
        };
        let transition = |lone: &Lone<Transition>| v1::LoneTransition {
            transition: Some((&lone.it).into()),
            is_sure: lone.is_sure,
            broke_at: lone.broke_at.as_ref().map(v1::Transition::from),
        };
        let changed = |change: &Change| v1::ChangedState {
            before: Some((&change.before).into()),
            after: Some((&change.after).into()),
            what: change.what.iter().map(v1::Aspect::from).collect(),
        };
        Self {
            appeared: difference.appeared.iter().map(state).collect(),
            missing: difference.missing.iter().map(state).collect(),
            appeared_transitions: difference.appeared_transitions.iter().map(transition).collect(),
            missing_transitions: difference.missing_transitions.iter().map(transition).collect(),
            changed: difference.changed.iter().map(changed).collect(),
        }
    }
}

impl TryFrom<v1::Difference> for Difference {
    type Error = Error;

    fn try_from(message: v1::Difference) -> Result<Self, Error> {
        let states = |list: Vec<v1::LoneState>| {
            let state = |lone: v1::LoneState| {
                let broke_at = lone.broke_at.map(Transition::try_from).transpose()?;
                Ok(Lone { it: required(lone.state, "lone.state")?.into(), is_sure: lone.is_sure, broke_at })
            };
            list.into_iter().map(state).collect::<Result<Vec<_>, Error>>()
        };
        let transitions = |list: Vec<v1::LoneTransition>| {
            let transition = |lone: v1::LoneTransition| {
                let broke_at = lone.broke_at.map(Transition::try_from).transpose()?;
                let it = required(lone.transition, "lone.transition")?.try_into()?;
                Ok(Lone { it, is_sure: lone.is_sure, broke_at })
            };
            list.into_iter().map(transition).collect::<Result<Vec<_>, Error>>()
        };
        let changed = |changed: v1::ChangedState| {
            Ok::<_, Error>(Change {
                before: required(changed.before, "changed.before")?.into(),
                after: required(changed.after, "changed.after")?.into(),
                what: changed.what.into_iter().map(Aspect::try_from).collect::<Result<_, _>>()?,
            })
        };
        Ok(Self {
            appeared: states(message.appeared)?,
            missing: states(message.missing)?,
            appeared_transitions: transitions(message.appeared_transitions)?,
            missing_transitions: transitions(message.missing_transitions)?,
            changed: message.changed.into_iter().map(changed).collect::<Result<_, _>>()?,
        })
    }
}

impl From<&MapStatus> for v1::MapStatus {
    fn from(status: &MapStatus) -> Self {
        let MapStatus { states, transitions, open, claimed, done } = *status;
        Self { states, transitions, open, claimed, done }
    }
}

impl From<v1::MapStatus> for MapStatus {
    fn from(message: v1::MapStatus) -> Self {
        let v1::MapStatus { states, transitions, open, claimed, done } = message;
        Self { states, transitions, open, claimed, done }
    }
}
