-- Items of a job that failed for the first time while a run of it was under way.
SELECT q.item, q.attempts, q.parked, q.reason
FROM pruned.quarantine q
WHERE q.job = :job::text AND q.first_at >= coalesce(:started_at::timestamptz, 'infinity')
  AND q.first_at <= coalesce(:finished_at::timestamptz, 'infinity')
ORDER BY q.first_at, q.item
LIMIT 20
