-- Steps that have rows to change of what was given: together, until each has committed. What
-- follows is a statement of its own, so that it sees what a count before it has written.
SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtext('pruned.max_rows_per_day'), pg_catalog.hashtext(:job::text)) IS NULL AS locked
