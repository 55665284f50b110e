-- Rows that fail, by job and reason: of at most 10,001 rows, so that the count of many takes no
-- longer. What is held after a restore has not failed.
SELECT q.job, q.reason, count(*) AS rows, count(*) FILTER (WHERE q.parked) AS parked, pg_catalog.min(q.first_at) AS first_at
FROM (SELECT t.job, t.reason, t.parked, t.first_at FROM pruned.quarantine t
      WHERE (:job::text IS NULL OR t.job = :job::text) AND NOT (t.parked AND t.reason = 'restored')
      LIMIT 10001) AS q
GROUP BY q.job, q.reason
ORDER BY rows DESC, q.job, q.reason
LIMIT 200
