-- One migration at a time: the second one waits here for the first one's commit.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.migrate'))
