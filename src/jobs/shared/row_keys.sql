-- A common table expression: row_key, pieces of SQL that identify a row of each table of `found`
-- (attrelid): by its primary key, otherwise by its ctid. `t` is the row, `k.key` a key as an
-- object, `r` the record made of it, `x` the row again.
row_key AS MATERIALIZED (
  SELECT f.attrelid AS relid,
    CASE WHEN p.n IS NULL THEN 'pg_catalog.jsonb_build_object(''ctid'', t.ctid::text)' ELSE pg_catalog.format('pg_catalog.jsonb_build_object(%s)', p.pairs) END AS object,
    CASE WHEN p.n IS NULL THEN 'pg_catalog.to_jsonb(t.*)' WHEN p.n = 1 THEN pg_catalog.format('pg_catalog.to_jsonb(%s)', p.of_t) ELSE pg_catalog.format('pg_catalog.jsonb_build_object(%s)', p.pairs) END AS audit,
    CASE WHEN p.n IS NULL THEN '(SELECT (k.key ->> ''ctid'')::tid AS ctid)'
         ELSE pg_catalog.format('pg_catalog.jsonb_populate_record(NULL::%I.%I, k.key)', s.nspname, f.relname) END AS record,
    coalesce(p.same, 't.ctid = r.ctid') AS same, coalesce(p.same_x, 'x.ctid = t.ctid') AS same_x,
    CASE WHEN p.n IS NULL THEN '' -- and format(..., NULL) is no NULL
         ELSE pg_catalog.format(' AND (%s) > (SELECT %s FROM pg_catalog.jsonb_populate_record(NULL::%I.%I, :after::jsonb) AS r)',
                     p.of_t, p.of_r, s.nspname, f.relname) END AS beyond,
    coalesce(' ORDER BY ' || p.of_t, '') AS in_order
  FROM (SELECT DISTINCT d.attrelid, c.relname, c.relnamespace FROM found d JOIN pg_class c ON c.oid = d.attrelid) AS f
  JOIN pg_namespace s ON s.oid = f.relnamespace
  LEFT JOIN LATERAL (
    SELECT count(*) AS n, pg_catalog.string_agg(pg_catalog.format('%L, t.%I', a.attname, a.attname), ', ' ORDER BY c.n) AS pairs,
           pg_catalog.string_agg(pg_catalog.format('t.%I', a.attname), ', ' ORDER BY c.n) AS of_t, pg_catalog.string_agg(pg_catalog.format('r.%I', a.attname), ', ' ORDER BY c.n) AS of_r,
           pg_catalog.string_agg(pg_catalog.format('t.%I = r.%I', a.attname, a.attname), ' AND ' ORDER BY c.n) AS same,
           pg_catalog.string_agg(pg_catalog.format('x.%I = t.%I', a.attname, a.attname), ' AND ' ORDER BY c.n) AS same_x
    FROM pg_index i, pg_catalog.unnest(i.indkey[0: (i.indnkeyatts - 1)]) WITH ORDINALITY AS c (attnum, n), pg_attribute a
    WHERE i.indrelid = f.attrelid AND i.indisprimary AND a.attrelid = i.indrelid AND a.attnum = c.attnum
    HAVING count(*) > 0) AS p ON true
)
