-- Runs that wait for the end of quiet hours which end earlier now are due then; `until`: null, they
-- are over. A page of 5,000 of the waiting runs, for each change of the settings until there is
-- none left; `n`: how many. In the order of ids, so that two processes wait for each other.
WITH early AS MATERIALIZED (
  SELECT r.run_id, greatest(now(), u.until) AS at
  FROM unnest(:job::text[], :until::timestamptz[]) AS u (job, until) JOIN pruned.runs r ON r.job = u.job
  WHERE r.state = 'waiting' AND r.error LIKE 'quiet hours until %' AND r.due_at > greatest(now(), u.until)
  ORDER BY r.run_id LIMIT 5000 FOR NO KEY UPDATE OF r),
moved AS (
  UPDATE pruned.runs r SET due_at = e.at, changed_at = clock_timestamp() FROM early e WHERE r.run_id = e.run_id RETURNING r.run_id)
SELECT count(*) AS n FROM moved
