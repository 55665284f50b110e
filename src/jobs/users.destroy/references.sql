-- The columns that refer to users, each with its statements: `page` reads the first keys, `further`
-- those behind `:after` (all of them in a table without a primary key), `clash` deletes rows whose
-- move would break a unique key (null: there is none), `change` moves the others or, in tables that
-- record only that the user is there, deletes them, `kept` counts those that refer to the user
-- after that, because a trigger sets them back. Columns that this database does not have are
-- not listed; `quick` ones can be asked at any time. Names come from the catalogue and are quoted
-- by format; values are parameters of the statements: `:user_id`, `:ghost_id`, `:limit`, `:after`
-- (the last key), `:key` (keys as objects). Fast because only the catalogue is read.
WITH
-- include: columns.sql
,
found AS (
  SELECT n.tab || '.' || n.col AS name, n.tab AS table_name, n.col AS column_name, a.attrelid, a.attnum,
         n.drops,
         -- include: quick.sql
         AS quick
  FROM named n
  JOIN pg_class c ON c.oid = pg_catalog.to_regclass(pg_catalog.format('%I', n.tab))
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = n.col AND NOT a.attisdropped
),
-- include: ../shared/row_keys.sql
,
clashes AS (
  SELECT f.name, pg_catalog.string_agg(pg_catalog.format(
           'EXISTS (SELECT FROM (SELECT true%s FROM %I x WHERE x.%I = :ghost_id::bigint%s) g,'
           ' (SELECT true%s FROM %I x WHERE %s%s) m WHERE true%s)',
           e.list, f.table_name, f.column_name, i.predicate, e.list, f.table_name, k.same_x, i.predicate, e.equal), ' OR ') AS test
  FROM found f
  JOIN row_key k ON k.relid = f.attrelid
  JOIN LATERAL (SELECT x.indexrelid, x.indnkeyatts, x.indkey,
                       -- NULLS NOT DISTINCT; PostgreSQL 14 has no such column
                       CASE WHEN pg_catalog.to_jsonb(x.*) ->> 'indnullsnotdistinct' = 'true' THEN ' OR g.e%1$s IS NULL AND m.e%1$s IS NULL' ELSE '' END AS nulls,
                       coalesce(' AND (' || pg_catalog.pg_get_expr(x.indpred, x.indrelid) || ')', '') AS predicate
                FROM pg_index x WHERE x.indrelid = f.attrelid AND x.indisunique AND f.attnum = ANY (x.indkey[0: (x.indnkeyatts - 1)])) i ON true
  CROSS JOIN LATERAL (
    SELECT coalesce(pg_catalog.string_agg(pg_catalog.format(', %s AS e%s', pg_catalog.pg_get_indexdef(i.indexrelid, p.n, true), p.n), ''), '') AS list,
           coalesce(pg_catalog.string_agg(pg_catalog.format(' AND (g.e%1$s = m.e%1$s' || i.nulls || ')', p.n), ''), '') AS equal
    FROM pg_catalog.generate_series(1, i.indnkeyatts) AS p (n) WHERE i.indkey[p.n - 1] <> f.attnum) e
  WHERE NOT f.drops
  GROUP BY f.name
)
SELECT f.name, f.quick, f.column_name, pg_catalog.replace(f.attrelid::regclass::text, '''', '''''') AS table_name, CASE WHEN f.drops THEN 'deleted' ELSE 'updated' END AS action,
       pg_catalog.format('SELECT %s AS key FROM %I t WHERE t.%I = :user_id::bigint%s LIMIT :limit::int FOR UPDATE OF t',
              k.object, f.table_name, f.column_name, k.in_order) AS page,
       pg_catalog.format('SELECT %s AS key FROM %I t WHERE t.%I = :user_id::bigint%s%s LIMIT :limit::int FOR UPDATE OF t',
              k.object, f.table_name, f.column_name, k.beyond, k.in_order) AS further,
       CASE WHEN c.test IS NOT NULL
       THEN pg_catalog.format('DELETE FROM %I t USING pg_catalog.unnest(:key::jsonb[]) AS k (key), LATERAL %s AS r'
                   ' WHERE %s AND t.%I = :user_id::bigint AND (%s) RETURNING %s AS key, pg_catalog.to_jsonb(t.*) AS row',
                   f.table_name, k.record, k.same, f.column_name, c.test, k.audit) END AS clash,
       CASE WHEN f.drops
       THEN pg_catalog.format('DELETE FROM %I t USING pg_catalog.unnest(:key::jsonb[]) AS k (key), LATERAL %s AS r'
                   ' WHERE %s AND t.%I = :user_id::bigint RETURNING %s AS key, pg_catalog.to_jsonb(t.*) AS row',
                   f.table_name, k.record, k.same, f.column_name, k.audit)
       ELSE pg_catalog.format('WITH t AS MATERIALIZED (SELECT t.tableoid AS part, t.ctid AS place, %s AS key, pg_catalog.to_jsonb(t.*) AS row FROM pg_catalog.unnest(:key::jsonb[]) AS k (key),'
                   ' LATERAL %s AS r JOIN %I t ON %s WHERE t.%I = :user_id::bigint)'
                   ' UPDATE %I x SET %I = :ghost_id::bigint FROM t WHERE x.ctid = t.place AND x.tableoid = t.part RETURNING t.key, t.row',
                   k.audit, k.record, f.table_name, k.same, f.column_name, f.table_name, f.column_name) END AS change,
       pg_catalog.format('SELECT count(*) AS n FROM pg_catalog.unnest(:key::jsonb[]) AS k (key), LATERAL %s AS r, %I t WHERE %s AND t.%I = :user_id::bigint',
              k.record, f.table_name, k.same, f.column_name) AS kept
FROM found f JOIN row_key k ON k.relid = f.attrelid LEFT JOIN clashes c ON c.name = f.name
ORDER BY f.name COLLATE "C"
