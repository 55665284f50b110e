-- Daemons that start together compare their settings one after the other.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.settings'))
