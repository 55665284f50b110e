-- How far a step reads that skips objects of a store that is down: 4000 entries of the index on
-- pick_up_at, and all entries with the same time as the last of them (more, if they were recorded
-- together). `beyond` is NULL if the index ends there.
WITH last AS (
  SELECT pick_up_at FROM ci_deleted_objects
  WHERE pick_up_at >= coalesce(:reached::timestamptz, '-infinity') AND pick_up_at < now()
  ORDER BY pick_up_at OFFSET 3999 LIMIT 1)
SELECT coalesce(pg_catalog.max(pick_up_at), 'infinity') AS edge, pg_catalog.max(pick_up_at) + interval '1 us' AS beyond FROM last
