-- Deletes ids of events that Kafka has dropped. `more`: the page was full.
WITH gone AS (
  DELETE FROM pruned.event_ids WHERE run_id IN (
    SELECT run_id FROM pruned.event_ids
    WHERE at < (SELECT least(now(), (SELECT pg_catalog.max(r.finished_at) FROM pruned.runs r WHERE r.finished_at IS NOT NULL))) - :event_days::int::float8 * interval '1 day'
    ORDER BY at LIMIT 1000)
  RETURNING 1)
SELECT count(*) = 1000 AS more FROM gone
