  SELECT c.oid AS relid, c.oid::regclass::text AS name, b.bound, b.lower, b.upper, {upper_at} AS upper_at,
         (WITH RECURSIVE pruned_tree (relid) AS (
            SELECT c.oid UNION ALL SELECT h.inhrelid FROM pruned_tree t JOIN pg_inherits h ON h.inhparent = t.relid)
          SELECT CASE WHEN pg_catalog.bool_and(x.reltuples >= 0) THEN pg_catalog.sum(x.reltuples)::bigint END
          FROM pruned_tree t JOIN pg_class x ON x.oid = t.relid WHERE x.relkind <> 'p') AS rows
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL (SELECT e.bound, pg_catalog.substring(e.bound, ' FROM \(''([^'']*)''\)') AS lower, pg_catalog.substring(e.bound, ' TO \(''([^'']*)''\)$') AS upper
                      FROM (SELECT pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS bound) AS e) AS b
  WHERE i.inhparent = pg_catalog.to_regclass({relation}) AND {upper_at} <= :scheduled_at::timestamptz - interval '{age}'
    AND (NOT i.inhdetachpending OR EXISTS (SELECT FROM pruned.partitions o WHERE o.relid = c.oid AND o.detaching))
    AND NOT EXISTS (SELECT FROM pruned.partitions o WHERE o.relid = c.oid AND o.job <> :job::text AND o.decided_at > now() - interval '1 day')
