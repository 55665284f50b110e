-- The shared lock of steps that take rows from what was given; each holds it until it has
-- committed. The label is read by a statement of its own, so that it sees what an earlier count has
-- written.
SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtext('pruned.max_rows_per_day'), pg_catalog.hashtext(:job::text)) IS NULL AS locked
