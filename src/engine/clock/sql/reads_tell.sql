-- What these jobs read; null: nothing. A process that has another version of a job says so, too:
-- the latest counts. Jobs that nobody changes are written once an hour.
INSERT INTO pruned.job_states AS s (job, reads, read_at)
SELECT u.job, u.reads, now() FROM unnest(:job::text[], :reads::jsonb[]) AS u (job, reads)
WHERE u.reads IS NOT NULL OR EXISTS (SELECT FROM pruned.job_states k WHERE k.job = u.job AND k.reads IS NOT NULL)
ORDER BY u.job
ON CONFLICT (job) DO UPDATE SET reads = excluded.reads, read_at = excluded.read_at
WHERE s.reads IS DISTINCT FROM excluded.reads OR s.read_at IS NULL OR s.read_at < now() - interval '1 hour'
