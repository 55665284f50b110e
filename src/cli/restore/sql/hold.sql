-- Holds restored rows from every job, until an operator releases them (`pruned release`). Each is
-- also parked in quarantine, by the name that each job has for it: there processes of the version
-- before look for it. Whoever has approved the job's version has seen another run of it: the next
-- one waits for an approval (`approve = first`).
WITH given AS MATERIALIZED (
  SELECT DISTINCT q.job, q.item,
-- include: ../../../engine/step/sql/quarantine_table.sql
         AS tab
  FROM unnest(:job::text[], :item::text[]) AS q (job, item)
),
parked AS (
  INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked)
  SELECT g.job, g.item, 'restored', 0, true FROM given g
  ORDER BY 1, 2
  ON CONFLICT (job, item) DO UPDATE SET reason = excluded.reason, parked = true
),
unknown AS (
  DELETE FROM pruned.approved_versions v WHERE v.job = :of_job::text
)
INSERT INTO pruned.holds (tab, key, hold_id, kind, job, reason, who)
SELECT DISTINCT pruned.held_table(g.tab), pg_catalog.substr(g.item, pg_catalog.length(g.tab) + 2), :run_id::uuid, 'restored', :of_job::text, coalesce(:reason::text, 'restored'), :who::text
FROM given g WHERE g.tab IS NOT NULL
ORDER BY 1, 2
ON CONFLICT DO NOTHING
