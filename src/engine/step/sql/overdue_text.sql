-- The statements that find the rows of `:table` which should have gone, by the column `:column`
-- that makes them due and the age `:age` from that on (`:age_table`, `:age_column`: where a number
-- of days stands that is added; '': none). `:unit`: what a number there counts; '': the column is a
-- date or a time, without a zone of UTC. `:unless`: rows that it names and `:named` does not are
-- excused, and count nowhere but in `excused`; null: there are none. `state`: what is missing for
-- it; null: nothing; `remedy`: the index. Reads the catalogue only; names are quoted by format.
--   ends: the oldest rows that have been due for four fifths of `:deadline`, and those of them that
--     became due last, `:half` each: `key` as a job writes it, since when it is due, `late`: longer
--     than the deadline. -infinity has no age. Reads both ends of an index.
--   counts: how many, up to `:most`: late, due at all, due within the next day; excused that would
--     be late; `nulls`: there are rows that are never due.
--   unless: the rows that are excused; null: there are none.
--   backlog: all that are due, for the planner's estimate.
WITH rel AS (
  SELECT coalesce(pg_catalog.to_regclass(:table::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:table::text)))::oid AS oid
),
col AS (
  SELECT r.oid, a.attname, a.attnum, coalesce(nullif(y.typbasetype, 0), y.oid)::regtype AS type
  FROM rel r
  JOIN pg_attribute a ON a.attrelid = r.oid AND a.attname = (pg_catalog.parse_ident(:column::text))[1] AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type y ON y.oid = a.atttypid
),
known AS (SELECT pruned.held_key(r.oid) AS key FROM rel r),
unit AS (
  SELECT u.unit, u.scale
  FROM (VALUES ('days', 86400::numeric), ('s', 1), ('ms', 0.001), ('us', 0.000001)) AS u (unit, scale) WHERE u.unit = :unit::text
),
piece AS (
  SELECT c.oid, c.type, pg_catalog.format('c.%I', c.attname) AS col,
         pg_catalog.concat(CASE WHEN :age::text <> '' THEN pg_catalog.format(' %%1$s interval %L', :age::text) END,
                           CASE WHEN :age_table::text <> '' THEN pg_catalog.format(' %%1$s (SELECT g.%I::float8 * interval ''1 day'' FROM %s g ORDER BY g.id DESC LIMIT 1)', :age_column::text, pg_catalog.to_regclass(:age_table::text)) END) AS age,
         u.unit, u.scale,
         pg_catalog.has_table_privilege(c.oid, 'SELECT') AS readable, pg_catalog.row_security_active(c.oid) AS hidden,
         EXISTS (SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
                 WHERE i.indrelid = c.oid AND i.indisvalid AND i.indkey[0] = c.attnum AND m.amname = 'btree'
                   AND (i.indpred IS NULL OR pg_catalog.pg_get_expr(i.indpred, i.indrelid) = pg_catalog.format('(%I IS NOT NULL)', c.attname))) AS has_index
  FROM col c LEFT JOIN unit u ON true
),
bound AS (
  SELECT p.*,
         CASE WHEN p.type = 'timestamptz'::regtype THEN '(%1$s)'
              WHEN p.type IN ('timestamp'::regtype, 'date'::regtype) THEN '((%1$s) AT TIME ZONE ''UTC'')'
              WHEN p.unit IS NOT NULL AND p.type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
              THEN pg_catalog.format('pg_catalog.ceil(extract(epoch FROM %%1$s)::numeric / %s::numeric)::int8', p.scale) END AS limits,
         CASE WHEN p.type = 'timestamptz'::regtype THEN p.col
              WHEN p.type IN ('timestamp'::regtype, 'date'::regtype) THEN pg_catalog.format('(%s::timestamp AT TIME ZONE ''UTC'')', p.col)
              ELSE pg_catalog.format('pg_catalog.to_timestamp(CASE WHEN %1$s::numeric > -62000000000::numeric / %2$s::numeric THEN (%1$s::numeric * %2$s::numeric)::float8 ELSE ''-Infinity''::float8 END)', p.col, p.scale) END AS due_at
  FROM piece p
),
text AS (
  SELECT b.*, coalesce(' AND NOT ' || x.excused, '') AS counted, coalesce(x.excused, 'false') AS excused,
         pg_catalog.format(b.limits, 'now() - :deadline::interval' || pg_catalog.format(b.age, '-')) AS late,
         pg_catalog.format(b.limits, 'now() - :deadline::interval * 0.8::float8' || pg_catalog.format(b.age, '-')) AS near,
         pg_catalog.format(b.limits, 'now()' || pg_catalog.format(b.age, '-')) AS due,
         pg_catalog.format(b.limits, 'now() + interval ''1 day''' || pg_catalog.format(b.age, '-')) AS soon,
         pg_catalog.format('CASE WHEN pg_catalog.isfinite(%1$s) THEN extract(epoch FROM now() - (%1$s%2$s))::float8 END', b.due_at, pg_catalog.format(b.age, '+')) AS age_s
  FROM bound b
  LEFT JOIN LATERAL (
    SELECT pg_catalog.format('EXISTS (SELECT FROM (SELECT c.*) AS %I WHERE (%s) IS TRUE AND (%s) IS NOT TRUE)', r.relname, :unless::text, :named::text) AS excused
    FROM pg_class r WHERE r.oid = b.oid AND :unless::text IS NOT NULL) AS x ON true
)
SELECT CASE WHEN r.oid IS NULL THEN pg_catalog.format('there is no table %s', :table::text)
            WHEN t.oid IS NULL THEN pg_catalog.format('%s has no column %s', :table::text, :column::text)
            WHEN NOT t.readable THEN pg_catalog.format('this role may not read %s', :table::text)
            WHEN t.hidden THEN pg_catalog.format('row-level security hides rows of %s from this role', :table::text)
            WHEN t.limits IS NULL THEN pg_catalog.format('%s is %s: a date, a time, or a whole number with due_unit', :column::text, t.type)
            WHEN k.key IS NULL THEN pg_catalog.format('%s has no primary key', :table::text)
            WHEN NOT t.has_index THEN pg_catalog.format('no index of %s begins with %s', :table::text, :column::text) END AS state,
       CASE WHEN NOT t.has_index THEN pg_catalog.format('CREATE INDEX CONCURRENTLY ON %s (%s)', t.oid::regclass, pg_catalog.substr(t.col, 3)) END AS remedy,
       t.oid IS NULL AS missing,
       pg_catalog.format('SELECT u.key, u.age_s, u.late FROM ((SELECT %1$s AS key, %2$s AS age_s, %3$s < %4$s AS late FROM %5$s c WHERE %3$s < %6$s%7$s ORDER BY %3$s LIMIT :half::int)'
                         ' UNION (SELECT %1$s, %2$s, %3$s < %4$s FROM %5$s c WHERE %3$s < %6$s%7$s ORDER BY %3$s DESC LIMIT :half::int)) AS u ORDER BY u.age_s DESC NULLS FIRST, u.key',
                         k.key, t.age_s, t.col, t.late, t.oid::regclass, t.near, t.counted) AS ends,
       pg_catalog.format('SELECT (SELECT pg_catalog.count(*) FROM (SELECT FROM %1$s c WHERE %2$s < %3$s%6$s ORDER BY %2$s LIMIT :most::int) AS l) AS late,'
                         ' (SELECT pg_catalog.count(*) FROM (SELECT FROM %1$s c WHERE %2$s < %4$s%6$s ORDER BY %2$s LIMIT :most::int) AS l) AS due,'
                         ' (SELECT pg_catalog.count(*) FROM (SELECT FROM %1$s c WHERE %2$s >= %4$s AND %2$s < %5$s%6$s ORDER BY %2$s LIMIT :most::int) AS l) AS inflow,'
                         ' (SELECT pg_catalog.count(*) FROM (SELECT FROM %1$s c WHERE %2$s < %3$s AND %7$s ORDER BY %2$s LIMIT :most::int) AS l) AS excused,'
                         ' (SELECT true FROM %1$s c WHERE %2$s IS NULL ORDER BY %2$s LIMIT 1) IS NOT NULL AS nulls',
                         t.oid::regclass, t.col, t.late, t.due, t.soon, t.counted, t.excused) AS counts,
       CASE WHEN :unless::text IS NOT NULL THEN pg_catalog.format('SELECT FROM %s c WHERE %s', t.oid::regclass, t.excused) END AS unless,
       pg_catalog.format('EXPLAIN (FORMAT JSON) SELECT FROM %s c WHERE %s < %s%s', t.oid::regclass, t.col, t.due, t.counted) AS backlog,
       pg_catalog.format('EXPLAIN (FORMAT JSON) SELECT FROM %1$s c WHERE %2$s >= %3$s AND %2$s < %4$s%5$s', t.oid::regclass, t.col, t.due, t.soon, t.counted) AS inflow
FROM rel r LEFT JOIN text t ON true LEFT JOIN known k ON true
