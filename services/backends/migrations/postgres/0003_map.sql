-- The maps of sites: states, what leads from one to another, and what is not explored yet.
CREATE TABLE map_sites (
    number  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name    TEXT COLLATE "C" NOT NULL UNIQUE,
    -- The number of the last change: what changed has the number of its change.
    changed BIGINT NOT NULL,
    -- What was learnt of the site, as the room `graph` encodes it; empty when nothing was.
    learnt  BYTEA  NOT NULL,
    learnt_changed BIGINT NOT NULL
);

-- Runs, oldest first: `version` elsewhere is the place here, from 0.
CREATE TABLE map_versions (
    site  BIGINT NOT NULL,
    place BIGINT NOT NULL,
    run   TEXT COLLATE "C" NOT NULL,
    role  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (site, place),
    UNIQUE (site, run)
);

CREATE TABLE map_states (
    site        BIGINT NOT NULL,
    id          BIGINT NOT NULL,
    changed     BIGINT NOT NULL,
    -- JSON.
    state       TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA NOT NULL,
    PRIMARY KEY (site, id)
);
CREATE INDEX map_states_changed ON map_states (site, changed);

CREATE TABLE map_sightings (
    site    BIGINT NOT NULL,
    version BIGINT NOT NULL,
    state   BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    visits  BIGINT NOT NULL,
    title   TEXT COLLATE "C" NOT NULL,
    -- JSON.
    forms   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (site, version, state)
);
CREATE INDEX map_sightings_changed ON map_sightings (site, changed);

CREATE TABLE map_transitions (
    site       BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    from_state BIGINT NOT NULL,
    action_key BIGINT NOT NULL,
    to_state   BIGINT NOT NULL,
    changed    BIGINT NOT NULL,
    -- JSON.
    action     TEXT COLLATE "C" NOT NULL,
    tries      BIGINT NOT NULL,
    succeeded  BIGINT NOT NULL,
    latency_ms BIGINT NOT NULL,
    -- Milliseconds since 1970.
    last_seen  BIGINT NOT NULL,
    PRIMARY KEY (site, from_state, action_key, to_state, version)
);
CREATE INDEX map_transitions_changed ON map_transitions (site, changed);

CREATE TABLE map_frontier (
    site        BIGINT NOT NULL,
    version     BIGINT NOT NULL,
    state       BIGINT NOT NULL,
    action_key  BIGINT NOT NULL,
    changed     BIGINT NOT NULL,
    -- JSON.
    action      TEXT COLLATE "C" NOT NULL,
    -- 0: nobody has tried it, 1: somebody has a lease on it, 2: it was tried.
    progress    BIGINT NOT NULL,
    fence       BIGINT NOT NULL,
    crawler     TEXT COLLATE "C" NOT NULL,
    lease_until BIGINT NOT NULL,
    PRIMARY KEY (site, version, state, action_key)
);
CREATE INDEX map_frontier_changed ON map_frontier (site, changed);

-- The last observation of each browser session, so that one that comes again is not counted again.
CREATE TABLE map_sessions (
    site    BIGINT NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    number  BIGINT NOT NULL,
    state   BIGINT NOT NULL,
    PRIMARY KEY (site, session)
);
