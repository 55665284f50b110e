-- Sets the switches that every process reads before it starts a step of these jobs. `seconds`: how
-- long; 0: until it is ended. A pause that ends later, or that is open and has a reason, is left as
-- it is. So is a job that is to be resumed and is not paused.
WITH put AS (
  INSERT INTO pruned.controls AS c (job, paused, paused_until, reason)
  SELECT u.job, :paused::boolean, CASE WHEN :seconds::bigint > 0 THEN clock_timestamp() + :seconds::bigint::float8 * interval '1 s' END, :reason::text
  FROM (SELECT DISTINCT n.job FROM pg_catalog.unnest(:job::text[]) AS n (job)) AS u
  WHERE :paused::boolean OR EXISTS (SELECT FROM pruned.controls p WHERE p.job = u.job)
  ORDER BY u.job
  ON CONFLICT (job) DO UPDATE
  SET paused = excluded.paused, paused_until = excluded.paused_until, reason = excluded.reason, changed_at = now()
  WHERE (excluded.paused OR c.paused)
    AND NOT (excluded.paused AND c.paused AND coalesce(c.paused_until > now(), true)
             AND CASE WHEN c.paused_until IS NOT NULL THEN coalesce(excluded.paused_until <= c.paused_until, false)
                      ELSE excluded.paused_until IS NOT NULL OR c.reason IS NOT NULL END)
  RETURNING job, paused, paused_until, reason)
SELECT job, paused, paused_until, reason, false AS stays FROM put
UNION ALL
SELECT DISTINCT u.job, coalesce(c.paused, false), c.paused_until, c.reason, true
FROM pg_catalog.unnest(:job::text[]) AS u (job) LEFT JOIN pruned.controls c ON c.job = u.job
WHERE u.job NOT IN (SELECT job FROM put)
ORDER BY job
