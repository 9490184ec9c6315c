//! The seams of storage, decorated: nothing but the way of each call.

use super::Faulty;
use super::subscription::FaultySubscription;
use async_trait::async_trait;
use domain::campaign::{Campaign, Closing, Quarantined, Rate, Ticket, Wish};
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::QuarantineVerdict;
use domain::stage::NextStage;
use domain::storage::jobs::{CampaignStanding, Claimed, Decoded, JobStore, Lane, Pick, Retry, Submission};
use domain::storage::log::{EventLog, LogPosition, LogRecord, NewRecord, Offsets, Subscription, Topic};
use domain::storage::results::{ResultStore, StepCost};
use domain::storage::shared::{Cache, Permission, Presence, Quotas, RateLimit};
use domain::storage::{BlobStore, StorageError};
use domain::{BlobRef, CampaignId, Job, JobId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[async_trait]
impl<T: EventLog + ?Sized> EventLog for Faulty<T> {
    async fn append(&self, topic: Topic, record: NewRecord) -> Result<LogPosition, StorageError> {
        self.link.call("append", || self.inner.append(topic, record.clone())).await
    }

    async fn subscribe(
        &self,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Result<Box<dyn Subscription>, StorageError> {
        let inner = self.link.call("subscribe", || self.inner.subscribe(group, topics, offsets.clone())).await?;
        Ok(Box::new(FaultySubscription::new(inner, self.link.clone())))
    }

    async fn read(
        &self,
        topic: Topic,
        partition: u32,
        from: u64,
        limit: usize,
    ) -> Result<Vec<LogRecord>, StorageError> {
        self.link.call("read", || self.inner.read(topic, partition, from, limit)).await
    }

    async fn partitions(&self, topic: Topic) -> Result<u32, StorageError> {
        self.link.call("partitions", || self.inner.partitions(topic)).await
    }
}

#[async_trait]
impl<T: Offsets + ?Sized> Offsets for Faulty<T> {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        self.link.call("offsets", || self.inner.offsets(group, topic)).await
    }
}

#[async_trait]
impl<T: JobStore + ?Sized> JobStore for Faulty<T> {
    async fn create(&self, campaign: &Campaign, now: SystemTime) -> Result<bool, StorageError> {
        self.link.call("create", || self.inner.create(campaign, now)).await
    }

    async fn submit(&self, jobs: &[Submission], now: SystemTime) -> Result<u64, StorageError> {
        self.link.call("submit", || self.inner.submit(jobs, now)).await
    }

    async fn demand(&self, now: SystemTime) -> Result<Vec<Lane>, StorageError> {
        self.link.call("demand", || self.inner.demand(now)).await
    }

    async fn claim(
        &self,
        picks: &[Pick],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claimed>, StorageError> {
        self.link.call("claim", || self.inner.claim(picks, crawler, now, lease)).await
    }

    async fn renew(&self, tickets: &[Ticket], now: SystemTime, lease: Duration) -> Result<Vec<Ticket>, StorageError> {
        self.link.call("renew", || self.inner.renew(tickets, now, lease)).await
    }

    async fn release(&self, tickets: &[Ticket]) -> Result<(), StorageError> {
        self.link.call("release", || self.inner.release(tickets)).await
    }

    async fn expire(&self, now: SystemTime, retry: &Retry) -> Result<u64, StorageError> {
        self.link.call("expire", || self.inner.expire(now, retry)).await
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), StorageError> {
        self.link.call("wish", || self.inner.wish(campaign, wish)).await
    }

    async fn apply(
        &self,
        group: &str,
        records: &[Decoded<Closing>],
        now: SystemTime,
        retry: &Retry,
        stages: &dyn NextStage,
    ) -> Result<(), StorageError> {
        self.link.call("apply", || self.inner.apply(group, records, now, retry, stages)).await
    }

    async fn ingest(
        &self,
        group: &str,
        records: &[Decoded<Submission>],
        now: SystemTime,
    ) -> Result<Vec<(LogRecord, String)>, StorageError> {
        self.link.call("ingest", || self.inner.ingest(group, records, now)).await
    }

    async fn campaigns(
        &self,
        only: Option<&CampaignId>,
        now: SystemTime,
    ) -> Result<Vec<CampaignStanding>, StorageError> {
        self.link.call("campaigns", || self.inner.campaigns(only, now)).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, StorageError> {
        self.link.call("jobs", || self.inner.jobs(campaign, skip, limit)).await
    }

    async fn quarantined(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, StorageError> {
        self.link.call("quarantined", || self.inner.quarantined(campaign)).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: &[JobId],
        verdict: QuarantineVerdict,
    ) -> Result<u64, StorageError> {
        self.link.call("settle", || self.inner.settle(campaign, jobs, verdict)).await
    }

    async fn outbox(&self, limit: usize) -> Result<Vec<(u64, Closing)>, StorageError> {
        self.link.call("outbox", || self.inner.outbox(limit)).await
    }

    async fn sent(&self, numbers: &[u64]) -> Result<(), StorageError> {
        self.link.call("sent", || self.inner.sent(numbers)).await
    }
}

#[async_trait]
impl<T: ResultStore + ?Sized> ResultStore for Faulty<T> {
    async fn close(&self, group: &str, records: &[Decoded<Closing>]) -> Result<(), StorageError> {
        self.link.call("close", || self.inner.close(group, records)).await
    }

    async fn spend(&self, group: &str, records: &[Decoded<StepCost>]) -> Result<(), StorageError> {
        self.link.call("spend", || self.inner.spend(group, records)).await
    }

    async fn keep_visits(&self, group: &str, records: &[Decoded<PageVisit>]) -> Result<(), StorageError> {
        self.link.call("keep_visits", || self.inner.keep_visits(group, records)).await
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, StorageError> {
        self.link.call("visits", || self.inner.visits(campaign, after, limit)).await
    }

    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, StorageError> {
        self.link.call("totals", || self.inner.totals(campaign)).await
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, StorageError> {
        self.link.call("outcomes", || self.inner.outcomes(campaign, after.clone(), limit)).await
    }
}

#[async_trait]
impl<T: Cache + ?Sized> Cache for Faulty<T> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.link.call("get", || self.inner.get(key)).await
    }

    async fn put(&self, key: &str, value: &[u8], time_to_live: Duration) -> Result<(), StorageError> {
        self.link.call("put", || self.inner.put(key, value, time_to_live)).await
    }
}

#[async_trait]
impl<T: RateLimit + ?Sized> RateLimit for Faulty<T> {
    async fn take(&self, host: &str, rate: Rate) -> Result<Permission, StorageError> {
        self.link.call("take", || self.inner.take(host, rate)).await
    }

    async fn wait(&self, host: &str, rate: Rate) -> Result<Duration, StorageError> {
        self.link.call("wait", || self.inner.wait(host, rate)).await
    }
}

#[async_trait]
impl<T: Presence + ?Sized> Presence for Faulty<T> {
    async fn announce(
        &self,
        role: &str,
        member: &str,
        about: &str,
        time_to_live: Duration,
    ) -> Result<(), StorageError> {
        self.link.call("announce", || self.inner.announce(role, member, about, time_to_live)).await
    }

    async fn leave(&self, role: &str, member: &str) -> Result<(), StorageError> {
        self.link.call("leave", || self.inner.leave(role, member)).await
    }

    async fn members(&self, role: &str) -> Result<Vec<(String, String)>, StorageError> {
        self.link.call("members", || self.inner.members(role)).await
    }
}

#[async_trait]
impl<T: Quotas + ?Sized> Quotas for Faulty<T> {
    async fn draw(&self, key: &str, amount: u32, rate: Rate) -> Result<Permission, StorageError> {
        self.link.call("draw", || self.inner.draw(key, amount, rate)).await
    }

    async fn settle(&self, key: &str, drawn: u32, needed: u32, rate: Rate) -> Result<(), StorageError> {
        self.link.call("settle", || self.inner.settle(key, drawn, needed, rate)).await
    }

    async fn enter(&self, key: &str, places: u32, holder: &str) -> Result<Permission, StorageError> {
        self.link.call("enter", || self.inner.enter(key, places, holder)).await
    }

    async fn stay(&self, key: &str, holder: &str) -> Result<(), StorageError> {
        self.link.call("stay", || self.inner.stay(key, holder)).await
    }

    async fn leave(&self, key: &str, holder: &str) -> Result<(), StorageError> {
        self.link.call("leave", || self.inner.leave(key, holder)).await
    }
}

#[async_trait]
impl<T: BlobStore + ?Sized> BlobStore for Faulty<T> {
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        self.link.call("put", || self.inner.put(content)).await
    }

    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError> {
        self.link.call("get", || self.inner.get(blob)).await
    }
}
