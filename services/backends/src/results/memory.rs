//! The ledger in memory. It keeps accounts and outcomes but no counts, and adds up on request. It is the model that the
//! databases are compared with.

use super::account::{Account, CampaignCounts, OutcomeSums, cell, totals};
use crate::sql::offsets::not_yet;
use async_trait::async_trait;
use domain::campaign::Closing;
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::storage::StorageError;
use domain::storage::jobs::Decoded;
use domain::storage::log::{Offsets, Topic};
use domain::storage::results::{ResultStore, StepCost};
use domain::{CampaignId, JobId};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;

/// A ledger that is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryResults {
    books: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    accounts: BTreeMap<(CampaignId, JobId), (Account, Option<Outcome>)>,
    visits: BTreeMap<(CampaignId, String), PageVisit>,
    offsets: BTreeMap<(String, &'static str, u32), u64>,
}

impl MemoryResults {
    fn books(&self) -> MutexGuard<'_, Tables> {
        self.books.lock()
    }
}

impl Tables {
    fn advance<'a, T>(&mut self, group: &str, records: &'a [Decoded<T>]) -> Vec<&'a T> {
        let of_group = self.offsets.iter().filter(|((owner, _, _), _)| owner == group);
        let before = of_group.map(|((_, topic, partition), next)| ((*topic, *partition), *next)).collect();
        for record in records {
            let key = (group.to_owned(), record.from.topic.as_str(), record.from.place.partition);
            let next = self.offsets.entry(key).or_default();
            *next = (*next).max(record.from.place.offset + 1);
        }
        not_yet(records, &before).into_iter().filter_map(|record| record.says.as_ref()).collect()
    }

    fn account(&mut self, campaign: &CampaignId, job: &JobId) -> &mut (Account, Option<Outcome>) {
        self.accounts.entry((campaign.clone(), job.clone())).or_default()
    }
}

#[async_trait]
impl Offsets for MemoryResults {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        let books = self.books();
        let of_topic = books.offsets.iter().filter(|((owner, name, _), _)| owner == group && *name == topic.as_str());
        Ok(of_topic.map(|((_, _, partition), next)| (*partition, *next)).collect())
    }
}

#[async_trait]
impl ResultStore for MemoryResults {
    async fn close(&self, group: &str, records: &[Decoded<Closing>]) -> Result<(), StorageError> {
        let mut books = self.books();
        for closing in books.advance(group, records) {
            let (account, accepted) = books.account(closing.campaign(), closing.job());
            if account.close(closing)
                && let Closing::Judged(outcome) = closing
            {
                *accepted = Some(outcome.as_ref().clone());
            }
        }
        Ok(())
    }

    async fn spend(&self, group: &str, records: &[Decoded<StepCost>]) -> Result<(), StorageError> {
        let mut books = self.books();
        for spent in books.advance(group, records) {
            books.account(&spent.campaign, &spent.job).0.spend(spent);
        }
        Ok(())
    }

    async fn keep_visits(&self, group: &str, records: &[Decoded<PageVisit>]) -> Result<(), StorageError> {
        let mut books = self.books();
        for visit in books.advance(group, records) {
            books.visits.entry((visit.campaign.clone(), visit.id.clone())).or_insert_with(|| visit.clone());
        }
        Ok(())
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, StorageError> {
        let books = self.books();
        let wanted = books.visits.values().filter(|visit| visit.campaign == *campaign);
        let wanted = wanted.filter(|visit| after.is_none_or(|after| visit.id.as_str() > after));
        Ok(wanted.take(limit).cloned().collect())
    }

    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, StorageError> {
        let books = self.books();
        let of_campaign = || books.accounts.iter().filter(|((owner, _), _)| owner == campaign).map(|(_, entry)| entry);
        let mut rest = CampaignCounts::default();
        of_campaign().for_each(|(account, _)| rest.change(&CampaignCounts::default(), &account.counts()));
        let outcomes = of_campaign().filter_map(|(_, outcome)| outcome.as_ref());
        Ok(totals(campaign, outcomes.map(|outcome| (cell(outcome), OutcomeSums::of(outcome))), &rest))
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, StorageError> {
        let books = self.books();
        let wanted = books
            .accounts
            .iter()
            .filter(|((owner, job), _)| owner == campaign && after.as_ref().is_none_or(|after| job > after));
        Ok(wanted.filter_map(|(_, (_, outcome))| outcome.clone()).take(limit).collect())
    }
}
