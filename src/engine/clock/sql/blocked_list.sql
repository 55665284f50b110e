-- Entries that are due, and those that are settled: the run itself ended otherwise, continues, or
-- is gone, or a later one of the same job and arguments was not blocked. Mostly the table is empty,
-- and no other table is read.
SELECT e.* FROM (
  SELECT b.job, b.key, b.run_id, b.scheduled_at::text AS scheduled_at, b.args::text AS args, b.next_try_at::text AS next_try_at,
         b.next_try_at <= now() AS due,
         CASE WHEN r.run_id IS NOT NULL
              THEN r.state IN ('dead', 'skipped', 'held') OR (r.state = 'finished' AND r.result ->> 'status' IS DISTINCT FROM 'blocked')
                   OR (r.state = 'waiting' AND (r.attempts > 0 OR r.result ->> 'status' IS NOT NULL))
              ELSE NOT EXISTS (SELECT FROM pruned.runs_done d
                               WHERE d.run_id = b.run_id AND d.scheduled_at = b.scheduled_at AND d.result ->> 'status' = 'blocked') END
         OR EXISTS (SELECT FROM pruned.runs s
                    WHERE s.finished_at > b.at AND s.job = b.job AND pg_catalog.md5(s.args::text) = b.key AND s.state || '' = 'finished' AND s.range_of IS NULL
                      AND s.result ->> 'status' IS DISTINCT FROM 'blocked') AS settled
  FROM pruned.blocked b LEFT JOIN pruned.runs r ON r.run_id = b.run_id) AS e
WHERE e.due OR e.settled
ORDER BY e.next_try_at
LIMIT 100
