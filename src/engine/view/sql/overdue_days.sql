-- The most rows of each job that were past their deadline on each of the last 30 days (UTC), and
-- for how long one of its rows had been due at most.
SELECT d.day::text AS day, d.job, d.rows, pg_catalog.round(d.oldest_s::numeric) AS oldest_s
FROM pruned.overdue_days d
WHERE d.day > (now() AT TIME ZONE 'UTC')::date - 30 AND (:job::text IS NULL OR d.job = :job::text)
ORDER BY d.day DESC, d.job
