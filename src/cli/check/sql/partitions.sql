-- The partitions of the table `:table`: how many, which one is the default, and which one somebody
-- has left half detached. Reads the catalogue only.
SELECT c.oid::regclass::text AS name, t.partdefid::regclass::text AS rest, (t.partdefid <> 0) AS beside,
       (SELECT count(*) FROM pg_inherits i WHERE i.inhparent = c.oid) AS n,
       (SELECT pg_catalog.min(i.inhrelid::regclass::text) FROM pg_inherits i WHERE i.inhparent = c.oid AND i.inhdetachpending
          AND NOT EXISTS (SELECT FROM pruned.partitions r WHERE r.relid = i.inhrelid AND r.detaching)) AS stranger
FROM pg_class c JOIN pg_partitioned_table t ON t.partrelid = c.oid
WHERE c.oid = pg_catalog.to_regclass(:table::text)
