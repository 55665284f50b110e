-- Which of the tables `:name`, as jobs name them (empty: a job names none), is the table `:table`,
-- and what the quarantine has of the row: `:item`, as the job of that place would name it. `held`:
-- somebody holds the row, from each job. By the key on (job, item), and by the primary key of
-- holds.
SELECT u.ord::int - 1 AS row, q.reason, q.attempts, q.parked, q.first_at, q.next_try_at,
       extract(epoch FROM now() - q.first_at)::float8 AS failing_s,
       k.kind IS NOT NULL AS held, k.kind AS held_kind
FROM unnest(:job::text[], :name::text[], :item::text[]) WITH ORDINALITY AS u (job, name, item, ord)
LEFT JOIN pruned.quarantine q ON q.job = u.job AND q.item = u.item AND q.reason <> 'restored'
CROSS JOIN (
  SELECT pg_catalog.min(h.kind) AS kind
  FROM (SELECT q.item,
-- include: ../../../step/sql/quarantine_table.sql
        AS tab FROM (SELECT m.item FROM unnest(:name::text[], :item::text[]) AS m (name, item)
                     WHERE CASE WHEN m.name <> '' THEN pg_catalog.to_regclass(m.name) END = pg_catalog.to_regclass(:table::text)) AS q (item)) AS q
  JOIN pruned.holds h ON
-- include: ../../../step/sql/held_item.sql
) AS k
WHERE CASE WHEN u.name <> '' THEN pg_catalog.to_regclass(u.name) END = pg_catalog.to_regclass(:table::text)
ORDER BY u.ord
