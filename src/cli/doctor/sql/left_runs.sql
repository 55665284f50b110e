-- Jobs that are not in force here, but have runs that have not ended. Fast because few runs have
-- not ended, and an index has them.
SELECT r.job, count(*) AS n FROM pruned.runs r
WHERE r.state IN ('waiting', 'ready', 'held') AND r.range_of IS NULL AND r.job <> ALL (:job::text[])
GROUP BY r.job ORDER BY r.job
