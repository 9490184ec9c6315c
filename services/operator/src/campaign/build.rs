//! The campaign of the queue and its jobs, from the resource. Pure: the same resource always makes the same, so that handing it in
//! again changes nothing.

use super::validate::Work;
use crate::api::CampaignSpec;
use crate::api::campaign::{Class, Wish as Declared};
use domain::campaign::{AttemptLimits, Budget, Campaign, PlannerRef, Rate, Wish};
use domain::project::ProjectId;
use domain::{CampaignId, Job};

/// The priority of each class in the queue. What people hand in by the command line has 0 where they name none.
const PRIORITIES: [(Class, i32); 3] = [(Class::Interactive, 100), (Class::Scheduled, 0), (Class::Background, -100)];

/// The priority of a class.
pub(crate) fn priority_of(class: Class) -> i32 {
    PRIORITIES.iter().find(|(known, _)| *known == class).map_or(0, |(_, priority)| *priority)
}

/// The class that a priority is nearest to.
pub(crate) fn class_of(priority: i32) -> Class {
    let nearest = PRIORITIES.iter().min_by_key(|(_, known)| priority.abs_diff(*known));
    nearest.map_or(Class::Scheduled, |(class, _)| *class)
}

/// The project of a campaign: the one that it names, or that of its namespace where each namespace is one.
///
/// # Errors
/// It names another one than its namespace is, or what is no name of a project.
pub(crate) fn project_of(
    namespace: &str,
    named: Option<&str>,
    namespaces_are_projects: bool,
) -> Result<ProjectId, String> {
    match named {
        Some(named) if namespaces_are_projects && named != namespace => Err(format!(
            "`project` is `{named}`, and each namespace is a project here: leave it out, or create the campaign in the namespace `{named}`"
        )),
        Some(named) => ProjectId::parse(named),
        None if namespaces_are_projects => ProjectId::parse(namespace),
        None => Ok(ProjectId::default()),
    }
}

/// The name of a campaign in the queue. A resource that is deleted and created again is another campaign.
pub(crate) fn id_of(project: &ProjectId, namespace: &str, name: &str, uid: &str) -> CampaignId {
    let short: String = uid.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    project.campaign(&format!("{namespace}.{name}.{short}"))
}

/// What was asked of it, as the queue has it.
pub(crate) fn wish_of(declared: Declared) -> Wish {
    match declared {
        Declared::Run => Wish::Run,
        Declared::Pause => Wish::Pause,
        Declared::Cancel => Wish::Cancel,
    }
}

/// The campaign and its jobs.
pub(crate) fn campaign(id: CampaignId, spec: &CampaignSpec, work: Work) -> (Campaign, Vec<Job>) {
    let positive = |number: i32| u32::try_from(number).unwrap_or(1).max(1);
    let rates = spec
        .rates
        .iter()
        .map(|rate| (rate.host.clone(), Rate { per_second: rate.per_second, burst: positive(rate.burst) }));
    let limits = spec.limits.unwrap_or_default();
    let budget = spec.budget.unwrap_or_default();
    let planner = match &work {
        // An exploration is decided by its strategy.
        Work::Exploration(wanted) => PlannerRef::named(&wanted.strategy),
        Work::Tasks(_) => PlannerRef {
            name: spec.planner.name.clone(),
            model: spec.planner.model.clone(),
            options: spec.planner.options.clone().into(),
        },
    };
    let jobs = match work {
        Work::Tasks(loaded) => tasks::jobs_of_tasks(loaded, &id),
        Work::Exploration(wanted) => tasks::jobs_of_explorations(&wanted, &id),
    };
    let campaign = Campaign {
        priority: priority_of(spec.class),
        share: positive(spec.share),
        rates: rates.collect(),
        limits: AttemptLimits { steps: limits.steps.map(positive), seconds: limits.seconds.map(i64::unsigned_abs) },
        budget: Budget { usd: budget.usd, tokens: budget.tokens.map(i64::unsigned_abs) },
        labels: spec.labels.clone(),
        ..Campaign::new(id, planner)
    };
    (campaign, jobs)
}

#[cfg(test)]
mod tests {
    use super::super::dereference::{Text, Texts};
    use super::super::validate;
    use super::*;
    use serde_json::json;
    use std::path::PathBuf;

    const TASKS: &str = "
sites: {shop: {scope: {hosts: [cdn.shop.test]}}}
tasks:
  - {id: log-in, site: shop, start_url: 'https://shop.test/', instruction: Log in}
  - {id: buy, site: shop, start_url: 'https://shop.test/', instruction: Buy a lamp}
";

    fn spec(value: serde_json::Value) -> CampaignSpec {
        serde_json::from_value(value).expect("a campaign")
    }

    fn texts(tasks: &str) -> Texts {
        Texts { tasks: Some(Text { name: PathBuf::from("tasks.inline"), text: tasks.into() }), login: None }
    }

    fn built(spec: &CampaignSpec, texts: &Texts) -> (Campaign, Vec<Job>) {
        campaign(
            id_of(&ProjectId::default(), "qa", "shop", "0a1b2c3d-4e5f-6789"),
            spec,
            validate::work(spec, texts).expect("valid"),
        )
    }

    #[test]
    fn a_campaign_belongs_to_the_project_that_it_names_or_to_that_of_its_namespace() {
        let project = |named, apart| project_of("qa", named, apart);
        let id = |named, apart| id_of(&project(named, apart).expect("a project"), "qa", "shop", "0a1b2c3d-4e5f");
        assert_eq!(id(None, false), CampaignId::new("qa.shop.0a1b2c3d"));
        assert_eq!(id(Some("payments"), false), CampaignId::new("payments::qa.shop.0a1b2c3d"));
        assert_eq!(id(None, true), CampaignId::new("qa::qa.shop.0a1b2c3d"));
        assert_eq!(id(Some("qa"), true), id(None, true));
        let refused = project(Some("payments"), true).expect_err("another namespace's");
        assert!(refused.contains("create the campaign in the namespace `payments`"), "{refused}");
        assert!(project_of("default", None, true).is_ok_and(|project| project.is_default()));
    }

    #[test]
    fn a_resource_becomes_a_campaign_with_a_job_for_each_task() {
        let spec = spec(json!({
            "tasks": {"inline": TASKS}, "class": "Background", "share": 3,
            "planner": {"name": "hxagent", "model": "small", "options": {"depth": 2}},
            "rates": [{"host": "shop.test", "perSecond": 0.5, "burst": 2}],
            "limits": {"steps": 20}, "budget": {"usd": 1.5}, "labels": {"region": "eu"},
        }));
        let (campaign, jobs) = built(&spec, &texts(TASKS));
        assert_eq!(campaign.id.as_str(), "qa.shop.0a1b2c3d");
        assert_eq!((campaign.priority, campaign.share), (-100, 3));
        assert_eq!(campaign.planner.model.as_deref(), Some("small"));
        assert_eq!(campaign.planner.options.to_value(), json!({"depth": 2}));
        assert_eq!(campaign.rates["shop.test"], Rate { per_second: 0.5, burst: 2 });
        assert_eq!((campaign.limits.steps, campaign.limits.seconds), (Some(20), None));
        assert_eq!((campaign.budget.usd, campaign.budget.tokens), (Some(1.5), None));
        assert_eq!(campaign.labels["region"], "eu");
        let names: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(names, ["log-in", "buy"]);
        assert!(jobs.iter().all(|job| job.campaign == campaign.id));
        assert_eq!(built(&spec, &texts(TASKS)), (campaign, jobs), "the same resource makes the same");
    }

    #[test]
    fn an_exploration_has_a_job_for_each_browser() {
        let exploration = json!({"startUrl": "https://shop.test/", "seconds": 60, "browsers": 2, "mode": "ReadOnly"});
        let (campaign, jobs) = built(&spec(json!({"exploration": exploration})), &Texts::default());
        assert_eq!(campaign.planner.name, "frontier");
        let names: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(names, ["guest/1", "guest/2"]);
    }

    #[test]
    fn mistakes_in_a_text_are_told_with_their_place_and_a_hint() {
        let spec = spec(json!({"tasks": {"configMap": {"name": "shop", "key": "shop.yaml"}}}));
        let wrong = "tasks:\n  - {id: a, start_url: shop.test, instruction: Log in}\n";
        let refused = validate::work(&spec, &texts(wrong)).expect_err("refused").to_string();
        assert!(
            refused.contains("tasks.inline:2") && refused.contains("did you mean `https://shop.test`?"),
            "{refused}"
        );
    }

    #[test]
    fn classes_are_priorities_and_back() {
        for class in [Class::Interactive, Class::Scheduled, Class::Background] {
            assert_eq!(class_of(priority_of(class)), class);
        }
        assert_eq!(
            (class_of(5), class_of(-70), class_of(1000)),
            (Class::Scheduled, Class::Background, Class::Interactive)
        );
    }
}
