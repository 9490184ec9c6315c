-- The queue: campaigns and their jobs. Times are milliseconds since 1970.
CREATE TABLE queue_campaigns (
    id       TEXT   NOT NULL PRIMARY KEY,
    -- Grows with every campaign.
    number   BIGINT NOT NULL,
    -- JSON.
    settings TEXT   NOT NULL,
    -- `run`, `pause` or `cancel`.
    wish     TEXT   NOT NULL,
    -- How many jobs it has.
    jobs     BIGINT NOT NULL
);

-- One row per job.
CREATE TABLE queue (
    campaign     TEXT   NOT NULL REFERENCES queue_campaigns (id),
    -- The order of submission within the campaign.
    position     BIGINT NOT NULL,
    id           TEXT   NOT NULL,
    site         TEXT   NOT NULL,
    host         TEXT   NOT NULL,
    -- JSON.
    job          TEXT   NOT NULL,
    trace_parent TEXT   NOT NULL,
    state        TEXT   NOT NULL,
    -- How often it was claimed.
    fence        BIGINT NOT NULL,
    -- When it may be claimed.
    due          BIGINT NOT NULL,
    -- Who holds it and until when, while it runs.
    crawler      TEXT   NOT NULL,
    lease_until  BIGINT NOT NULL,
    -- JSON: attempts that were lost, what attempts cost.
    history      TEXT   NOT NULL,
    PRIMARY KEY (campaign, position),
    UNIQUE (campaign, id)
);
CREATE INDEX queue_claimable ON queue (campaign, site, host, due, position) WHERE state = 'waiting';
CREATE INDEX queue_due ON queue (due) WHERE state = 'waiting';
CREATE INDEX queue_leases ON queue (lease_until) WHERE state = 'running';
CREATE INDEX queue_quarantined ON queue (campaign, position) WHERE state = 'quarantined';

-- Counts of the jobs of a campaign on one site and host: always the sums over their rows.
CREATE TABLE queue_lanes (
    campaign          TEXT   NOT NULL,
    site              TEXT   NOT NULL,
    host              TEXT   NOT NULL,
    waiting           BIGINT NOT NULL,
    running           BIGINT NOT NULL,
    closing           BIGINT NOT NULL,
    judged            BIGINT NOT NULL,
    quarantined       BIGINT NOT NULL,
    cancelled         BIGINT NOT NULL,
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    -- Billionths of a US dollar.
    nano_usd          BIGINT NOT NULL,
    calls             BIGINT NOT NULL,
    PRIMARY KEY (campaign, site, host)
);
CREATE INDEX queue_lanes_open ON queue_lanes (campaign) WHERE waiting > 0 OR running > 0;

-- Records that are to be appended to the log.
CREATE TABLE queue_outbox (
    number BIGINT NOT NULL PRIMARY KEY,
    -- JSON.
    record TEXT   NOT NULL
);

-- The next number of what is numbered without regard to transactions that fail.
CREATE TABLE queue_numbers (
    name TEXT   NOT NULL PRIMARY KEY,
    next BIGINT NOT NULL
);
INSERT INTO queue_numbers (name, next) VALUES ('campaign', 1), ('outbox', 1);

-- The next record to be read by a group of consumers.
CREATE TABLE offsets (
    group_name       TEXT   NOT NULL,
    topic            TEXT   NOT NULL,
    partition_number BIGINT NOT NULL,
    next             BIGINT NOT NULL,
    PRIMARY KEY (group_name, topic, partition_number)
);
