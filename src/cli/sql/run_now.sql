-- A run that has begun waits no longer for its back-off, for what it lacks, or for its pause between two pages; but nothing is due before
-- its time. No row: it waits for just that.
UPDATE pruned.runs r
SET due_at = greatest(now(), :earliest::timestamptz), changed_at = now()
WHERE r.run_id = :run_id::uuid AND (r.error IS NOT NULL OR r.attempts > 0 OR r.step > 0 OR r.due_at <= now())
RETURNING r.run_id
