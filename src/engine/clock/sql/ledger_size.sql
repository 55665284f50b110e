-- Of pruned.runs, without its indexes.
SELECT pg_catalog.pg_relation_size('pruned.runs') AS bytes
