-- The stop in force; no row: nothing is stopped.
SELECT since, by, reason, pg_catalog.date_trunc('second', since)::text AS whole FROM pruned.stop WHERE stopped
