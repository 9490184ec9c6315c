-- W3C trace context of each record; empty where the work is not traced.
ALTER TABLE log ADD COLUMN trace_parent TEXT NOT NULL DEFAULT '';
