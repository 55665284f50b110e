-- The exclusive lock of a step that counts the rows of the day: it waits until all transactions
-- that share the lock have ended, and no other one gets the lock before the count is committed.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.max_rows_per_day'), pg_catalog.hashtext(:job::text)) IS NULL AS locked
