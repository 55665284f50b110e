-- Which of these items are in quarantine, and which of them are passed over for now. `state`: of
-- the row when it failed; null: not known, or it is held whatever becomes of it. `wait_ms`: until
-- it is tried again, at least a second; a day at a time where nothing says when. A row that `pruned
-- restore` holds is held from every job, whichever one it is held for; these rows follow the job's
-- own. Fast by the key on (job, item) and by the partial index of held items, which is empty unless
-- rows are held.
SELECT u.ord::int - 1 AS row, q.item,
       -- include: quarantine_waits.sql
       AS passed_over, CASE WHEN q.parked AND q.reason = 'restored' THEN NULL ELSE q.state END AS state, q.reason,
       greatest((extract(epoch FROM q.next_try_at - now()) * 1000::numeric)::bigint
       + CASE WHEN q.parked THEN greatest(:park_retry_days::int, 1)::bigint * 86400000 ELSE 0 END, 1000) AS wait_ms
FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item
UNION ALL
SELECT u.ord::int - 1, u.item, true, NULL, 'restored', greatest(:park_retry_days::int, 1)::bigint * 86400000
FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
WHERE EXISTS (SELECT FROM pruned.quarantine h WHERE h.parked AND h.reason = 'restored')
  AND EXISTS (SELECT FROM pruned.quarantine h WHERE h.item = u.item AND h.job <> :job::text AND h.parked AND h.reason = 'restored')
