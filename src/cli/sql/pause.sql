-- Sets the switches that every process reads before it starts a step of these jobs. `seconds`: how long; 0: until it is ended.
INSERT INTO pruned.controls (job, paused, paused_until, reason)
SELECT DISTINCT u.job, :paused::boolean, CASE WHEN :seconds::bigint > 0 THEN clock_timestamp() + :seconds::bigint * interval '1 s' END, :reason::text
FROM pg_catalog.unnest(:job::text[]) AS u (job)
ORDER BY u.job
ON CONFLICT (job) DO UPDATE
SET paused = excluded.paused, paused_until = excluded.paused_until, reason = excluded.reason, changed_at = now()
RETURNING job, paused, paused_until, reason
