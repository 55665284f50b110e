-- Jobs whose rows other sessions hold: the entries of rows that were busy (of these the oldest
-- twenty of the table of the first), and the runs that wait for a lock, which have no entry.
-- `relation`: the table that the error of such a run names, in the marks of PostgreSQL's language.
-- `latest`: when a row was found held last. The entries are few; the runs are those of the partial
-- indexes on waiting and ready runs.
WITH busy AS (
  SELECT q.job, q.item, q.first_at, q.next_try_at, t.tab,
         row_number() OVER (PARTITION BY q.job, t.tab ORDER BY q.first_at, q.item) AS place,
         pg_catalog.first_value(q.item) OVER (PARTITION BY q.job ORDER BY q.first_at, q.item) AS first,
         pg_catalog.first_value(t.tab) OVER (PARTITION BY q.job ORDER BY q.first_at, q.item) AS first_tab
  FROM pruned.quarantine q CROSS JOIN LATERAL (SELECT
-- include: ../../../engine/step/sql/quarantine_table.sql
       AS tab) AS t WHERE q.reason = 'busy'
),
items AS (
  SELECT i.job, count(*) AS n, pg_catalog.min(i.first_at) AS since, pg_catalog.max(i.next_try_at) AS latest, i.first, i.first_tab,
         pg_catalog.array_agg(pg_catalog.substr(i.item, pg_catalog.length(i.tab) + 2) ORDER BY i.place)
           FILTER (WHERE i.place <= 20 AND i.tab = i.first_tab) AS keys
  FROM busy i
  GROUP BY i.job, i.first, i.first_tab
),
runs AS (
  SELECT r.job, count(*) AS n, pg_catalog.min(coalesce(r.started_at, r.due_at)) AS since, pg_catalog.max(r.changed_at) AS latest,
         (pg_catalog.array_agg(r.error ORDER BY r.started_at))[1] AS error
  FROM pruned.runs r
  WHERE r.state IN ('waiting', 'ready') AND r.error_class = '55P03' AND r.range_of IS NULL
  GROUP BY r.job
)
SELECT coalesce(i.job, r.job) AS job, coalesce(i.n, 0) AS items_n, i.keys::text AS keys, i.first, i.first_tab AS tab,
       pg_catalog.quote_ident((pg_catalog.regexp_match(r.error, '\([0-9]+,[0-9]+\)[^"«„]*["«„]([^"»“]+)["»“]'))[1]) AS relation,
       greatest(i.latest, r.latest)::text AS latest,
       pg_catalog.date_trunc('second', now() - i.since)::text AS items_age,
       coalesce(r.n, 0) AS runs_n, pg_catalog.date_trunc('second', now() - r.since)::text AS runs_age, r.error
FROM items i FULL JOIN runs r ON r.job = i.job
ORDER BY 1
LIMIT 10
