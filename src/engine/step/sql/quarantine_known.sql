-- Which of these items are in quarantine, and which of them are passed over for now. `state`: of
-- the row when it failed; null: not known, or it is held whatever becomes of it. `wait_ms`: until
-- it is tried again, at least a second; a day at a time where nothing says when. A row that is held
-- (`hold`, `restored`; both: `hold`) is held from every job; these rows follow those in quarantine.
-- `:of_rows`: what the job has as items are rows that it takes, not what it looks after: of these
-- only what a restore holds stays. Fast by the key on (job, item) and by the primary key of holds,
-- which is empty unless rows are held.
SELECT u.ord::int - 1 AS row, q.item,
       -- include: quarantine_waits.sql
       AS passed_over, q.state, q.reason,
       greatest((extract(epoch FROM q.next_try_at - now()) * 1000::numeric)::bigint
       + CASE WHEN q.parked THEN greatest(:park_retry_days::int, 1)::bigint * 86400000 ELSE 0 END, 1000) AS wait_ms, false AS held
FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item AND NOT (q.parked AND q.reason = 'restored')
UNION ALL
SELECT q.ord::int - 1, q.item, true, NULL, pg_catalog.min(h.kind),
       CASE WHEN pg_catalog.bool_and(h.until < now() + interval '1 day') THEN (extract(epoch FROM pg_catalog.max(h.until) - now()) * 1000::numeric)::bigint + 1000 ELSE 86400000 END, true
FROM (
  SELECT u.ord, q.item,
-- include: quarantine_table.sql
         AS tab
  FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord) CROSS JOIN LATERAL (SELECT u.item) AS q (item)
  WHERE EXISTS (SELECT FROM pruned.holds)) AS q
JOIN pruned.holds h ON
-- include: held_item.sql
  AND (:of_rows::boolean OR h.kind = 'restored')
GROUP BY q.ord, q.item
