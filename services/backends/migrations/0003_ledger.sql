-- The ledger: how jobs ended and what attempts cost.
CREATE TABLE ledger_jobs (
    campaign TEXT   NOT NULL,
    id       TEXT   NOT NULL,
    -- JSON: its terminal record and its attempts.
    account  TEXT   NOT NULL,
    -- 1 when an outcome was accepted.
    judged   BIGINT NOT NULL,
    -- The accepted outcome as a record of the log; empty when there is none.
    outcome  BLOB   NOT NULL,
    PRIMARY KEY (campaign, id)
);
CREATE INDEX ledger_outcomes ON ledger_jobs (campaign, id) WHERE judged = 1;

-- Counts of accepted outcomes: always the sums over the jobs.
CREATE TABLE ledger_cells (
    campaign          TEXT   NOT NULL,
    site              TEXT   NOT NULL,
    task              TEXT   NOT NULL,
    planner           TEXT   NOT NULL,
    verdict           TEXT   NOT NULL,
    outcomes          BIGINT NOT NULL,
    -- Billionths.
    nano_reward       BIGINT NOT NULL,
    rewarded          BIGINT NOT NULL,
    steps             BIGINT NOT NULL,
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    -- Billionths of a US dollar.
    nano_usd          BIGINT NOT NULL,
    calls             BIGINT NOT NULL,
    -- Millionths of a second.
    wall_us           BIGINT NOT NULL,
    PRIMARY KEY (campaign, site, task, planner, verdict)
);

-- The other counts of a campaign.
CREATE TABLE ledger_campaigns (
    campaign          TEXT   NOT NULL PRIMARY KEY,
    quarantined       BIGINT NOT NULL,
    cancelled         BIGINT NOT NULL,
    redeliveries      BIGINT NOT NULL,
    lost_attempts     BIGINT NOT NULL,
    -- What the lost attempts cost.
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    nano_usd          BIGINT NOT NULL,
    calls             BIGINT NOT NULL
);
