-- The run takes its ranges in: those that pause, or wait to be tried again, give back now what is
-- left.
UPDATE pruned.runs r
SET due_at = clock_timestamp(), changed_at = clock_timestamp()
FROM (SELECT w.run_id FROM pruned.runs w
      WHERE w.range_of = :run_id::uuid AND w.state || '' = 'waiting' AND w.due_at > now()
      FOR NO KEY UPDATE SKIP LOCKED) AS waits
WHERE r.run_id = waits.run_id
RETURNING r.run_id
