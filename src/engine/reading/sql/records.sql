-- What the audit has of a run, by table and by what became of the rows, and how each is read again:
-- `whole`: the table with its schema; null: it is gone. `lacking`: columns, one a line, that the
-- records leave out, or that were added or altered since the first of them. `below`: a condition on
-- a row (`pruned_g`) that holds if the run has taken a row that it refers to, by a foreign key or
-- as the job says (`:child`, `:columns`: its tables below and their columns, as SQL writes them,
-- for which no foreign key says it), compared as they are written, which is quick, and then by
-- their own operator, for which two spellings can be one key; null: it refers to no table of the
-- run. `left_over`: the query for rows that refer to rows of `pruned_gone` which are not there;
-- null: no table refers to it.
-- `unindexed`: tables that refer to it and are not asked, as that would read all of their rows.
-- Names come from the catalogue and are quoted here. Fast by the index on (run_id, step); of each
-- table one row is looked into.
WITH record AS MATERIALIZED (
  SELECT d.table_name, d.action, pg_catalog.to_regclass(d.table_name)::oid AS rel, pg_catalog.count(*) AS records, pg_catalog.sum(pg_catalog.jsonb_array_length(d.keys)) AS n,
         coalesce(pg_catalog.sum(pg_catalog.jsonb_array_length(d.keys)) FILTER (WHERE d.rows IS NULL), 0) AS bare, pg_catalog.max(pg_catalog.age(d.xmin)) AS age
  FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.action <> 'forgotten'
  GROUP BY 1, 2
),
tie AS MATERIALIZED (
  SELECT f.conrelid AS child, f.confrelid AS parent,
         (SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.n) FROM pg_catalog.unnest(f.conkey) WITH ORDINALITY AS k (num, n)
          JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.num) AS names,
         (SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.n) FROM pg_catalog.unnest(f.confkey) WITH ORDINALITY AS k (num, n)
          JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.num) AS referred,
         f.conparentid = 0 AS first
  FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid IN (SELECT rel FROM record)
  UNION ALL
  SELECT pg_catalog.to_regclass(c.tab)::oid, i.indrelid,
         (SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.n) FROM pg_catalog.jsonb_array_elements_text(c.names) WITH ORDINALITY AS k (name, n)
          JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(c.tab) AND a.attnum > 0 AND pg_catalog.quote_ident(a.attname) = k.name),
         (SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.n) FROM pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (num, n)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num WHERE k.n <= i.indnkeyatts),
         true
  FROM ROWS FROM (pg_catalog.unnest(:child::text[]), pg_catalog.jsonb_array_elements(:columns::jsonb)) AS c (tab, names)
  JOIN pg_index i ON i.indisprimary AND i.indrelid = pg_catalog.to_regclass(:own::text)
  WHERE pg_catalog.jsonb_array_length(c.names) = i.indnkeyatts
),
above AS (
  SELECT t.child, pg_catalog.string_agg(DISTINCT pg_catalog.format(
           '(%1$s) IN (SELECT %2$s FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)'
           ' WHERE d.run_id = :run_id::uuid AND d.table_name = %3$L AND d.step IN (SELECT s.step FROM pruned_gone AS s))'
           ' OR (%1$s) IN (SELECT %2$s FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)'
           ' WHERE d.run_id = :run_id::uuid AND d.table_name = %3$L)'
           ' OR (%4$s) IN (SELECT %5$s FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)'
           ' CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%6$s, e.json) AS p WHERE d.run_id = :run_id::uuid AND d.table_name = %3$L)',
           (SELECT pg_catalog.string_agg(pg_catalog.format('pruned_g.json -> %L', c), ', ') FROM pg_catalog.unnest(t.names) AS c),
           (SELECT pg_catalog.string_agg(pg_catalog.format('e.json -> %L', c), ', ') FROM pg_catalog.unnest(t.referred) AS c), p.table_name,
           (SELECT pg_catalog.string_agg(pg_catalog.format('(pruned_g.row).%I', c), ', ') FROM pg_catalog.unnest(t.names) AS c),
           (SELECT pg_catalog.string_agg(pg_catalog.format('p.%I', c), ', ') FROM pg_catalog.unnest(t.referred) AS c), p.rel::pg_catalog.regclass), ' OR ') AS text
  FROM tie t JOIN record p ON p.rel = t.parent
  GROUP BY t.child
),
-- A table that refers to another, whose rows are found by an index or are few.
child AS MATERIALIZED (
  SELECT t.*, pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, c.relname::text AS short,
         c.relkind = 'r' AND c.relpages < 200 AND c.relpages > 0 OR EXISTS (
           SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = t.child AND a.attnum = i.indkey[0]
           WHERE i.indrelid = t.child AND i.indisvalid AND i.indpred IS NULL AND a.attname::text = ANY (t.names)) AS fast,
         pg_catalog.has_table_privilege(t.child, 'SELECT') AS may,
         pruned.held_key(t.child) AS key
  FROM tie t JOIN pg_class c ON c.oid = t.child JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE t.first AND c.relkind IN ('r', 'p')
),
left_over AS (
  SELECT c.parent, pg_catalog.string_agg(pg_catalog.format(
           '(SELECT %1$L AS tab, %2$s AS key, %3$L AS wrong FROM pruned_gone g JOIN %4$s AS c ON %5$s'
           ' WHERE NOT EXISTS (SELECT FROM %6$s AS p WHERE %7$s) LIMIT 100)',
           c.short, coalesce(c.key, 'NULL::text'), 'is left, and the row of ' || r.table_name || ' that it refers to has gone', c.name,
           (SELECT pg_catalog.string_agg(pg_catalog.format('c.%I = (g.row).%I', x.a, x.b), ' AND ') FROM ROWS FROM (pg_catalog.unnest(c.names), pg_catalog.unnest(c.referred)) AS x (a, b)),
           (SELECT pg_catalog.format('%I.%I', n.nspname, p.relname) FROM pg_class p JOIN pg_namespace n ON n.oid = p.relnamespace WHERE p.oid = c.parent),
           (SELECT pg_catalog.string_agg(pg_catalog.format('p.%I = c.%I', x.b, x.a), ' AND ') FROM ROWS FROM (pg_catalog.unnest(c.names), pg_catalog.unnest(c.referred)) AS x (a, b))), ' UNION ALL ')
           FILTER (WHERE c.fast AND c.may) AS text,
         pg_catalog.string_agg(DISTINCT c.short, ', ') FILTER (WHERE NOT (c.fast AND c.may)) AS unindexed
  FROM child c JOIN record r ON r.rel = c.parent AND r.action = 'deleted'
  GROUP BY c.parent
)
SELECT r.table_name, r.action, r.records, r.n, r.bare, r.rel = pg_catalog.to_regclass(:own::text)::oid AS own,
       (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = r.rel) AS whole,
       (SELECT coalesce(pg_catalog.string_agg(a.attname::text, pg_catalog.chr(10)), '') FROM pg_attribute a
        WHERE a.attrelid = r.rel AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
          AND (pg_catalog.age(a.xmin) < r.age
               OR NOT (SELECT d.rows -> 0 FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.table_name = r.table_name AND d.action = r.action AND d.rows IS NOT NULL
                       LIMIT 1) ? a.attname::text)) AS lacking,
       a.text AS below, CASE r.action WHEN 'deleted' THEN l.text END AS left_over, CASE r.action WHEN 'deleted' THEN l.unindexed END AS unindexed
FROM record r LEFT JOIN above a ON a.child = r.rel LEFT JOIN left_over l ON l.parent = r.rel
ORDER BY r.rel = pg_catalog.to_regclass(:own::text)::oid DESC NULLS LAST, r.action, r.table_name
