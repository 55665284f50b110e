-- What keeps the items `:item` of the job `:job` from going, a row for each that something keeps:
-- somebody holds it (`hold`, `restored`), or it is in quarantine. By the key on (job, item), and by
-- the primary key of holds, which is empty unless rows are held.
SELECT u.ord::int - 1 AS row,
       coalesce(h.kind, CASE WHEN f.parked THEN 'parked' WHEN f.reason = 'busy' THEN 'locked' ELSE 'failed' END) AS why
FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
LEFT JOIN pruned.quarantine f ON f.job = :job::text AND f.item = u.item AND f.reason <> 'restored'
LEFT JOIN LATERAL (
  SELECT pg_catalog.min(h.kind) AS kind
  FROM (SELECT q.item,
-- include: quarantine_table.sql
        AS tab FROM (SELECT u.item) AS q (item) WHERE EXISTS (SELECT FROM pruned.holds)) AS q
  JOIN pruned.holds h ON
-- include: held_item.sql
) AS h ON true
WHERE h.kind IS NOT NULL OR f.job IS NOT NULL
ORDER BY u.ord
