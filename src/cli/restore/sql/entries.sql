-- The records of one step, in the order in which they are restored: removed rows first, tables that
-- others refer to before those others; then changes. Both in reverse order of the statements
-- (`cmin` counts those of a transaction). A record is identified by its place. A row whose xmin is
-- `xid` has not changed since. `:archived`: the rows of the record that are in a file (`in_file`).
-- `bare`: nothing has its rows. `only`: it is of the table `:only`, however that is written. Uses
-- the index on (run_id, step).
WITH RECURSIVE record AS MATERIALIZED (
  SELECT d.table_name, d.action, d.tableoid AS part, d.ctid AS place, d.xmin::text AS xid, d.cmin::text::bigint AS command,
         pg_catalog.jsonb_array_length(d.keys) AS n, (SELECT coalesce(pg_catalog.array_agg(c ORDER BY c), '{}') FROM pg_catalog.jsonb_object_keys(coalesce(d.rows, :archived::jsonb -> pg_catalog.format('%s%s', d.tableoid, d.ctid) -> 'rows') -> 0) AS c) AS columns,
         d.rows IS NULL AND d.archived_in IS NOT NULL AS in_file, d.rows IS NULL AND d.archived_in IS NULL AS bare
  FROM pruned.deletions d
  WHERE d.run_id = :run_id::uuid AND d.step = :step::int
),
tab AS (SELECT DISTINCT pg_catalog.to_regclass(r.table_name)::oid AS rel FROM record r WHERE r.action = 'deleted'),
level (rel, depth) AS (
  SELECT t.rel, 0 FROM tab t
  UNION
  SELECT f.conrelid, l.depth + 1
  FROM level l
  JOIN pg_constraint f ON f.confrelid = l.rel AND f.contype = 'f' AND f.conrelid <> f.confrelid
  JOIN tab t ON t.rel = f.conrelid
  WHERE l.depth < 16
)
SELECT r.table_name, r.action, coalesce(pg_catalog.to_regclass(r.table_name) = pg_catalog.to_regclass(:only::text), false) AS only, r.part::text AS part, r.place::text AS place, r.xid, r.n, r.columns::text[] AS columns, r.in_file, r.bare
FROM record r
ORDER BY r.action <> 'deleted',
         (SELECT pg_catalog.max(l.depth) FROM level l WHERE r.action = 'deleted' AND l.rel = pg_catalog.to_regclass(r.table_name)::oid), r.command DESC
