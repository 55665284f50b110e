-- The state of each job, in the order of the given names. The archive has no index by job, so only
-- its last eight days are read, and only for jobs without a run in the table. A run that ended or
-- waits because its job lacks something is `blocked`; one of which all rows failed is `failed`.
WITH wanted AS (
    SELECT j.name, j.position FROM pg_catalog.unnest(:job::text[]) WITH ORDINALITY AS j(name, position)
), open AS (
    SELECT job, count(*) FILTER (WHERE state = 'ready') AS ready, count(*) FILTER (WHERE state = 'waiting') AS waiting,
           pg_catalog.min(due_at) FILTER (WHERE due_at <= now()) AS oldest_due
    FROM pruned.runs WHERE state IN ('ready', 'waiting') AND range_of IS NULL GROUP BY job
), recent AS (
    SELECT DISTINCT ON (job) job, run_id,
           CASE WHEN state = 'finished' AND result ->> 'status' = 'blocked' OR state = 'waiting' AND error LIKE 'blocked: %'
                THEN 'blocked' WHEN state = 'finished' AND result ->> 'status' = 'failed' THEN 'failed' ELSE state END AS state
    FROM pruned.runs WHERE range_of IS NULL ORDER BY job, created_at DESC, run_id
), archived AS (
    SELECT DISTINCT ON (job) job, run_id, CASE WHEN result ->> 'status' = 'blocked' THEN 'blocked' WHEN state = 'finished' AND result ->> 'status' = 'failed' THEN 'failed' ELSE state END AS state
    FROM pruned.runs_done
    WHERE scheduled_at > now() - interval '8 days' AND job IN (SELECT name FROM wanted EXCEPT SELECT job FROM recent)
    ORDER BY job, created_at DESC, run_id
)
SELECT w.name AS job, coalesce(c.paused AND coalesce(c.paused_until > now(), true), false) AS paused,
       CASE WHEN c.paused AND coalesce(c.paused_until > now(), true) THEN c.paused_until END AS paused_until,
       CASE WHEN c.paused AND coalesce(c.paused_until > now(), true) THEN c.reason END AS pause_reason, s.next_at,
       coalesce(o.ready, 0) AS ready, coalesce(o.waiting, 0) AS waiting,
       pg_catalog.round(extract(epoch FROM now() - o.oldest_due), 3) AS oldest_due_s,
       coalesce(r.run_id, a.run_id) AS last_run_id, coalesce(r.state, a.state) AS last_state
FROM wanted w
LEFT JOIN pruned.controls c ON c.job = w.name
LEFT JOIN pruned.schedules s ON s.job = w.name
LEFT JOIN open o ON o.job = w.name
LEFT JOIN recent r ON r.job = w.name
LEFT JOIN archived a ON a.job = w.name
ORDER BY w.position
