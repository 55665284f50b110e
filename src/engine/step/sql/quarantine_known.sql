-- Which of these items are in quarantine, and which of them are passed over for now. `state`: of
-- the row when it failed; null: not known, or it is held whatever becomes of it.
SELECT u.ord::int - 1 AS row,
       -- include: quarantine_waits.sql
       AS passed_over, CASE WHEN q.parked AND q.reason = 'restored' THEN NULL ELSE q.state END AS state
FROM pg_catalog.unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item
