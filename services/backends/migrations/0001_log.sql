-- Records of every topic. Offsets grow by one within a topic.
CREATE TABLE log (
    topic        TEXT    NOT NULL,
    position     INTEGER NOT NULL,
    key          TEXT    NOT NULL,
    record       BLOB    NOT NULL,
    trace_parent TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (topic, position)
) WITHOUT ROWID;
