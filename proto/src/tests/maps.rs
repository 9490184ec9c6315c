//! What the map is asked and answers comes over as it is.

use super::arbitrary::map;
use super::messages::travelled;
use crate::error::Error;
use crate::v1;
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Route,
};
use proptest::prelude::*;

proptest! {
    #[test]
    fn what_the_map_is_asked_comes_over_as_it_is(
        locate in map::locate(), frontier in map::frontier_request(), ticket in map::ticket(),
    ) {
        let arrived = travelled::<LocateRequest, v1::LocateRequest>(&locate).unwrap();
        // A request has no equality of its own; its printed form shows every field.
        prop_assert_eq!(format!("{arrived:?}"), format!("{locate:?}"));
        prop_assert_eq!(travelled::<FrontierRequest, v1::FrontierRequest>(&frontier), Ok(frontier));
        prop_assert_eq!(travelled::<FrontierTicket, v1::FrontierTicket>(&ticket), Ok(ticket));
    }

    #[test]
    fn what_the_map_answers_comes_over_as_it_is(
        located in map::located(), grant in map::frontier_grant(), route in map::route(), map in map::map(),
        difference in map::difference(), status in map::map_status(),
    ) {
        prop_assert_eq!(travelled::<Located, v1::Located>(&located), Ok(located));
        prop_assert_eq!(travelled::<FrontierGrant, v1::FrontierGrant>(&grant), Ok(grant));
        prop_assert_eq!(travelled::<Route, v1::Route>(&route), Ok(route));
        prop_assert_eq!(travelled::<Map, v1::Map>(&map), Ok(map));
        prop_assert_eq!(travelled::<Difference, v1::Difference>(&difference), Ok(difference));
        prop_assert_eq!(MapStatus::from(v1::MapStatus::from(&status)), status);
    }
}

#[test]
fn what_a_request_lacks_is_named() {
    let nothing = v1::LocateRequest::default();
    assert_eq!(LocateRequest::try_from(nothing).unwrap_err(), Error::Missing("locate.version"));
    let message = v1::FrontierGrant { ticket: Some(v1::FrontierTicket::default()), ..Default::default() };
    assert_eq!(FrontierGrant::try_from(message), Err(Error::Missing("ticket.version")));
}
