//! What is asked of a page about facts: it knows what was redacted in them, and nobody else does. The answers are those of `evaluation`.

use domain::page::{Answer, Page, Question, Said};
use domain::task::Check;
use domain::verdict::Finding;
use domain::{Ending, Verdict};
use evaluation::checks::{finding, is_at_rest};
use evaluation::{Actor, Facts, judge};
use std::borrow::Cow;

/// Facts as they really were.
fn real<'f>(facts: &'f Facts, said: Option<&Said<'_>>) -> Cow<'f, Facts> {
    let Some(said) = said else { return Cow::Borrowed(facts) };
    let mut real = facts.clone();
    real.put_back(said);
    Cow::Owned(real)
}

/// What a check asks about facts.
struct Asked<'a, F>(&'a Facts, F);

impl<F: Fn(&Facts) -> Answer + Send + Sync> Question for Asked<'_, F> {
    fn answer(&self, said: Option<&Said<'_>>) -> Answer {
        let Asked(facts, ask) = self;
        ask(&real(facts, said))
    }
}

/// Whether the last two examinations agree on a check.
pub(crate) async fn rests(page: &mut dyn Page, check: &Check, facts: &Facts) -> bool {
    is_so(page, facts, |facts| is_at_rest(check, facts)).await
}

/// Whether a check is refuted.
pub(crate) async fn is_refuted(page: &mut dyn Page, check: &Check, facts: &Facts) -> bool {
    is_so(page, facts, |facts| finding(check, facts) == Finding::Refuted).await
}

async fn is_so(page: &mut dyn Page, facts: &Facts, ask: impl Fn(&Facts) -> bool + Send + Sync) -> bool {
    let question = Asked(facts, |facts: &Facts| Answer::IsSo(ask(facts)));
    page.answer(&question).await == Answer::IsSo(true)
}

/// Whether a check is confirmed.
pub(crate) async fn is_confirmed(page: &mut dyn Page, check: &Check, facts: &Facts) -> bool {
    is_so(page, facts, |facts| finding(check, facts) == Finding::Confirmed).await
}

/// The verdict on an ended attempt.
pub(crate) async fn verdict(
    page: &mut dyn Page,
    ending: &Ending,
    check: Option<&Check>,
    facts: &Facts,
    actor: &Actor,
) -> Verdict {
    let question = Asked(facts, |facts: &Facts| Answer::Judged(Box::new(judge(ending, check, facts, actor))));
    match page.answer(&question).await {
        Answer::Judged(verdict) => *verdict,
        Answer::IsSo(_) => judge(ending, check, facts, actor),
    }
}
