-- The age of the oldest run that is due and has not begun, by job. A run that waits for a lock
-- counts since it began, and not from its next try on, however often it is tried. Reads the first
-- entries of two partial indexes, and those due within the longest wait for a lock.
SELECT j.job,
       coalesce(extract(epoch FROM now() - least(
         (SELECT pg_catalog.min(r.due_at) FROM pruned.runs r WHERE r.state = 'waiting' AND r.job = j.job AND r.due_at <= now()),
         (SELECT pg_catalog.min(r.due_at) FROM pruned.runs r WHERE r.state = 'ready' AND r.job = j.job AND r.started_at IS NULL),
         (SELECT pg_catalog.min(r.started_at) FROM pruned.runs r
          WHERE r.state = 'waiting' AND r.job = j.job AND r.due_at <= now() + interval '10 s' AND r.error_class = '55P03'),
         (SELECT pg_catalog.min(r.started_at) FROM pruned.runs r WHERE r.state = 'ready' AND r.job = j.job AND r.error_class = '55P03'))), 0)::float8 AS seconds
FROM pg_catalog.unnest(:job::text[]) AS j (job)
