-- Items of a job that failed while a run of it was under way: for the first time, or for the last
-- time so far.
SELECT t.item, t.attempts, t.parked, t.reason
FROM pruned.quarantine t
CROSS JOIN LATERAL (VALUES (t.first_at), (t.next_try_at -
  -- include: ../../../engine/step/sql/quarantine_delay.sql
)) AS failed (at)
WHERE t.job = :job::text AND t.reason <> 'restored' AND failed.at >= coalesce(:started_at::timestamptz, 'infinity')
  AND failed.at <= coalesce(:finished_at::timestamptz, 'infinity')
GROUP BY t.item, t.attempts, t.parked, t.reason
ORDER BY pg_catalog.min(failed.at), t.item
LIMIT 20
