-- Jobs whose rows other sessions hold: the entries of rows that were busy (the oldest twenty of a
-- job), and the runs that wait for a lock, which have no entry. The entries are few; the runs are
-- those of the partial indexes on waiting and ready runs.
WITH items AS (
  SELECT i.job, count(*) AS n, pg_catalog.min(i.first_at) AS since, (pg_catalog.array_agg(i.item ORDER BY i.place))[1] AS first,
         pg_catalog.array_agg(pg_catalog.substr(i.item, pg_catalog.strpos(i.item, ':') + 1) ORDER BY i.place) FILTER (WHERE i.place <= 20) AS keys
  FROM (SELECT q.job, q.item, q.first_at, row_number() OVER (PARTITION BY q.job ORDER BY q.first_at, q.item) AS place
        FROM pruned.quarantine q WHERE q.reason = 'busy') AS i
  GROUP BY i.job
),
runs AS (
  SELECT r.job, count(*) AS n, pg_catalog.min(coalesce(r.started_at, r.due_at)) AS since, (pg_catalog.array_agg(r.error ORDER BY r.started_at))[1] AS error
  FROM pruned.runs r
  WHERE r.state IN ('waiting', 'ready') AND r.error_class = '55P03' AND r.range_of IS NULL
  GROUP BY r.job
)
SELECT coalesce(i.job, r.job) AS job, coalesce(i.n, 0) AS items_n, i.keys::text AS keys, i.first,
       pg_catalog.date_trunc('second', now() - i.since)::text AS items_age,
       coalesce(r.n, 0) AS runs_n, pg_catalog.date_trunc('second', now() - r.since)::text AS runs_age, r.error
FROM items i FULL JOIN runs r ON r.job = i.job
ORDER BY 1
LIMIT 10
