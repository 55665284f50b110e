-- The run was counted and may go on; for a plan: what it would have changed. An approval of fewer
-- rows than were counted is spent.
UPDATE pruned.runs r
SET rows_counted = :counted::bigint, rows_limit = coalesce(:limited::bigint, r.rows_limit),
    approved_until = CASE WHEN :approved::boolean THEN r.approved_until END
WHERE r.run_id = :run_id::uuid
RETURNING r.run_id
