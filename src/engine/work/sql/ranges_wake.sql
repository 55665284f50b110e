-- A range has ended: its run looks now if it waits for that. One that is being stepped is left
-- alone: it looks again by itself. It says so in `progress`, or in the old form
-- (../../ledger/run.h).
UPDATE pruned.runs r
SET due_at = clock_timestamp(), changed_at = clock_timestamp()
FROM (SELECT w.run_id FROM pruned.runs w
      WHERE w.run_id = :run_id::uuid AND w.state || '' = 'waiting' AND w.error IS NULL AND w.due_at > now()
        AND (w.progress -> 'ranges' ?| '{over,gather}' OR w.cursor -> 'ranges' ?| '{over,gather}')
      FOR NO KEY UPDATE SKIP LOCKED) AS waits
WHERE r.run_id = waits.run_id
RETURNING r.run_id
