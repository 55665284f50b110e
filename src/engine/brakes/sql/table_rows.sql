-- How many rows a table has, its partitions included: as PostgreSQL estimates, or (-1: small, or
-- never analyzed) by a statement that counts up to a million. Only the catalogue is read.
SELECT CASE WHEN pg_catalog.bool_or(c.reltuples < 0::real) OR pg_catalog.sum(c.reltuples) < 10000::real THEN -1 ELSE pg_catalog.sum(c.reltuples)::bigint END AS estimate,
       pg_catalog.format('SELECT pg_catalog.count(*) AS n FROM (SELECT FROM %s LIMIT 1000000) AS t', t.root) AS sql
FROM (SELECT coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text))) AS root) AS t,
     LATERAL (SELECT t.root AS relid WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_partition_tree(t.root))
              UNION ALL SELECT p.relid FROM pg_catalog.pg_partition_tree(t.root) AS p WHERE p.isleaf) AS l
JOIN pg_class c ON c.oid = l.relid
WHERE t.root IS NOT NULL
GROUP BY t.root
