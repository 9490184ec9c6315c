-- Where the later stages of a campaign begin among its jobs: a JSON array of positions; empty where it has no stages.
ALTER TABLE queue_campaigns ADD COLUMN stages TEXT NOT NULL DEFAULT '';
