//! Caches, rate limits, presence and quotas in Redis. Atomic operations are one script over keys of one slot, timed by the
//! server's clock.
//!
//! Redis may be emptied, restarted or away at any moment: a bucket from before a restart counts as unknown, hence
//! empty, and while Redis is away nothing is permitted.

use super::AGAIN;
use super::bucket::{LINED_UP, check, check_amount};
use async_trait::async_trait;
use domain::campaign::Rate;
use domain::storage::StorageError;
use domain::storage::shared::{Cache, PLACE, Permission, Presence, Quotas, RateLimit};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, Client, ErrorKind, IntoConnectionInfo, RedisError, Script, ServerErrorKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How to reach Redis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RedisOptions {
    /// `redis://HOST:PORT`, or `rediss://…` for TLS.
    pub url: String,
    /// What all keys begin with, so that several installations can share a server.
    pub prefix: String,
    /// How long one call may take, in milliseconds.
    pub deadline_ms: u64,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self { url: "redis://127.0.0.1:6379".to_owned(), prefix: "rutter:".to_owned(), deadline_ms: 1000 }
    }
}

/// What [`Bucket`](super::bucket::Bucket) does, by the server's clock. Answers how many microseconds there are to wait.
const BUCKET: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local life = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at', 'rate', 'life', 'promised')
local tokens, promised = 0, 0
if known[4] == life then
  local elapsed = math.max(0, now - tonumber(known[2])) / 1000000
  tokens = math.min(burst, tonumber(known[1]) + elapsed * math.min(rate, tonumber(known[3])))
  promised = tonumber(known[5])
end
local wait, amount = 0, tonumber(ARGV[6])
if ARGV[3] == 'settle' then
  if known[4] ~= life then return 0 end
  tokens = math.min(burst, tokens + amount)
elseif tokens < amount then
  wait = math.max(1, math.ceil((amount - tokens) / rate * 1000000))
  if ARGV[3] == 'take' then
    local soonest, turn = now + wait, math.ceil(amount * 1000000 / rate)
    promised = math.min(math.max(soonest, promised + turn), soonest + turn * tonumber(ARGV[5]))
    wait = promised - now
  end
elseif ARGV[3] == 'take' then
  tokens = tokens - amount
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens), 'at', string.format('%.0f', now),
  'rate', ARGV[1], 'life', life, 'promised', string.format('%.0f', promised))
redis.call('PEXPIRE', KEYS[1], ARGV[4] + math.max(0, math.ceil(-tokens / rate * 1000)))
return wait
";

/// A place among those of a key: one hash with the life of the server in which they are known, since when it is open, and until when each
/// holder has its place, so that Redis forgets all of it or nothing. In a life that is new to it nobody enters for the time of a place, while
/// whoever is inside says so. Answers how many milliseconds there are to wait.
const PLACES: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local life = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local holder, what, places, place, again = '@' .. ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if what == 'leave' then
  redis.call('HDEL', KEYS[1], holder)
  return 0
end
local known = redis.call('HMGET', KEYS[1], 'life', 'open')
local open = tonumber(known[2] or '0')
if known[1] ~= life then
  open = now + place
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'life', life, 'open', string.format('%.0f', open))
end
redis.call('PEXPIRE', KEYS[1], 86400000)
local all, inside, held = redis.call('HGETALL', KEYS[1]), 0, false
for index = 1, #all, 2 do
  if string.sub(all[index], 1, 1) == '@' then
    if tonumber(all[index + 1]) <= now then
      redis.call('HDEL', KEYS[1], all[index])
    else
      inside = inside + 1
      held = held or all[index] == holder
    end
  end
end
if held or (what == 'enter' and now >= open and inside < places) or (what == 'stay' and now < open) then
  redis.call('HSET', KEYS[1], holder, string.format('%.0f', now + place))
  return 0
end
return math.max(again, open - now)
";

/// Announces a member until its time to live ends. The second key holds each member's description.
const ANNOUNCE: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[3])), ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then redis.call('PEXPIRE', key, ARGV[3]) end
end
";

/// Removes expired members and returns the others with their descriptions.
const MEMBERS: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))) do
  redis.call('ZREM', KEYS[1], member)
  redis.call('HDEL', KEYS[2], member)
end
local listed = {}
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  table.insert(listed, { member, redis.call('HGET', KEYS[2], member) or '' })
end
return listed
";

/// Redis, shared by all processes of an installation.
#[derive(Clone)]
pub struct RedisShared {
    connection: ConnectionManager,
    /// Its URL without credentials.
    address: String,
    prefix: String,
    bucket: Script,
    places: Script,
    announce: Script,
    members: Script,
}

impl RedisShared {
    /// A client for an address. Redis need not be up yet: calls fail until it is.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`] when the URL says no address.
    pub fn open(options: &RedisOptions) -> Result<Self, StorageError> {
        let bad = |cause: RedisError| {
            StorageError::Unavailable(format!("the URL of Redis cannot be used: {cause}; write redis://HOST:PORT"))
        };
        let address = options.url.as_str().into_connection_info().map_err(bad)?.addr().to_string();
        let client = Client::open(options.url.as_str()).map_err(bad)?;
        let deadline = Duration::from_millis(options.deadline_ms);
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(deadline))
            .set_response_timeout(Some(deadline))
            // Callers retry failed calls; the next call reconnects.
            .set_number_of_retries(0);
        let connection = ConnectionManager::new_lazy_with_config(client, config).map_err(bad)?;
        Ok(Self {
            connection,
            address,
            prefix: options.prefix.clone(),
            bucket: Script::new(BUCKET),
            places: Script::new(PLACES),
            announce: Script::new(ANNOUNCE),
            members: Script::new(MEMBERS),
        })
    }

    fn failed(&self, doing: &str, cause: &RedisError) -> StorageError {
        let address = &self.address;
        if cause.code() == Some("OOM") {
            return StorageError::Unavailable(format!(
                "{doing}: Redis at {address} is out of memory; raise its `maxmemory`, or let it evict (`maxmemory-policy`)"
            ));
        }
        if matches!(cause.kind(), ErrorKind::Server(ServerErrorKind::ReadOnly)) {
            return StorageError::Unavailable(format!("{doing}: Redis at {address} is a replica; use the primary"));
        }
        StorageError::Unavailable(format!("{doing}: Redis at {address}: {cause}"))
    }

    /// Microseconds to wait for a permission of the host.
    async fn ask(&self, host: &str, rate: Rate, what: &str) -> Result<Duration, StorageError> {
        check(host, rate)?;
        let waited = self.ask_bucket(format!("{}rate:{{{host}}}", self.prefix), rate, what, 1).await;
        waited.map_err(|cause| self.failed(&format!("ask for a page load of host `{host}`"), &cause))
    }

    async fn ask_bucket(&self, key: String, rate: Rate, what: &str, amount: i64) -> Result<Duration, RedisError> {
        // Expires only once it would be full; then it starts empty again.
        let turns = f64::from(rate.burst.max(LINED_UP));
        let keep_ms = (2000.0 * turns / rate.per_second + 60_000.0).min(1e15) as u64;
        let wait: u64 = self
            .bucket
            .key(key)
            .arg(rate.per_second)
            .arg(rate.burst)
            .arg(what)
            .arg(keep_ms)
            .arg(LINED_UP)
            .arg(amount)
            .invoke_async(&mut self.connection.clone())
            .await?;
        Ok(Duration::from_micros(wait))
    }

    /// Milliseconds to wait for a place.
    async fn ask_place(&self, key: &str, holder: &str, what: &str, places: u32) -> Result<Permission, StorageError> {
        let prefix = &self.prefix;
        let mut call = self.places.key(format!("{prefix}places:{{{key}}}"));
        call.arg(holder).arg(what).arg(places).arg(milliseconds(PLACE)).arg(milliseconds(AGAIN));
        let wait: Result<u64, RedisError> = call.invoke_async(&mut self.connection.clone()).await;
        Ok(match wait.map_err(|cause| self.failed(&format!("ask for a place of `{key}`"), &cause))? {
            0 => Permission::Now,
            wait => Permission::After(Duration::from_millis(wait)),
        })
    }

    /// The two keys of a role: until when each member is listed, and what is said about it.
    fn keys(&self, role: &str) -> [String; 2] {
        let prefix = &self.prefix;
        [format!("{prefix}presence:{{{role}}}:until"), format!("{prefix}presence:{{{role}}}:about")]
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).clamp(1, 1 << 50)
}

#[async_trait]
impl Cache for RedisShared {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let name = format!("{}cache:{key}", self.prefix);
        self.connection.clone().get(name).await.map_err(|cause| self.failed("read a cached value", &cause))
    }

    async fn put(&self, key: &str, value: &[u8], time_to_live: Duration) -> Result<(), StorageError> {
        let name = format!("{}cache:{key}", self.prefix);
        let mut connection = self.connection.clone();
        let stored = connection.pset_ex::<_, _, ()>(name, value, milliseconds(time_to_live)).await;
        stored.map_err(|cause| self.failed("cache a value", &cause))
    }
}

#[async_trait]
impl RateLimit for RedisShared {
    async fn take(&self, host: &str, rate: Rate) -> Result<Permission, StorageError> {
        Ok(match self.ask(host, rate, "take").await? {
            Duration::ZERO => Permission::Now,
            wait => Permission::After(wait),
        })
    }

    async fn wait(&self, host: &str, rate: Rate) -> Result<Duration, StorageError> {
        self.ask(host, rate, "look").await
    }
}

#[async_trait]
impl Presence for RedisShared {
    async fn announce(
        &self,
        role: &str,
        member: &str,
        about: &str,
        time_to_live: Duration,
    ) -> Result<(), StorageError> {
        let [until, abouts] = self.keys(role);
        let mut call = self.announce.key(until);
        call.key(abouts).arg(member).arg(about).arg(milliseconds(time_to_live));
        let said: Result<(), RedisError> = call.invoke_async(&mut self.connection.clone()).await;
        said.map_err(|cause| self.failed("announce a member", &cause))
    }

    async fn leave(&self, role: &str, member: &str) -> Result<(), StorageError> {
        let [until, abouts] = self.keys(role);
        let mut both = redis::pipe();
        both.atomic().zrem(until, member).ignore().hdel(abouts, member).ignore();
        let left: Result<(), RedisError> = both.query_async(&mut self.connection.clone()).await;
        left.map_err(|cause| self.failed("take a member off the list", &cause))
    }

    async fn members(&self, role: &str) -> Result<Vec<(String, String)>, StorageError> {
        let [until, abouts] = self.keys(role);
        let mut call = self.members.key(until);
        call.key(abouts);
        let mut members: Vec<(String, String)> = call
            .invoke_async(&mut self.connection.clone())
            .await
            .map_err(|cause| self.failed("list the members", &cause))?;
        members.sort();
        Ok(members)
    }
}

#[async_trait]
impl Quotas for RedisShared {
    async fn draw(&self, key: &str, amount: u32, rate: Rate) -> Result<Permission, StorageError> {
        check_amount(key, amount, rate)?;
        let name = format!("{}quota:{{{key}}}", self.prefix);
        let waited = self.ask_bucket(name, rate, "take", amount.into()).await;
        Ok(match waited.map_err(|cause| self.failed(&format!("draw {amount} of `{key}`"), &cause))? {
            Duration::ZERO => Permission::Now,
            wait => Permission::After(wait),
        })
    }

    async fn settle(&self, key: &str, drawn: u32, needed: u32, rate: Rate) -> Result<(), StorageError> {
        check(key, rate)?;
        let name = format!("{}quota:{{{key}}}", self.prefix);
        let settled = self.ask_bucket(name, rate, "settle", i64::from(drawn) - i64::from(needed)).await;
        settled.map(drop).map_err(|cause| self.failed(&format!("settle what was drawn of `{key}`"), &cause))
    }

    async fn enter(&self, key: &str, places: u32, holder: &str) -> Result<Permission, StorageError> {
        self.ask_place(key, holder, "enter", places).await
    }

    async fn stay(&self, key: &str, holder: &str) -> Result<(), StorageError> {
        self.ask_place(key, holder, "stay", 0).await.map(drop)
    }

    async fn leave(&self, key: &str, holder: &str) -> Result<(), StorageError> {
        self.ask_place(key, holder, "leave", 0).await.map(drop)
    }
}
