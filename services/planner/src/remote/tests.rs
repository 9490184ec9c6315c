//! A planner at an address, as the registry builds it.

use super::*;
use crate::registry::Registry;
use crate::test_request::request;
use domain::Usage;
use domain::service::{Code, ServiceError};
use serde_json::{Value, json};
use std::sync::Mutex;

/// What was dialled, and who was asked for.
type Calls = Vec<(RemoteOptions, Option<PlannerRef>)>;

/// Answers no question, and keeps its calls.
#[derive(Clone, Default)]
struct Silent(Arc<Mutex<Calls>>);

impl Dialer for Silent {
    fn dial(&self, to: &RemoteOptions) -> Result<Arc<dyn PlannerService>, String> {
        if !to.address.starts_with("http") {
            return Err(format!("{} is neither http nor https", to.address));
        }
        self.0.lock().unwrap().push((to.clone(), None));
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl PlannerService for Silent {
    async fn decide(&self, planner: &PlannerRef, _: DecisionRequest) -> Result<Decision, ServiceError> {
        if let Some(last) = self.0.lock().unwrap().last_mut() {
            last.1 = Some(planner.clone());
        }
        let error = ServiceError::new(Code::Unavailable, "decide at http://127.0.0.1:9: connection refused");
        Err(ServiceError { usage: Usage { calls: 1, ..Usage::default() }, ..error })
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

fn build(options: Value, dialer: &Silent) -> Result<Arc<dyn Planner>, BuildError> {
    let parts = Parts { dialer: Some(Arc::new(dialer.clone())), ..Parts::default() };
    Registry::default().build("remote", &options, &parts)
}

#[tokio::test]
async fn it_is_asked_by_its_own_name_with_its_own_options_and_is_away_while_it_does_not_answer() {
    let dialer = Silent::default();
    let options = json!({"address": "http://127.0.0.1:9", "name": "mine", "options": {"depth": 3}});
    let planner = build(options, &dialer).expect("built");
    let PlannerError::Away { cause, usage } = planner.decide(request()).await.expect_err("nobody answers") else {
        panic!("an attempt asks again only where a planner is away");
    };
    assert!(cause.contains("connection refused; start the planner at http://127.0.0.1:9"), "{cause}");
    assert_eq!(usage.calls, 1);
    let dialled = dialer.0.lock().unwrap();
    let (to, asked) = dialled.last().expect("dialled");
    let asked = asked.as_ref().expect("asked");
    assert_eq!((to.compression, asked.name.as_str()), (Compression::None, "mine"));
    assert_eq!(asked.options.to_value(), json!({"depth": 3}));
}

#[test]
fn an_address_that_cannot_be_used_is_refused_by_the_options_name() {
    let refused = build(json!({"address": "mine:7071"}), &Silent::default()).err().expect("refused").to_string();
    assert_eq!(refused, "planner `remote`: option `address`: mine:7071 is neither http nor https");
    let refused = Registry::default().build("remote", &Value::Null, &Parts::default()).err().expect("refused");
    assert!(refused.to_string().contains("a way to call other processes"), "{refused}");
}
