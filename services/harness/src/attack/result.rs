//! What came of the attack, way by way and combination by combination.

use super::measure::{Attack, Outcome, Stage};
use super::ways::{Kind, Way};
use serde_json::{Value, json};

impl Attack {
    /// What attack.json says.
    pub(super) fn result(&self, stage: &Stage, controls: &[Outcome], outcomes: &[Outcome]) -> Value {
        let hits = |outcome: &Outcome, way: &Way| stage.hits.of(outcome.run, way.number);
        let leads = |way: &Way| match way.kind {
            Kind::Port => {
                controls.iter().any(|control| !control.driver_hits.is_empty() && control.tried.contains(&way.number))
            }
            _ => controls.iter().any(|control| hits(control, way) > 0),
        };
        let tried = |way: &Way| outcomes.iter().filter(|outcome| outcome.tried.contains(&way.number)).count();
        let (real, idle): (Vec<&'static Way>, Vec<&'static Way>) = self.wanted().partition(|way| leads(way));
        let everywhere = real.iter().filter(|way| tried(way) == outcomes.len()).count();
        let untried: Vec<&str> = real.iter().filter(|way| tried(way) == 0).map(|way| way.name).collect();
        let by_way: Vec<Value> = self
            .wanted()
            .map(|way| {
                let found: Vec<Value> =
                    outcomes.iter().filter(|outcome| hits(outcome, way) > 0).map(|outcome| outcome.label.clone()).collect();
                json!({"way": way.name, "number": way.number, "kind": format!("{:?}", way.kind), "leads_out_of_a_bare_browser": leads(way),
                    "tried_in": tried(way), "hits": outcomes.iter().map(|outcome| hits(outcome, way)).sum::<u64>(), "hit_in": found})
            })
            .collect();
        let all_hits = outcomes
            .iter()
            .map(|outcome| self.wanted().map(|way| hits(outcome, way)).sum::<u64>() + outcome.others.len() as u64);
        let combinations: Vec<Value> = outcomes
            .iter()
            .map(|outcome| {
                let mut told = outcome.label.clone();
                told["tried"] = json!(real.iter().filter(|way| outcome.tried.contains(&way.number)).count());
                told["canary_hits"] =
                    json!(self.wanted().map(|way| hits(outcome, way)).sum::<u64>() + outcome.others.len() as u64);
                told["driver_hits"] = json!(outcome.driver_hits.len());
                told["others"] = json!(outcome.others);
                told["at_the_driver"] = json!(outcome.driver_hits);
                told
            })
            .collect();
        json!({
            "ways": real.len(),
            "tried": real.iter().filter(|way| tried(way) > 0).count(),
            "tried_in_every_combination": everywhere,
            "canary_hits": all_hits.sum::<u64>(),
            "driver_hits": outcomes.iter().map(|outcome| outcome.driver_hits.len()).sum::<usize>(),
            "listed": self.wanted().count(),
            "lead_nowhere_even_in_a_bare_browser": idle.iter().map(|way| way.name).collect::<Vec<_>>(),
            "not_tried": untried,
            "stayed_at_the_site": stage.progress.stayed(),
            "combinations": combinations,
            "by_way": by_way,
        })
    }
}
