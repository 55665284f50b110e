-- How many rows are held: by `pruned hold`, and after a restore. Of one item (`:item`, as a job
-- writes it; null: of all), or of one job's restores (`:job`; null: of all).
SELECT count(*) FILTER (WHERE h.kind = 'hold') AS holds, count(*) FILTER (WHERE h.kind = 'restored') AS restored
FROM (SELECT q.item,
-- include: ../../engine/step/sql/quarantine_table.sql
      AS tab FROM (VALUES (:item::text)) AS q (item)) AS q
JOIN pruned.holds h ON (h.until IS NULL OR h.until > now())
  AND (q.item IS NULL AND (:job::text IS NULL OR h.job = :job::text)
       OR h.tab = pruned.held_table(q.tab) AND h.key = pg_catalog.substr(q.item, pg_catalog.length(q.tab) + 2))
