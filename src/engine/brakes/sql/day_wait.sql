-- Steps of one job that are near the limit of the day take turns, until they have committed.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.max_rows_per_day'), pg_catalog.hashtext(:job::text)) IS NULL AS waited
