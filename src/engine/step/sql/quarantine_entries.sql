-- Which of these items are in quarantine, and which of them are passed over for now. `state`: of
-- the row when it failed; null: not known. `wait_ms`: until it is tried again, at least a second.
-- Fast by the key on (job, item).
SELECT u.ord::int - 1 AS row, q.item,
       -- include: quarantine_waits.sql
       AS passed_over, q.state, q.reason,
       greatest((extract(epoch FROM q.next_try_at - now()) * 1000::numeric)::bigint
       + CASE WHEN q.parked THEN greatest(:park_retry_days::int, 1)::bigint * 86400000 ELSE 0 END, 1000) AS wait_ms, false AS held
FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item AND NOT (q.parked AND q.reason = 'restored')
