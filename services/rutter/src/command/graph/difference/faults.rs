//! Which faults only one of two runs came across. A fault is new when the other run did the same and it did not show.

use super::rows::{Found, NotReached, Numbers, StateRow, state_words};
use domain::state::{Difference, Lone, State};
use domain::{Fault, StateId};
use evaluation::faults::FaultKind;
use graph::diff::{Comparison, IncomingEdge};
use graph::export::one_line;
use report::visits::VisitRecord;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How the faults of a site changed.
pub(super) struct FaultDifference {
    appeared: Vec<Own>,
    vanished: Vec<Own>,
}

/// A fault that only one run came across.
struct Own {
    fault: Fault,
    state: StateId,
    /// Whether the other run did the same.
    is_sure: bool,
}

/// What one run came across.
struct Side {
    /// The ways on which each fault showed, with how it was reported first.
    faults: BTreeMap<FaultKind, (Fault, BTreeSet<IncomingEdge>)>,
    /// How often each way was gone, and on how many of these times it showed a fault of a kind.
    gone: BTreeMap<IncomingEdge, usize>,
    shown: BTreeMap<(FaultKind, IncomingEdge), usize>,
    states: BTreeSet<StateId>,
}

impl Side {
    fn of(seen: &[VisitRecord], host: Option<&str>) -> Self {
        let mut side =
            Side { faults: BTreeMap::new(), gone: BTreeMap::new(), shown: BTreeMap::new(), states: BTreeSet::new() };
        for seen in seen {
            let by = seen.deed.as_ref().and_then(|deed| Some((deed.from, deed.key?)));
            let way: IncomingEdge = (by, seen.state);
            side.states.insert(seen.state);
            let is_filling = seen.deed.is_some() && by.is_none();
            if is_filling && seen.faults.is_empty() {
                continue;
            }
            *side.gone.entry(way).or_default() += 1;
            let host = host.unwrap_or_default();
            let kinds = seen.faults.iter().map(|fault| (FaultKind::wherever_the_site_stands(fault, host), fault));
            for (kind, fault) in kinds.collect::<BTreeMap<_, _>>() {
                side.faults.entry(kind.clone()).or_insert_with(|| (fault.clone(), BTreeSet::new())).1.insert(way);
                *side.shown.entry((kind, way)).or_default() += 1;
            }
        }
        side
    }

    /// Whether a fault shows every time that a way is gone.
    fn always_shows(&self, kind: &FaultKind, way: &IncomingEdge) -> bool {
        self.shown.get(&(kind.clone(), *way)) == self.gone.get(way)
    }
}

/// How the faults changed from what one run saw to what a later one saw.
pub(super) fn difference(
    (before, after): (&[VisitRecord], &[VisitRecord]),
    (host_before, host_after): (Option<&str>, Option<&str>),
    comparison: &Comparison<'_>,
    found: &Difference,
) -> FaultDifference {
    let (before, after) = (Side::of(before, host_before), Side::of(after, host_after));
    let lone = |lone: &[Lone<State>]| -> BTreeSet<StateId> {
        lone.iter().filter(|lone| lone.is_sure).map(|lone| lone.it.id).collect()
    };
    FaultDifference {
        appeared: own(&after, &before, &lone(&found.appeared), |way| comparison.edge_before(way)),
        vanished: own(&before, &after, &lone(&found.missing), |way| comparison.edge_after(way)),
    }
}

/// The faults that only one run came across. `lone` are the states that only its site has.
fn own(
    here: &Side,
    there: &Side,
    lone: &BTreeSet<StateId>,
    counterpart: impl Fn(IncomingEdge) -> Option<IncomingEdge>,
) -> Vec<Own> {
    let own = here.faults.iter().filter(|(kind, _)| !there.faults.contains_key(*kind));
    let own = own.filter_map(|(kind, (fault, ways))| {
        let is_sure = |way: &&IncomingEdge| {
            here.always_shows(kind, way) && (lone.contains(&way.1) || looked(there, **way, &counterpart))
        };
        let way = ways.iter().find(is_sure);
        let state = way.or(ways.first())?.1;
        Some(Own { fault: fault.clone(), state, is_sure: way.is_some() })
    });
    own.collect()
}

/// Whether the other run went that way.
fn looked(there: &Side, way: IncomingEdge, counterpart: &impl Fn(IncomingEdge) -> Option<IncomingEdge>) -> bool {
    match counterpart(way) {
        Some((None, state)) => there.states.contains(&state),
        Some(way) => there.gone.contains_key(&way),
        None => false,
    }
}

impl FaultDifference {
    /// Whether any fault has surely come or gone.
    pub(super) fn is_change(&self) -> bool {
        self.appeared.iter().chain(&self.vanished).any(|own| own.is_sure)
    }

    /// As rows, with the states called as in the runs' own maps.
    pub(super) fn rows(&self, before: &Numbers, after: &Numbers) -> FaultRows {
        let rows = |own: &[Own], numbers: &Numbers, is_sure: bool| {
            let own = own.iter().filter(|own| own.is_sure == is_sure);
            own.map(|own| FaultRow::new(&own.fault, numbers.named(own.state))).collect()
        };
        FaultRows(Found {
            appeared: rows(&self.appeared, after, true),
            vanished: rows(&self.vanished, before, true),
            not_reached: NotReached {
                by_before: rows(&self.appeared, after, false),
                by_after: rows(&self.vanished, before, false),
            },
        })
    }
}

/// How the faults of a layer changed.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(super) struct FaultRows(Found<FaultRow>);

/// A fault, and the state that it showed in.
#[derive(Serialize)]
pub(super) struct FaultRow {
    #[serde(flatten)]
    fault: Fault,
    #[serde(rename = "in")]
    state: StateRow,
}

impl FaultRows {
    pub(super) fn appeared(&self) -> impl Iterator<Item = &FaultRow> {
        self.0.appeared.iter()
    }

    pub(super) fn vanished(&self) -> impl Iterator<Item = &FaultRow> {
        self.0.vanished.iter()
    }

    /// What the earlier run may not have looked for.
    pub(super) fn unseen_before(&self) -> &[FaultRow] {
        &self.0.not_reached.by_before
    }

    /// What the later run may not have looked for.
    pub(super) fn unseen_after(&self) -> &[FaultRow] {
        &self.0.not_reached.by_after
    }
}

impl FaultRow {
    fn new(fault: &Fault, state: StateRow) -> Self {
        Self { fault: fault.clone(), state }
    }

    pub(super) fn words(&self) -> String {
        let (message, source) = (one_line(&self.fault.message), one_line(&self.fault.source));
        let source = if source.is_empty() { source } else { format!(" ({source})") };
        format!("{message}{source} in {}", state_words(&self.state))
    }
}
