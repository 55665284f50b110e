-- The age of the oldest run that is due and has not begun, by job: the first entries of two partial indexes.
SELECT j.job,
       coalesce(extract(epoch FROM now() - least(
         (SELECT min(r.due_at) FROM pruned.runs r WHERE r.state = 'waiting' AND r.job = j.job AND r.due_at <= now()),
         (SELECT min(r.due_at) FROM pruned.runs r WHERE r.state = 'ready' AND r.job = j.job AND r.started_at IS NULL))), 0)::float8 AS seconds
FROM unnest(:job::text[]) AS j (job)
