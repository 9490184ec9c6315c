-- Pages that explorations saw.
CREATE TABLE ledger_visits (
    campaign TEXT   NOT NULL,
    -- Ids of one process grow with time.
    id       TEXT   NOT NULL,
    job      TEXT   NOT NULL,
    -- JSON.
    record   TEXT   NOT NULL,
    PRIMARY KEY (campaign, id)
);
