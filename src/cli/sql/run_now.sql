-- A run waits no longer for its back-off, or for what it lacks; but nothing is due before its time. No row: it waits for just that, or pauses
-- between two pages.
UPDATE pruned.runs r
SET due_at = greatest(now(), :earliest::timestamptz), changed_at = now()
WHERE r.run_id = :run_id::uuid AND (r.error IS NOT NULL OR (r.attempts > 0 AND r.step = 0) OR r.due_at <= now())
RETURNING r.run_id
