-- Deletes timers whose events are older than the ledger keeps: such an event would be refused. By
-- the database's clock, and by the last run that has ended. `more`: the page was full.
WITH gone AS (
  DELETE FROM pruned.timers WHERE unique_key IN (
    SELECT unique_key FROM pruned.timers
    WHERE scheduled_at < (SELECT least(now(), (SELECT pg_catalog.max(r.finished_at) FROM pruned.runs r WHERE r.finished_at IS NOT NULL))) - (:run_days::int + 1)::float8 * interval '1 day'
    LIMIT 1000)
  RETURNING 1)
SELECT count(*) = 1000 AS more FROM gone
