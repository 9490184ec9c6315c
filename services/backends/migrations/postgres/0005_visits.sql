-- Pages that explorations saw.
CREATE TABLE ledger_visits (
    campaign TEXT COLLATE "C" NOT NULL,
    -- Ids of one process grow with time.
    id       TEXT COLLATE "C" NOT NULL,
    job      TEXT COLLATE "C" NOT NULL,
    -- JSON.
    record   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (campaign, id)
);
