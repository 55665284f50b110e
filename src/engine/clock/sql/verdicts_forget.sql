-- Deletes verdicts on messages that the dead topic has dropped, if its retention is shorter than
-- the ledger's (`pruned doctor` warns otherwise). By the database's clock, and by the last run that
-- has ended. `more`: the page was full.
WITH gone AS (
  DELETE FROM pruned.dead_verdicts WHERE (topic, partition, "offset") IN (
    SELECT topic, partition, "offset" FROM pruned.dead_verdicts
    WHERE at < (SELECT least(now(), (SELECT pg_catalog.max(r.finished_at) FROM pruned.runs r WHERE r.finished_at IS NOT NULL))) - :run_days::int::float8 * interval '1 day'
    LIMIT 1000)
  RETURNING 1)
SELECT count(*) = 1000 AS more FROM gone
