-- How many rows this transaction has deleted, updated and inserted in each of the tables `:rels`,
-- of those in which it has. `table`: its name, or that of the partitioned table above it. `pos`:
-- which of `:tab` it is, or is a part of; NULL: none. The counts are in this session's memory.
-- `emptied`: this transaction has emptied it by TRUNCATE, which no count says. PostgreSQL then
-- writes its entry in pg_class anew, with no pages and no rows. An entry that is not older than
-- this transaction is its own, if its writer has not ended. A table that was never analyzed has no
-- pages either when its entry is altered; but it still has its first file.
SELECT r.rel::text AS rel, coalesce(pg_catalog.pg_partition_root(r.rel)::oid, r.rel)::regclass::text AS "table",
       (WITH RECURSIVE up (oid) AS (
          SELECT r.rel UNION SELECT i.inhparent FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.oid)
        SELECT pg_catalog.min(t.pos) FROM pg_catalog.unnest(:tab::text[]) WITH ORDINALITY AS t (tab, pos)
        JOIN up ON up.oid = coalesce(pg_catalog.to_regclass(t.tab), pg_catalog.to_regclass(pg_catalog.quote_ident(t.tab)))::oid) AS pos,
       r.deleted, r.updated, r.inserted, r.emptied
FROM (SELECT n.rel, pg_catalog.pg_stat_get_xact_tuples_deleted(n.rel) AS deleted, pg_catalog.pg_stat_get_xact_tuples_updated(n.rel) AS updated,
             pg_catalog.pg_stat_get_xact_tuples_inserted(n.rel) AS inserted,
             EXISTS (SELECT FROM pg_class c WHERE c.oid = n.rel AND c.relpages = 0 AND c.reltuples <= 0::real AND c.relfilenode NOT IN (0::oid, c.oid)
                     AND CASE WHEN pg_catalog.age(c.xmin) <= 0 THEN pg_catalog.pg_xact_status(
                       (pg_catalog.pg_current_xact_id_if_assigned()::text::bigint / 4294967296 * 4294967296 + c.xmin::text::bigint)::text::xid8) = 'in progress' END) AS emptied
      FROM pg_catalog.unnest(:rels::oid[]) AS n (rel) OFFSET 0) AS r
WHERE r.deleted + r.updated + r.inserted > 0 OR r.emptied
