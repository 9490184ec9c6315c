-- Records of every topic. Offsets grow by one within a topic.
CREATE TABLE log (
    topic    TEXT    NOT NULL,
    position INTEGER NOT NULL,
    key      TEXT    NOT NULL,
    record   BLOB    NOT NULL,
    PRIMARY KEY (topic, position)
) WITHOUT ROWID;

-- One row per job; position is the order of submission.
CREATE TABLE jobs (
    position    INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign    TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    job         TEXT    NOT NULL,
    fence       INTEGER NOT NULL DEFAULT 0,
    -- Milliseconds since 1970 until which the claim holds; 0 when nobody holds it.
    lease_until INTEGER NOT NULL DEFAULT 0,
    closed      INTEGER NOT NULL DEFAULT 0,
    UNIQUE (campaign, id)
);
CREATE INDEX jobs_open ON jobs (campaign, position) WHERE closed = 0;

-- The one accepted outcome of each closed job.
CREATE TABLE outcomes (
    position INTEGER PRIMARY KEY REFERENCES jobs (position),
    record   BLOB    NOT NULL
);
