-- One process advances a schedule; the others find another time there and do nothing.
UPDATE pruned.schedules SET next_at = :next_at::timestamptz
WHERE job = :job::text AND next_at = :old::timestamptz
RETURNING job
