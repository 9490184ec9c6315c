//! What services are asked and answer comes over as it is.

use super::arbitrary::{campaign, decision, grant, job, outcome, quarantined, request, status, totals};
use crate::convert::decision::{asked, request as message};
use crate::error::Error;
use crate::v1;
use domain::action::{Action, ActionKind};
use domain::campaign::{Campaign, CampaignStatus, Grant, PlannerRef, Quarantined};
use domain::job::Outcome;
use domain::ledger::Totals;
use domain::{Choice, Decision, Job, Node, Observation};
use proptest::prelude::*;
use prost::Message;

/// There and back again, by way of bytes.
pub(super) fn travelled<D, M>(thing: &D) -> Result<D, Error>
where
    M: for<'a> From<&'a D> + Message + Default,
    D: TryFrom<M, Error = Error>,
{
    M::decode(M::from(thing).encode_to_vec().as_slice()).unwrap().try_into()
}

proptest! {
    #[test]
    fn campaigns_and_jobs_come_over_as_they_are(
        campaign in campaign(), job in job(), grant in grant(), status in status(), quarantined in quarantined(),
    ) {
        prop_assert_eq!(travelled::<Campaign, v1::Campaign>(&campaign), Ok(campaign));
        prop_assert_eq!(travelled::<Job, v1::Job>(&job), Ok(job));
        prop_assert_eq!(travelled::<Grant, v1::Grant>(&grant), Ok(grant));
        prop_assert_eq!(travelled::<CampaignStatus, v1::CampaignStatus>(&status), Ok(status));
        prop_assert_eq!(travelled::<Quarantined, v1::Quarantined>(&quarantined), Ok(quarantined));
    }

    #[test]
    fn totals_and_outcomes_come_over_to_the_last_bit(totals in totals(), outcome in outcome()) {
        prop_assert_eq!(travelled::<Totals, v1::Totals>(&totals), Ok(totals));
        prop_assert_eq!(travelled::<Outcome, v1::Outcome>(&outcome), Ok(outcome));
    }

    #[test]
    fn what_a_planner_is_asked_comes_over_as_it_is(request in request(), model in proptest::option::of("[a-z]{1,5}")) {
        let planner = PlannerRef { model, ..PlannerRef::named("ground") };
        let bytes = message(&planner, &request).encode_to_vec();
        let (to, arrived) = asked(v1::DecideRequest::decode(bytes.as_slice()).unwrap()).unwrap();
        prop_assert_eq!(to, planner);
        // A request has no equality of its own; its printed form shows every field.
        prop_assert_eq!(format!("{arrived:?}"), format!("{request:?}"));
        let pngs = [&arrived, &request].map(|it| it.screenshot.as_ref().map(|picture| picture.png.to_vec()));
        prop_assert_eq!(&pngs[0], &pngs[1]);
    }

    #[test]
    fn what_a_planner_answers_comes_over_as_it_is(decision in decision()) {
        let arrived = travelled::<Decision, v1::Decision>(&decision).unwrap();
        prop_assert_eq!(format!("{arrived:?}"), format!("{decision:?}"));
    }
}

#[test]
fn an_element_that_an_action_lacks_is_missed() {
    let mut message = v1::Choice::from(&Choice::Act(Action::click(domain::ElementId(7))));
    let Some(v1::choice::Is::Act(action)) = &mut message.is else { panic!("no action") };
    assert_eq!(action.elements, [7]);
    action.elements.clear();
    assert_eq!(Choice::try_from(message), Err(Error::Missing("act.elements")));
}

/// A page of so many elements as real ones have them.
pub(super) fn page(elements: u32) -> Observation {
    let node = |number: u32| Node {
        parent: (number > 0).then_some(domain::ElementId(number / 8)),
        role: "link".into(),
        tag: "a".into(),
        name: format!("Order number {number}"),
        text: format!("Order number {number}"),
        attributes: [("class", "row__link row__link--primary"), ("href", "/orders/list?page=2&sort=date")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .collect(),
        bounds: domain::Rect { x: 20.0, y: f64::from(number) * 24.0, width: 310.5, height: 24.0 },
        operations: vec![ActionKind::Click, ActionKind::Hover],
        context: format!("Open orders of this week: order number {number}"),
        xpath: format!("/html/body/main/div[2]/table/tbody/tr[{number}]/td[3]/a"),
        ..Node::default()
    };
    Observation { nodes: (0..elements).map(node).collect(), ..Observation::default() }
}

#[test]
fn a_page_of_five_thousand_elements_fits_well_within_the_limit() {
    let size = v1::Observation::from(&page(5_000)).encoded_len();
    assert!(size < platform::rpc::MAX_MESSAGE_BYTES / 8, "{size} bytes");
}
