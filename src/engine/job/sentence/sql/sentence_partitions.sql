-- The table `:table` of a sentence that drops partitions: how it is partitioned, and what refers to
-- it. `interval`: how old a partition must be, as PostgreSQL reads it. Reads the catalogue only.
SELECT t.rel::text AS name, c.relkind AS kind, p.partstrat AS strategy, coalesce(p.partnatts, 0) AS columns,
       (SELECT pg_catalog.format_type(a.atttypid, -1) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = p.partattrs[0]) AS type,
       coalesce(n.nspname IN ('pg_catalog', 'pg_toast', 'information_schema', 'pruned'), false) AS ours,
       (SELECT pg_catalog.min(f.conrelid::regclass::text) FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = c.oid) AS referenced,
       pg_catalog.quote_literal(t.rel::text) AS literal
FROM (SELECT pg_catalog.to_regclass(:table::text) AS rel) AS t
LEFT JOIN pg_class c ON c.oid = t.rel
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_partitioned_table p ON p.partrelid = c.oid
