-- Items that failed, by job and reason, with the first item of each.
SELECT job, pg_catalog.min(item) AS item, count(*) AS items, pg_catalog.bool_or(parked) AS parked, reason
FROM pruned.quarantine
GROUP BY job, reason
ORDER BY count(*) DESC, job, reason
LIMIT 10
