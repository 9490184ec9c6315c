-- What decided which state is which. Maps from before it was written down were made with the default.
ALTER TABLE map_sites ADD COLUMN abstraction TEXT NOT NULL DEFAULT 'layered';

-- Leases are counted without a look at everything that was ever offered.
CREATE INDEX map_frontier_claimed ON map_frontier (site, lease_until) WHERE progress = 1;
