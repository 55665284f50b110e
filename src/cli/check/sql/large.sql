-- The tables of `:rows` rows or more, by the two names that a plan and a sentence give them. A
-- partitioned table has the rows of its partitions, at any depth. Reads the catalogue only.
SELECT c.relname AS name, c.oid::regclass::text AS relation
FROM pg_class c
WHERE c.relkind = 'r' AND c.reltuples >= :rows::bigint::float8
   OR c.relkind = 'p' AND :rows::bigint::float8 <= (
     WITH RECURSIVE below (oid) AS (
       SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = c.oid
       UNION ALL
       SELECT i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.oid)
     SELECT pg_catalog.sum(l.reltuples) FROM below b JOIN pg_class l ON l.oid = b.oid AND l.relkind = 'r' AND l.reltuples > 0::real)
