-- Erasures whose runs let them go on become due. Two processes take different ones. Fast by the
-- index on waits_for, which has only runs that wait for something.
UPDATE pruned.runs e SET due_at = now(), changed_at = clock_timestamp()
FROM (SELECT r.run_id FROM pruned.runs r
      WHERE r.job = ANY (:job::text[]) AND r.due_at > now() AND
      -- include: ../../step/sql/erasure_goes_on.sql
      FOR NO KEY UPDATE OF r SKIP LOCKED) AS due
WHERE e.run_id = due.run_id
RETURNING e.run_id
