-- A step that counts: once all others have committed what they had passed, and before any other
-- passes.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.max_rows_per_day'), pg_catalog.hashtext(:job::text)) IS NULL AS locked
