//! Campaigns: handed in to the queue once, then followed to their end.

pub(crate) mod build;
mod dereference;
mod status;
mod validate;

use crate::Error;
use crate::api::campaign::{OnDelete, Phase};
use crate::api::condition::{self, Finding};
use crate::api::{Campaign, CampaignStatus, FIELD_MANAGER};
use crate::context::{Context, identity};
use domain::campaign::Wish;
use domain::service::{Code, ServiceError};
use domain::{CampaignId, Job};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::events::EventType;
use kube::runtime::finalizer::{Event, finalizer};
use kube::{Api, Resource};
use status::Found;
use std::sync::Arc;
use std::time::Duration;

/// What keeps a campaign from vanishing before its jobs were cancelled.
const FINALIZER: &str = "rutter.dev/campaign";

/// Jobs handed in with one call: far below the limit of a message.
const AT_ONCE: usize = 500;

/// How soon something that is missing is looked for again.
const MISSING: Duration = Duration::from_secs(10);

/// Looks after one campaign.
pub(crate) async fn reconcile(campaign: Arc<Campaign>, context: Arc<Context>) -> Result<Action, Error> {
    let (namespace, ..) = identity(campaign.as_ref())?;
    let api: Api<Campaign> = Api::namespaced(context.client.clone(), &namespace);
    let action = finalizer(&api, FINALIZER, campaign, |event| async {
        match event {
            Event::Apply(campaign) => follow(&campaign, &context).await,
            Event::Cleanup(campaign) => clean_up(&campaign, &context).await,
        }
    })
    .await
    .map_err(|error| match error {
        kube::runtime::finalizer::Error::ApplyFailed(error) | kube::runtime::finalizer::Error::CleanupFailed(error) => {
            error
        }
        error => Error::Finalizer(error.to_string()),
    })?;
    context.figures.reconciled("Campaign", true);
    Ok(action)
}

async fn follow(campaign: &Campaign, context: &Context) -> Result<Action, Error> {
    let (namespace, name, uid) = identity(campaign)?;
    let api: Api<Campaign> = Api::namespaced(context.client.clone(), &namespace);
    let before = campaign.status.clone().unwrap_or_default();
    let is_news = before.observed_generation != campaign.meta().generation;
    if before.phase.is_over() && before.phase != Phase::Invalid && !is_news {
        return Ok(Action::await_change());
    }
    let id = id_of(campaign, &namespace, &name, &uid, context);
    let found = match &id {
        Ok(id) => match stages(campaign, &namespace, id, &before, context).await {
            Ok(found) => found,
            Err(Error::Service(error)) => unanswered(&error),
            Err(error) => return Err(error),
        },
        Err(why) => Found::Invalid(why.clone()),
    };
    let generation = campaign.meta().generation;
    let mut status = status::status(&before, &found, generation, context.now());
    if status.phase.is_over()
        && let Found::Standing { totals, .. } = &found
        && let Some(written) = write_results(campaign, &namespace, totals, context).await?
    {
        status.conditions.extend(condition::follow(&before.conditions, vec![written], generation, context.now()));
    }
    let wrote = context.tell(&api, campaign, campaign.status.as_ref(), &status).await?;
    if wrote && (before.phase != status.phase || campaign.status.is_none()) {
        let kind = match status.phase {
            Phase::Invalid | Phase::Failed => EventType::Warning,
            _ => EventType::Normal,
        };
        context.announce(campaign, kind, &format!("{:?}", status.phase), &status.message).await;
    }
    Ok(match (&found, status.phase.is_over()) {
        // A ConfigMap may be mended, which nobody tells of here.
        (Found::Incomplete(_) | Found::Invalid(_), _) => Action::requeue(MISSING),
        (_, true) => Action::await_change(),
        (_, false) => Action::requeue(context.poll),
    })
}

/// The name of a campaign in the queue, or why it can have none.
fn id_of(campaign: &Campaign, namespace: &str, name: &str, uid: &str, context: &Context) -> Result<CampaignId, String> {
    let named = campaign.spec.project.as_deref();
    let project = build::project_of(namespace, named, context.namespaces_are_projects)?;
    Ok(build::id_of(&project, namespace, name, uid))
}

/// Queue and ledger as they answer: what may pass is said and tried again, what they refuse is a mistake of the resource.
fn unanswered(error: &ServiceError) -> Found {
    match error.code {
        Code::Invalid | Code::Conflict | Code::TooLarge => Found::Invalid(error.to_string()),
        _ => Found::Unanswered(error.to_string()),
    }
}

/// Dereference, validate, build and apply.
async fn stages(
    campaign: &Campaign,
    namespace: &str,
    id: &CampaignId,
    before: &CampaignStatus,
    context: &Context,
) -> Result<Found, Error> {
    if !before.submitted {
        let texts = match dereference::texts(&context.client, namespace, &campaign.spec).await? {
            Ok(texts) => texts,
            Err(missing) => return Ok(Found::Incomplete(missing.to_string())),
        };
        let work = match validate::work(&campaign.spec, &texts) {
            Ok(work) => work,
            Err(error) => return Ok(Found::Invalid(error.to_string())),
        };
        let (settings, jobs) = build::campaign(id.clone(), &campaign.spec, work);
        if let Err(error) = tasks::check_jobs(&jobs) {
            return Ok(Found::Invalid(error.to_string()));
        }
        context.queue.create(settings).await?;
        if build::wish_of(campaign.spec.wish) == Wish::Pause {
            // Before there are jobs: one that is paused from the beginning begins none.
            context.queue.wish(id, Wish::Pause).await?;
        }
        hand_in(&jobs, context).await?;
        tracing::info!(campaign = %id, jobs = jobs.len(), "handed in");
    }
    let wanted = build::wish_of(campaign.spec.wish);
    let mut standing = context.queue.status(id).await?;
    let has_ended = standing.tally.ended() == standing.tally.jobs;
    if standing.wish != wanted && standing.wish != Wish::Cancel && !has_ended {
        context.queue.wish(id, wanted).await?;
        standing = context.queue.status(id).await?;
    }
    let totals = context.ledger.totals(id).await?;
    let is_exploration = campaign.spec.exploration.is_some();
    Ok(Found::Standing { standing: Box::new(standing), totals: Box::new(totals), is_exploration })
}

async fn hand_in(jobs: &[Job], context: &Context) -> Result<(), Error> {
    for jobs in jobs.chunks(AT_ONCE) {
        context.queue.submit(jobs.to_vec()).await?;
    }
    Ok(())
}

/// Writes the totals into the ConfigMap that the campaign names, where it names one. One of somebody else is left as it is, which is
/// told.
async fn write_results(
    campaign: &Campaign,
    namespace: &str,
    totals: &domain::ledger::Totals,
    context: &Context,
) -> Result<Option<Finding>, Error> {
    let Some(results) = &campaign.spec.results else { return Ok(None) };
    let text = serde_json::to_string_pretty(totals).unwrap_or_default();
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(results.config_map.clone()),
            namespace: Some(namespace.to_owned()),
            owner_references: campaign.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some([("results.json".to_owned(), text)].into()),
        ..ConfigMap::default()
    };
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), namespace);
    let name = &results.config_map;
    // Not by force: what somebody else wrote stays.
    match maps.patch(name, &PatchParams::apply(FIELD_MANAGER), &Patch::Apply(&map)).await {
        Ok(_) => context.figures.wrote("ConfigMap"),
        Err(error) if Error::is_conflict(&error) => {
            let why = format!("ConfigMap `{name}` holds something of somebody else's: name another one");
            return Ok(Some(Finding::new("ResultsWritten", false, "Conflict", why)));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Some(Finding::new("ResultsWritten", true, "Written", format!("ConfigMap `{name}` has the totals"))))
}

/// Cancels what has not ended, unless it is to be left alone.
async fn clean_up(campaign: &Campaign, context: &Context) -> Result<Action, Error> {
    let (namespace, name, uid) = identity(campaign)?;
    // One that has no name in the queue was never handed in.
    let Ok(id) = id_of(campaign, &namespace, &name, &uid, context) else { return Ok(Action::await_change()) };
    let is_over = campaign.status.as_ref().is_some_and(|status| status.phase.is_over());
    if campaign.spec.on_delete == OnDelete::Leave || is_over {
        return Ok(Action::await_change());
    }
    match context.queue.wish(&id, Wish::Cancel).await {
        Ok(()) => tracing::info!(campaign = %id, "cancelled, as its resource was deleted"),
        // It never got there, or was cancelled before.
        Err(error) if matches!(error.code, Code::NotFound | Code::Conflict) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Action::await_change())
}
