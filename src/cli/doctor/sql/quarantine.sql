-- The number of parked items, and of items that are retried automatically.
SELECT count(*) FILTER (WHERE parked) AS parked, count(*) FILTER (WHERE NOT parked) AS others FROM pruned.quarantine
