-- How many rows a table has by its last ANALYZE, and the statement that counts them if they are few
-- or not known. No row: there is no such table. Reads the catalogue only.
SELECT CASE WHEN c.reltuples >= 10000::real THEN c.reltuples::bigint END AS about,
       pg_catalog.format('SELECT pg_catalog.count(*) AS n FROM (SELECT FROM %s LIMIT 100000) AS few', c.oid::regclass) AS counts
FROM pg_class c
WHERE c.oid = coalesce(pg_catalog.to_regclass(:name::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:name::text))) AND c.relkind IN ('r', 'p')
