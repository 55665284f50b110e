-- The last kept plan of a job.
SELECT p.at, p.scheduled_at, p.summary, p.lines FROM pruned.plans p WHERE p.job = :job::text ORDER BY p.at DESC LIMIT 1
