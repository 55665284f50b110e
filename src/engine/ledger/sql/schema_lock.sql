-- One at a time: whoever comes second waits here for the first one's commit.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.migrate'))
