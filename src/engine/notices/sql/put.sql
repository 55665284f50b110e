-- Notes what a person has to know now, and forgets what was told and is so no more, what ended
-- before its `wait_s` was over, and what could not be told for a week.
WITH now_so AS (
  SELECT DISTINCT ON (x.job, x.kind, x.run_id) x.*
  FROM unnest(:job::text[], :kind::text[], :run_id::text[], :says::text[], :commands::text[], :wait_s::int[]) AS x (job, kind, run_id, says, commands, wait_s)),
forgotten AS (
  DELETE FROM pruned.notices n
  WHERE NOT EXISTS (SELECT FROM now_so x WHERE x.job = n.job AND x.kind = n.kind AND x.run_id = n.run_id)
    AND ((n.told_at IS NOT NULL AND n.seen_at < now() - interval '10 minutes') OR (n.attempts = 0 AND n.next_try_at > now()) OR n.at < now() - interval '7 days'))
INSERT INTO pruned.notices AS n (job, kind, run_id, says, commands, next_try_at)
SELECT x.job, x.kind, x.run_id, x.says, x.commands::jsonb, now() + pg_catalog.make_interval(secs => x.wait_s)
FROM now_so x
ORDER BY x.job, x.kind, x.run_id
ON CONFLICT (job, kind, run_id) DO UPDATE SET seen_at = now() WHERE n.seen_at < now() - interval '1 minute'
