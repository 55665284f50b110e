-- As quarantine_entries.sql, for when rows are held: these follow those in quarantine. A row that
-- is held (`hold`, `restored`; both: `hold`) is held from every job; it has no `state`, because it
-- is held whatever becomes of it, and where nothing says when, it waits a day at a time.
-- `:of_rows`: what the job has as items are rows that it takes, not what it looks after: of these
-- only what a restore holds stays. Fast by the primary key of holds.
-- include: quarantine_entries.sql
UNION ALL
SELECT q.ord::int - 1, q.item, true, NULL, pg_catalog.min(h.kind),
       CASE WHEN pg_catalog.bool_and(h.until < now() + interval '1 day') THEN (extract(epoch FROM pg_catalog.max(h.until) - now()) * 1000::numeric)::bigint + 1000 ELSE 86400000 END, true
FROM (
  SELECT u.ord, q.item,
-- include: quarantine_table.sql
         AS tab
  FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord) CROSS JOIN LATERAL (SELECT u.item) AS q (item)) AS q
JOIN pruned.holds h ON
-- include: held_item.sql
  AND (:of_rows::boolean OR h.kind = 'restored')
GROUP BY q.ord, q.item
