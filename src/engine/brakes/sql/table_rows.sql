-- How many rows a table has, its partitions included: as PostgreSQL estimates, or (-1: small, or
-- never analyzed) by a statement that counts up to a million. A partition that was never analyzed
-- is taken to be as full as the others. A table of up to 10000 pages is counted, too, if by the
-- server's counters half of the rows that the estimate knows have gone since. Only the catalogue is
-- read, those counters, and the size of such partitions.
SELECT CASE WHEN s.known < 10000::float8 OR s.pages <= 10000::float8 AND s.known <= 1000000::float8 AND s.live < s.known / 2::float8 THEN -1
            ELSE (s.known + s.known / greatest(1::float8, s.pages) * s.new_pages)::bigint END AS estimate, s.sql
FROM (
  SELECT coalesce(pg_catalog.sum(c.reltuples::float8) FILTER (WHERE c.reltuples >= 0::real), 0) AS known,
         coalesce(pg_catalog.sum(c.relpages::float8) FILTER (WHERE c.reltuples >= 0::real), 0) AS pages,
         coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_live_tuples(c.oid)), 0)::float8 AS live,
         coalesce(pg_catalog.sum(pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::bigint) FILTER (WHERE c.reltuples < 0::real), 0)::float8 AS new_pages,
         pg_catalog.format('SELECT pg_catalog.count(*) AS n FROM (SELECT FROM %s LIMIT 1000000) AS t', t.root) AS sql
  FROM (SELECT coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text))) AS root) AS t,
       LATERAL (SELECT t.root AS relid WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_partition_tree(t.root))
                UNION ALL SELECT p.relid FROM pg_catalog.pg_partition_tree(t.root) AS p WHERE p.isleaf) AS l
  JOIN pg_class c ON c.oid = l.relid
  WHERE t.root IS NOT NULL
  GROUP BY t.root) AS s
