-- The statements of `pruned check JOB --canary` for `:table`, whose column `:column` makes rows due
-- once `:age` is over (`:age_table`, `:age_column`: where a number of days stands that is added;
-- '': none). `:unit`: what a number there counts; '': the column is a date or a time, without a
-- zone of UTC. `state`: why there are none; null: there are.
--   plant: makes every other one of the rows `:key`, and of the first rows by their key, due a
--     little before the border (a second, or a day), and the others a little behind it. Held rows,
--     and those without a value, stay as they are. Returns key and due.
--   there: how many of the rows `:key` are there.
-- Reads the catalogue only; names are quoted by format.
WITH col AS (
  SELECT a.attrelid AS oid, a.attname, coalesce(nullif(y.typbasetype, 0), y.oid)::regtype AS type
  FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
  WHERE a.attrelid = pg_catalog.to_regclass(:table::text) AND a.attname = (pg_catalog.parse_ident(:column::text))[1] AND a.attnum > 0 AND NOT a.attisdropped
),
known AS (
  SELECT pruned.held_key(c.oid) AS key,
         pg_catalog.string_agg(pg_catalog.format('c.%I', a.attname), ', ' ORDER BY k.n) AS columns,
         pg_catalog.bool_or(a.attname = c.attname) AS in_key,
         pg_catalog.string_agg(pg_catalog.format('w.%1$I %2$s c.%1$I', a.attname, o.same), ' AND ') AS same,
         pg_catalog.string_agg(CASE WHEN i.indnkeyatts = 1 THEN pg_catalog.format('c.%I %s u.key::%s', a.attname, o.same, pg_catalog.format_type(a.atttypid, a.atttypmod))
                                    ELSE pg_catalog.format('c.%I %s (u.key::jsonb ->> %L)::%s', a.attname, o.same, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)) END, ' AND ') AS named
  FROM col c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  CROSS JOIN LATERAL (SELECT
-- include: ../../../pg/sql/key_operator.sql
                      AS same) AS o
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  WHERE k.n <= i.indnkeyatts
  GROUP BY c.oid
),
unit AS (
  SELECT u.scale FROM (VALUES ('days', 86400::numeric), ('s', 1), ('ms', 0.001), ('us', 0.000001)) AS u (unit, scale) WHERE u.unit = :unit::text
),
border AS (
  SELECT c.*, k.*, pg_catalog.concat(':scheduled_at::timestamptz', CASE WHEN :age::text <> '' THEN pg_catalog.format(' - interval %L', :age::text) END,
                                CASE WHEN :age_table::text <> '' THEN pg_catalog.format(' - (SELECT g.%I::float8 * interval ''1 day'' FROM %s g ORDER BY g.id DESC LIMIT 1)',
                                                                                       :age_column::text, pg_catalog.to_regclass(:age_table::text)) END) AS at,
         (SELECT u.scale FROM unit u) AS scale
  FROM col c LEFT JOIN known k ON true
),
text AS (
  SELECT b.*,
         CASE WHEN b.type = 'timestamptz'::regtype THEN pg_catalog.format('%s + CASE WHEN w.pruned_due THEN -1 ELSE 1 END * interval ''1 second''', b.at)
              WHEN b.type = 'timestamp'::regtype THEN pg_catalog.format('(%s + CASE WHEN w.pruned_due THEN -1 ELSE 1 END * interval ''1 second'') AT TIME ZONE ''UTC''', b.at)
              WHEN b.type = 'date'::regtype THEN pg_catalog.format('((%s) AT TIME ZONE ''UTC'')::date + CASE WHEN w.pruned_due THEN -1 ELSE 1 END', b.at)
              WHEN b.scale IS NOT NULL AND b.type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
              THEN pg_catalog.format('pg_catalog.floor(extract(epoch FROM %s)::numeric / %s::numeric)::%s + CASE WHEN w.pruned_due THEN -1 ELSE 1 END * %s',
                                     b.at, b.scale, b.type, CASE WHEN b.scale < 1::numeric THEN pg_catalog.format('(1 / %s)::%s', b.scale, b.type) ELSE '1' END) END AS value
  FROM border b
)
SELECT CASE WHEN t.oid IS NULL THEN pg_catalog.format('%s has no column %s', :table::text, :column::text)
            WHEN t.key IS NULL THEN pg_catalog.format('%s has no primary key', :table::text)
            WHEN t.in_key THEN pg_catalog.format('%s is in the primary key of %s: no row can be made due', :column::text, :table::text)
            WHEN t.value IS NULL THEN pg_catalog.format('%s is %s: a date, a time, or a whole number with due_unit', :column::text, t.type) END AS state,
       pg_catalog.format('WITH wanted AS MATERIALIZED (SELECT w.*, pg_catalog.row_number() OVER (ORDER BY w.pruned_n, w.pruned_key) %% 2 = 1 AS pruned_due FROM ('
                         'SELECT DISTINCT ON (f.pruned_key) f.* FROM ('
                         '(SELECT %1$s AS pruned_key, 1 AS pruned_n, %2$s FROM pg_catalog.unnest(:key::text[]) AS u (key) JOIN %3$s c ON %4$s)'
                         ' UNION ALL (SELECT %1$s, 2, %2$s FROM %3$s c WHERE c.%5$I IS NOT NULL ORDER BY %2$s LIMIT :rows::int)) AS f ORDER BY f.pruned_key, f.pruned_n) AS w'
                         ' WHERE NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table(%6$L)) AND h.key = w.pruned_key COLLATE "C"))'
                         ' UPDATE %3$s AS c SET %5$I = %7$s FROM wanted w WHERE %8$s RETURNING w.pruned_key AS key, w.pruned_due AS due, w.pruned_n = 1 AS named',
                         t.key, t.columns, t.oid::regclass, t.named, t.attname, :table::text, t.value, t.same) AS plant,
       pg_catalog.format('SELECT u.key FROM pg_catalog.unnest(:key::text[]) AS u (key) JOIN %s c ON %s', t.oid::regclass, t.named) AS there
FROM (VALUES (1)) AS o (one) LEFT JOIN text t ON true
