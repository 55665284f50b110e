-- Deletes verdicts on messages that the dead topic has dropped, if its retention is shorter than
-- the ledger's (`pruned doctor` warns otherwise), and which messages have a letter there. By the
-- database's clock, and by the last run that has ended. `more`: a page was full.
WITH old AS MATERIALIZED (
  SELECT (SELECT least(now(), (SELECT pg_catalog.max(r.finished_at) FROM pruned.runs r WHERE r.finished_at IS NOT NULL))) - :run_days::int::float8 * interval '1 day' AS at),
gone AS (
  DELETE FROM pruned.dead_verdicts WHERE (topic, partition, "offset") IN (
    SELECT topic, partition, "offset" FROM pruned.dead_verdicts WHERE at < (SELECT o.at FROM old o) LIMIT 1000)
  RETURNING 1),
known AS (
  DELETE FROM pruned.dead_letters WHERE (topic, partition, "offset") IN (
    SELECT topic, partition, "offset" FROM pruned.dead_letters WHERE at < (SELECT o.at FROM old o) LIMIT 1000)
  RETURNING 1)
SELECT (SELECT count(*) FROM gone) = 1000 OR (SELECT count(*) FROM known) = 1000 AS more
