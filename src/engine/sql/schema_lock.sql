-- One at a time: whoever comes second waits here for the first one's commit.
SELECT pg_advisory_xact_lock(hashtext('pruned.migrate'))
