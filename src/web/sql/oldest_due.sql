-- The age of the oldest run that is due and has not begun, by job. Reads the first entries of two
-- partial indexes.
SELECT j.job,
       coalesce(extract(epoch FROM now() - least(
         (SELECT pg_catalog.min(r.due_at) FROM pruned.runs r WHERE r.state = 'waiting' AND r.job = j.job AND r.due_at <= now()),
         (SELECT pg_catalog.min(r.due_at) FROM pruned.runs r WHERE r.state = 'ready' AND r.job = j.job AND r.started_at IS NULL))), 0)::float8 AS seconds
FROM pg_catalog.unnest(:job::text[]) AS j (job)
