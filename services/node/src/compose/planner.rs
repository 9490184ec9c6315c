//! From the settings of a planner to the planner itself.

use crate::Error;
use crate::config::{PlannerName, PlannerNode};
use domain::campaign::PlannerRef;
use domain::service::PlannerService;
use planner::ground::{Ground, GroundOptions};
use planner::{HxAgent, HxAgentOptions, ModelPool, Planners, PoolOptions, Random};
use std::sync::Arc;

/// A planner's name in campaigns and results.
pub fn name(planner: PlannerName) -> &'static str {
    match planner {
        PlannerName::Ground => "ground",
        PlannerName::Hxagent => "hxagent",
        PlannerName::Random => "random",
        PlannerName::Gold => super::assignments::GOLD,
    }
}

/// The planners that a process offers. One of them needs the sentence encoder, which is loaded then.
///
/// # Errors
/// The sentence encoder's weights are missing, or a model's key is.
pub(crate) async fn planners(
    config: &PlannerNode,
    encoder: &embedding::Later,
) -> Result<Arc<dyn PlannerService>, Error> {
    let mut planners = Planners::default();
    let offered = |planner| config.offers.is_empty() || config.offers.contains(&planner);
    if offered(PlannerName::Random) {
        planners = planners.with(PlannerRef::named(name(PlannerName::Random)), Arc::new(Random));
    }
    if offered(PlannerName::Ground) {
        encoder.load().await?;
        let ground = Ground::new(Arc::new(encoder.clone()), GroundOptions::default());
        planners = planners.with(PlannerRef::named(name(PlannerName::Ground)), Arc::new(ground));
    }
    for (model, options) in &config.models {
        let pool = PoolOptions { reasoner: options.clone(), describer: None, vision: None };
        let pool = Arc::new(ModelPool::new(&pool)?);
        let agent = HxAgent::new(pool, HxAgentOptions::default()).with_marker(Arc::new(browser::marks::Marks));
        let planner = PlannerRef { name: name(PlannerName::Hxagent).to_owned(), model: Some(model.clone()) };
        planners = planners.with(planner, Arc::new(agent));
    }
    Ok(Arc::new(planners))
}
