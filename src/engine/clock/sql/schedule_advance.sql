-- One process advances a schedule; for the others next_at has changed, and they do nothing.
UPDATE pruned.schedules SET next_at = :next_at::timestamptz
WHERE job = :job::text AND next_at = :old::timestamptz
RETURNING job
