-- The next thousand entries after `:after_job`, `:after_item`, as lists by job and table, and those
-- that stand beside the hold of a restored row apart (`held`); `versions`: tell whether an entry
-- was written since; `last_...`: the last of all of them. Fast by the key on (job, item).
WITH page AS MATERIALIZED (
  SELECT q.job, q.item, t.tab, pg_catalog.substr(q.item, pg_catalog.length(t.tab) + 2) AS key, q.xmin::text AS version, q.parked AND q.reason = 'restored' AS held
  FROM pruned.quarantine q CROSS JOIN LATERAL (SELECT
-- include: quarantine_table.sql
       AS tab) AS t
  WHERE (q.job, q.item) > (:after_job::text, :after_item::text)
  ORDER BY q.job, q.item
  LIMIT 1000
)
SELECT p.job, p.tab, p.held, pg_catalog.array_agg(p.key)::text AS keys, pg_catalog.array_agg(p.version)::text AS versions, l.job AS last_job, l.item AS last_item
FROM page p, (SELECT job, item FROM page ORDER BY job DESC, item DESC LIMIT 1) AS l
GROUP BY p.job, p.tab, p.held, l.job, l.item
ORDER BY p.job, p.tab, p.held
