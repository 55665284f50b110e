-- What could not be done, by job and reason: the first of each.
SELECT job, min(item) AS item, count(*) AS items, bool_or(parked) AS parked, reason
FROM pruned.quarantine
GROUP BY job, reason
ORDER BY count(*) DESC, job, reason
LIMIT 10
